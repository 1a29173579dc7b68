//! Models behind a gRPC gateway: a real server in this process that says what it is told.

use crate::model::{Hasty, Keys, ask_any, bounds, code, request};
use futures::stream::{self, BoxStream, StreamExt};
use praxis_adapters::http::Guard;
use praxis_adapters::model::gateway::Gateway;
use praxis_adapters::model::gateway::v1::ask_piece::Piece;
use praxis_adapters::model::gateway::v1::model_gateway_server::{ModelGateway, ModelGatewayServer};
use praxis_adapters::model::gateway::v1::{self, AskPiece, AskRequest};
use praxis_adapters::model::{
    CallBounds, Catalogue, CatalogueFile, CatalogueModels, Endpoint, ModelEnvironment,
};
use praxis_adapters::secrets::Vault;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::reasoning::Delta;
use praxis_core::ask::reply::{FinishReason, TokenUsage};
use praxis_core::ask::request::{AnswerFormat, ModelRequest, ToolOffer};
use praxis_engine::seams::{Clock, Model};
use serde_json::json;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Response, Status};

type Pieces = BoxStream<'static, Result<AskPiece, Status>>;
type Script = Arc<dyn Fn(&AskRequest, usize) -> Result<Pieces, Status> + Send + Sync>;

/// A request, its key and its deadline.
type Came = (AskRequest, Option<String>, Option<String>);

#[derive(Clone)]
struct Scripted {
    script: Script,
    heard: Arc<Mutex<Vec<Came>>>,
}

#[tonic::async_trait]
impl ModelGateway for Scripted {
    type AskStream = Pieces;

    async fn ask(&self, asked: tonic::Request<AskRequest>) -> Result<Response<Pieces>, Status> {
        let header = |name: &str| Some(asked.metadata().get(name)?.to_str().ok()?.to_owned());
        let (key, deadline) = (header("authorization"), header("grpc-timeout"));
        let asked = asked.into_inner();
        let before = {
            let mut heard = self.heard.lock().unwrap();
            heard.push((asked.clone(), key, deadline));
            heard.len() - 1
        };
        (self.script)(&asked, before).map(Response::new)
    }
}

/// A gateway on a free port, and what it hears.
fn serve(
    script: impl Fn(&AskRequest, usize) -> Result<Pieces, Status> + Send + Sync + 'static,
) -> (SocketAddr, Scripted) {
    let incoming = TcpIncoming::bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = incoming.local_addr().unwrap();
    let scripted = Scripted { script: Arc::new(script), heard: Arc::default() };
    let service = ModelGatewayServer::new(scripted.clone());
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    (address, scripted)
}

fn gateway(address: SocketAddr, bounds: CallBounds) -> (Gateway, Arc<Hasty>) {
    let clock = Arc::new(Hasty::default());
    let endpoint = Endpoint {
        model: "any".to_owned(),
        base_url: format!("grpc://{address}"),
        authorization: Some("Bearer secret:KEY".to_owned()),
        bounds,
    };
    let vault = Arc::new(Vault::new(Arc::new(Keys)));
    (Gateway::new(endpoint, vault, Arc::clone(&clock) as Arc<dyn Clock>), clock)
}

fn piece(piece: Piece) -> Result<AskPiece, Status> {
    Ok(AskPiece { piece: Some(piece) })
}

fn pieces(pieces: Vec<Result<AskPiece, Status>>) -> Result<Pieces, Status> {
    Ok(stream::iter(pieces).boxed())
}

fn reply(text: &str) -> v1::Reply {
    let usage = Some(v1::Usage { prompt: 9, completion: 2, cached: 4 });
    v1::Reply { text: text.to_owned(), usage, ..v1::Reply::default() }
}

fn hello() -> Result<Pieces, Status> {
    pieces(vec![
        piece(Piece::Thought("hm".to_owned())),
        piece(Piece::Words("Hel".to_owned())),
        piece(Piece::Words("lo".to_owned())),
        piece(Piece::Reply(reply("Hello"))),
    ])
}

