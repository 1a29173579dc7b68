//! An in-memory inverted index over documents with several fields, updated one document at a time.
//!
//! - in: documents as words by field; a query as weighted words
//! - out: the best documents, and the words that match (`rank.rs` computes the scores)
//! - never: ranks the same documents differently because they were added in another order

use crate::weights::{FieldWeight, WEIGHTS};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A field of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentField {
    /// The name.
    Name,
    /// The description.
    About,
    /// The parameters.
    Parameter,
    /// The allowed values of parameters.
    Choice,
    /// The outputs.
    Output,
    /// The tags.
    Tag,
}

impl DocumentField {
    /// Returns the weight of a word in this field and the usual length of the field. The usual length is a constant
    /// and not an average over the index, so the worth of a word is known when its document is added.
    fn weight(self) -> FieldWeight {
        let fields = WEIGHTS.index.fields;
        match self {
            Self::Name => fields.name,
            Self::About => fields.about,
            Self::Parameter => fields.parameter,
            Self::Choice => fields.choice,
            Self::Output => fields.output,
            Self::Tag => fields.tag,
        }
    }

    /// Returns the length of the text that contains a word: a part with `own` words of a field with `whole` words.
    /// Each tag is a text of its own and keeps its worth, however many others there are.
    fn length(self, own: f32, whole: f32) -> f32 {
        match self {
            Self::Tag => own.max(whole.min(self.weight().usual)),
            Self::Name | Self::About | Self::Parameter | Self::Choice | Self::Output => whole,
        }
    }
}

/// The words of a document by field; each tag is an entry of its own.
pub type IndexedDocument = Vec<(DocumentField, Vec<String>)>;

/// Documents, indexed by their words.
#[derive(Clone, Debug)]
pub struct WordIndex<K> {
    words: BTreeMap<Arc<str>, u32>,
    lists: Vec<PostingList>,
    free_lists: Vec<u32>,
    documents: Vec<Option<IndexEntry<K>>>,
    places: BTreeMap<K, u32>,
    free: Vec<u32>,
}

/// The documents that contain a word, by their slots.
#[derive(Clone, Debug, Default)]
pub(super) struct PostingList {
    word: Arc<str>,
    postings: Vec<Posting>,
    /// An upper bound of the worth of all postings. It is not lowered when a posting is removed.
    ceiling: f32,
}

impl PostingList {
    pub(super) fn postings(&self) -> &[Posting] {
        &self.postings
    }

    pub(super) fn ceiling(&self) -> f32 {
        self.ceiling
    }
}

/// A document that contains a word, and the worth of the word there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) document: u32,
    pub(super) worth: f32,
}

#[derive(Clone, Debug)]
struct IndexEntry<K> {
    key: K,
    lists: Box<[u32]>,
}

impl<K> Default for WordIndex<K> {
    fn default() -> Self {
        Self {
            words: BTreeMap::new(),
            lists: vec![],
            free_lists: vec![],
            documents: vec![],
            places: BTreeMap::new(),
            free: vec![],
        }
    }
}

impl<K: Ord + Clone> WordIndex<K> {
    /// Adds a document, or replaces the one with this key.
    pub fn put(&mut self, key: K, document: &IndexedDocument) {
        self.remove(&key);
        let place = self.free.pop().unwrap_or_else(|| {
            self.documents.push(None);
            number(self.documents.len() - 1)
        });
        let mut lists = Vec::new();
        for (word, worth) in worths(document) {
            let at = self.list_of(word);
            lists.push(at);
            let Some(list) = self.lists.get_mut(at as usize) else { continue };
            let before = list.postings.partition_point(|posting| posting.document < place);
            list.postings.insert(before, Posting { document: place, worth });
            list.ceiling = list.ceiling.max(worth);
        }
        if let Some(slot) = self.documents.get_mut(place as usize) {
            *slot = Some(IndexEntry { key: key.clone(), lists: lists.into_boxed_slice() });
        }
        self.places.insert(key, place);
    }

