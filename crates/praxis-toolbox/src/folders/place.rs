//! Writes a file of the caller: whole, inside of the fence, and over another one only if told to.

use crate::files::{self, ExistingFile};
use crate::local::CallContext;
use crate::trouble::ToolTrouble;
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What happens to a file that is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IfExists {
    /// The call fails, unless the file says the same already.
    #[default]
    Fail,
    /// It is replaced.
    Replace,
}

/// What was written.
pub(crate) struct WrittenFile {
    /// Where it really is.
    pub(crate) path: PathBuf,
    /// Whether another file was there.
    pub(crate) replaced: bool,
}

/// Writes a text. Folders on the way are made.
pub(crate) fn write(
    path: &Path,
    text: &str,
    if_exists: IfExists,
    job: &CallContext,
) -> Result<WrittenFile, ToolTrouble> {
    let place = job.fence.find(path)?;
    if place.real.is_dir() {
        return Err(ToolTrouble::Failed(format!("`{}` is a folder, not a file", path.display())));
    }
    make_folders(&place.real, job)?;
    let standing = match if_exists {
        IfExists::Fail => ExistingFile::Kept,
        IfExists::Replace => ExistingFile::Replaced,
    };
    let done = |replaced| WrittenFile { path: place.real.clone(), replaced };
    match files::put(&place.real, text, standing, job)? {
        Ok(()) => Ok(done(place.exists && if_exists == IfExists::Replace)),
        // The call may have been made before: what it wrote then is what it would write now.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if says(&place.real, text) {
                return Ok(done(false));
            }
            let path = path.display();
            let advice = "give another name, or set if_exists to replace";
            Err(ToolTrouble::Failed(format!("`{path}` is there already; {advice}")))
        }
        Err(error) => Err(ToolTrouble::file("written", path, &error)),
    }
}

fn says(path: &Path, text: &str) -> bool {
    let as_long = fs::metadata(path).is_ok_and(|found| found.len() == text.len() as u64);
    as_long && files::read_text(path).is_ok_and(|found| found == text)
}

fn make_folders(path: &Path, job: &CallContext) -> Result<(), ToolTrouble> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let made = job.gate.pass(|| fs::create_dir_all(folder))?;
    made.map_err(|error| ToolTrouble::file("made", folder, &error))
}
