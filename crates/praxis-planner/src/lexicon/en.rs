//! English words.

use super::entry::WordGroup;
use super::list::{LexiconList, lists};

lists! {
    "en/columns" {
        /// The name of a column may stand behind these.
        BEFORE_COLUMNS: &'static str,
        /// And before these.
        BEHIND_COLUMNS: &'static str,
        /// Behind `column` these tell that the name comes later: `a column called x`.
        NAMING: &'static str,
        /// A name may stand between one of these and a comparison.
        LINKS: &'static str,
        /// Words that begin a comparison.
        COMPARES: &'static str,
        /// Words that are no name of a column.
        NO_COLUMNS: &'static str,
        /// What stands behind these is grouped by.
        GROUPINGS: &'static str,
        /// Beside a word: it is a column.
        BESIDE_COLUMNS: &'static str,
    }

    "en/counting" {
        /// Beside a number: so many are wanted.
        COUNTING: &'static str,
        /// Behind a length of time: it leads back.
        BACKWARDS: &'static str,
    }

    "en/dates" {
        /// In the order of the year.
        MONTHS: &'static str,
        /// In the order of the week.
        DAYS: &'static str,
        /// Short names of days, as they are written.
        SHORT_DAYS: &'static str,
        /// Behind these, four digits are a year.
        BEFORE_YEARS: &'static str,
        /// Behind these, `May` is a month and no verb.
        BEFORE_MAY: &'static str,
        /// Days told from today, in several words.
        RELATIVE_PHRASES: &'static str,
        /// Days told from today, in one word.
        RELATIVE_DAYS: &'static str,
        /// Words before a period or a day of the week: `next Friday`.
        WHICH: &'static str,
        /// Periods that may stand behind those.
        PERIODS: &'static str,
        /// Behind a length of time: it leads away from today.
        AGO: &'static str,
        /// Behind a length of time and `from`.
        FROM_NOW: &'static str,
        /// Behind an hour before noon, as they are written.
        MORNINGS: &'static str,
        /// Behind an hour after noon, as they are written.
        EVENINGS: &'static str,
        /// Behind a full hour, as they are written.
        O_CLOCK: &'static str,
        /// Words for a time of day.
        TIMES_OF_DAY: (&'static str, &'static str),
        /// Between a date and its time of day.
        BEFORE_TIMES: &'static str,
        /// Between a time of day and its date.
        BEFORE_DATES: &'static str,
    }

    "en/endings" {
        /// The first that fits is taken off, if four letters are left.
        ENDINGS: &'static str,
        /// Words with these endings are no plurals.
        SINGULAR_ENDINGS: &'static str,
    }

    "en/keys" {
        /// A key with one of these is switched on.
        YES: &'static str,
        /// A key with one of these is switched off.
        NO: &'static str,
        /// Words between a key and its value.
        KEY_TIES: &'static str,
        /// Words before such a tie that are no key.
        NO_KEYS: &'static str,
        /// A key begins behind these.
        BEFORE_KEYS: &'static str,
    }

    "en/manners" {
        /// Words that say nothing about what is wanted; the search for tools leaves them out.
        SAYS_NOTHING: &'static str,
        /// What a word is shortened to behind an apostrophe.
        CONTRACTIONS: &'static str,
        /// Words that requests are made of, whatever they are about.
        MANNERS: &'static str,
        /// Words with which requests begin or go on, beside the two lists above; none of them is a value.
        OPENINGS: &'static str,
        /// What a request may begin with and still be the same request; the longer before the shorter.
        POLITE_OPENINGS: &'static str,
        /// What it may end with.
        POLITE_ENDINGS: &'static str,
    }

    "en/names" {
        /// Small words that may stand inside a name: `Bank of America`.
        NAME_TIES: &'static str,
        /// Short forms whose dot ends no sentence.
        SHORT_FORMS: &'static str,
        /// Words with capitals that end a name before them.
        NO_NAME_PARTS: &'static str,
        /// Words with capitals that begin no name.
        NEVER_NAMES: &'static str,
    }

    "en/numbers" {
        /// In order, from 0 to 19.
        SMALL: &'static str,
        /// In order, from 20 to 90.
        TENS: &'static str,
        /// In order, from the 0th to the 12th.
        ORDINALS: &'static str,
        /// Words that multiply the number before them.
        LARGE: (&'static str, u64),
        /// Letters right behind a number, as they are written, with the power of ten that they stand for; the longer before the shorter.
        LARGE_LETTERS: (&'static str, u64),
        /// Behind these, `one` is a pronoun.
        BEFORE_ONE: &'static str,
        /// Before these, `one` is a pronoun.
        AFTER_ONE: &'static str,
        /// Before these, an ordinal counts nothing: `first name`.
        AFTER_ORDINALS: &'static str,
        /// Right behind the digits of an ordinal.
        ORDINAL_ENDINGS: &'static str,
        /// Right behind digits: the token is a number with its ending and no identifier.
        COUNTED_ENDINGS: &'static str,
        /// Behind a number: it is a share of a hundred.
        PERCENTS: &'static str,
    }

    "en/parameters" {
        /// Prepositions, with the names of parameters that take what stands behind them.
        ROLES: WordGroup,
        /// Kinds of values, with the names of parameters that take them.
        KINDS: WordGroup,
        /// What ends in one of these is chosen by whoever asks, and seldom made by another tool.
        CHOSEN: &'static str,
        /// It takes a file or a folder.
        FILE_WORDS: &'static str,
        /// It takes a path: of a file, or into a value.
        PATH_WORDS: &'static str,
        /// It names columns.
        COLUMN_WORDS: &'static str,
        /// It takes the unit of something.
        MEASURE_WORDS: &'static str,
        /// It says how many there are to be.
        COUNT_WORDS: &'static str,
        /// It takes what a file holds, or another step made.
        CONTENT_WORDS: &'static str,
        /// It takes values that programs make.
        DATA_WORDS: &'static str,
        /// It takes a day or a time of day.
        MOMENT_WORDS: &'static str,
        /// It takes what things are grouped by.
        GROUPING_WORDS: &'static str,
    }

    "en/phrases" {
        /// A value may stand behind these.
        PREPOSITIONS: &'static str,
        /// Words at the beginning of a phrase that are no part of the value.
        ARTICLES: &'static str,
        /// A phrase ends before these.
        PHRASE_ENDS: &'static str,
        /// Behind these a value is something else than the words before it: a hotel in Paris is not called Paris.
        APART: &'static str,
        /// Words that begin another step.
        TURNS: &'static str,
        /// Words for the result of an earlier step.
        POINTS_BACK: &'static str,
        /// Words that join two things: a phrase with one of them is not one value.
        JOINS: &'static str,
        /// Behind these a yes is a no.
        DENIALS: &'static str,
        /// What may stand before the last element of a list.
        LIST_TIES: &'static str,
    }

    "en/verbs" {
        /// Verbs that ask for the same kind of thing, by that kind.
        ACTS: (&'static str, &'static str),
        /// Tools with one of these in their names find a thing by its name.
        LOOKING: &'static str,
    }
}
