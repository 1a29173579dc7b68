//! Tests that every tool with a path argument stays inside the folders that the settings open.

use super::testing::{all_tools, run};
use praxis_core::fault::Fault;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const CANARY: &str = "timestamp,load_mw\n2024-01-01T00:00,424242\n";

/// Returns the tools with a path argument, the name of that argument, and otherwise valid arguments.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let hour = json!({"timestamp": "2024-01-01T00:00", "load_mw": 1});
    let errors = json!({"held_back_hours": 24, "mape": 1.5, "rmse": 12.25, "naive_mape": null});
    let report = json!({"title": "t", "forecast": [hour], "backtest": errors, "peak": hour});
    vec![
        ("list_folder", "folder", json!({})),
        ("read_text_file", "path", json!({})),
        ("write_text_file", "path", json!({"text": "x", "if_exists": "replace"})),
        ("read_table", "path", json!({})),
        ("write_table", "path", json!({"rows": [{"a": 1}], "if_exists": "replace"})),
        ("check_csv_file", "file_path", json!({})),
        ("add_datasource", "file_path", json!({"project_id": "p"})),
        ("write_report", "path", report),
        ("API", "files", json!({"url": "http://192.0.2.1/", "method": "POST"})),
    ]
}

/// Creates the test folders: `root/inside` is open; `root/outside` holds a file of each kind that the tools read or
/// write.
fn world() -> (tempfile::TempDir, PathBuf) {
    let world = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(world.path()).unwrap();
    for folder in ["inside/deep", "inside/.hidden", "outside"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for name in ["c.csv", "c.md"] {
        fs::write(root.join("outside").join(name), CANARY).unwrap();
        fs::write(root.join("inside/.hidden").join(name), CANARY).unwrap();
        symlink(root.join("outside").join(name), root.join("inside").join(name)).unwrap();
    }
    symlink(root.join("outside"), root.join("inside/way_out")).unwrap();
    symlink("../../outside", root.join("inside/deep/way_out")).unwrap();
    (world, root)
}

fn ways_out(root: &Path, ending: &str) -> Vec<PathBuf> {
    let inside = root.join("inside");
    let mut ways: Vec<PathBuf> = [
        "../outside/c",
        "deep/../../outside/c",
        "none/../../outside/c",
        "way_out/c",
        "way_out/new",
        "deep/way_out/c",
        "way_out/../outside/c",
        ".hidden/c",
        "c",
        "../new",
    ]
    .into_iter()
    .map(|way| inside.join(format!("{way}.{ending}")))
    .collect();
    let names = ["outside/c", "none/new"].map(|name| root.join(format!("{name}.{ending}")));
    ways.extend(names);
    let up = "../".repeat(30);
    ways.extend([format!("/etc/new.{ending}"), format!("{up}etc/new.{ending}")].map(PathBuf::from));
    ways
}

/// Returns every file below a folder with its content; for a link, its target.
fn everything(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_symlink() {
            found.push((path.clone(), fs::read_link(path).unwrap().display().to_string()));
        } else if path.is_dir() {
            found.extend(everything(&path));
        } else {
            found.push((path.clone(), fs::read_to_string(path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn no_tool_reads_or_writes_outside_however_the_path_is_written() {
    let (_world, root) = world();
    let before = everything(&root);
    for (tool, argument, good) in calls() {
        let ending = if tool == "write_report" { "md" } else { "csv" };
        for path in ways_out(&root, ending) {
            let mut asked = good.clone();
            asked[argument] = if tool == "API" { json!({ "f": path }) } else { json!(path) };
            let shown = format!("{tool} {}", path.display());
            let result = run(tool, &root.join("inside"), asked);
            let Err(Fault::CallRefused { message, .. }) = result else {
                panic!("{shown}: {result:?}")
            };
            assert!(message.contains("the setting tools.folders names them"), "{shown}: {message}");
            assert!(!message.contains("424242"), "{shown}: {message}");
        }
    }
    assert_eq!(everything(&root), before);
}

#[test]
fn every_tool_whose_arguments_name_a_place_is_one_of_those() {
    let takes_a_place = |name: &String| ["path", "file", "folder"].iter().any(|w| name.contains(w));
    let mut found = Vec::new();
    for tool in all_tools() {
        let properties = tool.input_schema["properties"].as_object().cloned().unwrap_or_default();
        let places: Vec<String> = properties.keys().filter(|n| takes_a_place(n)).cloned().collect();
        // The `path` of `json_query` leads through a JSON value, not the file system.
        let places = places.into_iter().filter(|_| tool.id.as_str() != "json_query");
        found.extend(places.map(|place| (tool.id.to_string(), place)));
    }
    let known = calls().into_iter().map(|(tool, argument, _)| (tool.into(), argument.into()));
    let mut known: Vec<(String, String)> = known.collect();
    known.sort();
    found.sort();
    assert_eq!(found, known);
}

#[test]
fn a_registered_file_that_leads_out_by_now_is_not_uploaded() {
    let (_world, root) = world();
    let (inside, file) = (root.join("inside"), root.join("inside/load.csv"));
    fs::write(&file, CANARY).unwrap();
    let asked = json!({"project_id": "p", "file_path": file});
    let added = run("add_datasource", &inside, asked).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(root.join("outside/c.csv"), &file).unwrap();
    let asked = json!({"project_id": "p", "datasource_id": added["datasource_id"]});
    let fault = run("data_upload", &inside, asked).unwrap_err();
    assert_eq!(fault.code(), "call_refused", "{fault}");
    assert!(!inside.join("uploads").exists());
}
