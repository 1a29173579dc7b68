//! `praxis model` against a server beside the test: what is written, asked, told and kept.

use crate::rig::{Rig, finish};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const CANARY: &str = "canary-77ab10";

fn serve(
    script: impl Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync + 'static,
) -> (Runtime, TestServer) {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(TestServer::start(script));
    (runtime, server)
}

fn answer(text: &str) -> ServerReply {
    let message = json!({"role": "assistant", "content": text});
    ServerReply::json(&json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }))
}

/// Gives JSON when it is asked for an object, and refuses a schema.
fn modest(heard: &ReceivedRequest) -> ServerReply {
    let sent = heard.json();
    match sent["response_format"]["type"].as_str() {
        Some("json_schema") => {
            let error = json!({"error": {"message": "This response_format type is unavailable now",
                                         "type": "invalid_request_error"}});
            ServerReply::new("400 Bad Request", error.to_string().as_bytes())
        }
        Some(_) => answer("{\"n\": 7}"),
        None => answer("pong"),
    }
}

fn file(rig: &Rig) -> String {
    std::fs::read_to_string(rig.path(".config/praxis/models.toml")).unwrap()
}

#[test]
fn a_model_is_added_listed_priced_and_the_rest_of_the_file_is_left_alone() {
    let rig = Rig::empty();
    let words = ["model", "add", "fast", "--preset", "deepseek", "--model", "deepseek-chat"];
    let (code, told, noted) = rig.says(&words);
    assert_eq!(code, Some(0), "{noted}");
    assert!(told.contains("models.toml") && noted.contains("PRAXIS_SECRET_DEEPSEEK"), "{noted}");
    let expected = "[models.fast]\npreset = \"deepseek\"\nmodel = \"deepseek-chat\"\n\n\
                    [roles]\ndefault = \"fast\"\n";
    assert_eq!(file(&rig), expected);
    let commented = format!("# my models\n{expected}");
    std::fs::write(rig.path(".config/praxis/models.toml"), &commented).unwrap();
    let words = ["model", "add", "loc.al", "--preset", "ollama", "--model", "qwen3:8b"];
    assert_eq!(rig.says(&words).0, Some(0));
    assert!(file(&rig).starts_with(&commented), "{}", file(&rig));
    let price = ["model", "price", "fast", "--input", "2", "--output", "8", "--cached", "0.5"];
    let priced = rig.ask(&[&price[..], &["--currency", "CNY"]].concat()).unwrap();
    assert_eq!(priced[0]["price"]["rates"], json!({"input": "2", "output": "8", "cached": "0.5"}));
    assert!(file(&rig).contains("# my models") && file(&rig).contains("cached = 0.5"));
    let listed = rig.ask(&["model", "list"]).unwrap();
    let names: Vec<&Value> = listed.iter().map(|model| &model["name"]).collect();
    assert_eq!(names, [&json!("fast"), &json!("loc.al")]);
    assert_eq!(
        (&listed[0]["roles"], &listed[0]["price"]["currency"]),
        (&json!(["default"]), &json!("CNY"))
    );
    assert_eq!(listed[0]["endpoints"][0]["key_is_set"], json!(false));
    assert_eq!(listed[1]["endpoints"][0]["base_url"], "http://127.0.0.1:11434/v1");
    let (_, told, _) = rig.says(&["--lang", "zh", "model", "list"]);
    assert!(told.contains("每 1M token 输入 2") && told.contains("未设置"), "{told}");
}

