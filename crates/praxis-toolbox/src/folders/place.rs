//! Writes a file of the caller: atomically, inside the fence, and over an existing file only if told to.

use crate::error::{BuiltinError, FileOperation};
use crate::files::{self, ExistingFile};
use crate::local::CallContext;
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The treatment of an existing file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IfExists {
    /// The call fails, unless the file has the same content.
    #[default]
    Fail,
    /// The file is replaced.
    Replace,
}

/// The result of a write.
pub(crate) struct WrittenFile {
    /// The canonical path of the file.
    pub(crate) path: PathBuf,
    /// True if an existing file was replaced.
    pub(crate) replaced: bool,
}

/// Writes a text file; missing parent folders are created.
pub(crate) fn write(
    path: &Path,
    text: &str,
    if_exists: IfExists,
    job: &CallContext,
) -> Result<WrittenFile, BuiltinError> {
    let place = job.fence.find(path)?;
    if place.real.is_dir() {
        let path = path.display();
        let en = format!("`{path}` is a folder, not a file");
        return Err(BuiltinError::failed((en, format!("`{path}` 是文件夹，不是文件"))));
    }
    make_folders(&place.real, job)?;
    let standing = match if_exists {
        IfExists::Fail => ExistingFile::Kept,
        IfExists::Replace => ExistingFile::Replaced,
    };
    let done = |replaced| WrittenFile { path: place.real.clone(), replaced };
    match files::put(&place.real, text, standing, job)? {
        Ok(()) => Ok(done(place.exists && if_exists == IfExists::Replace)),
        // A retried call finds the file that its first attempt wrote, so the same content counts as success.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if says(&place.real, text) {
                return Ok(done(false));
            }
            let path = path.display();
            Err(BuiltinError::failed((
                format!(
                    "`{path}` already exists; choose another name, or set `if_exists` to `replace`"
                ),
                format!("`{path}` 已存在；请换一个名称，或将 `if_exists` 设为 `replace`"),
            )))
        }
        Err(error) => Err(BuiltinError::file(FileOperation::Write, path, &error)),
    }
}

fn says(path: &Path, text: &str) -> bool {
    let as_long = fs::metadata(path).is_ok_and(|found| found.len() == text.len() as u64);
    as_long && files::read_text(path).is_ok_and(|found| found == text)
}

fn make_folders(path: &Path, job: &CallContext) -> Result<(), BuiltinError> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let made = job.gate.run(|| fs::create_dir_all(folder))?;
    made.map_err(|error| BuiltinError::file(FileOperation::Create, folder, &error))
}
