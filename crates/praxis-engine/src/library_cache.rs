//! The pinned `Library` of a goal: stored as blobs when the task is accepted, loaded once and shared between tasks.

use crate::seams::{BlobError, Blobs};
use praxis_core::call::tool::Toolbox;
use praxis_core::goal::spec::GoalSpec;
use praxis_core::ids::BlobId;
use praxis_core::library::{Library, Lookup};
use praxis_core::prompt::Pack;
use praxis_core::route::scene::Scene;
use praxis_core::route::workflow::Workflow;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of libraries in memory.
const MOST_KEPT: usize = 16;

type LibraryKey = (IndexKey, BlobId, BlobId, BlobId);

/// The inputs of a tool index: a catalog, and the user's synonyms.
type IndexKey = (BlobId, Option<BlobId>);

/// Libraries by the blobs that they were loaded from.
#[derive(Default)]
pub(crate) struct LibraryCache(Mutex<BTreeMap<LibraryKey, Arc<Library>>>);

/// The blobs of a stored `Library`.
pub(crate) struct StoredLibrary {
    pub(crate) catalog: BlobId,
    pub(crate) pack: BlobId,
    pub(crate) scene: BlobId,
    pub(crate) workflows: BlobId,
    pub(crate) synonyms: Option<BlobId>,
}

impl LibraryCache {
    fn kept(&self) -> MutexGuard<'_, BTreeMap<LibraryKey, Arc<Library>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the catalog and its index from any cached library with the same `IndexKey`: another language or scene
    /// is no reason to index thousands of tools again.
    fn known(&self, index: &IndexKey) -> Option<(Arc<Toolbox>, Lookup)> {
        let kept = self.kept();
        let (_, library) = kept.iter().find(|((of, ..), _)| of == index)?;
        Some((Arc::clone(&library.catalog), library.lookup.clone()))
    }

    /// Stores the parts of a library as blobs.
    pub(crate) async fn store(
        &self,
        blobs: &dyn Blobs,
        library: &Library,
    ) -> Result<StoredLibrary, BlobError> {
        Ok(StoredLibrary {
            catalog: put(blobs, &*library.catalog).await?,
            pack: put(blobs, &library.pack).await?,
            scene: put(blobs, &library.scene).await?,
            workflows: put(blobs, &library.workflows).await?,
            synonyms: match library.synonyms.as_str() {
                "" => None,
                own => Some(put(blobs, &own).await?),
            },
        })
    }

    /// Returns the library that a task is pinned to.
    pub(crate) async fn library(
        &self,
        blobs: &dyn Blobs,
        spec: &GoalSpec,
    ) -> Result<Arc<Library>, BlobError> {
        let GoalSpec { catalog, pack, scene, workflows, synonyms, .. } = spec;
        let index = (catalog.clone(), synonyms.clone());
        let key = (index.clone(), pack.clone(), scene.clone(), workflows.clone());
        if let Some(library) = self.kept().get(&key) {
            return Ok(Arc::clone(library));
        }
        let (tools, lookup) = match self.known(&index) {
            Some(known) => known,
            None => (Arc::new(get::<Toolbox>(blobs, catalog).await?), Lookup::default()),
        };
        let library = Arc::new(Library {
            catalog: tools,
            lookup,
            pack: get::<Pack>(blobs, pack).await?,
            scene: get::<Scene>(blobs, scene).await?,
            workflows: get::<Vec<Workflow>>(blobs, workflows).await?,
            synonyms: match synonyms {
                Some(own) => get::<String>(blobs, own).await?,
                None => String::new(),
            },
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures::future::BoxFuture;
    use praxis_core::call::manifest;
    use praxis_core::hash::content_hash;
    use praxis_core::lang::Lang;
    use praxis_core::route::scene;
    use serde_json::json;

    /// The testkit has such a store too, but compiled against another build of this crate.
    #[derive(Default)]
    struct InMemory(Mutex<BTreeMap<BlobId, Vec<u8>>>);

    impl Blobs for InMemory {
        fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
            let id = BlobId::from(content_hash(&content));
            self.0.lock().unwrap().insert(id.clone(), content.to_vec());
            Box::pin(async { Ok(id) })
        }

        fn remove<'a>(&'a self, _: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>> {
            Box::pin(async { Ok(()) })
        }

        fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
            let content = self.0.lock().unwrap().get(id).cloned();
            Box::pin(async { content.ok_or_else(|| BlobError::Missing(id.clone())) })
        }
    }

    fn spec(stored: StoredLibrary) -> GoalSpec {
        let StoredLibrary { catalog, pack, scene, workflows, synonyms } = stored;
        serde_json::from_value(json!({"catalog": catalog, "tools": 1, "pack": pack, "scene": scene,
            "workflows": workflows, "synonyms": synonyms, "manner": {}}))
        .unwrap()
    }

    #[tokio::test]
    async fn tasks_of_one_catalog_share_its_index_whatever_their_language_and_a_changed_one_has_its_own()
     {
        let (shelf, blobs) = (LibraryCache::default(), InMemory::default());
        let mut shared = Vec::new();
        for (lang, about, own) in [
            (Lang::En, "one", ""),
            (Lang::Zh, "one", ""),
            (Lang::En, "two", ""),
            (Lang::En, "one", "one = look"),
        ] {
            let manifests = json!([{"id": "look", "builtin": "noop", "description": about}]);
            let tools = manifest::read(&manifests).unwrap().into_iter();
            let library = Library {
                pack: Pack::embedded(lang),
                scene: scene::embedded().remove(0),
                workflows: vec![],
                synonyms: own.to_owned(),
                catalog: Arc::new(tools.map(|tool| (tool.id.clone(), Arc::new(tool))).collect()),
                lookup: Lookup::default(),
            };
            let spec = spec(shelf.store(&blobs, &library).await.unwrap());
            shared.push(shelf.library(&blobs, &spec).await.unwrap());
        }
        let [en, zh, changed, with_own] = shared.as_slice() else { panic!("four libraries") };
        assert!(std::ptr::addr_eq(
            en.search(&praxis_planner::LexicalPlanner),
            zh.search(&praxis_planner::LexicalPlanner)
        ));
        assert!(!std::ptr::addr_eq(
            en.search(&praxis_planner::LexicalPlanner),
            changed.search(&praxis_planner::LexicalPlanner)
        ));
        assert!(
            !std::ptr::addr_eq(
                en.search(&praxis_planner::LexicalPlanner),
                with_own.search(&praxis_planner::LexicalPlanner)
            ),
            "synonyms are part of what is found"
        );
    }
}
