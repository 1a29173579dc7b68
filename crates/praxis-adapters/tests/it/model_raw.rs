//! What is kept of the wire beside a reply.

use crate::model::{DONE, ask, bounds, chunk, hello, model, request, stream};
use praxis_testkit::server::TestServer;
use serde_json::Value;

#[tokio::test]
async fn a_reply_has_the_body_that_was_sent_and_the_bytes_that_came() {
    let server = TestServer::start(|_, _| hello()).await;
    let (model, _) = model(&server, bounds());
    let raw = ask(&model, &request()).await.0.unwrap().reply.raw.unwrap();
    assert_eq!(raw.sent.as_bytes(), server.heard()[0].body, "byte for byte");
    assert_eq!(raw.received, Some(format!("{}{}{DONE}", chunk("Hel"), chunk("lo"))));
}

#[tokio::test]
async fn a_secret_that_an_endpoint_tells_again_is_in_neither_side_whole_or_in_pieces() {
    for words in [&["the key is canary-5e1f, yes"][..], &["the key is cana", "ry-5e", "1f"]] {
        let body: String = words.iter().map(|word| chunk(word)).collect();
        let server = TestServer::start(move |_, _| stream(&format!("{body}{DONE}"))).await;
        let (model, _) = model(&server, bounds());
        let mut told = request();
        told.messages[1].content = "my key is canary-5e1f".to_owned();
        // It is known as a secret from the first question on.
        ask(&model, &request()).await.0.unwrap();
        let reply = ask(&model, &told).await.0.unwrap().reply;
        assert!(reply.text.starts_with("the key is [secret:KEY]"), "{}", reply.text);
        let raw = reply.raw.unwrap();
        assert_eq!(raw.received, None);
        assert!(raw.sent.contains("my key is [secret:KEY]"), "{}", raw.sent);
    }
}

#[tokio::test]
async fn a_long_answer_is_kept_with_its_beginning_and_its_end() {
    let piece = chunk(&"x".repeat(1000));
    let body = piece.repeat(600);
    let server = TestServer::start(move |_, _| stream(&format!("{body}{DONE}"))).await;
    let (model, _) = model(&server, bounds());
    let reply = ask(&model, &request()).await.0.unwrap().reply;
    assert_eq!(reply.text.len(), 600_000);
    let received = reply.raw.unwrap().received.unwrap();
    assert!(received.len() < 257 * 1024 && received.ends_with(DONE), "{}", received.len());
    let first = received.lines().next().unwrap().strip_prefix("data: ").unwrap();
    assert!(serde_json::from_str::<Value>(first).is_ok(), "{first}");
}
