//! Finds the value of every placeholder. A value is bound; it never becomes SQL.
//!
//! - in: the slots of a `Statement`, and the arguments
//! - out: one value per slot, of a type that the engine can bind
//! - never: leaves a slot empty, or ignores an argument whose placeholder stands in quotes

use super::guard::Statement;
use super::lex::{ArgumentRef, SqlDialect};
use super::trouble::SqlTrouble;
use serde_json::Value;

/// Returns the values of a statement's slots. `at` is the JSON pointer to the arguments.
pub(super) fn values(
    statement: &Statement,
    arguments: &Value,
    at: &str,
    engine: SqlDialect,
) -> Result<Vec<Value>, SqlTrouble> {
    if let Some(name) =
        statement.quoted_placeholders.iter().find(|name| arguments.get(name.as_str()).is_some())
    {
        let why = format!(
            "the placeholder `{{{name}}}` is inside quotes, so it is treated as text; remove the quotes"
        );
        return Err(SqlTrouble::Argument(format!("{at}/{name}"), why));
    }
    if let Value::Array(given) = arguments {
        let last = statement.slots.iter().map(|slot| match slot {
            ArgumentRef::Position(place) => place + 1,
            ArgumentRef::Named(_) => 0,
        });
        let wanted = last.max().unwrap_or(0);
        if given.len() != wanted {
            let given = given.len();
            let why =
                format!("the statement has {wanted} placeholders, but {given} values were given");
            return Err(SqlTrouble::Argument(at.to_owned(), why));
        }
    }
    statement.slots.iter().map(|slot| value(slot, arguments, at, engine)).collect()
}

fn value(
    slot: &ArgumentRef,
    arguments: &Value,
    at: &str,
    engine: SqlDialect,
) -> Result<Value, SqlTrouble> {
    let (found, name) = match slot {
        ArgumentRef::Named(name) => (arguments.get(name), name.clone()),
        ArgumentRef::Position(place) => (arguments.get(place), place.to_string()),
    };
    let at = format!("{at}/{name}");
    let value = found.ok_or_else(|| {
        let why = format!("the statement needs a value for `{name}`");
        SqlTrouble::Argument(at.clone(), why)
    })?;
    check(value, engine).map_err(|why| SqlTrouble::Argument(at, why.to_owned()))?;
    Ok(value.clone())
}

/// Checks that the engine can bind the value. PostgreSQL judges lists and objects later, by the type of the
/// parameter.
fn check(value: &Value, engine: SqlDialect) -> Result<(), &'static str> {
    match (value, engine) {
        (Value::Array(_) | Value::Object(_), SqlDialect::Postgres) => Ok(()),
        (Value::Array(_) | Value::Object(_), SqlDialect::Mysql | SqlDialect::Sqlite) => {
            Err("a list or an object cannot be bound; give a text, a number, true, false or null")
        }
        (Value::Number(number), SqlDialect::Sqlite)
            if number.as_i64().is_none() && number.is_u64() =>
        {
            Err("the number is too large for SQLite; give it as text")
        }
        (Value::String(text), SqlDialect::Postgres) if text.contains('\0') => {
            Err("PostgreSQL keeps no text with a zero character")
        }
        _ => Ok(()),
    }
}
