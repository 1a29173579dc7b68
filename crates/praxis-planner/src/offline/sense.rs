//! What a parameter is about, told by the words of its name and of what is said of it.
//!
//! - in: a parameter
//! - out: whether it takes a file, names of columns, a unit, how many, a length of time, or the content of something
//! - never: knows a tool by its name

use super::needs::{Shape, Slot};
use crate::retrieve::words::words;
use std::collections::BTreeSet;
use std::sync::LazyLock;

type Stems = BTreeSet<String>;

fn stems(text: &str) -> Stems {
    words(text).into_iter().collect()
}

static FILES: LazyLock<Stems> = LazyLock::new(|| {
    stems(
        "file folder directory filename document image picture photo audio video csv pdf spreadsheet 文件 目录 文档 图片 路径",
    )
});
static PATHS: LazyLock<Stems> = LazyLock::new(|| stems("path filepath filename"));
static COLUMNS: LazyLock<Stems> = LazyLock::new(|| stems("column columns 列 列名 字段"));
static UNITS: LazyLock<Stems> = LazyLock::new(|| stems("unit units 单位"));
static COUNTS: LazyLock<Stems> =
    LazyLock::new(|| stems("count limit top most max maximum quantity 数量 个数 条数 上限"));
static CONTENTS: LazyLock<Stems> = LazyLock::new(|| {
    stems(
        "text content contents template data json rows row records value values body table objects object html markdown code series matrix dataset numbers number 文本 内容 数据",
    )
});

fn says(slot: &Slot, among: &Stems) -> bool {
    slot.name.iter().chain(&slot.about).any(|word| among.contains(word))
}

fn is_called(slot: &Slot, among: &Stems) -> bool {
    slot.name.iter().any(|word| among.contains(word))
}

/// Whether it takes the path of a file or a folder. What is only called a path may lead elsewhere: into a value.
pub fn is_file(slot: &Slot) -> bool {
    let may = slot.takes(Shape::Text) || slot.shape == Shape::Any;
    let is_path = is_called(slot, &PATHS);
    may && (is_called(slot, &FILES)
        || is_path && (slot.about.is_empty() || says(slot, &FILES))
        || !is_content(slot) && slot.choices.is_empty() && opens_with(slot, &FILES))
}

/// Whether what is said of it begins with one of some words: `The folder to look into`.
fn opens_with(slot: &Slot, among: &Stems) -> bool {
    let text = slot.schema.get("description").and_then(serde_json::Value::as_str);
    let first = text.map(words).unwrap_or_default();
    first.first().is_some_and(|word| among.contains(word))
}

/// Whether it takes what a file holds, or another step made, rather than a name of it.
pub fn is_content(slot: &Slot) -> bool {
    let last = slot.head().is_some_and(|head| CONTENTS.contains(head));
    let holds = matches!(slot.shape, Shape::List | Shape::Object | Shape::Any)
        || (slot.shape == Shape::Text && (slot.takes(Shape::List) || slot.takes(Shape::Object)));
    slot.choices.is_empty() && (last || holds) && !is_called(slot, &PATHS)
}

/// Whether it is called what values are called that programs make.
pub fn is_data(slot: &Slot) -> bool {
    static DATA: LazyLock<Stems> =
        LazyLock::new(|| stems("value data json rows records body object objects table series"));
    slot.head().is_some_and(|head| DATA.contains(head))
}

/// Whether it names columns, or fields of records.
pub fn is_column(slot: &Slot) -> bool {
    let own =
        |slot: &Slot| slot.takes(Shape::Text) && slot.choices.is_empty() && says(slot, &COLUMNS);
    match &slot.items {
        Some(items) => {
            let text = items.takes(Shape::Text) || items.schema.get("anyOf").is_some();
            text && slot.shape == Shape::List && !slot.takes(Shape::Text) && says(slot, &COLUMNS)
        }
        None => own(slot) && !is_content_of_rows(slot),
    }
}

/// A text of rows is described by its columns and names none.
fn is_content_of_rows(slot: &Slot) -> bool {
    slot.takes(Shape::List) || slot.takes(Shape::Object)
}

/// Whether it is the unit of something.
pub fn is_unit(slot: &Slot) -> bool {
    let is_short = slot.about.len() <= 6;
    slot.shape == Shape::Text
        && slot.choices.is_empty()
        && (is_called(slot, &UNITS) || is_short && says(slot, &UNITS))
}

/// Whether it is a day or a time of day by its name.
pub fn is_moment(slot: &Slot) -> bool {
    static MOMENTS: LazyLock<Stems> = LazyLock::new(|| stems("date time day 日期 时间"));
    slot.head().is_some_and(|head| MOMENTS.contains(head))
}

/// Whether it says how many there are to be.
pub fn is_count(slot: &Slot) -> bool {
    slot.shape == Shape::Integer && is_called(slot, &COUNTS)
}

/// Units of time in minutes, by the words of names and by what people write. Months and years have no fixed length.
const TIMES: [(&str, f64); 6] = [
    ("ms millisecond milliseconds 毫秒", 1.0 / 60_000.0),
    ("s sec secs second seconds 秒 秒钟", 1.0 / 60.0),
    ("min mins minute minutes 分钟", 1.0),
    ("h hr hrs hour hours 小时 个小时 钟头", 60.0),
    ("d day days 天 日", 1440.0),
    ("w week weeks 周 星期 个星期", 10_080.0),
];
/// Units of time that only stand for themselves.
const LONG_TIMES: [&str; 3] =
    ["month months 月 个月", "quarter quarters 季度 个季度", "y yr year years 年"];

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Time {
    /// So many minutes.
    Minutes(f64),
    /// One of the long ones.
    Long(usize),
}

/// The unit of time that a word names.
pub fn time(word: &str) -> Option<Time> {
    let word = word.to_lowercase();
    let is_in = |names: &&str| names.split(' ').any(|name| name == word);
    let short = TIMES.iter().find(|(names, _)| is_in(names));
    short
        .map(|(_, minutes)| Time::Minutes(*minutes))
        .or_else(|| LONG_TIMES.iter().position(is_in).map(Time::Long))
}

/// The unit of time in which a parameter counts: `days`, `horizon_hours`, `timeout_ms`.
pub fn time_of(slot: &Slot) -> Option<Time> {
    let name = slot.path.iter().rev().find(|name| name.parse::<usize>().is_err())?;
    let last = name.rsplit(['_', '-', '.']).next()?;
    time(last).filter(|_| last.len() > 1)
}
