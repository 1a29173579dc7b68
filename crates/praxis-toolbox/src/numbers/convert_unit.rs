//! `convert_unit`: converts an amount to another unit.

use super::arithmetic::shortened;
use super::exact::{add, divide, multiply, subtract};
use super::units::{self, MeasureUnit, Quantity};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Number, Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConvertUnitArguments {
    value: Number,
    from: String,
    to: String,
    digits: Option<u32>,
}

/// Converts between two units of the same quantity.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let ConvertUnitArguments { value, from, to, digits } = arguments(value)?;
    let known =
        |at: &str, name: &str| units::find(name).map_err(|why| BuiltinError::argument(at, why));
    let (from, to) = (known("/from", &from)?, known("/to", &to)?);
    if from.kind != to.kind {
        return Err(BuiltinError::argument("/to", apart(from, to)));
    }
    let converted = (if from == to { Some(value.clone()) } else { convert(&value, from, to) })
        .ok_or_else(|| BuiltinError::argument("/value", too_large(&value)))?;
    Ok(json!({
        "converted_value": shortened(converted, digits)?,
        "unit": to.names.first(),
    }))
}

/// Multiplies first and divides once, so that exact results stay exact.
fn convert(value: &Number, from: &MeasureUnit, to: &MeasureUnit) -> Option<Number> {
    let shifted = add(value, &digits(from.zero)?)?;
    let up = multiply(&multiply(&shifted, &digits(from.times)?)?, &digits(to.over)?)?;
    let down = multiply(&digits(from.over)?, &digits(to.times)?)?;
    subtract(&divide(&up, &down)?, &digits(to.zero)?)
}

fn digits(text: &str) -> Option<Number> {
    super::decimal::Decimal::parse(text)?.number()
}

fn too_large(value: &Number) -> Bilingual {
    (format!("{value} is too large to convert"), format!("{value} 太大，无法换算")).into()
}

fn apart(from: &MeasureUnit, to: &MeasureUnit) -> Bilingual {
    let name = |unit: &MeasureUnit| unit.names.first().copied().unwrap_or_default();
    let (from_name, to_name) = (name(from), name(to));
    let (from_kind, to_kind) = (from.kind.name(), to.kind.name());
    let (hint_en, hint_zh) = match (from.kind, to.kind) {
        (Quantity::Power, Quantity::Energy) => {
            ("; multiply power by hours to get energy", "；功率乘以小时数即为能量")
        }
        (Quantity::Energy, Quantity::Power) => {
            ("; divide energy by hours to get power", "；能量除以小时数即为功率")
        }
        _ => ("", ""),
    };
    let en = format!(
        "cannot convert `{from_name}` ({}) to `{to_name}` ({}){hint_en}",
        from_kind.en, to_kind.en
    );
    let zh = format!(
        "无法将 `{from_name}`（{}）换算为 `{to_name}`（{}）{hint_zh}",
        from_kind.zh, to_kind.zh
    );
    (en, zh).into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::json;

    #[test]
    fn amounts_are_converted_exactly() {
        for (value, from, to, expected) in [
            (json!(1500), "kWh", "MWh", "1.5"),
            (json!(3), "亿千瓦时", "GWh", "300"),
            (json!(1), "GWh", "kWh", "1000000"),
            (json!(0.1), "MW", "kW", "100"),
            (json!(1.1), "kWh", "J", "3960000"),
            (json!(26.2), "mi", "km", "42.1648128"),
            (json!(3), "亩", "平方米", "2000"),
            (json!(36.6), "C", "F", "97.88"),
            (json!(212), "F", "C", "100"),
            (json!(-40), "℉", "℃", "-40"),
            (json!(0), "K", "C", "-273.15"),
            (json!(-459.67), "F", "K", "0"),
            (json!(0), "C", "K", "273.15"),
            (json!(90), "minutes", "小时", "1.5"),
            (json!(10), "斤", "kg", "5"),
            (json!(7.3), "kWh", "kWh", "7.3"),
        ] {
            let asked = json!({"value": value, "from": from, "to": to});
            let output = ask("convert_unit", asked.clone()).unwrap();
            assert_eq!(output["converted_value"].to_string(), expected, "{asked}");
        }
    }

    #[test]
    fn the_unit_is_told_by_its_symbol_and_the_value_is_rounded_on_request() {
        let asked = json!({"value": 100, "from": "mile", "to": "公里", "digits": 1});
        assert_eq!(
            ask("convert_unit", asked).unwrap(),
            json!({"converted_value": 160.9, "unit": "km"})
        );
    }

    #[test]
    fn what_cannot_be_converted_says_what_to_do() {
        let why = |from: &str, to: &str| {
            refused(ask("convert_unit", json!({"value": 1, "from": from, "to": to})))
        };
        assert_eq!(
            why("MW", "MWh"),
            "/to cannot convert `MW` (power) to `MWh` (energy); multiply power by hours to get energy"
        );
        assert!(why("kg", "m").ends_with("cannot convert `kg` (mass) to `m` (length)"));
        assert!(why("kWx", "kW").starts_with("/from unknown unit `kWx`; did you mean "));
    }
}
