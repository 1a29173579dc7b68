//! What endpoints say when they refuse.

use super::*;
use crate::lang::Lang;
use serde_json::json;

fn fault(status: u16, body: &str) -> ModelFault {
    classify(&HttpRefusal { status, body, ..HttpRefusal::default() })
}

#[test]
fn a_refused_parameter_is_the_first_that_is_named() {
    for (body, parameter) in [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            Parameter::MaxTokens,
        ),
        ("Unrecognized request argument: max_completion_tokens", Parameter::MaxCompletionTokens),
        (
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted"}]}"#,
            Parameter::StreamOptions,
        ),
        (r#"{"error":{"message":"bad","param":"tools[0].x"}}"#, Parameter::Tools),
        (r#"{"error":"qwen does not support tools"}"#, Parameter::Tools),
        ("failed to parse grammar", Parameter::Grammar),
        (
            r#"{"error":"'response_format.type' must be 'json_schema' or 'text'"}"#,
            Parameter::ResponseFormat,
        ),
        ("json_schema needs a newer backend", Parameter::ResponseFormat),
        ("This model cannot do json_object yet", Parameter::ResponseFormat),
    ] {
        let found = json!(fault(400, body));
        assert_eq!(found["parameter"], json!(parameter), "{body}: {found}");
    }
}

#[test]
fn a_router_that_finds_nobody_who_calls_tools_refuses_the_tools_and_not_the_model() {
    let body = r#"{"error":{"message":"No endpoints found that support tool use.","code":404}}"#;
    assert_eq!(json!(fault(404, body))["parameter"], json!(Parameter::Tools));
    assert_eq!(fault(404, r#"{"error":"no such model"}"#).code(), "model_not_found");
}

#[test]
fn codes_are_the_tags_and_all_faults_have_words() {
    let bodies = [
        "<html><p>Bad <b>gateway</b>",
        "{}",
        "context window",
        "loading",
        "insufficient_quota",
        "reasoning_content is missing",
        "reasoning_content is not allowed",
        "unknown temperature",
    ];
    for status in [200, 400, 401, 402, 404, 408, 413, 429, 500, 502, 503, 529] {
        for body in bodies {
            let fault = fault(status, body);
            assert_eq!(json!(fault)["code"], fault.code());
            assert!(!fault.message(Lang::En).is_empty() && !fault.message(Lang::Zh).is_ascii());
        }
    }
}

#[test]
fn an_error_in_an_answer_is_told_like_a_refusal() {
    let limited = of_error(&json!({"error": {"code": "429", "message": "slow"}}));
    assert_eq!(limited, ModelFault::ModelRateLimited { wait: None });
    let overloaded = of_error(&json!({"error": {"type": "overloaded_error"}}));
    assert_eq!(overloaded, ModelFault::ModelOverloaded { wait: None });
    let other = of_error(&json!({"error": "gpu fell off"}));
    assert_eq!(other, ModelFault::ModelErrorInAnswer { message: "gpu fell off".into() });
}

#[test]
fn long_words_are_cut_between_characters() {
    let body = "错".repeat(LONGEST_BODY);
    let said = fault(400, &body).message(Lang::En);
    assert!(said.chars().count() < LONGEST_WORDS + 80);
    assert_eq!(page_words("<h1>502</h1>\n<p>Bad  gateway</p>"), "502 Bad gateway");
}
