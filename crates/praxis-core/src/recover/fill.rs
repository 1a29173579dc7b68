//! Turns names into an answer to a question about unresolved placeholders: `who=Lin` for `hi {{who}}`.
//!
//! - in: the parameters of the asking step, its context, and values by name
//! - out: the values by JSON pointer that the question expects
//! - never: changes a value that was given as a whole

use crate::dataflow::context::Context;
use crate::dataflow::resolve::{LoadedBlobs, MissingValue, OnUnresolved, resolve};
use crate::dataflow::template::{ParameterTemplate, Placeholder, TemplatePart};
use crate::fault::Fault;
use crate::journal::question::{Question, QuestionSubject};
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns the name in a placeholder: `who` for `{{ who }}` and `${who}`.
pub fn name_of(placeholder: &str) -> &str {
    let inside = placeholder.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let inside =
        inside.or_else(|| placeholder.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')));
    inside.unwrap_or(placeholder).trim()
}

/// Returns the unresolved names at a JSON pointer of the parameters, each once.
pub fn names_missed<'q>(question: &'q Question, pointer: &str) -> Vec<&'q str> {
    let QuestionSubject::Param { fault: Fault::UnresolvedPlaceholder { misses }, .. } =
        &question.about
    else {
        return vec![];
    };
    let mut names: Vec<&str> = Vec::new();
    for miss in misses.iter().filter(|miss| miss.pointer == pointer) {
        let name = name_of(&miss.placeholder);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the text or placeholder at a JSON pointer.
pub fn leaf<'t>(template: &'t ParameterTemplate, pointer: &str) -> Option<&'t ParameterTemplate> {
    let is_here = |placeholder: &Placeholder| &*placeholder.pointer == pointer;
    match template {
        ParameterTemplate::Literal(_) => None,
        ParameterTemplate::Whole(placeholder) => is_here(placeholder).then_some(template),
        ParameterTemplate::Text(parts) => {
            let here = |part: &TemplatePart| matches!(part, TemplatePart::Placeholder(one) if is_here(one));
            parts.iter().any(here).then_some(template)
        }
        ParameterTemplate::Array(items) => items.iter().find_map(|item| leaf(item, pointer)),
        ParameterTemplate::Object(entries) => {
            entries.iter().find_map(|(_, item)| leaf(item, pointer))
        }
    }
}

/// Returns the text of a leaf as written, with its placeholders, or `None` for other nodes.
pub fn written(leaf: &ParameterTemplate) -> Option<String> {
    match leaf {
        ParameterTemplate::Whole(placeholder) => Some(placeholder.source.to_string()),
        ParameterTemplate::Text(parts) => {
            let text = parts.iter().map(|part| match part {
                TemplatePart::Literal(text) => text.as_str(),
                TemplatePart::Placeholder(placeholder) => &placeholder.source,
            });
            Some(text.collect())
        }
        ParameterTemplate::Literal(_)
        | ParameterTemplate::Array(_)
        | ParameterTemplate::Object(_) => None,
    }
}

/// Fills the placeholders of a leaf with named values and resolves it, or returns the values that are still missing.
pub fn fill(
    leaf: &ParameterTemplate,
    context: &Context,
    blobs: &LoadedBlobs,
    names: &BTreeMap<String, Value>,
) -> Result<Value, Vec<MissingValue>> {
    let given = |placeholder: &Placeholder| names.get(name_of(&placeholder.source));
    let filled = match leaf {
        ParameterTemplate::Whole(placeholder) => given(placeholder)
            .map_or_else(|| leaf.clone(), |value| ParameterTemplate::Literal(value.clone())),
        ParameterTemplate::Text(parts) => ParameterTemplate::Text(
            parts
                .iter()
                .map(|part| match part {
                    TemplatePart::Placeholder(placeholder) => given(placeholder).map_or_else(
                        || part.clone(),
                        |value| TemplatePart::Literal(rendered(value)),
                    ),
                    TemplatePart::Literal(_) => part.clone(),
                })
                .collect(),
        ),
        ParameterTemplate::Literal(_)
        | ParameterTemplate::Array(_)
        | ParameterTemplate::Object(_) => leaf.clone(),
    };
    resolve(&filled, context, blobs, OnUnresolved::Error).map(|resolved| resolved.value)
}

fn rendered(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_fill_a_text_and_values_that_are_known_stay_where_they_are() {
        let known = json!({"city": "HZ"});
        let context = Context::of_values(known.as_object().unwrap());
        let parameters = json!({"text": "hi {{ who }} in {{city}}, ${who}", "n": ["{{n}}"]});
        let template = ParameterTemplate::parse(&parameters, &context);
        let names =
            BTreeMap::from([("who".to_owned(), json!("{{n}}")), ("n".to_owned(), json!(7))]);
        let text = leaf(&template, "/text").unwrap();
        assert_eq!(written(text).unwrap(), "hi {{ who }} in {{city}}, ${who}");
        let filled = fill(text, &context, &LoadedBlobs::new(), &names).unwrap();
        assert_eq!(filled, json!("hi {{n}} in HZ, {{n}}"), "what is put in is not looked through");
        let number = leaf(&template, "/n/0").unwrap();
        assert_eq!(fill(number, &context, &LoadedBlobs::new(), &names).unwrap(), json!(7));
        let missed = fill(text, &context, &LoadedBlobs::new(), &BTreeMap::new()).unwrap_err();
        assert_eq!(name_of(&missed.first().unwrap().placeholder), "who");
    }
}
