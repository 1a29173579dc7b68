//! Terminal form that asks for missing values one by one and types each by its schema.
//!
//! - in: a `Question` about parameter values, and typed lines
//! - out: the `QuestionAnswer` (values, skip or guess), or `None` to answer later
//! - never: accepts a value that fails its schema

use super::answer::{filled, pointer};
use super::ask_person::{tell_unfit, typed_line};
use super::inbox::keys;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::inputs;
use crate::view::value_words::{shown, wanted};
use praxis_core::field_error::FieldError;
use praxis_core::journal::question::{Question, QuestionAnswer};
use praxis_core::schema::Schema;
use praxis_core::slot::coerce::coerced;
use praxis_core::state::State;
use serde_json::Value;
use std::collections::BTreeMap;

/// Inputs that are commands, not values. In quotes, or as a choice of the schema's `enum`, they are values.
const LATER: [&str; 2] = ["later", "稍后"];
const SKIP: [&str; 2] = ["skip", "跳过"];
const GUESS: [&str; 2] = ["guess", "猜测"];

/// Meaning of a typed line.
#[derive(Debug, PartialEq)]
enum Typed {
    Value(Value),
    Later,
    Skip,
    Guess,
}

/// Commands that the question accepts instead of a value.
#[derive(Clone, Copy, Debug, Default)]
struct FormCommands {
    /// True if the step may be skipped.
    skip: bool,
    /// True if a model may guess the values.
    guess: bool,
    /// True if the task has a model that can guess.
    has_model: bool,
}

impl FormCommands {
    fn of(state: &State, question: &Question) -> Self {
        let (skip, guess) =
            (question.takes(&QuestionAnswer::Skip), question.takes(&QuestionAnswer::Guess));
        Self { skip, guess, has_model: state.step_model().is_some() }
    }

    /// Returns the hint line that explains the commands; `None` if the step cannot be skipped.
    fn told(self, context: &CliContext) -> Option<String> {
        let en = "type `skip` to skip the step";
        let zh = "输入 `跳过`（skip）可跳过该步骤";
        let guessed =
            context.say(", `guess` to let the model guess", "，输入 `猜测`（guess）由模型猜测");
        let guessed = Some(guessed).filter(|_| self.guess && self.has_model).unwrap_or_default();
        let quoted = context.say(
            "; to enter such a word as a value, quote it: \"skip\"",
            "；如要将这些词作为值输入，请加引号：\"skip\"",
        );
        self.skip.then(|| format!("{}{guessed}{quoted}", context.say(en, zh)))
    }
}

/// One form field: its name, its schema and the commands that it accepts.
struct FormField<'a> {
    key: &'a str,
    schema: &'a Value,
    words: FormCommands,
}

/// Asks for every missing value. Returns `None` if the user wants to answer later.
pub(super) async fn values(
    context: &CliContext,
    state: &State,
    question: &Question,
    fields: &BTreeMap<String, Value>,
) -> Result<Option<QuestionAnswer>, CommandFailure> {
    let words = FormCommands::of(state, question);
    if let Some(told) = words.told(context) {
        note!("  {told}");
    }
    let mut values = BTreeMap::new();
    for (key, schema) in keys(state, question, fields) {
        let field = FormField { key: &key, schema: &schema, words };
        match field.ask(context).await {
            Typed::Value(value) => values.insert(pointer(&key), value),
            Typed::Later => return Ok(None),
            Typed::Skip => return Ok(Some(QuestionAnswer::Skip)),
            Typed::Guess => return Ok(Some(QuestionAnswer::Guess)),
        };
    }
    let values = filled(context, state, question, values)?;
    Ok(Some(QuestionAnswer::Values { values }))
}

/// Asks for one value outside of a step's question, without `skip` and `guess`. Returns `None` for later.
pub(super) async fn value(context: &CliContext, key: &str, schema: &Value) -> Option<Value> {
    match (FormField { key, schema, words: FormCommands::default() }).ask(context).await {
        Typed::Value(value) => Some(value),
        Typed::Later | Typed::Skip | Typed::Guess => None,
    }
}

