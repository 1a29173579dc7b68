//! The wording of a goal around its values, and its match with other goals.
//!
//! - in: a goal, and the ranges of its values
//! - out: its words with holes; for another goal with the same words, the ranges of the holes
//! - never: matches a goal that has a word more, less or different, except polite phrases at its ends, or that can be
//!   read in two ways

use crate::lexicon::{en, zh};
use crate::retrieve::words::is_ideograph;
use praxis_core::journal::case::WordingPiece;
use std::ops::Range;
use std::sync::LazyLock;

/// The maximum number of words; a longer request is not expected again.
const MOST: usize = 300;
/// The maximum number of words in a value.
const LONGEST: usize = 40;

/// Polite openings of a request, as words.
static BEFORE: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let in_english = en::POLITE_OPENINGS.iter().map(|manner| manner.split(' ').collect());
    in_english.chain(zh::POLITE_OPENINGS.iter().map(|manner| characters(manner))).collect()
});
/// Polite endings of a request, as words.
static BEHIND: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let in_english = en::POLITE_ENDINGS.iter().map(|manner| manner.split(' ').collect());
    in_english.chain(zh::POLITE_ENDINGS.iter().map(|manner| characters(manner))).collect()
});

/// Symbols that distinguish requests.
const TELLING: &[char] =
    &['+', '-', '*', '/', '=', '<', '>', '%', '$', '€', '¥', '#', '!', '^', '~'];

/// A word and its range.
#[derive(Clone)]
struct PlacedWord {
    text: String,
    place: Range<usize>,
}

/// Returns the wording of a goal, with the ranges of its values as holes.
pub fn wording(goal: &str, holes: &[(String, Range<usize>)]) -> Vec<WordingPiece> {
    let hole_at = |word: &PlacedWord| {
        let meets =
            |place: &Range<usize>| place.start < word.place.end && word.place.start < place.end;
        holes.iter().find(|(_, place)| meets(place)).map(|(name, _)| name)
    };
    let mut pieces = Vec::new();
    for word in words(goal) {
        let hole = hole_at(&word);
        let piece =
            hole.map_or(WordingPiece::Word(word.text), |name| WordingPiece::Hole(name.clone()));
        // All words of one value are one hole.
        if !(matches!(piece, WordingPiece::Hole(_)) && pieces.last() == Some(&piece)) {
            pieces.push(piece);
        }
    }
    let said: Vec<&str> = pieces.iter().map(word_of).collect();
    let (from, to) = without_manners(&said);
    pieces.get(from..to).map(<[WordingPiece]>::to_vec).unwrap_or_default()
}

fn word_of(piece: &WordingPiece) -> &str {
    match piece {
        WordingPiece::Word(word) => word,
        // No word is empty, so no polite phrase contains a hole.
        WordingPiece::Hole(_) => "",
    }
}

/// Returns the range of the words without polite phrases at both ends. A polite phrase beside a hole is kept, because
/// it could be part of the value.
fn without_manners(said: &[&str]) -> (usize, usize) {
    let is_word = |at: usize| said.get(at).is_some_and(|word| !word.is_empty());
    let before = BEFORE.iter().find(|manner| said.starts_with(manner));
    let from = before.map(Vec::len).filter(|from| is_word(*from)).unwrap_or_default();
    let behind = BEHIND.iter().find(|manner| said.ends_with(manner));
    let cut = behind.map(Vec::len).unwrap_or_default();
    let to = said.len() - cut;
    let keeps = to > from && is_word(to - 1);
    (from, if keeps { to } else { said.len() })
}

/// Splits a phrase into characters; each Chinese character is a word.
fn characters(manner: &str) -> Vec<&str> {
    manner.split("").filter(|character| !character.is_empty()).collect()
}

