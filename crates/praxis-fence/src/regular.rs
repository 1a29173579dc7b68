//! What is read: regular files of a bounded length.

use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// The longest file that is read.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Why something cannot be read as a file.
#[derive(Debug, Error)]
pub enum NotAFile {
    /// Nothing is there.
    #[error("there is no file `{}`", .0.display())]
    Missing(PathBuf),
    /// It is a folder, a pipe or a device.
    #[error("`{}` is not a file", .0.display())]
    OtherKind(PathBuf),
    /// The file system does not tell what it is.
    #[error("`{}` cannot be read: {error}", .path.display())]
    Unreadable {
        /// Where it is.
        path: PathBuf,
        /// What the file system says.
        error: io::Error,
    },
}

impl NotAFile {
    /// Whether the same may succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Missing(_) | Self::OtherKind(_) => false,
            Self::Unreadable { error, .. } => may_pass(error),
        }
    }
}

/// Refuses folders, pipes and devices: some of them never end. Returns how long the file is.
pub fn must_be_file(path: &Path) -> Result<u64, NotAFile> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(found.len()),
        Ok(_) => Err(NotAFile::OtherKind(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(NotAFile::Missing(path.to_owned()))
        }
        Err(error) => Err(NotAFile::Unreadable { path: path.to_owned(), error }),
    }
}

/// Whether an error of the file system may be gone later: that of a full or busy disk may.
pub fn may_pass(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ResourceBusy
            | io::ErrorKind::Interrupted
            | io::ErrorKind::TimedOut
    )
}
