//! Tasks, questions, steps and events that are not there.

use super::case::{Case, GOOD_PLAN, RUN, answers};

#[test]
fn a_command_for_something_that_is_not_there_says_what_is() {
    insta::assert_snapshot!(answers(&[tasks(), questions()]));
}

fn after_run(name: &'static str, words: &[&str]) -> Case {
    Case::new(name, words).file("plan.yaml", GOOD_PLAN).after(RUN)
}

fn tasks() -> Vec<Case> {
    vec![
        Case::new("show without any task", &["show", "--last"]),
        after_run("an unknown task", &["show", "task_nothing"]),
        after_run("a task that drives the terminal", &["show", "\u{1b}[2J\u{202e}"]),
        after_run("a task with a wildcard", &["show", "%"]),
        after_run("an empty task", &["show", ""]),
        after_run("a beginning of several tasks", &["show", "0"]).after(RUN),
        after_run("an unknown step", &["show", "--last", "--step", "b"]),
        after_run("an event that is not there", &["show", "--last", "--at", "9999"]),
        after_run("an event that is no number", &["show", "--last", "--at", "soon"]),
        after_run("why of an unknown step", &["why", "--last", "b.x"]),
        after_run("why without a step", &["why", "--last"]),
        after_run("retry of a completed task", &["retry", "--last"]),
        after_run("cancel of a completed task", &["cancel", "--last"]),
        after_run("resume of a completed task", &["resume", "--last"]),
        after_run("fork at an unknown step", &["fork", "--last", "--at", "b"]),
        after_run("fork after an event that is not there", &["fork", "--last", "--at", "9999"]),
        after_run(
            "fork with a value that has no sign",
            &["fork", "--last", "--at", "a", "--set", "x"],
        ),
        after_run("erase without a yes", &["erase", "--last"]),
        after_run("an erased task", &["show", "--last"]).after(&["erase", "--last", "--yes"]),
        after_run("an unknown status", &["ps", "--status", "done"]),
        Case::new("an unknown command", &["rnu"]),
    ]
}

fn questions() -> Vec<Case> {
    let plan = "steps: [{step_id: a, tool: echo, parameters: {x: '{{nowhere}}'}}]\n";
    let asked = |name, words: &[&str]| Case::new(name, words).file("plan.yaml", plan).after(RUN);
    vec![
        after_run("an unknown question", &["answer", "q_nothing", "x=1"]),
        asked("an answer without words", &["answer", "q_"]),
        asked("an answer without a sign", &["answer", "q_", "x"]),
        asked("an answer to something else", &["answer", "q_", "y=1"]),
        asked("an answer of another kind", &["answer", "q_", "--more", "30m"]),
        asked("more time in words", &["answer", "q_", "--more", "soon"]),
        asked("more time of zero", &["answer", "q_", "--more", "0s"]),
        asked("an answer in a file that is no object", &["answer", "q_", "--values", "x.json"])
            .file("x.json", "[]"),
        asked("two questions that begin alike", &["answer", "q_", "x=1"]).after(RUN),
        asked("retry of a task that waits", &["retry", "--last"]),
    ]
}
