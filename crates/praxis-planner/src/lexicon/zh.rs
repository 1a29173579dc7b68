//! Chinese words and characters.

use super::entry::{UnitWord, WordGroup};
use super::list::{LexiconList, lists};

lists! {
    "zh/columns" {
        /// Words before the name of a column; longer ones come first.
        BEFORE_COLUMNS: &'static str,
        /// Words after the name of a column.
        BEHIND_COLUMNS: &'static str,
        /// Words before the column that rows are grouped by.
        GROUPINGS: &'static str,
        /// Words next to a quoted text that make it a column name.
        BESIDE_COLUMNS: &'static str,
    }

    "zh/counting" {
        /// Words before a number that make it a count.
        COUNTING: &'static str,
        /// Words after a duration that point to the past.
        BACKWARDS: &'static str,
        /// Words before a duration that point to the past.
        BACKWARDS_BEFORE: &'static str,
    }

    "zh/currencies" {
        /// Currencies after a number; longer ones come first.
        CURRENCIES: &'static str,
    }

    "zh/dates" {
        /// Relative days and periods; longer ones come first.
        RELATIVE_DAYS: &'static str,
        /// Relative weeks, optionally followed by a day of the week; longer ones come first.
        WEEKS: &'static str,
        /// Words before a day of the week.
        WEEK: &'static str,
        /// Characters for the days of the week.
        WEEK_DAYS: char,
        /// Characters before 周 that count weeks: 一周一次 does not name a Monday.
        WEEK_COUNTS: char,
        /// Words after a duration that make it a relative date; longer ones come first.
        AGO: &'static str,
        /// Words before an hour before noon.
        MORNINGS: &'static str,
        /// Words before an hour around noon.
        NOONS: &'static str,
        /// Words before an hour after noon.
        EVENINGS: &'static str,
        /// Words after an hour, with their minutes.
        MINUTES: (&'static str, u64),
        /// Words between a date and its time of day.
        BEFORE_TIMES: &'static str,
    }

    "zh/keys" {
        /// Values that set a key to true.
        YES: &'static str,
        /// Values that set a key to false.
        NO: &'static str,
        /// Words between a key and its value; longer ones come first.
        KEY_TIES: &'static str,
        /// Words that end like a `KEY_TIES` word but are none.
        NO_KEY_TIES: &'static str,
        /// Characters that a key follows. A line may hold several.
        KEY_LEADS: char,
        /// Words before a `KEY_TIES` word that are not a key.
        NO_KEYS: &'static str,
    }

    "zh/manners" {
        /// Filler phrases without meaning for the task; longer ones come first.
        MANNERS: &'static str,
        /// Single filler characters. A line may hold several.
        LITTLE: char,
        /// Polite openings that do not change the request; longer ones come first.
        POLITE_OPENINGS: &'static str,
        /// Polite endings that do not change the request.
        POLITE_ENDINGS: &'static str,
    }

    "zh/numbers" {
        /// Characters for digits.
        DIGITS: (char, u32),
        /// Characters that multiply the digit before them.
        SMALL_UNITS: (char, u32),
        /// Characters that multiply the whole number before them, with their power of ten.
        LARGE_UNITS: (char, u32),
        /// Units that 千 and 百 may belong to: 3千米 is a length.
        KILO_UNITS: char,
    }

    "zh/parameters" {
        /// Prepositions directly before a value, with the names of the parameters that take it.
        ROLES: WordGroup,
        /// Words of parameters that take a file or a folder.
        FILE_WORDS: &'static str,
        /// Words of parameters that take column names.
        COLUMN_WORDS: &'static str,
        /// Words of parameters that take a unit.
        MEASURE_WORDS: &'static str,
        /// Words of parameters that take a count.
        COUNT_WORDS: &'static str,
        /// Words of parameters that take the content of a file or the output of another step.
        CONTENT_WORDS: &'static str,
        /// Words of parameters that take a date or a time of day.
        MOMENT_WORDS: &'static str,
    }

    "zh/phrases" {
        /// Characters that connect words and are rarely part of a name. A line may hold several.
        TIES: char,
        /// The `TIES` that precede a file name. The others may start one: 会议.txt.
        PREPOSITIONS: char,
        /// Verbs and openings of a request before a value; they are not part of it.
        REQUEST_WORDS: &'static str,
        /// Words that start another step; longer ones come first.
        TURNS: &'static str,
        /// Words that refer to the result of an earlier step.
        POINTS_BACK: &'static str,
        /// Negations: they turn the yes after them into a no.
        DENIALS: &'static str,
        /// Words before the last element of a list; longer ones come first.
        LIST_TIES: &'static str,
        /// Characters before a number that is not a count: 哪一天, 每一个.
        ASKING: char,
    }

    "zh/units" {
        /// Units of measure; longer ones come first.
        UNITS: UnitWord,
        /// Words before the unit that is asked for: 等于多少兆瓦.
        BEFORE_UNITS: &'static str,
    }

    "zh/verbs" {
        /// Kinds of actions, each with the verbs that ask for it.
        ACTS: (&'static str, &'static str),
    }
}
