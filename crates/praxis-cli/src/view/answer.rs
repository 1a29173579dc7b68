//! Answer to a goal that no model wrote: a template over the outputs of the last steps.
//!
//! - in: the outputs of the steps that end the plan, by step
//! - out: each step with one line per field; the rows of a list below their field
//! - never: adds text of its own, except names and counts

use super::text::{cut, pad, sanitize, say, width};
use praxis_core::lang::Lang;
use praxis_core::state::State;
use serde_json::{Map, Value};

/// Maximum width of a value, in columns.
const MOST_CHARS: usize = 400;
/// Maximum number of rows of a list.
const MOST_ROWS: usize = 10;
/// Maximum width of the name column.
const MOST_NAME: usize = 24;

/// Fills the template; `None` if the answer is not a map of step outputs.
pub(crate) fn template(state: &State, answer: &Value, lang: Lang) -> Option<String> {
    state.goal.as_ref()?;
    let Value::Object(steps) = answer else { return None };
    let mut lines = Vec::new();
    for (id, output) in steps {
        let step = state.step(id)?;
        let name = step.plan.name.as_str();
        let tool = step.tool().as_str();
        let named =
            if name.is_empty() || name == tool { String::new() } else { format!("  {name}") };
        lines.push(format!("{id}{named}  ({tool})"));
        lines.extend(fields(output, lang));
    }
    (!steps.is_empty()).then(|| lines.join("\n"))
}

fn fields(output: &Value, lang: Lang) -> Vec<String> {
    let Value::Object(fields) = output else { return vec![format!("  {}", value(output, lang))] };
    let widest = fields.keys().map(|name| width(name)).max().unwrap_or_default().min(MOST_NAME);
    let mut lines = Vec::new();
    for (name, field) in fields {
        lines.push(format!("  {}  {}", pad(name, widest), value(field, lang)));
        lines.extend(rows(field).iter().map(|row| format!("    {row}")));
    }
    lines
}

/// Formats a value on one line; a list of objects only as its number of rows.
fn value(value: &Value, lang: Lang) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if is_table(items) => match lang {
            Lang::En => format!("{} rows", items.len()),
            Lang::Zh => format!("{} 行", items.len()),
        },
        Value::Array(items) => {
            let plain =
                |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
            items.iter().map(plain).collect::<Vec<_>>().join(say(lang, ", ", "、"))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    };
    sanitize(&cut(&text.replace('\n', " ⏎ "), MOST_CHARS), MOST_CHARS)
}

fn is_table(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(Value::is_object)
}

fn rows(value: &Value) -> Vec<String> {
    let Value::Array(items) = value else { return vec![] };
    let objects = items.iter().take(MOST_ROWS).filter_map(Value::as_object);
    let cell = |(name, cell): (&String, &Value)| {
        let text = cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
        format!("{name} {text}")
    };
    let row = |row: &Map<String, Value>| {
        let cells: Vec<String> = row.iter().map(cell).collect();
        sanitize(&cut(&cells.join(" · "), MOST_CHARS), MOST_CHARS)
    };
    let mut rows: Vec<String> = objects.map(row).collect();
    if is_table(items) && items.len() > MOST_ROWS {
        rows.push("…".to_owned());
    }
    if is_table(items) { rows } else { vec![] }
}
