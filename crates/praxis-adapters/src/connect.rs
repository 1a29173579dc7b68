//! Makes manifests callable: built-in code, programs, HTTP, SQL.

use crate::builtin::{self, Reach};
use crate::command::{CommandCall, Keeper};
use crate::http::{Guard, Hosts, HttpCall};
use crate::secrets::{Hiding, Vault};
use crate::sql::SqlCall;
use praxis_core::call::tool::{Tool, Transport};
use praxis_engine::seams::{Call, Connect};
use praxis_fence::Folders;
use std::path::PathBuf;
use std::sync::Arc;

/// The transports of this binary.
pub struct Transports {
    /// Where built-in tools keep their files.
    pub home: PathBuf,
    /// Which files of the caller built-in tools may touch.
    pub folders: Folders,
    /// How programs are run.
    pub keeper: Keeper,
    /// The values behind `secret:NAME`.
    pub vault: Arc<Vault>,
    /// Which hosts built-in tools may reach over HTTP.
    pub hosts: Hosts,
    /// At which addresses hosts may be reached.
    pub guard: Arc<Guard>,
}

impl Transports {
    fn reach(&self) -> Reach<'_> {
        let Self { home, folders, hosts, vault, guard, .. } = self;
        Reach { home, folders, hosts, guard, vault }
    }
}

impl Connect for Transports {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Call>, String> {
        let vault = Arc::clone(&self.vault);
        let call: Arc<dyn Call> = match &tool.transport {
            Transport::Own(_) => return Err("Praxis makes this call itself".to_owned()),
            Transport::Builtin(name) => builtin::connect(name, &self.reach())
                .ok_or_else(|| format!("there is no built-in `{name}`"))?,
            Transport::Command(command) => {
                Arc::new(CommandCall::new(tool, command, self.keeper.clone(), vault))
            }
            Transport::Http(http) => Arc::new(HttpCall::new(tool, http, &self.reach())?),
            Transport::Sql(sql) => Arc::new(SqlCall::new(tool, sql, vault)?),
        };
        Ok(Arc::new(Hiding { call, vault: Arc::clone(&self.vault) }))
    }
}
