//! In a terminal: steps are drawn while they run, and Ctrl-C is heard.

use crate::rig::{Rig, finish, skip, within};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);
const LONG: &str = "a_step_with_a_name_that_is_rather_long";

const PLAN: &str = "
plan_description: wait at a gate
steps: [{step_id: a_step_with_a_name_that_is_rather_long, tool: gate}]
";

/// Stays until the file is there.
const TOOLS: &str = "
- id: gate
  idempotent: true
  command: {argv: [sh, -c, 'echo gate >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; echo {}']}
";

/// A command in a terminal of its own, which writes down what it sees.
pub(crate) fn in_terminal(rig: &Rig, columns: u32, words: &str) -> Child {
    let binary = env!("CARGO_BIN_EXE_praxis");
    let line = format!("stty cols {columns} rows 10; exec {binary} --data data {words}");
    let mut command = rig.program("script");
    command.args(["-qefc", &line, "seen"]).env("TERM", "xterm").env("EDITOR", "sh edit.sh");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

pub(crate) fn seen(rig: &Rig) -> String {
    String::from_utf8_lossy(&std::fs::read(rig.path("seen")).unwrap_or_default()).into_owned()
}

pub(crate) fn has_script() -> bool {
    let found = Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        skip("there is no `script` to make a terminal with");
    }
    found
}

#[test]
fn running_steps_are_drawn_within_the_width_of_the_terminal() {
    if !has_script() {
        return;
    }
    for (columns, drawn) in [
        (100, "▶\u{1b}[0m a_step_with_a_name_that_is_rather_long "),
        (24, "▶\u{1b}[0m a_step_with_a_name_t…"),
    ] {
        let rig = Rig::with(PLAN, TOOLS);
        let mut run = in_terminal(&rig, columns, "run plan.yaml --tools tools.yaml");
        assert!(within(PATIENCE, || seen(&rig).contains(drawn)), "{columns}: {:?}", seen(&rig));
        std::fs::write(rig.path("open"), "").unwrap();
        assert!(run.wait().unwrap().success());
        let told = seen(&rig);
        assert!(told.contains("\u{1b}[1A\u{1b}[2K"), "it is drawn again and again");
        assert!(told.contains(&format!("✔\u{1b}[0m {LONG}")), "a told id is never cut: {told:?}");
    }
}

#[test]
fn watch_in_a_terminal_says_that_nobody_drives_the_task_and_stays_until_somebody_does() {
    if !has_script() {
        return;
    }
    let rig = Rig::with(PLAN, TOOLS);
    let mut command = rig.spoken(&["run", "plan.yaml", "--tools", "tools.yaml"]);
    let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("gate")));
    owner.kill().unwrap();
    owner.wait().unwrap();
    let mut watch = in_terminal(&rig, 100, "watch --last");
    assert!(within(PATIENCE, || seen(&rig).contains("praxis resume task_")), "{}", seen(&rig));
    std::fs::write(rig.path("open"), "").unwrap();
    assert_eq!(rig.says(&["resume", "--last"]).0, Some(0));
    assert!(watch.wait().unwrap().success());
    assert_eq!(seen(&rig).matches("no process is running").count(), 1);
}

fn interrupt(run: &Child) {
    let pid = run.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
}

fn running(rig: &Rig) -> Child {
    let mut command = rig.spoken(&["run", "plan.yaml", "--tools", "tools.yaml"]);
    let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("gate")));
    run
}

#[test]
fn ctrl_c_cancels_the_task_that_is_run() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut run = running(&rig);
    interrupt(&run);
    assert_eq!(run.wait().unwrap().code(), Some(5));
    assert_eq!(rig.last()["status"], "cancelled");
}

#[test]
fn the_key_in_a_terminal_cancels_it_too() {
    if !has_script() {
        return;
    }
    let rig = Rig::with(PLAN, TOOLS);
    let mut run = in_terminal(&rig, 100, "--lang zh run plan.yaml --tools tools.yaml");
    assert!(within(PATIENCE, || rig.calls().contains_key("gate")));
    run.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(5));
    let told = seen(&rig);
    assert!(told.contains("■ 已取消：") && told.contains("下一步"), "{told:?}");
}

/// The owner is stopped, so that nobody carries the first one out.
#[test]
fn a_second_ctrl_c_leaves_at_once() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut owner = running(&rig);
    std::fs::remove_file(rig.path("calls")).unwrap();
    let mut second = running(&rig);
    let signal = |name: &str, child: &Child| {
        let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP", &owner);
    interrupt(&second);
    std::thread::sleep(Duration::from_millis(300));
    assert!(second.try_wait().unwrap().is_none(), "the first one asks and waits");
    interrupt(&second);
    assert!(within(PATIENCE, || second.try_wait().unwrap().is_some()));
    assert_eq!(second.wait().unwrap().code(), Some(5));
    signal("-CONT", &owner);
    std::fs::write(rig.path("open"), "").unwrap();
    owner.wait().unwrap();
    finish(&rig, &mut rig.praxis(&["resume"]));
}
