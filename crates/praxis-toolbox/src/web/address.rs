//! The URL in the argument `url`.

use crate::error::BuiltinError;
use url::Url;

/// Parses a URL and removes its fragment, which is not sent to servers.
pub(super) fn address(written: &str) -> Result<Url, BuiltinError> {
    let mut url = Url::parse(written.trim()).map_err(|error| {
        let why = (format!("invalid URL: {error}"), format!("无效的 URL：{error}"));
        BuiltinError::argument("/url", why)
    })?;
    url.set_fragment(None);
    Ok(url)
}
