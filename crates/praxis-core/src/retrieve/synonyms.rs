//! Words that mean the same, across languages too.
//!
//! - in: a file with one group a line: `负荷预测 = load forecast`
//! - out: the words of a question, and beside them, with less weight, what else they are called
//! - never: takes a word away

use super::words::words;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What another name of a word counts, beside the word itself.
const BESIDE: f32 = 0.5;

/// Groups of names for one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    groups: Vec<Vec<Vec<String>>>,
    /// The names that begin with a word: their group and their place in it.
    beginning: BTreeMap<String, Vec<(usize, usize)>>,
}

static BUILT_IN: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("synonyms.txt")));

impl Synonyms {
    /// Those that Praxis brings.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads groups, one a line; what stands after `#` is a remark. A line with a single name says nothing.
    pub fn read(text: &str) -> Self {
        let mut read = Self::default();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let names: Vec<Vec<String>> =
                line.split('=').map(words).filter(|name| !name.is_empty()).collect();
            let group = read.groups.len();
            for (place, name) in names.iter().enumerate() {
                if let Some(first) = name.first() {
                    read.beginning.entry(first.clone()).or_default().push((group, place));
                }
            }
            read.groups.push(names);
        }
        read
    }

    /// The words of a question with their weights, and what else they are called.
    pub fn asked(&self, text: &str) -> Vec<(String, f32)> {
        let own = words(text);
        let mut others: BTreeMap<&str, f32> = BTreeMap::new();
        for at in 0..own.len() {
            for name in self.others(own.get(at..).unwrap_or_default()) {
                others.extend(name.iter().map(|word| (word.as_str(), BESIDE)));
            }
        }
        let said: Vec<String> = own.clone();
        let new = others.into_iter().filter(|(word, _)| !said.iter().any(|said| said == word));
        let new = new.map(|(word, weight)| (word.to_owned(), weight));
        own.into_iter().map(|word| (word, 1.0)).chain(new).collect()
    }

    /// The other names of what stands at the beginning of some words.
    fn others<'a>(&'a self, rest: &[String]) -> Vec<&'a Vec<String>> {
        let named = rest.first().and_then(|first| self.beginning.get(first));
        let mut found = Vec::new();
        for (group, place) in named.into_iter().flatten() {
            let Some(names) = self.groups.get(*group) else { continue };
            if names.get(*place).is_some_and(|name| rest.starts_with(name)) {
                let others = names.iter().enumerate().filter(|(other, _)| other != place);
                found.extend(others.map(|(_, name)| name));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_brings_its_other_names_and_a_part_of_it_brings_nothing() {
        let synonyms = Synonyms::read("负荷预测 = load forecast # power\nfilm = movie\nalone\n");
        let asked = |text: &str| {
            let found = synonyms.asked(text).into_iter().filter(|(_, weight)| *weight < 1.0);
            found.map(|(word, _)| word).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(asked("明天的负荷预测"), "forecast load");
        assert_eq!(asked("a load forecast"), "荷预 负荷 预测");
        assert_eq!(asked("load the file"), "");
        assert_eq!(asked("two films"), "movi");
        assert_eq!(asked("film or movie"), "", "what is said already is not said again");
    }

    #[test]
    fn every_group_that_praxis_brings_has_two_names_that_differ() {
        for group in &Synonyms::built_in().groups {
            let distinct: std::collections::BTreeSet<_> = group.iter().collect();
            assert!(group.is_empty() || distinct.len() > 1, "{group:?}");
        }
    }
}
