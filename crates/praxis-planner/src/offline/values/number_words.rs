//! Numbers in English words: `two`, `twenty-five`, `three hundred`, `third`.

use super::scan::ValueScan;
use crate::lexicon::en;

/// Returns the factor of a word after a number: 100 for `hundred`, 12 for `dozen`.
pub(super) fn factor(word: &str) -> Option<u64> {
    let plain = word.to_ascii_lowercase();
    en::LARGE.iter().find(|(name, _)| *name == plain).map(|(_, factor)| *factor)
}

fn place(words: &[&str], word: &str) -> Option<u64> {
    u64::try_from(words.iter().position(|one| *one == word)?).ok()
}

fn below_hundred(word: &str) -> Option<u64> {
    place(&en::SMALL, word).or_else(|| Some(place(&en::TENS, word)? * 10 + 20))
}

/// Reads a number in words.
pub(super) fn number(scan: &mut ValueScan<'_>) -> Option<u64> {
    let before = scan.word_before().to_ascii_lowercase();
    let mut ahead = *scan;
    let first = ahead.letters().to_ascii_lowercase();
    let begun = match first.as_str() {
        "a" | "an" => opened_by_article(&mut ahead)?,
        _ => below_hundred(&first)?,
    };
    let is_pronoun = first == "one" && (en::BEFORE_ONE.contains(&before.as_str()) || is_of(ahead));
    let (mut total, mut part) = (0, begun);
    *scan = ahead;
    // No real number has more words.
    for _ in 0..16 {
        let Some((word, glue)) = next_word(&mut ahead) else { break };
        match (factor(&word), below_hundred(&word)) {
            (Some(factor), _) if factor >= 1000 => {
                total += part * factor;
                part = 0;
            }
            (Some(factor), _) => part *= factor,
            (None, Some(more)) if goes_on(part, more, glue) => part += more,
            (None, _) => break,
        }
        *scan = ahead;
    }
    (!is_pronoun && scan.is_edge()).then_some(total + part)
}

/// Reads the article of `a hundred` or `a dozen` as 1.
fn opened_by_article(scan: &mut ValueScan<'_>) -> Option<u64> {
    scan.blanks();
    let mut ahead = *scan;
    factor(ahead.letters()).map(|_| 1)
}

fn is_of(mut scan: ValueScan<'_>) -> bool {
    scan.blanks();
    scan.eat_word(&en::AFTER_ONE).is_some()
}

/// The separator between a number word and the previous one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberGlue {
    Blank,
    Hyphen,
    And,
}

fn next_word(scan: &mut ValueScan<'_>) -> Option<(String, NumberGlue)> {
    let mut glue = if scan.eat("-").is_some() { NumberGlue::Hyphen } else { NumberGlue::Blank };
    scan.blanks();
    if scan.eat_word(&["and"]).is_some() {
        scan.blanks();
        glue = NumberGlue::And;
    }
    let word = scan.letters();
    (!word.is_empty() && word.len() < 12).then(|| (word.to_ascii_lowercase(), glue))
}

/// Returns true if a word continues the number: `twenty five`, `hundred and five`, `thousand two`. `two three` and
/// `two and three` are two numbers.
fn goes_on(part: u64, more: u64, glue: NumberGlue) -> bool {
    let is_hundreds = part.is_multiple_of(100);
    let is_tens = part.is_multiple_of(10) && part % 100 >= 20;
    let fills = is_hundreds || (is_tens && more < 10);
    let by_and = glue != NumberGlue::And || is_hundreds;
    fills && by_and && (1..100).contains(&more)
}

/// Reads an ordinal in words: `the third floor`. `First, …` at the beginning of a sentence is not an ordinal.
pub(super) fn ordinal(scan: &mut ValueScan<'_>) -> Option<u64> {
    let starts = scan.before().is_none_or(|c| !matches!(c, ' ' | '-' | '('));
    let mut ahead = *scan;
    let number = place(&en::ORDINALS, ahead.letters().to_ascii_lowercase().as_str())?;
    let mut behind = ahead;
    let is_followed = behind.eat(" ").is_some() && behind.peek().is_some_and(char::is_alphabetic);
    let is_other = en::AFTER_ORDINALS.contains(&behind.letters());
    *scan = ahead;
    (!starts && is_followed && !is_other).then_some(number)
}
