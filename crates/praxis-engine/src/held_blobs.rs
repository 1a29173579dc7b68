//! Blobs that were stored and are not yet named by any fact: erasing must not take them.

use crate::seams::{BlobError, Blobs};
use futures::future::BoxFuture;
use praxis_core::hash::content_hash;
use praxis_core::ids::BlobId;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A blob store that knows what is in somebody's hands.
pub(crate) struct HeldBlobs {
    store: Arc<dyn Blobs>,
    hands: Mutex<BTreeSet<BlobId>>,
}

impl HeldBlobs {
    pub(crate) fn new(store: Arc<dyn Blobs>) -> Self {
        Self { store, hands: Mutex::default() }
    }

    fn hands(&self) -> MutexGuard<'_, BTreeSet<BlobId>> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Facts that name these are durable now.
    pub(crate) fn settled(&self, blobs: &[BlobId]) {
        if !blobs.is_empty() {
            let mut hands = self.hands();
            for id in blobs {
                hands.remove(id);
            }
        }
    }

    /// Removes blobs that no fact names, unless somebody has just stored the same content.
    pub(crate) async fn remove_unheld(&self, blobs: &[BlobId]) -> Result<(), BlobError> {
        for id in blobs {
            if !self.hands().contains(id) {
                self.store.remove(id).await?;
            }
        }
        Ok(())
    }
}

impl Blobs for HeldBlobs {
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        // In hand first, then stored: whoever erases either sees it here or has removed it before.
        self.hands().insert(BlobId::from(content_hash(&content)));
        self.store.put(content)
    }

    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>> {
        self.store.remove(id)
    }

    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        self.store.get(id)
    }
}
