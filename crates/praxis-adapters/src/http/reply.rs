//! Reads an answer within bounds, and says what its status means for the effect.

use super::content::is_json;
use super::later::retry_after_ms;
use super::unpack::{UnpackError, Unpacker};
use crate::secrets::Vault;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, TRANSFER_ENCODING};
use reqwest::{Response, StatusCode};
use serde::de::IgnoredAny;
use std::time::Duration;

/// How much of an error's body is read for its words.
const WORDS_BYTES: u64 = 16 * 1024;
/// How long it is waited for.
const WORDS_WAIT: Duration = Duration::from_secs(2);

/// The whole body of a successful answer. One that was cut short is none.
pub(super) async fn body(
    mut response: Response,
    tool: &ToolId,
    most: u64,
) -> Result<Vec<u8>, Fault> {
    let broke = |why: String| Fault::ToolBroke {
        tool: tool.clone(),
        message: format!("the answer broke off: {why}"),
        retry_after_ms: None,
    };
    let bad = |bad: UnpackError| match bad {
        UnpackError::TooLarge => Fault::OutputTooLarge { tool: tool.clone(), limit: most },
        UnpackError::Broken(detail) => {
            let errors = vec![FieldError { pointer: String::new(), detail }];
            Fault::OutputInvalid { tool: tool.clone(), errors }
        }
    };
    let mut kept = Unpacker::new(coding(response.headers()), most).map_err(bad)?;
    let endless = response.content_length().is_none()
        && !response.headers().contains_key(TRANSFER_ENCODING)
        && says_json(response.headers());
    while let Some(chunk) = response.chunk().await.map_err(|error| broke(causes(&error)))? {
        kept.feed(&chunk).map_err(bad)?;
    }
    let kept = kept.end().map_err(bad)?;
    // Nothing but the end of the connection told the end of the body: only its text can say more.
    let is_cut = |text| serde_json::from_slice::<IgnoredAny>(text).is_err_and(|e| e.is_eof());
    if endless && is_cut(&kept) {
        return Err(broke("its JSON has no end".to_owned()));
    }
    Ok(kept)
}

/// The beginning of an error's body without any secret. Its status has said what matters; these are only
/// words.
pub(super) async fn words(mut response: Response, vault: &Vault) -> String {
    let Ok(mut kept) = Unpacker::new(coding(response.headers()), WORDS_BYTES) else {
        return String::new();
    };
    let reading = async {
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if kept.feed(&chunk).is_ok() => {}
                Ok(None) => return true,
                Ok(Some(_)) | Err(_) => return false,
            }
        }
    };
    // What has come by then will do.
    let is_whole = tokio::time::timeout(WORDS_WAIT, reading).await.unwrap_or(false);
    let bytes = kept.so_far();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    // Half a secret at the end would not be found.
    vault.settle(&mut text, is_whole).trim().to_owned()
}

/// What a status that is no success says.
pub(super) fn fault(tool: &ToolId, status: StatusCode, headers: &HeaderMap, words: &str) -> Fault {
    let (tool, message) = (tool.clone(), format!("{status}: {words}"));
    match status.as_u16() {
        // It answered that it did nothing, and that it may later.
        408 | 425 | 429 => {
            let retry_after_ms = retry_after_ms(headers);
            Fault::ToolFailed { tool, message, retryable: true, retry_after_ms }
        }
        // It broke down on the way, perhaps after acting.
        500..=599 => Fault::ToolBroke { tool, message, retry_after_ms: retry_after_ms(headers) },
        _ => Fault::ToolFailed { tool, message, retryable: false, retry_after_ms: None },
    }
}

/// The causes of an error without its own words, which hold the address.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    if words.is_empty() { "the request failed".to_owned() } else { words.join(": ") }
}

fn coding(headers: &HeaderMap) -> Option<&str> {
    let coding = headers.get(CONTENT_ENCODING)?.to_str().unwrap_or("unknown").trim();
    (!coding.is_empty() && !coding.eq_ignore_ascii_case("identity")).then_some(coding)
}

fn says_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    is_json(kind)
}
