//! Promise P7: a full disk is said, reads go on, and the task goes on when there is room again.

use crate::rig::{PATIENCE, Rig, skip, statuses, within};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PLAN: &str = r#"
plan_description: fill
steps:
  - {step_id: a, tool: TOOL}
  - {step_id: b, tool: put, parameters: {all: "all of {{a.output}}"}}
"#;

const TOOLS: &str = r#"
tools:
  - id: small
    command: {argv: [sh, -c, 'echo a >> CALLS; while [ ! -e HERE/go ]; do sleep 0.01; done; echo 1']}
  - id: put
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo 2']}
  - id: big
    command: {argv: [sh, -c, 'echo a >> CALLS; while [ ! -e HERE/go ]; do sleep 0.01; done; head -c 70000 /dev/zero | tr "\0" x']}
"#;

/// Runs `praxis` where the data folder is a disk of its own size.
fn on_small_disk(rig: &Rig, size: &str, after: &str) -> Command {
    std::fs::create_dir_all(rig.data()).unwrap();
    let data = rig.data().display().to_string();
    let script = format!("mount -t tmpfs -o size={size} tmpfs {data} && {after}");
    let before = ["-m", "sh", "-c", &script, "sh"].map(str::to_owned);
    let mut command = rig.praxis_under("unshare", &before, &rig.run_words());
    command.env("PRAXIS_JOURNAL_FULL_DISK_WAIT", "20ms");
    command
}

fn can_mount() -> bool {
    let tried = Command::new("unshare")
        .args(["-m", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"])
        .stderr(Stdio::null())
        .status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        skip("no disk can be filled: `unshare -m` and `mount` need root");
    }
    can
}

/// Takes all the room that is left on a disk.
fn fill(balloon: &PathBuf) {
    let mut file = File::create(balloon).unwrap();
    while file.write_all(&[1; 512]).is_ok() {}
}

fn a_full_disk_is_waited_out(tool: &str) {
    let rig = Rig::with(&PLAN.replace("TOOL", tool), TOOLS);
    let (said, words) = (rig.path("stderr"), || std::fs::read_to_string(rig.path("stderr")));
    let mut command = on_small_disk(&rig, "1m", "exec \"$@\"");
    command.stdout(Stdio::null()).stderr(File::create(said).unwrap());
    let mut praxis = command.spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("a")), "{:?}", words());
    // The process sees the small disk; through it, so do we.
    let balloon = format!("/proc/{}/root{}/balloon", praxis.id(), rig.data().display()).into();
    fill(&balloon);
    std::fs::write(rig.path("go"), "").unwrap();
    let warned = || words().is_ok_and(|words| words.contains("the disk is full"));
    assert!(within(PATIENCE, warned), "{tool}: nothing was said: {:?}", words());
    let inside = ["-m", "-t", &praxis.id().to_string()].map(str::to_owned);
    let shown = rig.praxis_under("nsenter", &inside, &["show", "--last"]).output().unwrap();
    assert!(shown.status.success(), "{tool}: it cannot be read: {shown:?}");
    assert!(praxis.try_wait().unwrap().is_none(), "{tool}: it gave up: {:?}", words());
    std::fs::remove_file(&balloon).unwrap();
    let ended = within(PATIENCE, || praxis.try_wait().unwrap().is_some());
    let code = praxis.kill().and_then(|()| praxis.wait()).map(|status| status.code());
    assert!(ended, "{tool}: it does not go on: {:?}", words());
    assert_eq!(code.unwrap(), Some(0), "{tool}: {:?}", words());
    assert_eq!(rig.calls().into_values().collect::<Vec<_>>(), [1, 1], "{tool}");
}

#[test]
fn a_task_on_a_full_disk_says_so_and_goes_on_when_there_is_room() {
    if can_mount() {
        a_full_disk_is_waited_out("small");
    }
}

#[test]
fn an_output_that_finds_no_room_waits_for_it() {
    if can_mount() {
        a_full_disk_is_waited_out("big");
    }
}

#[test]
fn a_task_that_finds_no_room_is_refused_in_words_and_taken_when_there_is_room() {
    if !can_mount() {
        return;
    }
    let rig = Rig::new();
    let data = rig.data().display().to_string();
    let script = format!(
        "\"$@\"; echo \"code $?\"; mount -o remount,size=8m {data}; \"$@\" && \"$1\" \"$2\" \"$3\" \"$4\" show --last"
    );
    let output = on_small_disk(&rig, "64k", &script).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(out.contains("code 7"), "{out}{err}");
    assert!(err.contains("full"), "{err}");
    let last = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert!(statuses(&last).values().all(|status| status == "SUCCESS"), "{last}");
    assert_eq!(rig.calls().into_values().collect::<Vec<_>>(), [1, 1, 1, 1]);
}
