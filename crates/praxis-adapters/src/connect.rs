//! Makes manifests callable: built-in code, programs, HTTP.

use crate::builtin;
use crate::command::{CommandCall, Keeper};
use crate::http::{Guard, HttpCall};
use crate::secrets::Secrets;
use praxis_core::call::tool::{Tool, Transport};
use praxis_engine::seams::{Call, Connect};
use std::path::PathBuf;
use std::sync::Arc;

/// The transports of this binary.
pub struct Transports {
    /// Where built-in tools keep their files.
    pub home: PathBuf,
    /// How programs are run.
    pub keeper: Keeper,
    /// The values behind `secret:NAME`.
    pub secrets: Arc<dyn Secrets>,
    /// Who may be reached over HTTP.
    pub guard: Arc<Guard>,
}

impl Connect for Transports {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Call>, String> {
        match &tool.transport {
            Transport::Builtin(name) => builtin::connect(name, &self.home)
                .ok_or_else(|| format!("there is no built-in `{name}`")),
            Transport::Command(command) => {
                let (keeper, secrets) = (self.keeper.clone(), Arc::clone(&self.secrets));
                Ok(Arc::new(CommandCall::new(tool, command, keeper, secrets)))
            }
            Transport::Http(http) => {
                let (guard, secrets) = (Arc::clone(&self.guard), Arc::clone(&self.secrets));
                Ok(Arc::new(HttpCall::new(tool, http, guard, secrets)?))
            }
        }
    }
}
