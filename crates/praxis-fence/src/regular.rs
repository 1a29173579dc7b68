//! Regular files: the check for one, and the size limit.

use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// The maximum size of a file that tools read, in bytes.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The reason why a path cannot be read as a file.
#[derive(Debug, Error)]
pub enum NotAFile {
    /// No file exists at the path.
    #[error("there is no file `{}`", .0.display())]
    Missing(PathBuf),
    /// The path is a folder, a pipe or a device.
    #[error("`{}` is not a file", .0.display())]
    OtherKind(PathBuf),
    /// The file system refuses to describe the path.
    #[error("`{}` cannot be read: {error}", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the file system.
        error: io::Error,
    },
}

impl NotAFile {
    /// Returns true if a retry may succeed.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Missing(_) | Self::OtherKind(_) => false,
            Self::Unreadable { error, .. } => may_pass(error),
        }
    }
}

/// Returns the length of a regular file. Rejects folders, pipes and devices: reading some of them never ends.
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

/// Returns true if an error is transient, such as a full or busy disk.
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
