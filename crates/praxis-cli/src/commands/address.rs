//! `STEP`, `STEP.PARAM`, `STEP["x.y"][0]`: a step, and a place in its arguments.

use super::show::no_step;
use crate::failure::CommandFailure;
use praxis_core::dataflow::lex::segments;
use praxis_core::dataflow::path::Segment;
use praxis_core::ids::StepId;
use praxis_core::pointer::pointer_to;
use praxis_core::pointer::unescaped;
use praxis_core::state::State;
use praxis_core::view::why::ArgumentOrigin;

/// A step, and a place in its arguments.
#[derive(Debug, PartialEq)]
pub(crate) struct ValueAddress {
    pub(crate) step: StepId,
    /// None means the whole step.
    pub(crate) place: Option<ArgumentPath>,
}

/// A place as a path of keys and indexes, or, where that leads nowhere, as keys that may have dots.
#[derive(Debug, PartialEq)]
pub(crate) struct ArgumentPath {
    /// The JSON pointer, if the words are a path.
    pointer: Option<String>,
    /// The words after the step's dot.
    dotted: String,
}

impl ValueAddress {
    /// Step ids may contain dots: the longest beginning that is a step is the step.
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

    /// The reasons at the place and below it; else the one whose value it is a part of.
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

/// Whether a path is another or lies below it.
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
