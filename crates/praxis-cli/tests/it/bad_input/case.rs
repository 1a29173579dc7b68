//! One bad input, and what the binary says to all of a group.

use crate::rig::{Rig, finish, finish_within};
use std::fs::File;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

/// A plan that runs.
pub(super) const GOOD_PLAN: &str = "steps: [{step_id: a, tool: echo}]\n";
/// The words that run `plan.yaml`.
pub(super) const RUN: &[&str] = &["run", "plan.yaml"];
/// How long an answer may take.
const LONGEST: Duration = Duration::from_secs(20);
/// Larger cases are told in one language only: they take their time.
const LARGE: usize = 1024 * 1024;
/// How many lines of one answer are kept.
const MOST_LINES: usize = 24;
/// How much of a line is kept.
const MOST_COLUMNS: usize = 600;

/// One bad input. `HERE` in a text stands for the folder of the case.
pub(super) struct Case {
    name: &'static str,
    files: Vec<(String, Vec<u8>)>,
    words: Vec<String>,
    env: Vec<(String, String)>,
    stdin: Vec<u8>,
    before: Vec<Vec<String>>,
    prepare: Option<fn(&Path)>,
    accepted: bool,
    unsound: bool,
}

impl Case {
    /// A plan, given as `plan.yaml`.
    pub(super) fn plan(name: &'static str, plan: impl Into<Vec<u8>>) -> Self {
        Self::new(name, RUN).file("plan.yaml", plan)
    }

    /// A manifest, given beside a plan that uses its tool `t`.
    pub(super) fn manifest(name: &'static str, manifest: impl Into<Vec<u8>>) -> Self {
        Self::new(name, &["run", "plan.yaml", "--tools", "tools.yaml"])
            .file("plan.yaml", "steps: [{step_id: a, tool: t}]\n")
            .file("tools.yaml", manifest)
    }

    /// Words for the binary.
    pub(super) fn new(name: &'static str, words: &[&str]) -> Self {
        Self {
            name,
            files: vec![],
            words: words.iter().map(ToString::to_string).collect(),
            env: vec![],
            stdin: vec![],
            before: vec![],
            prepare: None,
            accepted: false,
            unsound: false,
        }
    }

    /// A file in the folder of the case.
    pub(super) fn file(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), content.into()));
        self
    }

    /// A variable.
    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What comes in on stdin.
    pub(super) fn stdin(mut self, content: impl Into<Vec<u8>>) -> Self {
        self.stdin = content.into();
        self
    }

    /// Words for the binary before those of the case.
    pub(super) fn after(mut self, words: &[&str]) -> Self {
        self.before.push(words.iter().map(ToString::to_string).collect());
        self
    }

    /// What else is done to the folder before.
    pub(super) fn prepare(mut self, prepare: fn(&Path)) -> Self {
        self.prepare = Some(prepare);
        self
    }

    /// The input is unusual, and good.
    pub(super) fn accepted(mut self) -> Self {
        self.accepted = true;
        self
    }

    /// The data folder is unusable from the start.
    pub(super) fn unsound(mut self) -> Self {
        self.unsound = true;
        self
    }

    fn bytes(&self) -> usize {
        self.stdin.len() + self.files.iter().map(|(_, content)| content.len()).sum::<usize>()
    }

    /// Gives it to the binary, in one language.
    fn answer(&self, lang: &str) -> String {
        let rig = Rig::empty();
        for (name, content) in &self.files {
            let path = rig.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        for words in &self.before {
            self.run(&rig, words, lang);
        }
        if let Some(prepare) = self.prepare {
            prepare(&rig.path(""));
        }
        let output = self.run(&rig, &self.words, lang);
        let words = self.told(&rig, &output);
        self.judge(&output, &words);
        // Once is enough; the language changes nothing on disk.
        if !self.unsound && lang == "en" {
            let listed = finish(&rig, &mut rig.plain(&["--data", "data", "ps"]));
            assert!(listed.status.success(), "{}: the folder is harmed: {listed:?}", self.name);
        }
        words
    }

    fn run(&self, rig: &Rig, words: &[String], lang: &str) -> Output {
        let here = rig.path("").display().to_string();
        let place = |text: &String| text.replace("HERE", here.trim_end_matches('/'));
        let words: Vec<String> = words.iter().map(place).collect();
        let mut all = vec!["--data", "data"];
        if words.iter().any(|word| word == "--data") {
            all.clear();
        }
        all.extend(words.iter().map(String::as_str));
        let mut command = rig.plain(&all);
        command.env("LANG", "C");
        command.env("LC_ALL", if lang == "zh" { "zh_CN.UTF-8" } else { "C" });
        for (name, value) in &self.env {
            command.env(name, place(value));
        }
        std::fs::write(rig.path("stdin"), &self.stdin).unwrap();
        command.stdin(File::open(rig.path("stdin")).unwrap());
        finish_within(LONGEST, rig, &mut command)
    }

    /// Exit code, stdout and stderr, with what differs from run to run written as a word. The story of
    /// a task that ran is left out.
    fn told(&self, rig: &Rig, output: &Output) -> String {
        let part = |name: &str, bytes: &[u8]| {
            let text = scrubbed(rig, &String::from_utf8_lossy(bytes));
            let empty = text.trim().is_empty();
            if empty { String::new() } else { format!("{name}\n{}", shortened(&text)) }
        };
        let code = output.status.code().map_or("none".to_owned(), |code| code.to_string());
        let story = if self.accepted { String::new() } else { part("stderr:", &output.stderr) };
        format!("exit {code}\n{}{story}", part("stdout:", &output.stdout))
    }

    /// What holds for every answer.
    fn judge(&self, output: &Output, words: &str) {
        let name = self.name;
        let code = output.status.code();
        assert!(code.is_some(), "{name}: killed: {words}");
        assert_eq!(code == Some(0), self.accepted, "{name}: {words}");
        assert!((0..=8).contains(&code.unwrap()), "{name}: exit {code:?} is not documented");
        assert!(!words.contains("panicked"), "{name}: {words}");
        let steers =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        let stderr = String::from_utf8(output.stderr.clone()).expect("stderr is UTF-8");
        assert!(!stderr.contains(steers), "{name}: the terminal is driven: {stderr:?}");
        if !self.accepted && stderr.contains("error[") {
            let errors = stderr.lines().filter(|line| line.starts_with("error[")).count();
            let nexts = stderr.lines().filter(|line| line.starts_with("  next: ")).count();
            assert_eq!(errors, nexts, "{name}: no next action: {stderr}");
        }
    }
}

