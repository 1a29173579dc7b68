//! What prepositions and kinds of values say for parameters: the words that names of such parameters have.

use super::needs::{ToolField, named};
use super::values::ValueKind;
use crate::lexicon::{WordGroup, en, zh};
use crate::retrieve::words::words;
use crate::weights::{KindHint, KindHints, WEIGHTS};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words as they are compared.
type HintStems = BTreeSet<String>;

/// Kinds of values by the names of `[kinds]`, with what they say for parameters.
const KINDS: [(ValueKind, &str, KindHint); 13] = [
    (ValueKind::Quote, "quote", HINTS.quote),
    (ValueKind::Email, "email", HINTS.email),
    (ValueKind::Url, "url", HINTS.url),
    (ValueKind::Path, "path", HINTS.path),
    (ValueKind::Date, "date", HINTS.date),
    (ValueKind::DateTime, "date_time", HINTS.date_time),
    (ValueKind::Time, "time", HINTS.time),
    (ValueKind::Phone, "phone", HINTS.phone),
    (ValueKind::Id, "id", HINTS.id),
    (ValueKind::Name, "name", HINTS.name),
    (ValueKind::Money, "money", HINTS.money),
    (ValueKind::Percent, "percent", HINTS.percent),
    (ValueKind::Span, "span", HINTS.span),
];
const HINTS: KindHints = WEIGHTS.hints.kinds;

/// What a parameter is called whose value stands behind a preposition.
static BY_ROLE: LazyLock<Vec<(&[&str], HintStems)>> = LazyLock::new(|| {
    let names = |group: &WordGroup| {
        group.means.iter().flat_map(|names| names.split(' ')).flat_map(named).collect()
    };
    let all = en::ROLES.iter().chain(zh::ROLES.iter());
    all.map(|group| (group.words.as_slice(), names(group))).collect()
});

/// What a parameter is called that takes a kind of value.
static BY_KIND: LazyLock<Vec<(ValueKind, HintStems, KindHint)>> = LazyLock::new(|| {
    let names = |name: &str| -> HintStems {
        let groups = en::KINDS.iter().filter(|group| group.words.contains(&name));
        groups.flat_map(|group| &group.means).flat_map(|names| words(names)).collect()
    };
    KINDS.iter().map(|(kind, name, hint)| (*kind, names(name), *hint)).collect()
});

fn is_named(slot: &ToolField, names: &HintStems) -> bool {
    slot.name.iter().any(|word| names.contains(word))
}

/// What the word before a value says for a parameter.
pub fn role(before: &str, slot: &ToolField) -> f32 {
    let known = BY_ROLE.iter().find(|(words, _)| {
        words.iter().any(|word| before.ends_with(word) && (before == *word || !word.is_ascii()))
    });
    if known.is_some_and(|(_, names)| is_named(slot, names)) { WEIGHTS.hints.role } else { 0.0 }
}

/// What the kind of a value says for a parameter.
pub fn kind(kind: ValueKind, slot: &ToolField) -> f32 {
    let known = BY_KIND.iter().find(|(of, ..)| *of == kind);
    let Some((_, names, hint)) = known else { return 0.0 };
    if is_named(slot, names) { hint.called_so } else { -hint.against }
}

/// What ends in one of these is chosen by whoever asks, and seldom made by another tool.
pub fn is_manner(slot: &ToolField) -> bool {
    static CHOSEN: LazyLock<HintStems> =
        LazyLock::new(|| en::CHOSEN.iter().flat_map(|word| words(word)).collect());
    slot.head().is_some_and(|head| CHOSEN.contains(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lexicon_names_the_kinds_of_values_that_there_are() {
        let known = |name: &&str| KINDS.iter().any(|(_, known, ..)| known == name);
        assert!(en::KINDS.iter().flat_map(|group| &group.words).all(known));
        assert!(BY_KIND.iter().all(|(_, names, ..)| !names.is_empty()));
    }
}
