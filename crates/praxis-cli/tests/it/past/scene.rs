//! A plan that ran, and what the binary says of it.

use crate::rig::{Rig, finish};
use serde_json::Value;
use std::process::Output;

/// `put` changes something, `look` reads, `stall` is in doubt at once, `big` gives more than an event holds.
const TOOLS: &str = r#"
tools:
  - id: put
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"done\": 1}"']}
  - id: look
    risk: read
    command: {argv: [sh, -c, 'echo 3']}
  - id: stall
    timeout: 100ms
    command: {argv: [sh, -c, 'sleep 30']}
  - id: fail
    risk: read
    command: {argv: [sh, -c, 'exit 1']}
  - id: big
    risk: read
    command: {argv: [sh, -c, 'head -c 70000 /dev/zero | tr "\0" x']}
"#;

/// Where plans run and are looked at.
pub(crate) struct Scene(pub(crate) Rig);

impl Scene {
    /// Runs a plan once, with initial metadata.
    pub(crate) fn run(plan: &str, params: &[&str]) -> Self {
        let scene = Self(Rig::with(plan, TOOLS));
        scene.again(params);
        scene
    }

    /// Runs the plan once more.
    pub(crate) fn again(&self, params: &[&str]) -> Output {
        let mut words = vec!["run", "plan.yaml", "--tools", "tools.yaml"];
        words.extend(params.iter().flat_map(|pair| ["-p", pair]));
        self.output(&words)
    }

    /// The binary with words, telling as for people.
    pub(crate) fn output(&self, words: &[&str]) -> Output {
        let data = self.0.data().display().to_string();
        let mut all = vec!["--data", &data];
        all.extend(words);
        if !words.contains(&"--lang") {
            all.extend(["--lang", "en"]);
        }
        finish(&self.0, &mut self.0.plain(&all))
    }

    /// What a command that succeeds prints, with every task's id as `TASK` and the caller as `WHO`.
    pub(crate) fn says(&self, words: &[&str]) -> String {
        let output = self.output(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        Self::hide_ids(&String::from_utf8(output.stdout).unwrap())
    }

    /// What a command prints beside its result.
    pub(crate) fn notes(&self, words: &[&str]) -> String {
        Self::hide_ids(&String::from_utf8(self.output(words).stderr).unwrap())
    }

    /// What a command prints as JSON, one value a line.
    pub(crate) fn json(&self, words: &[&str]) -> Vec<Value> {
        let mut all = vec!["--json"];
        all.extend(words);
        let output = self.output(&all);
        assert!(output.status.success(), "{words:?}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The id of the task that was submitted last.
    pub(crate) fn last(&self) -> String {
        self.json(&["show", "--last"])[0]["task"].as_str().unwrap().to_owned()
    }

    /// The question that waits and is about this.
    pub(crate) fn question(&self, about: &str) -> String {
        let waiting = self.json(&["inbox"]);
        let one = waiting.iter().find(|one| one["question"]["about"] == about);
        one.unwrap()["question"]["id"].as_str().unwrap().to_owned()
    }

    fn hide_ids(text: &str) -> String {
        let mut out = String::new();
        for (index, piece) in text.split("task_01").enumerate() {
            let rest = if index == 0 { piece } else { piece.get(24..).unwrap_or_default() };
            out.push_str(if index == 0 { "" } else { "TASK" });
            out.push_str(rest);
        }
        out.replace(&format!("cli:uid{}", nix::unistd::getuid()), "WHO")
    }
}
