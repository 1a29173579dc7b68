//! Promise P14: no program outlives Praxis, however it hides and whoever is killed first.

use crate::rig::{PATIENCE, Rig, statuses, within};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

/// How long a program may live after Praxis.
const SOON: Duration = Duration::from_secs(1);

/// Each begins, says so, and would write `late` after a second.
const PROGRAMS: [(&str, &str); 4] = [
    ("plain", "echo a >> CALLS; sleep 1; echo x > HERE/late"),
    ("daemon", r#"(setsid sh -c "sleep 1; echo x > HERE/late" &) ; echo a >> CALLS; sleep 30"#),
    ("deaf", r#"trap "" TERM INT HUP; echo a >> CALLS; sleep 1; echo x > HERE/late"#),
    (
        "deaf daemon",
        r#"(setsid setsid sh -c "trap \"\" TERM HUP; sleep 1; echo x > HERE/late" &) ; echo a >> CALLS; sleep 30"#,
    ),
];

/// A running `praxis` that dies with the test.
struct Praxis(Child);

impl Praxis {
    /// Starts the plan and waits until its program has begun.
    fn begin(rig: &Rig) -> Self {
        let mut command = rig.praxis(&rig.run_words());
        let said = std::fs::File::create(rig.path("stderr")).unwrap();
        let praxis = Self(command.stdout(Stdio::null()).stderr(said).spawn().unwrap());
        assert!(within(PATIENCE, || rig.calls().contains_key("a")), "the program does not begin");
        praxis
    }

    fn pid(&self) -> i32 {
        i32::try_from(self.0.id()).unwrap()
    }

    fn kill(&mut self) {
        send(self.pid(), Signal::SIGKILL);
        self.0.wait().unwrap();
    }

    fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        let is_over = || {
            ended = self.0.try_wait().unwrap();
            ended.is_some()
        };
        assert!(within(PATIENCE, is_over), "praxis does not end");
        ended.unwrap()
    }
}

impl Drop for Praxis {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process that stands still as long as this lives.
struct Stopped(i32);

impl Stopped {
    fn new(pid: i32) -> Self {
        send(pid, Signal::SIGSTOP);
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        send(self.0, Signal::SIGCONT);
    }
}

fn rig(script: &str) -> Rig {
    let script = script.replace('\\', r"\\").replace('"', r#"\""#);
    let tools = format!(
        r#"{{id: hide, risk: RISK, command: {{argv: [sh, -c, "{script}"], env: {{MARK: "HERE"}}}}}}"#
    );
    let plan = "{plan_description: hide, steps: [{step_id: a, tool: hide}]}";
    let risk = if script.contains("go ]") { "read" } else { "write" };
    Rig::with(plan, &tools.replace("RISK", risk))
}

/// Living processes that came from a call of this rig: keepers, programs, daemons.
pub(crate) fn marked(rig: &Rig) -> Vec<(i32, String)> {
    let mark = format!("MARK={}", rig.path("").display());
    let mark = mark.trim_end_matches('/').as_bytes().to_vec();
    let folder = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = folder.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let of = |pid: i32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let ours = environment.split(|byte| *byte == 0).any(|variable| variable == mark);
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        ours.then(|| (pid, String::from_utf8_lossy(&words).replace('\0', " ")))
    };
    pids.filter_map(of).collect()
}

/// The process of a keeper, by the first word of its command line.
fn keeper(rig: &Rig, word: &str) -> Option<i32> {
    let is_keeper = |(_, words): &&(i32, String)| words.split(' ').nth(1) == Some(word);
    marked(rig).iter().find(is_keeper).map(|(pid, _)| *pid)
}

fn send(pid: i32, signal: Signal) {
    kill(Pid::from_raw(pid), signal).unwrap();
}

fn assert_nothing_is_left(rig: &Rig, name: &str) {
    let gone = within(SOON, || marked(rig).is_empty());
    assert!(gone, "{name}: still there: {:?}", marked(rig));
    // Nobody is left who could write it.
    assert!(!rig.path("late").exists(), "{name}: the program went on");
}

#[test]
fn programs_die_with_praxis_however_they_hide() {
    for (name, script) in PROGRAMS {
        let rig = rig(script);
        let mut praxis = Praxis::begin(&rig);
        assert!(!marked(&rig).is_empty());
        praxis.kill();
        assert_nothing_is_left(&rig, name);
    }
}

#[test]
fn programs_die_with_their_keeper_and_the_call_is_in_doubt() {
    for (name, script) in PROGRAMS {
        for word in ["__exec", "__first"] {
            let rig = rig(script);
            let mut praxis = Praxis::begin(&rig);
            let Some(pid) = keeper(&rig, word) else { continue };
            send(pid, Signal::SIGKILL);
            assert_nothing_is_left(&rig, &format!("{name}, {word} killed"));
            assert_eq!(praxis.wait().code(), Some(3), "{name}: the step is in doubt");
            assert_eq!(statuses(&rig.last())["a"], "IN_DOUBT", "{name}");
        }
    }
}

#[test]
fn what_a_program_leaves_behind_dies_when_it_ends() {
    let rig = rig(r#"(setsid sh -c "sleep 1; echo x > HERE/late" &) ; echo a >> CALLS; echo 1"#);
    let mut praxis = Praxis::begin(&rig);
    assert_eq!(praxis.wait().code(), Some(0));
    assert_nothing_is_left(&rig, "left behind");
}

#[test]
fn a_new_owner_waits_until_the_old_programs_are_gone() {
    let rig = rig("echo a >> CALLS; [ -e HERE/go ] || sleep 30; echo 1");
    let mut old = Praxis::begin(&rig);
    let watcher = keeper(&rig, "__first").or_else(|| keeper(&rig, "__exec")).unwrap();
    let watcher = Stopped::new(watcher);
    old.kill();
    std::fs::write(rig.path("go"), "").unwrap();
    let mut new = Praxis::begin(&rig);
    let says = || std::fs::read_to_string(rig.path("stderr")).unwrap();
    let waits = "waiting for a program of the previous owner process to end";
    assert!(within(PATIENCE, || says().contains(waits)), "{}", says());
    assert_eq!(rig.calls()["a"], 1, "the step runs while its old program lives");
    drop(watcher);
    assert_eq!(new.wait().code(), Some(0));
    assert_eq!(rig.calls()["a"], 2);
}

/// A keeper that was stopped before it took its lock, and whose owner died meanwhile, must not start the program: the
/// next owner found no lock and may have started the call again.
#[test]
fn a_keeper_whose_owner_is_gone_before_the_program_starts_does_not_start_it() {
    let rig = Rig::empty();
    let locks = rig.path("locks");
    std::fs::create_dir(&locks).unwrap();
    let (lifeline, owner) = std::io::pipe().unwrap();
    drop(owner);
    let mut keeper = rig.plain(&["__exec", &locks.display().to_string(), "--", "touch", "late"]);
    let ended = keeper.stdin(lifeline).status().unwrap();
    assert_eq!(ended.code(), Some(137));
    assert!(!rig.path("late").exists());
    assert_eq!(std::fs::read_dir(&locks).unwrap().count(), 0, "no lock is left behind");
}
