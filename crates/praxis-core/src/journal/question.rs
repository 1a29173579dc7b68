//! Questions to a person: one mechanism for missing values, effects in doubt and walls.

use super::draft::ArgumentDraft;
use crate::budget::limit::LimitReached;
use crate::call::approval::PolicySource;
use crate::call::risk::Risk;
use crate::fault::Fault;
use crate::field_error::FieldError;
use crate::ids::{QuestionId, StepId, ToolId};
use crate::intake::unanswered::UnansweredAction;
use crate::lang::Lang;
use crate::payload::{LARGE_BYTES, text_is_within};
use crate::pointer::Pointer;
use crate::slot::from_text::said;
use crate::slot::patch::patch;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Something that waits for a person. It parks its step and what depends on it, nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its id.
    pub id: QuestionId,
    /// The step that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// How long it waits for an answer; none: for ever. Then it counts as given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    /// What becomes of it then.
    #[serde(default, skip_serializing_if = "UnansweredAction::is_usual")]
    pub otherwise: UnansweredAction,
    /// What is asked.
    #[serde(flatten)]
    pub about: QuestionSubject,
}

/// Who answers a question that nobody answered in its time.
pub const EXPIRY: &str = "expiry";

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum QuestionSubject {
    /// Values that no layer holds.
    Param {
        /// What was not found, where it was looked for.
        fault: Fault,
        /// The places in the parameters that need a value, and the schema of each.
        fields: BTreeMap<String, Value>,
        /// What an answer becomes part of; then a part of the fields may be answered, in words too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        form: Option<Box<AnswerForm>>,
    },
    /// Whether a call took effect.
    InDoubt {
        /// The tool.
        tool: ToolId,
        /// The idempotency key that the call carried.
        key: String,
        /// When it began.
        started_at: Timestamp,
        /// Why nobody knows.
        fault: Fault,
    },
    /// Whether a call may be made.
    Approval {
        /// The tool.
        tool: ToolId,
        /// The idempotency key that the call will carry.
        key: String,
        /// What it will be sent, as it is shown.
        arguments: Value,
        /// What it can do; none if it is no more than a question of a flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        risk: Option<Risk>,
        /// Who wants it approved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_by: Option<PolicySource>,
        /// The print of all that it will be sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        print: Option<String>,
        /// What an edit changes; none if that is too large to be shown whole.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<Box<ArgumentDraft>>,
    },
    /// Whether the task may go on past its time.
    Time {
        /// The active time it had.
        after_ms: u64,
    },
    /// Whether the task may go past another limit.
    Budget {
        /// Which, and by how much.
        #[serde(flatten)]
        hit: LimitReached,
    },
    /// Whether a plan may run.
    Plan {
        /// Which revision.
        revision: u32,
        /// Its steps that change something.
        changes: Vec<StepId>,
    },
    /// How to go on: reflection found no way.
    Help {
        /// What stands in the way.
        reason: String,
    },
}

/// What an answer becomes part of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerForm {
    /// The schema of the parameters.
    pub schema: Value,
    /// What is known of them.
    pub known: Value,
}

impl QuestionSubject {
    /// The word in the task's status.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Param { .. } => "param",
            Self::InDoubt { .. } => "in_doubt",
            Self::Approval { .. } => "approval",
            Self::Time { .. } | Self::Budget { .. } => "budget",
            Self::Plan { .. } => "plan",
            Self::Help { .. } => "user",
        }
    }
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum QuestionAnswer {
    /// Values by JSON pointer in the step's parameters. For a call that waits for approval: it may be made with these.
    Values {
        /// The values.
        values: BTreeMap<String, Value>,
    },
    /// Values in words; those that it names count.
    Said {
        /// The words.
        text: String,
    },
    /// The step is not needed: it is left out, and the flow goes on as if it were not there.
    Skip,
    /// A model may guess what nobody knows.
    Guess,
    /// The call took effect, with this output.
    Done {
        /// As if the call had returned.
        output: Value,
    },
    /// The call did not take effect: make it now, with the same key.
    NotDone,
    /// Make the call once more, as a new effect with a new key.
    DoAgain,
    /// The call may be made.
    Approve,
    /// Give this up: the step fails, or the task.
    GiveUp {
        /// Why.
        reason: String,
    },
    /// The task may take this much longer.
    MoreTime {
        /// How much.
        ms: u64,
    },
    /// The task may spend this much more.
    Raise {
        /// In the unit of the limit; millionths for money.
        by: u64,
    },
    /// End the task with what is there.
    Settle,
    /// Run this plan instead.
    Edit {
        /// The steps, as a plan document has them.
        plan: Value,
    },
    /// Words that help to plan anew.
    Advise {
        /// The words.
        text: String,
    },
}

