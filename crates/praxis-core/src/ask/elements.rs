//! Extracts the elements of an array from JSON that is still being streamed.
//!
//! - in: chunks of text, and the name of a field of the outermost object
//! - out: each element of that array as soon as it is complete
//! - never: returns an element that needs repair; the rest waits for the end of the reply

use super::json::MAX_TEXT_BYTES;
use crate::document::read_json;
use serde_json::Value;

/// Incremental reader of the elements of one array.
#[derive(Debug)]
pub struct Elements {
    name: String,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The last string at the top level of the object, as written, with quotes.
    key: String,
    after_colon: bool,
    inside: bool,
    element: String,
    ended: bool,
}

impl Elements {
    /// Creates a reader for the array called `name`.
    pub fn of(name: &str) -> Self {
        Self {
            name: format!("\"{name}\""),
            depth: 0,
            in_text: false,
            escaped: false,
            key: String::new(),
            after_colon: false,
            inside: false,
            element: String::new(),
            ended: false,
        }
    }

    /// Takes the next chunk and returns the elements that it completes.
    pub fn feed(&mut self, piece: &str) -> Vec<Value> {
        let mut elements = Vec::new();
        for c in piece.chars() {
            if !self.ended {
                self.take(c, &mut elements);
            }
        }
        elements
    }

    fn take(&mut self, c: char, elements: &mut Vec<Value>) {
        let parts = self.inside && self.depth == 2 && !self.in_text && matches!(c, ',' | ']');
        if parts {
            self.complete(elements);
        } else if self.inside {
            self.element.push(c);
        } else if self.in_text && self.depth == 1 {
            self.key.push(c);
        }
        self.ended |= self.element.len().max(self.key.len()) > MAX_TEXT_BYTES;
        if self.in_text {
            self.in_text = self.escaped || c != '"';
            self.escaped = !self.escaped && c == '\\';
        } else {
            self.mark(c, elements);
        }
    }

    /// Takes a character outside of strings.
    fn mark(&mut self, c: char, elements: &mut Vec<Value>) {
        match c {
            '"' if self.depth > 0 => {
                self.in_text = true;
                if self.depth == 1 {
                    "\"".clone_into(&mut self.key);
                }
            }
            '{' => self.depth += 1,
            '[' if self.depth > 0 => {
                self.depth += 1;
                self.inside |= self.depth == 2 && self.after_colon && self.key == self.name;
            }
            '}' | ']' if self.depth > 0 => {
                self.depth -= 1;
                self.ended |= self.depth == 0 || (self.inside && self.depth == 1);
                if self.inside && self.depth == 2 {
                    self.complete(elements);
                }
            }
            _ => {}
        }
        self.after_colon = (self.after_colon && c.is_whitespace()) || (c == ':' && self.depth == 1);
    }

    fn complete(&mut self, elements: &mut Vec<Value>) {
        let element = std::mem::take(&mut self.element);
        if element.trim().is_empty() {
            return;
        }
        match read_json(&element) {
            Ok(element) => elements.push(element),
            Err(_) => self.ended = true,
        }
    }
}

/// Returns the complete elements of the array called `name` in a text that may be cut.
pub fn complete(text: &str, name: &str) -> Vec<Value> {
    Elements::of(name).feed(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_whole_elements_of_the_named_array_are_given() {
        let text = "```json\n{\"title\": \"steps\", \"x\": [9], \"steps\" : [{\"id\": \"a]\\\"}\"}, {\"id\": [1, 2]}, 3, 4";
        let whole = [json!({"id": "a]\"}"}), json!({"id": [1, 2]}), json!(3)];
        assert_eq!(complete(text, "steps"), whole);
        let mut elements = Elements::of("steps");
        let one_by_one: Vec<_> = text.chars().flat_map(|c| elements.feed(&c.to_string())).collect();
        assert_eq!(one_by_one, whole);
    }

    #[test]
    fn an_array_of_that_name_further_inside_is_another() {
        assert_eq!(
            complete("{\"a\": {\"steps\": [1, 2]}, \"steps\": [3, 4], \"z\": [5]", "steps"),
            [3, 4]
        );
        assert_eq!(complete("{\"steps\": [{'a': 1}, {\"b\": 2}]}", "steps"), [] as [Value; 0]);
    }
}
