//! Progress messages to the user, written by a model while the task goes on.
//!
//! - in: the log lines since the last message
//! - out: one short message, or none
//! - never: makes the task wait, ends it, or asks a person because of a message

use crate::ask::purpose::Purpose;
use crate::ask::request::ModelRequest;
use crate::goal::spec::ProgressMessages;
use crate::inputs::Inputs;
use crate::journal::event::Event;
use crate::prompt::schema;
use crate::stage::compose::{StageTexts, request};
use crate::stage::goal_log_text::told;
use crate::stage::reading::{ReadAnswer, text};
use crate::state::goal_state::GoalState;
use crate::state::{Phase, State};

/// The largest number of characters of a message.
const MOST_CHARS: usize = 120;

/// Returns true if a message is due.
pub fn is_due(state: &State, goal_state: &GoalState) -> bool {
    let wanted =
        state.goal_spec().is_some_and(|spec| spec.manner.messages == ProgressMessages::Model);
    // A new plan is reported once it is complete, and the end of the task by its answer.
    let amid = match state.phase {
        Phase::Executing => state.agenda.unfinished > 0,
        Phase::Reflecting => true,
        Phase::Empty
        | Phase::Planning
        | Phase::Evaluating
        | Phase::Stopping(_)
        | Phase::Finished(_) => false,
    };
    let news = amid && goal_state.log.lines.len() > goal_state.log.told;
    wanted && news && !goal_state.is_asking(&Purpose::Tell) && state.can_ask(&Purpose::Tell)
}

/// Returns the request for a message.
pub fn ask(state: &State, inputs: &Inputs<'_>) -> Option<ModelRequest> {
    let (library, goal_state) = (inputs.library?, state.goal.as_deref()?);
    let news = goal_state.log.lines.get(goal_state.log.told..).unwrap_or_default();
    let (done, all) = state.progress();
    let facts = format!("{}\n({done}/{all})", told(news, library));
    let holes = [("phase", phase(state)), ("mode", "user"), ("facts", &*facts)];
    let wanted = schema("message_formatter")?;
    let stage = StageTexts {
        purpose: &Purpose::Tell,
        part: "message_formatter",
        holes: &holes,
        schema: wanted,
    };
    request(state, library, inputs.tokens, &stage)
}

/// Returns the phase of a task, in the words of its events.
pub fn phase(state: &State) -> &'static str {
    match state.phase {
        Phase::Empty | Phase::Planning => "任务规划",
        Phase::Executing => "工具执行",
        Phase::Evaluating => "评估",
        Phase::Reflecting => "反思",
        Phase::Stopping(_) | Phase::Finished(_) => "进度分析",
    }
}

/// Reads the message and cuts it if it is too long.
pub fn read(found: &ReadAnswer) -> Event {
    let said = text(&found.value, "message");
    let said = said.trim();
    let cut = || said.chars().take(MOST_CHARS - 1).chain(['…']).collect();
    let long = said.chars().count() > MOST_CHARS;
    Event::MessageTold { text: if long { cut() } else { said.to_owned() } }
}

/// Returns an empty message, so that the task goes on.
pub fn none() -> Event {
    Event::MessageTold { text: String::new() }
}
