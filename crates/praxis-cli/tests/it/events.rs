//! The events of the seed documents: the page and the code are one table, and a real flow is told by it.

use crate::goal_rig::{Rehearsal, plan};
use crate::rig::{Rig, finish, json_lines};
use praxis_core::view::seed_table::{
    EnvelopeKind, STEP_TYPE, SeedEventRow, SeedPayload, TABLE, row, table,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

const PAGE: &str = "../../docs/guide/events.md";

/// What stands on the page between a mark and the next end.
fn on_page(page: &str, mark: &str) -> String {
    let (_, rest) = page.split_once(&format!("<!-- {mark} events: from the code -->\n")).unwrap();
    rest.split_once("<!-- end -->").unwrap().0.to_owned()
}

// A-101, B-044
#[test]
fn the_table_of_events_in_the_guide_is_the_table_in_the_code() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap();
    for (form, mark) in [(EnvelopeKind::Task, "task"), (EnvelopeKind::Step, "step")] {
        let (told, coded) = (on_page(&page, mark), table(form));
        assert_eq!(told, coded, "write this into events.md:\n{coded}");
    }
}

#[test]
fn what_the_page_says_to_type_works() {
    let rig = Rig::empty();
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap();
    let yaml = page.split_once("```yaml\n").unwrap().1.split_once("```").unwrap().0;
    std::fs::write(rig.path("told.yaml"), yaml).unwrap();
    let commands = page.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    for line in commands.lines() {
        let words: Vec<&str> = line.split(' ').skip(1).collect();
        let (code, out, noted) = rig.says(&words);
        assert!(code == Some(0) && out.contains("Ada"), "{line}: {out}{noted}");
    }
}

