use super::*;
use crate::testing::{all_tools, builtins, invocation, run_as};
use praxis_core::fault::Fault;
use praxis_core::lang::Lang;
use praxis_core::prompt::signature::{brief, signature};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The names of all tools, those of the manifests here and in the examples.
fn names() -> Vec<String> {
    all_tools().iter().map(|tool| tool.id.to_string()).collect()
}

#[test]
fn every_manifest_is_good_and_its_names_are_fields_of_its_output() {
    for tool in all_tools() {
        assert_eq!(manifest::check(&tool), vec![], "{}", tool.id);
        let output = tool.output_schema.clone().unwrap();
        for name in tool.output_names() {
            assert!(output["properties"].get(&*name).is_some(), "{} {name}", tool.id);
        }
    }
}

#[test]
fn every_manifest_has_its_code_and_all_code_its_manifest() {
    let ids: BTreeSet<String> = names().into_iter().collect();
    assert_eq!(ids.len(), names().len());
    for name in &ids {
        assert!(connect(name, &builtins(Path::new("."))).is_some(), "{name}");
    }
    assert!(connect("format_disk", &builtins(Path::new("."))).is_none());
    let others = ["API", "http_get", "echo", "noop", "sleep"];
    let coded = WORKS.iter().map(|(name, _)| *name).chain(others).map(str::to_owned);
    assert_eq!(coded.collect::<BTreeSet<_>>(), ids);
}

#[test]
fn the_box_holds_more_than_24_useful_tools_of_three_domains_and_none_about_load() {
    let domains: [&[&str]; 3] =
        [&["files", "tables"], &["http", "json"], &["text", "dates", "numbers"]];
    let first = |tool: &Tool| tool.tags.first().cloned().unwrap_or_default();
    let counts = domains
        .map(|tags| tools().iter().filter(|tool| tags.contains(&first(tool).as_str())).count());
    assert!(counts.iter().sum::<usize>() >= 24, "{counts:?}");
    assert!(counts.iter().all(|count| *count >= 4), "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>() + 3, tools().len());
}

fn is_for_trying(tool: &Tool) -> bool {
    tool.tags.first().is_some_and(|tag| tag == "try")
}

/// Words that people use, in both languages: as many as find it, and each once.
#[test]
fn every_tool_has_words_to_be_found_by_in_both_languages() {
    for tool in all_tools() {
        let distinct: BTreeSet<&String> = tool.all_tags().collect();
        assert_eq!(distinct.len(), tool.all_tags().count(), "{}", tool.id);
        let (english, chinese) = (tool.tags_in(Lang::En).len(), tool.tags_in(Lang::Zh).len());
        let least = if is_for_trying(&tool) { 4 } else { 8 };
        assert!(english >= least && chinese >= least, "{}: {english} {chinese}", tool.id);
    }
}

#[test]
fn every_manifest_says_what_a_planner_needs() {
    for tool in all_tools() {
        let id = &tool.id;
        assert!(tool.description.ends_with('.'), "{id}");
        assert!(tool.risk.is_some() && tool.idempotent.is_some() && tool.timeout.is_some(), "{id}");
        assert!(tool.tags.len() > 1, "{id}");
        if !is_for_trying(&tool) {
            assert!(
                !tool.output_names().is_empty() && tool.told(Lang::Zh).0 != id.as_str(),
                "{id}"
            );
            assert_eq!(tool.input_schema["additionalProperties"], false, "{id}");
        }
    }
}

/// A model reads a tool in the language of the task. Examples of values may be in the other one.
#[test]
fn no_text_of_a_tool_mixes_two_languages() {
    let is_chinese = |text: &str| text.contains(|c: char| u32::from(c) > 0x4e00);
    let examples = ["2026年11月15日下午3点", "万千瓦时", "万千瓦", "杭州"];
    for tool in all_tools() {
        let shown = signature(&tool, Lang::En) + &brief(&tool, Lang::En);
        let shown = examples.iter().fold(shown, |text, example| text.replace(example, ""));
        assert!(!is_chinese(&shown), "{shown}");
        let (name, about) = tool.told(Lang::Zh);
        assert!((is_chinese(name) || is_for_trying(&tool)) && is_chinese(about), "{}", tool.id);
        assert!(tool.tags_in(Lang::Zh).iter().all(|tag| is_chinese(tag)), "{}", tool.id);
    }
}

/// A name that a tool writes wins over the caller's own of the same name. So it must not be one that
/// callers give, unless it is the same thing, now the latest: the rows, the series, the forecast.
#[test]
fn no_output_takes_the_name_of_an_argument_that_is_something_else() {
    const SAME: &str = "rows columns data_json datasource_id forecast backtest peak method \
        body";
    let taken: BTreeSet<String> = all_tools()
        .iter()
        .filter_map(|tool| tool.input_schema["properties"].as_object().cloned())
        .flat_map(|arguments| arguments.into_iter().map(|(name, _)| name))
        .collect();
    for tool in all_tools().iter().filter(|tool| !is_for_trying(tool)) {
        for name in tool.output_names() {
            let same = SAME.split_whitespace().any(|same| same == &*name);
            assert!(same || !taken.contains(&*name), "{}: {name}", tool.id);
        }
    }
}

/// A comma in a description that is not quoted makes the rest of it another keyword.
#[test]
fn every_schema_is_made_of_words_that_mean_something() {
    const WORDS: &str = "type enum const description default minLength maxLength pattern items \
        minItems maxItems required properties additionalProperties minimum maximum \
        exclusiveMinimum anyOf translations";
    fn look(schema: &Value, at: &str) {
        for (word, inner) in schema.as_object().into_iter().flatten() {
            assert!(WORDS.split_whitespace().any(|known| known == word), "{at}: {word}");
            match word.as_str() {
                "properties" => {
                    let properties = inner.as_object().unwrap();
                    properties
                        .iter()
                        .for_each(|(name, schema)| look(schema, &format!("{at}.{name}")));
                }
                "items" | "additionalProperties" => look(inner, at),
                "anyOf" => inner.as_array().unwrap().iter().for_each(|schema| look(schema, at)),
                _ => {}
            }
        }
    }
    for tool in all_tools() {
        look(&tool.input_schema, tool.id.as_str());
        look(tool.output_schema.as_ref().unwrap(), tool.id.as_str());
    }
}

#[test]
fn arguments_that_are_no_object_are_refused_by_every_tool_that_takes_some() {
    for name in names().iter().filter(|name| !matches!(name.as_str(), "echo" | "noop")) {
        let result = run_as(name, Path::new("."), invocation(1, "k", Value::from(3)));
        assert!(matches!(result, Err(Fault::ParamsInvalid { .. })), "{name}: {result:?}");
    }
}
