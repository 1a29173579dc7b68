//! Addresses `STEP`, `STEP.PARAM`, `STEP["x.y"][0]`: a step, or a value in its arguments.

use super::show::no_step;
use crate::failure::CommandFailure;
use praxis_core::dataflow::lex::segments;
use praxis_core::dataflow::path::Segment;
use praxis_core::ids::StepId;
use praxis_core::pointer::pointer_to;
use praxis_core::pointer::unescaped;
use praxis_core::state::State;
use praxis_core::view::why::ArgumentOrigin;

/// Address of a step, or of a value in its arguments.
#[derive(Debug, PartialEq)]
pub(crate) struct ValueAddress {
    pub(crate) step: StepId,
    /// `None` means the whole step.
    pub(crate) place: Option<ArgumentPath>,
}

/// Path in the arguments: keys and indexes, or, if that matches nothing, keys that may contain dots.
#[derive(Debug, PartialEq)]
pub(crate) struct ArgumentPath {
    /// JSON pointer, if the text is a valid path.
    pointer: Option<String>,
    /// The text after the step's dot.
    dotted: String,
}

impl ValueAddress {
    /// Parses an address. Step ids may contain dots: the longest prefix that is a step is taken.
    pub(crate) fn read(state: &State, word: &str) -> Result<Self, CommandFailure> {
        let cuts = word.rmatch_indices(['.', '[']).map(|(cut, _)| cut);
        for cut in [word.len()].into_iter().chain(cuts) {
            let (step, rest) = word.split_at(cut);
            if state.step(step).is_some() {
                let place = Some(rest).filter(|rest| !rest.is_empty()).map(ArgumentPath::read);
                return Ok(Self { step: StepId::from(step), place });
            }
        }
        Err(no_step(state, word))
    }

    /// Returns the origins at the path and below it, else the origin whose value contains the path.
    pub(crate) fn choose(&self, reasons: Vec<ArgumentOrigin>) -> Vec<ArgumentOrigin> {
        let Some(place) = &self.place else { return reasons };
        for matches in [ArgumentPath::holds, ArgumentPath::spells, ArgumentPath::is_part_of] {
            if reasons.iter().any(|reason| matches(place, reason)) {
                return reasons.into_iter().filter(|reason| matches(place, reason)).collect();
            }
        }
        vec![]
    }
}

impl ArgumentPath {
    /// Returns the path as it was typed, without the step.
    pub(crate) fn text(&self) -> &str {
        &self.dotted
    }

    fn read(rest: &str) -> Self {
        let join = |above: String, segment: &Segment| match segment {
            Segment::Key(key) | Segment::Quoted(key) => pointer_to(&above, key),
            Segment::Index(index) => pointer_to(&above, &index.to_string()),
        };
        let path = segments(&format!("step{rest}")).ok();
        let pointer = path.map(|path| path.iter().skip(1).fold(String::new(), join));
        Self { pointer, dotted: rest.strip_prefix('.').unwrap_or(rest).to_owned() }
    }

    fn holds(&self, reason: &ArgumentOrigin) -> bool {
        self.pointer.as_ref().is_some_and(|pointer| is_within(&reason.pointer, pointer, '/'))
    }

    fn spells(&self, reason: &ArgumentOrigin) -> bool {
        let keys = reason.pointer.split('/').skip(1);
        let keys: Vec<String> = keys.map(unescaped).collect();
        is_within(&keys.join("."), &self.dotted, '.')
    }

    fn is_part_of(&self, reason: &ArgumentOrigin) -> bool {
        let Some(pointer) = &self.pointer else { return false };
        let inner = pointer.strip_prefix(&reason.pointer).unwrap_or_default();
        let has = reason.value.as_ref().is_some_and(|value| value.pointer(inner).is_some());
        is_within(pointer, &reason.pointer, '/') && has
    }
}

/// Returns true if a path equals another or lies below it.
fn is_within(path: &str, above: &str, separator: char) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
}

#[cfg(test)]
mod tests {
    use super::{ArgumentPath, is_within};

    #[test]
    fn a_place_is_a_path_of_keys_indexes_and_quoted_keys() {
        let pointer = |rest: &str| ArgumentPath::read(rest).pointer;
        assert_eq!(pointer(".a.b").as_deref(), Some("/a/b"));
        assert_eq!(pointer("[\"x.y\"][0]").as_deref(), Some("/x.y/0"));
        assert_eq!(pointer(".a/b").as_deref(), Some("/a~1b"));
        assert_eq!(
            ArgumentPath::read("[x"),
            ArgumentPath { pointer: None, dotted: "[x".to_owned() }
        );
    }

    #[test]
    fn a_key_that_begins_alike_is_another_place() {
        assert!(is_within("/a", "/a", '/') && is_within("/a/b", "/a", '/'));
        assert!(!is_within("/ab", "/a", '/') && !is_within("/a~1b", "/a", '/'));
    }
}
