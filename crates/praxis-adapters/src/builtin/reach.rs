//! What the tools in the binary may touch.

use crate::http::{Guard, Hosts};
use crate::secrets::Vault;
use praxis_fence::Folders;
use std::path::Path;
use std::sync::Arc;

/// What the tools in the binary may touch.
#[derive(Clone, Copy)]
pub struct Reach<'a> {
    /// Where they keep files of their own. It is made when it is needed.
    pub home: &'a Path,
    /// The folders of the caller.
    pub folders: &'a Folders,
    /// Which hosts they may ask over HTTP.
    pub hosts: &'a Hosts,
    /// At which addresses hosts may be.
    pub guard: &'a Arc<Guard>,
    /// The secrets that no answer may show.
    pub vault: &'a Arc<Vault>,
}