/// Returns the name and the range of each hole in another goal, if the goal has this wording.
pub fn alike(pieces: &[WordingPiece], goal: &str) -> Option<Vec<(String, Range<usize>)>> {
    let words = words(goal);
    let said: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let (from, to) = without_manners(&said);
    // Beside a hole a polite phrase could be part of the value, so it is kept.
    let from = if matches!(pieces.first(), Some(WordingPiece::Hole(_))) { 0 } else { from };
    let to = if matches!(pieces.last(), Some(WordingPiece::Hole(_))) { words.len() } else { to };
    fitted(pieces, words.get(from..to)?).or_else(|| fitted(pieces, &words))
}

/// Returns the ranges of the holes, if the words match the pieces in exactly one way.
fn fitted(pieces: &[WordingPiece], words: &[PlacedWord]) -> Option<Vec<(String, Range<usize>)>> {
    if words.len() >= MOST || pieces.len() > words.len() || !has_all(pieces, words) {
        return None;
    }
    // `ways[piece][word]` counts the ways to match the pieces from `piece` on with the words from `word` on, capped
    // at 2.
    let mut ways = vec![vec![0_u8; words.len() + 1]; pieces.len() + 1];
    *ways.last_mut()?.last_mut()? = 1;
    for (at, piece) in pieces.iter().enumerate().rev() {
        for from in (0..words.len()).rev() {
            let of_rest = lengths(piece, words.get(from..)?)
                .map(|length| ways_from(&ways, at + 1, from + length));
            let all = of_rest.fold(0, |all, more| (all + more).min(2));
            *ways.get_mut(at)?.get_mut(from)? = all;
        }
    }
    if ways_from(&ways, 0, 0) != 1 {
        return None;
    }
    let mut found = Vec::new();
    let mut from = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let rest = words.get(from..)?;
        let leads = |length: &usize| ways_from(&ways, at + 1, from + length) > 0;
        let length = lengths(piece, rest).find(leads)?;
        if let (WordingPiece::Hole(name), Some(first), Some(last)) =
            (piece, rest.first(), rest.get(length - 1))
        {
            found.push((name.clone(), first.place.start..last.place.end));
        }
        from += length;
    }
    Some(found)
}

/// Returns true if the words contain every word of the pieces in order. This rejects most goals cheaply.
fn has_all(pieces: &[WordingPiece], words: &[PlacedWord]) -> bool {
    let mut rest = words.iter();
    pieces.iter().all(|piece| match piece {
        WordingPiece::Word(word) => rest.any(|said| said.text == *word),
        WordingPiece::Hole(_) => true,
    })
}

/// Returns the numbers of words that a piece may match, in ascending order.
fn lengths<'a>(
    piece: &'a WordingPiece,
    rest: &'a [PlacedWord],
) -> impl Iterator<Item = usize> + use<'a> {
    let most = match piece {
        WordingPiece::Word(word) => {
            usize::from(rest.first().is_some_and(|first| first.text == *word))
        }
        WordingPiece::Hole(_) => rest.len().min(LONGEST),
    };
    1..=most
}

fn ways_from(ways: &[Vec<u8>], at: usize, from: usize) -> u8 {
    ways.get(at).and_then(|row| row.get(from)).copied().unwrap_or_default()
}

