//! What prepositions and kinds of values say for parameters: the words that names of such parameters have.

use super::needs::{Slot, named};
use super::values::Kind;
use crate::lexicon::{Group, en, zh};
use crate::retrieve::words::words;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words as they are compared.
type Stems = BTreeSet<String>;

/// Kinds of values by the names of `[kinds]`, how much a kind says for a parameter that is called so, and how much it
/// says against one that is called otherwise.
const KINDS: [(Kind, &str, f32, f32); 13] = [
    (Kind::Quote, "quote", 0.4, 0.0),
    (Kind::Email, "email", 1.5, 0.7),
    (Kind::Url, "url", 1.5, 0.7),
    (Kind::Path, "path", 1.5, 0.0),
    (Kind::Date, "date", 1.5, 0.7),
    (Kind::DateTime, "date_time", 1.5, 0.7),
    (Kind::Time, "time", 1.5, 0.7),
    (Kind::Phone, "phone", 1.5, 0.7),
    (Kind::Id, "id", 0.8, 0.0),
    (Kind::Name, "name", 0.5, 0.0),
    (Kind::Money, "money", 0.8, 0.0),
    (Kind::Percent, "percent", 0.8, 0.0),
    (Kind::Span, "span", 0.8, 0.0),
];

/// What a matching preposition says.
const ROLE: f32 = 1.2;

/// What a parameter is called whose value stands behind a preposition.
static BY_ROLE: LazyLock<Vec<(&[&str], Stems)>> = LazyLock::new(|| {
    let names = |group: &Group| {
        group.means.iter().flat_map(|names| names.split(' ')).flat_map(named).collect()
    };
    let all = en::ROLES.iter().chain(zh::ROLES.iter());
    all.map(|group| (group.words.as_slice(), names(group))).collect()
});

/// What a parameter is called that takes a kind of value.
static BY_KIND: LazyLock<Vec<(Kind, Stems, f32, f32)>> = LazyLock::new(|| {
    let names = |name: &str| -> Stems {
        let groups = en::KINDS.iter().filter(|group| group.words.contains(&name));
        groups.flat_map(|group| &group.means).flat_map(|names| words(names)).collect()
    };
    KINDS.iter().map(|(kind, name, more, less)| (*kind, names(name), *more, *less)).collect()
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
    static CHOSEN: LazyLock<Stems> =
        LazyLock::new(|| en::CHOSEN.iter().flat_map(|word| words(word)).collect());
    slot.head().is_some_and(|head| CHOSEN.contains(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lexicon_names_the_kinds_of_values_that_there_are() {
        let known = |name: &&str| KINDS.iter().any(|(_, known, ..)| known == name);
        assert!(en::KINDS.iter().flat_map(|group| &group.words).all(|name| known(&name)));
        assert!(BY_KIND.iter().all(|(_, names, ..)| !names.is_empty()));
    }
}
