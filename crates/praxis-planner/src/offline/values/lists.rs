//! Lists: several values of one kind in a row.
//!
//! - in: the values found in a `PlainText`
//! - out: `1, 2 and 3`, `3、5、8`, `"a", "b" and "c"`, `Paris, London and Rome` as one value each
//! - never: the two ends of the range `between 3 and 5`

use super::found_value::{FoundValue, ValueKind};
use super::page::PlainText;
use super::scan::ValueScan;
use crate::lexicon::{en, zh};
use serde_json::Value;

/// Separators between two elements.
const SIGNS: [&str; 4] = [",", "，", "、", ";"];

/// Adds the lists of a text; their elements are kept.
pub(super) fn read(page: &mut PlainText<'_>) {
    let mut elements: Vec<&FoundValue> =
        page.found().iter().filter(|said| said.kind != ValueKind::Json).collect();
    elements.sort_by_key(|said| (said.from, usize::MAX - said.to, said.kind));
    let (mut lists, mut row, mut end, mut closed) = (Vec::new(), Vec::new(), 0, 0);
    for said in elements {
        // A list in brackets was read before, so it and its elements are skipped. Of several readings of a position
        // the first counts.
        if said.kind == ValueKind::List || said.from < closed {
            closed = if said.kind == ValueKind::List { closed.max(said.to) } else { closed };
            continue;
        }
        if said.from < end || is_joined_name(page, said) {
            continue;
        }
        let goes_on = row.last().is_some_and(|last: &&FoundValue| follows(page, last, said));
        if !goes_on {
            lists.extend(list(page, &row));
            row.clear();
        }
        row.push(said);
        end = said.to;
    }
    lists.extend(list(page, &row));
    for said in lists {
        page.add(said);
    }
}

/// Returns true for a name with a comma: `Boston, MA` is one name, but two elements in a row of names.
fn is_joined_name(page: &PlainText<'_>, said: &FoundValue) -> bool {
    said.kind == ValueKind::Name
        && page.text().get(said.from..said.to).is_some_and(|text| text.contains(','))
}

/// Returns true if `next` stands after `last` as the next element of the same list.
fn follows(page: &PlainText<'_>, last: &FoundValue, next: &FoundValue) -> bool {
    let gap = page.text().get(last.to..next.from).unwrap_or_default();
    group(last.kind) == group(next.kind) && gap.len() < 24 && separates(gap)
}

fn separates(gap: &str) -> bool {
    let mut scan = ValueScan::new(gap, 0);
    scan.blanks();
    let has_sign = scan.eat_any(&SIGNS).is_some();
    scan.blanks();
    let has_tie = scan.eat_any(&en::LIST_TIES).or_else(|| scan.eat_any(&zh::LIST_TIES)).is_some();
    scan.blanks();
    (has_sign || has_tie) && scan.rest().is_empty()
}

/// Maps a kind to its group; values of one group may form a list.
fn group(kind: ValueKind) -> ValueKind {
    let is_word = matches!(
        kind,
        ValueKind::Id | ValueKind::Name | ValueKind::Word | ValueKind::Label | ValueKind::Unit
    );
    if is_word { ValueKind::Word } else { kind }
}

fn list(page: &PlainText<'_>, row: &[&FoundValue]) -> Option<FoundValue> {
    let (first, last) = (row.first()?, row.last()?);
    let text = page.text().get(first.from..last.to)?;
    let before = ValueScan::new(page.text(), first.from).word_before().to_ascii_lowercase();
    let is_range =
        row.len() == 2 && (before == "between" || page.text().get(..first.from)?.ends_with("介于"));
    let words = row.iter().filter(|said| said.kind == ValueKind::Word).count();
    // A plain word and one other element form a list only with `、` between them.
    let is_told = words == 0 || row.len() > 2 || text.contains('、');
    let values: Vec<Value> = row.iter().map(|said| value(page, said)).collect();
    let fits = row.len() > 1 && !is_range && is_told;
    fits.then(|| {
        FoundValue::new(first.from, last.to, ValueKind::List, values)
            .with_unit(last.unit.as_deref())
    })
}

fn value(page: &PlainText<'_>, said: &FoundValue) -> Value {
    let as_written = matches!(
        said.kind,
        ValueKind::Name | ValueKind::Word | ValueKind::Span | ValueKind::Label | ValueKind::Unit
    );
    if as_written { page.as_given(said.from, said.to).into() } else { said.value.clone() }
}
