//! Reads flow files and the flows that they call by name.
//!
//! - in: a path, and the folders to search for called flows
//! - out: the flow with all called flows, and the problems of each file with its line
//! - never: runs anything, or searches other folders

use crate::failure::{CommandFailure, Exit};
use crate::inputs::{read_file, unreadable};
use praxis_core::call::tool::Toolbox;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::flow;
use praxis_core::flow::check::calls_of;
use praxis_core::flow::environment::FlowEnvironment;
use praxis_core::flow::file::{Bundle, Flow};
use praxis_core::flow::line::line_of;
use praxis_core::flow::problems::FlowProblems;
use praxis_core::ids::check_name;
use praxis_core::journal::submission::FlowSource;
use praxis_core::problem::Problem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum size of a flow file, in bytes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// File extensions of called flows.
const ENDS: [&str; 3] = ["yaml", "yml", "json"];

/// A flow file.
pub(crate) struct FlowFile {
    /// The path as it was typed.
    pub(crate) shown: String,
    /// The contents of the file.
    pub(crate) text: String,
    /// The parsed flow.
    pub(crate) flow: Flow,
    /// True if the document is a flow: it has `flow` and no `steps`.
    pub(crate) is_flow: bool,
    /// Problems of the document's form.
    form: FlowProblems,
}

/// A flow file and the files of the flows that it calls.
pub(crate) struct FlowFiles {
    /// The file that was named.
    pub(crate) main: FlowFile,
    /// The called flows, by name.
    called: BTreeMap<String, FlowFile>,
    /// Problems with finding or reading them.
    lost: Vec<Problem>,
    /// The absolute paths of the file and the folders.
    source: FlowSource,
}

/// Reads one file.
pub(crate) fn one(path: &Path) -> Result<FlowFile, CommandFailure> {
    let shown = path.display().to_string();
    let bytes = read_file(path, MOST_BYTES)?;
    let format = DocumentFormat::of_name(&shown).unwrap_or(DocumentFormat::Yaml);
    let value = document::read(&bytes, format).map_err(|error| unreadable(&shown, &error))?;
    let mut form = FlowProblems::default();
    let flow = flow::read::read(&value, &mut form);
    let is_flow = value.get("flow").is_some() && value.get("steps").is_none();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(FlowFile { shown, text, flow, is_flow, form })
}

/// Reads a file and the flows that it calls, from its own folder first, then from `folders`.
pub(crate) fn read(path: &Path, folders: &[PathBuf]) -> Result<FlowFiles, CommandFailure> {
    let main = one(path)?;
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut places = vec![beside.unwrap_or(Path::new(".")).to_owned()];
    places.extend(folders.iter().cloned());
    let source = FlowSource {
        file: whole(path),
        folders: folders.iter().map(|folder| whole(folder)).collect(),
    };
    let mut files = FlowFiles { main, called: BTreeMap::new(), lost: vec![], source };
    let mut open = names_in(&files.main.flow);
    while let Some(name) = open.pop() {
        if files.called.contains_key(&name) {
            continue;
        }
        let found = if name == files.main.flow.name {
            Some(path.to_owned())
        } else {
            find(&places, &name, &mut files.lost)
        };
        match found.map(|path| one(&path)) {
            Some(Ok(file)) => {
                files.lost.extend(misnamed(&file, &name));
                open.extend(names_in(&file.flow));
                files.called.insert(name, file);
            }
            Some(Err(failure)) => files.lost.extend(failure.problems),
            // A missing flow is reported by the check, with the place of the call.
            None => {}
        }
    }
    Ok(files)
}

