//! Lists and reads the files of a folder, sorted and within limits.

use praxis_core::problem::{Bilingual, Problem};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The maximum number of files in one folder.
const MAX_FILES: usize = 1000;

/// Returns the files of a folder that have one of these extensions, sorted by name. A missing folder is empty.
pub(super) fn files(folder: &Path, ends: &[&str], problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if is_absent(&error) => return vec![],
        Err(error) => {
            problems.push(unreadable(folder, &error));
            return vec![];
        }
    };
    let wanted = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| {
            let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
            let is_note = name.to_ascii_lowercase().starts_with("readme.");
            !name.starts_with('.')
                && !is_note
                && end.is_some_and(|end| ends.contains(&end.as_str()))
        })
    };
    let paths = listed.flatten().map(|entry| entry.path()).filter(wanted);
    let mut paths: Vec<PathBuf> = paths.take(MAX_FILES + 1).collect();
    paths.sort();
    if paths.len() > MAX_FILES {
        let words = (
            format!("the folder has more than {MAX_FILES} files"),
            format!("文件夹中的文件超过 {MAX_FILES} 个"),
        );
        let next = ("move or delete some of them", "请移走或删除一部分");
        problems.push(Problem::new("file_too_large", &shown(folder), words).next(next));
        paths.truncate(MAX_FILES);
    }
    paths
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Reads a file that lies within `root` after all symbolic links are resolved.
pub(super) fn read_within(root: &Path, path: &Path, most: u64) -> Result<Vec<u8>, Problem> {
    let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(path, &error));
    let (root, target) = (real(root)?, real(path)?);
    if !target.starts_with(&root) {
        let (root, target) = (root.display(), target.display());
        let words = (
            format!("this is a symbolic link to {target}, which is outside {root}"),
            format!("这是指向 {target} 的符号链接，目标在 {root} 之外"),
        );
        let next = ("replace the link with a copy of the file", "请用文件的副本替换该链接");
        return Err(Problem::new("file_unreadable", &shown(path), words).next(next));
    }
    read_bounded(path, most)
}

/// Reads a plain file of at most `most` bytes.
pub fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, Problem> {
    let failed = |error: io::Error| unreadable(path, &error);
    // Checked before opening: opening a pipe would wait for its other end.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        let words = ("not a regular file", "不是普通文件");
        return Err(Problem::new("file_unreadable", &shown(path), words));
    }
    let mut content = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_end(&mut content).map_err(failed)?;
    if content.len() as u64 > most {
        let kib = most / 1024;
        let words = (format!("larger than {kib} KiB"), format!("超过 {kib} KiB"));
        let next = ("make the file smaller", "请缩小文件");
        return Err(Problem::new("file_too_large", &shown(path), words).next(next));
    }
    Ok(content)
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let words = Bilingual::from((format!("cannot be read: {error}"), format!("无法读取：{error}")));
    Problem::new("file_unreadable", &shown(path), words)
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}
