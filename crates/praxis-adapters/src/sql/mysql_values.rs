//! Converts values to and from MySQL and MariaDB.

use super::rows::{StatementRows, decimal, float};
use mysql_async::consts::ColumnType;
use mysql_async::{Column, Value as Cell};
use serde_json::Value;

/// Character set id of binary data.
const BINARY: u16 = 63;

/// Converts an argument to a bound value.
pub(super) fn bound(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::NULL,
        Value::Bool(yes) => Cell::Int((*yes).into()),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Cell::Int(whole),
            (None, Some(whole)) => Cell::UInt(whole),
            (None, None) => Cell::Double(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Cell::Bytes(text.clone().into_bytes()),
        // Already refused by `bind::values`.
        Value::Array(_) | Value::Object(_) => Cell::Bytes(value.to_string().into_bytes()),
    }
}

/// Converts a cell to JSON.
pub(super) fn cell(value: Cell, kind: &Column, rows: &mut StatementRows, column: usize) -> Value {
    match value {
        Cell::NULL => Value::Null,
        Cell::Int(number) => number.into(),
        Cell::UInt(number) => number.into(),
        // The shortest digits that mean the same `f32`: 0.1 and not 0.10000000149.
        Cell::Float(number) => float(number.to_string().parse().unwrap_or(f64::from(number))),
        Cell::Double(number) => float(number),
        Cell::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            if kind.column_type() == ColumnType::MYSQL_TYPE_DATE {
                return date.into();
            }
            format!("{date}T{hour:02}:{minute:02}:{second:02}{}", fraction(micros)).into()
        }
        Cell::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            let hours = u64::from(days) * 24 + u64::from(hours);
            format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{}", fraction(micros)).into()
        }
        Cell::Bytes(bytes) => told(bytes, kind, rows, column),
    }
}

fn told(bytes: Vec<u8>, kind: &Column, rows: &mut StatementRows, column: usize) -> Value {
    match kind.column_type() {
        ColumnType::MYSQL_TYPE_DECIMAL | ColumnType::MYSQL_TYPE_NEWDECIMAL => {
            decimal(&String::from_utf8_lossy(&bytes))
        }
        ColumnType::MYSQL_TYPE_BIT => match <[u8; 8]>::try_from(eight(&bytes)) {
            Ok(bits) => u64::from_be_bytes(bits).into(),
            Err(_) => rows.binary(column, &bytes),
        },
        ColumnType::MYSQL_TYPE_JSON => {
            let text = String::from_utf8_lossy(&bytes);
            serde_json::from_str(&text).unwrap_or_else(|_| Value::from(&*text))
        }
        _ if kind.character_set() == BINARY => rows.binary(column, &bytes),
        _ => String::from_utf8_lossy(&bytes).into(),
    }
}

fn eight(bytes: &[u8]) -> Vec<u8> {
    let mut padded = vec![0; 8usize.saturating_sub(bytes.len())];
    padded.extend_from_slice(bytes);
    padded
}

fn fraction(micros: u32) -> String {
    if micros == 0 { String::new() } else { format!(".{micros:06}") }
}