/// Returns the path as an absolute one.
fn whole(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// Reads and checks a flow; returns it with the warnings, or fails with all problems.
pub(crate) fn sound(
    path: &Path,
    folders: &[PathBuf],
    toolbox: &Toolbox,
) -> Result<(FlowFiles, FlowProblems), CommandFailure> {
    let files = read(path, folders)?;
    let findings = files.findings(toolbox);
    if findings.problems.is_empty() {
        return Ok((files, findings));
    }
    Err(CommandFailure { exit: Exit::Usage, problems: findings.problems })
}

fn names_in(flow: &Flow) -> Vec<String> {
    calls_of(flow).into_iter().map(|(_, name)| name).collect()
}

/// Finds the file of a called flow. The name must be a plain name, so it cannot lead out of the folder.
fn find(places: &[PathBuf], name: &str, lost: &mut Vec<Problem>) -> Option<PathBuf> {
    check_name(name).ok()?;
    for folder in places {
        let named = ENDS.map(|end| folder.join(format!("{name}.{end}")));
        let mut there = named.into_iter().filter(|path| path.is_file());
        let first = there.next();
        if let (Some(one), Some(other)) = (&first, there.next()) {
            let (one, other) = (one.display(), other.display());
            let words = (
                format!("flow `{name}` has two files: {one}, {other}"),
                format!("流程 `{name}` 有两个文件：{one}、{other}"),
            );
            let next = ("remove or rename one of them", "请删除或重命名其中一个");
            lost.push(Problem::new("flow_sub", &one.to_string(), words).next(next));
        }
        if first.is_some() {
            return first;
        }
    }
    None
}

/// Reports a file whose name differs from its flow's name: calls find files by name.
fn misnamed(file: &FlowFile, name: &str) -> Option<Problem> {
    let own = &file.flow.name;
    if own == name || own.is_empty() {
        return None;
    }
    let words = (
        format!("the file is named `{name}`, but its flow is named `{own}`"),
        format!("文件名为 `{name}`，但其中的流程名为 `{own}`"),
    );
    let next = (
        format!("write `flow: {name}`, or rename the file"),
        format!("请写成 `flow: {name}`，或重命名文件"),
    );
    Some(Problem::new("flow_sub", &file.shown, words).next(next))
}

impl FlowFile {
    /// Locates a problem by its file and, if known, its line.
    fn placed(&self, problem: Problem) -> Problem {
        match line_of(&self.text, &problem.at) {
            Some(line) => problem.within(&format!("{} line {line}", self.shown)),
            None => problem.within(&self.shown),
        }
    }

    fn placed_all(&self, findings: FlowProblems) -> FlowProblems {
        let place = |all: Vec<Problem>| all.into_iter().map(|it| self.placed(it)).collect();
        FlowProblems { problems: place(findings.problems), warnings: place(findings.warnings) }
    }
}

impl FlowFiles {
    /// Bundles the flow with all flows that it calls.
    pub(crate) fn bundle(&self) -> Bundle {
        let flows = self.called.iter().map(|(name, file)| (name.clone(), file.flow.clone()));
        let (flow, source) = (self.main.flow.clone(), Some(self.source.clone()));
        Bundle { flow, flows: flows.collect(), source }
    }

    /// Returns the problems and warnings of all files.
    pub(crate) fn findings(&self, toolbox: &Toolbox) -> FlowProblems {
        let Bundle { flows, .. } = self.bundle();
        let mut all = FlowProblems { problems: self.lost.clone(), warnings: vec![] };
        let own = self.main.flow.name.as_str();
        let called = self.called.iter().filter(|(name, _)| *name != own).map(|(_, file)| file);
        for file in [&self.main].into_iter().chain(called) {
            let mut findings = file.form.clone();
            // Checking a malformed flow would report the same problems twice.
            if findings.problems.is_empty() {
                flow::check::check(
                    &file.flow,
                    FlowEnvironment { toolbox, flows: &flows },
                    &mut findings,
                );
            }
            let findings = file.placed_all(findings);
            all.problems.extend(findings.problems);
            all.warnings.extend(findings.warnings);
        }
        all
    }

    /// Fails if a file is missing or malformed; tools are not checked.
    pub(crate) fn well_formed(self) -> Result<Self, CommandFailure> {
        let mut problems = self.lost.clone();
        for file in [&self.main].into_iter().chain(self.called.values()) {
            problems.extend(file.placed_all(file.form.clone()).problems);
        }
        if problems.is_empty() {
            Ok(self)
        } else {
            Err(CommandFailure { exit: Exit::Usage, problems })
        }
    }
}
