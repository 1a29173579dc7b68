//! English words.

use super::entry::WordGroup;
use super::list::{LexiconList, lists};

lists! {
    "en/columns" {
        /// Words before the name of a column.
        BEFORE_COLUMNS: &'static str,
        /// Words after the name of a column.
        BEHIND_COLUMNS: &'static str,
        /// Words after `column` that put the name behind them: `a column called x`.
        NAMING: &'static str,
        /// Conjunctions: a word between one of these and a comparison may be a column name.
        LINKS: &'static str,
        /// Words that start a comparison.
        COMPARES: &'static str,
        /// Words that are never a column name.
        NO_COLUMNS: &'static str,
        /// Words before the column that rows are grouped by.
        GROUPINGS: &'static str,
        /// Words next to a quoted text that make it a column name.
        BESIDE_COLUMNS: &'static str,
    }

    "en/counting" {
        /// Words next to a number that make it a count: `top 5`.
        COUNTING: &'static str,
        /// Words after a duration that point to the past.
        BACKWARDS: &'static str,
    }

    "en/dates" {
        /// The months, in order.
        MONTHS: &'static str,
        /// The days of the week, in order.
        DAYS: &'static str,
        /// Abbreviated days of the week, case-sensitive.
        SHORT_DAYS: &'static str,
        /// Words that make the four digits after them a year.
        BEFORE_YEARS: &'static str,
        /// Words that make `May` after them the month and not the verb.
        BEFORE_MAY: &'static str,
        /// Relative days of several words.
        RELATIVE_PHRASES: &'static str,
        /// Relative days of one word.
        RELATIVE_DAYS: &'static str,
        /// Words before a period or a day of the week: `next Friday`.
        WHICH: &'static str,
        /// Periods that may follow a word of `WHICH`.
        PERIODS: &'static str,
        /// Words after a duration that make it a relative date: `3 days ago`.
        AGO: &'static str,
        /// Words after a duration and `from`: `3 days from now`.
        FROM_NOW: &'static str,
        /// Markers after an hour before noon, case-sensitive.
        MORNINGS: &'static str,
        /// Markers after an hour after noon, case-sensitive.
        EVENINGS: &'static str,
        /// Markers after a full hour, case-sensitive.
        O_CLOCK: &'static str,
        /// Words for a time of day.
        TIMES_OF_DAY: (&'static str, &'static str),
        /// Words between a date and its time of day.
        BEFORE_TIMES: &'static str,
        /// Words between a time of day and its date.
        BEFORE_DATES: &'static str,
    }

    "en/endings" {
        /// Suffixes that the stemmer removes: the first match, if at least four letters remain.
        ENDINGS: &'static str,
        /// Endings in `s` that are not plurals.
        SINGULAR_ENDINGS: &'static str,
    }

    "en/keys" {
        /// Values that set a key to true.
        YES: &'static str,
        /// Values that set a key to false.
        NO: &'static str,
        /// Words between a key and its value.
        KEY_TIES: &'static str,
        /// Words before a `KEY_TIES` word that are not a key.
        NO_KEYS: &'static str,
        /// Words that a key follows.
        BEFORE_KEYS: &'static str,
    }

    "en/manners" {
        /// Stop words: the tool search ignores them.
        SAYS_NOTHING: &'static str,
        /// Contracted endings after an apostrophe, such as `ll` in `we'll`.
        CONTRACTIONS: &'static str,
        /// Filler words that occur in requests on any subject.
        MANNERS: &'static str,
        /// Further words that start or continue a request, besides the two lists above; they are never values.
        OPENINGS: &'static str,
        /// Polite openings that do not change the request; longer ones come first.
        POLITE_OPENINGS: &'static str,
        /// Polite endings that do not change the request.
        POLITE_ENDINGS: &'static str,
    }

    "en/names" {
        /// Small words inside a name: `Bank of America`.
        NAME_TIES: &'static str,
        /// Abbreviations whose dot does not end a sentence.
        SHORT_FORMS: &'static str,
        /// Capitalized words that end the name before them.
        NO_NAME_PARTS: &'static str,
        /// Capitalized words that never start a name.
        NEVER_NAMES: &'static str,
    }

    "en/numbers" {
        /// The numbers from 0 to 19, in order.
        SMALL: &'static str,
        /// The tens from 20 to 90, in order.
        TENS: &'static str,
        /// The ordinals from the 0th to the 12th, in order.
        ORDINALS: &'static str,
        /// Words that multiply the number before them.
        LARGE: (&'static str, u64),
        /// Letters directly after a number with their power of ten, case-sensitive; longer ones come first.
        LARGE_LETTERS: (&'static str, u64),
        /// Words that make `one` after them a pronoun.
        BEFORE_ONE: &'static str,
        /// Words that make `one` before them a pronoun.
        AFTER_ONE: &'static str,
        /// Words that make an ordinal before them no number: `first name`.
        AFTER_ORDINALS: &'static str,
        /// Endings of ordinals in digits: `2nd`.
        ORDINAL_ENDINGS: &'static str,
        /// Endings after digits that make the token a number and not an identifier.
        COUNTED_ENDINGS: &'static str,
        /// Words after a number that make it a percentage.
        PERCENTS: &'static str,
    }

    "en/parameters" {
        /// Prepositions with the names of the parameters that take the value after them.
        ROLES: WordGroup,
        /// Kinds of values with the names of the parameters that take them.
        KINDS: WordGroup,
        /// Last words of parameter names that the user chooses and that other tools rarely produce, such as `format`.
        CHOSEN: &'static str,
        /// Words of parameters that take a file or a folder.
        FILE_WORDS: &'static str,
        /// Words of parameters that take a path: to a file, or into a value.
        PATH_WORDS: &'static str,
        /// Words of parameters that take column names.
        COLUMN_WORDS: &'static str,
        /// Words of parameters that take a unit.
        MEASURE_WORDS: &'static str,
        /// Words of parameters that take a count.
        COUNT_WORDS: &'static str,
        /// Words of parameters that take the content of a file or the output of another step.
        CONTENT_WORDS: &'static str,
        /// Words of parameters that take data made by programs.
        DATA_WORDS: &'static str,
        /// Words of parameters that take a date or a time of day.
        MOMENT_WORDS: &'static str,
        /// Words of parameters that take the columns to group by.
        GROUPING_WORDS: &'static str,
    }

    "en/phrases" {
        /// Prepositions that a value may follow.
        PREPOSITIONS: &'static str,
        /// Articles and possessives at the start of a phrase; they are not part of the value.
        ARTICLES: &'static str,
        /// Words that end a phrase before them.
        PHRASE_ENDS: &'static str,
        /// Words that separate a value from the words before it: in `a hotel in Paris`, `hotel` does not name
        /// `Paris`.
        APART: &'static str,
        /// Words that start another step.
        TURNS: &'static str,
        /// Words that refer to the result of an earlier step.
        POINTS_BACK: &'static str,
        /// Conjunctions: a phrase that contains one is not a single value.
        JOINS: &'static str,
        /// Negations: they turn the yes after them into a no.
        DENIALS: &'static str,
        /// Words before the last element of a list.
        LIST_TIES: &'static str,
    }

    "en/verbs" {
        /// Kinds of actions, each with the verbs that ask for it.
        ACTS: (&'static str, &'static str),
        /// Words in the names of tools that look something up by its name.
        LOOKING: &'static str,
    }
}
