//! `list_folder`: lists the entries of a folder.

use crate::error::{BuiltinError, FileOperation, arguments};
use crate::local::CallContext;
use praxis_core::time::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The maximum number of listed entries.
const MOST_ENTRIES: usize = 10_000;
/// The maximum depth of a recursive listing.
const DEEPEST: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFolderArguments {
    folder: PathBuf,
    ending: Option<String>,
    name_contains: Option<String>,
    #[serde(default)]
    recursive: bool,
}

/// Lists files and folders sorted by path, without hidden entries and links that lead outside.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let asked: ListFolderArguments = arguments(value)?;
    let place = job.fence.find(&asked.folder)?;
    if !place.exists {
        let folder = asked.folder.display();
        let en = format!("folder `{folder}` does not exist");
        return Err(BuiltinError::failed((en, format!("找不到文件夹 `{folder}`"))));
    }
    if !place.real.is_dir() {
        let folder = asked.folder.display();
        let en = format!("`{folder}` is not a folder");
        return Err(BuiltinError::failed((en, format!("`{folder}` 不是文件夹"))));
    }
    let mut listing = FolderListing { job, asked: &asked, entries: Vec::new(), truncated: false };
    listing.enter(&place.real, DEEPEST)?;
    let FolderListing { entries, truncated, .. } = listing;
    let files = entries.iter().filter(|entry| entry["kind"] == "file").count();
    Ok(json!({"entries": entries, "file_count": files, "truncated": truncated}))
}

struct FolderListing<'a> {
    job: &'a CallContext,
    asked: &'a ListFolderArguments,
    entries: Vec<Value>,
    truncated: bool,
}

impl FolderListing<'_> {
    fn enter(&mut self, folder: &Path, depth: usize) -> Result<(), BuiltinError> {
        self.job.gate.check()?;
        let failed = |error| BuiltinError::file(FileOperation::List, folder, &error);
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            // A link counts by its target, which may be outside.
            let inside = fs::canonicalize(&path).is_ok_and(|real| self.job.fence.holds(&real));
            let hidden = !self.job.fence.holds(&path);
            let Ok(found) = fs::metadata(&path) else { continue };
            if !inside || hidden {
                continue;
            }
            if self.entries.len() == MOST_ENTRIES {
                self.truncated = true;
                return Ok(());
            }
            self.add(&path, &found);
            // Links are listed but not entered: two could form a cycle.
            if self.asked.recursive && found.is_dir() && !path.is_symlink() {
                match depth.checked_sub(1) {
                    Some(depth) => self.enter(&path, depth)?,
                    None => self.truncated = true,
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &Path, found: &Metadata) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let low = name.to_lowercase();
        let ends = |ending: &String| {
            low.ends_with(&format!(".{}", ending.trim_start_matches('.').to_lowercase()))
        };
        let holds = |part: &String| low.contains(&part.to_lowercase());
        let wanted = self.asked.ending.as_ref().is_none_or(ends)
            && self.asked.name_contains.as_ref().is_none_or(holds);
        if !wanted || !(found.is_file() || found.is_dir()) {
            return;
        }
        let is_file = found.is_file();
        self.entries.push(json!({
            "path": path.to_string_lossy(),
            "name": name,
            "kind": if is_file { "file" } else { "folder" },
            "size_bytes": is_file.then_some(found.len()),
            "modified": modified(found),
        }));
    }
}

/// Returns the modification time in UTC.
fn modified(found: &Metadata) -> Option<String> {
    let since = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let whole = Timestamp(u64::try_from(since.as_millis()).ok()?).to_string();
    whole.get(..19).map(|seconds| format!("{seconds}Z"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{failed, run};
    use serde_json::{Value, json};
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn world() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        let root = home.path();
        std::fs::create_dir_all(root.join("sub/deep")).unwrap();
        for file in ["b.csv", "a.CSV", ".env", "sub/load_1.csv", "sub/deep/x.txt", "sub/.git"] {
            std::fs::write(root.join(file), "12345").unwrap();
        }
        symlink("/etc", root.join("etc")).unwrap();
        symlink(root.join("sub"), root.join("sub/deep/round")).unwrap();
        home
    }

    fn listed(home: &Path, mut asked: Value) -> Vec<String> {
        asked["folder"] = json!(home);
        let output = run("list_folder", home, asked).unwrap();
        assert_eq!(output["truncated"], false);
        let real = std::fs::canonicalize(home).unwrap();
        let path =
            |entry: &Value| entry["path"].as_str().unwrap().replace(real.to_str().unwrap(), "");
        output["entries"].as_array().unwrap().iter().map(path).collect()
    }

    #[test]
    fn a_folder_is_listed_in_order_without_what_is_hidden_or_outside() {
        let home = world();
        assert_eq!(listed(home.path(), json!({})), ["/a.CSV", "/b.csv", "/sub"]);
        let all = [
            "/a.CSV",
            "/b.csv",
            "/sub",
            "/sub/deep",
            "/sub/deep/round",
            "/sub/deep/x.txt",
            "/sub/load_1.csv",
        ];
        assert_eq!(listed(home.path(), json!({"recursive": true})), all);
    }

    #[test]
    fn entries_are_picked_by_ending_and_name() {
        let home = world();
        let csv = listed(home.path(), json!({"recursive": true, "ending": ".csv"}));
        assert_eq!(csv, ["/a.CSV", "/b.csv", "/sub/load_1.csv"]);
        let load = listed(home.path(), json!({"recursive": true, "name_contains": "LOAD"}));
        assert_eq!(load, ["/sub/load_1.csv"]);
    }

    #[test]
    fn files_have_a_size_and_folders_have_none() {
        let home = world();
        let output = run("list_folder", home.path(), json!({"folder": home.path()})).unwrap();
        assert_eq!(output["file_count"], 2);
        assert_eq!(
            (&output["entries"][0]["size_bytes"], &output["entries"][0]["kind"]),
            (&json!(5), &json!("file"))
        );
        assert_eq!(
            (&output["entries"][2]["size_bytes"], &output["entries"][2]["kind"]),
            (&json!(null), &json!("folder"))
        );
    }

    #[test]
    fn a_folder_that_is_not_there_or_outside_is_refused() {
        let home = world();
        let gone = run("list_folder", home.path(), json!({"folder": home.path().join("gone")}));
        assert!(failed(gone).0.ends_with("` does not exist"));
        for folder in [home.path().join("etc"), home.path().join("..")] {
            let outside = run("list_folder", home.path(), json!({"folder": folder}));
            assert_eq!(outside.unwrap_err().code(), "call_refused");
        }
    }
}
