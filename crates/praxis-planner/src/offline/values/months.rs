//! Names of months and weekdays.

use super::scan::ValueScan;
use crate::lexicon::en;

/// Reads the name of a month, also abbreviated: `March`, `Mar`, `Sept.`.
pub(super) fn month(scan: &mut ValueScan<'_>) -> Option<u64> {
    let mut ahead = *scan;
    let word = ahead.letters().to_ascii_lowercase();
    let is_short = word.len() == 3 || word == "sept";
    let fits = |name: &str| name == word || (is_short && name.starts_with(&word));
    let at = en::MONTHS.iter().position(|name| fits(name))?;
    if is_short && word != "may" {
        ahead.eat(".");
    }
    *scan = ahead;
    u64::try_from(at + 1).ok()
}

/// Reads the full name of a weekday, or a capitalized abbreviation: `Fri`.
pub(super) fn day_of_week(scan: &mut ValueScan<'_>) -> Option<()> {
    let mut ahead = *scan;
    let word = ahead.letters();
    let lower = word.to_ascii_lowercase();
    let is_short = en::SHORT_DAYS.contains(&word);
    (is_short || en::DAYS.contains(&lower.as_str())).then(|| *scan = ahead)
}

/// Returns true for the full, capitalized name of a month, except `May`, which may be a verb.
pub(super) fn is_month_name(word: &str) -> bool {
    let begins = word.starts_with(|c: char| c.is_ascii_uppercase());
    begins && word != "May" && en::MONTHS.iter().any(|name| name.eq_ignore_ascii_case(word))
}
