//! The events of the seed documents as one table: name, source events in the journal, payload.
//!
//! - in: nothing; the table is data
//! - out: the row of a name, the payload that a row defines, the table as the guide shows it
//! - never: knows the source of a value; that is the stream's job

use crate::journal::event::Event;
use serde_json::{Map, Value};

/// The envelope of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeKind {
    /// The envelope of a task: `phase`, `message`, `data`.
    Task,
    /// The envelope of a step executor: `id`, `conversationId`, `taskId`, `flow`, `content`, `metadata`. Only flows
    /// use it.
    Step,
}

/// The payload of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedPayload {
    /// These fields; a name that ends in `?` is optional.
    Fields(&'static [&'static str]),
    /// A whole value, with its description.
    Whole(&'static str),
    /// The event does not exist, for this reason.
    Nothing(&'static str),
}

/// An event of the seed documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedEventRow {
    /// Its name in the seed documents.
    pub name: &'static str,
    /// Its envelope.
    pub form: EnvelopeKind,
    /// True if users see it too, not only developers.
    pub for_users: bool,
    /// The kinds of journal events that it is derived from.
    pub of: &'static [&'static str],
    /// Its payload.
    pub carries: SeedPayload,
}

/// The source of events that come from no journal entry: streamed text.
pub const SAID: &str = "(streamed text)";
/// The name of the row whose events are named after the type of their step.
pub const STEP_TYPE: &str = "step.type";

const fn task(
    name: &'static str,
    of: &'static [&'static str],
    fields: &'static [&'static str],
) -> SeedEventRow {
    SeedEventRow {
        name,
        form: EnvelopeKind::Task,
        for_users: false,
        of,
        carries: SeedPayload::Fields(fields),
    }
}

const fn user(
    name: &'static str,
    of: &'static [&'static str],
    fields: &'static [&'static str],
) -> SeedEventRow {
    SeedEventRow {
        name,
        form: EnvelopeKind::Task,
        for_users: true,
        of,
        carries: SeedPayload::Fields(fields),
    }
}

const fn step(
    name: &'static str,
    of: &'static [&'static str],
    fields: &'static [&'static str],
) -> SeedEventRow {
    SeedEventRow {
        name,
        form: EnvelopeKind::Step,
        for_users: false,
        of,
        carries: SeedPayload::Fields(fields),
    }
}

const fn whole(
    name: &'static str,
    of: &'static [&'static str],
    what: &'static str,
) -> SeedEventRow {
    SeedEventRow {
        name,
        form: EnvelopeKind::Step,
        for_users: false,
        of,
        carries: SeedPayload::Whole(what),
    }
}

const fn absent(name: &'static str, why: &'static str) -> SeedEventRow {
    SeedEventRow {
        name,
        form: EnvelopeKind::Step,
        for_users: false,
        of: &[],
        carries: SeedPayload::Nothing(why),
    }
}

/// Kinds of journal events that can end a step.
const ENDS: &[&str] = &[
    "step_finished",
    "step_refused",
    "step_inherited",
    "check_finished",
    "question_answered",
    "task_finished",
];
/// Kinds of journal events after which a flow can start to wait for a person.
const TURNS: &[&str] = &[
    "question_asked",
    "question_answered",
    "step_finished",
    "step_refused",
    "step_inherited",
    "check_finished",
    "woken",
];

