//! Replay of recorded tasks: decides again from the recorded answers, without any call.

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

/// Replays the decisions of a recorded task. The journal does not record which token counter was used, so all are
/// tried: the first that reproduces the record counts, otherwise the divergence that came latest is returned.
pub(crate) fn decided_anew(
    entries: &[Entry],
    read: impl Fn(&BlobId) -> Option<Value>,
) -> Result<ReplaySummary, ReplayError> {
    let state = State::replay(entries)?;
    let schemas = PinnedSchemas::read(&state, &read);
    let library = state.goal_spec().and_then(|spec| Library::read(spec, &read));
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
        // Only goals count tokens, so a task without a library needs one try.
        if library.is_none() {
            break;
        }
    }
    furthest.map_or_else(|| Ok(ReplaySummary::default()), |found| Err(ReplayError::Diverged(found)))
}

/// Summarizes a replay that did not diverge.
pub(crate) fn told_same(context: &CliContext, same: ReplaySummary) -> String {
    let ReplaySummary { decisions, answers } = same;
    let en =
        format!("{} from {}", counted(decisions, "decision"), counted(answers, "recorded answer"));
    context.say(en, format!("用 {answers} 条已记录的结果重放，{decisions} 个决策全部相同"))
}

/// Converts a replay error to a `CommandFailure`.
pub(crate) fn failure(error: &ReplayError) -> CommandFailure {
    match error {
        ReplayError::Diverged(divergence) => {
            let seq = divergence.seq;
            let (en, zh) = (Lang::En, Lang::Zh);
            let words = (
                format!("event {seq} differs from the recording{}", difference(divergence, en)),
                format!("事件 {seq} 与记录不同{}", difference(divergence, zh)),
            );
            CommandFailure::new(Exit::Diverged, "replay_diverged", words)
        }
        ReplayError::Illegal(_) | ReplayError::Blob(_) => {
            let zh = match error {
                ReplayError::Blob(blob) => format!("无法重放：无法读取所需的大对象 {blob}"),
                other => format!("无法重放：{other}"),
            };
            let words = (error.to_string(), zh);
            CommandFailure::new(Exit::TaskFailed, "replay_impossible", words)
        }
    }
}

/// Formats the recorded and the current decision of a divergence.
pub(crate) fn difference(divergence: &Divergence, lang: Lang) -> String {
    let (recorded, now) = (short(&divergence.recorded, 200), short(&divergence.now, 200));
    match lang {
        Lang::En => format!("\n  recorded {recorded}\n  now      {now}"),
        Lang::Zh => format!("\n  记录为  {recorded}\n  现在为  {now}"),
    }
}

/// Schemas of the tools pinned to a task, read from their blobs. A tool whose blob cannot be read rejects no
/// arguments.
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

    fn signature(&self, tool: &ToolId, lang: Lang) -> Option<String> {
        self.0.get(tool).map(|(tool, _)| signature(tool, lang))
    }

    fn has_more_to_tell(&self, tool: &ToolId) -> bool {
        self.0.get(tool).is_some_and(|(tool, _)| tool.transport.takes_sql())
    }
}
