//! A small HTTP server for tests: hears whole requests and answers with whatever bytes it is told.

use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub struct ReceivedRequest {
    /// `GET`, `POST` …
    pub method: String,
    /// What followed the method: path and query.
    pub target: String,
    /// Names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The bytes after the headers.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What is sent back, and what follows it. One request for each connection.
#[derive(Clone, Debug)]
pub struct ServerReply {
    bytes: Vec<u8>,
    then: AfterReply,
}

/// What a server does after its bytes.
#[derive(Clone, Debug)]
pub enum AfterReply {
    /// Ends the connection in order.
    Close,
    /// Breaks it.
    Reset,
    /// Holds it until the client leaves.
    Hold,
    /// Sends this again and again until the client leaves.
    Pour(Vec<u8>, Duration),
}

impl ServerReply {
    /// Exactly these bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), then: AfterReply::Close }
    }

    /// A whole answer. `head` is the status and further headers, one a line.
    pub fn new(head: &str, body: &[u8]) -> Self {
        let head = head.replace('\n', "\r\n");
        let length = body.len();
        let head =
            format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        Self::raw([head.as_bytes(), body].concat())
    }

    /// A JSON answer of success.
    pub fn json(value: &Value) -> Self {
        Self::new("200 OK\ncontent-type: application/json", value.to_string().as_bytes())
    }

    /// Nothing at all, for as long as the client waits.
    pub fn silence() -> Self {
        Self::raw("").then(AfterReply::Hold)
    }

    /// With another ending.
    #[must_use]
    pub fn then(mut self, then: AfterReply) -> Self {
        self.then = then;
        self
    }
}

/// What a server answers: the request, and how many came before it.
pub type ServerScript = Arc<dyn Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync>;

/// A server that runs as long as the runtime it was started in.
pub struct TestServer {
    /// Where it listens.
    pub address: SocketAddr,
    seen: Arc<SeenRequests>,
    changed: watch::Receiver<()>,
}

#[derive(Default)]
struct SeenRequests {
    peers: Mutex<Vec<SocketAddr>>,
    heard: Mutex<Vec<ReceivedRequest>>,
    left: Mutex<usize>,
}

impl TestServer {
    /// A server on a free port of this machine.
    ///
    /// # Panics
    /// If there is no port.
    #[expect(clippy::expect_used, reason = "a test cannot go on without")]
    pub async fn start(
        script: impl Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync + 'static,
    ) -> Self {
        Self::at(([127, 0, 0, 1], 0).into(), script).await.expect("a free port")
    }

    /// A server at this address.
    pub async fn at(
        address: SocketAddr,
        script: impl Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (tell, changed) = watch::channel(());
        let seen = Arc::new(SeenRequests::default());
        tokio::spawn(accept(listener, Arc::new(script), Arc::clone(&seen), tell));
        Ok(Self { address, seen, changed })
    }

    /// An address on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub fn heard(&self) -> Vec<ReceivedRequest> {
        lock(&self.seen.heard).clone()
    }

    /// Waits until so many requests were heard.
    pub async fn until_heard(&self, count: usize) {
        self.until(|seen| lock(&seen.heard).len() >= count).await;
    }

    /// Waits until so many clients left while they were held.
    pub async fn until_left(&self, count: usize) {
        self.until(|seen| *lock(&seen.left) >= count).await;
    }

    /// How many connections were made. Sure of all before: it makes one itself and waits for it.
    pub async fn visitors(&self) -> io::Result<usize> {
        let own = TcpStream::connect(self.address).await?.local_addr()?;
        self.until(|seen| lock(&seen.peers).contains(&own)).await;
        let mut peers = lock(&self.seen.peers);
        peers.retain(|peer| *peer != own);
        Ok(peers.len())
    }

    async fn until(&self, holds: impl Fn(&SeenRequests) -> bool) {
        let mut changed = self.changed.clone();
        // The sender lives as long as the server.
        let _ = changed.wait_for(|()| holds(&self.seen)).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(
    listener: TcpListener,
    script: ServerScript,
    seen: Arc<SeenRequests>,
    tell: watch::Sender<()>,
) {
    while let Ok((stream, peer)) = listener.accept().await {
        lock(&seen.peers).push(peer);
        tell.send_replace(());
        let (script, seen, tell) = (Arc::clone(&script), Arc::clone(&seen), tell.clone());
        tokio::spawn(async move {
            // A client that goes away is what many tests are about.
            let _ = serve(stream, &script, &seen, &tell).await;
        });
    }
}

async fn serve(
    mut stream: TcpStream,
    script: &ServerScript,
    seen: &SeenRequests,
    tell: &watch::Sender<()>,
) -> io::Result<()> {
    let heard = hear(&mut stream).await?;
    let before = lock(&seen.heard).len();
    let reply = script(&heard, before);
    lock(&seen.heard).push(heard);
    tell.send_replace(());
    stream.write_all(&reply.bytes).await?;
    match reply.then {
        AfterReply::Close => stream.shutdown().await?,
        AfterReply::Reset => stream.set_zero_linger()?,
        AfterReply::Hold => {
            // Ended or broken: the client is gone either way.
            let _ = stream.read(&mut [0; 1]).await;
            *lock(&seen.left) += 1;
        }
        AfterReply::Pour(piece, pause) => {
            while stream.write_all(&piece).await.is_ok() {
                tokio::time::sleep(pause).await;
            }
            *lock(&seen.left) += 1;
        }
    }
    tell.send_replace(());
    Ok(())
}

async fn hear(stream: &mut TcpStream) -> io::Result<ReceivedRequest> {
    let mut bytes = Vec::new();
    let end = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
    };
    let (head, body) = bytes.split_at(end);
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, target) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let header = |line: &str| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        (name.to_lowercase(), value.trim().to_owned())
    };
    let body = body.get(4..).unwrap_or_default().to_vec();
    let mut heard = ReceivedRequest { method, target, headers: lines.map(header).collect(), body };
    let length = heard.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while heard.body.len() < length && stream.read_buf(&mut heard.body).await? > 0 {}
    Ok(heard)
}