/// Gives every case to the binary. What it says, in English, is the snapshot; in Chinese it says as
/// much, and in Chinese.
pub(super) fn answers(groups: &[Vec<Case>]) -> String {
    let mut all = String::new();
    for case in groups.iter().flatten() {
        let english = case.answer("en");
        all.push_str(&format!("=== {}\n{english}\n", case.name));
        if english.contains("error[") && case.bytes() < LARGE {
            let chinese = case.answer("zh");
            assert_alike(case.name, &english, &chinese);
        }
    }
    all
}

/// The same codes in the same order, and every message with words in the other language.
fn assert_alike(name: &str, english: &str, chinese: &str) {
    let codes = |text: &str| -> Vec<String> {
        let after = |line: &str| {
            line.strip_prefix("error[").or_else(|| line.strip_prefix("错误[")).map(str::to_owned)
        };
        let errors = text.lines().filter_map(after);
        errors.map(|line| line.split(']').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(codes(english), codes(chinese), "{name}: {chinese}");
    let is_chinese = |line: &str| line.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for line in chinese.lines() {
        let english = line.starts_with("error[") || line.starts_with("  next: ");
        assert!(!english, "{name}: an English frame in {line}");
        let told = line
            .split_once('：')
            .filter(|(head, _)| ["错误[", "  下一步"].iter().any(|it| head.starts_with(it)));
        assert!(told.is_none_or(|(_, words)| is_chinese(words)), "{name}: no Chinese in {line}");
    }
}

fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    for line in lines.iter().take(MOST_LINES) {
        let kept: String = line.chars().take(MOST_COLUMNS).collect();
        let more = if kept.len() < line.len() { " …" } else { "" };
        out.push_str(&format!("{kept}{more}\n"));
    }
    if lines.len() > MOST_LINES {
        out.push_str(&format!("… and {} lines more\n", lines.len() - MOST_LINES));
    }
    out
}

fn scrubbed(rig: &Rig, text: &str) -> String {
    let here = rig.path("").display().to_string();
    let text = text.replace(here.trim_end_matches('/'), "[HERE]");
    let text = without_ids(&text, "task_", 26, "[TASK]");
    let text = without_ids(&text, "q_", 10, "[QUESTION]");
    text.lines().map(without_times).collect::<Vec<_>>().join("\n")
}

/// Writes a word for each id of this form.
fn without_ids(text: &str, prefix: &str, length: usize, word: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(prefix) {
        out.push_str(before);
        let id = after.chars().take_while(char::is_ascii_alphanumeric).count();
        if id == length {
            out.push_str(word);
            rest = after.get(length..).unwrap_or_default();
        } else {
            out.push_str(prefix);
            rest = after;
        }
    }
    out + rest
}

/// Writes a word for spans such as `0.1 s`.
fn without_times(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let mut out: Vec<&str> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let seconds =
            words.get(index + 1) == Some(&"s") || words.get(index + 1) == Some(&"s\u{20}");
        let number = word.contains('.') && word.parse::<f64>().is_ok();
        out.push(if seconds && number { "[T]" } else { word });
    }
    out.join(" ")
}
