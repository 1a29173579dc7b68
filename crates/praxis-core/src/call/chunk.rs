//! The output of a call, folded from its chunks.
//!
//! - in: chunks in order
//! - out: one value: text is appended to text; data replaces everything before it, and so does text after data
//! - never: interprets a chunk

use serde_json::{Value, json};

/// A chunk of an output.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputChunk {
    /// More text.
    Text(String),
    /// The whole output as far as it is known.
    Data(Value),
}

/// The fold of the chunks so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FoldedOutput {
    /// No chunk came.
    #[default]
    Nothing,
    /// Text.
    Text(String),
    /// Data.
    Data(Value),
}

impl FoldedOutput {
    /// Adds a chunk.
    pub fn add(&mut self, chunk: OutputChunk) {
        match (&mut *self, chunk) {
            (Self::Text(text), OutputChunk::Text(more)) => text.push_str(&more),
            (Self::Nothing | Self::Data(_), OutputChunk::Text(text)) => *self = Self::Text(text),
            (_, OutputChunk::Data(data)) => *self = Self::Data(data),
        }
    }

    /// Returns the number of bytes of text.
    pub fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Nothing | Self::Data(_) => 0,
        }
    }

    /// Returns the output. Text becomes an object with one field, so that later steps can reference it.
    pub fn output(self) -> Value {
        match self {
            Self::Nothing => json!({"text": ""}),
            Self::Text(text) => json!({"text": text}),
            Self::Data(data) => data,
        }
    }

    /// Returns the text received before a failure, because somebody may have read it. `None` for data.
    pub fn unfinished(self) -> Option<Value> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(json!({"text": text})),
            Self::Nothing | Self::Text(_) | Self::Data(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folded(chunks: impl IntoIterator<Item = OutputChunk>) -> Value {
        let mut folded = FoldedOutput::default();
        chunks.into_iter().for_each(|chunk| folded.add(chunk));
        folded.output()
    }

    fn text(text: &str) -> OutputChunk {
        OutputChunk::Text(text.to_owned())
    }

    #[test]
    fn texts_are_joined_data_replaces_and_a_change_of_kind_begins_anew() {
        let (one, two) = (OutputChunk::Data(json!({"a": 1})), OutputChunk::Data(json!({"b": 2})));
        assert_eq!(folded([]), json!({"text": ""}));
        assert_eq!(folded([text("a"), text(""), text("b")]), json!({"text": "ab"}));
        assert_eq!(folded([one.clone(), two.clone()]), json!({"b": 2}), "replaced, not merged");
        assert_eq!(folded([text("a"), one.clone()]), json!({"a": 1}));
        assert_eq!(folded([one, text("b"), text("c")]), json!({"text": "bc"}));
    }

    fn chunk() -> impl Strategy<Value = OutputChunk> {
        prop_oneof![
            "\\PC{0,4}".prop_map(OutputChunk::Text),
            any::<i64>().prop_map(|n| OutputChunk::Data(json!(n)))
        ]
    }

    proptest! {
        #[test]
        fn only_what_came_since_the_last_change_of_kind_counts(chunks in prop::collection::vec(chunk(), 1..12)) {
            let last_data = chunks.iter().rposition(|chunk| matches!(chunk, OutputChunk::Data(_)));
            let tail = chunks.get(last_data.map_or(0, |at| at + 1)..).unwrap_or_default();
            let words: String =
                tail.iter().map(|chunk| if let OutputChunk::Text(text) = chunk { text } else { "" }).collect();
            let expected = match (tail.is_empty(), last_data.and_then(|at| chunks.get(at))) {
                (true, Some(OutputChunk::Data(data))) => data.clone(),
                _ => json!({"text": words}),
            };
            prop_assert_eq!(folded(chunks), expected);
        }
    }
}
