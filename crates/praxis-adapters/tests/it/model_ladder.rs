//! How JSON is asked for of endpoints that promise and do not keep, drop calls, or choke on a schema.

use crate::model::{DONE, ask, bounds, chunk, model, refusal, request, stream};
use praxis_adapters::model::{JsonMode, ToolCallStyle};
use praxis_core::ask::reply::FinishReason;
use praxis_core::ask::request::{AnswerFormat, ModelRequest, ToolOffer};
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};

fn schema() -> Value {
    json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": "integer"}, "day": {"type": "string", "pattern": "^\\d{4}$"}}})
}

fn wants(schema: Value) -> ModelRequest {
    ModelRequest { format: AnswerFormat::Json { name: "answer".to_owned(), schema }, ..request() }
}

pub(crate) fn says(text: &str) -> ServerReply {
    stream(&format!("{}{DONE}", chunk(text)))
}

/// A whole answer that calls a tool.
pub(crate) fn call(name: &str, arguments: &Value) -> ServerReply {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    let message = json!({"role": "assistant", "content": null, "tool_calls":
        [{"id": "c1", "type": "function", "function": function}]});
    ServerReply::json(&json!({
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4},
    }))
}

fn has(heard: &ReceivedRequest, name: &str) -> bool {
    heard.json().get(name).is_some()
}

fn no_form(heard: &ReceivedRequest) -> Option<ServerReply> {
    let refused = || refusal("400 Bad Request", "response_format is not supported", "");
    has(heard, "response_format").then(refused)
}

// LLM_QUIRKS 30: accepted with 200 and not enforced.
#[tokio::test]
async fn a_form_that_is_accepted_and_ignored_is_given_up_for_the_next() {
    let server =
        TestServer::start(|heard, _| match heard.json()["response_format"]["type"].as_str() {
            Some("json_schema") => says("Sure, what would you like to know?"),
            _ => says("{\"n\": 1}"),
        })
        .await;
    let (model, _) = model(&server, bounds());
    let answer = ask(&model, &wants(schema())).await.0.unwrap();
    assert_eq!((answer.reply.text.as_str(), model.card().rung), ("{\"n\": 1}", JsonMode::Object));
    assert_eq!(answer.spent.prompt, 9, "the broken promise was paid for");
}

#[tokio::test]
async fn json_that_does_not_fit_stands_and_only_the_second_in_a_row_costs_the_rung() {
    let server = TestServer::start(|_, before| match before {
        1 => says("{\"n\": 1, \"day\": \"a\"}"),
        _ => says("{\"n\": \"one\"}"),
    })
    .await;
    let (model, _) = model(&server, bounds());
    let mut rungs = vec![];
    for _ in 0..4 {
        ask(&model, &wants(schema())).await.0.unwrap();
        rungs.push(model.card().rung);
    }
    // The second answer breaks only a pattern, which nobody promised to enforce.
    assert_eq!(rungs, [JsonMode::Schema, JsonMode::Schema, JsonMode::Schema, JsonMode::Object]);
    assert_eq!(server.heard().len(), 4, "nothing is asked twice for it");
}

#[tokio::test]
async fn an_answer_as_arguments_of_a_forced_tool_is_the_text_of_the_reply() {
    let server = TestServer::start(|heard, _| {
        no_form(heard).unwrap_or_else(|| call("answer", &json!({"n": 7})))
    })
    .await;
    let (model, _) = model(&server, bounds());
    let reply = ask(&model, &wants(schema())).await.0.unwrap().reply;
    assert_eq!((reply.text.as_str(), reply.finish), ("{\"n\":7}", FinishReason::Stop));
    assert_eq!((reply.tool_calls, model.card().rung), (vec![], JsonMode::ForcedTool));
    let list = TestServer::start(|heard, _| {
        no_form(heard).unwrap_or_else(|| call("answer", &json!({"value": [1, 2]})))
    })
    .await;
    let (model, _) = self::model(&list, bounds());
    let reply = ask(&model, &wants(json!({"type": "array"}))).await.0.unwrap().reply;
    assert_eq!(reply.text, "[1,2]", "what is no object comes wrapped");
}

#[tokio::test]
async fn a_tool_is_never_forced_on_a_model_that_may_call_others() {
    let server =
        TestServer::start(|heard, _| no_form(heard).unwrap_or_else(|| says("{\"n\": 1}"))).await;
    let (model, _) = model(&server, bounds());
    let tool = ToolOffer {
        name: "look".to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
    };
    let asked = ModelRequest { tools: vec![tool], ..wants(schema()) };
    ask(&model, &asked).await.0.unwrap();
    let last = server.heard().last().unwrap().json();
    assert_eq!(last["tools"][0]["function"]["name"], "look");
    assert!(last.get("tool_choice").is_none(), "{last}");
    assert!(last["messages"].to_string().contains("fits this schema"), "{last}");
}

