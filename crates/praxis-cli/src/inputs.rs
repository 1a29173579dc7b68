//! Reads the inputs of a run: the plan, the parameters and the tools. Every file has a size limit.

use crate::args_goal::{RunArgs, TaskArgs};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use praxis_core::call::manifest;
use praxis_core::call::tool::Toolbox;
use praxis_core::call::tool::{Tool, Transport};
use praxis_core::document::{self, DocumentBreach, DocumentFormat};
use praxis_core::ids::ToolId;
use praxis_core::intake::plan;
use praxis_core::problem::Problem;
use praxis_core::problem::reason::ProblemReason;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size of a plan or manifest, in bytes.
const MOST_PLAN_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum size of a parameter file, in bytes; large values in it are stored as blobs.
const MOST_PARAMS_BYTES: u64 = 32 * 1024 * 1024;
/// Maximum number of manifests read from a folder.
const MOST_MANIFESTS: usize = 10_000;

/// A plan document: its text and its parsed value.
pub(crate) struct PlanDocument {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) value: Value,
}

/// Reads the plan that was named.
pub(crate) fn plan(run: &RunArgs) -> Result<PlanDocument, CommandFailure> {
    let path = run.what.as_ref().or(run.plan_file.as_ref());
    let path =
        path.ok_or_else(|| CommandFailure::usage("usage", ("no plan given", "没有给出计划")))?;
    let bytes = read_file(path, MOST_PLAN_BYTES)?;
    let shown = path.display().to_string();
    let format = DocumentFormat::of_name(&shown).unwrap_or(DocumentFormat::Yaml);
    let value = document::read(&bytes, format).map_err(|e| unreadable(&shown, &e))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(PlanDocument { name: shown, text, value })
}

/// Merges the initial metadata: of the plan, then of the parameter file, then of the flags.
pub(crate) fn metadata(
    document: &Value,
    given: &TaskArgs,
) -> Result<Map<String, Value>, CommandFailure> {
    let mut metadata = plan::metadata(document);
    if let Some(path) = &given.params_file {
        let value = read_params(path)?;
        let Value::Object(map) = value else {
            let words = (
                "--params must be an object of names and values",
                "--params 必须是由名称和值组成的对象",
            );
            return Err(CommandFailure::usage("params_shape", words));
        };
        metadata.extend(map);
    }
    for pair in &given.params {
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.trim().is_empty())
        else {
            return Err(no_pair(&format!("-p {pair}")));
        };
        metadata.insert(key.trim().to_owned(), param(&format!("-p {key}"), value)?);
    }
    Ok(metadata)
}

/// Parses a value from the command line: JSON if it is valid JSON, otherwise text. `name` is its place in problems.
pub(crate) fn param(name: &str, text: &str) -> Result<Value, CommandFailure> {
    match document::read_json(text) {
        Ok(value) => Ok(value),
        Err(document::UnreadableDocument { why: DocumentBreach::Syntax(_), .. }) => {
            Ok(Value::String(text.to_owned()))
        }
        // Valid JSON that cannot be represented exactly.
        Err(error) => Err(CommandFailure::refused(vec![error.problem(name)], "")),
    }
}

/// Failure for an argument that is not `KEY=VALUE`.
pub(crate) fn no_pair(word: &str) -> CommandFailure {
    let words =
        (format!("expected KEY=VALUE, got `{word}`"), format!("应为 KEY=VALUE，实际为 `{word}`"));
    CommandFailure::usage("params_shape", words)
}

pub(crate) fn read_params(path: &Path) -> Result<Value, CommandFailure> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MOST_PARAMS_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| cannot(FileVerb::Read, path, &error))?;
        check_size(bytes.len() as u64, MOST_PARAMS_BYTES, Path::new("stdin"))?;
        return document::read(&bytes, DocumentFormat::Json).map_err(|e| unreadable("stdin", &e));
    }
    let bytes = read_file(path, MOST_PARAMS_BYTES)?;
    let shown = path.display().to_string();
    let format = DocumentFormat::of_name(&shown).unwrap_or(DocumentFormat::Json);
    document::read(&bytes, format).map_err(|e| unreadable(&shown, &e))
}

/// Returns the reason why a tool cannot use its id: a built-in tool has it, or a tool in another file.
fn taken(tool: &Tool, is_built_in: bool, other: Option<String>) -> Option<ProblemReason> {
    let tool = tool.id.to_string();
    if is_built_in {
        return Some(ProblemReason::BuiltInTool { tool });
    }
    other.map(|other| ProblemReason::DuplicateTool { tool, other })
}