impl FormField<'_> {
    /// Asks until the input is accepted.
    async fn ask(&self, context: &CliContext) -> Typed {
        let prompt = format!(
            "{} · {} ({})",
            self.key,
            wanted(self.schema, context.lang),
            self.hint(context)
        );
        loop {
            let Some(text) = typed_line(&prompt).await else { return Typed::Later };
            match self.read(&text) {
                Ok(typed) => return typed,
                Err(UnfitInput::Fields(errors)) => tell_unfit(&errors, context.lang),
                Err(UnfitInput::NoModel) => {
                    note!(
                        "  {}",
                        context.say(
                            "cannot guess: the task has no model; type a value",
                            "无法猜测：该任务没有模型，请输入值"
                        )
                    );
                }
                Err(UnfitInput::Unreadable(failure)) => {
                    failure.report(false, context.lang);
                }
            }
        }
    }

    /// Describes the inputs besides a value: Enter, `later`, and the numbers of the choices.
    fn hint(&self, context: &CliContext) -> String {
        let default = self.default().map(shown);
        let enter = default.map_or_else(
            || context.say("press Enter to answer later", "按回车稍后回答"),
            |it| {
                context.say(
                    format!("press Enter for {it}, or type `later`"),
                    format!("按回车使用 {it}，或输入 `稍后`（later）"),
                )
            },
        );
        match self.numbered().len() {
            0 => enter,
            most => {
                context.say(format!("or 1-{most}; {enter}"), format!("或序号 1-{most}；{enter}"))
            }
        }
    }

    /// Interprets a typed line.
    fn read(&self, text: &str) -> Result<Typed, UnfitInput> {
        let is =
            |words: &[&str]| words.contains(&text) && !self.choices().contains(&Value::from(text));
        if text.is_empty() {
            return Ok(self.default().cloned().map_or(Typed::Later, Typed::Value));
        }
        if is(&LATER) {
            return Ok(Typed::Later);
        }
        if self.words.skip && is(&SKIP) {
            return Ok(Typed::Skip);
        }
        if self.words.guess && is(&GUESS) {
            return if self.words.has_model { Ok(Typed::Guess) } else { Err(UnfitInput::NoModel) };
        }
        let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(chosen) = number.and_then(|at| self.numbered().get(at)) {
            return Ok(Typed::Value(chosen.clone()));
        }
        let value = meant(self.key, self.schema, text).map_err(UnfitInput::Unreadable)?;
        let errors = errors(self.key, self.schema, &value);
        if errors.is_empty() { Ok(Typed::Value(value)) } else { Err(UnfitInput::Fields(errors)) }
    }

    /// Returns the schema's default if it is valid for the schema.
    fn default(&self) -> Option<&Value> {
        let default = self.schema.get("default")?;
        errors(self.key, self.schema, default).is_empty().then_some(default)
    }

    fn choices(&self) -> &[Value] {
        self.schema.get("enum").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns the choices that can be picked by number; empty if a typed number could be one of the values.
    fn numbered(&self) -> &[Value] {
        let is_number = |choice: &Value| {
            choice.is_number()
                || choice.as_str().is_some_and(|text| text.trim().parse::<f64>().is_ok())
        };
        Some(self.choices()).filter(|all| !all.iter().any(is_number)).unwrap_or_default()
    }
}

/// The reason why an input was rejected.
#[derive(Debug)]
enum UnfitInput {
    /// The value fails its schema.
    Fields(Vec<FieldError>),
    /// `guess` was typed, but the task has no model.
    NoModel,
    /// The text cannot be parsed.
    Unreadable(CommandFailure),
}

/// Validates a value against the schema of its field.
fn errors(key: &str, schema: &Value, value: &Value) -> Vec<FieldError> {
    let found = Schema::with_formats(schema).map(|schema| schema.errors(value)).unwrap_or_default();
    let place = pointer(key);
    found.into_iter().map(|error| error.below(&place)).collect()
}

/// Converts a typed text to a value: JSON if that fits the schema, otherwise text coerced to the schema's type. A
/// text that fits neither way stays as parsed; the validation that follows rejects it.
pub(super) fn meant(key: &str, schema: &Value, text: &str) -> Result<Value, CommandFailure> {
    let read = inputs::param(key, text);
    if read.as_ref().is_ok_and(|value| errors(key, schema, value).is_empty()) {
        return read;
    }
    coerced(schema, text).map_or(read, Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(schema: &Value, text: &str) -> Option<Typed> {
        FormField {
            key: "x",
            schema,
            words: FormCommands { skip: true, guess: true, has_model: true },
        }
        .read(text)
        .ok()
    }

    #[test]
    fn what_is_typed_becomes_the_type_that_is_wanted() {
        let date = json!({"type": "string", "format": "date"});
        for (schema, text, value) in [
            (json!({"type": "boolean"}), "yes", json!(true)),
            (json!({"type": "boolean"}), "否", json!(false)),
            (json!({"type": "integer"}), "3", json!(3)),
            (json!({"type": "string"}), "3", json!("3")),
            (json!({"type": "string"}), "\"skip\"", json!("skip")),
            (date.clone(), "2027/1/31", json!("2027-01-31")),
            (json!({"type": "array", "items": {"type": "integer"}}), "1, 2", json!([1, 2])),
            (json!({"type": "integer", "default": 5}), "", json!(5)),
            (json!({"enum": ["low", "high"]}), "2", json!("high")),
            (json!({"enum": ["2", "1"]}), "2", json!("2")),
            (json!({"enum": ["run", "skip"]}), "skip", json!("skip")),
        ] {
            assert_eq!(read(&schema, text), Some(Typed::Value(value)), "{schema} {text}");
        }
        for (schema, text) in [
            (date, "tomorrow"),
            (json!({"type": "integer"}), "many"),
            (json!({"enum": ["low", "high"]}), "3"),
            (json!({"enum": ["low", "high"]}), "0"),
        ] {
            assert_eq!(read(&schema, text), None, "{schema} {text}");
        }
    }

    #[test]
    fn words_are_no_values_and_a_default_that_does_not_fit_is_none() {
        let text = json!({"type": "string"});
        for (typed, meant) in [
            ("skip", Typed::Skip),
            ("跳过", Typed::Skip),
            ("guess", Typed::Guess),
            ("猜测", Typed::Guess),
            ("later", Typed::Later),
            ("稍后", Typed::Later),
            ("", Typed::Later),
        ] {
            assert_eq!(read(&text, typed), Some(meant), "{typed}");
        }
        assert_eq!(read(&json!({"type": "integer", "default": "x"}), ""), Some(Typed::Later));
        let alone = FormField { key: "x", schema: &text, words: FormCommands::default() };
        assert_eq!(alone.read("skip").ok(), Some(Typed::Value(json!("skip"))));
        let words = FormCommands { skip: true, guess: true, has_model: false };
        let modest = FormField { words, ..alone };
        assert!(matches!(modest.read("guess"), Err(UnfitInput::NoModel)));
    }
}