impl Question {
    /// The question as whoever is to answer sees it: without the parameters that are known already.
    #[must_use]
    pub fn told(&self) -> Self {
        let mut told = self.clone();
        if let QuestionSubject::Param { form, .. } = &mut told.about {
            *form = None;
        }
        if let QuestionSubject::Approval { draft, print, .. } = &mut told.about {
            (*draft, *print) = (None, None);
        }
        told
    }

    /// The values that it wants, in one line; none if it is about something else, or somebody complained.
    pub fn wants(&self, lang: Lang) -> Option<String> {
        let QuestionSubject::Param { fault: Fault::ParamsInvalid { .. }, fields, form: Some(_) } =
            &self.about
        else {
            return None;
        };
        let names = fields.keys().map(|at| at.trim_start_matches('/'));
        let names: Vec<&str> = names.collect();
        Some(match lang {
            Lang::En => format!("needs {}", names.join(", ")),
            Lang::Zh => format!("需要提供 {}", names.join("、")),
        })
    }

    /// Whether this is a kind of answer that the question can have.
    pub fn takes(&self, answer: &QuestionAnswer) -> bool {
        if matches!(answer, QuestionAnswer::GiveUp { .. }) {
            return true;
        }
        match &self.about {
            QuestionSubject::Param { form: None, .. } => {
                matches!(answer, QuestionAnswer::Values { .. })
            }
            QuestionSubject::Param { form: Some(_), .. } => matches!(
                answer,
                QuestionAnswer::Values { .. }
                    | QuestionAnswer::Said { .. }
                    | QuestionAnswer::Skip
                    | QuestionAnswer::Guess
            ),
            QuestionSubject::InDoubt { .. } => {
                matches!(
                    answer,
                    QuestionAnswer::Done { .. } | QuestionAnswer::NotDone | QuestionAnswer::DoAgain
                )
            }
            QuestionSubject::Time { .. } => matches!(answer, QuestionAnswer::MoreTime { .. }),
            QuestionSubject::Approval { .. } => {
                matches!(
                    answer,
                    QuestionAnswer::Approve | QuestionAnswer::Values { .. } | QuestionAnswer::Skip
                )
            }
            QuestionSubject::Plan { .. } => {
                matches!(answer, QuestionAnswer::Approve | QuestionAnswer::Edit { .. })
            }
            QuestionSubject::Budget { .. } => {
                matches!(answer, QuestionAnswer::Raise { .. } | QuestionAnswer::Settle)
            }
            QuestionSubject::Help { .. } => {
                matches!(answer, QuestionAnswer::Advise { .. } | QuestionAnswer::Settle)
            }
        }
    }

    /// Refuses an answer that does not fit, place by place.
    pub fn check(&self, answer: &QuestionAnswer) -> Result<(), Vec<FieldError>> {
        match (&self.about, answer) {
            (
                QuestionSubject::Param { form: Some(form), fields, .. },
                QuestionAnswer::Values { values },
            ) => check_part(form, fields, values),
            (
                QuestionSubject::Param { form: Some(_), fields, .. },
                QuestionAnswer::Said { text },
            ) => {
                let understood = !understood(fields, text).is_empty();
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                let words = format!("these words give no value for {}", names.join(", "));
                if understood { Ok(()) } else { Err(vec![error("", words)]) }
            }
            (QuestionSubject::Param { fields, .. }, QuestionAnswer::Values { values }) => {
                check_values(fields, values)
            }
            (
                QuestionSubject::Approval { draft: Some(draft), .. },
                QuestionAnswer::Values { values },
            ) => draft.edited(values).map(drop),
            (QuestionSubject::Approval { risk: Some(_), .. }, QuestionAnswer::Values { .. }) => {
                let words = "these arguments cannot be changed in an answer";
                Err(vec![error("", words.to_owned())])
            }
            (QuestionSubject::Approval { arguments, .. }, QuestionAnswer::Values { values }) => {
                check_edits(arguments, values)
            }
            (QuestionSubject::InDoubt { .. }, QuestionAnswer::Done { output }) => {
                small("", output).map_err(|e| vec![e])
            }
            (QuestionSubject::Plan { .. }, QuestionAnswer::Edit { plan }) => check_plan(plan),
            (QuestionSubject::Help { .. }, QuestionAnswer::Advise { text })
                if text.trim().is_empty() =>
            {
                Err(vec![error("", "there are no words".into())])
            }
            _ if self.takes(answer) => Ok(()),
            (about, _) => Err(vec![error(
                "",
                format!("this is no answer to a question about {}", about.kind()),
            )]),
        }
    }
}

