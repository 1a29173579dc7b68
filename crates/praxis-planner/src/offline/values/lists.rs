//! Lists: several values of one kind in a row.
//!
//! - in: what was found on a page
//! - out: `1, 2 and 3`, `3、5、8`, `"a", "b" and "c"`, `Paris, London and Rome` as one value each
//! - never: the two ends of `between 3 and 5`

use super::page::Page;
use super::said::{Kind, Said};
use super::scan::Scan;
use crate::lexicon::{en, zh};
use serde_json::Value;

/// What may stand between two elements.
const SIGNS: [&str; 4] = [",", "，", "、", ";"];

/// Adds the lists of a text; their elements stay.
pub(super) fn read(page: &mut Page<'_>) {
    let mut elements: Vec<&Said> =
        page.found().iter().filter(|said| said.kind != Kind::Json).collect();
    elements.sort_by_key(|said| (said.from, usize::MAX - said.to, said.kind));
    let (mut lists, mut row, mut end, mut closed) = (Vec::new(), Vec::new(), 0, 0);
    for said in elements {
        // A list in brackets is one already; and of several readings of a place the first one counts.
        if said.kind == Kind::List || said.from < closed {
            closed = if said.kind == Kind::List { closed.max(said.to) } else { closed };
            continue;
        }
        if said.from < end || is_joined_name(page, said) {
            continue;
        }
        let goes_on = row.last().is_some_and(|last: &&Said| follows(page, last, said));
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

/// `Boston, MA` is one name, but in a row of names it is two.
fn is_joined_name(page: &Page<'_>, said: &Said) -> bool {
    said.kind == Kind::Name
        && page.text().get(said.from..said.to).is_some_and(|text| text.contains(','))
}

/// Whether a value stands behind another one as the next element of one list.
fn follows(page: &Page<'_>, last: &Said, next: &Said) -> bool {
    let gap = page.text().get(last.to..next.from).unwrap_or_default();
    group(last.kind) == group(next.kind) && gap.len() < 24 && separates(gap)
}

fn separates(gap: &str) -> bool {
    let mut scan = Scan::new(gap, 0);
    scan.blanks();
    let has_sign = scan.eat_any(&SIGNS).is_some();
    scan.blanks();
    let has_tie = scan.eat_any(&en::LIST_TIES).or_else(|| scan.eat_any(&zh::LIST_TIES)).is_some();
    scan.blanks();
    (has_sign || has_tie) && scan.rest().is_empty()
}

/// Kinds that may stand in one list.
fn group(kind: Kind) -> Kind {
    let is_word = matches!(kind, Kind::Id | Kind::Name | Kind::Word | Kind::Label | Kind::Unit);
    if is_word { Kind::Word } else { kind }
}

fn list(page: &Page<'_>, row: &[&Said]) -> Option<Said> {
    let (first, last) = (row.first()?, row.last()?);
    let text = page.text().get(first.from..last.to)?;
    let before = Scan::new(page.text(), first.from).word_before().to_ascii_lowercase();
    let is_range =
        row.len() == 2 && (before == "between" || page.text().get(..first.from)?.ends_with("介于"));
    let words = row.iter().filter(|said| said.kind == Kind::Word).count();
    // Two words side by side are a list only where the sign says so.
    let is_told = words == 0 || row.len() > 2 || text.contains('、');
    let values: Vec<Value> = row.iter().map(|said| value(page, said)).collect();
    let fits = row.len() > 1 && !is_range && is_told;
    fits.then(|| Said::new(first.from, last.to, Kind::List, values).with_unit(last.unit.as_deref()))
}

fn value(page: &Page<'_>, said: &Said) -> Value {
    let as_written =
        matches!(said.kind, Kind::Name | Kind::Word | Kind::Span | Kind::Label | Kind::Unit);
    if as_written { page.as_given(said.from, said.to).into() } else { said.value.clone() }
}
