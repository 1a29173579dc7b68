//! Reads the workflows of the data with their reference makespans.

use crate::cases::files;
use anyhow::Context;
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Number of steps that run concurrently.
pub const SLOTS: usize = 8;

/// A workflow whose tasks have run times.
#[derive(Clone, Debug)]
pub struct TimedWorkflow {
    /// Its name in the data.
    pub name: String,
    /// The tasks, in the order of the data.
    pub tasks: Vec<Task>,
    /// The makespan at [`SLOTS`], in the seconds of the data.
    pub reference: f64,
}

/// One task.
#[derive(Clone, Debug)]
pub struct Task {
    /// The id of the task.
    pub id: String,
    /// The run time in seconds.
    pub runtime: f64,
    /// The indexes of the tasks that must finish first.
    pub parents: Vec<usize>,
}

#[derive(Deserialize)]
struct Summary {
    file: String,
    cp: f64,
    work: f64,
    cpprio8: f64,
}

#[derive(Deserialize)]
struct WorkflowInFile {
    tasks: Vec<WrittenTask>,
}

#[derive(Deserialize)]
struct WrittenTask {
    id: String,
    #[serde(alias = "runtime")]
    runtime_s: f64,
    parents: Vec<String>,
}

/// Reads every workflow listed in a `summary_X.json`, whose files are in the folder `X`.
pub fn read(folder: &Path) -> anyhow::Result<Vec<TimedWorkflow>> {
    let mut workflows = Vec::new();
    for summary in files(folder, "summary_", ".json")? {
        let name = summary.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let split = folder.join(name.trim_start_matches("summary_"));
        let listed: Vec<Summary> = serde_json::from_str(&std::fs::read_to_string(&summary)?)?;
        for entry in listed {
            let file = split.join(format!("{}.gz", entry.file.replace('/', "__")));
            let workflow = read_one(&entry, &file);
            workflows.push(workflow.with_context(|| format!("{}", file.display()))?);
        }
    }
    Ok(workflows)
}

fn read_one(entry: &Summary, file: &Path) -> anyhow::Result<TimedWorkflow> {
    let text = BufReader::new(GzDecoder::new(File::open(file)?));
    let written: WorkflowInFile = serde_json::from_reader(text)?;
    let index: BTreeMap<&str, usize> =
        written.tasks.iter().enumerate().map(|(index, task)| (task.id.as_str(), index)).collect();
    let task = |task: &WrittenTask| Task {
        id: task.id.clone(),
        runtime: task.runtime_s,
        parents: task.parents.iter().filter_map(|id| index.get(id.as_str()).copied()).collect(),
    };
    Ok(TimedWorkflow {
        name: entry.file.trim_end_matches(".json").to_owned(),
        tasks: written.tasks.iter().map(task).collect(),
        reference: entry.cpprio8 * entry.cp.max(entry.work / SLOTS as f64),
    })
}
