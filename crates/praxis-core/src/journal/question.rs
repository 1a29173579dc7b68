//! Questions to a person: one mechanism for missing values, calls in doubt, approvals, plans and limits.

use super::draft::{ArgumentDraft, too_long};
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
use crate::schema::description::description;
use crate::slot::from_text::said;
use crate::slot::patch::patch;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A question that waits for a person. It blocks its step and the steps that depend on it, nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The id of the question.
    pub id: QuestionId,
    /// The step that waits; `None` if the whole task waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// The time to wait for an answer; `None` waits forever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    /// The action to take when nobody answers in that time.
    #[serde(default, skip_serializing_if = "UnansweredAction::is_usual")]
    pub otherwise: UnansweredAction,
    /// The subject of the question.
    #[serde(flatten)]
    pub about: QuestionSubject,
}

/// The `by` of the answer that Praxis gives itself when a question expires.
pub const EXPIRY: &str = "expiry";

/// The subject of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum QuestionSubject {
    /// Parameter values that could not be found.
    Param {
        /// The fault that names the missing values.
        fault: Fault,
        /// The JSON pointers of the parameters that need a value, each with its schema.
        fields: BTreeMap<String, Value>,
        /// The parameters that the answer completes; with it, partial answers and free text are accepted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        form: Option<Box<AnswerForm>>,
    },
    /// A call in doubt: did it take effect?
    InDoubt {
        /// The tool that was called.
        tool: ToolId,
        /// The idempotency key that the call carried.
        key: String,
        /// The start time of the call.
        started_at: Timestamp,
        /// The fault that left the effect unknown.
        fault: Fault,
    },
    /// A call that needs approval before it is made.
    Approval {
        /// The tool to call.
        tool: ToolId,
        /// The idempotency key that the call will carry.
        key: String,
        /// The arguments of the call, shortened and masked for display.
        arguments: Value,
        /// The risk of the call; `None` for an approval node of a flow, which calls no tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        risk: Option<Risk>,
        /// The source of the policy that demands the approval.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asked_by: Option<PolicySource>,
        /// The fingerprint of the tool and all its arguments. An approval holds for this fingerprint only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        print: Option<String>,
        /// The call that an edit changes; `None` if it is too large to show whole, or a retry that must send the same
        /// arguments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<Box<ArgumentDraft>>,
    },
    /// The time limit of the task: may it take longer?
    Time {
        /// The active time that the task used.
        after_ms: u64,
    },
    /// Any other limit of the task: may it spend more?
    Budget {
        /// The limit, and the amounts wanted and allowed.
        #[serde(flatten)]
        hit: LimitReached,
    },
    /// A plan that needs approval before it runs.
    Plan {
        /// The revision of the plan.
        revision: u32,
        /// The steps of the plan that change something.
        changes: Vec<StepId>,
    },
    /// A request for advice: reflection found no way to go on.
    Help {
        /// The obstacle, in words.
        reason: String,
    },
}

/// The parameters that an answer completes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerForm {
    /// The schema of the parameters.
    pub schema: Value,
    /// The values that are known already.
    pub known: Value,
}

impl QuestionSubject {
    /// Returns the name of the kind in the task's status.
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

/// The answer of a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum QuestionAnswer {
    /// Values by JSON pointer into the step's parameters. For an approval: make the call with these arguments.
    Values {
        /// The values.
        values: BTreeMap<String, Value>,
    },
    /// Values in free text; the ones that can be read from it count.
    Said {
        /// The text.
        text: String,
    },
    /// Skip the step, and go on as if the flow did not have it.
    Skip,
    /// Let a model guess the missing values.
    Guess,
    /// The call took effect and returned this output.
    Done {
        /// The output of the call.
        output: Value,
    },
    /// The call did not take effect: make it now, with the same key.
    NotDone,
    /// Make the call once more, as a new effect with a new key.
    DoAgain,
    /// Make the call, or run the plan.
    Approve,
    /// Give up: the step fails, or the task.
    GiveUp {
        /// The reason.
        reason: String,
    },
    /// Give the task more time.
    MoreTime {
        /// The additional milliseconds.
        ms: u64,
    },
    /// Raise the limit of the task.
    Raise {
        /// The amount, in the unit of the limit; millionths for money.
        by: u64,
    },
    /// End the task with the results that it has.
    Settle,
    /// Run this plan instead.
    Edit {
        /// The plan document with the steps.
        plan: Value,
    },
    /// Advice for a replan.
    Advise {
        /// The advice.
        text: String,
    },
}

impl Question {
    /// Returns the question as it is shown to a person: without known parameters, draft and fingerprint.
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

    /// Returns the wanted values with their descriptions in one line; `None` unless values are missing.
    pub fn wants(&self, lang: Lang) -> Option<String> {
        let QuestionSubject::Param { fault: Fault::ParamsInvalid { errors }, fields, form } =
            &self.about
        else {
            return None;
        };
        if form.is_none() && !errors.iter().all(|error| error.missing().is_some()) {
            return None;
        }
        let one = |(at, schema): (&String, &Value)| {
            let name = format!("`{}`", at.trim_start_matches('/'));
            match description(schema, lang).filter(|text| !text.is_empty()) {
                Some(text) if lang == Lang::Zh => format!("{name}（{text}）"),
                Some(text) => format!("{name} ({text})"),
                None => name,
            }
        };
        let all: Vec<String> = fields.iter().map(one).collect();
        Some(match lang {
            Lang::En => format!("needs {}", all.join(", ")),
            Lang::Zh => format!("需要提供 {}", all.join("、")),
        })
    }

