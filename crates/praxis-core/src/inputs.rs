//! Everything that decisions need besides the state: pinned texts, tool schemas, blobs.

use crate::ask::tokens::TokenCounter;
use crate::dataflow::resolve::LoadedBlobs;
use crate::field_error::FieldError;
use crate::ids::ToolId;
use crate::lang::Lang;
use crate::library::Library;
use crate::planner::{Cancelled, Planner, ToolSearch};
use serde_json::Value;

/// Everything that the start of an effect needs besides the state.
pub struct Inputs<'a> {
    /// The blobs that [`needs`](crate::decide::begin::needs) listed.
    pub blobs: &'a LoadedBlobs,
    /// The schemas of the pinned tools.
    pub tools: &'a dyn Schemas,
    /// The pinned texts of a goal.
    pub library: Option<&'a Library>,
    /// The token counter.
    pub tokens: &'a dyn TokenCounter,
    /// The planner that works without a model.
    pub planner: &'a dyn Planner,
    /// The cancellation flag for work that may take long.
    pub cancelled: &'a Cancelled,
}

impl<'a> Inputs<'a> {
    /// Returns the search index over the tools of the catalog.
    pub fn search(&self) -> Option<&'a dyn ToolSearch> {
        Some(self.library?.search(self.planner))
    }

    /// Returns the language of the task's texts.
    pub fn lang(&self) -> Lang {
        self.library.map_or(Lang::En, |library| library.pack.lang())
    }
}

/// The schemas of the pinned tools.
pub trait Schemas: Sync {
    /// Returns the schema of a tool's arguments.
    fn input_schema(&self, tool: &ToolId) -> Option<&Value>;
    /// Validates arguments against the schema of a tool.
    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError>;
    /// Returns the signature of a tool as a model reads it, in a language.
    fn signature(&self, tool: &ToolId, lang: Lang) -> Option<String>;
    /// Returns true if a model that writes arguments for the tool is first told what the tool works on, such as a
    /// database.
    fn has_more_to_tell(&self, tool: &ToolId) -> bool;
}
