//! Splits a text into literals and placeholders, by one grammar.
//!
//! ```text
//! text        = { literal | escape | placeholder }
//! placeholder = "{{" inner "}}" | "{{{" inner "}}}" | "${" inner "}"
//! escape      = "\{{" | "\${"            a literal brace; "\\" before an opener is one backslash
//! inner       = blanks name { "." name | "[" index "]" | "[" quoted "]" } blanks
//! ```
//! A run of more than three opening braces is literal braces followed by a triple opener.

use super::path::{self, Segment};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexedPiece {
    /// Literal text, unescaped.
    Literal(String),
    /// A reference to a value.
    Reference(Expression),
    /// Braces that look like a placeholder but are not one.
    Malformed {
        /// The text as written.
        source: String,
        /// The reason.
        why: Malformed,
    },
}

/// A placeholder split into segments, whose head is not bound to a step or a name yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The text as written, braces included.
    pub source: Arc<str>,
    /// The segments `name`, `.name`, `[0]`, `["name"]`, in order. Never empty.
    pub segments: Vec<Segment>,
    /// True if written as `${…}`, which is also the syntax of shell variables.
    pub dollar: bool,
}

/// The reason for which braces are not a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Malformed {
    /// `{{}}`
    #[error("the placeholder is empty")]
    Empty,
    /// `{{a`
    #[error("the placeholder is never closed")]
    Unclosed,
    /// `{{a..b}}`, `{{a[x]}}`
    #[error("the path is not a name followed by `.name`, `[0]` or `[\"name\"]`")]
    Path,
}

/// Splits `text` into pieces. Never fails: anything that is not a placeholder is literal or malformed.
pub fn lex(text: &str) -> Vec<LexedPiece> {
    let mut lexer = Lexer { rest: text, literal: String::new(), pieces: Vec::new() };
    while lexer.step() {}
    lexer.flush();
    lexer.pieces
}

/// Returns the length of the placeholder at the start of the text, or 0.
pub fn leading_reference(text: &str) -> usize {
    if opener(text).is_none() {
        return 0;
    }
    let mut lexer = Lexer { rest: text, literal: String::new(), pieces: Vec::new() };
    lexer.step();
    match lexer.pieces.first() {
        Some(LexedPiece::Reference(reference)) if lexer.literal.is_empty() => {
            reference.source.len()
        }
        Some(LexedPiece::Reference(_) | LexedPiece::Literal(_) | LexedPiece::Malformed { .. })
        | None => 0,
    }
}

/// Returns true if the text cannot contain a placeholder: a fast path for plain values.
pub fn is_plain(text: &str) -> bool {
    !text.contains("{{") && !text.contains("${")
}

/// Prints pieces so that lexing the output gives the same pieces.
pub fn print(pieces: &[LexedPiece]) -> String {
    let mut out = String::new();
    for (position, piece) in pieces.iter().enumerate() {
        match piece {
            LexedPiece::Literal(text) if braces_at(pieces, position + 1) => {
                // Braces before a triple opener need no escape; backslashes do.
                let head = text.trim_end_matches('{');
                let (plain, slashes) = head.split_at(head.trim_end_matches('\\').len());
                escape_into(&mut out, plain);
                out.extend([slashes, slashes, text.get(head.len()..).unwrap_or_default()]);
            }
            LexedPiece::Literal(text) => {
                escape_into(&mut out, text);
                // A trailing backslash would escape the opener of the next piece.
                let slashes = out.len() - out.trim_end_matches('\\').len();
                let followed = position + 1 < pieces.len();
                out.push_str(&"\\".repeat(if followed { slashes } else { 0 }));
            }
            LexedPiece::Reference(reference) => {
                let path = path::print(&reference.segments);
                // A brace can only occur in a quoted key, and would close the placeholder there.
                let path = path.strip_prefix('.').unwrap_or(&path).replace('}', "\\u007d");
                let (open, close) = match (reference.dollar, out.ends_with('{')) {
                    (true, _) => ("${", "}"),
                    (false, true) => ("{{{", "}}}"),
                    (false, false) => ("{{", "}}"),
                };
                out.extend([open, &path, close]);
            }
            LexedPiece::Malformed { source, .. } => out.push_str(source),
        }
    }
    out
}

fn braces_at(pieces: &[LexedPiece], position: usize) -> bool {
    matches!(pieces.get(position), Some(LexedPiece::Reference(reference)) if !reference.dollar)
}

fn escape_into(out: &mut String, literal: &str) {
    let mut rest = literal;
    while let Some(position) = rest.find(['{', '$', '\\']) {
        let (before, after) = rest.split_at(position);
        let (slashes, tail) = after.split_at(after.len() - after.trim_start_matches('\\').len());
        out.push_str(before);
        out.push_str(slashes);
        let width = if opener(tail).is_some() {
            out.push_str(slashes);
            out.push('\\');
            2
        } else {
            usize::from(slashes.is_empty())
        };
        let (copied, next) = tail.split_at(width);
        out.push_str(copied);
        rest = next;
    }
    out.push_str(rest);
}

enum Opener {
    Dollar,
    Braces(usize),
}

fn opener(text: &str) -> Option<Opener> {
    // `${{x}}` is a dollar sign before a placeholder.
    if text.starts_with("${") && !text.starts_with("${{") {
        return Some(Opener::Dollar);
    }
    match braces(text, '{') {
        0 | 1 => None,
        run => Some(Opener::Braces(run)),
    }
}

fn braces(text: &str, brace: char) -> usize {
    text.len() - text.trim_start_matches(brace).len()
}