/// All events: first those of tasks, then those of step executors.
pub const TABLE: &[SeedEventRow] = &[
    user(
        "STATUS_UPDATE",
        &[
            "ask_finished",
            "step_finished",
            "step_refused",
            "step_inherited",
            "check_finished",
            "slots_filled",
            "question_asked",
            "question_answered",
            "message_told",
        ],
        &["status", "step_id?", "question_id?"],
    ),
    user(
        "TASK_WAIT",
        &["ask_started", "step_started", "check_started", "pass_started"],
        &["stage?", "step_id?", "pass?"],
    ),
    task("PLAN_GENERATED", &["plan_closed"], &["revision", "steps"]),
    task("STEP_STARTED", &["step_started"], &["step_id"]),
    task("STEP_COMPLETED", &["step_finished"], &["step_id", "output"]),
    task("STEP_FAILED", &["step_finished", "step_refused"], &["step_id", "error?", "lost?"]),
    task("EVALUATION_COMPLETED", &["task_judged"], &["evaluation"]),
    task(
        "REFLECTION_COMPLETED",
        &["step_reflected", "task_reflected"],
        &["reflection", "step_id?"],
    ),
    task("LLM_STREAM_CHUNK", &["ask_started", SAID, "ask_finished"], &["chunk_type"]),
    user("TASK_RESULT", &["task_finished"], &["answer", "result_of"]),
    task("CONTEXT_ENGINEERING", &["task_finished"], &["formatted_text"]),
    user("TASK_COMPLETED", &["task_finished"], &["status"]),
    user("TASK_FAILED", &["task_finished"], &["status"]),
    task("TASK_EXPERIENCE", &["task_learnt"], &["experience"]),
    step("executor.start", &["task_submitted", "task_reopened"], &["goal"]),
    step("flow.start", TURNS_AND_STARTS, &["goal", "resumed"]),
    step("step.init", &["steps_planned", "steps_added", "pass_started"], &["call"]),
    step("loop.progress", &["pass_started"], &["pass", "variables"]),
    step(
        "step.waiting_for_start",
        &["question_asked"],
        &["question_id", "message", "risk", "params"],
    ),
    step("step.waiting_for_param", &["question_asked"], &["question_id", "message", "params"]),
    whole(
        "STEP_INPUT",
        &["step_started", "slots_filled", "question_asked"],
        "the arguments as sent; for filled parameters (`flow.stepType` is `SLOT`) `data`: the parameters as written",
    ),
    step(
        "TEXT_ADD",
        &[SAID, "step_finished", "check_finished", "question_answered"],
        &["text", "again?"],
    ),
    whole(
        STEP_TYPE,
        &["step_finished", "check_finished", "question_answered"],
        "the data of a step that speaks to the user; the event is named after its `flow.stepType`",
    ),
    step(
        "loop.completed",
        &["step_finished"],
        &["iteration_count", "stop_reason", "failed_count?"],
    ),
    step(
        "step.error",
        &["step_finished", "step_refused", "question_answered"],
        &["err_msg", "code", "next", "data", "retry_at?"],
    ),
    whole(
        "STEP_OUTPUT",
        &[
            "step_finished",
            "step_refused",
            "step_inherited",
            "check_finished",
            "question_answered",
            "slots_filled",
            "question_asked",
        ],
        "the output; `{}` after a failure; for filled parameters (`flow.stepType` is `SLOT`) `slot_data`, `filled_fields`, `filled` if values were found, and `remaining_schema` if a person is asked",
    ),
    step("step.cancel", &["step_finished", "task_finished"], &["reason"]),
    step("step.end", ENDS, &["inputData", "outputData", "extraData"]),
    step("flow.stop", TURNS, &["waits_for", "questions"]),
    step("flow.success", &["task_finished"], &["result"]),
    step("flow.failed", &["task_finished"], &["err_msg", "code", "next"]),
    step("flow.cancel", &["task_finished"], &["reason"]),
    step("executor.stop", &["task_finished"], &["status"]),
    step("done", &["task_finished"], &[]),
    absent("executor.success", "the flow is the only executor; use `flow.success`"),
    absent("executor.failed", "for the same reason; use `flow.failed`"),
    absent("executor.cancel", "for the same reason; use `flow.cancel`"),
    absent(
        "heartbeat",
        "events come from the journal, so a reader misses none, and a pause needs no sign of life",
    ),
    absent("graph", "no node type draws charts; `praxis flow show --svg` draws the flow"),
    absent(
        "document.add",
        "no node type delivers documents; a large value is a blob that `STEP_OUTPUT` refers to",
    ),
];

/// Kinds of journal events that start or resume a flow.
const TURNS_AND_STARTS: &[&str] = &[
    "task_submitted",
    "task_reopened",
    "question_answered",
    "woken",
    "step_finished",
    "check_finished",
];

impl SeedEventRow {
    /// Restricts a payload to the fields of the row; a required field that is missing becomes `null`.
    pub fn payload(&self, mut found: Value) -> Value {
        let SeedPayload::Fields(fields) = self.carries else { return found };
        let mut stated = Map::new();
        for field in fields {
            let name = field.trim_end_matches('?');
            let value = found.get_mut(name).map(Value::take);
            if let Some(value) = value.or_else(|| (name == *field).then_some(Value::Null)) {
                stated.insert(name.to_owned(), value);
            }
        }
        Value::Object(stated)
    }

