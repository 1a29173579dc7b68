//! Reads an answer within bounds, and says what its status means for the effect.

use super::later::retry_after_ms;
use praxis_core::fault::{Fault, FieldError};
use praxis_core::ids::ToolId;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, TRANSFER_ENCODING};
use reqwest::{Response, StatusCode};
use serde::de::IgnoredAny;
use std::time::Duration;

/// How much of an error's body is read for its words.
const WORDS_BYTES: usize = 16 * 1024;
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
    if let Some(coding) = coding(response.headers()) {
        let detail = format!("it is compressed ({coding}), which was not asked for");
        let errors = vec![FieldError { pointer: String::new(), detail }];
        return Err(Fault::OutputInvalid { tool: tool.clone(), errors });
    }
    let endless = response.content_length().is_none()
        && !response.headers().contains_key(TRANSFER_ENCODING)
        && says_json(response.headers());
    let mut kept = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| broke(causes(&error)))? {
        if (kept.len() + chunk.len()) as u64 > most {
            return Err(Fault::OutputTooLarge { tool: tool.clone(), limit: most });
        }
        kept.extend_from_slice(&chunk);
    }
    // Nothing but the end of the connection told the end of the body: only its text can say more.
    let is_cut = |text| serde_json::from_slice::<IgnoredAny>(text).is_err_and(|e| e.is_eof());
    if endless && is_cut(&kept) {
        return Err(broke("its JSON has no end".to_owned()));
    }
    Ok(kept)
}

/// The beginning of an error's body. Its status has said what matters; these are only words.
pub(super) async fn words(mut response: Response) -> String {
    let mut kept = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            kept.extend_from_slice(&chunk);
            if kept.len() >= WORDS_BYTES {
                kept.truncate(WORDS_BYTES);
                break;
            }
        }
    };
    // What has come by then will do.
    let _ = tokio::time::timeout(WORDS_WAIT, reading).await;
    String::from_utf8_lossy(&kept).trim().to_owned()
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
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}
