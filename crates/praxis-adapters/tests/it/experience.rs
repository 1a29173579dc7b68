//! The file of what tasks taught, as several processes write it.

use praxis_adapters::experience::file::{ExperienceFile, ExperienceLines};
use praxis_adapters::experience::line::ForgottenPart;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::journal::case::{Case, PlanTemplate};
use praxis_core::journal::experience::{Experience, ExperienceCategory};
use praxis_core::journal::memory::RecalledTask;
use praxis_core::time::Timestamp;
use praxis_engine::seams::{Experiences, RecallRequest, TaughtExperience};
use praxis_testkit::conformance;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

fn experience(words: &str) -> Experience {
    Experience {
        task_completion: 90,
        execution_efficiency: 80,
        tool_usage: 70,
        category: ExperienceCategory::SolvingIdeas,
        intention: "负荷预测".to_owned(),
        task: "t".to_owned(),
        experience: words.to_owned(),
        quick_summary: "q".to_owned(),
        defaulted: false,
        case: None,
    }
}

/// A way that worked, with a plan to use again.
fn way(goal: &str) -> Experience {
    let steps = vec![json!({"step_id": "a", "tool": "look", "parameters": {"n": "{{n}}"}})];
    let slots = [("n".to_owned(), json!({"type": "integer"}))].into();
    let plan = Some(PlanTemplate { steps, slots, ..PlanTemplate::default() });
    let case = Case { goal: goal.to_owned(), tools: vec!["look".into()], plan, misled_by: None };
    Experience { case: Some(case), ..experience("e") }
}

fn keep(file: &ExperienceFile, task: &str, seq: u64, experience: &Experience) {
    let (tenant, task) = (&Tenant::default(), &TaskId::from(task));
    file.keep(&TaughtExperience { tenant, task, seq, at: Timestamp(seq), experience }).unwrap();
}

fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("experiences.jsonl");
    (folder, path)
}

