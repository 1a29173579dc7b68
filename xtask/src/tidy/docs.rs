//! Finds the doc blocks of a file: consecutive lines of `///` or `//!`.

use super::files::test_ranges;
use super::tree::SourceFile;

/// Words that a doc block should not begin with; a noun or a verb says more.
const QUESTION_WORDS: [&str; 10] =
    ["what", "whether", "how", "who", "whom", "whose", "which", "where", "when", "why"];

/// One doc block.
pub(crate) struct DocBlock {
    /// The file and line.
    pub(crate) at: String,
    /// True if it begins with a question word.
    pub(crate) asks: bool,
    /// True if it contains code in backticks.
    pub(crate) names_code: bool,
}

/// Finds the doc blocks of a file, except in its tests.
pub(crate) fn blocks(file: &SourceFile) -> Vec<DocBlock> {
    let tests = test_ranges(&file.parsed.items);
    let mut found: Vec<DocBlock> = Vec::new();
    let mut before = None;
    for (number, line) in (1..).zip(file.text.lines()) {
        let text = doc_line(line).filter(|_| !tests.iter().any(|range| range.contains(&number)));
        match text {
            Some((mark, text)) if before != Some(mark) => {
                found.push(DocBlock {
                    at: format!("{}:{number}", file.shown),
                    asks: begins_with_question(text),
                    names_code: text.contains('`'),
                });
            }
            Some((_, text)) => {
                if let Some(block) = found.last_mut() {
                    block.names_code |= text.contains('`');
                }
            }
            None => {}
        }
        before = text.map(|(mark, _)| mark);
    }
    found
}

/// Splits a doc line into its marker and its text.
fn doc_line(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let (mark, text) = line.split_at_checked(3)?;
    ((mark == "///" && !text.starts_with('/')) || mark == "//!").then_some((mark, text.trim()))
}

fn begins_with_question(text: &str) -> bool {
    let first = text.split(|sign: char| !sign.is_alphabetic()).next().unwrap_or_default();
    QUESTION_WORDS.iter().any(|word| first.eq_ignore_ascii_case(word))
}
