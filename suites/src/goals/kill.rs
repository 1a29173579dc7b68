//! Real kills: a process of its own pursues a case over a durable journal and is ended with SIGKILL.
//!
//! - in: a case, and after how many calls the process is killed
//! - out: the calls that reached the tools, which write them to a file, over both lives of the task; and its end
//! - never: lets the second life know more than the journal and the prompts

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

/// What the child is told to do by, in the arguments of the program that holds the suites.
pub const CHORE: &str = "replay-child";
/// How long a call takes: long enough for a kill to come in between.
const CALL_MS: u64 = 3;

/// Where a case is, and where its task lives.
#[derive(Clone, Debug)]
pub struct KillTarget {
    /// The folder with the data of all suites.
    pub data: PathBuf,
    /// The set.
    pub set: String,
    /// The case.
    pub case: String,
    /// The folder of the journal.
    pub home: PathBuf,
}

/// The child's side: takes up what is there, else begins, and tells the end.
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
        // The calls are the outside world: they stay when the process goes. The parent counts the lines.
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

/// A name that no earlier life of the task had: it is known by its key.
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

/// What was left at the end of both lives.
#[derive(Debug, PartialEq)]
pub struct Left {
    /// Whether the kill came before the end.
    pub killed: bool,
    /// The right calls, in the order in which they reached the tools.
    pub calls: Vec<Option<usize>>,
    /// How the task ended.
    pub ending: String,
}

/// Lets a child live until it has made so many calls and a little longer, kills it, and lets another one end.
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

/// The calls that a case must leave.
pub fn right(case: &GoalCase) -> Vec<Option<usize>> {
    (0..case.calls.len()).map(Some).collect()
}