/// Splits a goal into its words and the symbols in `TELLING`.
fn words(goal: &str) -> Vec<PlacedWord> {
    let mut found: Vec<PlacedWord> = Vec::new();
    let mut run: Option<usize> = None;
    for (at, c) in goal.char_indices().chain(std::iter::once((goal.len(), ' '))) {
        let alone = is_ideograph(c) || TELLING.contains(&c);
        let within = (c.is_alphanumeric() || c == '_') && !alone;
        if let Some(from) = run.filter(|_| !within) {
            found.extend(
                goal.get(from..at)
                    .map(|text| PlacedWord { text: text.to_lowercase(), place: from..at }),
            );
            run = None;
        }
        if within && run.is_none() {
            run = Some(at);
        }
        if alone {
            found.push(PlacedWord { text: c.to_string(), place: at..at + c.len_utf8() });
        }
        if found.len() >= MOST {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn held(goal: &str, values: &[&str]) -> Vec<WordingPiece> {
        let place = |value: &&str| {
            let from = goal.find(value).unwrap();
            ((*value).to_owned(), from..from + value.len())
        };
        wording(goal, &values.iter().map(place).collect::<Vec<_>>())
    }

    fn said(pieces: &[WordingPiece], goal: &str) -> Option<Vec<String>> {
        let found = alike(pieces, goal)?;
        Some(found.into_iter().map(|(name, place)| format!("{name}={}", &goal[place])).collect())
    }

    #[test]
    fn a_goal_of_the_same_words_says_what_stands_in_the_holes_and_no_other_goal_does() {
        let pieces = held(
            "Please sort orders.csv by amount and keep 5 rows",
            &["orders.csv", "amount", "5"],
        );
        for (goal, expected) in [
            (
                "sort data/may sales.csv by net price and keep 12 rows",
                Some("orders.csv=data/may sales.csv amount=net price 5=12"),
            ),
            ("Could you sort a.csv by b and keep 1 rows?", Some("orders.csv=a.csv amount=b 5=1")),
            ("sort a.csv by b and drop 1 rows", None),
            ("sort a.csv by b and keep 1 rows in reverse order", None),
            ("sort a.csv by and keep 1 rows", None),
            ("sort a.csv by b and keep -1 rows", Some("orders.csv=a.csv amount=b 5=-1")),
            ("sort a.csv by b and keep c and keep 1 rows", None),
            ("", None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(said(&pieces, goal).map(|found| found.join(" ")), expected, "{goal}");
        }
        let pieces = held("请对杭州进行负荷预测，文件路径：load.csv", &["杭州", "load.csv"]);
        let found = said(&pieces, "帮我对宁波北区进行负荷预测，文件路径：data/五月.csv");
        assert_eq!(found.unwrap(), ["杭州=宁波北区", "load.csv=data/五月.csv"]);
        assert_eq!(said(&pieces, "对宁波进行负荷校验，文件路径：x.csv"), None);
    }

    #[test]
    fn manners_beside_a_value_may_belong_to_it_and_are_kept() {
        let first = held("Yesterday: play it", &["Yesterday"]);
        let found = said(&first, "Please Please Me: play it").unwrap();
        assert_eq!(found, ["Yesterday=Please Please Me"]);
        let last = held("please play Help", &["Help"]);
        assert_eq!(said(&last, "play Let It Be For Me").unwrap(), ["Help=Let It Be For Me"]);
        let asked = held("please play Help", &["please play Help"]);
        assert_eq!(said(&asked, "please").unwrap(), ["please play Help=please"]);
    }

    proptest! {
        #[test]
        fn a_goal_is_alike_to_itself_whatever_stands_in_its_holes(
            words in prop::collection::vec("[b-z]{4,8}", 1..8),
            values in prop::collection::vec("[0-9]{1,4}( [0-9]{1,4})?", 8),
            others in prop::collection::vec("[0-9]{1,4}( [0-9]{1,4})?", 8),
        ) {
            let goal_of = |values: &[String]| {
                let pairs = words.iter().zip(values).map(|(word, value)| format!("{word} {value}"));
                pairs.collect::<Vec<_>>().join(" then ")
            };
            let goal = goal_of(&values);
            let mut holes = Vec::new();
            let mut at = 0;
            for (number, (word, value)) in words.iter().zip(&values).enumerate() {
                let from = at + goal[at..].find(word.as_str()).unwrap() + word.len() + 1;
                at = from + value.len();
                holes.push((format!("slot_{number}"), from..at));
            }
            let pieces = wording(&goal, &holes);
            let other = goal_of(&others);
            let found = alike(&pieces, &other).unwrap();
            let told: Vec<&str> = found.iter().map(|(_, place)| &other[place.clone()]).collect();
            prop_assert_eq!(told, others.iter().take(words.len()).map(String::as_str).collect::<Vec<_>>());
        }
    }
}
