//! Reads a response within limits, and maps its status to what is known of the effect.

use super::content::is_json;
use super::later::retry_after_ms;
use super::unpack::{UnpackError, Unpacker};
use crate::secrets::Vault;
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::ids::ToolId;
use praxis_core::lang::Bilingual;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, TRANSFER_ENCODING};
use reqwest::{Response, StatusCode};
use serde::de::IgnoredAny;
use std::time::Duration;

/// The maximum number of bytes of an error's body that are read.
const WORDS_BYTES: u64 = 16 * 1024;
/// The maximum time to wait for an error's body.
const WORDS_WAIT: Duration = Duration::from_secs(2);

/// Reads the whole body of a successful response. A truncated body is an error.
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
            let errors = vec![FieldError::untranslated("", detail)];
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
    // Without a length, the body ends where the connection ends, so only its JSON can show that it was truncated.
    let is_cut = |text| serde_json::from_slice::<IgnoredAny>(text).is_err_and(|e| e.is_eof());
    if endless && is_cut(&kept) {
        return Err(broke("its JSON has no end".to_owned()));
    }
    Ok(kept)
}

/// Reads the beginning of an error's body, with secrets hidden. Failures are ignored: the status has said what
/// matters.
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
    // On a timeout, the text received so far is enough.
    let is_whole = tokio::time::timeout(WORDS_WAIT, reading).await.unwrap_or(false);
    let bytes = kept.so_far();
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    // Half a secret at the end would not be recognized.
    vault.take_safe_prefix(&mut text, is_whole).trim().to_owned()
}

/// Maps an error status to a `Fault`.
pub(super) fn fault(tool: &ToolId, status: StatusCode, headers: &HeaderMap, words: &str) -> Fault {
    let (tool, message) = (tool.clone(), format!("{status}: {words}"));
    match status.as_u16() {
        // The server did nothing, and may accept the request later.
        408 | 425 | 429 => {
            let retry_after_ms = retry_after_ms(headers);
            Fault::ToolFailed {
                tool,
                message,
                message_zh: String::new(),
                retryable: true,
                retry_after_ms,
            }
        }
        // The server failed, perhaps after acting.
        500..=599 => Fault::ToolBroke { tool, message, retry_after_ms: retry_after_ms(headers) },
        _ => Fault::tool_failed(tool, Bilingual::untranslated(message), false),
    }
}

/// Returns the causes of an error without its own message, which contains the URL.
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
