//! `find_in_text`: finds the occurrences of a text in another.

use super::{bound, search};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};

/// The maximum number of positions in the output.
const MOST_PLACES: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindInTextArguments {
    text: String,
    search: String,
    #[serde(default)]
    ignore_case: bool,
}

/// Counts all occurrences and returns the positions of the first ones.
pub(crate) fn work(value: Value, _: &CallContext) -> Result<Value, BuiltinError> {
    let FindInTextArguments { text, search, ignore_case } = arguments(value)?;
    bound::check("/text", &text)?;
    if search.is_empty() {
        return Err(BuiltinError::argument("/search", search::empty()));
    }
    let spans = search::spans(&text, &search, ignore_case);
    let mut places = PositionCounter::default();
    let told: Vec<Value> =
        spans.iter().take(MOST_PLACES).map(|(at, _)| places.next(&text, *at)).collect();
    Ok(json!({
        "found": !spans.is_empty(),
        "match_count": spans.len(),
        "matches": told,
    }))
}

/// An incremental counter of characters and lines, so that the text is walked once.
#[derive(Default)]
struct PositionCounter {
    bytes: usize,
    offset: usize,
    line: usize,
    column: usize,
}

impl PositionCounter {
    fn next(&mut self, text: &str, at: usize) -> Value {
        for letter in text.get(self.bytes..at).unwrap_or_default().chars() {
            self.offset += 1;
            self.column += 1;
            if letter == '\n' {
                self.line += 1;
                self.column = 0;
            }
        }
        self.bytes = at;
        json!({"offset": self.offset, "line": self.line + 1, "column": self.column + 1})
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{ask, refused};
    use serde_json::{Value, json};

    #[test]
    fn places_are_counted_in_characters_lines_and_columns() {
        let asked =
            json!({"text": "负荷 Peak\n峰值 peak, PEAK", "search": "peak", "ignore_case": true});
        let place = |offset: u32, line: u32, column: u32| -> Value {
            json!({"offset": offset, "line": line, "column": column})
        };
        let matches = [place(3, 1, 4), place(11, 2, 4), place(17, 2, 10)];
        let expected = json!({"found": true, "match_count": 3, "matches": matches});
        assert_eq!(ask("find_in_text", asked), Ok(expected));
    }

    #[test]
    fn a_text_that_is_not_there_is_no_failure_and_signs_mean_themselves() {
        let asked = json!({"text": "a+b", "search": "a.b"});
        let expected = json!({"found": false, "match_count": 0, "matches": []});
        assert_eq!(ask("find_in_text", asked), Ok(expected));
        let nothing = ask("find_in_text", json!({"text": "a", "search": ""}));
        assert_eq!(refused(nothing), "/search the search text is empty");
    }

    #[test]
    fn all_places_are_counted_and_the_first_thousand_told() {
        let output = ask("find_in_text", json!({"text": "x".repeat(1500), "search": "x"})).unwrap();
        assert_eq!(output["match_count"], 1500);
        assert_eq!(output["matches"].as_array().unwrap().len(), 1000);
    }
}
