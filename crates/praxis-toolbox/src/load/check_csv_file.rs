//! `check_csv_file`: checks if a file can be used for a forecast, and lists its problems.

use super::readings::LoadTable;
use crate::error::{BuiltinError, arguments};
use crate::files::{self, FileContent};
use crate::local::CallContext;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckCsvFileArguments {
    file_path: PathBuf,
}

/// Reads and checks the file. The call fails only if the file does not exist or cannot be opened.
pub(crate) fn work(value: Value, job: &CallContext) -> Result<Value, BuiltinError> {
    let CheckCsvFileArguments { file_path } = arguments(value)?;
    let (table, problems) = match files::read(&job.fence.find(&file_path)?.real)? {
        FileContent::Text(text) => {
            let table = LoadTable::read(&text);
            let problems = table.problems();
            (table, problems)
        }
        FileContent::NoText(why) => (LoadTable::default(), vec![why.en]),
    };
    Ok(json!({
        "is_valid": problems.is_empty(),
        "row_count": table.rows,
        "columns": table.columns,
        "problems": problems,
    }))
}

#[cfg(test)]
mod tests {
    use crate::testing::{failed, run};
    use praxis_fence::MOST_BYTES;
    use serde_json::{Value, json};
    use std::path::Path;

    fn check(content: &[u8]) -> Value {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("load.csv");
        std::fs::write(&path, content).unwrap();
        run("check_csv_file", home.path(), json!({"file_path": path})).unwrap()
    }

    #[test]
    fn a_good_file_is_valid() {
        let output = check(b"timestamp,load_mw\n2024-01-01T00:00,1.5\n2024-01-01T01:00,2\n");
        let columns = ["timestamp", "load_mw"];
        let expected =
            json!({"is_valid": true, "row_count": 2, "columns": columns, "problems": []});
        assert_eq!(output, expected);
    }

    #[test]
    fn a_bad_file_is_an_answer_that_names_every_line() {
        let output = check(b"timestamp,load_mw\n2024-01-01T00:00,x\n2024-01-01T01:00,NaN\n");
        assert_eq!(output["is_valid"], false);
        assert_eq!(output["row_count"], 2);
        let problems =
            ["line 2: the load `x` is not a number", "line 3: the load `NaN` is not finite"];
        assert_eq!(output["problems"], json!(problems));
    }

    #[test]
    fn bytes_that_are_no_text_and_files_that_are_too_long_are_not_valid() {
        assert_eq!(check(b"a\xff")["problems"], json!(["byte 1 is not valid UTF-8"]));
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("long.csv");
        std::fs::File::create(&path).unwrap().set_len(MOST_BYTES + 1).unwrap();
        let output = run("check_csv_file", home.path(), json!({"file_path": path})).unwrap();
        assert_eq!(output["problems"], json!(["the file is larger than 64 MiB"]));
    }

    #[test]
    fn a_file_that_is_not_there_is_a_failure_that_is_not_tried_again() {
        let home = Path::new("/");
        let missing = run("check_csv_file", home, json!({"file_path": "/no/such.csv"}));
        assert_eq!(failed(missing), ("file `/no/such.csv` does not exist".to_owned(), false));
        let folder = run("check_csv_file", home, json!({"file_path": "/"}));
        assert_eq!(failed(folder), ("`/` is not a file".to_owned(), false));
    }
}
