//! The tools of a task: pinned manifests, made callable, with compiled schemas.

use crate::seams::{Blobs, Callable, ConnectTools, Invocation, OutputStream, whole};
use praxis_core::call::own_tools::calls;
use praxis_core::call::tool::Toolbox;
use praxis_core::call::tool::{Contract, Tool, Transport};
use praxis_core::fault::Fault;
use praxis_core::field_error::FieldError;
use praxis_core::hash::content_hash;
use praxis_core::ids::{BlobId, ToolId};
use praxis_core::inputs::Schemas;
use praxis_core::lang::Lang;
use praxis_core::prompt::signature::signature;
use praxis_core::schema::Schema;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A tool that is ready to be called.
pub struct ReadyTool {
    /// The manifest.
    pub tool: Arc<Tool>,
    /// The part of the manifest that decisions depend on.
    pub contract: Contract,
    /// The implementation.
    pub call: Arc<dyn Callable>,
    input: Schema,
    output: Option<Schema>,
}

impl ReadyTool {
    /// Validates arguments against the input schema.
    pub fn input_errors(&self, arguments: &Value) -> Vec<FieldError> {
        self.input.errors(arguments)
    }

    /// Validates an output against the output schema, if there is one.
    pub fn output_errors(&self, output: &Value) -> Vec<FieldError> {
        self.output.as_ref().map_or(vec![], |schema| schema.errors(output))
    }
}

/// The tools of one task, as they were when they were pinned.
#[derive(Clone, Default)]
pub struct PinnedTools(BTreeMap<ToolId, Arc<ReadyTool>>);

impl PinnedTools {
    /// Returns a tool by id.
    pub fn get(&self, tool: &ToolId) -> Option<&Arc<ReadyTool>> {
        self.0.get(tool)
    }

    /// Adds more tools.
    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Returns the contracts of the tools, for the journal.
    pub fn contracts(&self) -> Vec<Contract> {
        self.0.values().map(|ready| ready.contract.clone()).collect()
    }
}

impl Schemas for PinnedTools {
    fn input_schema(&self, tool: &ToolId) -> Option<&Value> {
        self.get(tool).map(|ready| &ready.tool.input_schema)
    }

    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError> {
        self.get(tool).map_or(vec![], |ready| ready.input_errors(arguments))
    }

    fn signature(&self, tool: &ToolId, lang: Lang) -> Option<String> {
        self.get(tool).map(|ready| signature(&ready.tool, lang))
    }

    fn has_more_to_tell(&self, tool: &ToolId) -> bool {
        self.get(tool).is_some_and(|ready| ready.tool.transport.takes_sql())
    }
}

/// The reason for which a tool cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The request contains no manifest of this tool.
    #[error("unknown tool `{0}`")]
    Unknown(ToolId),
    /// The tool that a manifest names in `check_with` is unknown.
    #[error("`check_with` of tool `{tool}` names the unknown tool `{check}`")]
    UnknownCheck {
        /// The tool.
        tool: ToolId,
        /// The value of its `check_with`.
        check: ToolId,
    },
    /// The manifest cannot be used here.
    #[error("tool `{tool}` cannot be used: {why}")]
    Unusable {
        /// The tool.
        tool: ToolId,
        /// The reason.
        why: String,
    },
}

/// The implementation of tools that core executes itself; it is never called.
struct NoTool;

impl Callable for NoTool {
    fn exec(&self, invocation: Invocation) -> OutputStream<'_> {
        let tool = ToolId::from(invocation.step.as_str());
        whole(async move { Err(Fault::Interrupted { tool }.into()) })
    }
}

/// The implementation of a tool that was callable when its task was submitted, and no longer is.
struct GoneTool {
    tool: ToolId,
    why: String,
}

impl Callable for GoneTool {
    fn exec(&self, _: Invocation) -> OutputStream<'_> {
        let Self { tool, why } = self;
        let words = (
            format!("tool `{tool}` can no longer be used: {why}"),
            format!("工具 `{tool}` 已无法使用：{why}"),
        );
        let fault = Fault::refused(tool.clone(), words);
        whole(async move { Err(fault.into()) })
    }
}

/// Prepares tools, once for each version of a manifest.
pub struct ReadyTools {
    connect: Arc<dyn ConnectTools>,
    blobs: Arc<dyn Blobs>,
    ready: Mutex<BTreeMap<BlobId, Arc<ReadyTool>>>,
}

impl ReadyTools {
    /// Creates a cache of tools that `connect` makes callable and whose manifests are stored in `blobs`.
    pub fn new(connect: Arc<dyn ConnectTools>, blobs: Arc<dyn Blobs>) -> Self {
        Self { connect, blobs, ready: Mutex::default() }
    }

