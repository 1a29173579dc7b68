//! `doctor` finds what is broken, and a place that is no data folder is no empty one.

use crate::rig::{Rig, finish, json_lines};
use serde_json::Value;
use std::path::PathBuf;

fn finding(rig: &Rig, check: &str) -> (String, String) {
    let output = finish(rig, &mut rig.praxis(&["doctor"]));
    let lines = json_lines(&output.stdout);
    let found = lines.iter().find(|line| line["check"] == check).unwrap();
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    let bad = lines.iter().any(|line| line["finding"] == "bad");
    assert_eq!(output.status.code(), Some(i32::from(bad)));
    (text("finding"), text("words"))
}

/// The blob that a step's output is in.
fn blob(rig: &Rig) -> PathBuf {
    let events = rig.ask(&["show", "--last", "--events"]).unwrap();
    let texts = events.iter().map(Value::to_string);
    let text = texts
        .filter(|text| text.contains("step_finished"))
        .find(|text| text.contains("\"blob\":{"));
    let text = text.expect("an output in a blob");
    let name = text.split("\"blob\":{\"blob\":\"").nth(1).unwrap().split('"').next().unwrap();
    rig.data().join("blobs").join(&name[..2]).join(name)
}

#[test]
fn a_blob_that_is_damaged_or_missing_is_found_and_a_stale_snapshot_is_nothing() {
    let rig = Rig::new();
    assert!(rig.run().status.success());
    let task = rig.last()["task"].as_str().unwrap().to_owned();
    let (good, words) = finding(&rig, "blobs");
    assert!(good == "good" && words.contains("large values, all intact"), "{words}");
    let stale = rig.data().join("snapshots").join(&task);
    std::fs::create_dir_all(&stale).unwrap();
    std::fs::write(stale.join("7"), "nonsense").unwrap();
    assert_eq!(finding(&rig, "blobs").0, "good");
    let path = blob(&rig);
    let mut content = std::fs::read(&path).unwrap();
    content[9] ^= 1;
    std::fs::write(&path, &content).unwrap();
    let (bad, words) = finding(&rig, "blobs");
    assert!(bad == "bad" && words.contains(&task) && words.contains("1 of"), "{words}");
    std::fs::remove_file(&path).unwrap();
    let (bad, words) = finding(&rig, "blobs");
    assert!(bad == "bad" && words.contains("restore `blobs` from a backup"), "{words}");
    assert_eq!(finding(&rig, "journals").0, "good");
}

#[test]
fn the_findings_are_told_in_chinese_too() {
    let rig = Rig::new();
    assert!(rig.run().status.success());
    let (code, told, _) = rig.says(&["--lang", "zh", "doctor"]);
    assert_eq!(code, Some(0));
    for words in ["版本", "数据文件夹", "完整性检查通过", "校验和全部正确", "内容无误"]
    {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_place_that_cannot_be_a_data_folder_is_refused_by_every_command_that_looks() {
    let rig = Rig::new();
    for data in ["plan.yaml", "plan.yaml/data"] {
        for words in [&["ps"][..], &["inbox"], &["show", "--last"], &["watch", "--last"]] {
            let output = finish(&rig, &mut rig.plain(&[&["--data", data], words].concat()));
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(7), "{words:?}: {said}");
            assert!(said.contains("error[data_folder_unusable]"), "{said}");
            assert!(said.contains("--data"), "{said}");
        }
        let output = finish(&rig, &mut rig.plain(&["--data", data, "doctor"]));
        assert_eq!(output.status.code(), Some(1));
    }
    let output = finish(&rig, &mut rig.plain(&["--data", "nowhere", "--lang", "zh", "ps"]));
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("还没有任务"));
    assert!(!rig.path("nowhere").exists(), "looking makes nothing");
}
