//! An OpenAI-compatible endpoint on this machine, for tests and rehearsals.
//!
//! - in: `POST …/chat/completions`, `GET …/models`; one request for each connection
//! - out: the answers of a [`Voice`], at the times and in the chunks that its [`RehearsalSetup`] asks for
//! - never: exceeds its limits of connections, bytes and log entries, or outlives its owner

use super::asked::ChatRequest;
use super::damage::Circumstance;
use super::http::{self, RehearsalRequest};
use super::log::{CallLog, EndpointReport, LoggedCall};
use super::mind::{ScriptedMind, refusal};
use super::proxy::Upstream;
use super::setup::RehearsalSetup;
use super::voice::Voice;
use super::wire::WireAnswer;
use praxis_core::problem::Problem;
use praxis_core::time::Timestamp;
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

/// The maximum number of open connections; further ones wait to be accepted.
const MOST_CONNECTIONS: usize = 256;

/// The source of the current time.
type RehearsalClock = Box<dyn Fn() -> Timestamp + Send + Sync>;

/// A running endpoint. It stops when it is dropped.
pub struct RehearsalServer {
    address: SocketAddr,
    shared: Arc<ConnectionState>,
    accepting: JoinHandle<()>,
}

/// The state shared by all connections.
struct ConnectionState {
    setup: RehearsalSetup,
    now: RehearsalClock,
    begin: Instant,
    mind: Mutex<ScriptedMind>,
    upstream: Option<Upstream>,
    turns: Option<Arc<Semaphore>>,
    log: Mutex<CallLog>,
    waiting: Mutex<usize>,
    told: watch::Sender<u64>,
}

impl RehearsalServer {
    /// Starts to listen and to answer with a voice. `now` dates the answers.
    pub async fn start(
        setup: RehearsalSetup,
        voice: impl Voice + 'static,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, Problem> {
        Self::begin(setup, Box::new(voice), None, Box::new(now)).await
    }

    /// Starts to listen, forwards every call to another endpoint and records the answers.
    pub async fn record(
        setup: RehearsalSetup,
        upstream: Upstream,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, Problem> {
        let silent = Box::new(Vec::<Box<dyn Voice>>::new());
        Self::begin(setup, silent, Some(upstream), Box::new(now)).await
    }

    async fn begin(
        setup: RehearsalSetup,
        voice: Box<dyn Voice>,
        upstream: Option<Upstream>,
        now: RehearsalClock,
    ) -> Result<Self, Problem> {
        let mind = ScriptedMind::new(&setup, voice)?;
        let (listener, address) = listen(setup.address).await?;
        let shared = Arc::new(ConnectionState {
            turns: setup.limits.concurrent.map(|most| Arc::new(Semaphore::new(most.max(1)))),
            setup,
            now,
            begin: Instant::now(),
            mind: Mutex::new(mind),
            upstream,
            log: Mutex::default(),
            waiting: Mutex::default(),
            told: watch::Sender::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, accepting })
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base URL for clients: everything before `/chat/completions`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Returns the logged calls, oldest first. The log keeps only the latest calls.
    pub fn calls(&self) -> Vec<LoggedCall> {
        lock(&self.shared.log).calls()
    }

    /// Returns the totals so far, including what was never used.
    pub fn report(&self) -> EndpointReport {
        lock(&self.shared.mind).report()
    }

    /// Waits until this many chat requests have arrived.
    pub async fn until_asked(&self, count: u64) {
        // The sender lives as long as the server.
        let _ = self.shared.told.subscribe().wait_for(|asked| *asked >= count).await;
    }
}

impl Drop for RehearsalServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), Problem> {
    let bound = TcpListener::bind(address).await;
    let bound = bound.and_then(|listener| listener.local_addr().map(|at| (listener, at)));
    bound.map_err(|error| {
        let words =
            (format!("cannot listen on this address: {error}"), format!("无法监听该地址：{error}"));
        Problem::new("cannot_listen", &address.to_string(), words)
            .next(("choose another port", "请换一个端口"))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, shared: Arc<ConnectionState>) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    // Dropping this future drops the set, which aborts all connections.
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&room).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            // A client that disconnects is expected: many tests are about it.
            let _ = shared.serve(stream).await;
            drop(permit);
        });
    }
}

