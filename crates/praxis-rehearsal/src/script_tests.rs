//! Rules answer what they are for, as often as they may, and say what is missing.

use super::*;
use serde_json::json;

const SCRIPT: &str = "
server:
  models: [small]
  latency: {first_ms: 350, decode_per_s: 60}
  limits: {concurrent: 2}
  chunks: {every: 7}
  faults: [{fault: reset, after: 1}]
rules:
  - name: first plan
    when: {stage: planning, contains: [forecast, 负荷]}
    times: 1
    reply: {json: {steps: []}, reasoning: hm, usage: {prompt: 5, completion: 2}}
  - when: {stage: planning, nth: 3}
    reply: {text: third}
  - name: broken
    when: {stage: evaluation, model: large}
    reply: {text: half an answer, fault: cut_stream}
  - name: calls
    when: {contains: call}
    reply: {tool_calls: [{name: find, arguments: {id: 3}}]}
  - name: raw
    when: {stage: reflection_step}
    reply: {raw: {status: 418, body: teapot}}
";

fn script(text: &str) -> Result<RehearsalScript, Vec<Problem>> {
    RehearsalScript::read(text.as_bytes(), DocumentFormat::Yaml, &FaultLibrary::default())
}

fn asked(stage: &str, words: &str) -> ChatRequest {
    let content = format!("stage: {stage}\n{words}");
    ChatRequest::read(json!({"model": "small", "messages": [{"role": "user", "content": content}]}))
        .unwrap()
}

/// Who answers what, in short.
fn turn(script: &mut RehearsalScript, asked: &ChatRequest) -> String {
    match script.turn(asked) {
        VoiceDecision::Say { by, answer } => {
            format!("{by}: {}{:?}", answer.text, answer.tool_calls.len())
        }
        VoiceDecision::Break { by, fault, answer } => {
            format!("{by}: {} {}", fault.name(), answer.text)
        }
        VoiceDecision::Send { by, wire } => format!("{by}: {}", wire.head.unwrap().status),
        VoiceDecision::Nothing(words) => words.en,
    }
}

#[test]
fn the_first_rule_that_fits_answers_as_often_as_it_may() {
    let mut script = script(SCRIPT).unwrap();
    let plan = asked("planning", "forecast the 负荷");
    assert_eq!(turn(&mut script, &plan), "first plan: {\"steps\":[]}0");
    let second = turn(&mut script, &plan);
    assert_eq!(
        second,
        "no rule matches request 2 (stage `planning`); the closest rule, `first plan`, has reached its `times` limit"
    );
    assert_eq!(turn(&mut script, &plan), "rule 2: third0");
    let large = ChatRequest { model: "large".to_owned(), ..asked("evaluation", "") };
    assert_eq!(turn(&mut script, &large), "broken: cut_stream half an answer");
    assert_eq!(turn(&mut script, &asked("other", "call it")), "calls: 1");
    let counts = [("broken", 1), ("calls", 1), ("first plan", 1), ("rule 2", 1)];
    let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
    assert_eq!(script.account(), VoiceReport { unused: vec!["raw".to_owned()], counts });
    assert_eq!(turn(&mut script, &asked("reflection_step", "")), "raw: 418");
}

#[test]
fn what_no_rule_answers_is_told_with_the_rule_that_came_nearest() {
    let mut script = script(SCRIPT).unwrap();
    let words = turn(&mut script, &asked("planning", "forecast"));
    assert!(words.ends_with("`first plan`, requires text `负荷`"), "{words}");
    let words = turn(&mut script, &asked("evaluation", ""));
    assert!(words.ends_with("`broken`, requires model `large`"), "{words}");
    let mut empty = super::RehearsalScript::default();
    assert_eq!(turn(&mut empty, &asked("x", "")), "no rule matches request 1 (stage `x`)");
}

#[test]
fn the_part_server_says_how_the_endpoint_behaves() {
    let setup = script(SCRIPT).unwrap().setup;
    assert_eq!((setup.latency.first_ms, setup.limits.concurrent), (350.0, Some(2)));
    assert_eq!(setup.chunks, crate::wire::ChunkMode::Every(7));
    assert_eq!((setup.faults[0].after, setup.faults[0].times), (1, 1));
    assert!(setup.address.ip().is_loopback());
}

#[test]
fn everything_that_is_wrong_with_a_script_is_told_at_once_with_its_place() {
    let wrong = "
server: {speed: 3}
more: 1
rules:
  - {reply: {text: a, json: 1}}
  - {reply: {fault: cut_steam}}
  - {when: {nth: 0}, reply: {text: a}}
  - {reply: {text: fine}}
  - {when: {stag: planning}, reply: {text: a}}
";
    let problems = script(wrong).unwrap_err();
    let places: Vec<(&str, &str)> =
        problems.iter().map(|problem| (problem.code.as_str(), problem.at.as_str())).collect();
    let expected = [
        ("bad_script", "more"),
        ("bad_script", "server"),
        ("bad_script", "rules[0], reply"),
        ("unknown_fault", "rules[1], cut_steam"),
        ("bad_script", "rules[2]"),
        ("bad_script", "rules[4]"),
    ];
    assert_eq!(places, expected);
    assert_eq!(script("rules: 3").unwrap_err()[0].at, "rules");
    assert_eq!(script("rules: [").unwrap_err()[0].code, "malformed");
    let missing =
        RehearsalScript::open(Path::new("/nowhere/x.yaml"), &FaultLibrary::default()).unwrap_err();
    assert_eq!(
        (missing[0].code.as_str(), missing[0].at.as_str()),
        ("bad_script", "/nowhere/x.yaml")
    );
}

#[test]
fn the_guide_has_a_script_that_can_be_read_and_names_every_fault() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(folder.join("docs/guide/rehearsal.md")).unwrap();
    let example = guide.split("```yaml").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(script(example).unwrap().rules.len(), 3);
    let told = guide.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(told, crate::profiles::PROFILES.len());
    for profile in &crate::profiles::PROFILES {
        let row = format!("| `{}` | {} |", profile.name, profile.what);
        assert!(guide.contains(&row), "{row}");
    }
}
