//! Commands as people type them.

use crate::rig::{Rig, finish, json_lines, within};
use std::process::Stdio;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

const PLAN: &str = "
plan_description: wait at a gate
steps:
  - {step_id: a_step_with_a_name_that_is_rather_long, tool: gate}
  - {step_id: after, tool: echo, depends_on: [a_step_with_a_name_that_is_rather_long]}
";

const TOOLS: &str = "
- id: gate
  idempotent: true
  retries: 0
  command: {argv: [sh, -c, 'echo gate >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; [ -e HERE/good ] && echo {}']}
";

const RUN: [&str; 4] = ["run", "plan.yaml", "--tools", "tools.yaml"];

fn open(rig: &Rig) {
    std::fs::write(rig.path("good"), "").unwrap();
    std::fs::write(rig.path("open"), "").unwrap();
}

/// A task that executes, and whose owner was killed.
fn left_alone() -> (Rig, String) {
    let rig = Rig::with(PLAN, TOOLS);
    let mut command = rig.spoken(&RUN);
    let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("gate")));
    owner.kill().unwrap();
    owner.wait().unwrap();
    let task = rig.last()["task"].as_str().unwrap().to_owned();
    (rig, task)
}

#[test]
fn watch_leaves_a_task_that_nobody_drives_and_says_how_it_goes_on() {
    let (rig, task) = left_alone();
    let (code, _, said) = rig.says(&["watch", &task]);
    assert_eq!(code, Some(7), "{said}");
    assert!(
        said.contains(&format!("error[task_undriven]: no process is running {task}")),
        "{said}"
    );
    assert!(said.contains(&format!("`praxis resume {task}`")), "{said}");
    let output = finish(&rig, &mut rig.praxis(&["--lang", "zh", "watch", &task]));
    let last = json_lines(&output.stdout).pop().unwrap();
    assert_eq!(last["error"]["problems"][0]["code"], "task_undriven");
    assert!(String::from_utf8_lossy(&output.stderr).contains("没有进程在运行"));
}

#[test]
fn show_warns_of_a_task_that_nobody_drives_and_resume_takes_it_up() {
    let (rig, task) = left_alone();
    let (code, _, said) = rig.says(&["show", &task]);
    assert!(code == Some(0) && said.contains(&format!("no process is running {task}")), "{said}");
    let (_, _, said) = rig.says(&["show", &task, "--at", "2"]);
    assert!(!said.contains("no process is running"), "{said}");
    open(&rig);
    let (code, out, said) = rig.says(&["resume", &task]);
    assert_eq!((code, out.trim()), (Some(0), "{}"), "{said}");
    let (_, _, said) = rig.says(&["show", &task]);
    assert!(!said.contains("no process is running"), "{said}");
}

#[test]
fn watch_follows_a_task_of_another_process_to_its_end() {
    let rig = Rig::with(PLAN, TOOLS);
    let mut command = rig.spoken(&RUN);
    let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(within(PATIENCE, || rig.calls().contains_key("gate")));
    let mut watch = rig.spoken(&["watch", "--last"]);
    let watching = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    open(&rig);
    let watched = watching.wait_with_output().unwrap();
    assert_eq!(watched.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&watched.stdout).trim(), "{}");
    assert!(owner.wait().unwrap().success());
    let all = rig.ask(&["watch", "--last"]).unwrap();
    let from = rig.ask(&["watch", "--last", "--from", "3"]).unwrap();
    assert!(
        from.len() < all.len() && from.iter().all(|event| event["sequence"].as_u64() > Some(3))
    );
}

#[test]
fn off_a_terminal_every_start_is_a_line_and_no_id_is_cut() {
    let rig = Rig::with(PLAN, TOOLS);
    open(&rig);
    let (code, _, said) = rig.says(&RUN);
    assert_eq!(code, Some(0));
    for mark in ["▶", "✔"] {
        let line = format!("{mark} a_step_with_a_name_that_is_rather_long");
        assert_eq!(said.matches(&line).count(), 1, "{said}");
    }
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn tools_for_a_retry_count_with_current_and_are_refused_without() {
    let rig = Rig::with(PLAN, TOOLS);
    std::fs::write(rig.path("open"), "").unwrap();
    assert_eq!(rig.says(&RUN).0, Some(1));
    let better = "{id: gate, risk: read, command: {argv: [echo, '{\"mended\": true}']}}";
    std::fs::write(rig.path("better.yaml"), better).unwrap();
    let (code, _, said) = rig.says(&["retry", "--last", "--tools", "better.yaml"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("error[usage]: --tools requires `--with current`"), "{said}");
    let (code, _, said) =
        rig.says(&["retry", "--last", "--with", "current", "--tools", "better.yaml"]);
    assert_eq!(code, Some(0), "{said}");
    let step = ["show", "--last", "--output", "--step", "a_step_with_a_name_that_is_rather_long"];
    assert!(rig.says(&step).1.contains("mended"));
    let (code, _, said) = rig.says(&["cancel", "--last"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("praxis fork") && !said.contains("praxis retry"), "{said}");
}

#[test]
fn an_erased_task_is_gone_with_its_blobs() {
    let rig = Rig::new();
    assert!(rig.run().status.success());
    let task = rig.last()["task"].as_str().unwrap().to_owned();
    let (code, _, said) = rig.says(&["--lang", "zh", "erase", &task, "--yes"]);
    assert!(code == Some(0) && said.contains(&format!("已删除 {task}")), "{said}");
    assert_eq!(rig.says(&["show", &task]).0, Some(6));
    let (_, listed, _) = rig.says(&["ps"]);
    assert!(!listed.contains(&task));
    let blobs = std::fs::read_dir(rig.data().join("blobs")).unwrap();
    let left = blobs.flat_map(|shard| std::fs::read_dir(shard.unwrap().path()).unwrap()).count();
    assert_eq!(left, 0);
}

#[test]
fn completion_knows_the_commands_of_every_shell() {
    let rig = Rig::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, script, _) = rig.says(&["completion", shell]);
        assert_eq!(code, Some(0));
        assert!(script.contains("inbox") && script.contains("idempotency-key"), "{shell}");
    }
    assert_eq!(rig.says(&["completion", "cmd"]).0, Some(2));
}

#[test]
fn config_path_tells_which_files_count() {
    let rig = Rig::empty();
    std::fs::write(rig.path("praxis.toml"), "[ui]\nlang = \"zh\"\n").unwrap();
    let (code, told, _) = rig.says(&["config", "path"]);
    assert_eq!(code, Some(0));
    let project = rig.path("praxis.toml").canonicalize().unwrap().display().to_string();
    assert!(
        told.lines().any(|line| line.starts_with("已使用") && line.ends_with(&project)),
        "{told}"
    );
    assert!(told.lines().any(|line| line.starts_with("不存在")), "{told}");
    let (_, shown, _) = rig.says(&["config", "show"]);
    assert!(
        shown.lines().any(|line| line.starts_with("ui.lang") && line.contains(&project)),
        "{shown}"
    );
}
