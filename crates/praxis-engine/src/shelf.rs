//! The pinned texts of goals: stored as blobs when a task is taken in, and brought back once for all tasks.

use crate::seams::{BlobError, Blobs};
use praxis_core::call::manifest::Toolbox;
use praxis_core::goal::brief::Brief;
use praxis_core::goal::library::Library;
use praxis_core::ids::BlobId;
use praxis_core::prompt::Pack;
use praxis_core::route::scene::Scene;
use praxis_core::route::workflow::Workflow;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Libraries that are kept in memory at the same time.
const MOST_KEPT: usize = 16;

type Key = (BlobId, BlobId, BlobId, BlobId);

/// Libraries by the blobs that they came from.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<BTreeMap<Key, Arc<Library>>>);

/// Where the texts of a library are stored.
pub(crate) struct Stored {
    pub(crate) catalog: BlobId,
    pub(crate) pack: BlobId,
    pub(crate) scene: BlobId,
    pub(crate) workflows: BlobId,
}

impl Shelf {
    fn kept(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<Library>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a library's texts.
    pub(crate) async fn store(
        &self,
        blobs: &dyn Blobs,
        library: &Library,
    ) -> Result<Stored, BlobError> {
        Ok(Stored {
            catalog: put(blobs, &*library.catalog).await?,
            pack: put(blobs, &library.pack).await?,
            scene: put(blobs, &library.scene).await?,
            workflows: put(blobs, &library.workflows).await?,
        })
    }

    /// The library that a task was pinned to.
    pub(crate) async fn library(
        &self,
        blobs: &dyn Blobs,
        brief: &Brief,
    ) -> Result<Arc<Library>, BlobError> {
        let Brief { catalog, pack, scene, workflows, .. } = brief;
        let key = (catalog.clone(), pack.clone(), scene.clone(), workflows.clone());
        if let Some(library) = self.kept().get(&key) {
            return Ok(Arc::clone(library));
        }
        let library = Arc::new(Library {
            catalog: Arc::new(get::<Toolbox>(blobs, catalog).await?),
            pack: get::<Pack>(blobs, pack).await?,
            scene: get::<Scene>(blobs, scene).await?,
            workflows: get::<Vec<Workflow>>(blobs, workflows).await?,
        });
        let mut kept = self.kept();
        if kept.len() >= MOST_KEPT {
            kept.pop_first();
        }
        kept.insert(key, Arc::clone(&library));
        Ok(library)
    }
}

async fn put<T: Serialize + Sync>(blobs: &dyn Blobs, value: &T) -> Result<BlobId, BlobError> {
    let text = serde_json::to_vec(value).map_err(|error| BlobError::Store(error.to_string()))?;
    blobs.put(Arc::new(text)).await
}

async fn get<T: DeserializeOwned>(blobs: &dyn Blobs, id: &BlobId) -> Result<T, BlobError> {
    let text = blobs.get(id).await?;
    serde_json::from_slice(&text).map_err(|_| BlobError::Damaged(id.clone()))
}
