//! Tools that answer from a recording: a right call gets what was recorded, any other an error that says why.

use super::case::{ExpectedCall, GoalCase};
use crate::equal::equal;
use futures::future::BoxFuture;
use praxis_core::fault::Fault;
use praxis_core::ids::ToolId;
use praxis_engine::seams::Invocation;
use praxis_testkit::tools::ScriptedTools;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A call that reached a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The step, its attempt, and the key of the wish.
    pub wish: (String, u32, String),
    /// The tool.
    pub tool: String,
    /// What it received.
    pub arguments: Value,
    /// The right call that it is; none if it is none.
    pub right: Option<usize>,
    /// Whether that one was made before.
    pub extra: bool,
}

/// The tools of a case and what was asked of them.
#[derive(Clone, Default)]
pub struct Recording {
    calls: Arc<Vec<ExpectedCall>>,
    made: Arc<Mutex<Vec<RecordedCall>>>,
    /// How long each right call takes, in milliseconds; nothing if it is not listed.
    delays: Arc<Vec<u64>>,
    /// Hears of every call before it is answered.
    witness: Option<Witness>,
}

/// Hears of a call.
pub type Witness = Arc<dyn Fn(&RecordedCall) + Send + Sync>;

impl Recording {
    /// Of a case; some calls were made before.
    pub fn of(case: &GoalCase, made: Vec<RecordedCall>, delays: Vec<u64>) -> Self {
        let calls = Arc::new(case.calls.clone());
        Self { calls, made: Arc::new(Mutex::new(made)), delays: Arc::new(delays), witness: None }
    }

    /// The same before a witness.
    #[must_use]
    pub fn before(self, witness: Witness) -> Self {
        Self { witness: Some(witness), ..self }
    }

    /// What reached the tools, in order; the same wish counts once.
    pub fn made(&self) -> Vec<RecordedCall> {
        self.log().clone()
    }

    fn log(&self) -> MutexGuard<'_, Vec<RecordedCall>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tools as the engine calls them.
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

    /// Notes a call and finds the right one that it is: one that was not made yet, if there is such.
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
            Fault::ToolFailed { tool, message, retryable: false, retry_after_ms: None }
        })
    }
}

/// What a tool says to a call that was not recorded.
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