impl ConnectionState {
    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let request = match http::hear(&mut stream).await? {
            None => return Ok(()),
            Some(Ok(request)) => request,
            Some(Err((status, why))) => {
                let wire = refusal(status, "bad_request", &(why, why).into());
                return http::write(&mut stream, &wire, Instant::now()).await;
            }
        };
        let route = request.path.trim_end_matches('/');
        match (request.method.as_str(), &self.upstream) {
            ("GET", None) if route.ends_with("/models") => {
                http::write(&mut stream, &self.models(), Instant::now()).await
            }
            ("POST", None) if route.ends_with("/chat/completions") => {
                let (wire, _turn) = self.chat(&request).await;
                http::write(&mut stream, &wire, Instant::now()).await
            }
            ("GET" | "POST", Some(upstream)) => upstream.hand_on(&mut stream, &request).await,
            _ => {
                let why = "not found; use POST /v1/chat/completions or GET /v1/models";
                let wire = refusal(404, "not_found", &(why, why).into());
                http::write(&mut stream, &wire, Instant::now()).await
            }
        }
    }

    fn models(&self) -> WireAnswer {
        let model = |name: &String| json!({"id": name, "object": "model", "owned_by": "praxis"});
        let models: Vec<Value> = self.setup.models.iter().map(model).collect();
        WireAnswer::json(200, &json!({"object": "list", "data": models}))
    }

    /// Returns the answer to a chat request, and the permit that holds its place among concurrent answers.
    async fn chat(&self, request: &RehearsalRequest) -> (WireAnswer, Option<OwnedSemaphorePermit>) {
        let body = serde_json::from_slice(&request.body).map_err(|_| "the body is not valid JSON");
        let asked = match body.and_then(ChatRequest::read) {
            Ok(asked) => asked,
            Err(why) => return (refusal(400, "bad_request", &(why, why).into()), None),
        };
        let number = self.count();
        let turn = match self.turn().await {
            Ok(turn) => turn,
            Err(wire) => {
                let by = "the limits of the endpoint".to_owned();
                lock(&self.log).add(LoggedCall { by, ..LoggedCall::of(&asked, number) });
                return (wire, None);
            }
        };
        let (now, authorization) = ((self.now)(), request.authorization.clone());
        let line_ends = self.setup.line_ends;
        let at = Circumstance { now, authorization, line_ends };
        let (wire, call) = lock(&self.mind).answer(&asked, number, &at);
        lock(&self.log).add(call);
        (wire, turn)
    }

    fn count(&self) -> u64 {
        let number = lock(&self.mind).count();
        self.told.send_replace(number);
        number
    }

    /// Waits for a permit; the error is the answer for a client that is over a limit.
    async fn turn(&self) -> Result<Option<OwnedSemaphorePermit>, WireAnswer> {
        let now = u64::try_from(self.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        if let Err(wait) = lock(&self.mind).admit(now) {
            let words = ("too many requests", "请求过于频繁").into();
            let wire = refusal(429, "rate_limit_exceeded", &words);
            return Err(wire.header("retry-after", wait.to_string()));
        }
        let Some(turns) = &self.turns else { return Ok(None) };
        if let Ok(turn) = Arc::clone(turns).try_acquire_owned() {
            return Ok(Some(turn));
        }
        let Some(_place) = QueuePlace::take(self) else {
            return Err(refusal(503, "overloaded", &("overloaded", "服务繁忙").into()));
        };
        // The semaphore is never closed.
        Ok(Arc::clone(turns).acquire_owned().await.ok())
    }
}

/// A place in the queue of waiting requests. It is released even if the client leaves.
struct QueuePlace<'a>(&'a ConnectionState);

impl<'a> QueuePlace<'a> {
    fn take(shared: &'a ConnectionState) -> Option<Self> {
        let mut waiting = lock(&shared.waiting);
        let is_full = shared.setup.limits.waiting.is_some_and(|most| *waiting >= most);
        (!is_full).then(|| {
            *waiting += 1;
            Self(shared)
        })
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        *lock(&self.0.waiting) -= 1;
    }
}
