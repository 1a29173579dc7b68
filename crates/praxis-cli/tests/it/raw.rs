//! `praxis show --raw`: what went over the wire, beside what was read in it.

use crate::goal_rig::{Rehearsal, plan};
use crate::rig::json_lines;
use serde_json::{Value, json};

#[test]
fn a_call_is_shown_as_it_was_sent_and_as_it_was_answered() {
    let thoughtful = json!({"when": {"stage": "planning", "nth": 1},
        "reply": {"json": {"steps": []}, "reasoning": "there is little to do"}});
    let model = Rehearsal::new(&[thoughtful, plan(&[("a", "look", json!({}))])], "42");
    let (code, _, noted) = model.says(&["run", "look once", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(0), "{noted}");
    let calls = json_lines(&model.does(&["show", "--last", "--raw"]).stdout);
    for (call, heard) in calls.iter().zip(model.server.calls()) {
        let raw = &call["reply"]["raw"];
        let sent: Value = serde_json::from_str(raw["sent"].as_str().unwrap()).unwrap();
        let said: Vec<&str> = sent["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m["content"].as_str().unwrap())
            .collect();
        let expected: Vec<&str> = heard.messages.iter().map(|m| m.content.as_str()).collect();
        assert_eq!(said, expected, "the request is the one that the endpoint got");
        assert!(sent["model"].is_string() && sent["stream"].is_boolean(), "with its own fields");
        let received = raw["received"].as_str().unwrap();
        assert!(
            received.starts_with("data: {") && received.ends_with("data: [DONE]\n\n"),
            "{received}"
        );
    }
    let thought = calls.iter().find(|call| call["reply"]["reasoning"] == "there is little to do");
    let number = thought.unwrap_or_else(|| panic!("{calls:?}"))["call"].to_string();
    let (_, told, _) = model.says(&["show", "--last", "--raw", "--call", &number]);
    for words in ["── sent", "\"stream\":true", "── received", "reasoning_content", "── parsed"]
    {
        assert!(told.contains(words), "{words} in {told}");
    }
    let (_, zh, _) = model.says(&["--lang", "zh", "show", "--last", "--raw", "--call", &number]);
    assert!(zh.contains("── 发送的内容") && zh.contains("── 收到的内容"), "{zh}");
}
