//! The data folder: who owns it, and where things are in it.

use std::fs::{self, File, TryLockError};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The longest path of a socket on every system.
const LONGEST_SOCKET: usize = 100;

/// Places in a data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFolder {
    root: PathBuf,
}

/// Why a folder cannot be owned.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be made or written.
    #[error("the data folder cannot be used: {path}: {why}")]
    Unusable {
        /// Which.
        path: String,
        /// What the system said.
        why: String,
    },
    /// Its path is too long for a socket in it.
    #[error("the path of the data folder {0} is too long: at most {longest} bytes fit", longest = LONGEST_SOCKET - 13)]
    TooLong(String),
    /// Another process owns it.
    #[error("another praxis process owns the data folder {0}")]
    Owned(String),
}

/// The right to write to a data folder; given up when dropped, or when the process dies.
#[derive(Debug)]
pub struct Ownership {
    _lock: File,
}

/// Makes a folder, and those above it, so that they are there after a power loss.
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

/// Names in a folder are only there after a power loss if the folder was synced.
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}

impl DataFolder {
    /// A folder that may not exist yet.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.root.join("praxis.db")
    }

    /// The large values.
    pub fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    /// What finished tasks taught.
    pub fn experiences(&self) -> PathBuf {
        self.root.join("experiences.jsonl")
    }

    /// The states of long tasks.
    pub fn snapshots(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    /// What was learnt of the endpoints of models.
    pub fn cards(&self) -> PathBuf {
        self.root.join("cards")
    }

    /// Where built-in tools keep their files.
    pub fn tools_home(&self) -> PathBuf {
        self.root.join("tools")
    }

    /// Where keepers of programs hold their locks.
    pub fn keepers(&self) -> PathBuf {
        self.root.join("keepers")
    }

    /// Where the stderr of programs goes.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }

    /// What an owner in the background says.
    pub fn owner_log(&self) -> PathBuf {
        self.root.join("owner.log")
    }

    /// Where the owner listens.
    pub fn control_socket(&self) -> PathBuf {
        self.root.join("control.sock")
    }

    /// Makes the folder if it is not there, for nobody else's eyes.
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

    /// Whether some process drives the tasks of this folder now.
    pub fn has_owner(&self) -> bool {
        UnixStream::connect(self.control_socket()).is_ok()
    }

    /// Makes the folder and takes it.
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
    /// The folder, or a place in it, is not what it has to be.
    pub fn unusable(path: &Path, error: &std::io::Error) -> Self {
        Self::Unusable { path: path.display().to_string(), why: error.to_string() }
    }
}