    /// Removes a document.
    pub fn remove(&mut self, key: &K) {
        let Some(place) = self.places.remove(key) else { return };
        let entry = self.documents.get_mut(place as usize).and_then(Option::take);
        for at in entry.iter().flat_map(|entry| &entry.lists) {
            let Some(list) = self.lists.get_mut(*at as usize) else { continue };
            if let Ok(own) = list.postings.binary_search_by_key(&place, |it| it.document) {
                list.postings.remove(own);
            }
            if list.postings.is_empty() {
                self.words.remove(&list.word);
                *list = PostingList::default();
                self.free_lists.push(*at);
            }
        }
        self.free.push(place);
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there are no documents.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of slots, free ones included.
    pub(super) fn width(&self) -> usize {
        self.documents.len()
    }

    pub(super) fn list(&self, word: &str) -> Option<&PostingList> {
        self.lists.get(*self.words.get(word)? as usize)
    }

    pub(super) fn place(&self, key: &K) -> Option<u32> {
        self.places.get(key).copied()
    }

    pub(super) fn key(&self, place: u32) -> Option<&K> {
        Some(&self.documents.get(place as usize)?.as_ref()?.key)
    }

    /// Returns the number of a word's posting list, and creates the list if needed.
    fn list_of(&mut self, word: &str) -> u32 {
        if let Some(at) = self.words.get(word) {
            return *at;
        }
        let at = self.free_lists.pop().unwrap_or_else(|| {
            self.lists.push(PostingList::default());
            number(self.lists.len() - 1)
        });
        let word: Arc<str> = word.into();
        if let Some(list) = self.lists.get_mut(at as usize) {
            list.word = Arc::clone(&word);
        }
        self.words.insert(word, at);
        at
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Returns the worth of each word in a document: BM25 over weighted fields.
#[expect(clippy::cast_precision_loss, reason = "lengths of texts")]
fn worths(document: &IndexedDocument) -> BTreeMap<&str, f32> {
    let mut lengths: BTreeMap<DocumentField, usize> = BTreeMap::new();
    for (field, words) in document {
        *lengths.entry(*field).or_default() += words.len();
    }
    let mut counted: BTreeMap<&str, f32> = BTreeMap::new();
    for (field, words) in document {
        let FieldWeight { weight, usual } = field.weight();
        let whole = lengths.get(field).copied().unwrap_or_default() as f32;
        let length = field.length(words.len() as f32, whole);
        let one = weight / (1.0 - WEIGHTS.index.length + WEIGHTS.index.length * length / usual);
        for word in words {
            *counted.entry(word).or_default() += one;
        }
    }
    for worth in counted.values_mut() {
        *worth *= (WEIGHTS.index.saturation + 1.0) / (*worth + WEIGHTS.index.saturation);
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::super::rank::QueryTerm;
    use super::super::words::words;
    use super::*;
    use proptest::prelude::*;

    fn asked(text: &str) -> Vec<QueryTerm> {
        words(text).into_iter().map(QueryTerm::said).collect()
    }

    fn document(name: &str, about: &str) -> IndexedDocument {
        vec![(DocumentField::Name, words(name)), (DocumentField::About, words(about))]
    }

    #[test]
    fn what_has_the_rare_words_comes_first_and_what_has_none_not_at_all() {
        let mut index = WordIndex::default();
        index.put("mail", &document("send_mail", "sends a message to somebody"));
        index.put("chat", &document("send_chat", "sends a message into a room"));
        index.put("sum", &document("add_numbers", "adds numbers"));
        let found = index.rank(&asked("send a mail"), 9);
        assert_eq!(found.iter().map(|hit| hit.key).collect::<Vec<_>>(), ["mail", "chat"]);
        let why = index.explain(&asked("send a mail"), &"mail");
        assert_eq!(why.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>(), ["mail", "send"]);
    }

    #[test]
    fn a_long_description_counts_each_of_its_words_less() {
        let mut index = WordIndex::default();
        index.put(
            "a long",
            &document("", "mail and much that is not about it, over and over again"),
        );
        index.put("short", &document("", "mail"));
        let found = index.rank(&asked("mail"), 9);
        assert_eq!(found.iter().map(|hit| hit.key).collect::<Vec<_>>(), ["short", "a long"]);
    }

    #[test]
    fn a_tag_says_the_same_however_many_stand_beside_it() {
        let mut index = WordIndex::default();
        let tags =
            |tags: &[&str]| tags.iter().map(|tag| (DocumentField::Tag, words(tag))).collect();
        index.put("few", &tags(&["mail", "letter"]));
        index.put("long", &tags(&["mail order of spare parts", "letter"]));
        index.put("many", &tags(&["mail", "letter", "parcel", "stamp", "envelope", "post"]));
        let found = index.rank(&asked("mail"), 9);
        assert_eq!(found.iter().map(|hit| hit.key).collect::<Vec<_>>(), ["few", "many", "long"]);
        assert!((found[0].score - found[1].score).abs() < f32::EPSILON, "{found:?}");
    }

    proptest! {
        #[test]
        fn an_index_is_the_same_however_it_came_to_be(
            texts in proptest::collection::vec("[ab]{1,2}( [a-d]{1,2}){0,4}", 1..8),
            gone in proptest::collection::vec("[a-d]{1,2}( [a-d]{1,2}){0,4}", 0..4),
            question in "[a-d]{1,2}( [a-d]{1,2}){0,2}",
        ) {
            let mut straight = WordIndex::default();
            for (key, text) in texts.iter().enumerate() {
                straight.put(key, &document(text, text));
            }
            let mut crooked = WordIndex::default();
            for (key, text) in gone.iter().enumerate() {
                crooked.put(100 + key, &document(text, ""));
                crooked.put(key, &document("", text));
            }
            for (key, text) in texts.iter().enumerate().rev() {
                crooked.put(key, &document(text, text));
            }
            for key in 0..gone.len() {
                crooked.remove(&(100 + key));
                if key >= texts.len() {
                    crooked.remove(&key);
                }
            }
            prop_assert_eq!(straight.rank(&asked(&question), 5), crooked.rank(&asked(&question), 5));
        }
    }
}
