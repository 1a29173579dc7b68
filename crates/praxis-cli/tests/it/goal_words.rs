//! Whoever reads Chinese reads Chinese: a goal with every kind of trouble on its way, from run to test.

use crate::goal_rig::{Rehearsal, plan, reflections, replan, rule};
use serde_json::{Value, json};

/// What the tool that fails says.
const FAILS: &str = r#"
tools:
  - id: look
    risk: read
    description: 看
    command: {argv: [sh, -c, 'echo "{\"seen\": 42}"']}
  - id: count
    risk: read
    description: 数
    input_schema: {type: object, required: [n], properties: {n: {type: integer}}}
    command: {argv: [cat]}
  - id: fail
    risk: read
    retries: 0
    description: 失败
    command: {argv: [sh, -c, 'echo "{\"error\": \"没有这一天\"}"; exit 1']}
"#;

fn selecting() -> Value {
    let tools = json!(["look", "count", "fail", "read_text_file"]);
    rule(
        "selection",
        json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
            "selected_tool_ids": tools, "brief_reasoning": "合适"}),
    )
}

/// Fails twice over: once a value is changed, then the rest is planned anew.
fn troubled() -> Rehearsal {
    let other = json!({"root_cause_category": "parameter_error", "root_cause": "日期写错了",
        "is_recoverable": true, "confidence": 90,
        "suggested_action": {"type": "retry_with_params", "parameters": {"seen": 43}}});
    let mut first = rule("reflection_step", other);
    first["when"]["nth"] = json!(1);
    let infer =
        rule("parameter_inference", json!({"parameters": {"n": 4}, "reasoning": "目标说了四"}));
    let mut rules = vec![
        selecting(),
        plan(&[
            ("甲", "look", json!({})),
            ("乙", "fail", json!({"seen": "{{甲.outputs.seen}}"})),
            ("丙", "read_text_file", json!({"path": "/etc/passwd"})),
            ("丁", "count", json!({})),
        ]),
        replan(&[("戊", "look", json!({}))]),
        infer,
        first,
    ];
    rules.extend(reflections(json!({
        "should_replan": true, "root_causes": ["方法不对"],
        "replanning_strategy": {"type": "full_replan"}})));
    let model = Rehearsal::new(&rules, "看了");
    std::fs::write(model.rig.path("tools.yaml"), FAILS).unwrap();
    model
}

/// Lines in which two English words follow each other; commands, quotations and JSON are none.
fn english(text: &str) -> Vec<&str> {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let speaks = |line: &&str| {
        let unquoted: String = line.split('`').step_by(2).collect();
        let plain = unquoted.split(['{', '"']).next().unwrap_or_default().to_owned();
        let plain = plain.split("praxis ").next().unwrap_or_default();
        let words: Vec<&str> = plain.split(' ').collect();
        words.windows(2).any(|pair| pair.iter().all(is_word))
    };
    text.lines().filter(speaks).collect()
}

#[test]
fn a_goal_with_every_trouble_is_told_in_chinese_from_its_first_line_to_its_cost() {
    let model = troubled();
    let (code, out, noted) =
        model.says(&["--lang", "zh", "run", "看两次", "--tools", "tools.yaml", "--yes"]);
    assert_eq!((code, out.trim()), (Some(0), "看了"), "{noted}");
    assert_eq!(english(&noted), Vec::<&str>::new(), "{noted}");
    for told in [
        "↻ step_2：换参数重试（fast） · 日期写错了",
        "未调用工具 `read_text_file`：不允许访问 `/etc/passwd`：工具只能访问",
        "如需放行，请加入设置项 `tools.folders`",
    ] {
        assert!(noted.contains(told), "{told} in {noted}");
    }
    for words in [
        &["show", "--last"][..],
        &["show", "--last", "--params"],
        &["show", "--last", "--cost"],
        &["why", "--last", "step_2"],
        &["why", "--last", "step_4.n"],
        &["config", "path"],
    ] {
        let (code, out, noted) = model.says(&[&["--lang", "zh"], words].concat());
        assert_eq!(code, Some(0), "{words:?} {noted}");
        assert_eq!(english(&out), Vec::<&str>::new(), "{words:?}: {out}");
        let labels = ["completed", "attempt", "planned", "sent ", "output", "stage", "not found"];
        assert!(!labels.iter().any(|label| out.contains(label)), "{words:?}: {out}");
    }
}

#[test]
fn why_a_step_was_tried_again_is_told_in_words_while_it_runs_and_later() {
    let model = troubled();
    let (_, _, noted) = model.says(&["run", "看两次", "--tools", "tools.yaml", "--yes"]);
    let line = "↻ step_2: retry with other arguments (fast) · 日期写错了";
    assert!(noted.contains(line) && !noted.contains("tool_failed"), "{noted}");
    let (_, shown, _) = model.says(&["show", "--last", "--step", "step_2"]);
    assert!(shown.contains(line), "{shown}");
    let (_, other, _) = model.says(&["show", "--last", "--step", "step_4"]);
    assert!(other.contains("value inferred (fast) · 目标说了四"), "{other}");
    assert!(!other.contains("retry with"), "each step has its own: {other}");
}

#[test]
fn a_test_that_goes_another_way_is_told_in_chinese() {
    let model = troubled();
    model.says(&["run", "看两次", "--tools", "tools.yaml", "--yes"]);
    let zh = |words: &[&str]| model.says(&[&["--lang", "zh"], words].concat());
    assert_eq!(zh(&["test", "add", "--last", "t"]).0, Some(0));
    let (code, out, _) = zh(&["test", "run"]);
    assert!(code == Some(0) && out.contains("个决策全部相同") && english(&out).is_empty(), "{out}");
    let file = model.rig.path("tests/praxis/t.json");
    let mut test: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let entries = test["entries"].as_array_mut().unwrap();
    entries.iter_mut().find(|entry| entry["kind"] == "answer_given").unwrap()["by"] =
        json!("rules");
    std::fs::write(&file, test.to_string()).unwrap();
    let (code, out, noted) = zh(&["test", "run"]);
    assert_eq!(code, Some(8), "{out}{noted}");
    assert!(out.contains("  记录为  ") && out.contains("  现在为  "), "{out}");
    assert_eq!(english(&format!("{out}{noted}")), Vec::<&str>::new(), "{out}{noted}");
    std::fs::write(&file, r#"{"praxis_test": 9, "goal": "", "entries": [], "blobs": {}}"#).unwrap();
    let (code, _, noted) = zh(&["test", "run"]);
    assert!(code == Some(2) && noted.contains("由较新的 praxis 写入"), "{noted}");
}
