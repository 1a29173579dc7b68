//! Snapshots as files.

use praxis_adapters::snapshots::FileSnapshots;
use praxis_core::ids::TaskId;
use praxis_engine::seams::Snapshots;
use praxis_testkit::{conformance, memory::MemorySnapshots};

#[tokio::test]
async fn files_and_memory_are_stores_of_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    conformance::snapshots(&FileSnapshots::new(folder.path())).await;
    conformance::snapshots(&MemorySnapshots::default()).await;
}

// C-032
#[tokio::test]
async fn three_versions_are_kept_and_what_a_killed_writer_left_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let (store, task) = (FileSnapshots::new(folder.path()), TaskId::from("task_a"));
    for seq in [1000, 2000, 4000, 8000] {
        store.put(&task, seq, vec![b'x'; 100_000]).await.unwrap();
        // Killed before the rename: half a file under a name that is no number.
        std::fs::write(folder.path().join("task_a/new"), b"half").unwrap();
    }
    assert_eq!(store.kept(&task).await, [8000, 4000, 2000]);
    let file = folder.path().join("task_a/8000");
    assert!(std::fs::metadata(&file).unwrap().len() < 1000, "it is compressed");
    // A power loss may leave the name without the content, or a part of it.
    let whole = std::fs::read(&file).unwrap();
    for cut in [0, whole.len() / 2] {
        std::fs::write(&file, &whole[..cut]).unwrap();
        assert_ne!(store.get(&task, 8000).await, Some(vec![b'x'; 100_000]), "cut at {cut}");
    }
    assert_eq!(store.get(&task, 4000).await, Some(vec![b'x'; 100_000]));
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_an_error_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("task_a"), b"a file where a folder should be").unwrap();
    let (store, task) = (FileSnapshots::new(folder.path()), TaskId::from("task_a"));
    assert!(store.put(&task, 1, vec![]).await.is_err());
    assert!(store.kept(&task).await.is_empty());
    assert_eq!(store.get(&task, 1).await, None);
}
