//! The files of the lexicon, and their sections.
//!
//! A line is the name of a section in brackets, a comment that starts with `#`, or an entry of the section above it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Embeds files by their names below `lexicon/`.
macro_rules! embedded {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../lexicon/", $name, ".txt")))),*]
    };
}

/// All files, by name.
pub(super) const FILES: &[(&str, &str)] = embedded!(
    "addresses" "choices" "cues" "currencies" "synonyms" "units"
    "en/columns" "en/counting" "en/dates" "en/endings" "en/keys" "en/manners" "en/names" "en/numbers"
    "en/parameters" "en/phrases" "en/verbs"
    "zh/columns" "zh/counting" "zh/currencies" "zh/dates" "zh/keys" "zh/manners" "zh/numbers"
    "zh/parameters" "zh/phrases" "zh/units" "zh/verbs"
);

/// The name of a section and the lines of its entries.
pub(super) type Section = (&'static str, Vec<&'static str>);

static SECTIONS: LazyLock<BTreeMap<&'static str, Vec<Section>>> =
    LazyLock::new(|| FILES.iter().map(|(name, text)| (*name, sections(text))).collect());

/// Returns the lines of a section, matched without regard to case; empty if the section does not exist.
pub(super) fn lines(file: &str, section: &str) -> &'static [&'static str] {
    let all = SECTIONS.get(file).into_iter().flatten();
    let mut own = all.filter(|(name, _)| name.eq_ignore_ascii_case(section));
    own.next().map_or(&[], |(_, lines)| lines)
}

/// Splits a text into its sections, in order. Entries before the first one belong to a section without a name.
pub(super) fn sections(text: &'static str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !is_remark(line)) {
        let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match (name, found.last_mut()) {
            (Some(name), _) => found.push((name, vec![])),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => found.push(("", vec![line])),
        }
    }
    found
}

fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}
