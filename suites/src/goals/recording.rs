//! Tools that answer from a recording: an expected call gets its recorded result, any other call an error with the
//! reason.

use super::case::{ExpectedCall, GoalCase};
use crate::equal::equal;
use futures::future::BoxFuture;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_core::lang::Bilingual;
use praxis_engine::seams::Invocation;
use praxis_testkit::tools::ScriptedTools;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A tool call that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The step, the attempt and the idempotency key of the call.
    pub wish: (String, u32, String),
    /// The id of the tool.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The index of the expected call that it matches; `None` if it matches none.
    pub right: Option<usize>,
    /// True if that expected call had been made before.
    pub extra: bool,
}

/// The tools of a case, and the calls that they received.
#[derive(Clone, Default)]
pub struct Recording {
    calls: Arc<Vec<ExpectedCall>>,
    made: Arc<Mutex<Vec<RecordedCall>>>,
    /// Duration of each expected call in milliseconds; zero if it is not listed.
    delays: Arc<Vec<u64>>,
    /// Callback that receives every call before it is answered.
    witness: Option<Witness>,
}

/// A callback that receives a call.
pub type Witness = Arc<dyn Fn(&RecordedCall) + Send + Sync>;

impl Recording {
    /// Builds the recording of a case; `made` are the calls of an earlier run of the task.
    pub fn of(case: &GoalCase, made: Vec<RecordedCall>, delays: Vec<u64>) -> Self {
        let calls = Arc::new(case.calls.clone());
        Self { calls, made: Arc::new(Mutex::new(made)), delays: Arc::new(delays), witness: None }
    }

    /// Sets the callback that receives every call.
    #[must_use]
    pub fn before(self, witness: Witness) -> Self {
        Self { witness: Some(witness), ..self }
    }

    /// Returns the calls that reached the tools, in order; calls with the same idempotency key count once.
    pub fn made(&self) -> Vec<RecordedCall> {
        self.log().clone()
    }

    fn log(&self) -> MutexGuard<'_, Vec<RecordedCall>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tools as the engine calls them.
    pub fn tools(&self, manifests: &[Value]) -> ScriptedTools {
        manifests.iter().fold(ScriptedTools::default(), |tools, manifest| {
            let id = manifest.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let this = self.clone();
            let script = move |call: Invocation| -> BoxFuture<'static, Result<Value, Fault>> {
                let (this, id) = (this.clone(), id.clone());
                Box::pin(async move {
                    let right = this.note(&id, call.clone());
                    let delay = right.and_then(|at| this.delays.get(at)).copied().unwrap_or(0);
                    tokio::time::sleep(Duration::from_millis(delay)).await;
                    this.answer(&id, &call.arguments, right)
                })
            };
            tools.with(manifest.clone(), Arc::new(script))
        })
    }

    /// Logs a call and returns the index of the expected call that it matches, preferably one that was not made yet.
    fn note(&self, tool: &str, call: Invocation) -> Option<usize> {
        let mut made = self.log();
        let known = |one: &&RecordedCall| one.wish.2 == call.key && one.tool == tool;
        if let Some(before) = made.iter().find(known) {
            return before.right;
        }
        let used: BTreeSet<usize> = made.iter().filter_map(|one| one.right).collect();
        let same = |(at, gold): (usize, &ExpectedCall)| {
            (gold.tool == tool && equal(&call.arguments, &gold.arguments)).then_some(at)
        };
        let fits: Vec<usize> = self.calls.iter().enumerate().filter_map(same).collect();
        let fresh = fits.iter().find(|at| !used.contains(at)).copied();
        let right = fresh.or(fits.last().copied());
        let extra = right.is_some() && fresh.is_none();
        let wish = (call.step.to_string(), call.attempt, call.key);
        let tool = tool.to_owned();
        let one = RecordedCall { wish, tool, arguments: call.arguments, right, extra };
        if let Some(witness) = &self.witness {
            witness(&one);
        }
        made.push(one);
        right
    }

    fn answer(&self, tool: &str, arguments: &Value, right: Option<usize>) -> Result<Value, Fault> {
        let recorded = right.and_then(|at| self.calls.get(at)).map(|gold| gold.answer.clone());
        recorded.unwrap_or_else(|| Err(refusal(tool, arguments, &self.calls))).map_err(|message| {
            let tool = ToolId::from(tool);
            Fault::tool_failed(tool, Bilingual::untranslated(message), false)
        })
    }
}

/// Returns the error message for a call that was not recorded: the first parameter that differs from the closest
/// recorded call of the tool.
fn refusal(tool: &str, arguments: &Value, calls: &[ExpectedCall]) -> String {
    let alike = |gold: &&ExpectedCall| {
        let fields = gold.arguments.as_object().into_iter().flatten();
        fields.filter(|(key, value)| arguments.get(key) == Some(value)).count()
    };
    let own: Vec<&ExpectedCall> = calls.iter().filter(|gold| gold.tool == tool).collect();
    let Some(nearest) = own.iter().copied().max_by_key(alike) else {
        return "unknown call: no record".to_owned();
    };
    let fields = nearest.arguments.as_object().into_iter().flatten();
    for (key, value) in fields {
        match arguments.get(key) {
            None => return format!("`{key}` is required"),
            Some(given) if !equal(given, value) => {
                let known: Vec<String> = own
                    .iter()
                    .filter_map(|gold| gold.arguments.get(key))
                    .map(Value::to_string)
                    .collect();
                return format!("`{key}` must be one of {}", known.join(", "));
            }
            Some(_) => {}
        }
    }
    "unknown call: it has a parameter too many".to_owned()
}
