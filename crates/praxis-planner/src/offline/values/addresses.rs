//! Addresses: URLs, hosts, email addresses and paths.
//!
//! - in: a `PlainText`
//! - out: addresses as written, without the punctuation of the sentence around them
//! - never: takes `and/or`, `m/s` or `e.g.` for a path

use super::chinese;
use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use super::scan::ValueScan;
use crate::lexicon::any;
use praxis_core::text::phrase::{is_chinese, is_word};

/// Takes the addresses of a text.
pub(super) fn read(page: &mut PlainText<'_>) {
    page.read_one(url);
    page.read_one(email);
    page.read_one(path);
    page.read_one(host);
}

fn ends_address(c: char) -> bool {
    c.is_whitespace() || is_chinese(c) || "\"'<>`“”‘’「」《》，。；！？、（）【】|".contains(c)
}

/// Cuts the punctuation of the sentence and unmatched closing brackets from the end of an address.
fn trimmed(text: &str) -> &str {
    let mut text = text;
    for _ in 0..8 {
        let shorter = text.trim_end_matches(['.', ',', ';', ':', '!', '?', '*', '…']);
        let is_closed = |open: char, close: char| {
            shorter.ends_with(close)
                && shorter.matches(open).count() < shorter.matches(close).count()
        };
        let is_loose = is_closed('(', ')') || is_closed('[', ']') || is_closed('{', '}');
        let shorter =
            if is_loose { shorter.get(..shorter.len() - 1).unwrap_or(shorter) } else { shorter };
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
    text
}

/// Reads a URL: `https://a.b/c?d=e`, `www.a.b`.
fn url(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let scheme = scan.run(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let is_told =
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scan.eat("://").is_some();
    let is_web = scheme.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    (is_told || is_web).then_some(())?;
    let begun = scan.since(from).len();
    for _ in 0..8 {
        scan.run(|c| !ends_address(c));
    }
    let address = trimmed(scan.since(from));
    (address.len() > begun.min(5))
        .then(|| FoundValue::new(from, from + address.len(), ValueKind::Url, address))
}

/// Reads an email address: `someone@somewhere.org`.
fn email(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let name = scan.run(|c| c.is_ascii_alphanumeric() || "._%+-".contains(c));
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    scan.eat("@").filter(|()| begins)?;
    let host = scan.run(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
    let host = host.trim_end_matches(['.', '-']);
    let (_, last) = host.rsplit_once('.')?;
    let is_host = last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    let to = from + name.len() + 1 + host.len();
    is_host.then(|| {
        FoundValue::new(from, to, ValueKind::Email, ValueScan::new(scan.past(), to).since(from))
    })
}

/// Reads a host without a scheme: `example.com`.
fn host(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    let name =
        scan.run(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-').trim_end_matches('.');
    let (before, last) = name.rsplit_once('.')?;
    let is_known =
        any::HOSTS.contains(&last) && before.len() > 1 && !before.starts_with(['.', '-']);
    let is_name = before.bytes().any(|byte| byte.is_ascii_alphabetic());
    (is_known && is_name).then(|| FoundValue::new(from, from + name.len(), ValueKind::Url, name))
}

fn is_path(c: char) -> bool {
    is_word(c) || is_chinese(c) || "/\\.-~*?@+%=#$:&{}".contains(c)
}

/// Reads a file, a folder or a glob.
fn path(scan: ValueScan<'_>) -> Option<FoundValue> {
    let (from, mut scan) = (scan.at(), scan);
    // No path begins inside a path, an address or a word.
    let first = scan.peek()?;
    let is_inside = |c: char| matches!(c, '/' | '\\' | '@') || (first == '/' && is_word(c));
    if scan.before().is_some_and(is_inside) {
        return None;
    }
    if is_chinese(first) && !chinese::begins_here(scan) {
        return None;
    }
    let run = scan.run(is_path);
    let skipped = if is_chinese(first) { chinese::before_name(run) } else { 0 };
    let run = run.get(skipped..)?;
    let path = trimmed(cut(run));
    let from = from + skipped;
    is_file(path).then(|| FoundValue::new(from, from + path.len(), ValueKind::Path, path))
}

/// Cuts a path before Chinese text that directly follows it, or before a sign such as `:` that ends it.
fn cut(run: &str) -> &str {
    let drive = usize::from(has_drive(run)) * 2;
    let end = run
        .get(drive..)
        .and_then(|rest| rest.find([':', '=', '&', '#', '$']))
        .map_or(run.len(), |at| at + drive);
    let run = run.get(..end).unwrap_or(run);
    let last = run.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let name = run.get(last..).unwrap_or_default();
    // After a file extension, or in a name that begins with other characters, Chinese continues the sentence.
    let is_mixed = name.starts_with(|c| !is_chinese(c)) || name.contains('.');
    let dot = name.rfind('.').unwrap_or(0);
    let stop = name.get(dot..).and_then(|rest| rest.find(is_chinese)).filter(|_| is_mixed);
    stop.and_then(|stop| run.get(..last + dot + stop)).unwrap_or(run)
}

fn has_drive(path: &str) -> bool {
    let mut signs = path.chars();
    signs.next().is_some_and(|c| c.is_ascii_alphabetic())
        && signs.next() == Some(':')
        && signs.next().is_some_and(|c| matches!(c, '\\' | '/'))
}

/// Returns true if a text is a path: by its root, its file extension, a trailing `/`, or as a glob.
fn is_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let ending = ending.filter(|_| name.len() > 1);
    let is_rooted = has_drive(path)
        || path.starts_with("\\\\")
        || ["./", "../", "~/", ".\\", "..\\"].iter().any(|start| path.starts_with(start))
        || is_absolute(path);
    let is_told = |ending: &String| {
        (1..=8).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic() || c == '*')
            && ending.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'*')
    };
    let in_folder = path.contains('/') && !path.contains("//");
    let has_stem = name.rsplit_once('.').is_some_and(|(stem, _)| !stem.is_empty());
    let is_named = has_stem
        && ending.as_ref().is_some_and(|ending| any::FILE_ENDINGS.contains(&ending.as_str()));
    let is_glob = path.contains('*') && (in_folder || is_named) && path.len() > 2;
    let is_folder = path.ends_with('/')
        && path.len() > 3
        && path.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_inside = in_folder && ending.as_ref().is_some_and(is_told);
    path.len() > 1 && (is_rooted || is_inside || is_named || is_glob || is_folder)
}

/// Returns true for `/data/x`, but not for `/` or `/2`.
fn is_absolute(path: &str) -> bool {
    let rest = path.strip_prefix('/').unwrap_or_default();
    rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.' | '{' | '*'))
}