/// Loads all tools: the built-in ones, those of the settings and the flags, and those of the example to run. Ids must
/// be unique.
pub(crate) fn toolbox(context: &CliContext, given: &[PathBuf]) -> Result<Toolbox, CommandFailure> {
    let mut toolbox: Toolbox = Toolbox::new();
    let mut from: BTreeMap<String, String> = BTreeMap::new();
    for tool in praxis_toolbox::tools() {
        toolbox.insert(tool.id.clone(), Arc::new(tool));
    }
    let builtins: BTreeSet<ToolId> = toolbox.keys().cloned().collect();
    let mut problems = Vec::new();
    for path in context.settings.tools.paths.iter().chain(given) {
        for file in manifests(path)? {
            let shown = file.display().to_string();
            let bytes = read_file(&file, MOST_PLAN_BYTES)?;
            let format = DocumentFormat::of_name(&shown).unwrap_or(DocumentFormat::Yaml);
            let value = document::read(&bytes, format).map_err(|e| unreadable(&shown, &e))?;
            match manifest::read(&value) {
                Ok(tools) => {
                    let twice = |tool: &Tool| {
                        let other = from.insert(tool.id.to_string(), shown.clone());
                        let reason = taken(tool, builtins.contains(&tool.id), other)?;
                        Some(Problem::of(&reason, &shown))
                    };
                    problems.extend(tools.iter().filter_map(twice));
                    toolbox.extend(tools.into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))));
                }
                Err(found) => problems.extend(found.into_iter().map(|p| p.within(&shown))),
            }
        }
    }
    for tool in context.example.iter().flat_map(|example| example.tools()) {
        // In the example's own folder the manifests define these tools already.
        toolbox.entry(tool.id.clone()).or_insert_with(|| Arc::new(tool));
    }
    for tool in toolbox.values_mut() {
        settle(context, Arc::make_mut(tool));
    }
    if problems.is_empty() { Ok(toolbox) } else { Err(CommandFailure::refused(problems, "")) }
}

/// Fixes what a manifest leaves open: the timeout, the working directory and the path of an SQLite file. It is pinned
/// with the task, so that it does not depend on the process that drives the task later.
fn settle(context: &CliContext, tool: &mut Tool) {
    if matches!(tool.transport, Transport::Builtin(_)) {
        return;
    }
    let timeout = || Value::from(format!("{}ms", context.settings.tools.timeout_ms));
    tool.timeout.get_or_insert_with(timeout);
    if let Transport::Command(command) = &mut tool.transport {
        let here = std::env::current_dir().unwrap_or_default();
        let folder = command.cwd.take().map_or_else(|| here.clone(), |folder| here.join(folder));
        command.cwd = Some(folder.display().to_string());
    }
    if let Transport::Sql(sql) = &mut tool.transport
        && let Some(path) = sql.url.strip_prefix("sqlite:").filter(|path| !path.contains("secret:"))
    {
        let here = std::env::current_dir().unwrap_or_default();
        let file = here.join(path.strip_prefix("//").unwrap_or(path));
        sql.url = format!("sqlite:{}", file.display());
    }
}

/// Lists the manifest files of a path, sorted by name.
fn manifests(path: &Path) -> Result<Vec<PathBuf>, CommandFailure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let listed = std::fs::read_dir(path).map_err(|error| cannot(FileVerb::Read, path, &error))?;
    let is_manifest =
        |path: &PathBuf| DocumentFormat::of_name(&path.display().to_string()).is_some();
    let mut files: Vec<PathBuf> = listed
        .flatten()
        .map(|entry| entry.path())
        .filter(is_manifest)
        .take(MOST_MANIFESTS)
        .collect();
    files.sort();
    Ok(files)
}

/// Fails if a file does not exist or cannot be opened.
pub(crate) fn can_be_read(path: &Path) -> Result<(), CommandFailure> {
    opened(path).map(drop)
}

fn opened(path: &Path) -> Result<std::fs::File, CommandFailure> {
    let failed = |error: std::io::Error| cannot(FileVerb::Read, path, &error);
    let file = std::fs::File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        let path = path.display();
        let words = (format!("{path} is a folder"), format!("{path} 是文件夹"));
        let next = ("give the path of a file", "请给出文件的路径");
        return Err(CommandFailure::usage("file_unreadable", words).next(next));
    }
    Ok(file)
}

pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, CommandFailure> {
    let failed = |error: std::io::Error| cannot(FileVerb::Read, path, &error);
    let mut bytes = Vec::new();
    opened(path)?.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    check_size(bytes.len() as u64, most, path)?;
    Ok(bytes)
}

fn check_size(found: u64, most: u64, path: &Path) -> Result<(), CommandFailure> {
    if found <= most {
        return Ok(());
    }
    let (path, most) = (path.display(), most / 1024 / 1024);
    let words = (format!("{path} is larger than {most} MiB"), format!("{path} 超过 {most} MiB"));
    Err(CommandFailure::usage("file_too_large", words))
}

/// The operation that failed.
#[derive(Clone, Copy)]
enum FileVerb {
    Read,
    Write,
}

/// Failure for a file or folder that cannot be read.
pub(crate) fn unread(path: &Path, error: &std::io::Error) -> CommandFailure {
    cannot(FileVerb::Read, path, error)
}

/// Failure for a file that cannot be written.
pub(crate) fn unwritten(path: &Path, error: &std::io::Error) -> CommandFailure {
    cannot(FileVerb::Write, path, error)
}

fn cannot(verb: FileVerb, path: &Path, error: &std::io::Error) -> CommandFailure {
    let (en, zh) = match verb {
        FileVerb::Read => ("read", "读取"),
        FileVerb::Write => ("write", "写入"),
    };
    let path = path.display();
    let words = (format!("cannot {en} {path}: {error}"), format!("无法{zh} {path}：{error}"));
    let exit =
        if error.kind() == std::io::ErrorKind::NotFound { Exit::NotFound } else { Exit::Usage };
    CommandFailure::new(exit, "file_unreadable", words)
}

pub(crate) fn unreadable(place: &str, error: &document::UnreadableDocument) -> CommandFailure {
    CommandFailure::refused(vec![error.problem(place)], "")
}
