//! Scores the documents of an index for a query, and selects the best.
//!
//! - in: weighted words, some of them synonyms
//! - out: the best documents, exactly those that a full scoring of all documents would give
//! - never: reads all postings of a common word once the rare words have decided

use super::index::{Posting, PostingList, WordIndex};
use crate::weights::WEIGHTS;
use std::collections::BTreeMap;

/// The relative tolerance between sums of the same numbers in different orders.
const SLACK: f32 = 1e-3;
/// The cost of looking a document up in a posting list, in postings read one by one.
const LOOKING_UP: usize = 32;

/// A word of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// The word.
    pub word: String,
    /// The weight of the word.
    pub weight: f32,
    /// The original word, which differs from `word` for a synonym. Of all terms with the same `of` only the best
    /// counts.
    pub of: String,
}

impl QueryTerm {
    /// Creates a term for an original word.
    pub fn said(word: String) -> Self {
        Self { of: word.clone(), word, weight: 1.0 }
    }
}

/// A document that matches a query.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedDocument<K> {
    /// The key of the document.
    pub key: K,
    /// The score; comparable only within one query.
    pub score: f32,
}

/// A query resolved against an index: for each original word, in alphabetical order, its names that the index knows.
pub(super) struct ResolvedQuery<'a> {
    things: Vec<Vec<TermVariant<'a>>>,
}

/// A name of a queried thing: the original word or a synonym.
struct TermVariant<'a> {
    word: &'a str,
    list: &'a PostingList,
    /// The factor for its worth in a document: rarity, weight and repetitions in the query.
    rare: f32,
}

impl TermVariant<'_> {
    fn worth(&self, place: u32) -> Option<f32> {
        let postings = self.list.postings();
        let at = postings.binary_search_by_key(&place, |posting| posting.document).ok()?;
        postings.get(at).map(|posting| self.rare * posting.worth)
    }
}

impl ResolvedQuery<'_> {
    /// Returns the score of a document.
    fn score(&self, place: u32) -> f32 {
        self.things.iter().filter_map(|names| best_name(names, place)).map(|(_, worth)| worth).sum()
    }
}

