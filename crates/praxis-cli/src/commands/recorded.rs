//! Recorded tasks decided anew: with what was answered then, without any call.

use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::models::counters;
use crate::view::text::{counted, short};
use praxis_core::call::tool::Tool;
use praxis_core::field_error::FieldError;
use praxis_core::ids::{BlobId, ToolId};
use praxis_core::inputs::Schemas;
use praxis_core::journal::event::Entry;
use praxis_core::lang::Lang;
use praxis_core::library::Library;
use praxis_core::prompt::signature::signature;
use praxis_core::replay::{Divergence, ReplayError, ReplayInputs, ReplaySummary, replay};
use praxis_core::schema::Schema;
use praxis_core::state::State;
use praxis_planner::LexicalPlanner;
use serde_json::Value;
use std::collections::BTreeMap;

/// Decides every decision of a record anew. Who counted its tokens is not written down: whoever gives the same
/// course did, and else the one that gets furthest is told.
pub(crate) fn decided_anew(
    entries: &[Entry],
    read: impl Fn(&BlobId) -> Option<Value>,
) -> Result<ReplaySummary, ReplayError> {
    let state = State::replay(entries)?;
    let schemas = PinnedSchemas::read(&state, &read);
    let library = state.brief().and_then(|brief| Library::read(brief, &read));
    let mut furthest: Option<Box<Divergence>> = None;
    for tokens in counters() {
        let (library, planner) = (library.as_ref(), &LexicalPlanner);
        let ground = ReplayInputs { schemas: &schemas, library, tokens: &*tokens, planner };
        match replay(entries, &ground, &read) {
            Err(ReplayError::Diverged(found)) => {
                let is_further = furthest.as_ref().is_none_or(|best| best.seq < found.seq);
                furthest = if is_further { Some(found) } else { furthest };
            }
            other => return other,
        }
        // Only the course of a goal counts tokens.
        if library.is_none() {
            break;
        }
    }
    furthest.map_or_else(|| Ok(ReplaySummary::default()), |found| Err(ReplayError::Diverged(found)))
}

/// What went the same way.
pub(crate) fn told_same(context: &CliContext, same: ReplaySummary) -> String {
    let ReplaySummary { decisions, answers } = same;
    let en = format!("{} from {}", counted(decisions, "decision"), counted(answers, "answer"));
    context.say(en, format!("{answers} 个回答，{decisions} 个决定"))
}

/// The failure of a replay.
pub(crate) fn failure(error: &ReplayError) -> CommandFailure {
    match error {
        ReplayError::Diverged(divergence) => {
            let seq = divergence.seq;
            let (en, zh) = (Lang::En, Lang::Zh);
            let words = (
                format!("event {seq} is decided otherwise{}", difference(divergence, en)),
                format!("事件 {seq} 的决定与记录不同{}", difference(divergence, zh)),
            );
            CommandFailure::new(Exit::Diverged, "replay_diverged", words)
        }
        ReplayError::Illegal(_) | ReplayError::Blob(_) => {
            let zh = match error {
                ReplayError::Blob(blob) => format!("无法重放：无法读取所需的大值 {blob}"),
                other => format!("无法重放：{other}"),
            };
            let words = (error.to_string(), zh);
            CommandFailure::new(Exit::TaskFailed, "replay_impossible", words)
        }
    }
}

/// What was recorded, and what is decided now.
pub(crate) fn difference(divergence: &Divergence, lang: Lang) -> String {
    let (recorded, now) = (short(&divergence.recorded, 200), short(&divergence.now, 200));
    match lang {
        Lang::En => format!("\n  recorded {recorded}\n  now      {now}"),
        Lang::Zh => format!("\n  记录为  {recorded}\n  现在为  {now}"),
    }
}

/// The schemas of the tools that a task was pinned to, from their blobs. One that cannot be read refuses nothing.
struct PinnedSchemas(BTreeMap<ToolId, (Tool, Schema)>);

impl PinnedSchemas {
    fn read(state: &State, read: &impl Fn(&BlobId) -> Option<Value>) -> Self {
        let pinned = state.contracts.values().filter_map(|contract| {
            let tool: Tool = serde_json::from_value(read(&contract.version)?).ok()?;
            let schema = Schema::compile(&tool.input_schema).ok()?;
            Some((contract.tool.clone(), (tool, schema)))
        });
        Self(pinned.collect())
    }
}

impl Schemas for PinnedSchemas {
    fn input_schema(&self, tool: &ToolId) -> Option<&Value> {
        self.0.get(tool).map(|(tool, _)| &tool.input_schema)
    }

    fn input_errors(&self, tool: &ToolId, arguments: &Value) -> Vec<FieldError> {
        self.0.get(tool).map_or(vec![], |(_, schema)| schema.errors(arguments))
    }

    fn signature(&self, tool: &ToolId) -> Option<String> {
        self.0.get(tool).map(|(tool, _)| signature(tool))
    }

    fn has_more_to_tell(&self, tool: &ToolId) -> bool {
        self.0.get(tool).is_some_and(|(tool, _)| tool.transport.takes_sql())
    }
}
