//! The units of numbers.

use super::scan::Scan;
use crate::text::phrase::is_chinese;

/// Units of time, in whole words.
const TIME: [&str; 30] = [
    "毫秒",
    "秒钟",
    "秒",
    "分钟",
    "小时",
    "钟头",
    "天",
    "周",
    "星期",
    "个星期",
    "个月",
    "个小时",
    "个季度",
    "年",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hr",
    "hrs",
    "hour",
    "hours",
    "d",
];
const LONG_TIME: [&str; 15] = [
    "day",
    "days",
    "night",
    "nights",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "quarters",
    "decades",
    "milliseconds",
    "millisecond",
    "yrs",
];
/// Chinese units and the words that count things, the longer ones first.
const CHINESE: &[&str] = &[
    "个百分点",
    "个星期",
    "个小时",
    "个季度",
    "平方公里",
    "平方千米",
    "立方米",
    "平方米",
    "摄氏度",
    "华氏度",
    "万千瓦时",
    "万千瓦",
    "千瓦时",
    "兆瓦时",
    "吉瓦时",
    "海里",
    "英里",
    "英尺",
    "英寸",
    "公里",
    "千米",
    "厘米",
    "毫米",
    "微米",
    "公斤",
    "千克",
    "毫克",
    "毫升",
    "公顷",
    "兆瓦",
    "千瓦",
    "吉瓦",
    "千伏",
    "毫秒",
    "秒钟",
    "分钟",
    "小时",
    "钟头",
    "星期",
    "个月",
    "字节",
    "像素",
    "分贝",
    "赫兹",
    "倍",
    "度",
    "米",
    "斤",
    "克",
    "吨",
    "升",
    "亩",
    "瓦",
    "伏",
    "安",
    "秒",
    "天",
    "日",
    "周",
    "年",
    "岁",
    "号",
    "层",
    "楼",
    "级",
    "页",
    "条",
    "行",
    "列",
    "次",
    "台",
    "件",
    "名",
    "位",
    "张",
    "本",
    "份",
    "组",
    "轮",
    "批",
    "辆",
    "间",
    "套",
    "颗",
    "只",
    "部",
    "家",
    "人",
    "个",
    "种",
    "项",
    "篇",
    "封",
    "步",
    "字",
    "题",
    "场",
    "首",
    "点",
];
/// Units that are written with letters; those of one letter stand apart, because they must touch their number.
const SYMBOLS: &[&str] = &[
    "mm", "cm", "dm", "km", "nm", "um", "μm", "ft", "yd", "mi", "mg", "kg", "lb", "lbs", "oz",
    "ml", "mL", "cl", "dl", "gal", "ha", "kW", "MW", "GW", "TW", "mW", "kWh", "MWh", "GWh", "TWh",
    "Wh", "kV", "mV", "MV", "kVA", "MVA", "mA", "mAh", "Ah", "Hz", "kHz", "MHz", "GHz", "Pa",
    "hPa", "kPa", "MPa", "bar", "psi", "kN", "MN", "kJ", "MJ", "GJ", "cal", "kcal", "eV", "KB",
    "MB", "GB", "TB", "PB", "kB", "KiB", "MiB", "GiB", "kbps", "Mbps", "Gbps", "mph", "kph", "rpm",
    "bpm", "dB", "px", "pt", "em", "ppm", "mol", "mmol", "rad", "deg", "sqft", "kgs", "kms", "fps",
    "dpi", "mmHg", "Nm", "°C", "°F", "°", "℃", "℉", "Ω", "ohm", "K", "m", "g", "l", "L", "W", "V",
    "A", "J", "N", "t", "x", "C", "F", "T", "F", "B",
];
/// Units that are whole words, in lower case.
const WORDS: &[&str] = &[
    "meter",
    "meters",
    "metre",
    "metres",
    "kilometer",
    "kilometers",
    "kilometre",
    "kilometres",
    "centimeter",
    "centimeters",
    "millimeter",
    "millimeters",
    "mile",
    "miles",
    "foot",
    "feet",
    "inch",
    "inches",
    "yard",
    "yards",
    "gram",
    "grams",
    "kilogram",
    "kilograms",
    "kilo",
    "kilos",
    "pound",
    "pounds",
    "ounce",
    "ounces",
    "ton",
    "tons",
    "tonne",
    "tonnes",
    "liter",
    "liters",
    "litre",
    "litres",
    "milliliter",
    "milliliters",
    "gallon",
    "gallons",
    "cup",
    "cups",
    "degree",
    "degrees",
    "celsius",
    "fahrenheit",
    "kelvin",
    "watt",
    "watts",
    "kilowatt",
    "kilowatts",
    "megawatt",
    "megawatts",
    "volt",
    "volts",
    "amp",
    "amps",
    "ampere",
    "amperes",
    "joule",
    "joules",
    "newton",
    "newtons",
    "pascal",
    "pascals",
    "hertz",
    "byte",
    "bytes",
    "bit",
    "bits",
    "pixel",
    "pixels",
    "acre",
    "acres",
    "hectare",
    "hectares",
    "calorie",
    "calories",
    "times",
    "people",
    "persons",
    "person",
    "guests",
    "guest",
    "passengers",
    "items",
    "units",
    "pieces",
    "pages",
    "rows",
    "points",
    "rooms",
    "tickets",
    "adults",
    "children",
    "radians",
    "moles",
    "ohms",
    "coulombs",
    "tesla",
    "farads",
];

