use crate::testing::{failed, invocation, run, run_as};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn home_with_file() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("load.csv");
    std::fs::write(&file, "timestamp,load_mw\n2024-01-01T00:00,1.5\n2024-01-01T01:00,2\n").unwrap();
    (home, file)
}

fn add(home: &Path, key: &str, file: &Path) -> Value {
    let arguments = json!({"project_id": "p", "file_path": file});
    run_as("add_datasource", home, invocation(1, key, arguments)).unwrap()
}

#[test]
fn a_file_is_registered_uploaded_and_read_back() {
    let (home, file) = home_with_file();
    let added = add(home.path(), "k", &file);
    assert_eq!(added["datasource_name"], "load");
    let id = &added["datasource_id"];
    let uploaded = run("data_upload", home.path(), json!({"project_id": "p", "datasource_id": id}));
    assert_eq!(uploaded, Ok(json!({"upload_status": "success", "record_count": 2})));
    // The upload is a copy: the file may go.
    std::fs::remove_file(file).unwrap();
    let data = r#"[{"timestamp":"2024-01-01T00:00","load_mw":1.5},{"timestamp":"2024-01-01T01:00","load_mw":2.0}]"#;
    let got = run("get_data", home.path(), json!({"datasource_id": id}));
    assert_eq!(got, Ok(json!({"data_json": data, "record_count": 2})));
}

#[test]
fn the_same_key_gives_the_same_datasource_and_another_key_another_one() {
    let (home, file) = home_with_file();
    let first = add(home.path(), "task_1/step_2~1", &file);
    assert_eq!(first, add(home.path(), "task_1/step_2~1", &file));
    assert_ne!(first, add(home.path(), "task_1/step_2~2", &file));
    let registered = std::fs::read_dir(home.path().join("datasources")).unwrap();
    assert_eq!(registered.count(), 2);
}

#[test]
fn a_busy_store_is_tried_again_and_then_takes_the_data() {
    let (home, file) = home_with_file();
    let id = &add(home.path(), "k", &file)["datasource_id"];
    let arguments = json!({"project_id": "p", "datasource_id": id, "busy_times": 1});
    let attempt = |n| run_as("data_upload", home.path(), invocation(n, "u", arguments.clone()));
    assert_eq!(
        failed(attempt(1)),
        ("the data source is locked by another upload; try again later".to_owned(), true)
    );
    assert_eq!(attempt(2).unwrap()["record_count"], 2);
}

#[test]
fn a_project_cannot_upload_to_the_datasource_of_another() {
    let (home, file) = home_with_file();
    let id = add(home.path(), "k", &file)["datasource_id"].clone();
    let result = run("data_upload", home.path(), json!({"project_id": "q", "datasource_id": id}));
    let (message, retryable) = failed(result);
    assert!(message.ends_with("belongs to project `p`, not `q`"), "{message}");
    assert!(!retryable);
}

#[test]
fn a_file_with_bad_rows_is_not_uploaded() {
    let (home, file) = home_with_file();
    let id = add(home.path(), "k", &file)["datasource_id"].clone();
    for (content, why) in [
        (&b"timestamp,load_mw\n2024-01-01T00:00,NaN\n"[..], "line 2: the load `NaN` is not finite"),
        (&b"timestamp,load_mw\n\xff"[..], "byte 18 is not valid UTF-8"),
        (&b""[..], "the file is empty"),
    ] {
        std::fs::write(&file, content).unwrap();
        let arguments = json!({"project_id": "p", "datasource_id": id});
        let (message, retryable) = failed(run("data_upload", home.path(), arguments));
        assert!(message.ends_with(why) && !retryable, "{message}");
    }
    let got = failed(run("get_data", home.path(), json!({"datasource_id": id})));
    assert!(got.0.ends_with("` has no data yet; upload it with `data_upload`"), "{}", got.0);
}

#[test]
fn an_id_that_is_none_never_becomes_a_path() {
    let (home, _) = home_with_file();
    for id in ["../../etc/passwd", "ds_", "ds_../x", "", "ds_12/34"] {
        let (message, _) = failed(run("get_data", home.path(), json!({"datasource_id": id})));
        assert_eq!(
            message,
            format!("unknown data source `{id}`; use an id returned by `add_datasource`")
        );
    }
    let unknown = failed(run("get_data", home.path(), json!({"datasource_id": "ds_12"})));
    assert_eq!(unknown.0, "data source `ds_12` does not exist");
}

#[test]
fn a_file_that_is_not_there_is_not_registered() {
    let home = tempfile::tempdir().unwrap();
    let file = std::fs::canonicalize(home.path()).unwrap().join("such.csv");
    let arguments = json!({"project_id": "p", "file_path": file});
    let (message, retryable) = failed(run("add_datasource", home.path(), arguments));
    assert_eq!((message, retryable), (format!("file `{}` does not exist", file.display()), false));
}
