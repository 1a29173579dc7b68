//! What a parameter is about, told by the words of its name and of what is said of it.
//!
//! - in: a parameter
//! - out: whether it takes a file, names of columns, a unit, how many, a length of time, or the content of something
//! - never: knows a tool by its name

use super::needs::{ToolField, ValueShape};
use crate::lexicon::any::{TIME_NAMES, UNIT_WORDS};
use crate::lexicon::{LexiconList, UnitSize, en, zh};
use crate::retrieve::words::words;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

type SenseStems = BTreeSet<String>;

/// Words as they are compared.
fn stems(lists: &[&LexiconList<&'static str>]) -> SenseStems {
    lists.iter().flat_map(|list| list.iter()).flat_map(|word| words(word)).collect()
}

static FILES: LazyLock<SenseStems> = LazyLock::new(|| stems(&[&en::FILE_WORDS, &zh::FILE_WORDS]));
static PATHS: LazyLock<SenseStems> = LazyLock::new(|| stems(&[&en::PATH_WORDS]));
static COLUMNS: LazyLock<SenseStems> =
    LazyLock::new(|| stems(&[&en::COLUMN_WORDS, &zh::COLUMN_WORDS]));
static UNITS: LazyLock<SenseStems> =
    LazyLock::new(|| stems(&[&en::MEASURE_WORDS, &zh::MEASURE_WORDS]));
static COUNTS: LazyLock<SenseStems> =
    LazyLock::new(|| stems(&[&en::COUNT_WORDS, &zh::COUNT_WORDS]));
static CONTENTS: LazyLock<SenseStems> =
    LazyLock::new(|| stems(&[&en::CONTENT_WORDS, &zh::CONTENT_WORDS]));

fn says(slot: &ToolField, among: &SenseStems) -> bool {
    slot.name.iter().chain(&slot.about).any(|word| among.contains(word))
}

fn is_called(slot: &ToolField, among: &SenseStems) -> bool {
    slot.name.iter().any(|word| among.contains(word))
}

/// Whether it takes the path of a file or a folder. What is only called a path may lead elsewhere: into a value.
pub fn is_file(slot: &ToolField) -> bool {
    let may = slot.takes(ValueShape::Text) || slot.shape == ValueShape::Any;
    let is_path = is_called(slot, &PATHS);
    may && (is_called(slot, &FILES)
        || is_path && (slot.about.is_empty() || says(slot, &FILES))
        || !is_content(slot) && slot.choices.is_empty() && opens_with(slot, &FILES))
}

/// Whether what is said of it begins with one of some words: `The folder to look into`.
fn opens_with(slot: &ToolField, among: &SenseStems) -> bool {
    let text = slot.schema.get("description").and_then(serde_json::Value::as_str);
    let first = text.map(words).unwrap_or_default();
    first.first().is_some_and(|word| among.contains(word))
}

/// Whether it takes what a file holds, or another step made, rather than a name of it.
pub fn is_content(slot: &ToolField) -> bool {
    let last = slot.head().is_some_and(|head| CONTENTS.contains(head));
    let holds = matches!(slot.shape, ValueShape::List | ValueShape::Object | ValueShape::Any)
        || (slot.shape == ValueShape::Text
            && (slot.takes(ValueShape::List) || slot.takes(ValueShape::Object)));
    slot.choices.is_empty() && (last || holds) && !is_called(slot, &PATHS)
}

/// Whether it is called what values are called that programs make.
pub fn is_data(slot: &ToolField) -> bool {
    static DATA: LazyLock<SenseStems> = LazyLock::new(|| stems(&[&en::DATA_WORDS]));
    slot.head().is_some_and(|head| DATA.contains(head))
}

/// Whether it names columns, or fields of records.
pub fn is_column(slot: &ToolField) -> bool {
    let own = |slot: &ToolField| {
        slot.takes(ValueShape::Text) && slot.choices.is_empty() && says(slot, &COLUMNS)
    };
    match &slot.items {
        Some(items) => {
            let text = items.takes(ValueShape::Text) || items.schema.get("anyOf").is_some();
            text && slot.shape == ValueShape::List
                && !slot.takes(ValueShape::Text)
                && says(slot, &COLUMNS)
        }
        None => own(slot) && !is_content_of_rows(slot),
    }
}

/// A text of rows is described by its columns and names none.
fn is_content_of_rows(slot: &ToolField) -> bool {
    slot.takes(ValueShape::List) || slot.takes(ValueShape::Object)
}

/// Whether it is the unit of something.
pub fn is_unit(slot: &ToolField) -> bool {
    let is_short = slot.about.len() <= 6;
    slot.shape == ValueShape::Text
        && slot.choices.is_empty()
        && (is_called(slot, &UNITS) || is_short && says(slot, &UNITS))
}

/// Whether it is a day or a time of day by its name.
pub fn is_moment(slot: &ToolField) -> bool {
    static MOMENTS: LazyLock<SenseStems> =
        LazyLock::new(|| stems(&[&en::MOMENT_WORDS, &zh::MOMENT_WORDS]));
    slot.head().is_some_and(|head| MOMENTS.contains(head))
}

/// Whether it says how many there are to be.
pub fn is_count(slot: &ToolField) -> bool {
    slot.shape == ValueShape::Integer && is_called(slot, &COUNTS)
}

/// A unit of time, which may be one of a fixed length.
pub type TimeSense = UnitSize;

/// Units of time by the words of names and by what people write.
static TIMES: LazyLock<BTreeMap<&str, TimeSense>> = LazyLock::new(|| {
    let all = UNIT_WORDS.iter().chain(zh::UNITS.iter()).chain(TIME_NAMES.iter());
    all.filter_map(|unit| Some((unit.word, unit.size?))).collect()
});

/// The unit of time that a word names.
pub fn time(word: &str) -> Option<TimeSense> {
    TIMES.get(word.to_lowercase().as_str()).copied()
}

/// The unit of time in which a parameter counts: `days`, `horizon_hours`, `timeout_ms`.
pub fn time_of(slot: &ToolField) -> Option<TimeSense> {
    let name = slot.path.iter().rev().find(|name| name.parse::<usize>().is_err())?;
    let last = name.rsplit(['_', '-', '.']).next()?;
    time(last).filter(|_| last.len() > 1)
}