    /// Pins tools by id, with the tools that they name in `check_with`. Stores their manifests.
    pub async fn pin(
        &self,
        toolbox: &Toolbox,
        wanted: &[&ToolId],
    ) -> Result<PinnedTools, ToolError> {
        let mut pinned = PinnedTools::default();
        let mut to_pin: Vec<ToolId> = wanted.iter().map(|tool| (*tool).clone()).collect();
        while let Some(id) = to_pin.pop() {
            if pinned.get(&id).is_some() {
                continue;
            }
            let tool = calls().get(&id).or_else(|| toolbox.get(&id));
            let tool = tool.ok_or_else(|| ToolError::Unknown(id.clone()))?;
            let ready = self.store(tool).await?;
            let unknown = |check: &&ToolId| !toolbox.contains_key(*check);
            if let Some(check) = tool.check_with.as_ref().filter(unknown) {
                return Err(ToolError::UnknownCheck { tool: id, check: check.clone() });
            }
            to_pin.extend(tool.check_with.clone());
            pinned.0.insert(id, ready);
        }
        Ok(pinned)
    }

    /// Checks that every tool of a catalog can be called here. Stores nothing.
    pub fn usable(&self, toolbox: &Toolbox) -> Result<(), ToolError> {
        for tool in toolbox.values() {
            let unusable = |why: String| ToolError::Unusable { tool: tool.id.clone(), why };
            self.connect.connect(tool).map_err(unusable)?;
            let unknown = |check: &&ToolId| !toolbox.contains_key(*check);
            if let Some(check) = tool.check_with.as_ref().filter(unknown) {
                let (tool, check) = (tool.id.clone(), check.clone());
                return Err(ToolError::UnknownCheck { tool, check });
            }
        }
        Ok(())
    }

    async fn store(&self, tool: &Arc<Tool>) -> Result<Arc<ReadyTool>, ToolError> {
        let unusable = |why: String| ToolError::Unusable { tool: tool.id.clone(), why };
        let text =
            serde_json::to_string(tool.as_ref()).map_err(|error| unusable(error.to_string()))?;
        let version = BlobId::from(content_hash(text.as_bytes()));
        if let Some(ready) = self.known(&version) {
            return Ok(ready);
        }
        self.blobs
            .put(Arc::new(text.into_bytes()))
            .await
            .map_err(|error| unusable(error.to_string()))?;
        self.make_ready(Arc::clone(tool), version)
    }

    /// Loads the tools that a task is pinned to.
    pub async fn load_pinned<'a>(
        &self,
        contracts: impl Iterator<Item = &'a Contract>,
    ) -> Result<PinnedTools, ToolError> {
        let mut pinned = PinnedTools::default();
        for contract in contracts {
            let ready = match self.known(&contract.version) {
                Some(ready) => ready,
                None => self.load(contract).await?,
            };
            pinned.0.insert(contract.tool.clone(), ready);
        }
        Ok(pinned)
    }

    async fn load(&self, contract: &Contract) -> Result<Arc<ReadyTool>, ToolError> {
        let unusable = |why: String| ToolError::Unusable { tool: contract.tool.clone(), why };
        let text = self.blobs.get(&contract.version).await.map_err(|e| unusable(e.to_string()))?;
        let tool: Tool = serde_json::from_slice(&text).map_err(|e| unusable(e.to_string()))?;
        let (tool, version) = (Arc::new(tool), contract.version.clone());
        match self.call(&tool) {
            Ok(call) => Ok(self.remember(prepared(tool, version, call)?)),
            // The step that calls it fails, and the task can recover from that. The tool may be back later, so it is
            // not cached.
            Err(why) => {
                tracing::warn!(tool = %tool.id, why, "a tool can no longer be used");
                let gone = GoneTool { tool: tool.id.clone(), why };
                prepared(tool, version, Arc::new(gone)).map(Arc::new)
            }
        }
    }

    /// Drops erased manifests from the cache: they must be stored again before they are pinned.
    pub fn forget(&self, versions: &[BlobId]) {
        let mut known = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|version, _| !versions.contains(version));
    }

    fn known(&self, version: &BlobId) -> Option<Arc<ReadyTool>> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).get(version).cloned()
    }

    fn call(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        match tool.transport {
            Transport::Own(_) => Ok(Arc::new(NoTool)),
            Transport::Builtin(_)
            | Transport::Command(_)
            | Transport::Http(_)
            | Transport::Sql(_) => self.connect.connect(tool),
        }
    }

    fn make_ready(&self, tool: Arc<Tool>, version: BlobId) -> Result<Arc<ReadyTool>, ToolError> {
        let unusable = |why: String| ToolError::Unusable { tool: tool.id.clone(), why };
        let call = self.call(&tool).map_err(unusable)?;
        Ok(self.remember(prepared(tool, version, call)?))
    }

    fn remember(&self, ready: ReadyTool) -> Arc<ReadyTool> {
        let ready = Arc::new(ready);
        let mut known = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(ready.contract.version.clone(), Arc::clone(&ready));
        ready
    }
}

fn prepared(
    tool: Arc<Tool>,
    version: BlobId,
    call: Arc<dyn Callable>,
) -> Result<ReadyTool, ToolError> {
    let unusable = |why: String| ToolError::Unusable { tool: tool.id.clone(), why };
    let output = tool.output_schema.as_ref().map(Schema::compile).transpose();
    Ok(ReadyTool {
        contract: tool.contract(version),
        call,
        // Formats are checked here too, as they are for slots.
        input: Schema::with_formats(&tool.input_schema).map_err(unusable)?,
        output: output.map_err(unusable)?,
        tool,
    })
}
