//! Puts our names of steps in the place of those that a model made up, in references too.

use crate::dataflow::lex::{self, Piece};
use crate::dataflow::path::Segment;
use crate::ids::StepId;
use crate::intake::plan::PlannedStep;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a model calls steps, and what they are called here.
pub type Names = BTreeMap<String, StepId>;

/// Renames a step, what it needs and what it reads.
pub fn step(step: &mut PlannedStep, names: &Names) {
    let ours = |id: &mut StepId| {
        if let Some(ours) = names.get(id.as_str()) {
            *id = ours.clone();
        }
    };
    let ids = [&mut step.id].into_iter().chain(&mut step.depends_on).chain(&mut step.actions);
    ids.for_each(ours);
    parameters(&mut step.parameters, names);
}

/// Renames the steps that parameters refer to.
pub fn parameters(value: &mut Value, names: &Names) {
    match value {
        Value::String(text) if !lex::is_plain(text) => *text = renamed(text, names),
        Value::Array(items) => items.iter_mut().for_each(|item| parameters(item, names)),
        Value::Object(map) => map.values_mut().for_each(|item| parameters(item, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn renamed(text: &str, names: &Names) -> String {
    let mut pieces = lex::lex(text);
    let mut changed = false;
    for piece in &mut pieces {
        let Piece::Reference(reference) = piece else { continue };
        let (Some(Segment::Key(name)), true) =
            (reference.segments.first(), reference.segments.len() > 1)
        else {
            continue;
        };
        let Some(ours) = names.get(&**name).filter(|ours| ours.as_str() != &**name) else {
            continue;
        };
        if let Some(head) = reference.segments.first_mut() {
            *head = Segment::Key(Arc::from(ours.as_str()));
            changed = true;
        }
    }
    // As written where nothing changes: printing may put escapes otherwise.
    if changed { lex::print(&pieces) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // ids, dependencies and placeholders are renamed together.
    #[test]
    fn references_follow_the_steps_and_texts_stay_as_they_are() {
        let names =
            Names::from([("a".to_owned(), "step_3".into()), ("b".to_owned(), "step_4".into())]);
        let mut step = PlannedStep {
            id: "b".into(),
            name: String::new(),
            tool: "t".into(),
            parameters: json!({
                "x": "{{a.outputs.id}}", "y": ["${a.output.n} of {{ a.outputs[\"k.l\"] }}"],
                "plain": "a.outputs.id", "escaped": "\\{{a.b}}", "bare": "{{a}}", "other": "{{c.outputs.a}}",
            }),
            depends_on: vec!["a".into(), "step_1".into()],
            actions: vec![],
            expected_ms: None,
            node: None,
        };
        super::step(&mut step, &names);
        assert_eq!((step.id.as_str(), step.depends_on.len()), ("step_4", 2));
        assert_eq!(step.depends_on.first().unwrap().as_str(), "step_3");
        let expected = json!({
            "x": "{{step_3.outputs.id}}", "y": ["${step_3.output.n} of {{step_3.outputs[\"k.l\"]}}"],
            "plain": "a.outputs.id", "escaped": "\\{{a.b}}", "bare": "{{a}}", "other": "{{c.outputs.a}}",
        });
        assert_eq!(step.parameters, expected);
    }
}