#[test]
fn the_model_of_the_project_comes_before_that_of_the_user() {
    let rig = Rig::empty();
    let words = ["model", "add", "m", "--preset", "ollama", "--model", "mine"];
    assert_eq!(rig.says(&words).0, Some(0));
    std::fs::write(rig.path("models.toml"), "[models.m]\npreset = 'vllm'\nmodel = 'ours'\n")
        .unwrap();
    let listed = rig.ask(&["model", "list"]).unwrap();
    assert_eq!((listed.len(), &listed[0]["model"]), (1, &json!("ours")));
    assert!(listed[0]["at"].as_str().unwrap().ends_with("models.toml line 1"));
    let price = ["model", "price", "m", "--input", "1", "--output", "1", "--currency", "USD"];
    assert_eq!(rig.says(&price).0, Some(0));
    let ours = std::fs::read_to_string(rig.path("models.toml")).unwrap();
    assert!(ours.contains("price = ") && !file(&rig).contains("price"), "{ours}");
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_written() {
    let rig = Rig::empty();
    let refused = |words: &[&str], code: &str, hint: &str| {
        let (exit, _, noted) = rig.says(&[&["model"], words].concat());
        assert_eq!(exit, Some(2), "{words:?}: {noted}");
        assert!(noted.contains(code) && noted.contains(hint), "{words:?}: {noted}");
        noted
    };
    refused(&["add", "a", "--preset", "deepsek"], "unknown_preset", "`deepseek`");
    let noted = refused(
        &["add", "a", "--preset", "openai", "--model", "m", "--key", CANARY],
        "plain_key",
        "secret:NAME",
    );
    assert!(!noted.contains(CANARY), "{noted}");
    refused(&["add", "a", "--preset", "openai"], "bad_model", "`models.a.model`: missing");
    refused(
        &["add", "a b", "--preset", "ollama", "--model", "m"],
        "bad_model",
        "a model name may contain only letters",
    );
    refused(&["add", "a", "--base-url", "host/v1", "--model", "m"], "bad_model", "not a valid URL");
    assert!(!rig.path(".config/praxis/models.toml").exists(), "nothing was written");
    assert_eq!(rig.says(&["model", "add", "a", "--preset", "ollama", "--model", "m"]).0, Some(0));
    refused(&["add", "a", "--preset", "ollama", "--model", "m"], "duplicate_model", "");
    let price = ["price", "a", "--input", "cheap", "--output", "1", "--currency", "yuan"];
    let noted = refused(&price, "bad_model", "invalid price `cheap`");
    assert!(noted.contains("--currency"), "all at once: {noted}");
    let (exit, _, noted) = rig.says(&["model", "probe", "aa"]);
    assert_eq!(exit, Some(6), "{noted}");
    assert!(noted.contains("unknown_model") && noted.contains("did you mean `a`?"), "{noted}");
    std::fs::write(rig.path("models.toml"), "[models.a]\nmodle = 'm'\n").unwrap();
    let noted = refused(&["list"], "unknown_model_key", "did you mean `model`?");
    assert!(noted.contains("models.toml line 2"), "{noted}");
}

#[test]
fn a_probe_prints_a_card_keeps_it_and_the_secret_stays_a_secret() {
    let (_runtime, server) = serve(|heard, _| modest(heard));
    let rig = Rig::empty();
    let url = server.url("/v1");
    let words =
        ["model", "add", "m", "--base-url", &url, "--model", "small", "--key", "secret:OWN"];
    assert_eq!(rig.says(&words).0, Some(0));
    let probe = |words: &[&str]| {
        let mut command = rig.spoken(words);
        let output = finish(&rig, command.env("PRAXIS_SECRET_OWN", CANARY));
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, told) = probe(&["model", "probe", "m"]);
    assert_eq!(code, Some(0), "{told}");
    for row in [
        "✔ answers",
        "! enforces json_schema",
        "✔ supports json_object",
        "JSON is requested with json_object",
    ] {
        assert!(told.contains(row), "{row} in {told}");
    }
    assert!(server.heard().len() >= 10);
    let bearer = format!("Bearer {CANARY}");
    assert!(server.heard().iter().all(|it| it.header("authorization") == Some(bearer.as_str())));
    let listed = rig.ask(&["model", "list"]).unwrap();
    let place = &listed[0]["endpoints"][0];
    assert_eq!((&place["card"]["rung"], &place["is_probed"]), (&json!("object"), &json!(true)));
    let cards: Vec<_> = std::fs::read_dir(rig.data().join("cards")).unwrap().collect();
    assert_eq!(cards.len(), 1);
    let card = std::fs::read_to_string(cards[0].as_ref().unwrap().path()).unwrap();
    assert!(!card.contains(CANARY) && !told.contains(CANARY), "{card}");
    let (_, told) = probe(&["--lang", "zh", "model", "probe", "m"]);
    assert!(told.contains("支持 json_object") && told.contains("方式让模型输出 JSON"), "{told}");
    let (_, printed) = probe(&["--json", "model", "probe", "m"]);
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["rows"][0], json!({"feature": "answers", "grade": "yes", "note": "pong"}));
}

