//! Promises P1, P2, P3, P4 and P17: kill -9 at any write or sync loses nothing and repeats nothing.

use crate::rig::{Rig, finish, json_lines, sequences, statuses};
use crate::strace::{self, Kill};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;

/// Far more calls than a run makes.
const MOST: usize = 500;

/// Kills at the first call, the second and so on, until a run survives. Says how often it killed.
fn kill_at_each(calls: &'static str, file: Option<&'static str>, prepare: impl Fn(&Rig)) -> usize {
    let killed = (1..MOST).take_while(|number| {
        let rig = Rig::new();
        prepare(&rig);
        kill(&rig, Kill { calls, number: *number, file, lone: false })
    });
    killed.count()
}

/// Kills once and takes up what is left; false if nothing was killed.
fn kill(rig: &Rig, at: Kill) -> bool {
    let place = format!("{at:?}");
    let output = at.run(rig);
    if output.status.signal().is_none() {
        assert!(output.status.success(), "{place}: {output:?}");
        return false;
    }
    let left = rig.last();
    let acknowledged = json_lines(&output.stdout);
    if let Some(first) = acknowledged.first() {
        let task = first["subject"].as_str().unwrap().trim_start_matches("tasks/");
        assert_eq!(left["task"], task, "{place}: the task is lost");
        let last = sequences(&acknowledged).into_iter().max();
        assert!(left["sequence"].as_u64() >= last, "{place}: an event that was shown is lost");
    }
    let (statuses, calls) = (statuses(&left), rig.calls());
    let lost = statuses.get("b").is_some_and(|status| status == "RUNNING");
    take_up(rig, &place, lost);
    for (step, _) in statuses.iter().filter(|(_, status)| *status == "SUCCESS") {
        assert_eq!(rig.calls().get(step), calls.get(step), "{place}: {step} ran again");
    }
    true
}

/// Sends the same request again and looks at the end.
pub(crate) fn take_up(rig: &Rig, place: &str, lost: bool) {
    let output = rig.run();
    let words = String::from_utf8_lossy(&output.stderr);
    if lost {
        assert_eq!(output.status.code(), Some(3), "{place}: {words}");
        clear_up(rig, place);
    } else {
        assert_eq!(output.status.code(), Some(0), "{place}: {words}");
    }
    let listed = rig.ask(&["ps"]).unwrap();
    let ours = listed.iter().filter(|task| task["goal"] == "survive").count();
    assert_eq!(ours, 1, "{place}: the same key is the same task");
    let end = rig.last();
    assert_eq!((&end["status"], &end["revision"]), (&json!("completed"), &json!(1)), "{place}");
    let statuses = statuses(&end);
    assert!(statuses.values().all(|status| status == "SUCCESS"), "{place}: {statuses:?}");
    assert_eq!(rig.calls()["b"], 1, "{place}: b ran twice");
}

/// A person looks whether `b` was done, and says so.
fn clear_up(rig: &Rig, place: &str) {
    let asked = rig.last();
    assert_eq!(statuses(&asked)["b"], "IN_DOUBT", "{place}");
    let question = asked["questions"].as_object().unwrap().keys().next().unwrap().clone();
    let done = rig.calls().contains_key("b");
    let said = if done { "--done={\"from\": \"b\"}" } else { "--not-done" };
    let answered = finish(rig, &mut rig.praxis(&["answer", &question, said]));
    assert!(answered.status.success(), "{place}: {answered:?}");
}

/// A folder that has a database and a finished task in it.
pub(crate) fn used(rig: &Rig) {
    std::fs::write(rig.path("other.yaml"), OTHER).unwrap();
    let run = finish(rig, &mut rig.praxis(&["run", "other.yaml", "--tools", "tools.yaml"]));
    assert!(run.status.success(), "{run:?}");
    std::fs::remove_file(rig.path("calls")).unwrap();
}

const OTHER: &str = "{plan_description: other, steps: [{step_id: z, tool: look}]}";

#[test]
fn a_kill_at_any_sync_of_a_new_folder_loses_nothing() {
    if strace::is_here() {
        let points = kill_at_each("fsync,fdatasync", None, |_| {});
        println!("{points} kill points");
        assert!(points > 3);
    }
}

#[test]
fn a_kill_at_any_write_to_a_new_folder_loses_nothing() {
    if strace::is_here() {
        let points = kill_at_each("pwrite64", None, |_| {});
        println!("{points} kill points");
        assert!(points > 20);
    }
}

#[test]
fn a_kill_at_any_line_of_output_loses_nothing() {
    if strace::is_here() {
        let points = kill_at_each("write", None, used);
        println!("{points} kill points");
        assert!(points > 5);
    }
}

#[test]
fn a_kill_at_any_sync_of_the_log_loses_nothing() {
    if strace::is_here() {
        let points = kill_at_each("fsync,fdatasync", Some("praxis.db-wal"), used);
        println!("{points} kill points");
        assert!(points > 3);
    }
}

#[test]
fn a_kill_at_any_write_to_the_log_loses_nothing() {
    if strace::is_here() {
        let points = kill_at_each("pwrite64", Some("praxis.db-wal"), used);
        println!("{points} kill points");
        assert!(points > 20);
    }
}

/// Calls are counted by thread, so a number is that of whichever thread comes to it first.
#[test]
fn a_kill_in_a_commit_of_the_thread_that_drives_the_task_loses_nothing() {
    if !strace::is_here() {
        return;
    }
    let mut points = 0;
    for (calls, most) in [("fsync,fdatasync", 6), ("pwrite64", 24)] {
        for number in 1..=most {
            let rig = Rig::new();
            used(&rig);
            let file = Some("praxis.db-wal");
            points += usize::from(kill(&rig, Kill { calls, number, file, lone: true }));
        }
    }
    println!("{points} kill points");
    assert!(points > 10);
}