    /// Returns true if the question accepts this kind of answer.
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

    /// Validates an answer and returns one error per wrong field.
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
                let words = (
                    format!("found no value for {} in the answer", names.join(", ")),
                    format!("回答中没有 {} 的值", names.join("、")),
                );
                if understood { Ok(()) } else { Err(vec![FieldError::new("", words)]) }
            }
            (QuestionSubject::Param { fields, .. }, QuestionAnswer::Values { values }) => {
                check_values(fields, values)
            }
            (
                QuestionSubject::Approval { draft: Some(draft), .. },
                QuestionAnswer::Values { values },
            ) => draft.edited(values).map(drop),
            (QuestionSubject::Approval { risk: Some(_), .. }, QuestionAnswer::Values { .. }) => {
                let words = ("the arguments of this call cannot be edited", "该调用的参数不能编辑");
                Err(vec![FieldError::new("", words)])
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
                Err(vec![FieldError::new("", ("the advice is empty", "建议为空"))])
            }
            _ if self.takes(answer) => Ok(()),
            (about, _) => Err(vec![other_answer(about.kind())]),
        }
    }
}

impl QuestionAnswer {
    /// Returns the values that the answer gives for the fields, by JSON pointer.
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

/// Reads the values of the fields from free text.
pub fn understood(fields: &BTreeMap<String, Value>, text: &str) -> BTreeMap<Pointer, Value> {
    let fields = fields.iter().map(|(at, schema)| (Pointer::new(at.clone()), schema.clone()));
    said(&fields.collect(), text)
}

/// Checks an answer to some of the fields: each pointer must be asked for, and the result must fit the schema.
fn check_part(
    form: &AnswerForm,
    fields: &BTreeMap<String, Value>,
    values: &BTreeMap<String, Value>,
) -> Result<(), Vec<FieldError>> {
    if values.is_empty() {
        return Err(vec![FieldError::new("", ("no value given", "未给出值"))]);
    }
    let asked = |at: &String| fields.keys().any(|field| Pointer::new(field.clone()).covers(at));
    let unasked = values.keys().filter(|at| !asked(at));
    let mut errors: Vec<FieldError> = unasked.map(|at| not_asked(at)).collect();
    errors.extend(values.iter().filter_map(|(at, value)| small(at, value).err()));
    let answers = values.iter().map(|(at, value)| (Pointer::new(at.clone()), value.clone()));
    if errors.is_empty() {
        errors.extend(
            patch(&form.schema, &form.known, &answers.collect()).err().into_iter().flatten(),
        );
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks edited arguments of a call that waits for approval: each must exist in the call and be small.
fn check_edits(arguments: &Value, values: &BTreeMap<String, Value>) -> Result<(), Vec<FieldError>> {
    let known = |at: &&String| Pointer::new((*at).clone()).find(arguments).is_none();
    let unknown = values.keys().filter(known);
    let mut errors: Vec<FieldError> = unknown
        .map(|at| FieldError::new(at, ("the call has no such argument", "该调用没有这个参数")))
        .collect();
    errors.extend(values.iter().filter_map(|(at, value)| small(at, value).err()));
    if values.is_empty() {
        errors.push(FieldError::new("", ("no value given", "未给出值")));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_values(
    fields: &BTreeMap<String, Value>,
    values: &BTreeMap<String, Value>,
) -> Result<(), Vec<FieldError>> {
    let missing = fields.keys().filter(|field| !values.contains_key(*field));
    let mut errors: Vec<FieldError> =
        missing.map(|field| FieldError::new(field, ("missing value", "缺少值"))).collect();
    for (pointer, value) in values {
        let Some(schema) = fields.get(pointer) else {
            errors.push(not_asked(pointer));
            continue;
        };
        errors.extend(small(pointer, value).err());
        if let Ok(schema) = crate::schema::Schema::with_formats(schema) {
            let found = schema.errors(value).into_iter();
            errors.extend(found.map(|e| e.below(pointer)));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks the form of a plan document. Its steps are checked when the plan is accepted.
fn check_plan(plan: &Value) -> Result<(), Vec<FieldError>> {
    small("", plan).map_err(|e| vec![e])?;
    let problems = crate::intake::plan::read(plan).err().unwrap_or_default();
    let errors =
        problems.iter().map(|problem| FieldError::new(&problem.at, problem.message.clone()));
    let errors: Vec<FieldError> = errors.collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn small(pointer: &str, value: &Value) -> Result<(), FieldError> {
    if text_is_within(value, LARGE_BYTES) {
        return Ok(());
    }
    Err(too_long(pointer))
}

fn other_answer(kind: &str) -> FieldError {
    let words = (
        format!("a question of kind `{kind}` does not accept this kind of answer"),
        format!("`{kind}` 类问题不接受这种回答"),
    );
    FieldError::new("", words)
}

fn not_asked(pointer: &str) -> FieldError {
    FieldError::new(pointer, ("this value was not asked for", "问题没有询问这个值"))
}
