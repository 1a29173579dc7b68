//! Real kills: a child process pursues a case over a durable journal and is killed with SIGKILL.
//!
//! - in: a case, and the number of calls after which the child is killed
//! - out: the calls that reached the tools in both lives of the task, from a file that the tools write; and its end
//! - never: gives the second life more than the journal and the prompts

use super::case::GoalCase;
use super::pursue::{PursuitMode, wanted};
use super::recording::{RecordedCall, Recording};
use super::replay::SETS;
use crate::rig::{durable, runtime};
use anyhow::{Context, bail};
use praxis_core::fault::Fault;
use praxis_core::ids::TaskId;
use praxis_core::state::State;
use praxis_engine::engine::{Engine, EngineParts};
use praxis_testkit::model::ScriptedModel;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The command-line argument that makes the suites' program act as the child.
pub const CHORE: &str = "replay-child";
/// The duration of a call in milliseconds: long enough for a kill during the call.
const CALL_MS: u64 = 3;

/// A case, and the folder of its task.
#[derive(Clone, Debug)]
pub struct KillTarget {
    /// The folder with the data of all suites.
    pub data: PathBuf,
    /// The name of the set.
    pub set: String,
    /// The id of the case.
    pub case: String,
    /// The folder of the journal.
    pub home: PathBuf,
}

/// Runs the child: recovers the task if there is one, otherwise submits it, and prints its end.
pub fn live(place: &KillTarget) -> anyhow::Result<()> {
    let read = SETS.iter().find(|(set, _)| *set == place.set).context("no such set")?.1;
    let mut cases = read(&place.data.join(&place.set))?.into_iter();
    let case = Arc::new(cases.find(|case| case.id == place.case).context("no such case")?);
    let calls = place.home.join("calls.jsonl");
    let made = calls_in(&calls)?;
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&calls)?;
    let file = Mutex::new(file);
    let witness = move |made: &RecordedCall| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(made).unwrap_or_default();
        // The file stands for the outside world, so it survives the kill. The parent counts the lines on stdout.
        let _ = writeln!(file, "{line}").and_then(|()| file.sync_data());
        let _ = writeln!(std::io::stdout(), "call");
    };
    let way = PursuitMode { delays: vec![CALL_MS; case.calls.len()], ..PursuitMode::right(&case) };
    let recording = Recording::of(&case, made, way.delays.clone()).before(Arc::new(witness));
    let tools = recording.tools(&case.tools);
    let model = ScriptedModel::new(Arc::clone(&way.answers));
    let ending = runtime()?.block_on(async {
        let parts = durable(&place.home, tools.clone())?;
        let journal = Arc::clone(&parts.journal);
        let engine =
            Engine::new(EngineParts { models: Arc::new(model), new_id: Box::new(new_id), ..parts });
        engine.recover().await?;
        let mut goal = wanted(&case, &way, tools.toolbox());
        goal.idempotency_key = Some(case.id.clone());
        let task = engine.pursue(goal).await?.task;
        engine.idle().await.map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let entries = journal.read(&task, 0).await?;
        let state = State::replay(&entries).map_err(|error| anyhow::anyhow!("{error:?}"))?;
        anyhow::Ok(state.fault().map_or(state.status().word(), Fault::code).to_owned())
    })?;
    writeln!(std::io::stdout(), "end {ending}")?;
    Ok(())
}

/// Returns an id that differs in every process; a later life finds the task by its idempotency key.
fn new_id() -> TaskId {
    TaskId::from(format!("task_{:026}", std::process::id()))
}

fn calls_in(file: &Path) -> anyhow::Result<Vec<RecordedCall>> {
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(vec![]) };
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn start(place: &KillTarget) -> anyhow::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CHORE).arg(&place.data).arg(&place.set).arg(&place.case).arg(&place.home);
    Ok(command.stdout(Stdio::piped()).spawn()?)
}

/// The result of both lives.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// True if the kill came before the end of the first life.
    pub killed: bool,
    /// The indexes of the expected calls, in the order in which they reached the tools.
    pub calls: Vec<Option<usize>>,
    /// The final status or fault code of the task.
    pub ending: String,
}

/// Kills a child some time after its `calls`-th call, and lets a second child finish the task.
pub fn killed(place: &KillTarget, calls: usize, wait: Duration) -> anyhow::Result<Left> {
    let mut child = start(place)?;
    let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let (mut seen, mut killed, mut ended) = (0, false, false);
    if calls == 0 {
        std::thread::sleep(wait);
        child.kill()?;
        killed = true;
    }
    for line in lines {
        let line = line?;
        ended |= line.starts_with("end ");
        seen += usize::from(line == "call");
        if seen >= calls && !killed && !ended {
            std::thread::sleep(wait);
            child.kill()?;
            killed = true;
        }
    }
    child.wait()?;
    let output = start(place)?.wait_with_output()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some(ending) = told.lines().find_map(|line| line.strip_prefix("end ")) else {
        bail!("the second life has no end: {told}")
    };
    let made = calls_in(&place.home.join("calls.jsonl"))?;
    let calls = made.into_iter().map(|made| made.right).collect();
    Ok(Left { killed: killed && !ended, calls, ending: ending.to_owned() })
}

/// Returns the calls that a case must leave.
pub fn right(case: &GoalCase) -> Vec<Option<usize>> {
    (0..case.calls.len()).map(Some).collect()
}