fn write(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn memories(file: &ExperienceFile, goal: &str) -> Vec<RecalledTask> {
    let tenant = &Tenant::default();
    file.recall(&RecallRequest { tenant, goal, most: 20, named: None }).unwrap()
}

fn recalled(file: &ExperienceFile, goal: &str) -> Vec<String> {
    let near = memories(file, goal);
    near.into_iter().map(|memory| memory.task.to_string()).collect()
}

#[test]
fn a_file_is_told_and_asked_as_every_store_of_experiences_is() {
    let (_folder, path) = place();
    conformance::experiences(&ExperienceFile::new(&path));
}

// A-074
#[test]
fn lines_of_many_writers_stay_whole_and_a_line_of_another_form_is_passed_over() {
    let (_folder, path) = place();
    let file = Arc::new(ExperienceFile::new(&path));
    assert_eq!(file.read().unwrap(), ExperienceLines::default());
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            // Each has a handle of its own, as another process has.
            let file = ExperienceFile::new(&path);
            std::thread::spawn(move || {
                for n in 0..50 {
                    keep(&file, &format!("task_{writer}_{n}"), n, &experience(&"长".repeat(500)));
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    write(&path, "{\"old\": 1}\nno json\n");
    keep(&file, "task_x", 1, &experience("last"));
    let ExperienceLines { read, unread } = file.read().unwrap();
    assert_eq!(unread, [401, 402]);
    assert_eq!(read.len(), 401);
    assert_eq!(read.last().unwrap().evaluation_id, "task_x/1");
    assert!(read.iter().take(400).all(|line| line.experience.experience.chars().count() == 500));
}

// A-074
#[test]
fn a_line_of_an_older_form_is_read_with_defaults_and_forgotten_with_its_task() {
    let (folder, path) = place();
    let old = r#"{"task_id": "task_old", "experience": "look twice", "tool_usage": 70}"#;
    write(&path, &format!("{old}\n"));
    let file = ExperienceFile::new(&path);
    let ExperienceLines { read, unread } = file.read().unwrap();
    assert!(unread.is_empty());
    let taught = &read[0].experience;
    assert_eq!((taught.experience.as_str(), taught.tool_usage), ("look twice", 70));
    assert_eq!(
        (taught.task_completion, taught.category),
        (50, ExperienceCategory::ReflectionSuggestions)
    );
    assert_eq!(read[0].evaluation_id, "task_old/line 1");
    assert_eq!(read[0].tenant, Tenant::default());
    file.remove(&"task_old".into(), ForgottenPart::Plan).unwrap();
    file.forget(&TaskId::from("task_old")).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "", "what was taken back goes too");
    let nowhere = ExperienceFile::new(&folder.path().join("no/such/folder"));
    let (tenant, task) = (&Tenant::default(), &TaskId::from("task_x"));
    let told = TaughtExperience { tenant, task, seq: 1, at: Timestamp(1), experience: taught };
    assert!(nowhere.keep(&told).unwrap_err().contains("no/such"));
}

// A-074
#[test]
fn a_line_that_broke_off_does_not_spoil_the_next_one() {
    let (_folder, path) = place();
    let file = ExperienceFile::new(&path);
    keep(&file, "task_a", 1, &way("send a mail"));
    write(&path, r#"{"task_id": "task_torn", "experience": "it never"#);
    assert_eq!(recalled(&file, "send a mail"), ["task_a"], "what has no end is not read");
    keep(&file, "task_b", 1, &way("send a mail"));
    let ExperienceLines { read, unread } = file.read().unwrap();
    let tasks: Vec<&str> = read.iter().map(|line| line.task_id.as_str()).collect();
    assert_eq!((tasks, unread), (vec!["task_a", "task_b"], vec![2]));
    assert_eq!(recalled(&file, "send a mail"), ["task_a", "task_b"]);
}

// A-074, A-076
#[test]
fn what_is_taken_back_is_not_known_any_more_whoever_took_it_back() {
    let (_folder, path) = place();
    let (file, other) = (ExperienceFile::new(&path), ExperienceFile::new(&path));
    keep(&file, "task_a", 1, &way("send a mail"));
    keep(&file, "task_b", 1, &way("send a mail"));
    assert_eq!(recalled(&file, "send a mail"), ["task_a", "task_b"]);
    other.remove(&"task_a".into(), ForgottenPart::Plan).unwrap();
    let plans = |file: &ExperienceFile| -> Vec<bool> {
        let near = memories(file, "send a mail");
        near.iter().map(|memory| memory.case.plan.is_some()).collect()
    };
    assert_eq!(plans(&file), [false, true], "the experience stays");
    other.remove(&"task_a".into(), ForgottenPart::Experience).unwrap();
    assert_eq!(recalled(&file, "send a mail"), ["task_b"]);
    let standing = file.read().unwrap().read;
    assert_eq!(standing.len(), 1);
    // Another process wrote the file anew, and something more.
    other.forget(&"task_b".into()).unwrap();
    keep(&other, "task_c", 1, &way("send a mail, and another one, and one more of these"));
    assert_eq!(recalled(&file, "send a mail"), ["task_c"]);
    keep(
        &other,
        "task_c",
        2,
        &Experience { category: ExperienceCategory::ReflectionSuggestions, ..way("x") },
    );
    assert!(recalled(&file, "send a mail").is_empty(), "what failed at last is no way");
}

// A-074
#[test]
fn of_more_than_a_hundred_thousand_lines_the_oldest_fall_out() {
    let (_folder, path) = place();
    let goal = |n: u32| format!("{}", 1_000_000 + n);
    let line = |n: u32| {
        format!(
            "{{\"task_id\":\"task_{n}\",\"task\":\"t\",\"category\":\"solving_ideas\",\"case\":{{\"goal\":\"{}\"}}}}\n",
            goal(n)
        )
    };
    write(&path, &(0..100_001).map(line).collect::<String>());
    let file = ExperienceFile::new(&path);
    assert_eq!(file.read().unwrap().read.len(), 100_000);
    assert!(recalled(&file, &goal(0)).is_empty());
    assert_eq!(recalled(&file, &goal(1)), ["task_1"]);
    write(&path, &line(100_001));
    assert_eq!(recalled(&file, &goal(100_001)), ["task_100001"]);
    assert!(recalled(&file, &goal(1)).is_empty());
}
