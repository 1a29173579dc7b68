//! Renames the steps of a model's plan to our own ids, including references to them.

use crate::dataflow::lex::{self, LexedPiece};
use crate::dataflow::path::Segment;
use crate::hash::content_hash;
use crate::ids::StepId;
use crate::intake::plan::PlannedStep;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Our step ids by the names that a model uses.
pub type StepRenames = BTreeMap<String, StepId>;

/// Renames a step, its dependencies, its actions and the steps that its parameters read.
pub fn step(step: &mut PlannedStep, names: &StepRenames) {
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
pub fn parameters(value: &mut Value, names: &StepRenames) {
    references(value, &|path| match path {
        [Segment::Key(name), _, ..] => {
            let ours = names.get(&**name).filter(|ours| ours.as_str() != &**name);
            ours.map(|ours| *name = Arc::from(ours.as_str())).is_some()
        }
        _ => false,
    });
}

/// Renames metadata in references to the names under which the caller handed them in.
pub fn metadata(value: &mut Value, called: &BTreeMap<String, String>) {
    let renamed = |name: &mut Arc<str>| {
        called.get(&**name).map(|given| *name = Arc::from(given.as_str())).is_some()
    };
    references(value, &|path| match path {
        [Segment::Key(head), Segment::Key(name), ..] if &**head == "metadata" => renamed(name),
        [Segment::Key(name), ..] => renamed(name),
        _ => false,
    });
}

/// Applies `change` to the path of every placeholder in a value; it returns true if it changed the path.
fn references(value: &mut Value, change: &dyn Fn(&mut [Segment]) -> bool) {
    match value {
        Value::String(text) if !lex::is_plain(text) => *text = changed(text, change),
        Value::Array(items) => items.iter_mut().for_each(|item| references(item, change)),
        Value::Object(map) => map.values_mut().for_each(|item| references(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn changed(text: &str, change: &dyn Fn(&mut [Segment]) -> bool) -> String {
    let mut pieces = lex::lex(text);
    let mut is_changed = false;
    for piece in &mut pieces {
        if let LexedPiece::Reference(reference) = piece {
            is_changed |= change(&mut reference.segments);
        }
    }
    // An unchanged text is kept as written, because printing may normalise escapes.
    if is_changed { lex::print(&pieces) } else { text.to_owned() }
}

/// Returns a hash of what a plan does, independent of the ids of its steps.
pub fn plan_hash(steps: &[PlannedStep]) -> String {
    let place = |id: &StepId| steps.iter().position(|step| step.id == *id);
    let names: StepRenames = steps
        .iter()
        .enumerate()
        .map(|(at, step)| (step.id.to_string(), StepId::from(format!("#{at}"))))
        .collect();
    let one = |step: &PlannedStep| {
        let mut parameters = step.parameters.clone();
        self::parameters(&mut parameters, &names);
        let needs: Vec<_> = step.depends_on.iter().map(place).collect();
        json!([step.tool, parameters, needs])
    };
    let all: Vec<Value> = steps.iter().map(one).collect();
    content_hash(Value::Array(all).to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // ids, dependencies and placeholders are renamed together.
    #[test]
    fn references_follow_the_steps_and_texts_stay_as_they_are() {
        let names = StepRenames::from([
            ("a".to_owned(), "step_3".into()),
            ("b".to_owned(), "step_4".into()),
        ]);
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

    #[test]
    fn metadata_are_read_under_the_name_that_the_caller_has_for_them() {
        let called = BTreeMap::from([("file_path".to_owned(), "csv_path".to_owned())]);
        let mut written = json!({"a": "{{file_path}}", "b": "in {{metadata.file_path}}", "c": "{{step_1.file_path}}"});
        metadata(&mut written, &called);
        let expected = json!({"a": "{{csv_path}}", "b": "in {{metadata.csv_path}}", "c": "{{step_1.file_path}}"});
        assert_eq!(written, expected);
    }
}
