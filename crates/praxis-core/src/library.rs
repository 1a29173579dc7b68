//! The pinned texts of a goal, brought back from their blobs.

use crate::call::tool::Tool;
use crate::call::tool::Toolbox;
use crate::goal::spec::GoalSpec;
use crate::ids::{BlobId, ToolId};
use crate::planner::{Planner, ToolSearch};
use crate::prompt::Pack;
use crate::route::scene::{Scene, Topic};
use crate::route::workflow::Workflow;
use std::sync::{Arc, OnceLock};

/// What prompts are made of.
#[derive(Clone, Debug)]
pub struct Library {
    /// The texts.
    pub pack: Pack,
    /// The scene, with its guidance.
    pub scene: Scene,
    /// The standard workflows.
    pub workflows: Vec<Workflow>,
    /// Synonyms of one's own, one group a line.
    pub synonyms: String,
    /// All tools that may be chosen.
    pub catalog: Arc<Toolbox>,
    /// What is looked up in that catalog, and in no other.
    pub lookup: Lookup,
}

/// The index of a catalog: made when it is first asked for, and shared by all who have the catalog.
#[derive(Clone, Debug, Default)]
pub struct Lookup(Arc<OnceLock<Arc<dyn ToolSearch>>>);

impl Library {
    /// The index of the catalog.
    pub fn search(&self, planner: &dyn Planner) -> &dyn ToolSearch {
        &**self.lookup.0.get_or_init(|| planner.index(&self.catalog, &self.synonyms))
    }

    /// True once the index was made.
    pub fn is_indexed(&self) -> bool {
        self.lookup.0.get().is_some()
    }

    /// Brings a library back from the blobs of a brief; none if one cannot be read.
    pub fn read(
        brief: &GoalSpec,
        mut read: impl FnMut(&BlobId) -> Option<serde_json::Value>,
    ) -> Option<Self> {
        Some(Self {
            pack: serde_json::from_value(read(&brief.pack)?).ok()?,
            scene: serde_json::from_value(read(&brief.scene)?).ok()?,
            workflows: serde_json::from_value(read(&brief.workflows)?).ok()?,
            synonyms: match &brief.synonyms {
                Some(own) => serde_json::from_value(read(own)?).ok()?,
                None => String::new(),
            },
            catalog: Arc::new(serde_json::from_value(read(&brief.catalog)?).ok()?),
            lookup: Lookup::default(),
        })
    }

    /// The scene's guidance, wrapped for the prompt.
    pub fn guidance(&self, topic: Topic) -> String {
        self.pack.guidance(self.scene.guidance(topic, self.pack.lang()))
    }

    /// A tool of the catalog.
    pub fn tool(&self, id: &ToolId) -> Option<&Tool> {
        self.catalog.get(id).map(AsRef::as_ref)
    }

    /// The tools that were chosen.
    pub fn chosen<'a>(&'a self, tools: &'a [ToolId]) -> impl Iterator<Item = &'a Tool> {
        tools.iter().filter_map(|id| self.tool(id))
    }

    /// The tools of a kind that a caller named.
    pub fn tools_of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = ToolId> + 'a {
        let is_of = move |tool: &&Arc<Tool>| {
            tool.tags.iter().any(|tag| tag.to_lowercase() == kind.to_lowercase())
        };
        self.catalog.values().filter(is_of).map(|tool| tool.id.clone())
    }

    /// A workflow by id.
    pub fn workflow(&self, id: &str) -> Option<&Workflow> {
        self.workflows.iter().find(|workflow| workflow.id == id)
    }

    /// One line for each workflow, for choosing.
    pub fn workflow_lines(&self) -> String {
        let lang = self.pack.lang();
        self.workflows.iter().map(|workflow| workflow.listed(lang)).collect::<Vec<_>>().join("\n")
    }

    /// The tools of a workflow that are in the catalog.
    pub fn tools_of_workflow<'a>(&'a self, id: &str) -> impl Iterator<Item = ToolId> + 'a {
        let workflow = self.workflow(id);
        let steps = workflow.into_iter().flat_map(|w| w.steps.iter().map(|step| &step.tool_id));
        let listed = workflow.into_iter().flat_map(|workflow| &workflow.tool_list);
        steps.chain(listed).filter(|tool| self.catalog.contains_key(*tool)).cloned()
    }
}
