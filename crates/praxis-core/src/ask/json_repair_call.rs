//! Reads what a call is given, as programming languages write it: `(city="Lyon", days=3)`.

use super::json_repair::{JsonRepairer, QuotedRole, RepairStop, RepairedText};
use super::reply::JsonRepair;
use serde_json::{Map, Value};

impl JsonRepairer<'_> {
    /// Reads arguments by name from an opening bracket on, or one object without a name. A text that ends
    /// too early gives what was whole.
    pub(super) fn arguments(&mut self) -> Result<Map<String, Value>, RepairStop> {
        self.at += 1;
        let mut map = Map::new();
        while let Some(byte) = self.next() {
            if byte == b')' {
                self.at += 1;
                return if self.ends_surely() { Ok(map) } else { Err(RepairStop::Guess) };
            }
            if byte == b'{' && map.is_empty() {
                map = self.lone()?;
            } else if !self.argument(&mut map)? {
                break;
            }
            self.comma(b')')?;
        }
        if self.repairs.contains(&JsonRepair::InnerQuotes) {
            return Err(RepairStop::Guess);
        }
        self.repairs.insert(JsonRepair::Truncated);
        Ok(map)
    }

    /// `name=value`; false where the text ends first.
    fn argument(&mut self, map: &mut Map<String, Value>) -> Result<bool, RepairStop> {
        let name = self.word().to_owned();
        match self.next() {
            _ if name.is_empty() || map.contains_key(&name) => return Err(RepairStop::Syntax),
            Some(b'=') => self.at += 1,
            Some(_) => return Err(RepairStop::Syntax),
            None => return Ok(false),
        }
        match self.value(QuotedRole::Argument, 1)? {
            RepairedText::Whole(value) => map.insert(name, value),
            RepairedText::Cut(value) => {
                map.extend(value.map(|value| (name, value)));
                return Ok(false);
            }
        };
        Ok(true)
    }

    /// One object that holds all arguments, and nothing beside it.
    fn lone(&mut self) -> Result<Map<String, Value>, RepairStop> {
        match self.value(QuotedRole::Item, 1)? {
            RepairedText::Whole(Value::Object(map)) if self.next() == Some(b')') => Ok(map),
            RepairedText::Whole(_) | RepairedText::Cut(_) => Err(RepairStop::Syntax),
        }
    }

    /// Where quotes were guessed, a call may seem to end in the middle of a text: then the line goes on.
    fn ends_surely(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default().trim_start_matches([' ', '\t']);
        let next = rest.chars().next();
        !self.repairs.contains(&JsonRepair::InnerQuotes)
            || next
                .is_none_or(|c| matches!(c, '\r' | '\n' | ',' | ';' | ')' | ']' | '}' | '`' | '#'))
    }
}
