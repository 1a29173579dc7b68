//! Phone numbers, and identifiers: order numbers, hashes, IBANs, IP addresses, names of variables.

use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use super::scan::ValueScan;
use super::units;
use crate::lexicon::en;
use praxis_core::text::phrase::is_chinese;

/// Takes values that can only be identifiers: IBANs, hashes, and identifiers that do not begin with a digit.
pub(super) fn read_named(page: &mut PlainText<'_>) {
    page.read_one(account);
    page.read_one(hash);
    page.read_one(|scan| id(scan).filter(|_| !scan.peek().is_some_and(|c| c.is_ascii_digit())));
}

/// Takes phone numbers, and identifiers that begin with a digit and are not dates.
pub(super) fn read(page: &mut PlainText<'_>) {
    page.read(phone);
    page.read_one(groups);
    page.read_one(id);
}

/// Reads a UUID, or a hash of at least 16 hexadecimal digits.
fn hash(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let token = scan.run(|c| c.is_ascii_hexdigit() || c == '-');
    let lengths: Vec<usize> = token.split('-').map(str::len).collect();
    let is_mixed = token.bytes().any(|byte| byte.is_ascii_alphabetic())
        && token.bytes().any(|byte| byte.is_ascii_digit());
    let is_hash = lengths.len() == 1 && token.len() >= 16 && is_mixed;
    let fits = lengths == [8, 4, 4, 4, 12] || is_hash;
    (fits && scan.is_edge()).then(|| FoundValue::new(from, scan.at(), ValueKind::Id, token))
}

/// Reads groups of digits with one separator between two, and returns the length of each group.
fn digit_groups(scan: &mut ValueScan<'_>, is_sign: fn(char) -> bool) -> Vec<usize> {
    let mut groups = Vec::new();
    let mut ahead = *scan;
    while groups.len() < 8 {
        let digits = ahead.run(|c| c.is_ascii_digit()).len();
        if digits == 0 {
            break;
        }
        groups.push(digits);
        *scan = ahead;
        if ahead.one(is_sign).is_none() {
            break;
        }
    }
    groups
}

/// Reads a phone number: `+1 555-123-4567`, `(555) 123-4567`, `555-1234`, `010-12345678`, `13812345678`.
fn phone(scan: ValueScan<'_>) -> Vec<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    if scan.before().is_some_and(|c| matches!(c, '-' | '.')) {
        return Vec::new();
    }
    let is_foreign = scan.eat("+").is_some();
    let is_bracketed = scan.eat("(").is_some();
    let begins = scan.at();
    let mut groups = Vec::new();
    if is_bracketed {
        groups = digit_groups(&mut scan, |_| false);
        if scan.eat(")").is_none() {
            return Vec::new();
        }
        scan.blanks();
        scan.eat("-");
    }
    let is_sign: fn(char) -> bool =
        if is_foreign { |c| matches!(c, '-' | ' ' | '.') } else { |c| c == '-' };
    groups.extend(digit_groups(&mut scan, is_sign));
    let total: usize = groups.iter().sum();
    let is_usual = matches!(
        groups.as_slice(),
        [3, 4] | [3, 3 | 4, 4] | [3 | 4, 7 | 8] | [4, 3, 3] | [1, 3, 3, 4]
    );
    let is_mobile = groups == [11] && is_mobile(scan.since(begins));
    let fits = (is_foreign && (7..=15).contains(&total)) || is_usual || is_mobile;
    let touches = scan.rest().starts_with('-') || !scan.is_edge();
    if !fits || touches {
        return Vec::new();
    }
    let phone = FoundValue::new(from, scan.at(), ValueKind::Phone, scan.since(from));
    let number = scan.since(from).parse::<u64>().ok().filter(|_| is_mobile);
    let number = number.map(|number| FoundValue::new(from, scan.at(), ValueKind::Number, number));
    std::iter::once(phone).chain(number).collect()
}

fn is_mobile(digits: &str) -> bool {
    digits.strip_prefix('1').is_some_and(|rest| rest.starts_with(|c| ('3'..='9').contains(&c)))
}

