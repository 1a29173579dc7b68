//! Lists that belong to no single language.

use super::entry::{NameGroup, UnitWord, WordGroup};
use super::list::{LexiconList, lists};

lists! {
    "addresses" {
        /// Top-level domains: a name that ends with one is a host, even without `https://`.
        HOSTS: &'static str,
        /// File extensions: a name that ends with one is a file, even without a folder before it.
        FILE_ENDINGS: &'static str,
    }

    "choices" {
        /// Synonyms of enum values and boolean parameters of tools.
        CHOICES: WordGroup,
    }

    "cues" {
        /// Words at the start of a sentence that continue earlier work.
        CONTINUE_CUES: &'static str,
        /// Words at the start of a sentence that ask for a replan.
        REPLAN_CUES: &'static str,
        /// Cues that count only if they end the sentence or one of these words follows.
        FOLLOWED_BY: WordGroup,
        /// Cues that do not count if one of these words follows: the cue is the start of a name, such as 继续教育.
        NOT_FOLLOWED_BY: WordGroup,
        /// Filler words before the actual request; longer ones come first.
        FILLERS: &'static str,
        /// Verbs for doing or finishing work.
        DOING: &'static str,
        /// Words for the remaining work.
        REST: &'static str,
        /// Phrases in which `rest` means the REST interface.
        NO_REST: &'static str,
        /// Stated intents that continue earlier work.
        CONTINUE_INTENTS: &'static str,
        /// Stated intents that ask for a replan.
        REPLAN_INTENTS: &'static str,
    }

    "currencies" {
        /// Currency symbols and codes before a number; longer ones come first.
        SIGNS_BEFORE: &'static str,
        /// Currency codes and words after a number.
        CURRENCY_WORDS: &'static str,
        /// Currency symbols after a number.
        SIGNS_BEHIND: &'static str,
        /// Countries that may stand before a currency word: `5 US dollars`.
        COUNTRIES: &'static str,
    }

    "synonyms" {
        /// Groups of synonyms, across languages.
        SYNONYMS: NameGroup,
    }

    "units" {
        /// Unit symbols, case-sensitive. A single letter must directly follow its number.
        UNIT_SYMBOLS: &'static str,
        /// Single-character symbols that may also be separated from their number.
        APART_SYMBOLS: &'static str,
        /// Unit words and abbreviations, in any case.
        UNIT_WORDS: UnitWord,
        /// Temperature scales after a unit: `degrees Celsius`.
        SCALES: &'static str,
        /// Additional names of time units in parameter names, such as `yr`.
        TIME_NAMES: UnitWord,
    }
}
