//! Reads files up to a size limit, and replaces files atomically.
//!
//! - never: reads anything but a regular file, or leaves a partly written file in place of a whole one

use super::error::{BuiltinError, FileOperation};
use super::local::CallContext;
use super::wording::prefixed;
use praxis_core::hash::content_hash;
use praxis_core::problem::Bilingual;
use praxis_fence::{MOST_BYTES, must_be_file};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// The content of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileContent {
    /// Valid UTF-8 text.
    Text(String),
    /// Content that is not text or is too long, with the reason.
    NoText(Bilingual),
}

/// Reads a file. A missing file is an error; a file that is not text is returned as `FileContent::NoText`.
pub(crate) fn read(path: &Path) -> Result<FileContent, BuiltinError> {
    must_be_file(path)?;
    let failed = |error: io::Error| BuiltinError::file(FileOperation::Read, path, &error);
    let mut bytes = Vec::new();
    let bounded = File::open(path).map_err(failed)?.take(MOST_BYTES + 1);
    let length = io::BufReader::new(bounded).read_to_end(&mut bytes).map_err(failed)?;
    if length as u64 > MOST_BYTES {
        let most = MOST_BYTES / 1024 / 1024;
        let why = (format!("the file is larger than {most} MiB"), format!("文件大于 {most} MiB"));
        return Ok(FileContent::NoText(why.into()));
    }
    Ok(String::from_utf8(bytes).map_or_else(
        |error| {
            let at = error.utf8_error().valid_up_to();
            let en = format!("byte {at} is not valid UTF-8");
            FileContent::NoText((en, format!("第 {at} 字节不是有效的 UTF-8")).into())
        },
        FileContent::Text,
    ))
}

/// Reads a file that must hold text.
pub(crate) fn read_text(path: &Path) -> Result<String, BuiltinError> {
    match read(path)? {
        FileContent::Text(text) => Ok(text),
        FileContent::NoText(why) => {
            let path = path.display();
            let (en, zh) = (format!("cannot read `{path}`: "), format!("无法读取 `{path}`："));
            Err(BuiltinError::Failed(prefixed(en, zh, &why)))
        }
    }
}

/// The treatment of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExistingFile {
    /// Replaces the file.
    Replaced,
    /// Keeps the file; writing fails with `AlreadyExists`.
    Kept,
}

/// Replaces a file with `text`: atomically, durably, and only if the call was not dropped.
pub(crate) fn replace(path: &Path, text: &str, job: &CallContext) -> Result<(), BuiltinError> {
    put(path, text, ExistingFile::Replaced, job)?
        .map_err(|error| BuiltinError::file(FileOperation::Write, path, &error))
}

/// Writes a file like [`replace`]. The inner error is that of the file system.
pub(crate) fn put(
    path: &Path,
    text: &str,
    standing: ExistingFile,
    job: &CallContext,
) -> Result<io::Result<()>, BuiltinError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        let path = path.display();
        let en = format!("`{path}` is not a valid file name");
        return Err(BuiltinError::failed((en, format!("`{path}` 不是有效的文件名"))));
    };
    // Two calls never share a temporary file, nor do two attempts of one call.
    let unique = content_hash(format!("{}#{}", job.key, job.attempt).as_bytes());
    let short = unique.get(..12).unwrap_or(&unique);
    let temporary = folder.join(format!(".{}.{short}.tmp", name.to_string_lossy()));
    let land = || match standing {
        ExistingFile::Replaced => fs::rename(&temporary, path),
        // A hard link fails if the path exists, so no file is overwritten.
        ExistingFile::Kept => fs::hard_link(&temporary, path),
    };
    let landed = match write_through(&temporary, text) {
        Ok(()) => job.gate.run(land),
        Err(error) => Ok(Err(error)),
    };
    if standing == ExistingFile::Kept || !matches!(landed, Ok(Ok(()))) {
        let _ = fs::remove_file(&temporary);
    }
    // Not every system can sync a folder; the content of the file is synced already.
    let _ = File::open(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .and_then(|folder| folder.sync_all());
    landed
}

fn write_through(path: &Path, text: &str) -> io::Result<()> {
    // A file at this path was left by a crash, or is a link planted to redirect the write.
    let _ = fs::remove_file(path);
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
