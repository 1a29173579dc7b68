//! The example calls of `examples.yaml`: run one after the other in one folder, and shown in the guide.

use super::catalog::connect;
use super::testing::{all_tools, builtins, run};
use praxis_core::call::tool::Tool;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::schema::Schema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// The modification time of the example files: 2026-11-15T03:00:03Z.
const CHANGED: u64 = 1_794_711_603;

/// The content of `examples.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolExamples {
    /// Files present in the folder, by name.
    files: BTreeMap<String, String>,
    /// The example calls.
    pub(super) calls: Vec<ExampleCall>,
}

/// One tool call. `HERE` stands for the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExampleCall {
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) output: Value,
    /// True if the call needs the network; its output is then validated, but the tool is not run.
    #[serde(default)]
    needs_network: bool,
}

impl ToolExamples {
    pub(super) fn read() -> Self {
        let value = document::read(include_bytes!("examples.yaml"), DocumentFormat::Yaml).unwrap();
        serde_json::from_value(value).unwrap()
    }

    fn lay_out(&self, here: &Path) {
        for (name, content) in &self.files {
            fs::write(here.join(name), content).unwrap();
            let changed = UNIX_EPOCH + Duration::from_secs(CHANGED);
            File::options()
                .append(true)
                .open(here.join(name))
                .unwrap()
                .set_modified(changed)
                .unwrap();
        }
    }
}

/// Replaces `from` with `to` in all strings of a value.
fn placed(value: &Value, from: &str, to: &str) -> Value {
    serde_json::from_str(&value.to_string().replace(from, to)).unwrap()
}

fn fits(tool: &Tool, schema: &Value, value: &Value) {
    let errors = Schema::compile(schema).unwrap().errors(value);
    assert!(errors.is_empty(), "{}: {errors:?} in {value}", tool.id);
}

#[test]
fn every_example_gives_what_it_says_and_fits_its_manifest() {
    let examples = ToolExamples::read();
    let folder = tempfile::tempdir().unwrap();
    let real = fs::canonicalize(folder.path()).unwrap();
    let here = real.to_str().unwrap();
    examples.lay_out(&real);
    for example in &examples.calls {
        let tool = all_tools().into_iter().find(|tool| tool.id.as_str() == example.tool).unwrap();
        fits(&tool, &tool.input_schema, &example.arguments);
        let arguments = placed(&example.arguments, "HERE", here);
        let output = if example.needs_network {
            example.output.clone()
        } else {
            run(&example.tool, &real, arguments).unwrap()
        };
        fits(&tool, tool.output_schema.as_ref().unwrap(), &output);
        assert_eq!(placed(&output, here, "HERE"), example.output, "{}", example.tool);
    }
}

#[test]
fn every_tool_has_an_example_and_the_outputs_it_promises() {
    let examples = ToolExamples::read();
    let shown: BTreeSet<&str> = examples.calls.iter().map(|call| call.tool.as_str()).collect();
    let ids: Vec<String> = all_tools().iter().map(|tool| tool.id.to_string()).collect();
    assert_eq!(shown, ids.iter().map(String::as_str).collect::<BTreeSet<_>>());
    for example in &examples.calls {
        let tool = all_tools().into_iter().find(|tool| tool.id.as_str() == example.tool).unwrap();
        let promised = tool.output_schema.unwrap()["properties"].clone();
        if let (Some(promised), Some(given)) = (promised.as_object(), example.output.as_object()) {
            let names: BTreeSet<&String> = promised.keys().collect();
            assert_eq!(given.keys().collect::<BTreeSet<_>>(), names, "{}", example.tool);
        }
    }
}

/// The code refuses what the manifest refuses: a tool is safe even if nothing validated its arguments.
#[test]
fn arguments_that_no_tool_knows_are_refused_by_the_code_itself() {
    for example in ToolExamples::read().calls.iter().filter(|call| !call.needs_network) {
        if matches!(example.tool.as_str(), "echo" | "noop") {
            continue;
        }
        let mut arguments = example.arguments.clone();
        arguments["never_heard_of"] = json!(1);
        let result = run(&example.tool, Path::new("/nonexistent"), arguments);
        assert_eq!(result.unwrap_err().code(), "params_invalid", "{}", example.tool);
    }
    for name in ["http_get", "API"] {
        assert!(connect(name, &builtins(Path::new("/"))).is_some());
        let result = run(
            name,
            Path::new("/nonexistent"),
            json!({"url": "https://a.test/", "never_heard_of": 1}),
        );
        assert_eq!(result.unwrap_err().code(), "params_invalid", "{name}");
    }
}
