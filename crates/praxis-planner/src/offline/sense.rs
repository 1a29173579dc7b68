//! What a parameter is about, told by the words of its name and of what is said of it.
//!
//! - in: a parameter
//! - out: whether it takes a file, names of columns, a unit, how many, a length of time, or the content of something
//! - never: knows a tool by its name

use super::needs::{Shape, Slot};
use crate::lexicon::any::{TIME_NAMES, UNIT_WORDS};
use crate::lexicon::{List, UnitSize, en, zh};
use crate::retrieve::words::words;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

type Stems = BTreeSet<String>;

/// Words as they are compared.
fn stems(lists: &[&List<&'static str>]) -> Stems {
    lists.iter().flat_map(|list| list.iter()).flat_map(|word| words(word)).collect()
}

static FILES: LazyLock<Stems> = LazyLock::new(|| stems(&[&en::FILE_WORDS, &zh::FILE_WORDS]));
static PATHS: LazyLock<Stems> = LazyLock::new(|| stems(&[&en::PATH_WORDS]));
static COLUMNS: LazyLock<Stems> = LazyLock::new(|| stems(&[&en::COLUMN_WORDS, &zh::COLUMN_WORDS]));
static UNITS: LazyLock<Stems> = LazyLock::new(|| stems(&[&en::MEASURE_WORDS, &zh::MEASURE_WORDS]));
static COUNTS: LazyLock<Stems> = LazyLock::new(|| stems(&[&en::COUNT_WORDS, &zh::COUNT_WORDS]));
static CONTENTS: LazyLock<Stems> =
    LazyLock::new(|| stems(&[&en::CONTENT_WORDS, &zh::CONTENT_WORDS]));

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
    static DATA: LazyLock<Stems> = LazyLock::new(|| stems(&[&en::DATA_WORDS]));
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
    static MOMENTS: LazyLock<Stems> =
        LazyLock::new(|| stems(&[&en::MOMENT_WORDS, &zh::MOMENT_WORDS]));
    slot.head().is_some_and(|head| MOMENTS.contains(head))
}

/// Whether it says how many there are to be.
pub fn is_count(slot: &Slot) -> bool {
    slot.shape == Shape::Integer && is_called(slot, &COUNTS)
}

/// A unit of time, which may be one of a fixed length.
pub type Time = UnitSize;

/// Units of time by the words of names and by what people write.
static TIMES: LazyLock<BTreeMap<&str, Time>> = LazyLock::new(|| {
    let all = UNIT_WORDS.iter().chain(zh::UNITS.iter()).chain(TIME_NAMES.iter());
    all.filter_map(|unit| Some((unit.word, unit.size?))).collect()
});

/// The unit of time that a word names.
pub fn time(word: &str) -> Option<Time> {
    TIMES.get(word.to_lowercase().as_str()).copied()
}

/// The unit of time in which a parameter counts: `days`, `horizon_hours`, `timeout_ms`.
pub fn time_of(slot: &Slot) -> Option<Time> {
    let name = slot.path.iter().rev().find(|name| name.parse::<usize>().is_err())?;
    let last = name.rsplit(['_', '-', '.']).next()?;
    time(last).filter(|_| last.len() > 1)
}
