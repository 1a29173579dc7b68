//! An inverted index over documents with several fields, kept in memory and changed one document at a time.
//!
//! - in: documents as words by field; a question as words with weights
//! - out: the documents that fit best, by BM25 over weighted fields, and why
//! - never: gives another order for the same documents, however they came in

use std::collections::BTreeMap;

/// How soon more of the same word stops counting.
const SATURATION: f32 = 1.2;
/// How much a long field counts against a document.
const LENGTH: f32 = 0.75;
/// A word that is asked for over and over counts so often at most.
const MOST_REPEATS: f32 = 3.0;

/// Where in a document a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// What it is called.
    Name,
    /// What it says about itself.
    About,
    /// What it takes.
    Parameter,
    /// What it gives.
    Output,
    /// Free words to find it by, and its kind.
    Tag,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; FIELDS] =
        [Self::Name, Self::About, Self::Parameter, Self::Output, Self::Tag];

    fn weight(self) -> f32 {
        match self {
            Self::Name => 2.0,
            Self::About => 1.0,
            Self::Parameter => 0.3,
            Self::Output => 0.2,
            Self::Tag => 0.4,
        }
    }

    fn place(self) -> usize {
        match self {
            Self::Name => 0,
            Self::About => 1,
            Self::Parameter => 2,
            Self::Output => 3,
            Self::Tag => 4,
        }
    }
}

const FIELDS: usize = 5;

/// The words of a document, by field.
pub type Document = Vec<(Field, Vec<String>)>;

/// A document that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<K> {
    /// Which.
    pub key: K,
    /// How well; only to be compared with others of the same question.
    pub score: f32,
}

/// Documents by the words in them.
#[derive(Clone, Debug)]
pub struct Index<K> {
    terms: BTreeMap<String, Vec<Posting>>,
    documents: Vec<Option<Entry<K>>>,
    places: BTreeMap<K, u32>,
    free: Vec<u32>,
    /// How many words stand in the fields of each document: beside each other, they are read for every hit.
    own_lengths: Vec<[u32; FIELDS]>,
    /// The same over all documents.
    lengths: [u64; FIELDS],
}

#[derive(Clone, Debug)]
struct Entry<K> {
    key: K,
    terms: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Posting {
    document: u32,
    counts: [u16; FIELDS],
}

impl<K> Default for Index<K> {
    fn default() -> Self {
        Self {
            terms: BTreeMap::new(),
            documents: vec![],
            places: BTreeMap::new(),
            free: vec![],
            own_lengths: vec![],
            lengths: [0; FIELDS],
        }
    }
}

impl<K: Ord + Clone> Index<K> {
    /// Takes a document in; one of the same key is replaced.
    pub fn put(&mut self, key: K, document: &Document) {
        self.remove(&key);
        let mut counts: BTreeMap<&str, [u16; FIELDS]> = BTreeMap::new();
        let mut lengths = [0_u32; FIELDS];
        for (field, words) in document {
            let place = field.place();
            for word in words {
                bump(counts.entry(word).or_default(), place);
            }
            if let Some(length) = lengths.get_mut(place) {
                *length = length.saturating_add(u32::try_from(words.len()).unwrap_or(u32::MAX));
            }
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.documents.push(None);
            self.own_lengths.push([0; FIELDS]);
            u32::try_from(self.documents.len() - 1).unwrap_or(u32::MAX)
        });
        for (word, counts) in &counts {
            let postings = self.terms.entry((*word).to_owned()).or_default();
            let at = postings.partition_point(|posting| posting.document < place);
            postings.insert(at, Posting { document: place, counts: *counts });
        }
        for (all, own) in self.lengths.iter_mut().zip(lengths) {
            *all += u64::from(own);
        }
        let terms = counts.into_keys().map(str::to_owned).collect();
        if let Some(slot) = self.documents.get_mut(place as usize) {
            *slot = Some(Entry { key: key.clone(), terms });
        }
        if let Some(slot) = self.own_lengths.get_mut(place as usize) {
            *slot = lengths;
        }
        self.places.insert(key, place);
    }

