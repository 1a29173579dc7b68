//! Descriptors: none of the caller's reach a program or an owner in the background, and running out of them passes.

use crate::rig::{PATIENCE, Rig, finish, json_lines, within};
use std::fs::File;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

const PLAN: &str = "{plan_description: look, steps: [{step_id: a, tool: look}]}";

/// Goes on when the file `open` is there; may run again.
const GATE: &str = "
- id: look
  idempotent: true
  command: {argv: [sh, -c, 'echo a >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; echo {}']}
";

/// A shell script in which `praxis` stands for the binary with its data folder.
fn shell(rig: &Rig, script: &str) -> std::process::Command {
    let praxis = format!("{} --data {} --json", env!("CARGO_BIN_EXE_praxis"), rig.data().display());
    let mut command = rig.program("sh");
    command.args(["-c", &script.replace("praxis", &praxis)]);
    command
}

#[test]
fn a_program_gets_stdin_stdout_and_stderr_and_no_file_of_the_caller() {
    let tools = r#"
- id: look
  risk: read
  command: {argv: [sh, -c, 'set -- /proc/self/fd/*; echo "{\"open\": \"$*\", \"stolen\": \"$(cat <&9)\"}"']}
"#;
    let rig = Rig::with(PLAN, tools);
    std::fs::write(rig.path("secret"), "swordfish").unwrap();
    let run =
        finish(&rig, &mut shell(&rig, "exec praxis run plan.yaml --tools tools.yaml 9<secret"));
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
    let events = json_lines(&run.stdout);
    let output = &events.last().unwrap()["data"]["result"]["a"];
    assert_eq!(output["stolen"], "", "{output}");
    let open = output["open"].as_str().unwrap_or_default();
    let numbers: Vec<&str> =
        open.split_whitespace().filter_map(|it| it.rsplit('/').next()).collect();
    // The shell has the folder open while it lists it.
    assert!(numbers.starts_with(&["0", "1", "2"]) && numbers.len() <= 4, "{open}");
}

#[test]
fn an_owner_in_the_background_keeps_no_lock_of_whoever_started_it() {
    let rig = Rig::with(PLAN, GATE);
    let script = "exec 8>lock; flock 8; praxis run plan.yaml --tools tools.yaml --detach";
    assert!(finish(&rig, &mut shell(&rig, script)).status.success());
    assert!(within(PATIENCE, || rig.calls().contains_key("a")), "the program does not begin");
    let lock = File::open(rig.path("lock")).unwrap();
    assert!(lock.try_lock().is_ok(), "the owner still holds it");
    std::fs::write(rig.path("open"), "").unwrap();
    assert!(within(PATIENCE, || rig.last()["status"] == "completed"));
}

#[test]
fn an_owner_that_ran_out_of_descriptors_takes_orders_again() {
    let rig = Rig::with(PLAN, GATE);
    let mut owner = shell(&rig, "ulimit -n 40; exec praxis run plan.yaml --tools tools.yaml");
    let mut owner = owner.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("a")), "the program does not begin");
    let socket = rig.data().join("control.sock");
    let clients: Vec<_> = (0..60).filter_map(|_| UnixStream::connect(&socket).ok()).collect();
    assert!(clients.len() > 40, "the owner has room for all: {}", clients.len());
    drop(clients);
    let task = rig.ask(&["ps"]).unwrap()[0]["task"].as_str().unwrap().to_owned();
    let cancelled = finish(&rig, &mut rig.praxis(&["cancel", &task]));
    assert!(cancelled.status.success(), "{}", String::from_utf8_lossy(&cancelled.stderr));
    assert_eq!(owner.wait().unwrap().code(), Some(5));
}
