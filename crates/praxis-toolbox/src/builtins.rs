//! The tools in the binary, and what they may touch.

use super::catalog;
use super::seam::Web;
use praxis_core::call::tool::{Tool, Transport};
use praxis_engine::seams::{Call, Connect};
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

impl Connect for Builtins {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Call>, String> {
        let Transport::Builtin(name) = &tool.transport else {
            return Err("not a built-in tool".to_owned());
        };
        catalog::connect(name, self).ok_or_else(|| format!("there is no built-in `{name}`"))
    }
}