    /// Renders the row as a Markdown table line of the guide.
    fn line(&self) -> String {
        let ticked = |words: &&str| {
            if words.starts_with('(') { (*words).to_owned() } else { format!("`{words}`") }
        };
        let of: Vec<String> = self.of.iter().map(ticked).collect();
        let of = if of.is_empty() { "–".to_owned() } else { of.join(", ") };
        let carries = match self.carries {
            SeedPayload::Fields([]) => "nothing".to_owned(),
            SeedPayload::Fields(fields) => fields.iter().map(ticked).collect::<Vec<_>>().join(", "),
            SeedPayload::Whole(words) => words.to_owned(),
            SeedPayload::Nothing(why) => format!("no such event: {why}"),
        };
        let users = if self.for_users { "✔" } else { "" };
        match self.form {
            EnvelopeKind::Task => format!("| `{}` | {users} | {of} | {carries} |\n", self.name),
            EnvelopeKind::Step => format!("| `{}` | {of} | {carries} |\n", self.name),
        }
    }
}

/// Returns the row of a name.
pub fn row(name: &str) -> Option<&'static SeedEventRow> {
    TABLE.iter().find(|row| row.name == name)
}

/// Renders the rows of an envelope as the Markdown table of the guide.
pub fn table(form: EnvelopeKind) -> String {
    let head = match form {
        EnvelopeKind::Task => "| event | users | derived from | `data` |\n|---|---|---|---|\n",
        EnvelopeKind::Step => "| event | derived from | `content` |\n|---|---|---|\n",
    };
    let rows = TABLE.iter().filter(|row| row.form == form).map(SeedEventRow::line);
    std::iter::once(head.to_owned()).chain(rows).collect()
}

/// Returns the kind of a journal event; an empty string if no event of the seed documents is derived from it.
#[expect(clippy::wildcard_enum_match_arm, reason = "only what the table names")]
pub fn kind(event: &Event) -> &'static str {
    match event {
        Event::TaskSubmitted(_) => "task_submitted",
        Event::TaskReopened { .. } => "task_reopened",
        Event::TaskFinished { .. } => "task_finished",
        Event::TaskJudged(_) => "task_judged",
        Event::TaskReflected(_) => "task_reflected",
        Event::TaskLearnt(_) => "task_learnt",
        Event::Woken { .. } => "woken",
        Event::AskStarted { .. } => "ask_started",
        Event::AskFinished { .. } => "ask_finished",
        Event::StepsPlanned { .. } => "steps_planned",
        Event::StepsAdded { .. } => "steps_added",
        Event::PlanClosed { .. } => "plan_closed",
        Event::StepStarted { .. } => "step_started",
        Event::StepFinished { .. } => "step_finished",
        Event::StepInherited { .. } => "step_inherited",
        Event::StepRefused { .. } => "step_refused",
        Event::StepReflected { .. } => "step_reflected",
        Event::SlotsFilled { .. } => "slots_filled",
        Event::PassStarted { .. } => "pass_started",
        Event::CheckStarted { .. } => "check_started",
        Event::CheckFinished { .. } => "check_finished",
        Event::QuestionAsked { .. } => "question_asked",
        Event::QuestionAnswered { .. } => "question_answered",
        Event::MessageTold { .. } => "message_told",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn a_name_stands_once_and_what_is_not_told_says_why() {
        let names: BTreeSet<&str> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for row in TABLE {
            let why = matches!(row.carries, SeedPayload::Nothing(why) if !why.is_empty());
            assert_eq!(row.of.is_empty(), why, "{}", row.name);
        }
        let for_users = TABLE.iter().filter(|row| row.for_users).map(|row| row.name);
        let five = ["STATUS_UPDATE", "TASK_WAIT", "TASK_RESULT", "TASK_COMPLETED", "TASK_FAILED"];
        assert_eq!(for_users.collect::<Vec<_>>(), five);
    }

    #[test]
    fn a_payload_has_what_its_row_states_and_nothing_else() {
        let row = row("STATUS_UPDATE").unwrap();
        let found = json!({"status": "executing", "step_id": "a", "secret": 1});
        assert_eq!(row.payload(found), json!({"status": "executing", "step_id": "a"}));
        assert_eq!(row.payload(json!({})), json!({"status": null}));
    }
}
