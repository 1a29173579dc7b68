//! The sandbox of a goal: a folder of its own with the case's files, and the built-in tools, which reach nothing
//! else.
//!
//! - a tool that is down fails every call, and the planner is not told beforehand
//! - every tool call is recorded

use super::case::OfflineCase;
use praxis_adapters::http::{Guard, GuardedWeb, Hosts};
use praxis_adapters::secrets::{Secrets, Vault};
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::{Callable, ConnectTools, Invocation, OutputStream, whole};
use praxis_fence::FolderGrants;
use praxis_toolbox::Builtins;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of an HTTP response. Never reached, since no host is granted.
const MOST_ANSWER: u64 = 1024;

/// The tools of a goal, and the folder that they work in.
pub(crate) struct OfflineSandbox {
    tools: Builtins,
    down: BTreeSet<ToolId>,
    made: CalledTools,
    // The last field, so that the folder is removed after everything that may use it.
    _root: tempfile::TempDir,
}

/// The tools that were called, in order.
type CalledTools = Arc<Mutex<Vec<ToolId>>>;

impl OfflineSandbox {
    /// Builds the sandbox of a goal with its files; the store of uploads is empty.
    pub(crate) fn of(case: &OfflineCase) -> std::io::Result<Self> {
        let root = tempfile::tempdir()?;
        let (home, work) = (root.path().join("home"), root.path().join("work"));
        for folder in [&home, &work] {
            std::fs::create_dir(folder)?;
        }
        for (name, text) in &case.files {
            let file = work.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&work))?;
            std::fs::write(file, text)?;
        }
        let folders = FolderGrants {
            allowed: vec![work.clone()],
            base: Some(work),
            ..FolderGrants::default()
        };
        let web = GuardedWeb {
            hosts: Hosts::default(),
            guard: Arc::new(Guard::new(BTreeSet::new(), MOST_ANSWER)),
            vault: Arc::new(Vault::new(Arc::new(NoSecrets))),
        };
        Ok(Self {
            tools: Builtins { home, folders, web: Arc::new(web) },
            down: case.down.clone(),
            made: CalledTools::default(),
            _root: root,
        })
    }

    /// Returns the called tools, in order.
    pub(crate) fn made(&self) -> Vec<ToolId> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ConnectTools for OfflineSandbox {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        let call = self.tools.connect(tool)?;
        let (tool, is_down) = (tool.id.clone(), self.down.contains(&tool.id));
        Ok(Arc::new(Noted { call, tool, is_down, made: Arc::clone(&self.made) }))
    }
}

/// A tool that records its calls.
struct Noted {
    call: Arc<dyn Callable>,
    tool: ToolId,
    is_down: bool,
    made: CalledTools,
}

impl Callable for Noted {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).push(self.tool.clone());
        if !self.is_down {
            return self.call.exec(invocation);
        }
        let (tool, message) = (self.tool.clone(), "it is down".to_owned());
        whole(async move { Err(Fault::ToolUnavailable { tool, message }.into()) })
    }
}

struct NoSecrets;

impl Secrets for NoSecrets {
    fn value(&self, _: &str) -> Option<String> {
        None
    }
}
