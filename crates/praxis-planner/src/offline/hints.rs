//! Scores parameters by their names: prepositions and kinds of values suggest certain words in a parameter name.

use super::needs::{ToolField, named};
use super::values::ValueKind;
use crate::lexicon::{WordGroup, en, zh};
use crate::retrieve::words::words;
use crate::weights::{KindHint, KindHints, WEIGHTS};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words in the stemmed form in which they are compared.
type HintStems = BTreeSet<String>;

/// The kinds of values by their names in `[kinds]`, with the weights of their hints.
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

/// The words of parameter names that each preposition suggests.
static BY_ROLE: LazyLock<Vec<(&[&str], HintStems)>> = LazyLock::new(|| {
    let names = |group: &WordGroup| {
        group.means.iter().flat_map(|names| names.split(' ')).flat_map(named).collect()
    };
    let all = en::ROLES.iter().chain(zh::ROLES.iter());
    all.map(|group| (group.words.as_slice(), names(group))).collect()
});

/// The words of parameter names that each kind of value suggests.
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

/// Returns the score of the word before a value for a parameter.
pub fn role(before: &str, slot: &ToolField) -> f32 {
    let known = BY_ROLE.iter().find(|(words, _)| {
        words.iter().any(|word| before.ends_with(word) && (before == *word || !word.is_ascii()))
    });
    if known.is_some_and(|(_, names)| is_named(slot, names)) { WEIGHTS.hints.role } else { 0.0 }
}

/// Returns the score of a value's kind for a parameter.
pub fn kind(kind: ValueKind, slot: &ToolField) -> f32 {
    let known = BY_KIND.iter().find(|(of, ..)| *of == kind);
    let Some((_, names, hint)) = known else { return 0.0 };
    if is_named(slot, names) { hint.called_so } else { -hint.against }
}

/// Returns true if the user typically chooses the parameter, such as a `format`: other tools rarely produce it.
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
