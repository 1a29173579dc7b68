//! Synonyms, also across languages.
//!
//! - in: a file with one group per line: `负荷预测 = load forecast`
//! - out: the words of a query, and their synonyms with less weight
//! - never: removes a word

use super::rank::QueryTerm;
use super::words::words;
use crate::lexicon::NameGroup;
use crate::lexicon::any::SYNONYMS;
use crate::weights::WEIGHTS;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Groups of names for one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Synonyms {
    groups: Vec<Vec<Vec<String>>>,
    /// Names by their first word: the group, and the index in the group.
    beginning: BTreeMap<String, Vec<(usize, usize)>>,
}

static BUILT_IN: LazyLock<Synonyms> = LazyLock::new(|| {
    let mut built_in = Synonyms::default();
    SYNONYMS.iter().for_each(|NameGroup(names)| built_in.group(names.iter().copied()));
    built_in
});

impl Synonyms {
    /// Returns the built-in synonyms.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads groups, one per line; `#` begins a comment. A line with a single name has no effect.
    pub fn read(text: &str) -> Self {
        let mut read = Self::default();
        read.take(text);
        read
    }

    fn take(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            self.group(line.split('='));
        }
    }

    fn group<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let names: Vec<Vec<String>> = names.map(words).filter(|name| !name.is_empty()).collect();
        let group = self.groups.len();
        for (place, name) in names.iter().enumerate() {
            if let Some(first) = name.first() {
                self.beginning.entry(first.clone()).or_default().push((group, place));
            }
        }
        self.groups.push(names);
    }

    /// Returns the built-in synonyms, followed by the groups in `text`.
    pub fn with_own(text: &str) -> Self {
        let mut all = Self::built_in().clone();
        all.take(text);
        all
    }

    /// Returns the words of a query with their weights, and their synonyms.
    pub fn asked(&self, text: &str) -> Vec<QueryTerm> {
        let own = words(text);
        let mut others: BTreeMap<&str, &str> = BTreeMap::new();
        for at in 0..own.len() {
            let rest = own.get(at..).unwrap_or_default();
            for (said, name) in self.others(rest) {
                for (place, word) in name.iter().enumerate() {
                    // The words of the synonym stand for the original words in their order.
                    let of = rest.get(place * said / name.len().max(1));
                    others.entry(word).or_insert(of.map_or("", String::as_str));
                }
            }
        }
        let new = others.into_iter().filter(|(word, _)| !own.iter().any(|said| said == word));
        let new = new.map(|(word, of)| QueryTerm {
            word: word.to_owned(),
            weight: WEIGHTS.search.other_name,
            of: of.to_owned(),
        });
        let new: Vec<QueryTerm> = new.collect();
        own.into_iter().map(said).chain(new).collect()
    }

    /// Returns the synonyms of a name at the beginning of `rest`, each with the length of that name in words.
    fn others<'a>(&'a self, rest: &[String]) -> Vec<(usize, &'a Vec<String>)> {
        let named = rest.first().and_then(|first| self.beginning.get(first));
        let mut found = Vec::new();
        for (group, place) in named.into_iter().flatten() {
            let Some(names) = self.groups.get(*group) else { continue };
            let Some(said) = names.get(*place).filter(|name| rest.starts_with(name)) else {
                continue;
            };
            let others = names.iter().enumerate().filter(|(other, _)| other != place);
            found.extend(others.map(|(_, name)| (said.len(), name)));
        }
        found
    }
}

fn said(word: String) -> QueryTerm {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    QueryTerm {
        weight: if is_number { WEIGHTS.search.number } else { 1.0 },
        ..QueryTerm::said(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_brings_its_other_names_and_a_part_of_it_brings_nothing() {
        let synonyms = Synonyms::read("负荷预测 = load forecast # power\nfilm = movie\nalone\n");
        let asked = |text: &str| {
            let found = synonyms.asked(text).into_iter().filter(|asked| asked.word != asked.of);
            found.map(|asked| format!("{}/{}", asked.word, asked.of)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(asked("明天的负荷预测"), "forecast/荷预 load/负荷");
        assert_eq!(asked("a load forecast"), "荷预/load 负荷/load 预测/forecast");
        assert_eq!(asked("load the file"), "");
        assert_eq!(asked("two films"), "movy/film");
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