    /// Forgets a document.
    pub fn remove(&mut self, key: &K) {
        let Some(place) = self.places.remove(key) else { return };
        let Some(entry) = self.documents.get_mut(place as usize).and_then(Option::take) else {
            return;
        };
        for term in &entry.terms {
            if let Some(postings) = self.terms.get_mut(term) {
                if let Ok(at) = postings.binary_search_by_key(&place, |posting| posting.document) {
                    postings.remove(at);
                }
                if postings.is_empty() {
                    self.terms.remove(term);
                }
            }
        }
        let own = self.own_lengths.get(place as usize).copied().unwrap_or_default();
        for (all, own) in self.lengths.iter_mut().zip(own) {
            *all -= u64::from(own);
        }
        self.free.push(place);
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The documents that fit best, the best first; those that fit alike by key.
    pub fn rank(&self, question: &[(String, f32)], most: usize) -> Vec<Hit<K>> {
        let scales = self.scales();
        let mut scores = vec![0.0_f32; self.documents.len()];
        let mut touched = Vec::new();
        for (word, weight) in repeats(question) {
            let Some(postings) = self.terms.get(word) else { continue };
            let rare = self.rarity(postings.len()) * weight;
            for posting in postings {
                let Some(score) = scores.get_mut(posting.document as usize) else { continue };
                if *score == 0.0 {
                    touched.push(posting.document);
                }
                *score += rare * self.worth(posting, &scales);
            }
        }
        let hit = |place: u32| {
            let entry = self.documents.get(place as usize)?.as_ref()?;
            Some(Hit { key: entry.key.clone(), score: *scores.get(place as usize)? })
        };
        best(touched.into_iter().filter_map(hit).collect(), most)
    }

    /// The words that speak for a document, and how much each does.
    pub fn explain(&self, question: &[(String, f32)], key: &K) -> Vec<(String, f32)> {
        let Some(place) = self.places.get(key) else { return vec![] };
        let scales = self.scales();
        let mut reasons: Vec<(String, f32)> = Vec::new();
        for (word, weight) in repeats(question) {
            let Some(postings) = self.terms.get(word) else { continue };
            let own = postings.binary_search_by_key(place, |posting| posting.document).ok();
            let own = own.and_then(|at| postings.get(at));
            let rare = self.rarity(postings.len()) * weight;
            let worth = own.map(|own| rare * self.worth(own, &scales));
            reasons.extend(worth.map(|worth| (word.to_owned(), worth)));
        }
        reasons.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        reasons
    }

    /// How much it tells that a document has a word which so many have.
    #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
    fn rarity(&self, having: usize) -> f32 {
        let (all, having) = (self.len() as f32, having as f32);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }

    /// What a word more in a field counts against a document, by field.
    #[expect(clippy::cast_precision_loss, reason = "lengths of texts")]
    fn scales(&self) -> [f32; FIELDS] {
        self.lengths.map(|all| LENGTH * self.len() as f32 / (all as f32).max(1.0))
    }

    /// What the occurrences of a word in a document are worth.
    #[expect(clippy::cast_precision_loss, reason = "lengths of texts")]
    fn worth(&self, posting: &Posting, scales: &[f32; FIELDS]) -> f32 {
        let Some(lengths) = self.own_lengths.get(posting.document as usize) else { return 0.0 };
        let mut weighted = 0.0;
        for (((count, length), scale), field) in
            posting.counts.iter().zip(lengths).zip(scales).zip(Field::ALL)
        {
            if *count > 0 {
                let norm = 1.0 - LENGTH + scale * *length as f32;
                weighted += field.weight() * f32::from(*count) / norm;
            }
        }
        weighted * (SATURATION + 1.0) / (weighted + SATURATION)
    }
}

fn bump(counts: &mut [u16; FIELDS], place: usize) {
    if let Some(count) = counts.get_mut(place) {
        *count = count.saturating_add(1);
    }
}

/// The best of some hits, in order.
pub(super) fn best<K: Ord>(mut hits: Vec<Hit<K>>, most: usize) -> Vec<Hit<K>> {
    let better =
        |a: &Hit<K>, b: &Hit<K>| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key));
    if hits.len() > most {
        hits.select_nth_unstable_by(most, better);
        hits.truncate(most);
    }
    hits.sort_unstable_by(better);
    hits
}

/// Each word once, with the weight that all its occurrences have together.
fn repeats(question: &[(String, f32)]) -> BTreeMap<&str, f32> {
    let mut counted: BTreeMap<&str, (f32, f32)> = BTreeMap::new();
    for (word, weight) in question {
        let (count, most) = counted.entry(word).or_default();
        *count += 1.0;
        *most = most.max(*weight);
    }
    let worth =
        |(word, (count, weight)): (_, (f32, f32))| (word, weight * count.min(MOST_REPEATS).sqrt());
    counted.into_iter().map(worth).collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;
    use proptest::prelude::*;

    fn asked(text: &str) -> Vec<(String, f32)> {
        words(text).into_iter().map(|word| (word, 1.0)).collect()
    }

    fn document(name: &str, about: &str) -> Document {
        vec![(Field::Name, words(name)), (Field::About, words(about))]
    }

    #[test]
    fn what_has_the_rare_words_comes_first_and_what_has_none_not_at_all() {
        let mut index = Index::default();
        index.put("mail", &document("send_mail", "sends a message to somebody"));
        index.put("chat", &document("send_chat", "sends a message into a room"));
        index.put("sum", &document("add_numbers", "adds numbers"));
        let found = index.rank(&asked("send a mail"), 9);
        assert_eq!(found.iter().map(|hit| hit.key).collect::<Vec<_>>(), ["mail", "chat"]);
        let why = index.explain(&asked("send a mail"), &"mail");
        assert_eq!(why.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>(), ["mail", "send"]);
    }

    proptest! {
        #[test]
        fn an_index_is_the_same_however_it_came_to_be(
            texts in proptest::collection::vec("[ab]{1,2}( [a-d]{1,2}){0,4}", 1..8),
            gone in proptest::collection::vec("[a-d]{1,2}( [a-d]{1,2}){0,4}", 0..4),
            question in "[a-d]{1,2}( [a-d]{1,2}){0,2}",
        ) {
            let mut straight = Index::default();
            for (key, text) in texts.iter().enumerate() {
                straight.put(key, &document(text, text));
            }
            let mut crooked = Index::default();
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