/// Every construct that has an event: a tool that speaks in data and one in words, slots, an approval,
/// branches, a loop, a failure that is dealt with.
const FLOW: &str = "
flow: all
inputs: {city: {type: string, default: HZ}}
nodes:
  - {id: begin, call: Empty}
  - {id: facts, call: facts, to_user: true}
  - {id: say, call: Reply, params: {text: \"hello {{city}}\"}}
  - {id: fill, call: order}
  - id: how
    call: Choice
    branches: [{id: near, all: [{left: \"{{city}}\", is: equal, right: HZ}]}]
    otherwise: far
  - {id: far, call: Empty}
  - id: each
    call: Loop
    over: [1, 2]
    nodes:
      - {id: may, call: Approve, params: {message: \"{{item}}?\"}}
  - {id: bad, call: broken}
  - {id: end, call: Empty}
edges:
  - begin -> facts -> say -> fill -> how
  - how.near -> each -> bad
  - how.far -> far
  - {from: bad, to: end, when: failed}
outputs: {n: \"{{each.outputs.iteration_count}}\"}
";

const TOOLS: &str = r#"
- {id: facts, risk: read, command: {argv: [sh, -c, 'echo "{\"n\": 7}"']}}
- {id: broken, risk: read, retries: 0, command: {argv: [sh, -c, 'exit 3']}}
- id: order
  risk: read
  input_schema: {type: object, required: [city, days], properties: {city: {type: string}, days: {type: integer}}}
  command: {argv: [cat]}
"#;

fn rig() -> Rig {
    let rig = Rig::with("{}", TOOLS);
    std::fs::write(rig.path("all.yaml"), FLOW).unwrap();
    rig
}

/// Answers what is asked until nothing is.
pub(crate) fn answer_all(rig: &Rig) {
    while let Some(open) = rig.ask(&["inbox"]).filter(|open| !open.is_empty()) {
        let question = &open[0]["question"];
        let id = question["id"].as_str().unwrap();
        let said = if question["about"] == "param" { "days=3" } else { "--approve" };
        finish(rig, &mut rig.praxis(&["answer", id, said]));
    }
}

fn told(rig: &Rig, words: &[&str]) -> Vec<Value> {
    let (_, out, _) = rig.says(words);
    json_lines(out.as_bytes())
}

fn row_of(event: &Value) -> &'static SeedEventRow {
    let name = event["event_type"].as_str().unwrap();
    let typed = || row(STEP_TYPE).filter(|_| event["flow"]["stepType"] == name);
    row(name).or_else(typed).unwrap_or_else(|| panic!("{event}"))
}

/// An event of a flow in its envelope, with the fields of its row.
fn assert_whole(event: &Value) {
    let row = row_of(event);
    let payload = if row.form == EnvelopeKind::Task { &event["data"] } else { &event["content"] };
    if let SeedPayload::Fields(fields) = row.carries {
        for field in fields.iter().filter(|field| !field.ends_with('?')) {
            assert!(payload.get(field).is_some(), "{field} of {event}");
        }
    }
    if row.form == EnvelopeKind::Task {
        return;
    }
    for field in ["id", "conversationId", "taskId", "flow", "metadata"] {
        assert!(event[field].is_string() || event[field].is_object(), "{field} of {event}");
    }
    for field in ["executorId", "executorName", "executorStatus"] {
        assert!(event["flow"][field].is_string(), "{field} of {event}");
    }
    let of_step = !event["flow"]["stepId"].is_null();
    for field in ["stepName", "stepType", "stepStatus"] {
        assert_eq!(event["flow"][field].is_string(), of_step, "{field} of {event}");
    }
    for field in ["timeCost", "inputTokens", "outputTokens"] {
        assert!(event["metadata"].get(field).is_some(), "{field} of {event}");
    }
}

// B-044, B-027, B-028
#[test]
fn a_flow_is_told_with_every_event_of_its_table_each_in_its_envelope() {
    let rig = rig();
    let first =
        told(&rig, &["flow", "run", "all.yaml", "--tools", "tools.yaml", "--format", "seed"]);
    answer_all(&rig);
    let all = told(&rig, &["watch", "--last", "--format", "seed"]);
    assert_eq!(all[..first.len()], first, "the same later");
    all.iter().for_each(assert_whole);
    let ids: BTreeSet<&str> = all.iter().filter_map(|event| event["id"].as_str()).collect();
    assert_eq!(ids.len(), all.iter().filter(|event| !event["id"].is_null()).count(), "unique ids");
    let names: BTreeSet<&str> = all.iter().map(|event| row_of(event).name).collect();
    let steps = TABLE.iter().filter(|row| row.form == EnvelopeKind::Step);
    for row in steps.filter(|row| !matches!(row.carries, SeedPayload::Nothing(_))) {
        // It did not fail and was not cancelled.
        let other_end = ["flow.failed", "flow.cancel", "step.cancel"].contains(&row.name);
        assert_eq!(names.contains(row.name), !other_end, "{}", row.name);
    }
    let of = |name: &'static str| all.iter().filter(move |event| event["event_type"] == name);
    assert_eq!(of("TOOL").next().unwrap()["content"], json!({"n": 7}), "data for the user");
    assert_eq!(of("TEXT_ADD").next().unwrap()["content"], json!({"text": "hello HZ"}));
    assert_eq!(of("flow.success").next().unwrap()["content"]["result"], json!({"n": 2}));
    let types: BTreeSet<&str> =
        of("step.init").map(|event| event["flow"]["stepType"].as_str().unwrap()).collect();
    for wanted in ["START", "END", "CHOICE", "LOOP", "TOOL", "REPLY", "APPROVE"] {
        assert!(types.contains(wanted), "{wanted} in {types:?}");
    }
    let states: BTreeSet<&str> =
        all.iter().filter_map(|event| event["flow"]["stepStatus"].as_str()).collect();
    for wanted in ["INIT", "WAITING", "RUNNING", "SUCCESS", "ERROR", "PARAM", "SKIPPED"] {
        assert!(states.contains(wanted), "{wanted} in {states:?}");
    }
}

// B-019
#[test]
fn filled_parameters_are_told_before_the_input_and_the_input_while_the_step_runs() {
    let rig = rig();
    told(&rig, &["flow", "run", "all.yaml", "--tools", "tools.yaml"]);
    answer_all(&rig);
    let all = told(&rig, &["watch", "--last", "--format", "seed"]);
    let of_fill = all.iter().filter(|event| event["flow"]["stepId"] == "fill");
    let goal_state: Vec<(&str, &str, &str)> = of_fill
        .map(|event| {
            let (name, flow) = (event["event_type"].as_str().unwrap(), &event["flow"]);
            (name, flow["stepType"].as_str().unwrap(), flow["stepStatus"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        goal_state,
        [
            ("step.init", "TOOL", "INIT"),
            ("STEP_INPUT", "SLOT", "RUNNING"),
            ("STEP_OUTPUT", "SLOT", "SUCCESS"),
            ("STEP_INPUT", "SLOT", "RUNNING"),
            ("STEP_OUTPUT", "SLOT", "PARAM"),
            ("step.waiting_for_param", "TOOL", "PARAM"),
            ("STEP_INPUT", "TOOL", "RUNNING"),
            ("STEP_OUTPUT", "TOOL", "SUCCESS"),
            ("step.end", "TOOL", "SUCCESS"),
        ]
    );
    let of = |name: &str, kind: &str| {
        let of_fill = all.iter().filter(|event| event["flow"]["stepId"] == "fill");
        let named = of_fill.filter(|event| event["event_type"] == name);
        named.filter(|event| event["flow"]["stepType"] == kind).collect::<Vec<_>>()
    };
    assert_eq!(of("STEP_INPUT", "TOOL")[0]["content"], json!({"city": "HZ", "days": 3}));
    assert_eq!(of("STEP_INPUT", "SLOT")[0]["content"], json!({"data": {}}));
    let [found, asked] = of("STEP_OUTPUT", "SLOT")[..] else { panic!("{all:?}") };
    let source = json!({"from": "metadata", "name": "city"});
    let filled = json!({"/city": {"value": "HZ", "source": source, "confidence": 95}});
    assert_eq!(
        found["content"],
        json!({"slot_data": {"city": "HZ"}, "remaining_schema": null, "filled_fields": ["/city"],
            "filled": filled})
    );
    let remaining = json!({"type": "object", "required": ["/days"], "additionalProperties": false,
        "properties": {"/days": {"type": "integer"}}});
    assert_eq!(
        asked["content"],
        json!({"slot_data": {"city": "HZ"}, "remaining_schema": remaining,
            "filled_fields": ["/city"]})
    );
}

// A-101
#[test]
fn a_goal_is_told_with_every_event_of_its_table_that_its_course_has() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "42");
    let words = ["run", "look once", "--tools", "tools.yaml", "--format", "seed"];
    let (code, out, noted) = model.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    let all = json_lines(out.as_bytes());
    all.iter().for_each(assert_whole);
    let names: BTreeSet<&str> = all.iter().map(|event| row_of(event).name).collect();
    for row in TABLE {
        // Nothing failed, so nothing was thought about; no flow, so no step executor speaks.
        let other = ["STEP_FAILED", "TASK_FAILED", "REFLECTION_COMPLETED"].contains(&row.name);
        assert_eq!(
            names.contains(row.name),
            row.form == EnvelopeKind::Task && !other,
            "{}",
            row.name
        );
    }
}

fn texts(events: &[Value], step: &str) -> Vec<String> {
    let of = events.iter().filter(|event| event["event_type"] == "TEXT_ADD");
    let of = of.filter(|event| event["flow"]["stepId"] == step);
    of.map(|event| event["content"]["text"].as_str().unwrap().to_owned()).collect()
}

// B-021, B-044
#[test]
fn words_for_the_user_come_as_they_are_said_and_not_again_at_the_end() {
    let rule = json!({"reply": {"text": "The first words, and then a few more."}});
    let model = Rehearsal::of(&json!({"rules": [rule]}).to_string());
    let flow = "
flow: words
nodes:
  - {id: say, call: LLM, params: {prompt: speak}, to_user: true}
  - {id: hush, call: LLM, params: {prompt: speak}}
";
    std::fs::write(model.rig.path("words.yaml"), flow).unwrap();
    let run = told(&model.rig, &["flow", "run", "words.yaml", "--format", "seed"]);
    let later = told(&model.rig, &["watch", "--last", "--format", "seed"]);
    let whole = "The first words, and then a few more.";
    assert!(texts(&run, "say").len() > 2, "as they come: {run:?}");
    assert_eq!(texts(&run, "say").concat(), whole, "and nothing twice");
    assert_eq!(texts(&later, "say"), [whole], "later once");
    assert!(texts(&run, "hush").is_empty() && texts(&later, "hush").is_empty());
    run.iter().for_each(assert_whole);
    let user = ["watch", "--last", "--format", "seed", "--audience", "user"];
    assert!(told(&model.rig, &user).iter().any(|event| event["message"] == whole));
}

const BOTH: [(&str, &[&str]); 2] = [
    (
        "en",
        &[
            "hello HZ",
            "fill: filled in city",
            "waiting for an answer: needs `days`",
            "◇ how → near",
            "– far: skipped",
            "↻ each: iteration 2",
            "waiting for an answer: 2?",
            "• each: 2 iterations",
        ],
    ),
    (
        "zh",
        &[
            "hello HZ",
            "fill：已自动填充 city",
            "等待回答：需要提供 `days`",
            "◇ how → near",
            "– far：已跳过",
            "↻ each：第 2 次循环",
            "等待回答：2?",
            "• each：共 2 次循环",
        ],
    ),
];

// A-092
#[test]
fn users_hear_of_a_flow_in_five_kinds_and_in_their_language() {
    let rig = rig();
    told(&rig, &["flow", "run", "all.yaml", "--tools", "tools.yaml"]);
    answer_all(&rig);
    let five = ["TASK_WAIT", "STATUS_UPDATE", "TASK_RESULT", "TASK_COMPLETED", "TASK_FAILED"];
    for (lang, wanted) in BOTH {
        let words = ["--lang", lang, "watch", "--last", "--format", "seed", "--audience", "user"];
        let events = told(&rig, &words);
        let known = |event: &Value| five.contains(&event["event_type"].as_str().unwrap());
        assert!(events.iter().all(known), "{events:?}");
        let heard: Vec<&str> =
            events.iter().map(|event| event["message"].as_str().unwrap()).collect();
        let mut rest = heard.iter();
        for words in wanted {
            assert!(rest.any(|it| it == words), "{words}, in this order, in {heard:?}");
        }
        let silent = ["begin", "end", "outputs"];
        assert!(!heard.iter().any(|it| silent.iter().any(|name| it.contains(name))), "{heard:?}");
    }
}

#[test]
fn whoever_reads_along_sees_passes_ways_filled_values_and_questions_in_both_languages() {
    let rig = rig();
    told(&rig, &["flow", "run", "all.yaml", "--tools", "tools.yaml"]);
    answer_all(&rig);
    for (lang, wanted) in [
        (
            "en",
            [
                "\n  │ hello HZ\n",
                "filled in city=\"HZ\" ← the metadata city",
                "  needs `days`\n",
                "  → near\n– far            skipped\n",
                "↻ each           iteration 2  2\n",
                "  2?\n",
                "  → 2 iterations: end of the list\n",
            ],
        ),
        (
            "zh",
            [
                "\n  │ hello HZ\n",
                "自动填充 city=\"HZ\" ← 元数据 city",
                "  需要提供 `days`\n",
                "  → near\n– far            跳过\n",
                "↻ each           第 2 次循环  2\n",
                "  2?\n",
                "  → 共 2 次循环：列表已遍历完\n",
            ],
        ),
    ] {
        let (_, _, seen) = rig.says(&["--lang", lang, "watch", "--last"]);
        let mut rest = seen.as_str();
        for words in wanted {
            let at = rest.find(words).unwrap_or_else(|| panic!("{words}, in this order:\n{seen}"));
            rest = &rest[at + words.len() - 1..];
        }
    }
}
