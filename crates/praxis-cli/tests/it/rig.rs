//! A data folder, a plan, tools that count their calls, and the binary to run them.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_praxis");
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Long enough for a machine that does other things too.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A reads, `b` must not run twice, `c` gives more than fits in an event, `d` is handed all of it.
const PLAN: &str = r#"
plan_description: survive
steps:
  - {step_id: a, tool: look}
  - {step_id: b, tool: put, parameters: {from: "{{a.outputs.from}}"}}
  - {step_id: c, tool: big, parameters: {from: "{{b.outputs.from}}"}}
  - {step_id: d, tool: look, parameters: {all: "{{c.output}}"}}
"#;

const TOOLS: &str = r#"
tools:
  - id: look
    risk: read
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"from\": \"$PRAXIS_STEP\"}"']}
  - id: put
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"from\": \"$PRAXIS_STEP\"}"']}
  - id: big
    idempotent: true
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; head -c 70000 /dev/zero | tr "\0" x']}
"#;

/// One data folder and what is done in it.
pub(crate) struct Rig {
    folder: TempDir,
}

impl Rig {
    /// A fresh one with the plan that survives.
    pub(crate) fn new() -> Self {
        Self::with(PLAN, TOOLS)
    }

    /// `CALLS` in the tools stands for the file that counts, `HERE` for the folder.
    pub(crate) fn with(plan: &str, tools: &str) -> Self {
        let rig = Self { folder: tempfile::tempdir().unwrap() };
        let calls = rig.path("calls").display().to_string();
        let here = rig.folder.path().display().to_string();
        let tools = tools.replace("CALLS", &calls).replace("HERE", &here);
        std::fs::write(rig.path("plan.yaml"), plan).unwrap();
        std::fs::write(rig.path("tools.yaml"), tools).unwrap();
        rig
    }

    /// A fresh one with nothing in it.
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A fresh one that is a project about load, as the example brings it; none of the example's data.
    pub(crate) fn about_load() -> Self {
        let rig = Self::empty();
        rig.add_load_project();
        rig
    }

    /// Adds the tools and workflows of the example about load.
    pub(crate) fn add_load_project(&self) {
        let example = praxis_toolbox::ExampleProject::named("load-forecast").unwrap();
        let is_project = |path: &str| path == "praxis.toml" || path.starts_with(".praxis/");
        for (path, text) in example.files.iter().filter(|(path, _)| is_project(path)) {
            let path = self.path(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Any program, in surroundings that are the same everywhere.
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", PATH).env("HOME", self.folder.path());
        command.current_dir(self.folder.path());
        command
    }

    /// `praxis` with words.
    pub(crate) fn praxis(&self, words: &[&str]) -> Command {
        let mut command = self.program(BINARY);
        command.args(self.words(words));
        command
    }

    /// `praxis` with these words and no others.
    pub(crate) fn plain(&self, words: &[&str]) -> Command {
        let mut command = self.program(BINARY);
        command.args(words);
        command
    }

    /// `praxis` with words for people instead of JSON.
    pub(crate) fn spoken(&self, words: &[&str]) -> Command {
        let data = self.data().display().to_string();
        self.plain(&[&["--data", &data], words].concat())
    }

    /// What it then says: the exit code, stdout and stderr.
    pub(crate) fn says(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let output = finish(self, &mut self.spoken(words));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// `praxis` below another program.
    pub(crate) fn praxis_under(&self, program: &str, before: &[String], words: &[&str]) -> Command {
        let mut command = self.program(program);
        command.args(before).arg(BINARY).args(self.words(words));
        // Commits by one thread, so that a tracer can count them.
        command.env("PRAXIS_JOURNAL_LONE_COMMITS", "false");
        command
    }

    fn words(&self, words: &[&str]) -> Vec<String> {
        let data = self.data().display().to_string();
        let given = words.iter().map(ToString::to_string);
        ["--data".to_owned(), data, "--json".to_owned()].into_iter().chain(given).collect()
    }

    /// The words that run the plan, always as the same request.
    pub(crate) fn run_words(&self) -> [&'static str; 6] {
        ["run", "plan.yaml", "--tools", "tools.yaml", "--idempotency-key", "the one"]
    }

    /// Runs the plan, or takes it up again, to its end.
    pub(crate) fn run(&self) -> Output {
        finish(self, &mut self.praxis(&self.run_words()))
    }

    /// What a command says on stdout, as JSON, if it succeeds.
    pub(crate) fn ask(&self, words: &[&str]) -> Option<Vec<Value>> {
        let output = finish(self, &mut self.praxis(words));
        output.status.success().then(|| json_lines(&output.stdout))
    }

    /// The last task as `show` has it; null if there is none.
    pub(crate) fn last(&self) -> Value {
        self.ask(&["show", "--last"]).and_then(|shown| shown.into_iter().next()).unwrap_or_default()
    }

    /// How often each step's program was started.
    pub(crate) fn calls(&self) -> BTreeMap<String, usize> {
        let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        let mut calls = BTreeMap::new();
        for step in text.lines() {
            *calls.entry(step.to_owned()).or_default() += 1;
        }
        calls
    }
}

/// The status of each step of a task that `show` told of.
pub(crate) fn statuses(shown: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let status = |step: &Value| (text(&step["step_id"]), text(&step["status"]));
    shown["steps"].as_array().map_or(BTreeMap::new(), |steps| steps.iter().map(status).collect())
}

/// The whole lines of JSON in what a program printed; the last one may be cut.
pub(crate) fn json_lines(printed: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(printed);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The sequence numbers of events that were printed.
pub(crate) fn sequences(lines: &[Value]) -> Vec<u64> {
    lines.iter().filter_map(|line| line["sequence"].as_u64()).collect()
}

/// Runs a command to its end; one that hangs is shown with everything that lives in its folder.
pub(crate) fn finish(rig: &Rig, command: &mut Command) -> Output {
    finish_within(2 * PATIENCE, rig, command)
}

/// The same with another patience.
pub(crate) fn finish_within(patience: Duration, rig: &Rig, command: &mut Command) -> Output {
    let place = tempfile::tempdir().unwrap();
    let (out, err) = (place.path().join("out"), place.path().join("err"));
    command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
    let mut child = command.spawn().unwrap();
    let mut ended = None;
    let is_over = || {
        ended = child.try_wait().unwrap();
        ended.is_some()
    };
    let over = within(patience, is_over);
    let (stdout, stderr) = (std::fs::read(out).unwrap(), std::fs::read(err).unwrap());
    let said = String::from_utf8_lossy(&stderr).into_owned();
    assert!(over, "{command:?} hangs: {said}\n{}", living(&rig.path("")));
    Output { status: ended.unwrap(), stdout, stderr }
}

/// The threads of all processes that name a folder, and what each waits for.
fn living(folder: &Path) -> String {
    let folder = folder.display().to_string();
    let script = "ps -eLo pid,ppid,tid,stat,wchan:32,etime,args | grep -F \"$1\"";
    let shown =
        Command::new("sh").args(["-c", script, "sh", folder.trim_end_matches('/')]).output();
    String::from_utf8_lossy(&shown.unwrap().stdout).into_owned()
}

/// Whether something becomes true before patience ends.
#[expect(clippy::disallowed_methods, reason = "a test that waits for real processes needs a clock")]
pub(crate) fn within(patience: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = std::time::Instant::now() + patience;
    while !holds() {
        if std::time::Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Copies a folder with everything in it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// A loud word that a test could not do its work here. In CI that is a failure.
pub(crate) fn skip(why: &str) {
    eprintln!("!!! SKIPPED: {why}");
    assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "skipped in CI: {why}");
}
