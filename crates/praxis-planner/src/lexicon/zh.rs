//! Chinese words and characters.

use super::entry::{UnitWord, WordGroup};
use super::list::{LexiconList, lists};

lists! {
    "zh/columns" {
        /// The name of a column may stand behind these; the longer before the shorter.
        BEFORE_COLUMNS: &'static str,
        /// It ends before these.
        BEHIND_COLUMNS: &'static str,
        /// What stands behind these is grouped by.
        GROUPINGS: &'static str,
        /// Beside a word: it is a column.
        BESIDE_COLUMNS: &'static str,
    }

    "zh/counting" {
        /// Before a number: so many are wanted.
        COUNTING: &'static str,
        /// Behind a length of time: it leads back.
        BACKWARDS: &'static str,
        /// Before a length of time: it leads back.
        BACKWARDS_BEFORE: &'static str,
    }

    "zh/currencies" {
        /// The longer before the shorter.
        CURRENCIES: &'static str,
    }

    "zh/dates" {
        /// Days and periods told from today; the longer before the shorter.
        RELATIVE_DAYS: &'static str,
        /// Weeks told from today; a day of the week may follow. The longer before the shorter.
        WEEKS: &'static str,
        /// Before a day of the week.
        WEEK: &'static str,
        /// Characters for the days of the week.
        WEEK_DAYS: char,
        /// Characters before 周 that count weeks: 一周一次 names no Monday.
        WEEK_COUNTS: char,
        /// Behind a length of time: it leads away from today; the longer before the shorter.
        AGO: &'static str,
        /// Before an hour before noon.
        MORNINGS: &'static str,
        /// Before an hour around noon.
        NOONS: &'static str,
        /// Before an hour after noon.
        EVENINGS: &'static str,
        /// Words behind an hour, with the minutes that they stand for.
        MINUTES: (&'static str, u64),
        /// Between a date and its time of day.
        BEFORE_TIMES: &'static str,
    }

    "zh/keys" {
        /// A key with one of these is switched on.
        YES: &'static str,
        /// A key with one of these is switched off.
        NO: &'static str,
        /// Words between a key and its value; the longer before the shorter.
        KEY_TIES: &'static str,
        /// Words that end like such a tie and are none.
        NO_KEY_TIES: &'static str,
        /// A key begins behind these characters. A line may hold several.
        KEY_LEADS: char,
        /// Words before such a tie that are no key.
        NO_KEYS: &'static str,
    }

    "zh/manners" {
        /// Phrases that say nothing of what is to be done; the longer before the shorter.
        MANNERS: &'static str,
        /// Single characters that say as little. A line may hold several.
        LITTLE: char,
        /// What a request may begin with and still be the same request; the longer before the shorter.
        POLITE_OPENINGS: &'static str,
        /// What it may end with.
        POLITE_ENDINGS: &'static str,
    }

    "zh/numbers" {
        /// Characters for digits.
        DIGITS: (char, u32),
        /// Characters that multiply the digit before them.
        SMALL_UNITS: (char, u32),
        /// Characters that multiply all that stands before them, with their power of ten.
        LARGE_UNITS: (char, u32),
        /// Units that 千 and 百 may belong to: 3千米 is a length.
        KILO_UNITS: char,
    }

    "zh/parameters" {
        /// Prepositions right before a value, with the names of parameters that take it.
        ROLES: WordGroup,
        /// It takes a file or a folder.
        FILE_WORDS: &'static str,
        /// It names columns.
        COLUMN_WORDS: &'static str,
        /// It takes the unit of something.
        MEASURE_WORDS: &'static str,
        /// It says how many there are to be.
        COUNT_WORDS: &'static str,
        /// It takes what a file holds, or another step made.
        CONTENT_WORDS: &'static str,
        /// It takes a day or a time of day.
        MOMENT_WORDS: &'static str,
    }

    "zh/phrases" {
        /// Characters that tie words together and are hardly ever part of a name. A line may hold several.
        TIES: char,
        /// Those of them that stand before the name of a file; other ties may begin such a name: 会议.txt.
        PREPOSITIONS: char,
        /// Words that stand before a value and are no part of it: what a request begins with, or does with a thing.
        REQUEST_WORDS: &'static str,
        /// Words that begin another step; the longer before the shorter.
        TURNS: &'static str,
        /// Words for the result of an earlier step.
        POINTS_BACK: &'static str,
        /// Behind these a yes is a no.
        DENIALS: &'static str,
        /// What may stand before the last element of a list; the longer before the shorter.
        LIST_TIES: &'static str,
        /// Characters before a number that counts nothing: 哪一天, 每一个.
        ASKING: char,
    }

    "zh/units" {
        /// The longer before the shorter.
        UNITS: UnitWord,
        /// Behind these stands the unit that is wanted: 等于多少兆瓦.
        BEFORE_UNITS: &'static str,
    }

    "zh/verbs" {
        /// Verbs that ask for the same kind of thing, by that kind.
        ACTS: (&'static str, &'static str),
    }
}
