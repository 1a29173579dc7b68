//! Restricts the files that tools may touch to granted folders.
//!
//! - in: a path as written
//! - out: its real location, if that is inside one of the allowed folders
//! - never: follows `..` or a link out of them, opens a hidden file such as `.env`, or reveals the existence of
//!   anything outside. Not protected against a program that swaps folders for links during a call

use std::fs;
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// The folders that tools may and may not touch.
#[derive(Clone, Debug, Default)]
pub struct FolderGrants {
    /// Folders that may be touched, with everything in them that is not hidden: no name starts with a dot.
    pub allowed: Vec<PathBuf>,
    /// Folders that may not be touched, even inside allowed ones, such as the data folder with the journal.
    pub denied: Vec<PathBuf>,
    /// Folders that are allowed although they are inside a denied one: files that Praxis itself provides for tools.
    pub provided: Vec<PathBuf>,
    /// The base of relative paths; the current folder of the process by default.
    pub base: Option<PathBuf>,
}

/// Locates paths inside the granted folders.
#[derive(Debug)]
pub struct Fence(FolderGrants);

/// A path inside the fence.
#[derive(Debug, PartialEq, Eq)]
pub struct FencedPath {
    /// The real path; the part that does not exist yet is as written.
    pub real: PathBuf,
    /// True if something exists there.
    pub exists: bool,
}

/// The error of a path that is hidden or outside of the allowed folders. It does not reveal if something exists there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.words().0)]
pub struct OutsideFence {
    path: PathBuf,
    allowed: Vec<PathBuf>,
}

impl OutsideFence {
    /// Returns the message in English and in Chinese.
    pub fn words(&self) -> (String, String) {
        let allowed: Vec<String> =
            self.allowed.iter().map(|f| format!("`{}`", f.display())).collect();
        let (path, allowed_zh) = (self.path.display(), allowed.join("、"));
        let allowed = allowed.join(", ");
        let en = format!(
            "`{path}` is hidden, or outside of the folders that tools may use ({allowed}); the setting \
             tools.folders names them"
        );
        let zh = format!(
            "不允许访问 `{path}`：工具只能访问 {allowed_zh} 下的非隐藏文件；如需放行，请加入设置项 `tools.folders`"
        );
        (en, zh)
    }
}

impl Fence {
    /// Creates a fence around some folders.
    pub fn around(folders: &FolderGrants) -> Self {
        Self(folders.clone())
    }

    /// Locates a path, which need not exist. A relative path starts from `base`, or from the current folder.
    pub fn find(&self, path: &Path) -> Result<FencedPath, OutsideFence> {
        let base = self.0.base.as_ref().filter(|_| !path.as_os_str().is_empty());
        let started = base.map(|base| base.join(path));
        let place = locate(started.as_deref().unwrap_or(path));
        place.filter(|place| self.holds(&place.real)).ok_or_else(|| self.outside(path))
    }

    /// Returns true if a path, with all its links resolved, is inside the fence.
    pub fn holds(&self, real: &Path) -> bool {
        let below = |folder: &PathBuf| {
            let folder = fs::canonicalize(folder).ok()?;
            real.strip_prefix(folder).ok()
        };
        let is_plain = |rest: &Path| !rest.components().any(|part| is_hidden(part.as_os_str()));
        let is_allowed = self.0.allowed.iter().filter_map(below).any(is_plain);
        let is_denied = self.0.denied.iter().find_map(below).is_some();
        (is_allowed && !is_denied) || self.0.provided.iter().filter_map(below).any(is_plain)
    }

    fn outside(&self, path: &Path) -> OutsideFence {
        OutsideFence { path: path.to_owned(), allowed: self.0.allowed.clone() }
    }
}

fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Resolves all links in the part of the path that exists. The rest must contain only plain names.
fn locate(path: &Path) -> Option<FencedPath> {
    let absolute = std::path::absolute(path).ok()?;
    let mut missing: Vec<PathBuf> = Vec::new();
    for part in absolute.ancestors() {
        if let Ok(real) = fs::canonicalize(part) {
            let exists = missing.is_empty();
            let rest: PathBuf = missing.iter().rev().collect();
            return Some(FencedPath { real: if exists { real } else { real.join(rest) }, exists });
        }
        match part.components().next_back()? {
            Component::Normal(name) => missing.push(PathBuf::from(name)),
            Component::ParentDir | Component::CurDir => return None,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Creates a folder inside the fence and one outside of it.
    fn world() -> (tempfile::TempDir, PathBuf, Fence) {
        let world = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(world.path()).unwrap();
        let folders =
            ["inside/deep", "inside/.git", "inside/data/examples", "outside", "inside_not"];
        for folder in folders {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["inside/a.txt", "inside/deep/b.txt", "outside/c.txt", "inside_not/d.txt"] {
            fs::write(root.join(file), "x").unwrap();
        }
        symlink(root.join("outside"), root.join("inside/way_out")).unwrap();
        symlink(root.join("outside/c.txt"), root.join("inside/c.txt")).unwrap();
        symlink(root.join("outside/new.txt"), root.join("inside/dangling")).unwrap();
        symlink(root.join("inside/deep"), root.join("outside/way_in")).unwrap();
        let (allowed, denied) = (vec![root.join("inside")], vec![root.join("inside/data")]);
        let provided = vec![root.join("inside/data/examples")];
        let fence = Fence::around(&FolderGrants { allowed, denied, provided, base: None });
        (world, root, fence)
    }

    #[test]
    fn what_is_inside_is_found_however_it_is_written() {
        let (_world, root, fence) = world();
        for (written, real, exists) in [
            ("inside", "inside", true),
            ("inside/a.txt", "inside/a.txt", true),
            ("inside/deep/../a.txt", "inside/a.txt", true),
            ("outside/way_in/b.txt", "inside/deep/b.txt", true),
            ("inside/new/er/file.txt", "inside/new/er/file.txt", false),
            ("inside/data/examples/x.csv", "inside/data/examples/x.csv", false),
            // The link itself is inside. A file written there replaces the link.
            ("inside/dangling", "inside/dangling", false),
        ] {
            let found = fence.find(&root.join(written)).unwrap();
            assert_eq!(found, FencedPath { real: root.join(real), exists }, "{written}");
        }
    }

    #[test]
    fn a_relative_path_starts_from_the_folder_that_was_named() {
        let (_world, root, Fence(folders)) = world();
        let fence = Fence::around(&FolderGrants { base: Some(root.join("inside")), ..folders });
        for (written, real, exists) in [
            ("a.txt", "inside/a.txt", true),
            ("./deep", "inside/deep", true),
            ("new", "inside/new", false),
        ] {
            let found = fence.find(Path::new(written)).unwrap();
            assert_eq!(found, FencedPath { real: root.join(real), exists }, "{written}");
        }
        let whole = root.join("inside/deep/b.txt");
        assert_eq!(fence.find(&whole).unwrap(), FencedPath { real: whole, exists: true });
        for written in ["../outside/c.txt", "way_out/c.txt", ".env", ""] {
            let path = Path::new(written);
            assert_eq!(fence.find(path), Err(fence.outside(path)), "{written}");
        }
    }

    #[test]
    fn nothing_outside_is_found_and_nothing_is_told_of_it() {
        let (_world, root, fence) = world();
        for written in [
            "outside/c.txt",
            "outside/none.txt",
            "inside_not/d.txt",
            "inside/../outside/c.txt",
            "inside/none/../../outside/c.txt",
            "inside/way_out/c.txt",
            "inside/way_out/new.txt",
            "inside/c.txt",
            "inside/.env",
            "inside/.git/config",
            "inside/data",
            "inside/data/journal.db",
            "inside/data/examples/../journal.db",
            "inside/data/examples/.hidden",
            "inside/data/examples_not/x",
            "inside/none/.hidden/x",
            "",
            "inside/deep/../..",
        ] {
            let path = root.join(written);
            assert_eq!(fence.find(&path), Err(fence.outside(&path)), "{written}");
        }
        let (en, zh) = fence.find(Path::new("/etc/passwd")).unwrap_err().words();
        assert!(en.ends_with("; the setting tools.folders names them"), "{en}");
        assert!(zh.ends_with("请加入设置项 `tools.folders`"), "{zh}");
    }
}
