//! Reads one HTTP request and writes one answer, byte by byte if needed.
//!
//! - in: a connection
//! - out: a request of bounded size, or the reason for its refusal
//! - never: reads more than its limits allow, or waits for a client forever

use super::wire::{AfterBody, AnswerHead, Framing, PouredBody, WireAnswer};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// The maximum size of the request line with all headers.
const MOST_HEAD: usize = 64 << 10;
/// The maximum size of a request body.
pub(super) const MOST_BODY: usize = 32 << 20;
/// The time that a client has to send a request.
const PATIENCE: Duration = Duration::from_mins(1);

/// An HTTP request; of its headers only `authorization` is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct RehearsalRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) authorization: String,
    pub(super) body: Vec<u8>,
}

/// The status and message with which a request is refused.
pub(super) type RequestRefusal = (u16, &'static str);

/// Reads a request. Returns `None` if the client closed the connection before the request was complete.
pub(super) async fn hear(
    stream: &mut TcpStream,
) -> io::Result<Option<Result<RehearsalRequest, RequestRefusal>>> {
    match timeout(PATIENCE, read(stream)).await {
        Ok(read) => read,
        Err(_) => Ok(Some(Err((408, "the request did not come in time")))),
    }
}

async fn read(
    stream: &mut TcpStream,
) -> io::Result<Option<Result<RehearsalRequest, RequestRefusal>>> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > MOST_HEAD {
            return Ok(Some(Err((431, "the headers are too long"))));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let body = bytes.split_off(end + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let (mut request, length) = match read_head(&head) {
        Ok(read) => read,
        Err(refusal) => return Ok(Some(Err(refusal))),
    };
    if body.len() < length && header(&head, "expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    request.body = body;
    while request.body.len() < length {
        if stream.read_buf(&mut request.body).await? == 0 {
            return Ok(None);
        }
    }
    request.body.truncate(length);
    Ok(Some(Ok(request)))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
    headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// Parses the request line and headers; returns the request without its body, and the length of the body.
fn read_head(head: &str) -> Result<(RehearsalRequest, usize), RequestRefusal> {
    let mut words = head.split("\r\n").next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(_)) = (words.next(), words.next(), words.next()) else {
        return Err((400, "this is no request of HTTP"));
    };
    if header(head, "transfer-encoding").is_some() {
        return Err((411, "a body needs a content-length"));
    }
    let length = header(head, "content-length").map_or(Ok(0), str::parse);
    let length = length.map_err(|_| (400, "content-length is no number"))?;
    if length > MOST_BODY {
        return Err((413, "the body is too long"));
    }
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let authorization = header(head, "authorization").unwrap_or_default().to_owned();
    Ok((
        RehearsalRequest { method: method.to_owned(), path, authorization, body: Vec::new() },
        length,
    ))
}

/// Writes an answer, each piece when it is due, counted from `start`.
pub(super) async fn write(
    stream: &mut TcpStream,
    wire: &WireAnswer,
    start: Instant,
) -> io::Result<()> {
    let Some(head) = &wire.head else { return finish(stream, wire).await };
    let mut due = Vec::new();
    let first = wire.pieces.first().map_or(0, |piece| piece.due_ms);
    sleep_until(start + Duration::from_millis(first)).await;
    due.extend(head_bytes(head, wire.framing));
    for piece in &wire.pieces {
        let at = start + Duration::from_millis(piece.due_ms);
        if at > Instant::now() {
            stream.write_all(&std::mem::take(&mut due)).await?;
            sleep_until(at).await;
        }
        due.extend(framed(&piece.bytes, wire.framing));
    }
    stream.write_all(&due).await?;
    finish(stream, wire).await
}

/// Serializes the status line and the headers.
pub(super) fn head_bytes(head: &AnswerHead, framing: Framing) -> Vec<u8> {
    let reason = if head.status == 200 { "OK" } else { "Rehearsed" };
    let mut text = format!("HTTP/1.1 {} {reason}\r\nconnection: close\r\n", head.status);
    for (name, value) in &head.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    match framing {
        Framing::Chunked => text.push_str("transfer-encoding: chunked\r\n"),
        Framing::Length(length) => text.push_str(&format!("content-length: {length}\r\n")),
        Framing::Close => {}
    }
    text.push_str("\r\n");
    text.into_bytes()
}

/// Frames a piece of the body. An empty piece gets no chunk header: a chunk of length zero would end the body.
pub(super) fn framed(bytes: &[u8], framing: Framing) -> Vec<u8> {
    if framing != Framing::Chunked || bytes.is_empty() {
        return bytes.to_vec();
    }
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

async fn finish(stream: &mut TcpStream, wire: &WireAnswer) -> io::Result<()> {
    match &wire.then {
        AfterBody::End => end(stream, wire.framing).await,
        AfterBody::Cut => stream.shutdown().await,
        AfterBody::Reset => stream.set_zero_linger(),
        AfterBody::Hold => {
            // End of stream or error: the client is gone either way.
            let _ = stream.read(&mut [0; 1]).await;
            Ok(())
        }
        AfterBody::Pour(pour) => pour_out(stream, pour, wire.framing).await,
    }
}

/// Ends the body and shuts down the connection.
pub(super) async fn end(stream: &mut TcpStream, framing: Framing) -> io::Result<()> {
    if framing == Framing::Chunked {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    stream.shutdown().await
}

async fn pour_out(stream: &mut TcpStream, pour: &PouredBody, framing: Framing) -> io::Result<()> {
    let piece = framed(&pour.piece, framing);
    let mut left = pour.times;
    while left != Some(0) {
        stream.write_all(&piece).await?;
        left = left.map(|left| left - 1);
        if pour.every_ms > 0 {
            sleep(Duration::from_millis(pour.every_ms)).await;
        }
    }
    stream.write_all(&framed(&pour.tail, framing)).await?;
    end(stream, framing).await
}
