//! Every mistake that a flow can have is told with its place and how to mend it, in both languages.

use praxis_core::call::manifest::read;
use praxis_core::call::tool::Toolbox;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::flow;
use praxis_core::flow::compile::Flows;
use praxis_core::flow::environment::FlowEnvironment;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::lang::Lang;
use praxis_core::problem::Problem;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const MISTAKES: &str = include_str!("../flow/mistakes.yaml");

fn toolbox() -> Toolbox {
    let tools = json!([
        {"id": "put", "builtin": "noop", "input_schema": {"type": "object", "properties":
            {"amount": {"type": "number"}, "n": {}}, "additionalProperties": false}},
        {"id": "look", "builtin": "noop", "output_schema": {"type": "object", "properties": {"got": {"type": "string"}}}},
        {"id": "must", "builtin": "noop", "input_schema": {"type": "object", "properties":
            {"amount": {"type": "number"}}, "required": ["amount"]}},
    ]);
    let tools = read(&tools).unwrap();
    tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
}

/// The cases of the file, and those that are too large to be written down.
fn cases() -> Map<String, Value> {
    let mut cases = document::read(MISTAKES.as_bytes(), DocumentFormat::Yaml).unwrap();
    let cases = cases.as_object_mut().unwrap();
    let nodes: Vec<Value> =
        (0..501).map(|n| json!({"id": format!("n{n}"), "call": "put"})).collect();
    cases.insert("too_many_nodes".to_owned(), json!({"flow": {"flow": "x", "nodes": nodes}}));
    let deep = (0..9).fold(
        json!({"id": "a", "call": "put"}),
        |inner, n| json!({"id": format!("s{n}"), "call": "SubFlow", "nodes": [inner]}),
    );
    cases.insert("too_deep".to_owned(), json!({"flow": {"flow": "x", "nodes": [deep]}}));
    cases.clone()
}

/// Everything that is wrong with a case.
fn findings(case: &Value) -> FlowProblems {
    let mut findings = FlowProblems::default();
    let read = |it: &Value, findings: &mut FlowProblems| flow::read::read(it, findings);
    let main = read(&case["flow"], &mut findings);
    let called = case["flows"].as_array().cloned().unwrap_or_default();
    let called: Vec<flow::file::Flow> = called.iter().map(|it| read(it, &mut findings)).collect();
    let flows: Flows = called.into_iter().map(|flow| (flow.name.clone(), flow)).collect();
    if findings.problems.is_empty() {
        let toolbox = toolbox();
        flow::check::check(
            &main,
            FlowEnvironment { toolbox: &toolbox, flows: &flows },
            &mut findings,
        );
    }
    findings
}

fn told(out: &mut String, word: &str, problem: &Problem) {
    for lang in [Lang::En, Lang::Zh] {
        let told = problem.told(lang);
        let head = if lang == Lang::En {
            format!("{word}[{}] {}", told.code, told.at)
        } else {
            String::new()
        };
        if !head.is_empty() {
            writeln!(out, "  {head}").unwrap();
        }
        writeln!(out, "    {}\n      > {}", told.message, told.next.unwrap_or_default()).unwrap();
    }
}

#[test]
fn every_mistake_is_told_with_how_to_mend_it() {
    let cases = cases();
    assert!(cases.len() >= 40);
    let mut all = String::new();
    for (name, case) in &cases {
        let findings = findings(case);
        assert!(
            !(findings.problems.is_empty() && findings.warnings.is_empty()),
            "{name}: nothing is told"
        );
        writeln!(all, "{name}").unwrap();
        findings.problems.iter().for_each(|problem| told(&mut all, "error", problem));
        findings.warnings.iter().for_each(|problem| told(&mut all, "warning", problem));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn words_and_advice_of_every_mistake_are_there_in_both_languages() {
    for (name, case) in cases() {
        let findings = findings(&case);
        for problem in findings.problems.iter().chain(&findings.warnings) {
            let next = problem.next.as_ref().unwrap_or_else(|| panic!("{name}: {problem}"));
            for words in [&problem.message, &**next] {
                let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
                assert!(words.zh.contains(is_chinese), "{name}: {words:?}");
                assert!(!words.en.is_empty() && words.en != words.zh, "{name}: {words:?}");
            }
            assert!(!next.en.contains("docs/"), "{name}: advice says what to do: {}", next.en);
        }
    }
}

/// Every code that the reader and the checks of flows can give.
fn codes_of_the_source() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/flow");
    let mut codes = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let quoted = text.split('"').skip(1).step_by(2).filter(|it| it.starts_with("flow_"));
        codes.extend(quoted.map(str::to_owned));
    }
    codes
}

#[test]
fn every_code_of_a_flow_has_a_case() {
    let mut seen = BTreeSet::new();
    for case in cases().values() {
        let findings = findings(case);
        seen.extend(findings.problems.iter().chain(&findings.warnings).map(|it| it.code.clone()));
    }
    let missing: Vec<String> = codes_of_the_source().difference(&seen).cloned().collect();
    assert!(missing.is_empty(), "{missing:?}");
}
