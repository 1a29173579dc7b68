//! Converts values to and from PostgreSQL: all as text, so that the server interprets them.

use super::rows::{StatementRows, decimal};
use super::trouble::SqlTrouble;
use bytes::BytesMut;
use serde_json::Value;
use std::error::Error;
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type, to_sql_checked};

/// A parameter bound as text.
#[derive(Debug)]
pub(super) struct TextParameter(Option<String>);

impl ToSql for TextParameter {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        Ok(match &self.0 {
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                IsNull::No
            }
            None => IsNull::Yes,
        })
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// Converts values to parameters of these types.
pub(super) fn bound(
    values: &[Value],
    types: &[Type],
    at: &str,
) -> Result<Vec<TextParameter>, SqlTrouble> {
    let one = |(place, (value, kind)): (usize, (&Value, &Type))| {
        let text = written(value, kind).map_err(|why| {
            let why = format!("{why} (value {} of the statement is `{kind}`)", place + 1);
            SqlTrouble::Argument(at.to_owned(), why)
        })?;
        Ok(TextParameter(text))
    };
    values.iter().zip(types).enumerate().map(one).collect()
}

fn written(value: &Value, kind: &Type) -> Result<Option<String>, &'static str> {
    let is_json = *kind == Type::JSON || *kind == Type::JSONB;
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Bool(_) | Value::Number(_) => Ok(Some(value.to_string())),
        Value::Array(_) | Value::Object(_) if is_json => Ok(Some(value.to_string())),
        Value::Array(items) if matches!(kind.kind(), Kind::Array(_)) => listed(items).map(Some),
        Value::Array(_) => Err("a list can be bound only as a list or JSON, as in = ANY(:ids)"),
        Value::Object(_) => Err("an object can be bound only as JSON"),
    }
}

/// Writes an array literal such as `{1,"a",NULL}`.
fn listed(items: &[Value]) -> Result<String, &'static str> {
    let item = |item: &Value| match item {
        Value::Null => Ok("NULL".to_owned()),
        Value::Bool(_) | Value::Number(_) => Ok(item.to_string()),
        Value::String(text) => {
            Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
        }
        Value::Array(inner) => listed(inner),
        Value::Object(_) => Err("an object cannot stand in a list that is bound"),
    };
    let items: Result<Vec<String>, &str> = items.iter().map(item).collect();
    Ok(format!("{{{}}}", items?.join(",")))
}

/// Returns the expression that selects a column as JSON text, cut just above the limit.
pub(super) fn asked(column: usize, kind: &Type, most: u64) -> String {
    let most = i32::try_from(most).unwrap_or(i32::MAX - 1) + 1;
    if *kind == Type::BYTEA {
        let plain = format!("pg_catalog.encode(c{column}, 'base64')");
        return format!(
            "pg_catalog.left(pg_catalog.to_json(pg_catalog.replace({plain}, pg_catalog.chr(10), ''))::text, {most})"
        );
    }
    format!("pg_catalog.left(pg_catalog.to_json(c{column})::text, {most})")
}

/// Converts a cell to JSON.
pub(super) fn cell(
    text: Option<&str>,
    kind: &Type,
    rows: &mut StatementRows,
    (column, most): (usize, u64),
) -> Result<Value, SqlTrouble> {
    let Some(text) = text else { return Ok(Value::Null) };
    if text.len() as u64 > most {
        return Err(SqlTrouble::TooLarge);
    }
    if *kind == Type::BYTEA {
        rows.is_binary(column);
    }
    if *kind == Type::NUMERIC {
        return Ok(decimal(text.trim_matches('"')));
    }
    let value: Value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
    let is_float = *kind == Type::FLOAT4 || *kind == Type::FLOAT8;
    // `NaN` and `Infinity` come as strings.
    Ok(if is_float && value.is_string() { Value::Null } else { value })
}
