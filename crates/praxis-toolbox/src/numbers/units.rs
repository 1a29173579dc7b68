//! Units, the quantity that each measures, and the factor to the base unit of the quantity.

use crate::wording::{did_you_mean, listed, prefixed};
use praxis_core::near::near;
use praxis_core::problem::Bilingual;

/// The quantity that a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Energy,
    Power,
    Length,
    Area,
    Volume,
    Mass,
    Time,
    Temperature,
}

impl Quantity {
    /// Returns the name of the quantity.
    pub(crate) fn name(self) -> Bilingual {
        match self {
            Self::Energy => ("energy", "能量"),
            Self::Power => ("power", "功率"),
            Self::Length => ("length", "长度"),
            Self::Area => ("area", "面积"),
            Self::Volume => ("volume", "体积"),
            Self::Mass => ("mass", "质量"),
            Self::Time => ("time", "时间"),
            Self::Temperature => ("temperature", "温度"),
        }
        .into()
    }
}

/// A unit. `(value + zero) * times / over` is the value in the base unit, which is the first unit of the quantity.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MeasureUnit {
    /// The spellings; the first is the symbol.
    pub(crate) names: &'static [&'static str],
    /// The quantity that it measures.
    pub(crate) kind: Quantity,
    /// The numerator of the factor, in decimal digits.
    pub(crate) times: &'static str,
    /// The denominator of the factor, in decimal digits.
    pub(crate) over: &'static str,
    /// The offset that is added before scaling, for temperatures.
    pub(crate) zero: &'static str,
}

const fn unit(kind: Quantity, times: &'static str, names: &'static [&'static str]) -> MeasureUnit {
    MeasureUnit { names, kind, times, over: "1", zero: "0" }
}

const UNITS: &[MeasureUnit] = &[
    unit(Quantity::Energy, "1", &["J", "joule", "焦", "焦耳"]),
    unit(Quantity::Energy, "1e3", &["kJ", "千焦"]),
    unit(Quantity::Energy, "1e6", &["MJ", "兆焦"]),
    unit(Quantity::Energy, "1e9", &["GJ", "吉焦"]),
    unit(Quantity::Energy, "3600", &["Wh", "瓦时"]),
    unit(Quantity::Energy, "3600000", &["kWh", "千瓦时", "度"]),
    unit(Quantity::Energy, "3.6e9", &["MWh", "兆瓦时"]),
    unit(Quantity::Energy, "3.6e12", &["GWh", "吉瓦时"]),
    unit(Quantity::Energy, "3.6e15", &["TWh", "太瓦时"]),
    unit(Quantity::Energy, "3.6e10", &["万千瓦时", "万度"]),
    unit(Quantity::Energy, "3.6e14", &["亿千瓦时", "亿度"]),
    unit(Quantity::Energy, "4.184", &["cal", "卡"]),
    unit(Quantity::Energy, "4184", &["kcal", "千卡", "大卡"]),
    unit(Quantity::Energy, "1055.05585262", &["BTU"]),
    unit(Quantity::Energy, "29.3076e9", &["tce", "吨标准煤", "吨标煤"]),
    unit(Quantity::Power, "1", &["W", "watt", "瓦", "瓦特"]),
    unit(Quantity::Power, "1e3", &["kW", "千瓦"]),
    unit(Quantity::Power, "1e6", &["MW", "兆瓦"]),
    unit(Quantity::Power, "1e7", &["万千瓦"]),
    unit(Quantity::Power, "1e9", &["GW", "吉瓦"]),
    unit(Quantity::Power, "735.49875", &["PS", "马力"]),
    unit(Quantity::Power, "745.69987158227022", &["hp", "horsepower", "英制马力"]),
    unit(Quantity::Length, "1", &["m", "metre", "meter", "米"]),
    unit(Quantity::Length, "0.001", &["mm", "毫米"]),
    unit(Quantity::Length, "0.01", &["cm", "厘米"]),
    unit(Quantity::Length, "1000", &["km", "kilometre", "kilometer", "千米", "公里"]),
    unit(Quantity::Length, "500", &["li", "里"]),
    unit(Quantity::Length, "0.0254", &["in", "inch", "英寸"]),
    unit(Quantity::Length, "0.3048", &["ft", "foot", "feet", "英尺"]),
    unit(Quantity::Length, "0.9144", &["yd", "yard", "码"]),
    unit(Quantity::Length, "1609.344", &["mi", "mile", "英里"]),
    unit(Quantity::Length, "1852", &["nmi", "海里"]),
    unit(Quantity::Area, "1", &["m2", "m²", "平方米"]),
    unit(Quantity::Area, "1e6", &["km2", "km²", "平方公里", "平方千米"]),
    unit(Quantity::Area, "1e4", &["ha", "hectare", "公顷"]),
    MeasureUnit {
        names: &["mu", "亩"], kind: Quantity::Area, times: "2000", over: "3", zero: "0"
    },
    unit(Quantity::Area, "4046.8564224", &["acre", "英亩"]),
    unit(Quantity::Volume, "1", &["l", "L", "litre", "liter", "升"]),
    unit(Quantity::Volume, "0.001", &["ml", "mL", "毫升"]),
    unit(Quantity::Volume, "1000", &["m3", "m³", "立方米", "方"]),
    unit(Quantity::Volume, "3.785411784", &["gal", "gallon", "加仑"]),
    unit(Quantity::Volume, "158.987294928", &["bbl", "barrel", "桶"]),
    unit(Quantity::Mass, "1", &["kg", "kilogram", "千克", "公斤"]),
    unit(Quantity::Mass, "1e-6", &["mg", "毫克"]),
    unit(Quantity::Mass, "0.001", &["g", "gram", "克"]),
    unit(Quantity::Mass, "1000", &["t", "tonne", "吨"]),
    unit(Quantity::Mass, "0.5", &["jin", "斤"]),
    unit(Quantity::Mass, "0.05", &["liang", "两"]),
    unit(Quantity::Mass, "0.45359237", &["lb", "pound", "磅"]),
    unit(Quantity::Mass, "0.028349523125", &["oz", "ounce", "盎司"]),
    unit(Quantity::Time, "1", &["s", "second", "秒"]),
    unit(Quantity::Time, "60", &["min", "minute", "分", "分钟"]),
    unit(Quantity::Time, "3600", &["h", "hour", "时", "小时"]),
    unit(Quantity::Time, "86400", &["d", "day", "天", "日"]),
    unit(Quantity::Time, "604800", &["week", "周", "星期"]),
    unit(Quantity::Temperature, "1", &["K", "kelvin", "开", "开尔文"]),
    MeasureUnit {
        names: &["C", "°C", "℃", "celsius", "摄氏度"],
        kind: Quantity::Temperature,
        times: "1",
        over: "1",
        zero: "273.15",
    },
    MeasureUnit {
        names: &["F", "°F", "℉", "fahrenheit", "华氏度"],
        kind: Quantity::Temperature,
        times: "5",
        over: "9",
        zero: "459.67",
    },
];

/// Finds a unit by its exact name, otherwise ignoring case and a plural `s` if only one unit matches.
pub(crate) fn find(name: &str) -> Result<&'static MeasureUnit, Bilingual> {
    let name = name.trim();
    if let Some(unit) = UNITS.iter().find(|unit| unit.names.contains(&name)) {
        return Ok(unit);
    }
    let low = name.to_lowercase();
    let singular = low.strip_suffix('s').filter(|word| word.len() > 2);
    let alike = |written: &str| {
        let written = written.to_lowercase();
        written == low || Some(written.as_str()) == singular
    };
    let mut meant = UNITS.iter().filter(|unit| unit.names.iter().any(|name| alike(name)));
    match (meant.next(), meant.next()) {
        (Some(unit), None) => Ok(unit),
        _ => Err(unknown(name)),
    }
}

