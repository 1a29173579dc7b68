//! The data folder: its owner and its layout.

use std::fs::{self, File, TryLockError};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The maximum length of a socket path that every system accepts, in bytes.
const LONGEST_SOCKET: usize = 100;

/// A data folder and the paths in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    root: PathBuf,
}

/// The reason for which a folder cannot be owned.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder cannot be created or written.
    #[error("cannot use the data folder: {path}: {why}")]
    Unusable {
        /// The path of the folder or of a file in it.
        path: String,
        /// The error message of the system.
        why: String,
    },
    /// The path is too long for a socket in the folder.
    #[error("the path of the data folder {0} is too long: at most {longest} bytes are allowed", longest = LONGEST_SOCKET - 13)]
    TooLong(String),
    /// Another process owns the folder.
    #[error("another praxis process owns the data folder {0}")]
    Owned(String),
}

/// The right to write to a data folder; released on drop, or when the process dies.
#[derive(Debug)]
pub struct Ownership {
    _lock: File,
}

/// Creates a folder and its parents, so that they survive a power loss.
pub(crate) fn make_folder(path: &Path) -> std::io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = above(path);
    make_folder(above)?;
    fs::create_dir_all(path)?;
    sync_folder(above)
}

fn above(path: &Path) -> &Path {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    above.unwrap_or(Path::new("."))
}

/// Syncs a folder: without it, new names in the folder may be lost with the power.
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}

impl DataFolder {
    /// Refers to a folder that may not exist yet.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Returns the path of the folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.root.join("praxis.db")
    }

    /// Returns the folder of the blobs.
    pub fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    /// Returns the path of the experience file.
    pub fn experiences(&self) -> PathBuf {
        self.root.join("experiences.jsonl")
    }

    /// Returns the folder of the snapshots of long tasks.
    pub fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    /// Returns the folder of the cards that record what was learnt about model endpoints.
    pub fn cards(&self) -> PathBuf {
        self.root.join("cards")
    }

    /// Returns the folder in which built-in tools keep their files.
    pub fn tools_home(&self) -> PathBuf {
        self.root.join("tools")
    }

    /// Returns the folder of the keepers' lock files.
    pub fn keepers(&self) -> PathBuf {
        self.root.join("keepers")
    }

    /// Returns the folder of the programs' stderr logs.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// Returns the log of an owner that runs in the background.
    pub fn owner_log(&self) -> PathBuf {
        self.root.join("owner.log")
    }

    /// Returns the path of the socket on which the owner listens.
    pub fn control_socket(&self) -> PathBuf {
        self.root.join("control.sock")
    }

    /// Creates the folder if it does not exist, accessible to its user only.
    pub fn make(&self) -> Result<(), FolderError> {
        use std::os::unix::fs::DirBuilderExt;
        if self.root.exists() {
            return Ok(());
        }
        let make = || {
            let above = above(&self.root);
            make_folder(above)?;
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.root)?;
            sync_folder(above)
        };
        make().map_err(|error| self.unusable(&error))
    }

    /// Returns true if a process listens on the control socket, and so drives the tasks of this folder.
    pub fn has_owner(&self) -> bool {
        UnixStream::connect(self.control_socket()).is_ok()
    }

    /// Creates the folder and takes ownership of it.
    pub fn own(&self) -> Result<Ownership, FolderError> {
        self.make()?;
        if self.control_socket().as_os_str().len() > LONGEST_SOCKET {
            return Err(FolderError::TooLong(self.root.display().to_string()));
        }
        let path = self.root.join("owner.lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(|error| FolderError::unusable(&path, &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Ownership { _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(FolderError::Owned(self.root.display().to_string()))
            }
            Err(TryLockError::Error(error)) => Err(self.unusable(&error)),
        }
    }

    fn unusable(&self, error: &std::io::Error) -> FolderError {
        FolderError::unusable(&self.root, error)
    }
}

impl FolderError {
    /// Creates an `Unusable` error for the folder or a path in it.
    pub fn unusable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unusable { path: path.display().to_string(), why: error.to_string() }
    }
}
