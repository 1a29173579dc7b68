//! Reads the arguments of a call in the syntax of programming languages: `(city="Lyon", days=3)`.

use super::json_repair::{JsonRepairer, QuotedRole, RepairStop, RepairedValue};
use super::reply::ReplyRepair;
use serde_json::{Map, Value};

impl JsonRepairer<'_> {
    /// Reads named arguments, or one unnamed object, from an opening parenthesis on. If the text ends too early,
    /// returns the complete arguments.
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
        if self.repairs.contains(&ReplyRepair::InnerQuotes) {
            return Err(RepairStop::Guess);
        }
        self.repairs.insert(ReplyRepair::Truncated);
        Ok(map)
    }

    /// Reads `name=value`; returns false if the text ends first.
    fn argument(&mut self, map: &mut Map<String, Value>) -> Result<bool, RepairStop> {
        let name = self.word().to_owned();
        match self.next() {
            _ if name.is_empty() || map.contains_key(&name) => return Err(RepairStop::Syntax),
            Some(b'=') => self.at += 1,
            Some(_) => return Err(RepairStop::Syntax),
            None => return Ok(false),
        }
        match self.value(QuotedRole::Argument, 1)? {
            RepairedValue::Whole(value) => map.insert(name, value),
            RepairedValue::Cut(value) => {
                map.extend(value.map(|value| (name, value)));
                return Ok(false);
            }
        };
        Ok(true)
    }

    /// Reads one object that holds all arguments, with nothing beside it.
    fn lone(&mut self) -> Result<Map<String, Value>, RepairStop> {
        match self.value(QuotedRole::Item, 1)? {
            RepairedValue::Whole(Value::Object(map)) if self.next() == Some(b')') => Ok(map),
            RepairedValue::Whole(_) | RepairedValue::Cut(_) => Err(RepairStop::Syntax),
        }
    }

    /// Returns false if inner quotes were guessed and the line goes on after the call: the call may then have ended
    /// inside a string.
    fn ends_surely(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default().trim_start_matches([' ', '\t']);
        let next = rest.chars().next();
        !self.repairs.contains(&ReplyRepair::InnerQuotes)
            || next
                .is_none_or(|c| matches!(c, '\r' | '\n' | ',' | ';' | ')' | ']' | '}' | '`' | '#'))
    }
}