fn known_units() -> Bilingual {
    let symbols = UNITS.iter().filter_map(|unit| unit.names.first());
    let Bilingual { en, zh } = listed(symbols);
    (format!("the known units are {en}"), format!("可用的单位：{zh}")).into()
}

fn unknown(name: &str) -> Bilingual {
    let meant = near(name, UNITS.iter().flat_map(|unit| unit.names.iter().copied()));
    let shown: String = name.chars().take(40).collect();
    let hint = if meant.is_empty() { known_units() } else { did_you_mean(&meant) };
    prefixed(format!("unknown unit `{shown}`; "), format!("未知的单位 `{shown}`；"), &hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_for_two_units() {
        let names: Vec<&str> = UNITS.iter().flat_map(|unit| unit.names.iter().copied()).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }

    #[test]
    fn a_unit_is_found_in_any_case_unless_two_are_meant() {
        for (name, symbol) in
            [("kwh", "kWh"), ("MWH", "MWh"), ("千瓦时", "kWh"), (" Hours ", "h"), ("Feet", "ft")]
        {
            assert_eq!(find(name).unwrap().names[0], symbol, "{name}");
        }
        let why = find("kWhh").unwrap_err();
        assert_eq!(why.en, "unknown unit `kWhh`; did you mean `kWh`, `kW` or `Wh`?");
        assert_eq!(why.zh, "未知的单位 `kWhh`；是否想写 `kWh`、`kW` 或 `Wh`？");
        let why = find("qqqq").unwrap_err();
        assert!(
            why.en.starts_with("unknown unit `qqqq`; the known units are `J`, `kJ`, "),
            "{why:?}"
        );
        assert!(why.zh.starts_with("未知的单位 `qqqq`；可用的单位：`J`、`kJ`、"), "{why:?}");
    }
}
