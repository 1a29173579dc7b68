//! Moves large values to blobs and back. A value and its text are in memory together only during the conversion.

use crate::engine::EngineInner;
use crate::seams::{BlobError, Blobs};
use praxis_core::dataflow::resolve::is_large;
use praxis_core::document::read_json;
use praxis_core::ids::{BlobId, TaskId};
use praxis_core::payload::{Payload, StoredValue};
use serde_json::Value;
use std::sync::Arc;

/// The reaction to a full disk while a blob is stored.
#[derive(Clone, Copy)]
pub(crate) enum BlobRoom<'a> {
    /// Fail: the caller still has the value.
    Needed,
    /// Wait, on behalf of this task: the value cannot be produced again.
    Awaited(&'a EngineInner, &'a TaskId),
}

/// Converts a value to a `Payload`; a large one is stored as a blob.
pub(crate) async fn keep(
    blobs: &dyn Blobs,
    value: Arc<Value>,
    room: BlobRoom<'_>,
) -> Result<Payload, BlobError> {
    if is_large(&value) { store(blobs, value, room).await } else { Ok(Payload::Json(value)) }
}

/// Stores a value as a blob, whatever its size.
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
                engine.wait_for_room(task).await;
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
