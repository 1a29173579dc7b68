//! Reads files with a bound, and replaces files in one go.
//!
//! - never: reads what is no regular file, or leaves half of a file where a whole one was

use super::local::CallContext;
use super::trouble::ToolTrouble;
use praxis_core::hash::content_hash;
use praxis_fence::{MOST_BYTES, must_be_file};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// What stands in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileContent {
    /// Text.
    Text(String),
    /// Something that cannot be read as text, and why.
    NoText(String),
}

/// Reads a file. It is an error if there is none; that it holds no text is content.
pub(crate) fn read(path: &Path) -> Result<FileContent, ToolTrouble> {
    must_be_file(path)?;
    let failed = |error: io::Error| ToolTrouble::file("read", path, &error);
    let mut bytes = Vec::new();
    let bounded = File::open(path).map_err(failed)?.take(MOST_BYTES + 1);
    let length = io::BufReader::new(bounded).read_to_end(&mut bytes).map_err(failed)?;
    if length as u64 > MOST_BYTES {
        let most = MOST_BYTES / 1024 / 1024;
        return Ok(FileContent::NoText(format!("the file is longer than {most} MiB")));
    }
    Ok(String::from_utf8(bytes).map_or_else(
        |error| {
            let at = error.utf8_error().valid_up_to();
            FileContent::NoText(format!("byte {at} is not valid UTF-8"))
        },
        FileContent::Text,
    ))
}

/// Reads a file that must hold text.
pub(crate) fn read_text(path: &Path) -> Result<String, ToolTrouble> {
    match read(path)? {
        FileContent::Text(text) => Ok(text),
        FileContent::NoText(why) => {
            Err(ToolTrouble::Failed(format!("`{}`: {why}", path.display())))
        }
    }
}

/// What happens to a file that is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExistingFile {
    /// It is replaced.
    Replaced,
    /// It stays, and writing is an error of the kind `AlreadyExists`.
    Kept,
}

/// Replaces a file by `text`: whole, durable, and only while the call is wanted.
pub(crate) fn replace(path: &Path, text: &str, job: &CallContext) -> Result<(), ToolTrouble> {
    put(path, text, ExistingFile::Replaced, job)?
        .map_err(|error| ToolTrouble::file("written", path, &error))
}

/// Writes a file as [`replace`] does. The inner error is that of the file system.
pub(crate) fn put(
    path: &Path,
    text: &str,
    standing: ExistingFile,
    job: &CallContext,
) -> Result<io::Result<()>, ToolTrouble> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ToolTrouble::Failed(format!("`{}` is no name for a file", path.display())));
    };
    // Two calls never share a temporary file, nor do two attempts of one.
    let unique = content_hash(format!("{}#{}", job.key, job.attempt).as_bytes());
    let short = unique.get(..12).unwrap_or(&unique);
    let temporary = folder.join(format!(".{}.{short}.tmp", name.to_string_lossy()));
    let land = || match standing {
        ExistingFile::Replaced => fs::rename(&temporary, path),
        // A second name for the file, which cannot take the place of another one.
        ExistingFile::Kept => fs::hard_link(&temporary, path),
    };
    let landed = match write_through(&temporary, text) {
        Ok(()) => job.gate.pass(land),
        Err(error) => Ok(Err(error)),
    };
    if standing == ExistingFile::Kept || !matches!(landed, Ok(Ok(()))) {
        let _ = fs::remove_file(&temporary);
    }
    // Not every system lets a folder be synced; the file itself is safe already.
    let _ = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .and_then(|folder| folder.sync_all());
    landed
}

fn write_through(path: &Path, text: &str) -> io::Result<()> {
    // What lies there is left from a crash, or was put there to be written through.
    let _ = fs::remove_file(path);
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
