use super::sections::{FILES, lines, sections};
use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A declared list, and the function that returns the keys of one of its lines.
pub(super) struct DeclaredList {
    pub(super) file: &'static str,
    pub(super) section: &'static str,
    pub(super) keys: fn(&'static str) -> Option<Vec<String>>,
}

pub(super) fn keys<E: LexiconEntry>(line: &'static str) -> Option<Vec<String>> {
    Some(E::read(line)?.iter().flat_map(LexiconEntry::keys).collect())
}

fn declared(file: &str) -> Vec<&'static DeclaredList> {
    let all = en::ALL.iter().chain(zh::ALL).chain(any::ALL);
    all.filter(|list| list.file == file).collect()
}

/// Returns all errors of a file.
fn faults(text: &'static str, declared: &[&DeclaredList]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, lines) in sections(text) {
        let own = declared.iter().find(|list| list.section.to_lowercase() == name);
        let Some(own) = own.filter(|_| seen.insert(name)) else {
            faults.push(format!("[{name}] is not declared, or is there twice"));
            continue;
        };
        let mut known = BTreeSet::new();
        for line in lines {
            let keys = (own.keys)(line);
            let keys = keys.filter(|keys| !keys.iter().any(String::is_empty));
            faults.extend(keys.is_none().then(|| format!("[{name}] `{line}` is malformed")));
            let again = keys.into_iter().flatten().filter(|key| !known.insert(key.clone()));
            faults.extend(again.map(|key| format!("[{name}] `{key}` is there twice")));
        }
        faults.extend(known.is_empty().then(|| format!("[{name}] is empty")));
    }
    let missing = declared.iter().filter(|list| !seen.contains(&*list.section.to_lowercase()));
    faults.extend(missing.map(|list| format!("[{}] is missing", list.section)));
    faults
}

#[test]
fn every_line_of_every_file_is_read_and_none_is_there_twice() {
    for (file, text) in FILES {
        assert_eq!(faults(text, &declared(file)), Vec::<String>::new(), "lexicon/{file}.txt");
    }
}

#[test]
fn a_line_that_is_wrong_is_told_and_so_are_sections_that_nobody_or_somebody_knows() {
    let list = |section, keys| DeclaredList { file: "", section, keys };
    let (words, numbers) = (list("WORDS", keys::<&str>), list("NUMBERS", keys::<(&str, u64)>));
    let (units, gone) = (list("UNITS", keys::<UnitWord>), list("GONE", keys::<char>));
    let text = "early\n[words]\n# a remark\na\nb = c\na\n[numbers]\nten = 10\nten = x\n[other]\nz\n[units]\nkm\nh = time 60\nday = time soon after\nKM\n[words]\n";
    assert_eq!(
        faults(text, &[&words, &numbers, &units, &gone]),
        [
            "[] is not declared, or is there twice",
            "[words] `b = c` is malformed",
            "[words] `a` is there twice",
            "[numbers] `ten = x` is malformed",
            "[other] is not declared, or is there twice",
            "[units] `day = time soon after` is malformed",
            "[units] `km` is there twice",
            "[words] is not declared, or is there twice",
            "[GONE] is missing",
        ]
    );
}

#[test]
fn every_file_of_the_folder_is_embedded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lexicon");
    let mut found = BTreeSet::new();
    for folder in ["", "en", "zh"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = Path::new(folder).join(entry.unwrap().file_name());
            let name = path.to_str().unwrap().strip_suffix(".txt").map(str::to_owned);
            found.extend(name);
        }
    }
    let embedded: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(found, embedded);
}

/// Lists that are searched for the first entry that is a prefix of a text.
const FIRST_FITS: &[(&str, &str)] = &[
    ("zh/manners", "manners"),
    ("zh/manners", "polite_openings"),
    ("zh/phrases", "request_words"),
    ("zh/phrases", "turns"),
    ("zh/phrases", "list_ties"),
    ("zh/keys", "key_ties"),
    ("zh/dates", "relative_days"),
    ("zh/dates", "weeks"),
    ("zh/dates", "ago"),
    ("zh/units", "units"),
    ("zh/currencies", "currencies"),
    ("zh/columns", "before_columns"),
    ("en/manners", "polite_openings"),
    ("currencies", "signs_before"),
];

#[test]
fn where_the_first_that_fits_counts_the_longer_stands_before_the_shorter() {
    for (file, section) in FIRST_FITS {
        let word = |line: &&'static str| line.split(" = ").next().unwrap_or_default();
        let words: Vec<&str> = lines(file, section).iter().map(word).collect();
        assert!(!words.is_empty(), "{file} [{section}]");
        for (at, later) in words.iter().enumerate() {
            let hides = words.iter().take(at).find(|earlier| later.starts_with(**earlier));
            assert_eq!(hides, None, "{file} [{section}]: `{later}` must stand before it");
        }
    }
}

/// English lists that are compared case-sensitively. All others are compared in lower case.
const AS_WRITTEN: &[&str] = &[
    "NO_NAME_PARTS",
    "SHORT_FORMS",
    "NEVER_NAMES",
    "SHORT_DAYS",
    "MORNINGS",
    "EVENINGS",
    "O_CLOCK",
    "LARGE_LETTERS",
    "COUNTED_ENDINGS",
];

#[test]
fn what_is_compared_in_lower_case_is_written_so() {
    for list in en::ALL.iter().filter(|list| !AS_WRITTEN.contains(&list.section)) {
        for line in lines(list.file, list.section) {
            assert_eq!(*line, line.to_lowercase(), "lexicon/{}.txt", list.file);
        }
    }
}

#[test]
fn a_unit_of_time_says_how_long_it_is() {
    let by_word: BTreeMap<&str, &UnitWord> =
        any::UNIT_WORDS.iter().map(|it| (it.word, it)).collect();
    let size = |word: &str| by_word[word].size;
    assert_eq!(size("hours"), Some(UnitSize::Minutes(60.0)));
    assert_eq!(size("ms"), Some(UnitSize::Minutes(1.0 / 60_000.0)));
    assert_eq!(size("months"), Some(UnitSize::Period("month")));
    assert!(by_word["nights"].is_time && size("nights").is_none());
    assert!(!by_word["miles"].is_time);
}
