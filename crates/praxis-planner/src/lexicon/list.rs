//! A list of the lexicon.

use super::entry::LexiconEntry;
use super::sections::lines;
use std::ops::Deref;
use std::sync::OnceLock;

/// The entries of a section in file order, parsed on first use.
///
/// A malformed line is skipped here; a test parses every file and fails on it.
#[derive(Debug)]
pub struct LexiconList<E> {
    file: &'static str,
    section: &'static str,
    entries: OnceLock<Vec<E>>,
}

impl<E> LexiconList<E> {
    pub(super) const fn of(file: &'static str, section: &'static str) -> Self {
        Self { file, section, entries: OnceLock::new() }
    }
}

impl<E: LexiconEntry> Deref for LexiconList<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        self.entries.get_or_init(|| {
            lines(self.file, self.section)
                .iter()
                .filter_map(|line| E::read(line))
                .flatten()
                .collect()
        })
    }
}

/// Declares a static for each list, and a table of all lists for the tests.
macro_rules! lists {
    ($($file:literal { $($(#[$doc:meta])* $name:ident: $entry:ty,)* })*) => {
        $($($(#[$doc])* pub static $name: LexiconList<$entry> = LexiconList::of($file, stringify!($name));)*)*

        #[cfg(test)]
        pub(super) const ALL: &[super::tests::DeclaredList] = &[
            $($(super::tests::DeclaredList {
                file: $file,
                section: stringify!($name),
                keys: super::tests::keys::<$entry>,
            },)*)*
        ];
    };
}

pub(super) use lists;
