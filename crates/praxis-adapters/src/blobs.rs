//! Large values as files named by their hash. A file is written under a temporary name, synced and renamed, and its
//! folder is synced.

use crate::folder::{make_folder, sync_folder};
use futures::future::BoxFuture;
use praxis_core::hash::content_hash;
use praxis_core::ids::BlobId;
use praxis_engine::seams::{BlobError, Blobs};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A folder of blobs: `ab/abcdef…`.
pub struct FileBlobs {
    folder: PathBuf,
}

static NEXT_TEMPORARY: AtomicU64 = AtomicU64::new(0);

impl FileBlobs {
    /// Opens a folder of blobs; creates it if it does not exist.
    pub fn open(folder: &Path) -> std::io::Result<Self> {
        make_folder(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn place(&self, id: &BlobId) -> PathBuf {
        let shard = id.as_str().get(..2).unwrap_or("00");
        self.folder.join(shard).join(id.as_str())
    }
}

/// Reads a blob and checks its content against its hash.
pub fn read(folder: &Path, id: &BlobId) -> Result<Vec<u8>, BlobError> {
    let blobs = FileBlobs { folder: folder.to_owned() };
    let content = fs::read(blobs.place(id)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => BlobError::Missing(id.clone()),
        _ => BlobError::Store(error.to_string()),
    })?;
    if content_hash(&content) == id.as_str() {
        Ok(content)
    } else {
        Err(BlobError::Damaged(id.clone()))
    }
}

/// Creates the folder of a blob. Serialized, since another thread may have created the folder without having synced
/// it yet.
fn make_shard(folder: &Path) -> std::io::Result<()> {
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    make_folder(folder)
}

fn write(place: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    if fs::metadata(place).is_ok_and(|found| found.len() == content.len() as u64) {
        // The writer that stored it may not have synced the folder yet.
        return sync_folder(folder);
    }
    make_shard(folder)?;
    let number = NEXT_TEMPORARY.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".new-{}-{number}", std::process::id()));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    if let Err(error) = written.and_then(|()| fs::rename(&temporary, place)) {
        // A partial file is useless.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(folder)
}

impl Blobs for FileBlobs {
    fn put(&self, content: Arc<Vec<u8>>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        let folder = self.folder.clone();
        Box::pin(async move {
            let put = tokio::task::spawn_blocking(move || {
                let id = BlobId::from(content_hash(&content));
                let place = FileBlobs { folder }.place(&id);
                write(&place, &content).map(|()| id).map_err(|error| match error.kind() {
                    ErrorKind::StorageFull | ErrorKind::QuotaExceeded => BlobError::Full,
                    _ => BlobError::Store(error.to_string()),
                })
            });
            put.await.map_err(|error| BlobError::Store(error.to_string()))?
        })
    }

    fn remove<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<(), BlobError>> {
        let place = self.place(id);
        Box::pin(async move {
            match tokio::fs::remove_file(place).await {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(BlobError::Store(error.to_string()))
                }
                Ok(()) | Err(_) => Ok(()),
            }
        })
    }

    fn get<'a>(&'a self, id: &'a BlobId) -> BoxFuture<'a, Result<Vec<u8>, BlobError>> {
        let (folder, id) = (self.folder.clone(), id.clone());
        Box::pin(async move {
            let got = tokio::task::spawn_blocking(move || read(&folder, &id));
            got.await.map_err(|error| BlobError::Store(error.to_string()))?
        })
    }
}