struct Lexer<'a> {
    rest: &'a str,
    literal: String,
    pieces: Vec<LexedPiece>,
}

impl<'a> Lexer<'a> {
    /// Takes one literal run, escape or placeholder. Returns false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(position) = self.rest.find(['{', '$', '\\']) else {
            self.literal.push_str(self.rest);
            self.rest = "";
            return false;
        };
        let before = self.take(position);
        self.literal.push_str(before);
        let slashes = self.rest.len() - self.rest.trim_start_matches('\\').len();
        if slashes > 0 {
            self.backslashes(slashes);
            return true;
        }
        match opener(self.rest) {
            Some(Opener::Dollar) => self.dollar(),
            Some(Opener::Braces(run)) => self.braced(run),
            None => {
                let one = self.take(1);
                self.literal.push_str(one);
            }
        }
        true
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (head, tail) = self.rest.split_at(bytes);
        self.rest = tail;
        head
    }

    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.pieces.push(LexedPiece::Literal(std::mem::take(&mut self.literal)));
        }
    }

    /// Takes a run of backslashes, which have a meaning only before an opener.
    fn backslashes(&mut self, slashes: usize) {
        let run = self.take(slashes);
        if opener(self.rest).is_none() {
            self.literal.push_str(run);
            return;
        }
        self.literal.push_str(&"\\".repeat(slashes / 2));
        if slashes % 2 == 1 {
            let open = self.take(2);
            self.literal.push_str(open);
        }
    }

    fn dollar(&mut self) {
        let source = self.rest.find('}').and_then(|close| self.rest.get(..=close));
        let inner = source.and_then(|source| source.get(2..source.len() - 1));
        let found = source.zip(inner).map(|(source, inner)| expression(source, inner, true));
        if let Some(Ok(expression)) = found {
            self.take(expression.source.len());
            self.push(LexedPiece::Reference(expression));
        } else {
            // `${VAR:-{{x}}}` and `${}` are shell syntax and stay literal; a placeholder inside is still found.
            let open = self.take(2);
            self.literal.push_str(open);
        }
    }

    fn braced(&mut self, run: usize) {
        let extra = run.saturating_sub(3);
        let open = self.take(extra);
        self.literal.push_str(open);
        let width = run - extra;
        if width == 3 && !self.closes_with_three() {
            let brace = self.take(1);
            self.literal.push_str(brace);
            return self.reference(2);
        }
        self.reference(width);
    }

    fn closes_with_three(&self) -> bool {
        let inner = self.rest.get(3..).unwrap_or_default();
        inner
            .find("}}")
            .is_some_and(|close| braces(inner.get(close..).unwrap_or_default(), '}') >= 3)
    }

    fn reference(&mut self, width: usize) {
        let Some(close) = self.rest.get(width..).and_then(|inner| inner.find("}}")) else {
            let source = self.take(self.rest.len()).to_owned();
            return self.push(LexedPiece::Malformed { source, why: Malformed::Unclosed });
        };
        let source = self.take(width + close + width);
        let inner = source.get(width..width + close).unwrap_or_default();
        let piece = match expression(source, inner, false) {
            Ok(expression) => LexedPiece::Reference(expression),
            Err(why) => LexedPiece::Malformed { source: source.to_owned(), why },
        };
        self.push(piece);
    }

    fn push(&mut self, piece: LexedPiece) {
        self.flush();
        self.pieces.push(piece);
    }
}

fn expression(source: &str, inner: &str, dollar: bool) -> Result<Expression, Malformed> {
    let segments = segments(inner)?;
    Ok(Expression { source: source.into(), segments, dollar })
}

/// Splits `a.b[0]["c d"]` into segments.
pub fn segments(inner: &str) -> Result<Vec<Segment>, Malformed> {
    let mut rest = inner.trim();
    if rest.is_empty() {
        return Err(Malformed::Empty);
    }
    let mut segments = Vec::new();
    let mut name_wanted = true;
    while !rest.is_empty() {
        if let Some(bracket) = rest.strip_prefix('[').filter(|_| !name_wanted) {
            let (segment, next) = bracketed(bracket)?;
            segments.push(segment);
            rest = next;
        } else {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, next) = rest.split_at(end);
            let name = name.trim();
            if !name_wanted || name.is_empty() || name.contains(['{', '}', '"']) {
                return Err(Malformed::Path);
            }
            segments.push(Segment::Key(name.into()));
            rest = next;
        }
        name_wanted = false;
        if let Some(next) = rest.strip_prefix('.') {
            rest = next;
            name_wanted = true;
        }
    }
    if name_wanted { Err(Malformed::Path) } else { Ok(segments) }
}

fn bracketed(text: &str) -> Result<(Segment, &str), Malformed> {
    if text.starts_with('"') {
        let end = crate::document::end_of_string(text.as_bytes(), 0);
        let quoted = text.get(..end).ok_or(Malformed::Path)?;
        let key: String = serde_json::from_str(quoted).map_err(|_| Malformed::Path)?;
        let rest = text.get(end..).and_then(|rest| rest.strip_prefix(']'));
        return Ok((Segment::Quoted(key.into()), rest.ok_or(Malformed::Path)?));
    }
    let (index, rest) = text.split_once(']').ok_or(Malformed::Path)?;
    let index = index.trim().parse().map_err(|_| Malformed::Path)?;
    Ok((Segment::Index(index), rest))
}

#[cfg(test)]
#[path = "lex_tests.rs"]
mod tests;
