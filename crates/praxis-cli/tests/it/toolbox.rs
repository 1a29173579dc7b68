//! The tools that are built in, in whole plans: what one gives the next one takes, and files stay where
//! the settings say.

use crate::rig::{Rig, finish, statuses};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The plan of the guide's page on tools that uses only what is built in.
fn plan_of_the_guide() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/tools.md");
    let page = fs::read_to_string(page).unwrap();
    let from = page.find("steps:\n  - { step_id: read, tool: read_table").unwrap();
    page[from..].split("```").next().unwrap().to_owned()
}

fn run(rig: &Rig, plan: &str) -> Value {
    fs::write(rig.path("plan.yaml"), plan).unwrap();
    finish(rig, &mut rig.praxis(&["run", "plan.yaml"]));
    rig.last()
}

#[test]
fn the_plan_of_the_guide_reads_picks_groups_sorts_and_writes() {
    let rig = Rig::empty();
    let sales = "city,amount\n杭州,120\n宁波,80\n宁波,400.5\n杭州,200.1\n温州,99\n";
    fs::write(rig.path("sales.csv"), sales).unwrap();
    let shown = run(&rig, &plan_of_the_guide());
    assert!(statuses(&shown).values().all(|status| status == "SUCCESS"), "{shown}");
    let best = fs::read_to_string(rig.path("best.csv")).unwrap();
    assert_eq!(best, "city,row_count,sum_amount\n宁波,1,400.5\n杭州,2,320.1\n");
}

#[test]
fn files_outside_hidden_ones_and_the_data_folder_are_refused_until_they_are_opened() {
    let rig = Rig::empty();
    fs::write(rig.path(".env"), "PRAXIS_SECRET_X=canary\n").unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.txt"), "there").unwrap();
    let there = outside.path().join("a.txt").display().to_string();
    let read = |path: &str| {
        let plan = format!(
            "steps:\n  - {{step_id: a, tool: read_text_file, parameters: {{path: '{path}'}}}}\n"
        );
        let shown = run(&rig, &plan);
        (statuses(&shown)["a"].clone(), shown.to_string())
    };
    for path in [".env", there.as_str(), "data/praxis.db", "/etc/passwd", "../x"] {
        let (status, shown) = read(path);
        assert_eq!(status, "ERROR", "{path}: {shown}");
        assert!(shown.contains("call_refused") && !shown.contains("canary"), "{path}: {shown}");
    }
    let opened = format!("[tools]\nfolders = [\".\", '{}']\n", outside.path().display());
    fs::write(rig.path("praxis.toml"), opened).unwrap();
    assert_eq!(read(&there).0, "SUCCESS");
}