/// Reads an IBAN with blanks: `DE89 3704 0044 0532 0130 00`.
fn account(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    for _ in 0..2 {
        scan.one(|c| c.is_ascii_uppercase())?;
    }
    scan.digits(2, 2)?;
    let mut groups = 0;
    let mut ahead = scan;
    while groups < 9 && ahead.eat(" ").is_some() {
        let group = ahead.run(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
        if !(1..=4).contains(&group.len()) {
            break;
        }
        groups += 1;
        scan = ahead;
    }
    (groups >= 3 && scan.is_edge())
        .then(|| FoundValue::new(from, scan.at(), ValueKind::Id, scan.since(from)))
}

/// Reads at least three groups of digits: `192.168.1.1`, `1.2.3`, `123-45-6789`.
fn groups(scan: ValueScan<'_>) -> Option<FoundValue> {
    let signs: [fn(char) -> bool; 2] = [|c| c == '.', |c| c == '-'];
    signs.into_iter().find_map(|is_sign| {
        let (from, mut scan) = (scan.at(), scan);
        let count = digit_groups(&mut scan, is_sign).len();
        let fits = (3..8).contains(&count) && scan.is_edge() && !scan.rest().starts_with('-');
        fits.then(|| FoundValue::new(from, scan.at(), ValueKind::Id, scan.since(from)))
    })
}

/// Reads an identifier: letters with digits, `snake_case`, `camelCase`, or a color such as `#ff8800`.
fn id(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let is_colour = scan.eat("#").is_some();
    let run =
        scan.run(|c| c.is_alphanumeric() && !is_chinese(c) || matches!(c, '_' | '-' | '.' | '*'));
    let token = run.trim_end_matches(['-', '.', '*']);
    let to = from + usize::from(is_colour) + token.len();
    let fits = if is_colour { is_hex_colour(token) } else { is_id(token) };
    fits.then(|| {
        FoundValue::new(from, to, ValueKind::Id, ValueScan::new(scan.past(), to).since(from))
    })
}

fn is_hex_colour(token: &str) -> bool {
    // `#123` is a reference number, not a color.
    let has_letter = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    let fits = matches!(token.len(), 6 | 8) || (token.len() == 3 && has_letter);
    fits && token.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_id(token: &str) -> bool {
    let has = |fits: fn(&char) -> bool| token.chars().any(|c| fits(&c));
    let digits = has(char::is_ascii_digit);
    let letters = has(|c| c.is_alphabetic());
    let begins = token.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_snake = letters && token.trim_matches('_').contains('_');
    let first_is_lower = token.starts_with(|c: char| c.is_lowercase());
    // `iPhone` and `eBay` are names, not camel case.
    let is_brand = token.chars().nth(1).is_some_and(char::is_uppercase);
    let is_camel = first_is_lower
        && !is_brand
        && token.len() > 3
        && has(|c| c.is_uppercase())
        && !token.contains(['-', '.']);
    begins && (is_snake || is_camel || (digits && letters && !is_counted(token)))
}

/// Returns true for a number with its unit, ending or noun: `10km`, `2nd`, `4-bedroom`.
fn is_counted(token: &str) -> bool {
    let rest = token.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    if rest.len() == token.len() {
        return false;
    }
    let ordinal = en::COUNTED_ENDINGS.contains(&rest);
    let word = rest.strip_prefix('-').unwrap_or_default();
    let counts = word.len() > 2 && word.chars().all(|c| c.is_lowercase() || c == '-');
    ordinal || counts || units::is_amount(token) || is_exponent(rest)
}

/// Returns true for an exponent, such as `e6` in `1e6`.
fn is_exponent(rest: &str) -> bool {
    let power = rest.strip_prefix(['e', 'E']).unwrap_or_default();
    let power = power.strip_prefix(['-', '+']).unwrap_or(power);
    (1..=3).contains(&power.len()) && power.bytes().all(|byte| byte.is_ascii_digit())
}
