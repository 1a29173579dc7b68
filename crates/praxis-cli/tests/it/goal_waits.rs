//! What a goal is handed beside its words, and what is said while a model cannot be had.

use crate::goal_rig::{Rehearsal, TOOLS, plan};
use crate::rig::Rig;
use serde_json::json;

fn model(retries: u32, limits: &str, url: &str) -> String {
    format!(
        "[models.fast]\nbase_url = \"{url}\"\nmodel = \"m\"\ncontext = 32000\nretries = {retries}\n{limits}\n[roles]\ndefault = \"fast\"\n"
    )
}

fn named(rig: &Rig, text: &str) {
    let folder = rig.path(".config/praxis");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("models.toml"), text).unwrap();
}

#[test]
fn a_model_that_cannot_be_reached_is_waited_for_aloud_and_not_for_long() {
    let rig = Rig::with("steps: []", TOOLS);
    // Nobody listens there: the port is free again when this returns.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    named(&rig, &model(1, "", &format!("http://{free}/v1")));
    let (code, _, noted) = rig.says(&["run", "look once", "--tools", "tools.yaml"]);
    assert_eq!(code, Some(1), "{noted}");
    let said = "model call failed, retrying in 1 s: the model endpoint is unreachable";
    assert!(noted.contains(said), "{noted}");
    // What earlier calls met does not make a later one wait longer.
    assert!(!noted.contains("next try in 8 s") && !noted.contains("next try in 16 s"), "{noted}");
    let (_, _, zh) = rig.says(&["--lang", "zh", "run", "看一次", "--tools", "tools.yaml"]);
    assert!(zh.contains("模型调用失败，1 秒后重试"), "{zh}");
}

//
#[test]
fn the_context_of_a_task_enters_planning_and_what_is_wrong_with_it_is_told() {
    let model = Rehearsal::new(&[plan(&[("a", "look", json!({}))])], "42");
    let context = json!({
        "user_preferences": ["answer in one line"],
        "conversation_history": ["hello", {"role": "user", "content": "the blue one"}],
        "additional_info": {"site": "S-17"},
        "documents": [{"name": "rules.md", "content": "never on Sundays", "doc_type": "md"}],
    });
    std::fs::write(model.rig.path("context.json"), context.to_string()).unwrap();
    let run = ["run", "look once", "--tools", "tools.yaml", "--context", "context.json"];
    let (code, _, noted) = model.says(&run);
    assert_eq!(code, Some(0), "{noted}");
    let calls = model.server.calls();
    let planned = calls.iter().find(|call| call.stage.as_deref() == Some("planning")).unwrap();
    let prompt: String = planned.messages.iter().map(|m| m.content.as_str()).collect();
    for words in ["answer in one line", "user: the blue one", "S-17", "never on Sundays"] {
        assert!(prompt.contains(words), "{words} in {prompt}");
    }
    let wrong = json!({"preferences": [], "user_preferences": [1], "documents": [{"name": "x"}]});
    std::fs::write(model.rig.path("context.json"), wrong.to_string()).unwrap();
    let (code, _, noted) = model.says(&run);
    assert_eq!(code, Some(2), "{noted}");
    for words in [
        "context.json, preferences: unknown field `preferences`",
        "context.json, user_preferences[0]: expected a string",
        "context.json, documents[0].content: expected a string",
    ] {
        assert!(noted.contains(words), "{words} in {noted}");
    }
}

#[test]
fn an_unknown_preset_is_told_with_those_there_are_and_not_as_a_guess() {
    let rig = Rig::empty();
    let (code, _, noted) = rig.says(&["model", "add", "x", "--preset", "nope", "--model", "m"]);
    assert_eq!(code, Some(2), "{noted}");
    assert!(noted.contains("available presets: dashscope, deepseek,"), "{noted}");
    assert!(!noted.contains("did you mean"), "{noted}");
    let (_, _, near) = rig.says(&["model", "add", "x", "--preset", "olama", "--model", "m"]);
    assert!(near.contains("did you mean `ollama`"), "{near}");
}

//
#[test]
fn a_retired_setting_is_accepted_with_a_note() {
    let rig = Rig::empty();
    let run = rig.spoken(&["ps"]).env("PRAXIS_RUN_MAX_ROUNDS", "5").output().unwrap();
    let noted = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(noted.contains("`run.max_rounds` is no longer used"), "{noted}");
    assert!(!noted.contains("unknown_setting"), "{noted}");
}
