//! Makes tool manifests callable: programs, HTTP, SQL, and the built-in tools that are passed in.

use crate::command::{CommandCall, Keeper};
use crate::http::{Guard, GuardedWeb, Hosts, HttpCall};
use crate::secrets::{HidingCall, Vault};
use crate::sql::SqlCall;
use praxis_core::call::http::HttpTransport;
use praxis_core::call::tool::{Tool, Transport};
use praxis_engine::seams::{Callable, ConnectTools};
use praxis_fence::FolderGrants;
use std::sync::Arc;

/// The transports of this binary.
pub struct Transports {
    /// The built-in tools.
    pub builtin: Arc<dyn ConnectTools>,
    /// The folders whose files may be sent over HTTP.
    pub folders: FolderGrants,
    /// The settings for running programs.
    pub keeper: Keeper,
    /// The values behind `secret:NAME`.
    pub vault: Arc<Vault>,
    /// The rules for the addresses that hosts may have.
    pub guard: Arc<Guard>,
}

impl Transports {
    fn http(&self, tool: &Tool, http: &HttpTransport) -> Result<HttpCall, String> {
        let (guard, vault) = (Arc::clone(&self.guard), Arc::clone(&self.vault));
        // A manifest that takes the host from an argument thereby grants any host.
        let web = GuardedWeb { hosts: Hosts::any(), guard, vault };
        HttpCall::new(tool, http, &web, &self.folders)
    }
}

impl ConnectTools for Transports {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        let vault = Arc::clone(&self.vault);
        let call: Arc<dyn Callable> = match &tool.transport {
            Transport::Own(_) => return Err("Praxis makes this call itself".to_owned()),
            Transport::Builtin(_) => self.builtin.connect(tool)?,
            Transport::Command(command) => {
                Arc::new(CommandCall::new(tool, command, self.keeper.clone(), vault))
            }
            Transport::Http(http) => Arc::new(self.http(tool, http)?),
            Transport::Sql(sql) => Arc::new(SqlCall::new(tool, sql, vault)?),
        };
        Ok(Arc::new(HidingCall { call, vault: Arc::clone(&self.vault) }))
    }
}
