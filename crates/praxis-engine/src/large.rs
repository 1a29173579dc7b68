//! Large values on their way to blobs and back. One is held as a value or as its text, and as both only while
//! one is made of the other.

use crate::engine::EngineInner;
use crate::seams::{BlobError, Blobs};
use praxis_core::dataflow::resolve::is_large;
use praxis_core::document::read_json;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::payload::{Payload, StoredValue};
use serde_json::Value;
use std::sync::Arc;

/// What to do when there is no room for a blob.
#[derive(Clone, Copy)]
pub(crate) enum BlobRoom<'a> {
    /// Refuse: the caller has the value.
    Needed,
    /// Wait, for the sake of this task: the value cannot be had again.
    Awaited(&'a EngineInner, &'a TaskId),
}

/// A value as the journal holds it; a large one is stored first.
pub(crate) async fn keep(
    blobs: &dyn Blobs,
    value: Arc<Value>,
    room: BlobRoom<'_>,
) -> Result<Payload, BlobError> {
    if is_large(&value) { store(blobs, value, room).await } else { Ok(Payload::Json(value)) }
}

/// The same, of a value that is stored in any case.
pub(crate) async fn store(
    blobs: &dyn Blobs,
    value: Arc<Value>,
    room: BlobRoom<'_>,
) -> Result<Payload, BlobError> {
    let text = value.to_string();
    let mut stored = StoredValue::describe(&value, &text, BlobId::from(""));
    drop(value);
    let text = Arc::new(text.into_bytes());
    stored.blob = loop {
        match (blobs.put(Arc::clone(&text)).await, room) {
            (Err(BlobError::Full), BlobRoom::Awaited(engine, task)) => {
                engine.wait_for_room(task).await
            }
            (result, _) => break result?,
        }
    };
    Ok(Payload::Blob(Arc::new(stored)))
}

/// Reads a blob that holds JSON.
pub(crate) async fn read(blobs: &dyn Blobs, id: &BlobId) -> Result<Value, BlobError> {
    let content = blobs.get(id).await?;
    let text = String::from_utf8(content).map_err(|_| BlobError::Damaged(id.clone()))?;
    read_json(&text).map_err(|_| BlobError::Damaged(id.clone()))
}
