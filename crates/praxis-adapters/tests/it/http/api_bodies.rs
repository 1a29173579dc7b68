//! Answers that are broken, slow, endless or traps: every one ends in a fault of its kind, within the time.

use super::rig::{World, built_in, guard, resolver, strict, tool};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use praxis_engine::seams::FailedCall;
use praxis_testkit::server::{AfterReply, ServerReply, TestServer};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zlib(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

fn pour(head: &str, piece: &[u8], pause_ms: u64) -> ServerReply {
    ServerReply::raw(head).then(AfterReply::Pour(piece.to_vec(), Duration::from_millis(pause_ms)))
}

/// Packed bodies, and how they end.
fn packed() -> Vec<(&'static str, ServerReply, &'static str)> {
    let of = |coding: &str, body: &[u8]| {
        ServerReply::new(&format!("200 OK\ncontent-encoding: {coding}"), body)
    };
    let (good, other) = (gzip(b"[1, 2, 3]"), zlib(b"[1, 2, 3]"));
    let changed = |bytes: &[u8], at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 0xff;
        bytes
    };
    let zeros = gzip(&vec![0; 10 * 1024 * 1024]);
    let endless = format!("{OK}content-encoding: gzip\r\n\r\n");
    vec![
        ("gzip that is none", of("gzip", b"[1, 2, 3]"), "output_invalid"),
        ("gzip without its end", of("gzip", &good[..good.len() - 9]), "output_invalid"),
        ("gzip without its sum", of("gzip", &good[..good.len() - 8]), "output_invalid"),
        ("gzip of a wrong sum", of("gzip", &changed(&good, good.len() - 6)), "output_invalid"),
        ("gzip of a wrong length", of("gzip", &changed(&good, good.len() - 1)), "output_invalid"),
        ("gzip changed inside", of("gzip", &changed(&good, 12)), "output_invalid"),
        ("gzip and more", of("gzip", &[&good[..], b"more"].concat()), "output_invalid"),
        ("gzip in capitals that is none", of("X-GZIP", b"x"), "output_invalid"),
        ("deflate that is none", of("deflate", b"[1, 2, 3]"), "output_invalid"),
        ("deflate without its end", of("deflate", &other[..other.len() - 1]), "output_invalid"),
        (
            "deflate of a wrong sum",
            of("deflate", &changed(&other, other.len() - 1)),
            "output_invalid",
        ),
        ("deflate and more", of("deflate", &[&other[..], b"x"].concat()), "output_invalid"),
        ("gzip twice", of("gzip, gzip", &gzip(&gzip(b"[1]"))), "output_invalid"),
        ("gzip and deflate", of("deflate, gzip", &gzip(&zlib(b"[1]"))), "output_invalid"),
        ("brotli", of("br", b"\x0b\x02\x80[1]\x03"), "output_invalid"),
        ("zstd", of("zstd", b"\x28\xb5\x2f\xfd"), "output_invalid"),
        ("a coding of no name", of("\u{fffd}", b"x"), "output_invalid"),
        ("a gzip bomb", of("gzip", &zeros), "output_too_large"),
        ("a gzip bomb in a gzip bomb", of("gzip, gzip", &gzip(&zeros)), "output_invalid"),
        ("a deflate bomb", of("deflate", &zlib(&vec![0; 10 * 1024 * 1024])), "output_too_large"),
        ("gzip bombs one after the other", pour(&endless, &zeros, 0), "output_too_large"),
        ("a gzip that comes slowly", pour(&endless, &good[..1], 20), "output_invalid"),
    ]
}

