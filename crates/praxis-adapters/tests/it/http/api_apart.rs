//! What needs a process of its own: the memory that a call takes, and the variables of the environment. Each test
//! starts this binary again for one test that is left out otherwise.

use super::api_bodies::gzip;
use super::rig::{World, ask, call, strict, tool};
use praxis_adapters::http::Guard;
use praxis_fence::FolderGrants;
use praxis_testkit::server::{AfterReply, ServerReply, TestServer};
use serde_json::json;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const MIB: u64 = 1024 * 1024;

/// Runs one test of this binary alone.
fn apart(test: &str, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("http::api_apart::{test}"), "--ignored", "--nocapture"]);
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "{said}");
    said
}

/// The most memory that this process ever had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

// B-033
#[test]
fn bombs_and_floods_end_with_flat_memory() {
    apart("one_process_meets_bombs_and_floods", &[]);
}

#[tokio::test]
#[ignore = "run in a process of its own"]
async fn one_process_meets_bombs_and_floods() {
    // The usual limit of the settings, and none to speak of.
    for most in [16 * MIB, 1 << 40] {
        let guard = Arc::new(Guard::new(BTreeSet::new(), most));
        let member = gzip(&vec![0; 10 * 1024 * 1024]);
        // A thousand of these are 10 MB on the way and 10 GB unpacked.
        assert!(member.len() < 11_000, "{}", member.len());
        let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n";
        let bomb = ServerReply::raw(head).then(AfterReply::Pour(member.repeat(64), Duration::ZERO));
        let server = TestServer::start(move |_, _| bomb.clone()).await;
        let warm = TestServer::start(|_, _| ServerReply::json(&json!(1))).await;
        call(&tool(json!({"url": warm.url("/")})), Arc::clone(&guard), json!({})).await.unwrap();
        let before = peak();
        for _ in 0..5 {
            let bomb = tool(json!({"url": server.url("/")}));
            let fault = call(&bomb, Arc::clone(&guard), json!({})).await.unwrap_err();
            assert!(matches!(fault.code(), "output_too_large" | "output_invalid"), "{fault}");
        }
        let grown = peak() - before;
        println!("bomb: {} KiB more with a limit of {most}", grown / 1024);
        assert!(grown < 50 * MIB, "{} MiB", grown / MIB);
    }
    flood(b"x".repeat(65536), "HTTP/1.1 200 OK\r\n\r\n", "output_too_large").await;
    for piece in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"] {
        flood(piece.repeat(1000).into_bytes(), "", "timeout").await;
    }
}

/// An answer without end, with the usual limit: how it ends, and what it takes.
async fn flood(piece: Vec<u8>, head: &'static str, code: &str) {
    let flood = ServerReply::raw(head).then(AfterReply::Pour(piece, Duration::ZERO));
    let server = TestServer::start(move |_, _| flood.clone()).await;
    let before = peak();
    let guard = Arc::new(Guard::new(BTreeSet::new(), 16 * MIB));
    let world = World { timeout_ms: 2000, ..World::new(guard) };
    let failed = world.call(&tool(json!({"url": server.url("/")})), json!({})).await.unwrap_err();
    assert_eq!(failed.fault.code(), code);
    println!("flood: {} KiB more", (peak() - before) / 1024);
    assert!(peak() - before < 50 * MIB);
}

#[test]
fn a_file_is_sent_without_being_held() {
    apart("one_process_sends_a_large_file", &[]);
}

#[tokio::test]
#[ignore = "run in a process of its own"]
async fn one_process_sends_a_large_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::canonicalize(folder.path()).unwrap().join("large");
    std::fs::File::create(&file).unwrap().set_len(64 * MIB).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let drained = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let (mut room, mut total) = (vec![0; 65536], 0);
        while total < 64 * 1024 * 1024 {
            total += stream.read(&mut room).await.unwrap();
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
    });
    let folders =
        FolderGrants { allowed: vec![folder.path().to_owned()], ..FolderGrants::default() };
    let world = World { folders, timeout_ms: 60_000, ..World::new(strict()) };
    let warm = TestServer::start(|_, _| ServerReply::json(&json!(1))).await;
    world.call(&tool(json!({"url": warm.url("/")})), json!({})).await.unwrap();
    let before = peak();
    let files = json!({"files": {"f": {"path": "{p}"}}});
    let http = json!({"method": "POST", "url": format!("http://{address}/"), "multipart": files});
    world.call(&tool(http), json!({"p": file})).await.unwrap();
    drained.await.unwrap();
    println!("upload: {} KiB more", (peak() - before) / 1024);
    assert!(peak() - before < 16 * MIB, "{} MiB", (peak() - before) / MIB);
}

#[test]
fn a_proxy_of_the_environment_is_not_used() {
    let canary = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let proxy = format!("http://{}", canary.local_addr().unwrap());
    let names =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let environment: Vec<(&str, &str)> = names.iter().map(|name| (*name, proxy.as_str())).collect();
    apart("one_process_asks_a_server", &environment);
    assert!(canary.accept().is_err(), "somebody came to the proxy");
}

#[tokio::test]
#[ignore = "run in a process of its own"]
async fn one_process_asks_a_server() {
    let server = TestServer::start(|_, _| ServerReply::json(&json!(1))).await;
    ask(json!({"url": server.url("/")}), json!({})).await.unwrap();
    let url = format!("http://{{host}}:{}/", server.address.port());
    let open = super::rig::guard(&["127.0.0.1/32"], super::rig::resolver(|_| vec![]));
    call(&tool(json!({ "url": url })), open, json!({"host": "127.0.0.1"})).await.unwrap();
    assert_eq!(server.heard().len(), 2);
}
