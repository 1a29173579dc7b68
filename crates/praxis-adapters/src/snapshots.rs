//! Snapshots of long tasks as compressed files `<task>/<seq>`. They are written to a temporary file and renamed, but
//! never synced: the reader verifies them and skips one that a power loss left incomplete.

use flate2::Compression;
use flate2::bufread::ZlibDecoder;
use flate2::write::ZlibEncoder;
use futures::future::BoxFuture;
use praxis_core::ids::TaskId;
use praxis_core::replay::snapshot::MOST_BYTES;
use praxis_engine::seams::Snapshots;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Number of snapshots kept per task.
const VERSIONS: usize = 3;

/// A folder of snapshots.
pub struct FileSnapshots {
    folder: PathBuf,
}

impl FileSnapshots {
    /// Uses a folder, which is created with the first snapshot.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn of(&self, task: &TaskId) -> PathBuf {
        self.folder.join(task.as_str())
    }
}

/// Returns the numbers of the snapshots in a task's folder, newest first.
fn kept(folder: &Path) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut kept: Vec<u64> = numbers.collect();
    kept.sort_unstable_by(|one, other| other.cmp(one));
    kept
}

fn put(folder: &Path, seq: u64, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // One driver writes to a task's folder at a time; the leftover of a killed one is overwritten.
    let temporary = folder.join("new");
    let mut file = ZlibEncoder::new(File::create(&temporary)?, Compression::fast());
    file.write_all(content)?;
    file.finish()?;
    fs::rename(&temporary, folder.join(seq.to_string()))?;
    let (later, known): (Vec<u64>, Vec<u64>) = kept(folder).into_iter().partition(|n| *n > seq);
    for number in later.into_iter().chain(known.into_iter().skip(VERSIONS)) {
        fs::remove_file(folder.join(number.to_string()))?;
    }
    Ok(())
}

fn get(folder: &Path, seq: u64) -> io::Result<Vec<u8>> {
    let file = BufReader::new(File::open(folder.join(seq.to_string()))?);
    let mut content = Vec::new();
    // A damaged file could decompress to any size.
    ZlibDecoder::new(file).take(MOST_BYTES as u64 * 2).read_to_end(&mut content)?;
    Ok(content)
}

fn forget(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Runs file access on a blocking thread.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

impl Snapshots for FileSnapshots {
    fn put<'a>(
        &'a self,
        task: &'a TaskId,
        seq: u64,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<(), String>> {
        let folder = self.of(task);
        Box::pin(aside(move || put(&folder, seq, &content)))
    }

    fn kept<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Vec<u64>> {
        let folder = self.of(task);
        Box::pin(async { aside(move || Ok(kept(&folder))).await.unwrap_or_default() })
    }

    fn get<'a>(&'a self, task: &'a TaskId, seq: u64) -> BoxFuture<'a, Option<Vec<u8>>> {
        let folder = self.of(task);
        Box::pin(async move { aside(move || get(&folder, seq)).await.ok() })
    }

    fn forget<'a>(&'a self, task: &'a TaskId) -> BoxFuture<'a, Result<(), String>> {
        let folder = self.of(task);
        Box::pin(aside(move || forget(&folder)))
    }
}