/// Bodies and heads that are no good, and how they end.
#[expect(clippy::too_many_lines, reason = "a list")]
fn plain() -> Vec<(&'static str, ServerReply, &'static str)> {
    let raw = |text: &str| ServerReply::raw(text);
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    let one_byte = format!("{OK}content-length: 1000000\r\n\r\n");
    vec![
        (
            "a huge body",
            ServerReply::new("200 OK", &vec![b'x'; 2 * 1024 * 1024]),
            "output_too_large",
        ),
        (
            "a body without end",
            pour(&format!("{OK}\r\n"), &vec![b'x'; 65536], 0),
            "output_too_large",
        ),
        ("chunks without end", pour(CHUNKED, &chunk, 0), "output_too_large"),
        ("a body of a byte now and then", pour(&one_byte, b"x", 20), "timeout"),
        ("chunks now and then", pour(CHUNKED, b"1\r\nx\r\n", 20), "timeout"),
        ("headers a byte now and then", pour("HTTP/1.1 200 OK\r\nx: ", b"x", 20), "timeout"),
        ("nothing at all", ServerReply::silence(), "timeout"),
        ("half a head and silence", raw("HTTP/1.1 200 OK\r\n").then(AfterReply::Hold), "timeout"),
        (
            "half a body and silence",
            raw(&format!("{OK}content-length: 9\r\n\r\n[")).then(AfterReply::Hold),
            "timeout",
        ),
        ("headers without end", pour(OK, &b"x-more: xxxxxxxx\r\n".repeat(1000), 0), "tool_broke"),
        (
            "a header without end",
            pour("HTTP/1.1 200 OK\r\nx: ", &vec![b'x'; 65536], 0),
            "tool_broke",
        ),
        ("a status line without end", pour("HTTP/1.1 200 ", &vec![b'x'; 65536], 0), "tool_broke"),
        ("a flood of 100", pour("", &b"HTTP/1.1 100 Continue\r\n\r\n".repeat(100), 0), "timeout"),
        ("a flood of 103", pour("", b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", 0), "timeout"),
        (
            "101 without asking",
            raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
            "tool_failed",
        ),
        ("chunks that are none", raw(&format!("{CHUNKED}xyz\r\n[1]\r\n0\r\n\r\n")), "tool_broke"),
        ("a chunk of a negative size", raw(&format!("{CHUNKED}-1\r\n[1]\r\n")), "tool_broke"),
        (
            "a chunk of a size beyond all",
            raw(&format!("{CHUNKED}fffffffffffffffff\r\n[1]\r\n")),
            "tool_broke",
        ),
        (
            "a chunk that is longer than it says",
            raw(&format!("{CHUNKED}1\r\n[1]\r\n0\r\n\r\n")),
            "tool_broke",
        ),
        ("chunks without the last", raw(&format!("{CHUNKED}3\r\n[1]\r\n")), "tool_broke"),
        (
            "a chunk with words without end",
            pour(CHUNKED, &b"1;x=xxxxxxxxxx\r\nx\r\n".repeat(1000), 0),
            "tool_broke",
        ),
        (
            "trailers without end",
            pour(&format!("{CHUNKED}0\r\n"), &b"x-more: xxxx\r\n".repeat(1000), 0),
            "tool_broke",
        ),
        (
            "a length that is not reached",
            raw(&format!("{OK}content-length: 100\r\n\r\n[1]")),
            "tool_broke",
        ),
        ("a length that is none", raw(&format!("{OK}content-length: x\r\n\r\n[1]")), "tool_broke"),
        ("a negative length", raw(&format!("{OK}content-length: -1\r\n\r\n[1]")), "tool_broke"),
        (
            "two lengths",
            raw(&format!("{OK}content-length: 3\r\ncontent-length: 4\r\n\r\n[1]")),
            "tool_broke",
        ),
        (
            "a break in the body",
            raw(&format!("{OK}content-length: 9\r\n\r\n[")).then(AfterReply::Reset),
            "tool_broke",
        ),
        ("a break before the head", raw("").then(AfterReply::Reset), "tool_broke"),
        ("another protocol", raw("SSH-2.0-x\r\n\r\n"), "tool_broke"),
        (
            "a header with a line break in it",
            raw(&format!("{OK}x: a\r\n b\rc\r\ncontent-length: 3\r\n\r\n[1]")),
            "tool_broke",
        ),
        ("what is no UTF-8", ServerReply::new("200 OK", b"\"\xff\xfe\""), "output_invalid"),
        (
            "a page instead of JSON",
            ServerReply::new("200 OK\ncontent-type: text/html", b"<html>"),
            "output_invalid",
        ),
        ("JSON that has no end", ServerReply::new("200 OK", b"{\"a\": 1"), "output_invalid"),
        (
            "JSON in JSON in JSON",
            ServerReply::new("200 OK", "[".repeat(100_000).as_bytes()),
            "output_invalid",
        ),
    ]
}

/// The answer to the tool `API` and to a manifest that wants JSON.
async fn ended(reply: &ServerReply, builtin: bool) -> Result<Value, FailedCall> {
    let copy = reply.clone();
    let server = TestServer::start(move |_, _| copy.clone()).await;
    if builtin {
        let open = guard(&["127.0.0.1/32"], resolver(|_| vec![]));
        let world = World { timeout_ms: 400, ..World::new(open) };
        let asked = json!({"url": server.url("/"), "expect": "json"});
        return world.call(&built_in("API"), asked).await;
    }
    let world = World { timeout_ms: 400, ..World::new(strict()) };
    let http = json!({"url": server.url("/"), "expect": "json", "output": "response"});
    world.call(&tool(http), json!({})).await
}

// B-033
#[tokio::test]
async fn every_bad_answer_ends_in_a_fault_of_its_kind_within_its_time() {
    let mut wrong = Vec::new();
    for (what, reply, code) in packed().into_iter().chain(plain()) {
        for builtin in [true, false] {
            let limit = Duration::from_secs(10);
            let result = tokio::time::timeout(limit, ended(&reply, builtin)).await;
            let said = match result {
                Ok(Ok(output)) => format!("gives {output}"),
                Ok(Err(failed)) => failed.fault.code().to_owned(),
                Err(_) => "has no end".to_owned(),
            };
            if said != code {
                wrong.push(format!("{what}: {said}, not {code}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[tokio::test]
async fn an_answer_is_left_as_soon_as_it_is_judged() {
    let zeros = gzip(&vec![0; 10 * 1024 * 1024]);
    let endless = format!("{OK}content-encoding: gzip\r\n\r\n");
    for reply in [
        pour(&endless, &zeros, 0),
        pour(&format!("{OK}\r\n"), &vec![b'x'; 65536], 0),
        pour(OK, b"x: y\r\n", 0),
    ] {
        let server = TestServer::start(move |_, _| reply.clone()).await;
        let http = json!({"url": server.url("/"), "output": "response"});
        assert!(World::new(strict()).call(&tool(http), json!({})).await.is_err());
        server.until_left(1).await;
    }
}