impl QuestionAnswer {
    /// The values that it gives for fields, by their places.
    pub fn values(&self, fields: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
        if let Self::Said { text } = self {
            let said = understood(fields, text).into_iter();
            said.map(|(at, value)| (at.as_str().to_owned(), value)).collect()
        } else if let Self::Values { values } = self {
            values.clone()
        } else {
            BTreeMap::new()
        }
    }
}

/// The values that words give for fields.
pub fn understood(fields: &BTreeMap<String, Value>, text: &str) -> BTreeMap<Pointer, Value> {
    let fields = fields.iter().map(|(at, schema)| (Pointer::new(at.clone()), schema.clone()));
    said(&fields.collect(), text)
}

/// An answer to some of the fields: every place must be asked, and every value fit.
fn check_part(
    form: &AnswerForm,
    fields: &BTreeMap<String, Value>,
    values: &BTreeMap<String, Value>,
) -> Result<(), Vec<FieldError>> {
    if values.is_empty() {
        return Err(vec![error("", "there is no value".into())]);
    }
    let asked = |at: &String| fields.keys().any(|field| at.starts_with(field.as_str()));
    let unasked = values.keys().filter(|at| !asked(at));
    let mut errors: Vec<FieldError> =
        unasked.map(|at| error(at, "this was not asked".into())).collect();
    errors.extend(values.iter().filter_map(|(at, value)| small(at, value).err()));
    let answers = values.iter().map(|(at, value)| (Pointer::new(at.clone()), value.clone()));
    if errors.is_empty() {
        errors.extend(
            patch(&form.schema, &form.known, &answers.collect()).err().into_iter().flatten(),
        );
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Other arguments for a call that waits for approval: those that it has, and small ones.
fn check_edits(arguments: &Value, values: &BTreeMap<String, Value>) -> Result<(), Vec<FieldError>> {
    let known = |at: &&String| Pointer::new((*at).clone()).find(arguments).is_none();
    let unknown = values.keys().filter(known);
    let mut errors: Vec<FieldError> =
        unknown.map(|at| error(at, "the call has no such argument".into())).collect();
    errors.extend(values.iter().filter_map(|(at, value)| small(at, value).err()));
    if values.is_empty() {
        errors.push(error("", "there is no value".into()));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_values(
    fields: &BTreeMap<String, Value>,
    values: &BTreeMap<String, Value>,
) -> Result<(), Vec<FieldError>> {
    let missing = fields.keys().filter(|field| !values.contains_key(*field));
    let mut errors: Vec<FieldError> =
        missing.map(|field| error(field, "it has no value".into())).collect();
    for (pointer, value) in values {
        let Some(schema) = fields.get(pointer) else {
            errors.push(error(pointer, "this was not asked".into()));
            continue;
        };
        errors.extend(small(pointer, value).err());
        if let Ok(schema) = crate::schema::Schema::with_formats(schema) {
            let found = schema.errors(value).into_iter();
            errors.extend(found.map(|e| error(&format!("{pointer}{}", e.pointer), e.detail)));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The form of a plan; whether it can run is looked at when it is taken in.
fn check_plan(plan: &Value) -> Result<(), Vec<FieldError>> {
    small("", plan).map_err(|e| vec![e])?;
    let problems = crate::intake::plan::read(plan).err().unwrap_or_default();
    let errors = problems.iter().map(|problem| error(&problem.at, problem.message.en.clone()));
    let errors: Vec<FieldError> = errors.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn small(pointer: &str, value: &Value) -> Result<(), FieldError> {
    if text_is_within(value, LARGE_BYTES) {
        return Ok(());
    }
    Err(error(pointer, format!("an answer may have at most {LARGE_BYTES} bytes")))
}

fn error(pointer: &str, detail: String) -> FieldError {
    FieldError { pointer: pointer.to_owned(), detail }
}