#[test]
fn an_endpoint_that_cannot_be_asked_is_told_in_plain_words() {
    let (_runtime, server) = serve(|_, _| {
        let error = json!({"error": {"message": "Authentication fails"}});
        ServerReply::new("401 Unauthorized", error.to_string().as_bytes())
    });
    let rig = Rig::empty();
    let url = server.url("/v1");
    assert_eq!(rig.says(&["model", "add", "m", "--base-url", &url, "--model", "x"]).0, Some(0));
    let (code, _, noted) = rig.says(&["model", "probe", "m"]);
    assert_eq!(code, Some(7), "{noted}");
    assert!(noted.contains("error[model_denied]") && noted.contains("secret:NAME"), "{noted}");
    let words = ["model", "add", "n", "--base-url", &url, "--model", "x", "--key", "secret:GONE"];
    assert_eq!(rig.says(&words).0, Some(0));
    let (code, _, noted) = rig.says(&["--lang", "zh", "model", "probe", "n"]);
    assert_eq!(code, Some(7));
    assert!(noted.contains("model_denied") && noted.contains("PRAXIS_SECRET_GONE"), "{noted}");
}

#[test]
fn a_report_counts_what_happened_and_what_it_cost() {
    let (_runtime, server) = serve(|heard, _| modest(heard));
    let rig = Rig::empty();
    let url = server.url("/v1");
    let (_, _, noted) = rig.says(&["model", "report"]);
    assert!(noted.contains("no models configured"), "{noted}");
    assert_eq!(rig.says(&["model", "add", "m", "--base-url", &url, "--model", "x"]).0, Some(0));
    assert!(rig.says(&["model", "report"]).1.contains("no requests yet"));
    let price = ["model", "price", "m", "--input", "2", "--output", "8", "--currency", "CNY"];
    assert_eq!(rig.says(&price).0, Some(0));
    let kept = json!({
        "base_url": url, "model": "x", "counts": {
            "requests": 12, "answered": 10, "repaired": 3, "faults": {"model_broke": 2},
            "prompt": 1_000_000, "completion": 100_000, "heads_lost": 1,
        },
    });
    assert_eq!(rig.says(&["model", "probe", "m"]).0, Some(0));
    let cards = rig.data().join("cards");
    let card = std::fs::read_dir(&cards).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&card, kept.to_string()).unwrap();
    let report = rig.ask(&["model", "report"]).unwrap();
    assert_eq!(report[0]["cost"], json!({"currency": "CNY", "amount": "2.8"}));
    assert_eq!(report[0]["counts"]["faults"]["model_broke"], 2);
    let (_, told, _) = rig.says(&["model", "report"]);
    for words in [
        "10 answers from 12 requests",
        "30% needed repair",
        "0.2 extra requests per answer",
        "CNY 2.8",
        "2 × model_broke",
        "1 prompt may have been truncated at the start",
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
}

/// The fenced blocks of a page of the guide in one language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let path = format!("{}/../../docs/guide/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let fenced = text.split("\n```").skip(1).step_by(2);
    let named = fenced.filter_map(|block| block.split_once('\n'));
    named.filter(|(kind, _)| *kind == language).map(|(_, body)| body.to_owned()).collect()
}

#[test]
fn what_the_guide_says_of_models_works_as_it_stands_there() {
    let presets = [
        "openai",
        "deepseek",
        "dashscope",
        "zhipu",
        "moonshot",
        "volcengine",
        "siliconflow",
        "ollama",
        "vllm",
        "llamacpp",
    ];
    let rig = Rig::empty();
    let typed = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let (code, _, noted) = rig.says(&words);
        assert_eq!(code, Some(0), "{line}: {noted}");
    };
    for preset in presets {
        let lines = blocks(&format!("models/{preset}.md"), "sh").join("\n");
        let add: Vec<&str> = lines.lines().filter(|line| line.starts_with("praxis ")).collect();
        assert_eq!(add.len(), 1, "{preset}");
        typed(add[0]);
    }
    assert_eq!(rig.ask(&["model", "list"]).unwrap().len(), presets.len());
    blocks("models.md", "sh").join("\n").lines().for_each(typed);
    let examples = blocks("models.md", "toml");
    assert_eq!(examples.len(), 2);
    let whole = format!("{}\n{}", examples[0].replace("price =", "#"), examples[1]);
    std::fs::write(rig.path("models.toml"), whole).unwrap();
    let listed = rig.ask(&["model", "list"]).unwrap();
    let own = listed.iter().find(|model| model["name"] == "own").unwrap();
    assert_eq!((&own["context"], &own["roles"]), (&json!(32768), &json!(["default"])));
}
