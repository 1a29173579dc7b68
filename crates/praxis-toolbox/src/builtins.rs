//! The tools in the binary, and what they may touch.

use super::seam::WebClient;
use praxis_fence::FolderGrants;
use std::path::PathBuf;
use std::sync::Arc;

/// The tools in the binary, and what they may touch.
pub struct Builtins {
    /// Where they keep files of their own. It is made when it is needed.
    pub home: PathBuf,
    /// The folders of the caller.
    pub folders: FolderGrants,
    /// How they ask over HTTP.
    pub web: Arc<dyn WebClient>,
}