/// Returns the name with the highest worth in a document.
fn best_name<'a>(names: &[TermVariant<'a>], place: u32) -> Option<(&'a str, f32)> {
    let worths = names.iter().filter_map(|name| Some((name.word, name.worth(place)?)));
    worths.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

impl<K: Ord + Clone> WordIndex<K> {
    /// Returns the best documents, by descending score and then by key.
    pub fn rank(&self, question: &[QueryTerm], most: usize) -> Vec<RankedDocument<K>> {
        self.best(&self.weighed(question), most)
    }

    /// Returns the share of the words `own` that a document has.
    #[expect(clippy::cast_precision_loss, reason = "words of a request")]
    pub fn share(&self, own: &[String], key: &K) -> f32 {
        let asked: Vec<QueryTerm> = own.iter().cloned().map(QueryTerm::said).collect();
        let shared = self.explain(&asked, key);
        let shared = own.iter().filter(|word| shared.iter().any(|(it, _)| it == *word)).count();
        shared as f32 / own.len().max(1) as f32
    }

    /// Returns the words that match a document, by descending worth.
    pub fn explain(&self, question: &[QueryTerm], key: &K) -> Vec<(String, f32)> {
        self.reasons(&self.weighed(question), key)
    }

    /// Like [`Self::explain`], for a resolved query.
    pub(super) fn reasons(&self, question: &ResolvedQuery<'_>, key: &K) -> Vec<(String, f32)> {
        let Some(place) = self.place(key) else { return vec![] };
        let best = question.things.iter().filter_map(|names| best_name(names, place));
        let mut reasons: Vec<(String, f32)> =
            best.map(|(word, worth)| (word.to_owned(), worth)).collect();
        reasons.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        reasons
    }

    /// Returns the score of a document; 0 if it is not indexed.
    pub(super) fn score(&self, question: &ResolvedQuery<'_>, key: &K) -> f32 {
        self.place(key).map_or(0.0, |place| question.score(place))
    }

    /// Resolves a query against this index.
    pub(super) fn weighed<'a>(&'a self, question: &'a [QueryTerm]) -> ResolvedQuery<'a> {
        let mut things: BTreeMap<&str, BTreeMap<&str, (f32, f32)>> = BTreeMap::new();
        for asked in question {
            let names = things.entry(&asked.of).or_default();
            let (count, weight) = names.entry(&asked.word).or_default();
            *count += 1.0;
            *weight = weight.max(asked.weight);
        }
        let name = |(word, (count, weight)): (&'a str, (f32, f32))| {
            let list = self.list(word)?;
            let often = count.min(WEIGHTS.index.most_repeats).sqrt();
            Some(TermVariant {
                word,
                list,
                rare: self.rarity(list.postings().len()) * weight * often,
            })
        };
        let known = |names: BTreeMap<&'a str, _>| names.into_iter().filter_map(name).collect();
        let things = things.into_values().map(known).filter(|names: &Vec<_>| !names.is_empty());
        ResolvedQuery { things: things.collect() }
    }

    /// Returns the rarity (inverse document frequency) of a word that `having` documents have.
    #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
    fn rarity(&self, having: usize) -> f32 {
        let (all, having) = (self.len() as f32, having as f32);
        (1.0 + (all - having + WEIGHTS.index.smoothing) / (having + WEIGHTS.index.smoothing)).ln()
    }

    /// Returns the best documents, by descending score and then by key.
    ///
    /// Queried things are added by descending ceiling. As soon as the remaining ones cannot lift a new document among
    /// the best, only the documents that can still get there are considered. Those that are left are scored again in
    /// the order of `question`, so that the sums equal those of [`Self::score`].
    pub(super) fn best(&self, question: &ResolvedQuery<'_>, most: usize) -> Vec<RankedDocument<K>> {
        let mut things: Vec<TermGroup<'_>> =
            question.things.iter().map(|it| TermGroup::of(it)).collect();
        things.sort_by(|a, b| b.ceiling.total_cmp(&a.ceiling));
        let mut sums = RankSums::of(self.width(), most);
        let mut rest: f32 = things.iter().map(|thing| thing.ceiling).sum();
        for thing in &things {
            sums.add(thing, rest);
            rest -= thing.ceiling;
        }
        sums.keep(0.0);
        let hit = |place: u32| {
            Some(RankedDocument { key: self.key(place)?.clone(), score: question.score(place) })
        };
        best(sums.open.into_iter().filter_map(hit).collect(), most)
    }
}

/// A queried thing, ready to be added up.
struct TermGroup<'a> {
    names: &'a [TermVariant<'a>],
    /// The maximum worth in any document.
    ceiling: f32,
}

impl<'a> TermGroup<'a> {
    fn of(names: &'a [TermVariant<'a>]) -> Self {
        let ceiling = names.iter().map(|name| name.rare * name.list.ceiling()).fold(0.0, f32::max);
        Self { names, ceiling }
    }

    /// Calls `tell` with each document and its worth, by slot.
    fn each(&self, mut tell: impl FnMut(u32, f32)) {
        if let [name] = self.names {
            name.list.postings().iter().for_each(|it| tell(it.document, name.rare * it.worth));
            return;
        }
        let scaled = |name: &TermVariant<'_>| -> Vec<Posting> {
            let postings = name.list.postings().iter();
            postings.map(|it| Posting { worth: name.rare * it.worth, ..*it }).collect()
        };
        let mut all: Vec<Posting> = self.names.iter().flat_map(scaled).collect();
        all.sort_by_key(|posting| posting.document);
        for same in all.chunk_by(|a, b| a.document == b.document) {
            let best = same.iter().map(|posting| posting.worth).fold(0.0, f32::max);
            same.first().into_iter().for_each(|posting| tell(posting.document, best));
        }
    }

    fn length(&self) -> usize {
        self.names.iter().map(|name| name.list.postings().len()).sum()
    }
}

/// Partial sums of documents.
struct RankSums {
    by_place: Vec<f32>,
    /// The documents that may be among the best.
    open: Vec<u32>,
    /// The highest sum.
    top: f32,
    most: usize,
    closed: bool,
}

impl RankSums {
    fn of(width: usize, most: usize) -> Self {
        Self { by_place: vec![0.0; width], open: vec![], top: 0.0, most, closed: false }
    }

