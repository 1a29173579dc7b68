//! A small HTTP server for tests: reads whole requests and answers with any bytes.

use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A received request.
#[derive(Clone, Debug, Default)]
pub struct ReceivedRequest {
    /// The method: `GET`, `POST` …
    pub method: String,
    /// The path and query.
    pub target: String,
    /// The headers in order, with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The bytes after the headers.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// Returns the value of a header. `name` must be lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the body as JSON, or null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// The bytes to send back, and the action after them. Each connection serves one request.
#[derive(Clone, Debug)]
pub struct ServerReply {
    bytes: Vec<u8>,
    then: AfterReply,
}

/// The action of a server after its bytes.
#[derive(Clone, Debug)]
pub enum AfterReply {
    /// Closes the connection properly.
    Close,
    /// Resets the connection.
    Reset,
    /// Holds the connection until the client leaves.
    Hold,
    /// Repeats these bytes, with a pause after each, until the client leaves.
    Pour(Vec<u8>, Duration),
}

impl ServerReply {
    /// Replies with exactly these bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), then: AfterReply::Close }
    }

    /// Replies with a whole answer. `head` is the status and further headers, one per line.
    pub fn new(head: &str, body: &[u8]) -> Self {
        let head = head.replace('\n', "\r\n");
        let length = body.len();
        let head =
            format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        Self::raw([head.as_bytes(), body].concat())
    }

    /// Replies with status 200 and a JSON body.
    pub fn json(value: &Value) -> Self {
        Self::new("200 OK\ncontent-type: application/json", value.to_string().as_bytes())
    }

    /// Sends nothing for as long as the client waits.
    pub fn silence() -> Self {
        Self::raw("").then(AfterReply::Hold)
    }

    /// Sets the action after the bytes.
    #[must_use]
    pub fn then(mut self, then: AfterReply) -> Self {
        self.then = then;
        self
    }
}

/// Decides the reply to a request, given the number of earlier requests.
pub type ServerScript = Arc<dyn Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync>;

/// A server that runs until the runtime that it was started in ends.
pub struct TestServer {
    /// The address that it listens on.
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
    /// Starts a server on a free local port.
    ///
    /// # Panics
    /// If no port is free.
    #[expect(clippy::expect_used, reason = "a test cannot go on without")]
    pub async fn start(
        script: impl Fn(&ReceivedRequest, usize) -> ServerReply + Send + Sync + 'static,
    ) -> Self {
        Self::at(([127, 0, 0, 1], 0).into(), script).await.expect("a free port")
    }

    /// Starts a server at this address.
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

    /// Returns the URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests so far.
    pub fn heard(&self) -> Vec<ReceivedRequest> {
        lock(&self.seen.heard).clone()
    }

    /// Waits until this many requests have arrived.
    pub async fn until_heard(&self, count: usize) {
        self.until(|seen| lock(&seen.heard).len() >= count).await;
    }

    /// Waits until this many clients have left held or repeating connections.
    pub async fn until_left(&self, count: usize) {
        self.until(|seen| *lock(&seen.left) >= count).await;
    }

    /// Returns the number of connections made so far. Connects once itself and waits for that connection, so that all
    /// earlier ones are counted.
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
            // A client that disconnects is expected: many tests are about it.
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
            // End of stream or error: the client is gone either way.
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
