//! Extracts the answers of real models from the records of their runs.

use super::csv;
use super::judge::RecordedAnswerKind;
use super::python::{PythonLiterals, whole};
use anyhow::{Context, ensure};
use praxis_core::ask::usage::estimate;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The text before a model's answer in the record of an error.
const UNPARSED: &str = "Could not parse LLM output:";

/// One answer of a model.
#[derive(Clone, Debug)]
pub(super) struct RecordedAnswer {
    /// The set: `actions` are turns in which the recording program found a call, `outputs` are last messages and
    /// turns without a call, `calls` are calls as lines of Python, `cells` are the same calls as one list, and `tau`
    /// are messages of an endpoint.
    pub(super) set: &'static str,
    /// The file, row and part that it was taken from.
    pub(super) case: String,
    /// The answer.
    pub(super) answer: RecordedAnswerKind,
    /// The tool and arguments that were executed for it, if any.
    pub(super) meant: Option<(String, Value)>,
}

/// All answers, and the names of all called tools.
#[derive(Debug, Default)]
pub(super) struct RecordedAnswers {
    pub(super) answers: Vec<RecordedAnswer>,
    pub(super) tools: BTreeSet<String>,
}

/// Returns the value at a JSON pointer; `null` if there is none.
pub(super) fn at<'a>(value: &'a Value, place: &str) -> &'a Value {
    value.pointer(place).unwrap_or(&Value::Null)
}

/// Returns the text at a JSON pointer; empty if there is none.
pub(super) fn text<'a>(value: &'a Value, place: &str) -> &'a str {
    at(value, place).as_str().unwrap_or_default()
}

/// Returns the items of the array at a JSON pointer.
pub(super) fn list<'a>(value: &'a Value, place: &str) -> &'a [Value] {
    at(value, place).as_array().map_or(&[], Vec::as_slice)
}

/// Returns the arguments as a line of Python shows them: every value is a string. `None` if one is nested.
fn printed(input: &Value) -> Option<Value> {
    let print = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("True".to_owned()),
        Value::Bool(false) => Some("False".to_owned()),
        Value::Null => Some("None".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
    };
    let fields = input.as_object()?.iter();
    fields.map(|(name, value)| Some((name.clone(), Value::String(print(value)?)))).collect()
}

/// Reads every `*.csv` and `*.json` in the folder and its direct subfolders.
pub(super) fn read(folder: &Path) -> anyhow::Result<RecordedAnswers> {
    let mut records = RecordedAnswers::default();
    let mut files = Vec::new();
    walk(folder, 1, &mut files)?;
    for file in files {
        let text = std::fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_table = file.extension().is_some_and(|end| end == "csv");
        if is_table {
            csv::rows(&text)
                .with_context(|| format!("{}", file.display()))?
                .iter()
                .enumerate()
                .try_for_each(|(index, row)| records.run(row, &format!("{name}#{index}")))?;
        } else {
            records.trajectories(&text, &name)?;
        }
    }
    ensure!(!records.answers.is_empty(), "no answers in {}", folder.display());
    Ok(records)
}

/// Returns the average number of tokens of the recorded actions and of the answers of `WorkBench`.
pub(crate) fn lengths(folder: &Path) -> anyhow::Result<(f64, f64)> {
    let records = read(folder)?;
    let mean = |set: &str| {
        let texts = records.answers.iter().filter(|recorded| recorded.set == set);
        let lengths: Vec<u64> = texts
            .filter_map(|recorded| match &recorded.answer {
                RecordedAnswerKind::Text(text) => Some(estimate(text)),
                RecordedAnswerKind::Message(_) => None,
            })
            .collect();
        lengths.iter().sum::<u64>() as f64 / lengths.len().max(1) as f64
    };
    Ok((mean("actions"), mean("outputs")))
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let ends = |end: &str| path.extension().is_some_and(|found| found == end);
        if path.is_dir() && depth > 0 {
            walk(&path, depth - 1, files)?;
        } else if ends("csv") || ends("json") {
            files.push(path);
        }
    }
    Ok(())
}

impl RecordedAnswers {
    fn add(&mut self, set: &'static str, case: String, text: &str, meant: Option<(String, Value)>) {
        if !text.trim().is_empty() {
            let answer = RecordedAnswerKind::Text(text.to_owned());
            self.answers.push(RecordedAnswer { set, case, answer, meant });
        }
    }

    /// Adds the answers of one run of `WorkBench`.
    fn run(&mut self, row: &csv::CsvRecord, case: &str) -> anyhow::Result<()> {
        let field = |name: &str| row.get(name).map_or("", String::as_str);
        if let Some((_, words)) = field("error").split_once(UNPARSED) {
            self.add("outputs", format!("{case}/error"), words, None);
        }
        let response = field("full_response");
        let unreadable = || format!("{case}: the record of the run cannot be read");
        let response = match response.trim() {
            "" => Value::Null,
            response => whole(response, PythonLiterals::Any).with_context(unreadable)?,
        };
        self.add("cells", format!("{case}/calls"), field("function_calls"), None);
        self.calls(field("function_calls"), &response, case);
        for (index, step) in list(&response, "/intermediate_steps").iter().enumerate() {
            let tool = text(step, "/0/tool").to_owned();
            self.tools.insert(tool.clone());
            let meant = Some((tool, at(step, "/0/tool_input").clone()));
            self.add("actions", format!("{case}/{index}"), text(step, "/0/log"), meant);
        }
        let output = at(&response, "/output");
        if !output.is_null() {
            let output = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
            self.add("outputs", format!("{case}/output"), &output, None);
        }
        Ok(())
    }

    /// Adds the calls of a run, written as lines of Python; the executed calls are in the response.
    fn calls(&mut self, written: &str, response: &Value, case: &str) {
        let lines = whole(written, PythonLiterals::Literal).unwrap_or_default();
        for (index, line) in list(&lines, "").iter().enumerate() {
            let line = line.as_str().unwrap_or_default();
            let name = line.split('(').next().unwrap_or_default().trim_end_matches(".func");
            self.tools.insert(name.to_owned());
            let step = at(response, &format!("/intermediate_steps/{index}/0"));
            let input = printed(at(step, "/tool_input")).filter(|_| text(step, "/tool") == name);
            let meant = input.map(|input| (name.to_owned(), input));
            self.add("calls", format!("{case}/call{index}"), line, meant);
        }
    }

    /// Adds the assistant messages of conversations with an endpoint.
    fn trajectories(&mut self, written: &str, name: &str) -> anyhow::Result<()> {
        let runs: Vec<Value> = serde_json::from_str(written).with_context(|| name.to_owned())?;
        for (run, record) in runs.iter().enumerate() {
            let said = list(record, "/traj").iter().enumerate();
            for (index, message) in said.filter(|(_, said)| text(said, "/role") == "assistant") {
                let calls = list(message, "/tool_calls").iter();
                self.tools.extend(calls.map(|call| text(call, "/function/name").to_owned()));
                let case = format!("{name}#{run}/{index}");
                let answer = RecordedAnswerKind::Message(message.clone());
                self.answers.push(RecordedAnswer { set: "tau", case, answer, meant: None });
            }
        }
        Ok(())
    }
}
