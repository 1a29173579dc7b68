//! Names: capitalized words in a row.
//!
//! - in: a `PlainText`
//! - out: `New York City`, `Bank of America`; a second, longer reading with the number or identifier after it:
//!   `iPhone 12`; and one with the name after a comma: `Boston, MA`
//! - never: the capitalized first word of a sentence, if it is a word that begins requests

use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use super::scan::ValueScan;
use super::words::is_empty;
use crate::lexicon::en;
use std::collections::BTreeMap;

/// The maximum number of words in a name.
const MOST_WORDS: usize = 8;

/// Takes the names of a text.
pub(super) fn read(page: &mut PlainText<'_>) {
    page.read_one(name);
    let longer = longer(page);
    for said in longer {
        page.add(said);
    }
}

fn name(scan: ValueScan<'_>) -> Option<FoundValue> {
    let starts = starts_sentence(scan);
    let (from, mut scan) = (scan.at(), scan);
    let first = capital_word(&mut scan).filter(|word| !is_no_name(word, starts))?;
    let mut count = 1;
    let mut ahead = scan;
    while count < MOST_WORDS && next_word(&mut ahead).is_some() {
        scan = ahead;
        count += 1;
    }
    let name = without_possessive(scan.since(from)).trim_end_matches('.');
    let is_letter = first.chars().count() == 1 && count == 1;
    // Before another word, a lone `A` is an article and a lone `I` a pronoun.
    let is_article = is_letter && scan.rest().starts_with([' ', '\'']);
    let kind = if starts && count == 1 { ValueKind::Word } else { ValueKind::Name };
    (!is_article || !matches!(first, "A" | "I"))
        .then(|| FoundValue::new(from, from + name.len(), kind, name))
        .filter(|said| said.to > said.from)
}

/// Reads a capitalized word; `iPhone` and `eBay` count.
fn capital_word<'a>(scan: &mut ValueScan<'a>) -> Option<&'a str> {
    let from = scan.at();
    let mut ahead = *scan;
    ahead.run(|c| c.is_alphanumeric() && c.is_ascii() || c.is_alphabetic() && is_latin(c));
    for _ in 0..MOST_WORDS {
        if inner_sign(&mut ahead).is_some() {
            ahead.run(|c| c.is_alphanumeric() && is_latin(c));
        }
    }
    let word = ahead.since(from);
    let mut letters = word.chars();
    let (first, second) = (letters.next()?, letters.next());
    let is_capital = first.is_uppercase()
        || (first.is_ascii_lowercase() && second.is_some_and(char::is_uppercase));
    is_capital.then(|| *scan = ahead)?;
    Some(word)
}

/// Reads a sign inside a word: `O'Brien`, `Jean-Luc`, `AT&T`.
fn inner_sign(scan: &mut ValueScan<'_>) -> Option<char> {
    let mut ahead = *scan;
    let sign = ahead.one(|c| matches!(c, '\'' | '’' | '-' | '&'))?;
    ahead.peek().filter(|c| c.is_alphabetic() && is_latin(*c))?;
    *scan = ahead;
    Some(sign)
}

fn is_latin(c: char) -> bool {
    c.is_ascii() || matches!(c, '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{52f}')
}

/// Reads the next word of a name, with small words such as `of` before it.
fn next_word(scan: &mut ValueScan<'_>) -> Option<()> {
    let before = scan.past();
    let is_short = short_form(before);
    let mut ahead = *scan;
    if ahead.peek() == Some('.') && is_short {
        ahead.eat(".");
    }
    ahead.eat(" ")?;
    for _ in 0..2 {
        let mut tie = ahead;
        let is_tie = tie.eat("&").is_some() || tie.eat_word(&en::NAME_TIES).is_some();
        if is_tie && tie.eat(" ").is_some() && ahead.peek().is_some_and(|c| !c.is_uppercase()) {
            ahead = tie;
        }
    }
    let word = capital_word(&mut ahead)?;
    (word != "I" && !is_pronoun(word)).then(|| *scan = ahead)
}

fn is_pronoun(word: &str) -> bool {
    en::NO_NAME_PARTS.contains(&word)
}

/// Returns true if a text ends with an initial or an abbreviation (`J`, `Dr`, `St`): a dot after it ends no sentence.
fn short_form(before: &str) -> bool {
    let word = before.rsplit([' ', '.']).next().unwrap_or(before);
    let is_initial = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_initial || en::SHORT_FORMS.contains(&word)
}

fn is_no_name(word: &str, starts: bool) -> bool {
    let plain = without_possessive(word).to_lowercase();
    let is_never = en::NEVER_NAMES.contains(&word) || word.starts_with("I'");
    let is_small = is_empty(&plain) && !word.chars().all(char::is_uppercase);
    is_never || (starts && is_empty(&plain)) || (is_small && word.chars().count() > 1)
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word)
}

/// Returns true if a sentence begins here.
fn starts_sentence(scan: ValueScan<'_>) -> bool {
    let before = scan.past().trim_end_matches([' ', '\t', '"', '“', '*', '-', '(']);
    before.chars().next_back().is_none_or(|c| ".!?;\n。！？；".contains(c))
        && !short_form(before.trim_end_matches('.'))
}

/// Returns longer readings of names: with the number, identifier or name that follows.
fn longer(page: &PlainText<'_>) -> Vec<FoundValue> {
    let mut by_place: BTreeMap<usize, &FoundValue> = BTreeMap::new();
    for said in page.found() {
        let is_part = matches!(said.kind, ValueKind::Name | ValueKind::Number | ValueKind::Id)
            && said.unit.is_none();
        if is_part {
            by_place.insert(said.from, said);
        }
    }
    let names = by_place.values().filter(|said| said.kind == ValueKind::Name);
    names
        .flat_map(|name| [numbered(page, name, &by_place), placed(page, name, &by_place)])
        .flatten()
        .collect()
}

/// Joins a name with the number or identifier after it: `iPhone 12`, `Sony WH-1000XM4`.
fn numbered(
    page: &PlainText<'_>,
    name: &FoundValue,
    by_place: &BTreeMap<usize, &FoundValue>,
) -> Option<FoundValue> {
    let next = by_place.get(&(name.to + 1)).filter(|next| next.kind != ValueKind::Name)?;
    let is_next = page.text().get(name.to..next.from)? == " ";
    is_next.then(|| joined(page, name, next))
}

/// Joins two names with a comma between them: `Boston, MA`.
fn placed(
    page: &PlainText<'_>,
    name: &FoundValue,
    by_place: &BTreeMap<usize, &FoundValue>,
) -> Option<FoundValue> {
    let next = by_place.get(&(name.to + 2)).filter(|next| next.kind == ValueKind::Name)?;
    let is_next = page.text().get(name.to..next.from)? == ", ";
    is_next.then(|| joined(page, name, next))
}

fn joined(page: &PlainText<'_>, name: &FoundValue, next: &FoundValue) -> FoundValue {
    FoundValue::new(name.from, next.to, ValueKind::Name, page.as_given(name.from, next.to))
}
