//! Calls are found however they are written, and nothing else is taken for one.

use super::*;
use crate::ask::reply::ReplyRepair::{CallInText, InnerQuotes, Name, Syntax, Truncated};
use serde_json::json;

const OFFERED: [&str; 2] = ["crm.find", "send_mail"];

fn found(text: &str) -> Vec<(String, Value, Vec<ReplyRepair>)> {
    let spoken = calls(text, &OFFERED).into_iter().map(Result::unwrap);
    spoken
        .map(|TextCall { call, repairs }| {
            (call.name, call.arguments, repairs.into_iter().collect())
        })
        .collect()
}

fn one(text: &str) -> (String, Value, Vec<ReplyRepair>) {
    let mut found = found(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[test]
fn calls_are_found_among_words_however_they_are_written() {
    let wanted = (json!({"id": 3, "note": "a, b"}), vec![CallInText]);
    for text in [
        "Action:\n```\n{\"action\": \"crm.find\", \"action_input\": {\"id\": 3, \"note\": \"a, b\"}}\n```",
        "{\"name\": \"crm.find\", \"arguments\": {\"id\": 3, \"note\": \"a, b\"}}",
        "[{\"function\": {\"name\": \"crm.find\", \"arguments\": {\"id\": 3, \"note\": \"a, b\"}}}]",
        "I will use crm.find(id=3, note=\"a, b\") now.",
        "see (below) for {x}: crm.find({\"id\": 3, \"note\": \"a, b\"})",
    ] {
        let (name, arguments, repairs) = one(text);
        assert_eq!((name.as_str(), (arguments, repairs)), ("crm.find", wanted.clone()), "{text}");
    }
}

#[test]
fn what_was_mended_is_told() {
    let (_, arguments, repairs) = one("crm_find.func(id='7', all=True,)");
    assert_eq!(arguments, json!({"id": "7", "all": true}));
    assert_eq!(repairs, [ReplyRepair::TrailingComma, CallInText, Name, Syntax]);
    let (_, arguments, repairs) = one("send_mail(body=\"Hi,\n\nbye\", to=\"x\")");
    assert_eq!(
        (arguments, repairs),
        (json!({"body": "Hi,\n\nbye", "to": "x"}), vec![CallInText, Syntax])
    );
    let (_, arguments, repairs) = one("send_mail(body=\"say \"hi\", Lin\", to=\"x\")");
    assert_eq!(arguments, json!({"body": "say \"hi\", Lin", "to": "x"}));
    assert_eq!(repairs, [CallInText, InnerQuotes]);
    let (_, arguments, repairs) = one("send_mail(to=\"x\", body=\"half a te");
    assert_eq!((arguments, repairs), (json!({"to": "x"}), vec![CallInText, Truncated]));
    assert!(
        found("crm.find()")
            .iter()
            .all(|(_, _, repairs)| !repairs.iter().all(|it| it.is_lossless()))
    );
}

#[test]
fn several_calls_are_found_in_order() {
    let text = "crm.find(id=1) then [{\"tool\": \"send_mail\"}, {\"tool\": \"crm.find\", \"args\": {\"id\": 2}}]";
    let names: Vec<(String, Value)> =
        found(text).into_iter().map(|(name, arguments, _)| (name, arguments)).collect();
    let crm = |id: u64| ("crm.find".to_owned(), json!({"id": id}));
    assert_eq!(names, [crm(1), ("send_mail".to_owned(), json!({})), crm(2)]);
}

#[test]
fn a_call_without_arguments_counts_on_a_line_of_its_own() {
    for text in ["crm.find()", "Action: crm.find()", "First:\n```\n- `crm.find()`;\n```\nso"] {
        assert_eq!(one(text).1, json!({}), "{text}");
    }
}

#[test]
fn what_is_no_call_of_an_offered_tool_is_left_alone() {
    for text in [
        "delete_all(id=1)",
        "{\"action\": \"Final Answer\", \"action_input\": \"done\"}",
        "I looked with crm.find (see above) and it was fine.",
        "I will call crm.find() first, or use the `crm.find()` tool: yes.",
        "crm.find(customer[\"id\"], 3)",
        "for c in crm.find(x for x in y): send_mail(c)",
        "{\"steps\": [{\"tool\": \"crm.find\", \"parameters\": {\"id\": 1}}]}",
        "no calls here",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn arguments_that_cannot_be_told_are_a_fault_with_the_name_of_the_tool() {
    for text in [
        "{\"action\": \"crm.find\", \"action_input\": \"Monday\"}",
        "{\"action\": \"crm.find\", \"action_input\": [{\"id\": 1}, {\"id\": 2}]}",
        "crm.find(note=\"a (the \"best\") b\")",
        "crm.find(\"0001\", \"status\")",
    ] {
        let fault = calls(text, &OFFERED).remove(0).unwrap_err();
        assert_eq!(fault.code(), "model_arguments_unreadable", "{text}");
        assert!(fault.message(crate::lang::Lang::En).contains("crm.find"));
    }
}

#[test]
fn large_nonsense_is_refused_at_once() {
    for part in
        ["(", "crm.find(", "crm.find(a=", "crm.find(a=\"", "{", "[{", "crm.find(a=\"b\" ", "(x"]
    {
        let text = part.repeat((1 << 18) / part.len());
        let _ = calls(&text, &OFFERED);
    }
}
