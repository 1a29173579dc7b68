//! The form in the terminal: one value after the other, each in the type that its schema wants.
//!
//! - in: a question about values, and what is typed
//! - out: the values, or that the step is left out, guessed at, or asked about later
//! - never: takes a value that does not fit

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

/// Words that are no values, unless they stand in quotes.
const LATER: [&str; 2] = ["later", "稍后"];
const SKIP: [&str; 2] = ["skip", "跳过"];
const GUESS: [&str; 2] = ["guess", "猜测"];

/// What was typed for a field.
#[derive(Debug, PartialEq)]
enum Typed {
    Value(Value),
    Later,
    Skip,
    Guess,
}

/// What can be said of the step instead of a value.
#[derive(Clone, Copy, Debug, Default)]
struct FormCommands {
    /// That it is left out.
    skip: bool,
    /// That a model may guess.
    guess: bool,
    /// There is a model that could.
    has_model: bool,
}

impl FormCommands {
    fn of(state: &State, question: &Question) -> Self {
        let (skip, guess) =
            (question.takes(&QuestionAnswer::Skip), question.takes(&QuestionAnswer::Guess));
        Self { skip, guess, has_model: state.mind().is_some() }
    }

    /// The words that there are, in one line.
    fn told(self, context: &CliContext) -> Option<String> {
        let en = "`skip` leaves the step out";
        let zh = "输入 `跳过`（skip）省略该步骤";
        let guessed = context.say(", `guess` lets a model guess", "，`猜测`（guess）由模型猜测");
        let guessed = Some(guessed).filter(|_| self.guess && self.has_model).unwrap_or_default();
        let quoted = context
            .say("; as a text it stands in quotes: \"skip\"", "；作为文本时请加引号：\"skip\"");
        self.skip.then(|| format!("{}{guessed}{quoted}", context.say(en, zh)))
    }
}

/// One field: its name, its schema, and what can be said instead of a value.
struct FormField<'a> {
    key: &'a str,
    schema: &'a Value,
    words: FormCommands,
}

/// A value for each name that is missing; none for later.
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

/// One value that no step waits for; none for later.
pub(super) async fn value(context: &CliContext, key: &str, schema: &Value) -> Option<Value> {
    match (FormField { key, schema, words: FormCommands::default() }).ask(context).await {
        Typed::Value(value) => Some(value),
        Typed::Later | Typed::Skip | Typed::Guess => None,
    }
}

impl FormField<'_> {
    /// Asks until something fits.
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
                Err(UnfitInput::Fields(errors)) => tell_unfit(&errors),
                Err(UnfitInput::NoModel) => {
                    note!(
                        "  {}",
                        context.say("there is no model that could guess", "没有可以猜测的模型")
                    );
                }
                Err(UnfitInput::Unreadable(failure)) => {
                    failure.report(false, context.lang);
                }
            }
        }
    }

    /// What can be typed besides a value.
    fn hint(&self, context: &CliContext) -> String {
        let default = self.default().map(shown);
        let enter = default.map_or_else(
            || context.say("enter: later", "回车：稍后"),
            |it| {
                context.say(
                    format!("enter: {it}, later: `later`"),
                    format!("回车：{it}，`稍后`（later）：稍后"),
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

    /// What a text means.
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

    /// The schema's default, if it can stand there.
    fn default(&self) -> Option<&Value> {
        let default = self.schema.get("default")?;
        errors(self.key, self.schema, default).is_empty().then_some(default)
    }

    fn choices(&self) -> &[Value] {
        self.schema.get("enum").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The values that a number chooses; none if a number may be meant as a value.
    fn numbered(&self) -> &[Value] {
        let is_number = |choice: &Value| {
            choice.is_number()
                || choice.as_str().is_some_and(|text| text.trim().parse::<f64>().is_ok())
        };
        Some(self.choices()).filter(|all| !all.iter().any(is_number)).unwrap_or_default()
    }
}

/// Why what was typed is no value.
#[derive(Debug)]
enum UnfitInput {
    /// It does not fit, place by place.
    Fields(Vec<FieldError>),
    /// Nobody is there who could guess.
    NoModel,
    /// It cannot be read.
    Unreadable(CommandFailure),
}

/// What is wrong with a value for a field.
fn errors(key: &str, schema: &Value, value: &Value) -> Vec<FieldError> {
    let found = Schema::with_formats(schema).map(|schema| schema.errors(value)).unwrap_or_default();
    let place = pointer(key);
    let at = |error: FieldError| FieldError {
        pointer: format!("{place}{}", error.pointer),
        detail: error.detail,
    };
    found.into_iter().map(at).collect()
}

/// What a text means for a field: as JSON if that fits, else as what its schema wants. What means nothing
/// of the kind stays as it was read, and is refused by whoever looks at it.
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
