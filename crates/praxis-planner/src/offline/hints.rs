//! What prepositions and kinds of values say for parameters: the words that names of such parameters have.

use super::needs::{Slot, named};
use super::values::Kind;
use crate::retrieve::words::words;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words as they are compared.
type Stems = BTreeSet<String>;

fn stems(text: &str) -> Stems {
    words(text).into_iter().collect()
}

/// What a parameter is called whose value stands behind a preposition.
const ROLES: [(&[&str], &str); 10] = [
    (&["from"], "from origin source start departure sender begin since pickup"),
    (&["to"], "to destination target end recipient receiver until arrival"),
    (
        &["in", "at", "near", "within"],
        "location city country place region area language address venue environment state site text",
    ),
    (&["into"], "language format unit target"),
    (&["on"], "date day platform device topic"),
    (&["by"], "author artist director creator by user"),
    (&["for"], "duration period keyword query product name purpose"),
    (&["about", "regarding"], "topic subject query keyword"),
    (&["during", "over"], "period time duration range"),
    (&["with", "saying"], "message name text content"),
];

/// The same in Chinese; the preposition stands right before the value.
const ROLES_ZH: [(&[&str], &str); 3] = [
    (&["从", "自", "由"], "from origin source start departure begin since 起点 开始 起始 来源"),
    (&["到", "至", "往"], "to destination target end until arrival 终点 结束 目标 截止"),
    (&["在", "于"], "location city place region area 地点 城市 地区 位置"),
];

/// What a parameter is called that takes a kind of value, how much that says for it, and how much it says against one
/// that is called otherwise.
const KINDS: [(Kind, &str, f32, f32); 13] = [
    (
        Kind::Quote,
        "text message content title name query keyword subject description search",
        0.4,
        0.0,
    ),
    (Kind::Email, "email mail recipient sender to from", 1.5, 0.7),
    (Kind::Url, "url link website uri source address", 1.5, 0.7),
    (Kind::Path, "path file filename folder directory image audio video document", 1.5, 0.0),
    (Kind::Date, DATES, 1.5, 0.7),
    (Kind::DateTime, DATES, 1.5, 0.7),
    (Kind::Time, "time hour start end when", 1.5, 0.7),
    (Kind::Phone, "phone number mobile contact", 1.5, 0.7),
    (Kind::Id, "id code number key token identifier symbol ticker version", 0.8, 0.0),
    (Kind::Name, NAMES, 0.5, 0.0),
    (
        Kind::Money,
        "price amount cost budget salary income principal total loan fee value",
        0.8,
        0.0,
    ),
    (Kind::Percent, "rate percentage percent ratio discount share", 0.8, 0.0),
    (Kind::Span, "duration period time length hour day term year month", 0.8, 0.0),
];
const DATES: &str =
    "date day start end time deadline birth until since when period year month check";
const NAMES: &str =
    "name city country location author artist title company person place origin destination";

/// What a matching preposition says.
const ROLE: f32 = 1.2;

static BY_ROLE: LazyLock<Vec<(&'static [&'static str], Stems)>> = LazyLock::new(|| {
    let names = |names: &str| names.split(' ').flat_map(named).collect();
    ROLES.iter().chain(&ROLES_ZH).map(|(before, of)| (*before, names(of))).collect()
});

static BY_KIND: LazyLock<Vec<(Kind, Stems, f32, f32)>> = LazyLock::new(|| {
    KINDS.iter().map(|(kind, names, more, less)| (*kind, stems(names), *more, *less)).collect()
});

fn is_named(slot: &Slot, names: &Stems) -> bool {
    slot.name.iter().any(|word| names.contains(word))
}

/// What the word before a value says for a parameter.
pub fn role(before: &str, slot: &Slot) -> f32 {
    let known = BY_ROLE.iter().find(|(words, _)| {
        words.iter().any(|word| before.ends_with(word) && (before == *word || !word.is_ascii()))
    });
    if known.is_some_and(|(_, names)| is_named(slot, names)) { ROLE } else { 0.0 }
}

/// What the kind of a value says for a parameter.
pub fn kind(kind: Kind, slot: &Slot) -> f32 {
    let known = BY_KIND.iter().find(|(of, ..)| *of == kind);
    known.map_or(0.0, |(_, names, more, less)| if is_named(slot, names) { *more } else { -less })
}

/// What ends in one of these is chosen by whoever asks, and seldom made by another tool.
pub fn is_manner(slot: &Slot) -> bool {
    static MANNERS: LazyLock<Stems> = LazyLock::new(|| {
        stems("type style method format count title tool mode option purpose budget category")
    });
    slot.head().is_some_and(|head| MANNERS.contains(head))
}
