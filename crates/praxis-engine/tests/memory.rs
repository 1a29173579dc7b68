#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests stop at the first surprise")]
//! A large value is in memory once: as what the tool gave, or as the text that is stored. A process of its
//! own, for other tests would disturb what is measured.

use futures::future::BoxFuture;
use praxis_core::ids::BlobId;
use praxis_core::state::{State, TaskStatus};
use praxis_engine::engine::Engine;
use praxis_engine::seams::{BlobError, Blobs};
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::tools::ScriptedTools;
use praxis_testkit::world::{EngineWorld, parts};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const MIB: u64 = 1024 * 1024;
/// Above 32 MiB the allocator gives what is freed back at once, so that it is seen.
const LARGE: u64 = 40 * MIB;

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// Blobs that are thrown away, and how much memory there was while each large one was written.
#[derive(Clone, Default)]
struct Watching {
    small: MemoryBlobs,
    seen: Arc<Mutex<Vec<u64>>>,
}

impl Blobs for Watching {
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        if (content.len() as u64) < LARGE {
            return self.small.put(content);
        }
        self.seen.lock().unwrap().push(resident());
        Box::pin(async { Ok(BlobId::from("thrown away")) })
    }

    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>> {
        self.small.remove(id)
    }

    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        self.small.get(id)
    }
}

#[tokio::test]
async fn a_large_value_is_held_once_while_it_is_stored_and_not_at_all_afterwards() {
    let large = |_: &_| Ok(json!({"text": "x".repeat(usize::try_from(LARGE).unwrap())}));
    let tools = ScriptedTools::quiet(json!({"id": "large", "risk": "read"}), large);
    let (blobs, journal) = (Watching::default(), MemoryJournal::default());
    let made = parts(Arc::new(journal.clone()), Arc::new(blobs.clone()), Arc::new(tools.clone()));
    let engine = Engine::new(made);
    let world = EngineWorld::new(tools);
    let step = |n: usize| json!({"step_id": format!("s{n}"), "tool": "large"});
    let steps: Vec<Value> = (0..2).map(step).collect();
    let mut request = world.request(&json!({ "steps": steps }), json!({})).unwrap();
    request.options.parallel_max_concurrent = 1;
    let before = resident();
    let task = engine.submit(request).await.unwrap().task;
    engine.idle().await.unwrap();
    let state = State::replay(&journal.entries(&task)).unwrap();
    assert_eq!(state.status(), TaskStatus::Completed);
    let seen = blobs.seen.lock().unwrap().clone();
    assert_eq!(seen.len(), 2);
    for held in seen {
        let held = held.saturating_sub(before);
        assert!(held < LARGE + LARGE / 2, "{} MiB for {} MiB", held / MIB, LARGE / MIB);
    }
    let left = resident().saturating_sub(before);
    assert!(left < LARGE / 4, "{} MiB are left", left / MIB);
}
