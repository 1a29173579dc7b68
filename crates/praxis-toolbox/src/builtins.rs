//! The built-in tools and their access.

use super::seam::WebClient;
use praxis_fence::FolderGrants;
use std::path::PathBuf;
use std::sync::Arc;

/// The built-in tools, and the folders and network that they may use.
pub struct Builtins {
    /// The folder for their own files. It is created when needed.
    pub home: PathBuf,
    /// The folders of the caller that they may use.
    pub folders: FolderGrants,
    /// The HTTP client that they use.
    pub web: Arc<dyn WebClient>,
}