#[tokio::test]
async fn a_question_in_words_that_is_refused_says_nothing_of_the_rung() {
    let server = TestServer::start(|heard, _| {
        if has(heard, "tools") {
            return call("answer", &json!({"n": 7}));
        }
        no_form(heard).unwrap_or_else(|| refusal("400 Bad Request", "this is not to be asked", ""))
    })
    .await;
    let (model, _) = model(&server, bounds());
    ask(&model, &wants(schema())).await.0.unwrap();
    let refused = ask(&model, &request()).await.0.unwrap_err();
    assert_eq!((refused.fault.code(), model.card().rung), ("model_refused", JsonMode::ForcedTool));
}

// LLM_QUIRKS 31
#[tokio::test]
async fn a_schema_that_becomes_no_grammar_is_sent_again_without_its_patterns() {
    let server = TestServer::start(|heard, _| {
        if heard.json().to_string().contains("\"pattern\"") {
            return refusal("400 Bad Request", "failed to parse grammar", "");
        }
        says("{\"n\": 1}")
    })
    .await;
    let (model, _) = model(&server, bounds());
    ask(&model, &wants(schema())).await.0.unwrap();
    let card = model.card();
    assert_eq!((card.rung, card.plain_schemas), (JsonMode::Schema, true));
    let sent = server.heard()[1].json();
    let schema = &sent["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["day"], json!({"type": "string"}));
    ask(&model, &wants(self::schema())).await.0.unwrap();
    assert_eq!(server.heard().len(), 3, "it is remembered");
}

// LLM_QUIRKS 12
#[tokio::test]
async fn calls_that_a_stream_drops_are_asked_for_as_a_whole_from_then_on() {
    let server = TestServer::start(|heard, _| match heard.json()["stream"].as_bool() {
        Some(true) => stream(DONE),
        _ => call("look", &json!({"id": 3})),
    })
    .await;
    let (model, _) = model(&server, bounds());
    let tool = ToolOffer {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        parameters: json!({"type": "object"}),
    };
    let asked = ModelRequest { tools: vec![tool], ..request() };
    let reply = ask(&model, &asked).await.0.unwrap().reply;
    assert_eq!(reply.tool_calls[0].arguments, json!({"id": 3}));
    assert_eq!(model.card().calls, ToolCallStyle::Whole);
    ask(&model, &asked).await.0.unwrap();
    let streams: Vec<Value> = server.heard().iter().map(|it| it.json()["stream"].clone()).collect();
    assert_eq!(streams, [json!(true), json!(false), json!(false)]);
    assert!(!has(&server.heard()[1], "stream_options"));
    // Without tools there is nothing to lose.
    let (answer, _) = ask(&model, &request()).await;
    assert!(answer.is_err(), "the stream of this server is empty");
    assert_eq!(server.heard()[3].json()["stream"], json!(true));
}

#[tokio::test]
async fn an_empty_answer_that_stays_empty_as_a_whole_teaches_nothing() {
    let empty =
        json!({"choices": [{"index": 0, "message": {"content": ""}, "finish_reason": "stop"}]});
    let server =
        TestServer::start(move |heard, before| match (heard.json()["stream"].as_bool(), before) {
            (_, 2) => says("done"),
            (Some(true), _) => stream(DONE),
            _ => ServerReply::json(&empty),
        })
        .await;
    let (model, _) = model(&server, bounds());
    let tool =
        ToolOffer { name: "look".to_owned(), description: String::new(), parameters: json!({}) };
    let asked = ModelRequest { tools: vec![tool], ..request() };
    assert_eq!(ask(&model, &asked).await.0.unwrap().reply.text, "done");
    assert_eq!(model.card().calls, ToolCallStyle::Streamed);
}

#[tokio::test]
async fn a_schema_is_called_strict_only_if_it_is() {
    let server = TestServer::start(|_, _| says("{\"n\": 1}")).await;
    let (model, _) = model(&server, bounds());
    ask(&model, &wants(schema())).await.0.unwrap();
    let closed = json!({"type": "object", "required": ["n"], "additionalProperties": false,
                        "properties": {"n": {"type": "integer"}}});
    ask(&model, &wants(closed)).await.0.unwrap();
    let strict =
        |at: usize| server.heard()[at].json()["response_format"]["json_schema"]["strict"].clone();
    assert_eq!((strict(0), strict(1)), (json!(false), json!(true)));
}

/// Where each of some texts stands first, behind the one before.
fn in_order(text: &str, wanted: &[&str]) -> bool {
    let mut rest = text;
    wanted.iter().all(|word| match rest.split_once(word) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

#[tokio::test]
async fn on_every_rung_the_schema_of_a_stage_is_sent_in_the_order_of_its_file() {
    let server = TestServer::start(|heard, _| {
        let forms = ["response_format", "tools", "structured_outputs"];
        let refused = forms.into_iter().find(|form| has(heard, form));
        refused.map_or_else(
            || says("{\"thinking\": \"t\", \"steps\": []}"),
            |form| refusal("400 Bad Request", &format!("{form} is not supported"), ""),
        )
    })
    .await;
    let (model, _) = model(&server, bounds());
    let stage = "reflection_overall";
    let (schema, file) = (
        praxis_core::prompt::schema(stage).unwrap().clone(),
        praxis_core::prompt::schema_text(stage).unwrap(),
    );
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let mut written: Vec<String> = names.iter().map(|name| format!("\"{name}\":")).collect();
    written.sort_by_key(|name| file.find(name.as_str()).unwrap());
    let sorted: Vec<String> = names.iter().map(|name| format!("\"{name}\":")).collect();
    assert_ne!(written, sorted, "the file has an order of its own");
    let format = AnswerFormat::Json { name: stage.to_owned(), schema: schema.clone() };
    let _ = ask(&model, &ModelRequest { format, ..request() }).await;
    let heard = server.heard();
    assert!(heard.len() >= 5, "{}", heard.len());
    for (rung, heard) in heard.iter().enumerate() {
        let body = String::from_utf8(heard.body.clone()).unwrap().replace("\\\"", "\"");
        let wanted: Vec<&str> = written.iter().map(String::as_str).collect();
        assert!(in_order(&body, &wanted), "{rung}: {body}");
    }
    assert_eq!(heard[0].json()["response_format"]["json_schema"]["schema"], schema);
}

#[tokio::test]
async fn the_form_of_an_answer_is_sent_in_the_order_in_which_it_requires_its_parts() {
    let own = json!({"type": "object", "required": ["reasons", "evidence", "conclusion"],
        "properties": {"conclusion": {}, "evidence": {}, "reasons": {}}});
    let server =
        TestServer::start(|heard, _| no_form(heard).unwrap_or_else(|| says("{\"answer\": {}}")))
            .await;
    let (model, _) = model(&server, bounds());
    // As the stage that reports has it: the caller's form in the place of a text.
    for name in ["ai_reporter", "evaluation", "of_nobody"] {
        let schema =
            json!({"type": "object", "required": ["answer"], "properties": {"answer": own}});
        let format = AnswerFormat::Json { name: name.to_owned(), schema };
        let _ = ask(&model, &ModelRequest { format, ..request() }).await;
    }
    assert!(server.heard().len() >= 5);
    for heard in server.heard() {
        let body = String::from_utf8(heard.body.clone()).unwrap().replace("\\\"", "\"");
        let wanted = ["\"reasons\":{", "\"evidence\":{", "\"conclusion\":{"];
        assert!(in_order(&body, &wanted), "{body}");
    }
}

#[tokio::test]
async fn the_schema_is_announced_in_the_language_of_the_instructions() {
    let server = TestServer::start(|heard, _| match no_form(heard) {
        Some(refused) => refused,
        None if has(heard, "tools") => refusal("400 Bad Request", "tools is not supported", ""),
        None => says("{\"n\": 1}"),
    })
    .await;
    for (system, user, announced) in [
        ("Plan.\n目标：预测负荷", "预测负荷", "Answer with one JSON value"),
        ("\n你是规划器。\nGoal: load", "forecast the load", "只回答一个符合以下 schema 的 JSON 值"),
    ] {
        let (model, _) = model(&server, bounds());
        let mut request = wants(schema());
        request.messages[0].content = system.to_owned();
        request.messages[1].content = user.to_owned();
        ask(&model, &request).await.0.unwrap();
        let sent = server.heard().last().unwrap().json();
        let last = sent["messages"].as_array().unwrap().last().unwrap()["content"].clone();
        assert!(last.as_str().unwrap().starts_with(announced), "{last}");
        let written = last.as_str().unwrap().split_once('\n').unwrap().1;
        assert_eq!(serde_json::from_str::<Value>(written).unwrap(), schema(), "{last}");
    }
}