/// Reads the unit behind a number.
pub(super) fn unit<'a>(scan: &mut Scan<'a>) -> Option<&'a str> {
    let mut behind = *scan;
    if behind.eat("-").is_none() {
        behind.blanks();
    }
    let is_apart = behind.at() > scan.at();
    let mut ahead = behind;
    if ahead.eat_any(CHINESE).is_none() {
        latin(&mut ahead, is_apart)?;
    }
    let unit = ahead.since(behind.at());
    *scan = ahead;
    Some(unit)
}

/// The unit that a text begins with, if a word ends behind it.
pub fn leading_unit(text: &str) -> Option<&str> {
    let mut scan = Scan::new(text, 0);
    unit(&mut scan).filter(|unit| unit.len() > 1 && text.starts_with(unit))
}

/// Whether a unit is one of time.
pub(super) fn is_time(unit: &str) -> bool {
    let lower = unit.to_ascii_lowercase();
    TIME.contains(&lower.as_str()) || LONG_TIME.contains(&lower.as_str())
}

/// `km`, `m/s`, `kN/m^3`, `m²`, `degrees Celsius`.
fn latin(scan: &mut Scan<'_>, is_apart: bool) -> Option<()> {
    base(scan, is_apart)?;
    for _ in 0..2 {
        power(scan);
        let mut ahead = *scan;
        if ahead.one(|c| matches!(c, '/' | '·')).is_none() || base(&mut ahead, false).is_none() {
            break;
        }
        *scan = ahead;
    }
    power(scan);
    let mut ahead = *scan;
    ahead.blanks();
    if ahead.eat_word(&["Celsius", "Fahrenheit", "Kelvin"]).is_some() {
        *scan = ahead;
    }
    scan.is_edge().then_some(())
}

fn base(scan: &mut Scan<'_>, is_apart: bool) -> Option<()> {
    let word = scan.run(|c| (c.is_alphabetic() && !is_chinese(c)) || matches!(c, '°' | '℃' | '℉'));
    // `5 A` and `5 C` are no amperes and degrees, if the letter does not touch the number.
    let is_lone = word.chars().count() == 1 && !matches!(word, "m" | "g" | "°" | "℃" | "℉");
    let is_symbol = SYMBOLS.contains(&word) && !(is_apart && is_lone);
    let is_word = !(is_apart && is_lone)
        && (is_time(word) || WORDS.contains(&word.to_ascii_lowercase().as_str()));
    (is_symbol || is_word).then_some(())
}

fn power(scan: &mut Scan<'_>) {
    let mut ahead = *scan;
    let is_raised = ahead.eat("^").is_some();
    if ahead.one(|c| matches!(c, '²' | '³' | '2' | '3')).is_some() && (is_raised || ahead.is_edge())
    {
        *scan = ahead;
    }
}

/// Whether a token is a number with its unit, like `10km`, and no identifier.
pub(super) fn is_amount(token: &str) -> bool {
    let mut scan = Scan::new(token, 0);
    let digits = scan.run(|c| c.is_ascii_digit() || c == '.');
    !digits.is_empty() && unit(&mut scan).is_some() && scan.rest().is_empty()
}
