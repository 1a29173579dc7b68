use praxis_adapters::blobs::FileBlobs;
use praxis_adapters::sqlite::SqliteJournal;
use praxis_testkit::conformance;

// C-032, A-081
#[tokio::test]
async fn sqlite_is_a_journal() {
    let folder = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(&folder.path().join("praxis.db"), 64).unwrap();
    conformance::journal(&journal).await;
}

#[tokio::test]
async fn memory_is_a_journal() {
    conformance::journal(&praxis_testkit::memory::MemoryJournal::default()).await;
}

#[tokio::test]
async fn files_and_memory_are_blob_stores() {
    let folder = tempfile::tempdir().unwrap();
    conformance::blobs(&FileBlobs::open(folder.path()).unwrap()).await;
    conformance::blobs(&praxis_testkit::memory::MemoryBlobs::default()).await;
}
