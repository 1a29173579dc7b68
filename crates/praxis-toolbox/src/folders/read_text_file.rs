//! `read_text_file`: reads the text of a file, or some of its lines.

use crate::error::{BuiltinError, arguments};
use crate::files;
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The maximum size of the returned text.
const MOST_BYTES: usize = 16 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadTextFileArguments {
    path: PathBuf,
    first_line: Option<usize>,
    most_lines: Option<usize>,
}

/// Reads a UTF-8 file. A text that is too long is cut after the last line that fits.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let ReadTextFileArguments { path, first_line, most_lines } = arguments(value)?;
    let first = first_line.unwrap_or(1);
    let positive = |at: &str| {
        BuiltinError::argument(at, ("must be at least 1, got 0", "必须至少为 1，实际为 0"))
    };
    if first == 0 {
        return Err(positive("/first_line"));
    }
    if most_lines == Some(0) {
        return Err(positive("/most_lines"));
    }
    let whole = files::read_text(&job.fence.find(&path)?.real)?;
    let whole = whole.strip_prefix('\u{feff}').unwrap_or(&whole);
    let lines = whole.lines().count();
    let (mut text, mut taken, mut cut) = (String::new(), 0_usize, false);
    for line in whole.split_inclusive('\n').skip(first - 1).take(most_lines.unwrap_or(usize::MAX)) {
        if text.len() + line.len() > MOST_BYTES {
            cut = true;
            break;
        }
        text.push_str(line);
        taken += 1;
    }
    if cut && taken == 0 {
        let en = format!("line {first} is longer than 16 MiB");
        return Err(BuiltinError::failed((en, format!("第 {first} 行超过 16 MiB"))));
    }
    let last = first - 1 + taken;
    Ok(json!({
        "file_text": text,
        "line_count": taken,
        "total_line_count": lines,
        "byte_count": text.len(),
        "truncated": last < lines,
        "next_line": (last < lines).then_some(last + 1),
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{failed, refused, run};
    use serde_json::{Value, json};
    use std::path::Path;

    fn read(
        home: &Path,
        content: &[u8],
        mut asked: Value,
    ) -> Result<Value, praxis_core::fault::Fault> {
        let path = home.join("note.txt");
        std::fs::write(&path, content).unwrap();
        asked["path"] = json!(path);
        run("read_text_file", home, asked)
    }

    #[test]
    fn a_file_is_read_whole_or_line_by_line() {
        let home = tempfile::tempdir().unwrap();
        let content = "\u{feff}一\r\ntwo\nthree".as_bytes();
        let whole = read(home.path(), content, json!({})).unwrap();
        let expected = json!({"file_text": "一\r\ntwo\nthree", "line_count": 3, "total_line_count": 3,
                              "byte_count": 14, "truncated": false, "next_line": null});
        assert_eq!(whole, expected);
        let part = read(home.path(), content, json!({"first_line": 2, "most_lines": 1})).unwrap();
        let expected = json!({"file_text": "two\n", "line_count": 1, "total_line_count": 3,
                              "byte_count": 4, "truncated": true, "next_line": 3});
        assert_eq!(part, expected);
        let beyond = read(home.path(), content, json!({"first_line": 9})).unwrap();
        assert_eq!((&beyond["file_text"], &beyond["truncated"]), (&json!(""), &json!(false)));
    }

    #[test]
    fn a_long_file_is_given_up_to_a_whole_line() {
        let home = tempfile::tempdir().unwrap();
        let line = "x".repeat(10 * 1024 * 1024) + "\n";
        let output = read(home.path(), line.repeat(2).as_bytes(), json!({})).unwrap();
        assert_eq!((&output["line_count"], &output["next_line"]), (&json!(1), &json!(2)));
        let long = "x".repeat(17 * 1024 * 1024);
        let result = read(home.path(), long.as_bytes(), json!({}));
        assert_eq!(failed(result).0, "line 1 is longer than 16 MiB");
    }

    #[test]
    fn what_is_no_text_hidden_or_outside_is_not_read() {
        let home = tempfile::tempdir().unwrap();
        let (message, _) = failed(read(home.path(), b"\xff", json!({})));
        assert!(message.ends_with("byte 0 is not valid UTF-8"), "{message}");
        std::fs::write(home.path().join(".env"), "PRAXIS_SECRET_X=1").unwrap();
        for path in [home.path().join(".env"), "/etc/passwd".into(), home.path().join("../x")] {
            let result = run("read_text_file", home.path(), json!({"path": path}));
            assert_eq!(result.unwrap_err().code(), "call_refused");
        }
        let zero = read(home.path(), b"a", json!({"first_line": 0}));
        assert_eq!(refused(zero), "/first_line must be at least 1, got 0");
        let zero = read(home.path(), b"a", json!({"most_lines": 0}));
        assert_eq!(refused(zero), "/most_lines must be at least 1, got 0");
    }
}
