//! Classifies a parameter by the words of its name and description.
//!
//! - in: a parameter
//! - out: true or false for a file, column names, a unit, a count, a date, or content; and its unit of time
//! - never: depends on the name of a tool

use super::needs::{ToolField, ValueShape};
use crate::lexicon::any::{TIME_NAMES, UNIT_WORDS};
use crate::lexicon::{LexiconList, UnitSize, en, zh};
use crate::retrieve::words::words;
use praxis_core::schema::description::descriptions;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

type SenseStems = BTreeSet<String>;

/// Returns the words of lists in the stemmed form in which they are compared.
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

/// Returns true if it takes the path of a file or a folder. If a parameter named `path` has a description without a
/// word for a file, it is a path into a value.
pub fn is_file(slot: &ToolField) -> bool {
    let may = slot.takes(ValueShape::Text) || slot.shape == ValueShape::Any;
    let is_path = is_called(slot, &PATHS);
    may && (is_called(slot, &FILES)
        || is_path && (slot.about.is_empty() || says(slot, &FILES))
        || !is_content(slot) && slot.choices.is_empty() && opens_with(slot, &FILES))
}

/// Returns true if its description starts with one of the words: `The folder to look into`.
fn opens_with(slot: &ToolField, among: &SenseStems) -> bool {
    let first = words(&descriptions(&slot.schema));
    first.first().is_some_and(|word| among.contains(word))
}

/// Returns true if it takes the content of a file or the output of another step, rather than its name.
pub fn is_content(slot: &ToolField) -> bool {
    let last = slot.head().is_some_and(|head| CONTENTS.contains(head));
    let holds = matches!(slot.shape, ValueShape::List | ValueShape::Object | ValueShape::Any)
        || (slot.shape == ValueShape::Text
            && (slot.takes(ValueShape::List) || slot.takes(ValueShape::Object)));
    slot.choices.is_empty() && (last || holds) && !is_called(slot, &PATHS)
}

/// Returns true if its name ends with a word for data made by programs.
pub fn is_data(slot: &ToolField) -> bool {
    static DATA: LazyLock<SenseStems> = LazyLock::new(|| stems(&[&en::DATA_WORDS]));
    slot.head().is_some_and(|head| DATA.contains(head))
}

/// Returns true if it takes names of columns or of record fields.
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

/// Returns true if it takes rows: its description mentions columns, but its value names none.
fn is_content_of_rows(slot: &ToolField) -> bool {
    slot.takes(ValueShape::List) || slot.takes(ValueShape::Object)
}

/// Returns true if it takes a unit.
pub fn is_unit(slot: &ToolField) -> bool {
    let is_short = slot.about.len() <= 6;
    slot.shape == ValueShape::Text
        && slot.choices.is_empty()
        && (is_called(slot, &UNITS) || is_short && says(slot, &UNITS))
}

/// Returns true if its name ends with a word for a date or a time of day.
pub fn is_moment(slot: &ToolField) -> bool {
    static MOMENTS: LazyLock<SenseStems> =
        LazyLock::new(|| stems(&[&en::MOMENT_WORDS, &zh::MOMENT_WORDS]));
    slot.head().is_some_and(|head| MOMENTS.contains(head))
}

/// Returns true if it takes a count.
pub fn is_count(slot: &ToolField) -> bool {
    slot.shape == ValueShape::Integer && is_called(slot, &COUNTS)
}

/// A unit of time, with or without a fixed length.
pub type TimeSense = UnitSize;

/// Units of time by their words in requests and in parameter names.
static TIMES: LazyLock<BTreeMap<&str, TimeSense>> = LazyLock::new(|| {
    let all = UNIT_WORDS.iter().chain(zh::UNITS.iter()).chain(TIME_NAMES.iter());
    all.filter_map(|unit| Some((unit.word, unit.size?))).collect()
});

/// Returns the unit of time that a word names.
pub fn time(word: &str) -> Option<TimeSense> {
    TIMES.get(word.to_lowercase().as_str()).copied()
}

/// Returns the unit of time of a parameter by its name: `days`, `horizon_hours`, `timeout_ms`.
pub fn time_of(slot: &ToolField) -> Option<TimeSense> {
    let name = slot.path.iter().rev().find(|name| name.parse::<usize>().is_err())?;
    let last = name.rsplit(['_', '-', '.']).next()?;
    time(last).filter(|_| last.len() > 1)
}
