//! Parses the `PRAXIS_*` lines of a `.env` file.
//!
//! - in: the text
//! - out: names, values and line numbers, or the problem of each invalid line
//! - never: expands `$NAME`, or reads lines of other programs

use super::environment::PREFIX;
use std::collections::BTreeMap;

/// A value and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DotenvLine {
    /// The line number, from 1.
    pub number: usize,
    /// The value without quotes.
    pub value: String,
}

/// A `PRAXIS_` line that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnreadableLine {
    /// The line number, from 1.
    pub number: usize,
    /// The problem.
    pub why: DotenvProblem,
}

/// The problem of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DotenvProblem {
    /// No `=`.
    NoSign,
    /// A `'` that is not closed.
    OpenSingle,
    /// A `"` that is not closed.
    OpenDouble,
    /// Text after the closing quote.
    Trailing,
}

impl DotenvProblem {
    /// Returns the message in English and Chinese.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NoSign => ("missing `=` after the name", "名称后缺少 `=`"),
            Self::OpenSingle => ("missing closing `'`", "缺少结束的 `'`"),
            Self::OpenDouble => ("missing closing `\"`", "缺少结束的 `\"`"),
            Self::Trailing => {
                ("unexpected text after the closing quote", "结束引号之后有多余的文字")
            }
        }
    }
}

/// Parses every line. As in a shell, the last assignment of a name wins.
pub(super) fn parse(text: &str) -> (BTreeMap<String, DotenvLine>, Vec<UnreadableLine>) {
    let mut lines = BTreeMap::new();
    let mut unreadable = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        match assignment(line) {
            Some(Ok((name, value))) => {
                drop(lines.insert(name.to_owned(), DotenvLine { number, value }));
            }
            Some(Err(why)) => unreadable.push(UnreadableLine { number, why }),
            None => {}
        }
    }
    (lines, unreadable)
}

/// Parses one line; `None` if it sets no `PRAXIS_` variable.
fn assignment(line: &str) -> Option<Result<(&str, String), DotenvProblem>> {
    let line = line.trim();
    let exported = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
    let line = exported.unwrap_or(line).trim_start();
    if !line.starts_with(PREFIX) {
        return None;
    }
    let Some((name, value)) = line.split_once('=') else {
        return Some(Err(DotenvProblem::NoSign));
    };
    Some(unquoted(value.trim()).map(|value| (name.trim_end(), value)))
}

fn unquoted(value: &str) -> Result<String, DotenvProblem> {
    if let Some(rest) = value.strip_prefix('\'') {
        let (inside, after) = rest.split_once('\'').ok_or(DotenvProblem::OpenSingle)?;
        nothing_but_comment(after).map(|()| inside.to_owned())
    } else if let Some(rest) = value.strip_prefix('"') {
        let (inside, after) = double_quoted(rest)?;
        nothing_but_comment(after).map(|()| inside)
    } else {
        Ok(without_comment(value).to_owned())
    }
}

/// Strips a comment. A `#` starts one only at the beginning or after a blank: `a#b` is a value.
fn without_comment(value: &str) -> &str {
    let mut before = ' ';
    for (at, letter) in value.char_indices() {
        if letter == '#' && before.is_whitespace() {
            return value.get(..at).unwrap_or(value).trim_end();
        }
        before = letter;
    }
    value
}

/// Returns the text before the closing quote and the rest after it.
fn double_quoted(rest: &str) -> Result<(String, &str), DotenvProblem> {
    let mut inside = String::new();
    let mut letters = rest.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Ok((inside, letters.as_str())),
            '\\' => inside.push_str(&escaped(letters.next())),
            other => inside.push(other),
        }
    }
    Err(DotenvProblem::OpenDouble)
}

fn escaped(letter: Option<char>) -> String {
    match letter {
        Some('n') => "\n".to_owned(),
        Some('r') => "\r".to_owned(),
        Some('t') => "\t".to_owned(),
        Some(same @ ('"' | '\\' | '$')) => same.to_string(),
        Some(other) => format!("\\{other}"),
        None => "\\".to_owned(),
    }
}

fn nothing_but_comment(after: &str) -> Result<(), DotenvProblem> {
    let after = after.trim_start();
    let fine = after.is_empty() || after.starts_with('#');
    if fine { Ok(()) } else { Err(DotenvProblem::Trailing) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> String {
        let (mut lines, unreadable) = parse(line);
        assert_eq!(unreadable, [], "{line}");
        lines.remove("PRAXIS_A").expect("the line is ours").value
    }

    #[test]
    fn a_value_is_plain_or_in_quotes_with_blanks_and_a_comment_around() {
        assert_eq!(value("PRAXIS_A=1h"), "1h");
        assert_eq!(value("  export   PRAXIS_A = 1h  # an hour"), "1h");
        assert_eq!(value("PRAXIS_A=a#b=c"), "a#b=c");
        assert_eq!(value("PRAXIS_A="), "");
        assert_eq!(value("PRAXIS_A=# nothing"), "");
        assert_eq!(value("PRAXIS_A='a # \\n \"b\"' # c"), "a # \\n \"b\"");
        assert_eq!(value(r#"PRAXIS_A="a # \"b\" \\ \x \n""#), "a # \"b\" \\ \\x \n");
        assert_eq!(value("\u{feff}PRAXIS_A=中文\r\n"), "中文");
        assert_eq!(value("PRAXIS_A=1\nPRAXIS_A=2"), "2");
    }

    #[test]
    fn lines_of_other_programs_and_comments_are_left_alone() {
        let text = "# PRAXIS_A=1\n\nTOKEN='open\nexported PRAXIS_A\nMY_PRAXIS_A=1\nnonsense\n";
        assert_eq!(parse(text), (BTreeMap::new(), Vec::new()));
    }

    #[test]
    fn every_line_that_cannot_be_read_is_named() {
        let text = "PRAXIS_A\nPRAXIS_A='b\n\nPRAXIS_A=\"b\\\"\nPRAXIS_A='b' c\n";
        let (lines, unreadable) = parse(text);
        assert_eq!(lines, BTreeMap::new());
        let numbers: Vec<usize> = unreadable.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, 2, 4, 5]);
    }
}
