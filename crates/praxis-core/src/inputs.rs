//! Everything that decisions need besides the state: pinned texts, schemas of tools, blobs.

use crate::ask::tokens::TokenCounter;
use crate::dataflow::resolve::LoadedBlobs;
use crate::field_error::FieldError;
use crate::ids::ToolId;
use crate::lang::Lang;
use crate::library::Library;
use crate::planner::{Cancelled, Planner, ToolSearch};
use serde_json::Value;

/// What a start needs besides the state.
pub struct Inputs<'a> {
    /// The blobs that [`needs`] named.
    pub blobs: &'a LoadedBlobs,
    /// The tools as they are pinned.
    pub tools: &'a dyn Schemas,
    /// The pinned texts of a goal.
    pub library: Option<&'a Library>,
    /// Who counts tokens.
    pub tokens: &'a dyn TokenCounter,
    /// Who plans without a model.
    pub planner: &'a dyn Planner,
    /// The wish to stop, for work that may take long.
    pub cancelled: &'a Cancelled,
}

impl<'a> Inputs<'a> {
    /// The tools of the catalog, found by words.
    pub fn search(&self) -> Option<&'a dyn ToolSearch> {
        Some(self.library?.search(self.planner))
    }

    /// The language of the task's texts.
    pub fn lang(&self) -> Lang {
        self.library.map_or(Lang::En, |library| library.pack.lang())
    }
}

/// The schemas of the pinned tools.
pub trait Schemas: Sync {
    /// The schema of a tool's arguments.
    fn input_schema(&self, tool: &ToolId) -> Option<&Value>;
    /// What is wrong with arguments for a tool.
    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError>;
    /// A tool as a model reads it.
    fn signature(&self, tool: &ToolId) -> Option<String>;
    /// Whether a model that writes for a tool is told first what it works on.
    fn has_more_to_tell(&self, tool: &ToolId) -> bool;
}
