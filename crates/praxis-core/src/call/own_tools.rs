//! Own calls of Praxis as tools, described in `own.json`.

use super::own::OwnCall;
use super::tool::{Tool, Toolbox, Transport};
use crate::ids::ToolId;
use std::sync::{Arc, LazyLock};

static CALLS: LazyLock<Toolbox> = LazyLock::new(|| {
    let tools: Vec<Tool> = serde_json::from_str(include_str!("own.json")).unwrap_or_default();
    tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
});

/// Returns all own calls as tools.
pub fn calls() -> &'static Toolbox {
    &CALLS
}

/// Returns the own call with this name, if there is one.
pub fn own(tool: &ToolId) -> Option<OwnCall> {
    match CALLS.get(tool)?.transport {
        Transport::Own(own) => Some(own),
        Transport::Builtin(_) | Transport::Command(_) | Transport::Http(_) | Transport::Sql(_) => {
            None
        }
    }
}

/// Returns true if a parameter of an own call is a string. A lone placeholder there is rendered as text.
pub fn takes_text(tool: &ToolId, parameter: &str) -> bool {
    let schema = CALLS.get(tool).map(|tool| &tool.input_schema);
    let declared = schema.and_then(|schema| schema.get("properties")?.get(parameter)?.get("type"));
    declared.and_then(serde_json::Value::as_str) == Some("string")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::manifest::check;
    use crate::call::risk::Risk;
    use crate::lang::Lang;

    #[test]
    fn no_manifest_can_take_the_name_or_the_place_of_one() {
        for written in [
            serde_json::json!({"id": "Loop", "builtin": "echo"}),
            serde_json::json!({"id": "mine", "own": "choice"}),
        ] {
            let problems = crate::call::manifest::read(&written).unwrap_err();
            assert_eq!(problems.first().map(|problem| problem.code.as_str()), Some("own_name"));
        }
    }

    #[test]
    fn every_call_is_a_sound_tool_that_reads_and_is_told_in_both_languages() {
        assert_eq!(calls().len(), 14);
        for tool in calls().values() {
            assert_eq!(check(tool), [], "{}", tool.id);
            assert_eq!(tool.risk(), Risk::Read, "{}", tool.id);
            assert!(tool.output_schema.is_some(), "{}", tool.id);
            let ((name, words), (zh_name, zh_words)) = (tool.told(Lang::En), tool.told(Lang::Zh));
            assert!(name.is_ascii() && words.is_ascii(), "{}", tool.id);
            assert!(zh_name != name && zh_words != words, "{}", tool.id);
        }
    }

    #[test]
    fn every_parameter_and_every_field_says_what_it_is() {
        for tool in calls().values() {
            for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()] {
                let properties = schema.and_then(|schema| schema["properties"].as_object());
                for (name, property) in properties.into_iter().flatten() {
                    let words = property["description"].as_str().unwrap_or_default();
                    let is_told = !words.is_empty() && words.is_ascii() && !words.ends_with('.');
                    assert!(is_told, "{}.{name}: {words}", tool.id);
                }
            }
        }
    }
}
