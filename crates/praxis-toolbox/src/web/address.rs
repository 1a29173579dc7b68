//! The URL in the argument `url`.

use crate::error::BuiltinError;
use url::Url;

/// Parses a URL and removes its fragment, which is not sent to servers.
pub(super) fn address(written: &str) -> Result<Url, BuiltinError> {
    let mut url = Url::parse(written.trim()).map_err(|error| {
        BuiltinError::argument("/url", format!("the address is wrong: {error}"))
    })?;
    url.set_fragment(None);
    Ok(url)
}
