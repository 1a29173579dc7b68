//! A model that tells a secret again: nobody who listens sees it, however it is cut.

use crate::model::{DONE, bounds, chunk, model, request, stream};
use praxis_core::ask::reasoning::Delta;
use praxis_engine::seams::Model;
use praxis_testkit::server::TestServer;
use serde_json::json;

const CANARY: &str = "canary-5e1f";
const TOLD: &str = "the key is canary-5e1f, and canary- is none";
const SHOWN: &str = "the key is [secret:KEY], and canary- is none";

fn thought(text: &str) -> String {
    let delta = json!({"reasoning_content": text});
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}))
}

/// Everything that is said live, in order, and the answer.
async fn heard(body: String) -> (Vec<Delta>, String) {
    let server = TestServer::start(move |_, _| stream(&body)).await;
    let (model, _) = model(&server, bounds());
    let mut live = Vec::new();
    let answer = model.ask(&request(), &mut |delta| live.push(delta)).await.unwrap();
    let answer = serde_json::to_string(&answer.reply).unwrap();
    (live, answer)
}

fn joined(live: &[Delta]) -> String {
    let text = live.iter().map(|delta| match delta {
        Delta::Text(text) | Delta::Reasoning(text) => text.as_str(),
        Delta::ReclassifyAsReasoning | Delta::Restart | Delta::Waiting(_) => "",
    });
    text.collect()
}

#[tokio::test]
async fn a_secret_in_words_is_hidden_live_at_whichever_byte_it_is_cut() {
    for at in 0..=TOLD.len() {
        let (first, second) = TOLD.split_at(at);
        let (live, answer) = heard(format!("{}{}{DONE}", chunk(first), chunk(second))).await;
        assert_eq!(joined(&live), SHOWN, "cut at {at}");
        assert!(answer.contains(SHOWN) && !answer.contains(CANARY), "{answer}");
    }
    let one_by_one: String = TOLD.chars().map(|c| chunk(&c.to_string())).collect();
    let (live, _) = heard(format!("{one_by_one}{DONE}")).await;
    assert_eq!(joined(&live), SHOWN);
    assert!(live.len() > 20, "what is no secret is not waited for: {live:?}");
}

#[tokio::test]
async fn a_secret_in_thoughts_is_hidden_live_at_whichever_byte_it_is_cut() {
    for at in 0..=CANARY.len() {
        let (first, second) = CANARY.split_at(at);
        let body =
            format!("{}{}{}{DONE}", thought(first), thought(second), chunk(&format!("{CANARY}!")));
        let (live, answer) = heard(body).await;
        assert_eq!(joined(&live), "[secret:KEY][secret:KEY]!", "cut at {at}");
        assert!(!answer.contains(CANARY), "{answer}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_within_a_secret_shows_nothing_of_it() {
    let server = TestServer::start(|_, _| stream(&chunk("the key is canary-5e1"))).await;
    let (model, _) = model(&server, bounds());
    let mut live = Vec::new();
    let answer = model.ask(&request(), &mut |delta| live.push(delta)).await;
    assert!(answer.is_err());
    assert!(!joined(&live).contains("canary"), "{live:?}");
}
