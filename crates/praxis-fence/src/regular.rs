//! Regular files: the check for one, the size limit, and the errors of the file system in words.

use std::path::{Path, PathBuf};
use std::{fs, io};
use thiserror::Error;

/// The maximum size of a file that tools read, in bytes.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The reason why a path cannot be read as a file.
#[derive(Debug, Error)]
#[error("{}", self.words().0)]
pub enum NotAFile {
    /// No file exists at the path.
    Missing(PathBuf),
    /// The path is a folder, a pipe or a device.
    OtherKind(PathBuf),
    /// The file system refuses to describe the path.
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the file system.
        error: io::Error,
    },
}

impl NotAFile {
    /// Returns the message in English and in Chinese.
    pub fn words(&self) -> (String, String) {
        match self {
            Self::Missing(path) => {
                let path = path.display();
                (format!("file `{path}` does not exist"), format!("找不到文件 `{path}`"))
            }
            Self::OtherKind(path) => {
                let path = path.display();
                (format!("`{path}` is not a file"), format!("`{path}` 不是文件"))
            }
            Self::Unreadable { path, error } => {
                let (path, (en, zh)) = (path.display(), io_words(error));
                (format!("cannot read `{path}`: {en}"), format!("无法读取 `{path}`：{zh}"))
            }
        }
    }

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

/// Describes the common errors of a file system in English and in Chinese; others have the system's text in both.
pub fn io_words(error: &io::Error) -> (String, String) {
    let (en, zh) = match error.kind() {
        io::ErrorKind::NotFound => ("the path does not exist", "路径不存在"),
        io::ErrorKind::PermissionDenied => ("permission denied", "权限不足"),
        io::ErrorKind::IsADirectory => ("it is a folder", "它是文件夹"),
        io::ErrorKind::NotADirectory => ("a part of its path is a file", "路径中有一级是文件"),
        io::ErrorKind::AlreadyExists => ("a file with this name already exists", "已有同名文件"),
        io::ErrorKind::StorageFull => ("the disk is full", "磁盘已满"),
        io::ErrorKind::QuotaExceeded => ("the disk quota is used up", "磁盘配额已用完"),
        io::ErrorKind::ReadOnlyFilesystem => ("the disk is read-only", "磁盘是只读的"),
        io::ErrorKind::InvalidFilename => ("the file name is not valid", "文件名无效"),
        io::ErrorKind::ResourceBusy => ("it is in use", "正被占用"),
        _ => return (error.to_string(), error.to_string()),
    };
    (en.to_owned(), zh.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_no_file_is_told_in_both_languages() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "x").unwrap();
        let below = folder.path().display().to_string();
        let told = |name: &str| must_be_file(&folder.path().join(name)).unwrap_err().words();
        assert_eq!(
            told("none"),
            (format!("file `{below}/none` does not exist"), format!("找不到文件 `{below}/none`"))
        );
        assert_eq!(told(""), (format!("`{below}/` is not a file"), format!("`{below}/` 不是文件")));
        assert_eq!(
            told("a.txt/b"),
            (
                format!("cannot read `{below}/a.txt/b`: a part of its path is a file"),
                format!("无法读取 `{below}/a.txt/b`：路径中有一级是文件")
            )
        );
    }

    #[test]
    fn an_error_without_words_of_ours_keeps_those_of_the_system() {
        let odd = io::Error::other("odd");
        assert_eq!(io_words(&odd), ("odd".to_owned(), "odd".to_owned()));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(io_words(&full), ("the disk is full".to_owned(), "磁盘已满".to_owned()));
    }
}
