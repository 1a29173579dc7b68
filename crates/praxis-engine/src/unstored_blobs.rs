//! Blobs of a task that is not accepted yet. They stay in memory until its first append, so that a refused goal
//! leaves nothing behind.

use crate::held_blobs::HeldBlobs;
use crate::seams::{BlobError, Blobs};
use futures::future::BoxFuture;
use praxis_core::hash::content_hash;
use praxis_core::ids::BlobId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A blob store that buffers contents in memory until `store` is called.
pub(crate) struct UnstoredBlobs {
    store: Arc<HeldBlobs>,
    contents: Mutex<BTreeMap<BlobId, Arc<Vec<u8>>>>,
}

impl UnstoredBlobs {
    pub(crate) fn new(store: Arc<HeldBlobs>) -> Self {
        Self { store, contents: Mutex::default() }
    }

    fn contents(&self) -> MutexGuard<'_, BTreeMap<BlobId, Arc<Vec<u8>>>> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores all contents, right before the first append references them.
    pub(crate) async fn store(self) -> Result<(), BlobError> {
        let contents = self.contents.into_inner().unwrap_or_else(PoisonError::into_inner);
        for content in contents.into_values() {
            self.store.put(content).await?;
        }
        Ok(())
    }
}

impl Blobs for UnstoredBlobs {
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        let id = BlobId::from(content_hash(&content));
        self.contents().insert(id.clone(), content);
        Box::pin(async { Ok(id) })
    }

    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>> {
        self.contents().remove(id);
        Box::pin(async { Ok(()) })
    }

    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        match self.contents().get(id).cloned() {
            Some(content) => Box::pin(async move { Ok(content.to_vec()) }),
            None => self.store.get(id),
        }
    }
}
