//! Files that go along with a request.

use super::rig::{World, built_in, guard, resolver, strict, tool};
use praxis_fence::FolderGrants;
use praxis_testkit::server::{ReceivedRequest, ServerReply, TestServer};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

async fn echo() -> TestServer {
    TestServer::start(|_, _| ServerReply::json(&json!({"ok": true}))).await
}

/// A folder that is open, and the world in which it is.
fn open() -> (tempfile::TempDir, PathBuf, World) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let folders = FolderGrants { allowed: vec![root.clone()], ..FolderGrants::default() };
    let world = World { folders, ..World::new(guard(&["127.0.0.0/8"], resolver(|_| vec![]))) };
    (folder, root, world)
}

/// The parts of a body: the lines before each, and its bytes.
fn parts(heard: &ReceivedRequest) -> Vec<(String, Vec<u8>)> {
    let kind = heard.header("content-type").unwrap();
    let boundary = format!("--{}", kind.strip_prefix("multipart/form-data; boundary=").unwrap());
    let text = String::from_utf8_lossy(&heard.body).into_owned();
    assert!(text.ends_with(&format!("{boundary}--\r\n")), "{text}");
    let inner = text.split(&boundary).skip(1);
    let part = |part: &str| {
        let (head, body) = part.strip_prefix("\r\n")?.split_once("\r\n\r\n")?;
        Some((head.to_owned(), body.strip_suffix("\r\n")?.as_bytes().to_vec()))
    };
    inner.filter_map(part).collect()
}

// B-033
#[tokio::test]
async fn files_and_fields_arrive_as_parts_with_their_names_and_kinds() {
    let (_folder, root, world) = open();
    fs::write(root.join("a.csv"), "x,y\n1,2\n").unwrap();
    fs::write(root.join("b.bin"), "").unwrap();
    fs::write(root.join("负荷\".md"), "# 报告").unwrap();
    let server = echo().await;
    let files = json!({
        "one": {"path": "{folder}/a.csv", "content_type": "text/csv", "filename": "load.csv"},
        "many": {"path": "{paths}"}, "gone": {"path": "{gone}"},
    });
    let fields = json!({"title": "T {n}", "tag": "{tags}", "gone": "{gone}"});
    let http = json!({"method": "POST", "url": server.url("/"), "multipart": {"fields": fields, "files": files}});
    let paths = json!([root.join("b.bin"), root.join("负荷\".md")]);
    let arguments = json!({"folder": root, "paths": paths, "n": 7, "tags": ["a", "b\r\nx: y"]});
    world.call(&tool(http), arguments).await.unwrap();
    let heard = server.heard().remove(0);
    let length: usize = heard.header("content-length").unwrap().parse().unwrap();
    assert_eq!((length, heard.header("transfer-encoding")), (heard.body.len(), None));
    let disposition = "content-disposition: form-data; name=";
    let bytes = "\r\ncontent-type: application/octet-stream";
    let expected: Vec<(String, Vec<u8>)> = [
        (format!("{disposition}\"tag\""), "a"),
        (format!("{disposition}\"tag\""), "b\r\nx: y"),
        (format!("{disposition}\"title\""), "T 7"),
        (format!("{disposition}\"many\"; filename=\"b.bin\"{bytes}"), ""),
        (format!("{disposition}\"many\"; filename=\"负荷%22.md\"{bytes}"), "# 报告"),
        (
            format!("{disposition}\"one\"; filename=\"load.csv\"\r\ncontent-type: text/csv"),
            "x,y\n1,2\n",
        ),
    ]
    .map(|(head, body)| (head, body.as_bytes().to_vec()))
    .into();
    assert_eq!(parts(&heard), expected);
}

#[tokio::test]
async fn a_large_file_arrives_byte_by_byte_as_it_is() {
    let (_folder, root, world) = open();
    let content: Vec<u8> = (0..3_000_001_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
    fs::write(root.join("large"), &content).unwrap();
    let server = echo().await;
    let asked =
        json!({"method": "PUT", "url": server.url("/"), "files": {"f": root.join("large")}});
    world.call(&built_in("API"), asked).await.unwrap();
    let heard = server.heard().remove(0);
    let at = heard.body.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    assert!(heard.body[at..].starts_with(&content));
}

#[tokio::test]
async fn what_is_outside_hidden_no_file_or_too_long_is_not_sent() {
    let (_folder, root, world) = open();
    let outside = tempfile::NamedTempFile::new().unwrap();
    fs::write(root.join(".env"), "KEY=1").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
    fs::File::create(root.join("huge")).unwrap().set_len(64 * 1024 * 1024 + 1).unwrap();
    fs::write(root.join("fine"), "x").unwrap();
    let server = echo().await;
    let manifest = json!({"method": "POST", "url": server.url("/"), "multipart": {"files": {"f": {"path": "{p}"}}}});
    let many = Value::Array(vec![json!(root.join("fine")); 33]);
    for (path, code) in [
        (json!(outside.path()), "call_refused"),
        (json!("/etc/passwd"), "call_refused"),
        (json!(root.join("../x")), "call_refused"),
        (json!(root.join(".env")), "call_refused"),
        (json!(root.join("link")), "call_refused"),
        (json!(root.join("huge")), "tool_failed"),
        (json!(root), "tool_failed"),
        (json!(root.join("none")), "tool_failed"),
        (many, "tool_failed"),
        (json!([root.join("fine"), root.join("link")]), "call_refused"),
    ] {
        let failed = world.call(&tool(manifest.clone()), json!({"p": path})).await.unwrap_err();
        assert_eq!(failed.fault.code(), code, "{path}: {}", failed.fault);
        let asked = json!({"url": server.url("/"), "method": "POST", "files": {"f": path}});
        let failed = world.call(&built_in("API"), asked).await.unwrap_err();
        assert_eq!(failed.fault.code(), code, "{path}: {}", failed.fault);
    }
    let closed = World::new(strict());
    let failed = closed.call(&tool(manifest), json!({"p": root.join("fine")})).await.unwrap_err();
    assert_eq!(failed.fault.code(), "call_refused", "no folder is open by itself");
    assert_eq!(server.visitors().await.unwrap(), 0);
}
