//! Splits a CSV text into records: any separator, quoted fields with `""` for a quote, LF or CRLF.

use praxis_core::problem::Bilingual;
use std::borrow::Cow;

/// One line of a table, or several if a quoted field contains a line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The line on which the record begins, from one.
    pub(crate) line: usize,
    /// The fields, without quotes; unquoted fields are trimmed.
    pub(crate) fields: Vec<Cow<'a, str>>,
}

/// The error for an unclosed quote, or for text after a closing quote. The rest of the text cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadQuotes {
    line: usize,
}

impl BadQuotes {
    /// Returns the message.
    pub(crate) fn words(self) -> Bilingual {
        let line = self.line;
        let en = format!("line {line}: a quoted field is not closed, or text follows its quote");
        (en, format!("第 {line} 行：带引号的字段没有闭合，或引号后还有文字")).into()
    }
}

/// An iterator over the records of a text. Blank lines are skipped.
pub(crate) struct CsvRecords<'a> {
    rest: &'a str,
    line: usize,
    sign: char,
}

impl<'a> CsvRecords<'a> {
    /// Iterates over the comma-separated records of `text`; a byte order mark is skipped.
    pub(crate) fn of(text: &'a str) -> Self {
        Self::cut_at(text, ',')
    }

    /// Iterates over the records of `text` with the separator `sign`.
    pub(crate) fn cut_at(text: &'a str, sign: char) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1, sign }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (head, tail) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.line += head.matches('\n').count();
        self.rest = tail;
        head
    }

    fn skip_blank_lines(&mut self) {
        while let Some(end) = self.rest.find('\n').filter(|end| is_blank(self.rest, *end)) {
            self.take(end + 1);
        }
        if self.rest.trim().is_empty() {
            self.rest = "";
        }
    }

    fn field(&mut self) -> Result<Cow<'a, str>, BadQuotes> {
        if self.rest.trim_start_matches(' ').starts_with('"') {
            return self.quoted();
        }
        let end = self.rest.find([self.sign, '\n']).unwrap_or(self.rest.len());
        Ok(Cow::Borrowed(self.take(end).trim()))
    }

    fn quoted(&mut self) -> Result<Cow<'a, str>, BadQuotes> {
        let bad = BadQuotes { line: self.line };
        let open = self.rest.find('"').ok_or(bad)?;
        self.take(open + 1);
        let mut whole = Cow::Borrowed("");
        loop {
            let close = self.rest.find('"').ok_or(bad)?;
            whole += self.take(close);
            self.take(1);
            if !self.rest.starts_with('"') {
                break;
            }
            whole += self.take(1);
        }
        let sign = self.sign;
        let is_blank = |c: char| c != sign && matches!(c, ' ' | '\t' | '\r');
        let blanks = self.rest.len() - self.rest.trim_start_matches(is_blank).len();
        self.take(blanks);
        let ended = self.rest.is_empty() || self.rest.starts_with([sign, '\n']);
        if ended { Ok(whole) } else { Err(bad) }
    }

    fn record(&mut self) -> Result<Record<'a>, BadQuotes> {
        let line = self.line;
        let mut fields = vec![self.field()?];
        while self.rest.starts_with(self.sign) {
            self.take(self.sign.len_utf8());
            fields.push(self.field()?);
        }
        self.take(1);
        Ok(Record { line, fields })
    }
}

fn is_blank(text: &str, end: usize) -> bool {
    text.get(..end).is_some_and(|line| line.trim().is_empty())
}

impl<'a> Iterator for CsvRecords<'a> {
    type Item = Result<Record<'a>, BadQuotes>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blank_lines();
        if self.rest.is_empty() {
            return None;
        }
        let record = self.record();
        if record.is_err() {
            self.rest = "";
        }
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(usize, Vec<String>)> {
        let strings = |fields: Vec<Cow<'_, str>>| fields.into_iter().map(Cow::into_owned).collect();
        CsvRecords::of(text).flatten().map(|record| (record.line, strings(record.fields))).collect()
    }

    #[test]
    fn fields_are_cut_at_commas_outside_of_quotes() {
        let text = "\u{feff}a, b ,c\r\n\r\n\"1,5\",\"say \"\"x\"\"\" ,\n\n\"two\nlines\",y,z";
        let fields = |list: [&str; 3]| list.map(str::to_owned).to_vec();
        assert_eq!(
            cut(text),
            vec![
                (1, fields(["a", "b", "c"])),
                (3, fields(["1,5", "say \"x\"", ""])),
                (5, fields(["two\nlines", "y", "z"])),
            ]
        );
    }

    #[test]
    fn another_sign_cuts_as_a_comma_does_even_if_it_is_a_blank() {
        let text = "a\t \"b\tc\" \t\td,e\n1\t2\t3\t4\n";
        let records: Vec<_> = CsvRecords::cut_at(text, '\t').map(|r| r.unwrap().fields).collect();
        assert_eq!(records, vec![vec!["a", "b\tc", "", "d,e"], vec!["1", "2", "3", "4"]]);
    }

    #[test]
    fn a_text_that_ends_in_a_comma_has_an_empty_last_field() {
        assert_eq!(cut("a,"), vec![(1, vec!["a".to_owned(), String::new()])]);
        assert_eq!(cut(" \r\n \n"), vec![]);
    }

    #[test]
    fn a_quote_that_is_not_closed_ends_the_records_with_its_line() {
        let ends: Vec<_> =
            CsvRecords::of("a\n\"b\nc").map(|record| record.map(|r| r.line)).collect();
        assert_eq!(ends, vec![Ok(1), Err(BadQuotes { line: 2 })]);
        assert_eq!(CsvRecords::of("\"a\"b,c").next(), Some(Err(BadQuotes { line: 1 })));
    }
}
