//! A flow that failed is mended in its file and goes on, as people do it.

use crate::rig::{Rig, finish, json_lines};
use serde_json::{Value, json};

/// Reads two notes, the second of which is not there.
const NOTES: &str = "flow: notes
inputs: {who: {type: string}}
nodes:
  - {id: first, call: read_text_file, params: {path: note-1.txt}}
  - {id: second, call: read_text_file, params: {path: note-2.txt}}
edges: [first -> second]
outputs: {all: \"{{who}}: {{first.outputs.file_text}}{{second.outputs.file_text}}\"}
";

fn write(rig: &Rig, name: &str, text: &str) {
    std::fs::write(rig.path(name), text).unwrap();
}

fn failed() -> Rig {
    let rig = Rig::empty();
    write(&rig, "notes.yaml", NOTES);
    write(&rig, "note-1.txt", "one ");
    let (code, _, said) = rig.says(&["flow", "run", "notes.yaml", "-p", "who=Lin"]);
    assert!(code == Some(1), "{said}");
    // Whoever reads it again reads something else.
    write(&rig, "note-1.txt", "another ");
    rig
}

fn tasks(rig: &Rig) -> Vec<Value> {
    let output = finish(rig, &mut rig.praxis(&["ps"]));
    json_lines(&output.stdout)
}

fn result(out: &str) -> Value {
    serde_json::from_str(out).unwrap()
}

#[test]
fn a_flow_that_was_mended_goes_on_as_a_new_task_and_keeps_what_is_done() {
    let rig = failed();
    write(&rig, "note-3.txt", "three");
    write(&rig, "notes.yaml", &NOTES.replace("note-2", "note-3"));
    let (code, out, said) = rig.says(&["retry", "--last", "--with", "current"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(result(&out), json!({"all": "Lin: one three"}));
    assert!(said.contains("the flow has changed: continuing as a new task"), "{said}");
    assert!(said.contains("kept from"), "{said}");
    let statuses: Vec<String> = tasks(&rig).iter().map(|row| row["status"].to_string()).collect();
    assert_eq!(statuses.len(), 2, "{statuses:?}");
    let (_, shown, _) = rig.says(&["show", "--last", "--step", "first"]);
    assert!(shown.contains("inherited from task_"), "{shown}");
}

#[test]
fn a_flow_that_is_as_it_was_goes_on_as_the_same_task() {
    let rig = failed();
    write(&rig, "note-2.txt", "two");
    write(&rig, "notes.yaml", &format!("# Only the layout is another.\n\n{NOTES}"));
    let (code, out, said) = rig.says(&["retry", "--last", "--with", "current"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(result(&out), json!({"all": "Lin: one two"}));
    assert_eq!(tasks(&rig).len(), 1);
}

#[test]
fn the_version_of_the_task_stays_even_if_its_file_is_gone() {
    let rig = failed();
    write(&rig, "note-2.txt", "two");
    std::fs::rename(rig.path("notes.yaml"), rig.path("moved.yaml")).unwrap();
    let (code, _, said) = rig.says(&["retry", "--last", "--with", "current"]);
    assert_eq!(code, Some(6), "{said}");
    assert!(said.contains("--flow FILE") && said.contains("--with original"), "{said}");
    let (code, _, said) = rig.says(&["retry", "--last", "--flow", "moved.yaml"]);
    assert!(code == Some(2) && said.contains("--flow requires `--with current`"), "{said}");
    let (code, out, said) = rig.says(&["retry", "--last", "--with", "original"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(result(&out), json!({"all": "Lin: one two"}));
}

#[test]
fn a_flow_that_has_moved_is_found_by_its_new_name() {
    let rig = failed();
    write(&rig, "note-3.txt", "three");
    std::fs::remove_file(rig.path("notes.yaml")).unwrap();
    std::fs::create_dir(rig.path("flows")).unwrap();
    write(&rig, "flows/notes.yaml", &NOTES.replace("note-2", "note-3"));
    let (code, out, said) =
        rig.says(&["retry", "--last", "--with", "current", "--flow", "flows/notes.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(result(&out), json!({"all": "Lin: one three"}));
}

#[test]
fn a_mended_flow_that_wants_more_than_the_task_was_given_is_refused_with_what_to_do() {
    let rig = failed();
    let more = NOTES.replace("who: {type: string}", "who: {type: string}, tone: {type: string}");
    write(&rig, "notes.yaml", &more);
    let (code, _, said) = rig.says(&["retry", "--last", "--with", "current"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("missing input `tone`") && said.contains("give the input a default"),
        "{said}"
    );
    write(&rig, "notes.yaml", &NOTES.replace("flow: notes", "flow: letters"));
    let (code, _, said) = rig.says(&["retry", "--last", "--with", "current"]);
    assert!(code == Some(2) && said.contains("the task ran the flow `notes`"), "{said}");
    assert_eq!(tasks(&rig).len(), 1);
}
