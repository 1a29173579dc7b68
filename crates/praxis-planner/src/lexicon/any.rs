//! Lists that are of no single language.

use super::entry::{NameGroup, UnitWord, WordGroup};
use super::list::{LexiconList, lists};

lists! {
    "addresses" {
        /// A name with one of these at its end is a host without `https://`.
        HOSTS: &'static str,
        /// A name with one of these at its end is a file without a folder before it.
        FILE_ENDINGS: &'static str,
    }

    "choices" {
        /// Other words for the choices and switches of tools.
        CHOICES: WordGroup,
    }

    "cues" {
        /// At the beginning of a sentence: the request goes on with earlier work.
        CONTINUE_CUES: &'static str,
        /// At the beginning of a sentence: the work is to be planned anew.
        REPLAN_CUES: &'static str,
        /// These cues count only if nothing or one of these words follows.
        FOLLOWED_BY: WordGroup,
        /// These cues do not count if one of these words follows: the cue begins the name of a thing, such as 继续教育.
        NOT_FOLLOWED_BY: WordGroup,
        /// Words before what somebody wants; the longer before the shorter.
        FILLERS: &'static str,
        /// Words for doing something.
        DOING: &'static str,
        /// Words for the rest of something.
        REST: &'static str,
        /// Phrases in which `rest` means the kind of interface.
        NO_REST: &'static str,
        /// Stated intents: go on with earlier work.
        CONTINUE_INTENTS: &'static str,
        /// Stated intents: plan it anew.
        REPLAN_INTENTS: &'static str,
    }

    "currencies" {
        /// Before a number; the longer before the shorter.
        SIGNS_BEFORE: &'static str,
        /// Codes and words behind a number.
        CURRENCY_WORDS: &'static str,
        /// Signs behind a number.
        SIGNS_BEHIND: &'static str,
        /// May stand before the word: `5 US dollars`.
        COUNTRIES: &'static str,
    }

    "synonyms" {
        /// Names of one thing, across languages.
        SYNONYMS: NameGroup,
    }

    "units" {
        /// Symbols, as they are written. One of a single letter must touch its number.
        UNIT_SYMBOLS: &'static str,
        /// Symbols of a single character that may also stand apart from their number.
        APART_SYMBOLS: &'static str,
        /// Words and short forms in any case.
        UNIT_WORDS: UnitWord,
        /// Behind a unit: `degrees Celsius`.
        SCALES: &'static str,
        /// Other names that parameters have for a unit of time, and numbers have not: `delay_w`.
        TIME_NAMES: UnitWord,
    }
}
