//! The calls that Praxis makes itself: what flows are built of. No tool can have one of their names.

use super::manifest::Toolbox;
use super::tool::{Tool, Transport};
use crate::ids::ToolId;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

/// A call of Praxis' own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Own {
    /// Does nothing.
    Empty,
    /// Takes a branch.
    Choice,
    /// Puts a text or data together.
    Convert,
    /// Says something to the user.
    Reply,
    /// Asks a model.
    Llm,
    /// Sums up what was said.
    Summary,
    /// Keeps what is worth knowing of an answer.
    Facts,
    /// Finds values for parameters.
    Slot,
    /// Lets a model call tools until it has an answer.
    Agent,
    /// Lets a model write the query that answers a question.
    Sql,
    /// Lets time pass.
    Wait,
    /// Asks a person whether to go on.
    Approve,
    /// Runs the steps inside it again and again.
    Loop,
    /// Runs the steps of another flow.
    SubFlow,
}

impl Own {
    /// What a model is asked for. An agent that holds a frame asks by the steps inside it.
    pub fn asks(self) -> Option<Asks> {
        match self {
            Self::Llm => Some(Asks::Words),
            Self::Summary => Some(Asks::Summary),
            Self::Facts => Some(Asks::Facts),
            Self::Slot => Some(Asks::Values),
            Self::Agent | Self::Sql => Some(Asks::Turn),
            Self::Empty | Self::Choice | Self::Convert | Self::Reply | Self::Wait => None,
            Self::Approve | Self::Loop | Self::SubFlow => None,
        }
    }

    /// Whether a model is asked.
    pub fn asks_a_model(self) -> bool {
        self.asks().is_some()
    }
}

/// What a call asks a model for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// An answer to a prompt.
    Words,
    /// A summary of what was said.
    Summary,
    /// Facts that are worth keeping.
    Facts,
    /// Values for parameters.
    Values,
    /// What an agent does next.
    Turn,
}

static CALLS: LazyLock<Toolbox> = LazyLock::new(|| {
    let tools: Vec<Tool> = serde_json::from_str(include_str!("own.json")).unwrap_or_default();
    tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
});

/// All of them, as tools.
pub fn calls() -> &'static Toolbox {
    &CALLS
}

/// The call that a name means, if it is one of Praxis' own.
pub fn own(tool: &ToolId) -> Option<Own> {
    match CALLS.get(tool)?.transport {
        Transport::Own(own) => Some(own),
        Transport::Builtin(_) | Transport::Command(_) | Transport::Http(_) | Transport::Sql(_) => {
            None
        }
    }
}

/// Whether a parameter of one of these calls is a text: whatever a placeholder brings there is said as one.
pub fn takes_text(tool: &ToolId, parameter: &str) -> bool {
    let schema = CALLS.get(tool).map(|tool| &tool.input_schema);
    let declared = schema.and_then(|schema| schema.get("properties")?.get(parameter)?.get("type"));
    declared.and_then(serde_json::Value::as_str) == Some("string")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::manifest::check;
    use crate::call::tool::Risk;
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