    /// Adds the worth of a thing; `rest` is the most that any document can get from it and all following ones.
    fn add(&mut self, thing: &TermGroup<'_>, rest: f32) {
        let may_close = !self.closed && rest < self.top;
        self.closed |= may_close && self.least().is_some_and(|least| rest < least);
        if !self.closed {
            let Self { by_place, open, top, .. } = self;
            thing.each(|place, worth| {
                let Some(sum) = by_place.get_mut(place as usize) else { return };
                if *sum == 0.0 {
                    open.push(place);
                }
                *sum += worth;
                *top = top.max(*sum);
            });
            return;
        }
        self.keep(rest);
        let Self { by_place, open, .. } = self;
        if open.len() * LOOKING_UP < thing.length() {
            for place in open {
                let worth = best_name(thing.names, *place).map_or(0.0, |(_, worth)| worth);
                by_place.get_mut(*place as usize).into_iter().for_each(|sum| *sum += worth);
            }
        } else {
            thing.each(|place, worth| {
                by_place.get_mut(place as usize).into_iter().for_each(|sum| *sum += worth);
            });
        }
    }

    /// Keeps the documents that can get among the best with `rest` more.
    fn keep(&mut self, rest: f32) {
        let Some(least) = self.least() else { return };
        let Self { by_place, open, .. } = self;
        let sum = |place: u32| by_place.get(place as usize).copied().unwrap_or_default();
        open.retain(|place| sum(*place) + rest >= least);
    }

    /// Returns the sum of the last of the best documents, if there are enough; lowered by `SLACK`, so that rounding
    /// does not decide.
    fn least(&self) -> Option<f32> {
        let last = self.most.checked_sub(1)?;
        let mut all: Vec<f32> = self
            .open
            .iter()
            .filter_map(|place| self.by_place.get(*place as usize).copied())
            .collect();
        if all.len() <= last {
            return None;
        }
        let (_, least, _) = all.select_nth_unstable_by(last, |a, b| b.total_cmp(a));
        Some(*least * (1.0 - SLACK))
    }
}

/// Returns the best hits in order.
pub(super) fn best<K: Ord>(
    mut hits: Vec<RankedDocument<K>>,
    most: usize,
) -> Vec<RankedDocument<K>> {
    let better = |a: &RankedDocument<K>, b: &RankedDocument<K>| {
        b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key))
    };
    if hits.len() > most {
        hits.select_nth_unstable_by(most, better);
        hits.truncate(most);
    }
    hits.sort_unstable_by(better);
    hits
}

#[cfg(test)]
mod tests {
    use super::super::index::{DocumentField, IndexedDocument};
    use super::super::words::words;
    use super::*;
    use proptest::prelude::*;

    fn other(word: &str, of: &str) -> QueryTerm {
        QueryTerm { word: word.to_owned(), weight: 0.5, of: of.to_owned() }
    }

    fn document(text: &str) -> IndexedDocument {
        vec![(DocumentField::About, words(text))]
    }

    #[test]
    fn of_all_names_of_one_thing_the_best_counts_and_only_that() {
        let mut index = WordIndex::default();
        for (key, text) in [("all", "rain snow hail"), ("one", "sky"), ("none", "mail")] {
            index.put(key, &document(text));
        }
        let names = ["rain", "snow", "hail"].map(|word| other(word, "sky"));
        let question = [&[QueryTerm::said("sky".to_owned())][..], &names].concat();
        let found = index.rank(&question, 9);
        assert_eq!(found.iter().map(|hit| hit.key).collect::<Vec<_>>(), ["one", "all"]);
        assert_eq!(index.explain(&question, &"all").len(), 1);
    }

    proptest! {
        #[test]
        fn the_best_are_those_that_adding_up_everything_gives(
            texts in proptest::collection::vec("[a-c]{1,2}( [a-c]{1,2}){0,5}", 1..60),
            question in proptest::collection::vec(("[a-c]{1,2}", "[a-c]{1,2}"), 1..9),
            most in 0_usize..12,
        ) {
            let mut index = WordIndex::default();
            for (key, text) in texts.iter().enumerate() {
                index.put(key, &document(text));
            }
            let said = question.iter().map(|(word, _)| QueryTerm::said(word.clone()));
            let others = question.iter().map(|(word, name)| other(name, word));
            let question: Vec<QueryTerm> = said.chain(others).collect();
            let weighed = index.weighed(&question);
            let every = |key| RankedDocument { key, score: index.score(&weighed, &key) };
            let every: Vec<RankedDocument<usize>> = (0..texts.len()).map(every).collect();
            let mut naive: Vec<RankedDocument<usize>> = every.into_iter().filter(|hit| hit.score > 0.0).collect();
            naive.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
            naive.truncate(most);
            prop_assert_eq!(index.best(&weighed, most), naive);
        }
    }
}
