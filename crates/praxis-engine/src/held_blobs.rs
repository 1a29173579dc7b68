//! Protects blobs that are stored but not yet referenced by a durable event from being erased.

use crate::seams::{BlobError, Blobs};
use futures::future::BoxFuture;
use praxis_core::hash::content_hash;
use praxis_core::ids::BlobId;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A blob store that tracks stored blobs which no durable event references yet.
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

    /// Releases blobs whose referencing events are durable now.
    pub(crate) fn settled(&self, blobs: &[BlobId]) {
        if !blobs.is_empty() {
            let mut hands = self.hands();
            for id in blobs {
                hands.remove(id);
            }
        }
    }

    /// Removes blobs that no event references, unless the same content has just been stored again.
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
        // Register first, then store: a concurrent erase either sees the entry or has removed the blob before.
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
