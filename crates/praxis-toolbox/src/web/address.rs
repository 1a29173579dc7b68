//! The address that an argument names.

use crate::trouble::ToolTrouble;
use url::Url;

/// Reads an address. Its fragment is for readers of pages, not for servers.
pub(super) fn address(written: &str) -> Result<Url, ToolTrouble> {
    let mut url = Url::parse(written.trim())
        .map_err(|error| ToolTrouble::argument("/url", format!("the address is wrong: {error}")))?;
    url.set_fragment(None);
    Ok(url)
}
