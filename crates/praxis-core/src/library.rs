//! The texts, workflows and tools that a goal is pinned to, read from their blobs.

use crate::call::tool::Tool;
use crate::call::tool::Toolbox;
use crate::goal::spec::GoalSpec;
use crate::ids::{BlobId, ToolId};
use crate::planner::{Planner, ToolSearch};
use crate::prompt::Pack;
use crate::prompt::signature::{brief, signature};
use crate::route::scene::{Scene, Topic};
use crate::route::workflow::Workflow;
use std::sync::{Arc, OnceLock};

/// The material of prompts, pinned by the `GoalSpec`.
#[derive(Clone, Debug)]
pub struct Library {
    /// The prompt texts.
    pub pack: Pack,
    /// The scene, with its guidance.
    pub scene: Scene,
    /// The standard workflows.
    pub workflows: Vec<Workflow>,
    /// The user's own synonyms, one group per line.
    pub synonyms: String,
    /// All tools that may be selected.
    pub catalog: Arc<Toolbox>,
    /// The search index of `catalog`.
    pub lookup: Lookup,
}

/// The lazily built index of a catalog, shared by all clones of the library.
#[derive(Clone, Debug, Default)]
pub struct Lookup(Arc<OnceLock<Arc<dyn ToolSearch>>>);

impl Library {
    /// Returns the index of the catalog and builds it on first use.
    pub fn search(&self, planner: &dyn Planner) -> &dyn ToolSearch {
        &**self.lookup.0.get_or_init(|| planner.index(&self.catalog, &self.synonyms))
    }

    /// Returns true once the index was built.
    pub fn is_indexed(&self) -> bool {
        self.lookup.0.get().is_some()
    }

    /// Reads a library from the blobs of a `GoalSpec`; `None` if a blob cannot be read.
    pub fn read(
        spec: &GoalSpec,
        mut read: impl FnMut(&BlobId) -> Option<serde_json::Value>,
    ) -> Option<Self> {
        Some(Self {
            pack: serde_json::from_value(read(&spec.pack)?).ok()?,
            scene: serde_json::from_value(read(&spec.scene)?).ok()?,
            workflows: serde_json::from_value(read(&spec.workflows)?).ok()?,
            synonyms: match &spec.synonyms {
                Some(own) => serde_json::from_value(read(own)?).ok()?,
                None => String::new(),
            },
            catalog: Arc::new(serde_json::from_value(read(&spec.catalog)?).ok()?),
            lookup: Lookup::default(),
        })
    }

    /// Returns the scene's guidance on a topic, wrapped for the prompt.
    pub fn guidance(&self, topic: Topic) -> String {
        self.pack.guidance(self.scene.guidance(topic, self.pack.lang()))
    }

    /// Returns a tool of the catalog.
    pub fn tool(&self, id: &ToolId) -> Option<&Tool> {
        self.catalog.get(id).map(AsRef::as_ref)
    }

    /// Returns the tools with these ids, skipping those that are not in the catalog.
    pub fn chosen<'a>(&'a self, tools: &'a [ToolId]) -> impl Iterator<Item = &'a Tool> {
        tools.iter().filter_map(|id| self.tool(id))
    }

    /// Returns the tools with this tag, ignoring case.
    pub fn tools_of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = ToolId> + 'a {
        let is_of = move |tool: &&Arc<Tool>| {
            tool.all_tags().any(|tag| tag.to_lowercase() == kind.to_lowercase())
        };
        self.catalog.values().filter(is_of).map(|tool| tool.id.clone())
    }

    /// Returns a tool as models read it, in the language of the task.
    pub fn signature(&self, tool: &Tool) -> String {
        signature(tool, self.pack.lang())
    }

    /// Returns a tool in one line for a selection, in the language of the task.
    pub fn brief(&self, tool: &Tool) -> String {
        brief(tool, self.pack.lang())
    }

    /// Returns a workflow by id.
    pub fn workflow(&self, id: &str) -> Option<&Workflow> {
        self.workflows.iter().find(|workflow| workflow.id == id)
    }

    /// Lists the workflows, one line each, for the selection prompt.
    pub fn workflow_lines(&self) -> String {
        let lang = self.pack.lang();
        self.workflows.iter().map(|workflow| workflow.listed(lang)).collect::<Vec<_>>().join("\n")
    }

    /// Returns the tools of a workflow that are in the catalog.
    pub fn tools_of_workflow<'a>(&'a self, id: &str) -> impl Iterator<Item = ToolId> + 'a {
        let workflow = self.workflow(id);
        let steps = workflow.into_iter().flat_map(|w| w.steps.iter().map(|step| &step.tool_id));
        let listed = workflow.into_iter().flat_map(|workflow| &workflow.tool_list);
        steps.chain(listed).filter(|tool| self.catalog.contains_key(*tool)).cloned()
    }
}
