//! Models of a catalogue over HTTP: endpoints in turn, shared limits, lessons that outlive a restart.

use crate::model::{Hasty, Keys, ask_any, hello, refusal, request};
use praxis_adapters::http::Guard;
use praxis_adapters::model::{Catalogue, CatalogueFile, CatalogueModels, ModelEnvironment};
use praxis_adapters::secrets::Vault;
use praxis_core::ask::fault::Parameter;
use praxis_core::ask::reply::TokenUsage;
use praxis_engine::seams::Clock;
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn models(text: &str, cards: &Path) -> (CatalogueModels, Arc<Hasty>) {
    let catalogue = Catalogue::read(&[CatalogueFile { path: "models.toml", text }]).unwrap();
    let clock = Arc::new(Hasty::default());
    let around = ModelEnvironment {
        guard: Arc::new(Guard::new(BTreeSet::default(), 1024)),
        vault: Arc::new(Vault::new(Arc::new(Keys))),
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
        cards: cards.to_owned(),
    };
    (CatalogueModels::new(catalogue, &around), clock)
}

fn down(_: &ReceivedRequest, _: usize) -> ServerReply {
    ServerReply::new("503 Service Unavailable", b"no")
}

//
#[tokio::test]
async fn a_model_behind_several_endpoints_answers_while_one_of_them_does() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, well) = (TestServer::start(down).await, TestServer::start(|_, _| hello()).await);
    let text = format!(
        "[models.m]\nmodel = 'small'\nkey = 'secret:K'\nendpoints = ['{}', '{}']\n\
         price = {{currency = 'CNY', input = 2, output = 8}}\n[roles]\ndefault = 'm'\n",
        broken.url("/v1"),
        well.url("/v1")
    );
    let (models, clock) = models(&text, folder.path());
    let model = models.get(models.role("plan").unwrap()).unwrap();
    for _ in 0..3 {
        assert_eq!(ask_any(&*model, &request()).await.unwrap().reply.text, "Hello");
    }
    assert_eq!(clock.now.load(Ordering::Relaxed), 0, "nobody waited");
    assert_eq!((broken.heard().len(), well.heard().len()), (1, 3), "the broken one rests");
    let standing = models.standing("m");
    assert!(standing[0].rests_until.is_some() && standing[1].rests_until.is_none());
    let usage = TokenUsage { prompt: 9, completion: 2, ..TokenUsage::default() };
    let price = models.facts("m").unwrap().price.unwrap();
    assert_eq!(price.cost(&usage).to_string(), "CNY 0.000034");
    let counts: Vec<(u64, u64)> =
        models.known("m").iter().map(|it| (it.counts.requests, it.counts.answered)).collect();
    assert_eq!(counts, [(1, 0), (3, 3)]);
    let last: Vec<_> = models.known("m").into_iter().map(|it| it.last.unwrap()).collect();
    assert_eq!((last[0].fault.as_deref(), last[0].failures), (Some("model_broke"), 1));
    assert_eq!((last[1].fault.as_deref(), last[1].failures), (None, 0));
}

#[tokio::test]
async fn lessons_and_calibration_outlive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(|heard, _| match heard.json().get("stream_options") {
        Some(_) => refusal("400 Bad Request", "unknown parameter", "stream_options"),
        None => hello(),
    })
    .await;
    let text = format!("[models.m]\nmodel = 'small'\nbase_url = '{}'\n", server.url("/v1"));
    for expected in [2, 3] {
        let (models, _) = models(&text, folder.path());
        ask_any(&*models.get("m").unwrap(), &request()).await.unwrap();
        assert_eq!(server.heard().len(), expected, "the refusal came once");
    }
    let (models, _) = models(&text, folder.path());
    let known = &models.known("m")[0];
    assert_eq!(known.card.refused, BTreeSet::from([Parameter::StreamOptions]));
    assert_eq!((known.counts.requests, known.counts.lessons), (3, 1));
    let files: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(files.len() == 1 && !files[0].contains("canary"), "{files:?}");
}

#[tokio::test]
async fn failures_in_a_row_and_the_rest_that_is_asked_for_are_on_the_card_until_an_answer_comes() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(|_, before| match before {
        0 => ServerReply::new("500 Internal Server Error", b"{}"),
        1 => ServerReply::new("429 Too Many Requests\nretry-after: 7", b"{}"),
        _ => hello(),
    })
    .await;
    let text =
        format!("[models.m]\nmodel = 'small'\nbase_url = '{}'\nretries = 1\n", server.url("/v1"));
    let (first, _) = models(&text, folder.path());
    ask_any(&*first.get("m").unwrap(), &request()).await.unwrap_err();
    let (other, _) = models(&text, folder.path());
    let last = other.known("m")[0].last.clone().unwrap();
    assert_eq!((last.fault.as_deref(), last.failures), (Some("model_rate_limited"), 2));
    assert_eq!(last.rests_until, Some(last.at.plus_ms(7000)));
    ask_any(&*other.get("m").unwrap(), &request()).await.unwrap();
    let last = other.known("m")[0].last.clone().unwrap();
    assert_eq!((last.fault, last.failures, last.rests_until), (None, 0, None));
}

#[tokio::test]
async fn two_models_of_one_account_share_its_limits() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(|_, before| match before {
        0 => ServerReply::new("429 Too Many Requests\nretry-after: 7", b"{}"),
        _ => hello(),
    })
    .await;
    let url = server.url("/v1");
    let text = format!(
        "[models.a]\nmodel = 'a'\nbase_url = '{url}'\nretries = 0\nlimits = {{requests_per_minute = 2}}\n\
         [models.b]\nmodel = 'b'\nbase_url = '{url}'\nlimits = {{requests_per_minute = 6}}\n"
    );
    let (models, clock) = models(&text, folder.path());
    let (a, b) = (models.get("a").unwrap(), models.get("b").unwrap());
    let refused = ask_any(&*a, &request()).await.unwrap_err();
    assert_eq!(refused.fault.code(), "model_rate_limited");
    assert!(models.standing("b")[0].pressure.resting_until.is_some());
    ask_any(&*b, &request()).await.unwrap();
    assert_eq!(clock.now.load(Ordering::Relaxed), 7000, "b waits for what a was told");
    ask_any(&*b, &request()).await.unwrap();
    assert_eq!(clock.now.load(Ordering::Relaxed), 30_000, "and for the stricter limit of the two");
}

#[tokio::test]
async fn extra_fields_go_out_with_every_request_and_names_that_are_not_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::start(|_, _| hello()).await;
    let text = format!(
        "[models.m]\nmodel = 'small'\nbase_url = '{}'\nextra = {{enable_thinking = false}}\n",
        server.url("/v1")
    );
    let (models, _) = models(&text, folder.path());
    ask_any(&*models.get("m").unwrap(), &request()).await.unwrap();
    assert_eq!(server.heard()[0].json()["enable_thinking"], false);
    assert!(models.get("n").is_none() && models.facts("n").is_none());
    assert_eq!((models.role("plan"), models.standing("n").len()), (None, 0));
    assert_eq!(models.tokens("m").unwrap().count("hello"), 2);
}