#[tokio::test]
async fn a_question_goes_through_a_gateway_whole_and_its_answer_is_streamed() {
    let (address, gate) = serve(|_, _| hello());
    let (model, _) = gateway(address, bounds());
    let tool = ToolOffer {
        name: "look".to_owned(),
        description: "Looks.".to_owned(),
        parameters: json!({"type": "object"}),
    };
    let format = AnswerFormat::Json { name: "n".to_owned(), schema: json!({"type": "string"}) };
    let asked = ModelRequest { tools: vec![tool], format, ..request() };
    let (mut words, mut thoughts) = (String::new(), String::new());
    let answer = model
        .ask(&asked, &mut |delta| match delta {
            Delta::Text(more) => words.push_str(&more),
            Delta::Reasoning(more) => thoughts.push_str(&more),
            Delta::ReclassifyAsReasoning | Delta::Restart | Delta::Waiting(_) => {}
        })
        .await
        .unwrap();
    assert_eq!((words.as_str(), thoughts.as_str()), ("Hello", "hm"));
    assert_eq!((answer.reply.text.as_str(), answer.reply.finish), ("Hello", FinishReason::Stop));
    let usage = TokenUsage { prompt: 9, completion: 2, cached: 4, estimated: false };
    assert_eq!((answer.reply.usage, answer.spent), (usage, TokenUsage::default()));
    let (heard, key, deadline) = gate.heard.lock().unwrap()[0].clone();
    assert_eq!((heard.model.as_str(), heard.max_tokens), ("any", 64));
    let roles: Vec<_> = heard.messages.iter().map(v1::Message::role).collect();
    assert_eq!(roles, [v1::Role::System, v1::Role::User]);
    assert_eq!(heard.tools[0].parameters_json, r#"{"type":"object"}"#);
    assert_eq!(heard.format.unwrap().schema_json, r#"{"type":"string"}"#);
    assert_eq!(heard.temperature, Some(0.1));
    assert!(key.unwrap().starts_with("Bearer canary") && deadline.is_some());
}

#[tokio::test]
async fn calls_come_as_objects_and_what_is_none_is_refused() {
    let (address, _) = serve(|_, before| {
        let arguments_json = if before == 0 { r#"{"id": 3}"# } else { "nothing" }.to_owned();
        let call = v1::ToolCall { id: "c".to_owned(), name: "look".to_owned(), arguments_json };
        let reply = v1::Reply { tool_calls: vec![call], ..reply("") };
        pieces(vec![piece(Piece::Reply(reply))])
    });
    let (model, _) = gateway(address, CallBounds { tries: 1, ..bounds() });
    let reply = ask_any(&model, &request()).await.unwrap().reply;
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    assert_eq!(reply.tool_calls[0].arguments, json!({"id": 3}));
    let failed = ask_any(&model, &request()).await;
    assert_eq!(code(&failed), "model_arguments_unreadable");
}

#[tokio::test]
async fn a_stream_that_breaks_or_ends_early_is_tried_again_and_its_cost_counted() {
    let (address, _) = serve(|_, before| {
        let begun = piece(Piece::Words("Hel".to_owned()));
        match before {
            0 => pieces(vec![begun, Err(Status::internal("boom"))]),
            1 => pieces(vec![begun]),
            2 => Err(Status::internal("boom")),
            _ => hello(),
        }
    });
    let (model, clock) = gateway(address, bounds());
    let answer = ask_any(&model, &request()).await.unwrap();
    assert_eq!(answer.reply.text, "Hello");
    assert!(answer.spent.prompt > 9 && answer.spent.completion > 0, "{:?}", answer.spent);
    assert_eq!(clock.now.load(Ordering::Relaxed), 7000, "1, 2 and 4 seconds were waited");
    let (always, _) = serve(|_, _| pieces(vec![piece(Piece::Words("Hel".to_owned()))]));
    let (model, _) = gateway(always, CallBounds { tries: 2, ..bounds() });
    let failed = ask_any(&model, &request()).await;
    assert_eq!(code(&failed), "model_cut");
    let ModelFault::ModelCut { so_far } = failed.unwrap_err().fault else { panic!("it was cut") };
    assert_eq!(so_far.text, "Hel");
}

#[tokio::test]
async fn a_gateway_that_is_not_there_busy_or_silent_is_told_apart() {
    let nowhere: SocketAddr = ([127, 0, 0, 1], 9).into();
    let once = CallBounds { tries: 1, ..bounds() };
    assert_eq!(code(&ask_any(&gateway(nowhere, once).0, &request()).await), "model_unreachable");
    let (address, _) = serve(|_, before| match before {
        0 => {
            let mut busy = Status::resource_exhausted("slow down");
            busy.metadata_mut().insert("retry-after", "7".parse().unwrap());
            Err(busy)
        }
        1 => Err(Status::unavailable("draining")),
        _ => hello(),
    });
    let (model, clock) = gateway(address, bounds());
    ask_any(&model, &request()).await.unwrap();
    assert_eq!(clock.now.load(Ordering::Relaxed), 9000, "seven that were asked for, and two");
    let quick = CallBounds { first_ms: 200, silence_ms: 200, total_ms: 400, tries: 1, ..bounds() };
    let (silent, _) = serve(|_, _| Ok(stream::pending().boxed()));
    assert_eq!(code(&ask_any(&gateway(silent, quick).0, &request()).await), "model_cut");
    let (late, _) = serve(|_, _| Err(Status::deadline_exceeded("too late")));
    assert_eq!(code(&ask_any(&gateway(late, once).0, &request()).await), "model_silent");
}

#[tokio::test]
async fn refusals_are_final_and_tell_no_key() {
    for (status, expected) in [
        (Status::unauthenticated("canary-5e1f is wrong"), "model_denied"),
        (Status::permission_denied("no"), "model_denied"),
        (Status::not_found("no such model"), "model_not_found"),
        (Status::invalid_argument("bad schema"), "model_refused"),
        (Status::unimplemented("no"), "model_not_an_endpoint"),
    ] {
        let (address, gate) = serve(move |_, _| Err(status.clone()));
        let failed = ask_any(&gateway(address, bounds()).0, &request()).await;
        assert_eq!(code(&failed), expected);
        assert_eq!(gate.heard.lock().unwrap().len(), 1, "{expected} is not tried again");
        let said = format!("{failed:?}");
        assert!(!said.contains("canary"), "{said}");
    }
    for (told, expected) in [
        ("model_context_exceeded", "model_context_exceeded"),
        ("model_quota_spent", "model_quota_spent"),
        ("model_something_new", "model_broke"),
    ] {
        let fault = v1::Fault { code: told.to_owned(), message: "x".to_owned(), wait_ms: None };
        let (address, _) = serve(move |_, _| pieces(vec![piece(Piece::Fault(fault.clone()))]));
        let (model, _) = gateway(address, CallBounds { tries: 1, ..bounds() });
        assert_eq!(code(&ask_any(&model, &request()).await), expected);
    }
}

#[tokio::test]
async fn a_question_that_is_dropped_closes_the_stream() {
    let (tell, mut left) = watch::channel(false);
    let (address, _) = serve(move |_, _| {
        let gone = Gone(tell.clone());
        let begun = stream::iter([piece(Piece::Words("Hel".to_owned()))]);
        let rest = stream::pending().map(move |it: Result<AskPiece, Status>| {
            let _held = &gone;
            it
        });
        Ok(begun.chain(rest).boxed())
    });
    let (model, _) = gateway(address, bounds());
    let request = request();
    let (tell_begun, begun) = tokio::sync::oneshot::channel();
    let mut tell_begun = Some(tell_begun);
    let mut said = move |_| {
        if let Some(tell) = tell_begun.take() {
            tell.send(()).unwrap();
        }
    };
    tokio::select! {
        _ = model.ask(&request, &mut said) => panic!("it never ends"),
        begun = begun => begun.unwrap(),
    }
    left.wait_for(|left| *left).await.unwrap();
}

/// Tells when it is dropped.
struct Gone(watch::Sender<bool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

#[tokio::test]
async fn a_catalogue_may_mix_gateways_and_endpoints() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _) = serve(|_, _| Err(Status::unavailable("draining")));
    let server = praxis_testkit::server::TestServer::start(|_, _| crate::model::hello()).await;
    let text = format!(
        "[models.m]\nmodel = 'any'\nendpoints = ['grpc://{address}', '{}']\n",
        server.url("/v1")
    );
    let catalogue = Catalogue::read(&[CatalogueFile { path: "models.toml", text: &text }]).unwrap();
    let around = ModelEnvironment {
        guard: Arc::new(Guard::new(BTreeSet::default(), 1024)),
        vault: Arc::new(Vault::new(Arc::new(Keys))),
        clock: Arc::new(Hasty::default()),
        cards: folder.path().to_owned(),
    };
    let models = CatalogueModels::new(catalogue, &around);
    let answer = ask_any(&*models.get("m").unwrap(), &request()).await.unwrap();
    assert_eq!(answer.reply.text, "Hello");
    let counts: Vec<u64> = models.known("m").iter().map(|it| it.counts.answered).collect();
    assert_eq!(counts, [0, 1]);
    let probed = models.probe("m").await;
    assert!(probed[0].1.is_none() && probed[1].1.is_some(), "a gateway has nothing to measure");
}

#[tokio::test]
async fn a_secret_that_a_gateway_tells_again_is_hidden_live_and_in_the_answer() {
    let told = "it is canary-5e1f!";
    for at in 0..=told.len() {
        let (address, _) = serve(move |_, _| {
            let halves =
                [&told[..at], &told[at..]].map(|half| piece(Piece::Words(half.to_owned())));
            pieces(halves.into_iter().chain([piece(Piece::Reply(reply(told)))]).collect())
        });
        let (model, _) = gateway(address, bounds());
        let mut live = String::new();
        let mut said = |delta| {
            let Delta::Text(words) = delta else { return };
            live.push_str(&words);
        };
        let answer = model.ask(&request(), &mut said).await.unwrap();
        let hidden = "it is [secret:KEY]!";
        assert_eq!((answer.reply.text.as_str(), live.as_str()), (hidden, hidden), "cut at {at}");
    }
}
