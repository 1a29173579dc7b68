//! `write_text_file`: writes a text to a file.

use super::place::{self, IfExists};
use crate::error::{BuiltinError, arguments};
use crate::local::CallContext;
use praxis_core::problem::Bilingual;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The maximum size of the text.
const MOST_BYTES: usize = 16 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteTextFileArguments {
    path: PathBuf,
    text: String,
    #[serde(default)]
    if_exists: IfExists,
}

/// Writes the text, whole or not at all.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let WriteTextFileArguments { path, text, if_exists } = arguments(value)?;
    if text.len() > MOST_BYTES {
        return Err(BuiltinError::argument("/text", too_long()));
    }
    let written = place::write(&path, &text, if_exists, job)?;
    Ok(json!({
        "written_path": written.path.to_string_lossy(),
        "byte_count": text.len(),
        "replaced": written.replaced,
    }))
}

fn too_long() -> Bilingual {
    let en = "the text is longer than 16 MiB; write several files";
    (en, "文本超过 16 MiB；请分成多个文件写入").into()
}

#[cfg(test)]
mod tests {
    use crate::testing::{failed, run};
    use praxis_core::fault::Fault;
    use serde_json::{Value, json};
    use std::fs;
    use std::path::Path;

    fn write(home: &Path, path: &str, text: &str, if_exists: &str) -> Result<Value, Fault> {
        let asked = json!({"path": home.join(path), "text": text, "if_exists": if_exists});
        run("write_text_file", home, asked)
    }

    #[test]
    fn a_file_is_written_with_the_folders_on_its_way_and_nothing_is_left_beside_it() {
        let home = tempfile::tempdir().unwrap();
        let output = write(home.path(), "new/er/a.txt", "负荷", "fail").unwrap();
        assert_eq!((&output["byte_count"], &output["replaced"]), (&json!(6), &json!(false)));
        assert_eq!(fs::read_to_string(home.path().join("new/er/a.txt")).unwrap(), "负荷");
        assert_eq!(fs::read_dir(home.path().join("new/er")).unwrap().count(), 1);
    }

    #[test]
    fn another_file_is_replaced_only_if_that_is_said() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("a.txt"), "mine").unwrap();
        let (message, retryable) = failed(write(home.path(), "a.txt", "new", "fail"));
        assert!(
            message
                .ends_with("already exists; choose another name, or set `if_exists` to `replace`")
        );
        assert!(!retryable);
        assert_eq!(fs::read_to_string(home.path().join("a.txt")).unwrap(), "mine");
        assert_eq!(write(home.path(), "a.txt", "new", "replace").unwrap()["replaced"], true);
        assert_eq!(fs::read_to_string(home.path().join("a.txt")).unwrap(), "new");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_same_call_made_twice_is_the_same_as_once() {
        let home = tempfile::tempdir().unwrap();
        let first = write(home.path(), "a.txt", "text", "fail");
        assert_eq!(write(home.path(), "a.txt", "text", "fail"), first);
    }

    #[test]
    fn nothing_is_written_outside_of_the_folders_through_a_link_or_over_a_folder() {
        let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), home.path().join("link")).unwrap();
        for path in ["link/a.txt", "../a.txt", ".bashrc", "link/new/a.txt"] {
            let result = write(home.path(), path, "x", "replace");
            assert_eq!(result.unwrap_err().code(), "call_refused", "{path}");
        }
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
        fs::create_dir(home.path().join("sub")).unwrap();
        assert!(
            failed(write(home.path(), "sub", "x", "replace"))
                .0
                .ends_with("is a folder, not a file")
        );
        // A dangling link is replaced by the file; nothing is created at its target.
        std::os::unix::fs::symlink(other.path().join("gone"), home.path().join("dangling"))
            .unwrap();
        write(home.path(), "dangling", "x", "replace").unwrap();
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
