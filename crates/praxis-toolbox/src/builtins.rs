//! The tools in the binary, and what they may touch.

use super::seam::Web;
use praxis_fence::Folders;
use std::path::PathBuf;
use std::sync::Arc;

/// The tools in the binary, and what they may touch.
pub struct Builtins {
    /// Where they keep files of their own. It is made when it is needed.
    pub home: PathBuf,
    /// The folders of the caller.
    pub folders: Folders,
    /// How they ask over HTTP.
    pub web: Arc<dyn Web>,
}
