//! Questions say what is asked, and are answered in the words of the plan.

use crate::rig::Rig;
use serde_json::json;

const PLAN: &str = "
metadata: {day: Monday}
steps:
  - {step_id: greet, tool: say, parameters: {text: 'hi {{who}} in {{city}} on {{day}}', n: '{{count}}'}}
";

const TWO: &str = "
steps:
  - {step_id: a, tool: say, parameters: {text: '{{who}}', n: 1}}
  - {step_id: b, tool: say, parameters: {text: 'SECOND', n: 2}}
";

const TOOLS: &str = "
id: say
risk: read
input_schema: {type: object, properties: {text: {type: string}, n: {type: integer}}, required: [text]}
command: {argv: [cat]}
";

fn asked() -> (Rig, String) {
    let rig = Rig::with(PLAN, TOOLS);
    let (code, _, said) = rig.says(&["run", "plan.yaml", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(3), "{said}");
    let inbox = rig.ask(&["inbox"]).unwrap();
    let id = inbox[0]["question"]["id"].as_str().unwrap().to_owned();
    (rig, id)
}

#[test]
fn a_question_shows_the_parameter_as_written_and_what_has_no_value() {
    let (rig, id) = asked();
    let (_, shown, _) = rig.says(&["inbox"]);
    assert!(shown.contains("hi {{who}} in {{city}} on {{day}}"), "{shown}");
    assert!(shown.contains("missing value for who, city · text"), "{shown}");
    assert!(shown.contains(&format!("praxis answer {id} n=… who=… city=…")), "{shown}");
    let (_, shown, _) = rig.says(&["--lang", "zh", "inbox"]);
    assert!(shown.contains("缺少 who、city 的值"), "{shown}");
}

#[test]
fn names_without_a_value_fill_the_text_they_stand_in() {
    let (rig, id) = asked();
    let (code, out, said) = rig.says(&["answer", &id, "who=Lin", "city=HZ", "count=3"]);
    assert_eq!(code, Some(0), "{said}");
    let given: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(given, json!({"text": "hi Lin in HZ on Monday", "n": 3}));
}

#[test]
fn what_several_steps_miss_under_one_name_is_answered_once() {
    let left = |second: &str| {
        let rig = Rig::with(&TWO.replace("SECOND", second), TOOLS);
        let (code, _, said) = rig.says(&["run", "plan.yaml", "--tools", "tools.yaml"]);
        assert_eq!(code, Some(3), "{said}");
        let inbox = rig.ask(&["inbox"]).unwrap();
        assert_eq!(inbox.len(), 2, "{inbox:?}");
        let id = inbox.iter().map(|one| &one["question"]).find(|one| one["step"] == "a");
        let id = id.unwrap()["id"].as_str().unwrap().to_owned();
        let (_, _, said) = rig.says(&["answer", &id, "text=Lin"]);
        let given = rig.ask(&["why", "--last", "b.text"]).unwrap_or_default();
        (rig.ask(&["inbox"]).unwrap().len(), given, said)
    };
    let (open, given, said) = left("{{who}}");
    assert_eq!((open, given[0]["value"].as_str()), (0, Some("Lin")), "{said}");
    assert_eq!(left("{{whom}}").0, 1, "another name is another question");
    assert_eq!(left("dear {{who}}").0, 1, "a text around it is for the person to see");
}

#[test]
fn a_text_that_is_given_whole_is_used_as_it_is() {
    let (rig, id) = asked();
    let (code, out, said) = rig.says(&["answer", &id, "/text=hi {{who}}", "n=4"]);
    assert_eq!(code, Some(0), "{said}");
    let given: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(given, json!({"text": "hi {{who}}", "n": 4}));
}

#[test]
fn an_answer_that_leaves_a_name_out_is_told_which() {
    let (rig, id) = asked();
    let (code, _, said) = rig.says(&["answer", &id, "who=Lin", "n=3"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("`text` still needs a value for `city`"), "{said}");
    assert!(said.contains("add city=…, or give the whole text as text=…"), "{said}");
    let (code, _, said) = rig.says(&["answer", &id, "who=Lin", "city=HZ", "n=x"]);
    assert_eq!(code, Some(2), "a schema still counts: {said}");
    let (code, _, said) = rig.says(&["answer", &id, "text=a", "n=1", "whom=b"]);
    assert!(code == Some(2) && said.contains("this value was not asked for"), "{said}");
}

//
#[test]
fn a_question_says_when_it_expires_and_counts_as_given_up_from_then_on() {
    let rig = Rig::with(PLAN, TOOLS);
    let asked = ["run", "plan.yaml", "--tools", "tools.yaml", "--answer-within"];
    let (code, _, said) = rig.says(&[&asked[..], &["2h"]].concat());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("given up if nobody answers within 2h"), "{said}");
    let (_, shown, _) = rig.says(&["inbox"]);
    assert!(shown.contains("if unanswered by 20"), "{shown}");
    let (code, _, said) = rig.says(&[&asked[..], &["soon"]].concat());
    assert!(
        code == Some(2)
            && said.contains("--answer-within: expected a duration above zero, got `soon`"),
        "{said}"
    );

    let rig = Rig::with(PLAN, TOOLS);
    rig.says(&[&asked[..], &["1ms"]].concat());
    // Whoever comes next finds that nobody did.
    rig.says(&["resume"]);
    assert_eq!(rig.last()["status"], "failed", "{}", rig.last());
    assert_eq!(rig.ask(&["inbox"]).unwrap(), Vec::<serde_json::Value>::new());
    for (lang, words) in [("en", "nobody answered in time"), ("zh", "无人按时回答")] {
        let (_, out, told) = rig.says(&["--lang", lang, "watch", "--last"]);
        assert!(format!("{out}{told}").contains(words), "{out}{told}");
    }
}

#[test]
fn an_answer_is_held_to_the_formats_that_its_call_is_held_to_and_read_in_its_type() {
    let plan = "steps: [{step_id: a, tool: say, parameters: {day: '{{day}}', loud: '{{loud}}'}}]";
    let tools = "
id: say
risk: read
input_schema: {type: object, properties: {day: {type: string, format: date}, loud: {type: boolean}}}
command: {argv: [cat]}
";
    let rig = Rig::with(plan, tools);
    assert_eq!(rig.says(&["run", "plan.yaml", "--tools", "tools.yaml"]).0, Some(3));
    let inbox = rig.ask(&["inbox"]).unwrap();
    let id = inbox[0]["question"]["id"].as_str().unwrap();
    let (code, _, said) = rig.says(&["answer", id, "day=soon", "loud=yes"]);
    assert!(code == Some(2) && said.contains("must be a valid date, got \"soon\""), "{said}");
    let (code, out, said) = rig.says(&["answer", id, "day=2027/1/31", "loud=yes"]);
    assert_eq!(code, Some(0), "{said}");
    let given: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(given, json!({"day": "2027-01-31", "loud": true}));
}
