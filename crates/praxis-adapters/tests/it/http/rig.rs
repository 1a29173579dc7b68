//! Calls and whole tasks with HTTP tools, and what they left behind.

use futures::FutureExt;
use praxis_adapters::command::Keeper;
use praxis_adapters::connect::Transports;
use praxis_adapters::http::{Guard, GuardedWeb, Hosts, Resolve};
use praxis_adapters::secrets::{Secrets, Vault};
use praxis_core::call::manifest;
use praxis_core::call::tool::Tool;
use praxis_core::fault::Fault;
use praxis_core::ids::{TaskId, Tenant};
use praxis_core::intake::plan;
use praxis_core::journal::event::Event;
use praxis_core::journal::options::RunOptions;
use praxis_core::journal::outcome::CallOutcome;
use praxis_core::view::stream;
use praxis_engine::engine::Engine;
use praxis_engine::seams::{ConnectTools, FailedCall, Invocation, gathered};
use praxis_engine::submit::PlanRequest;
use praxis_fence::FolderGrants;
use praxis_testkit::memory::{MemoryBlobs, MemoryJournal};
use praxis_testkit::world::parts;
use praxis_toolbox::Builtins;
use serde_json::{Map, Value, json};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// A value that must be found nowhere but at the server it is for.
pub(crate) const CANARY: &str = "canary-9f2b71c04d";
/// The longest answer.
pub(crate) const MOST: u64 = 1024 * 1024;

/// `secret:TOKEN` is the canary as a bearer, `secret:KEY` the canary alone.
struct Keys;

impl Secrets for Keys {
    fn value(&self, name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some(format!("Bearer {CANARY}")),
            "KEY" => Some(CANARY.to_owned()),
            "BROKEN" => Some(format!("{CANARY}\r\nx-injected: 1")),
            _ => None,
        }
    }
}

/// A guard that knows no names.
pub(crate) fn strict() -> Arc<Guard> {
    guard(&[], resolver(|_| vec![]))
}

/// A guard that lets some through and looks names up like this.
pub(crate) fn guard(allowed: &[&str], resolve: Resolve) -> Arc<Guard> {
    let allowed = allowed.iter().map(ToString::to_string).collect();
    Arc::new(Guard::with_resolver(allowed, MOST, resolve))
}

/// Looks names up in a function.
pub(crate) fn resolver(of: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Resolve {
    Arc::new(move |host, port| {
        let found = of(&host).into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        std::future::ready(Ok(found)).boxed()
    })
}

fn transports(hosts: Hosts, guard: Arc<Guard>) -> Transports {
    World { hosts, ..World::new(guard) }.transports()
}

/// What a call may reach, and how long.
pub(crate) struct World {
    pub(crate) hosts: Hosts,
    pub(crate) guard: Arc<Guard>,
    pub(crate) folders: FolderGrants,
    /// What the author of the flow wrote.
    pub(crate) written: Option<String>,
    pub(crate) timeout_ms: u64,
}

impl World {
    /// Every host that the guard lets through, no folder.
    pub(crate) fn new(guard: Arc<Guard>) -> Self {
        let (hosts, folders) = (Hosts::any(), FolderGrants::default());
        Self { hosts, guard, folders, written: None, timeout_ms: 10_000 }
    }

    fn transports(&self) -> Transports {
        let nowhere = std::path::PathBuf::from("/nonexistent");
        let keeper = Keeper {
            binary: nowhere.clone(),
            locks: nowhere.clone(),
            logs: nowhere.clone(),
            environment: vec![],
        };
        let vault = Arc::new(Vault::new(Arc::new(Keys)));
        let (folders, guard) = (self.folders.clone(), Arc::clone(&self.guard));
        let web = GuardedWeb {
            hosts: self.hosts.clone(),
            guard: Arc::clone(&guard),
            vault: Arc::clone(&vault),
        };
        let builtin = Builtins { home: nowhere, folders: folders.clone(), web: Arc::new(web) };
        Transports { builtin: Arc::new(builtin), folders, keeper, vault, guard }
    }

    /// Makes one call.
    pub(crate) async fn call(&self, tool: &Tool, arguments: Value) -> Result<Value, FailedCall> {
        let invocation = Invocation {
            task: TaskId::from("task_1"),
            step: "a".into(),
            attempt: 1,
            key: "task_1/a~1".to_owned(),
            arguments,
            timeout_ms: self.timeout_ms,
            written: self.written.iter().map(address).collect(),
        };
        gathered(self.transports().connect(tool).unwrap().exec(invocation)).await
    }
}

/// The tool of this name in the binary.
pub(crate) fn built_in(name: &str) -> Tool {
    praxis_toolbox::tools().into_iter().find(|tool| tool.id.as_str() == name).unwrap()
}

/// A tool with this `http:`.
pub(crate) fn tool(http: Value) -> Tool {
    manifest::read(&json!({"id": "api", "http": http})).unwrap().remove(0)
}

/// Makes one call; every host is granted.
pub(crate) async fn call(tool: &Tool, guard: Arc<Guard>, arguments: Value) -> Result<Value, Fault> {
    call_to(Hosts::any(), tool, guard, arguments).await
}

/// Makes one call; built-in tools may reach these hosts.
pub(crate) async fn call_to(
    hosts: Hosts,
    tool: &Tool,
    guard: Arc<Guard>,
    arguments: Value,
) -> Result<Value, Fault> {
    let world = World { hosts, ..World::new(guard) };
    world.call(tool, arguments).await.map_err(|failed| failed.fault)
}

/// Makes one call to a host that the manifest names.
pub(crate) async fn ask(http: Value, arguments: Value) -> Result<Value, Fault> {
    call(&tool(http), strict(), arguments).await
}

/// A task with one step `a` that calls the tool `api`.
pub(crate) struct Task {
    pub(crate) engine: Engine,
    pub(crate) id: TaskId,
    journal: MemoryJournal,
}

impl Task {
    /// Submits it. `more` is added to the manifest; retries wait a millisecond at first.
    pub(crate) async fn start(http: Value, more: Value, arguments: Value) -> Self {
        let (journal, blobs) = (MemoryJournal::default(), MemoryBlobs::default());
        let connect = Arc::new(transports(Hosts::any(), strict()));
        let engine = Engine::new(parts(Arc::new(journal.clone()), Arc::new(blobs), connect));
        let mut manifest = json!({"id": "api", "http": http, "retry_delay": "1ms"});
        manifest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let tools = manifest::read(&manifest).unwrap();
        let steps = json!([{"step_id": "a", "tool": "api", "parameters": arguments}]);
        let plan = plan::read(&json!({"plan_description": "ask", "steps": steps})).unwrap();
        let request = PlanRequest {
            goal: "ask".to_owned(),
            plan,
            toolbox: Arc::new(tools.into_iter().map(|t| (t.id.clone(), Arc::new(t))).collect()),
            metadata: Map::new(),
            options: RunOptions::default(),
            idempotency_key: None,
            document: None,
            tenant: Tenant::default(),
            parent: None,
            step_model: None,
            flow: None,
        };
        let id = engine.submit(request).await.unwrap().task;
        Self { engine, id, journal }
    }

    /// Runs it until nothing moves any more.
    pub(crate) async fn run(http: Value, more: Value, arguments: Value) -> Self {
        let task = Self::start(http, more, arguments).await;
        task.engine.idle().await.unwrap();
        task
    }

    /// How each attempt ended, in order: `failed timeout`, `in doubt timeout`, `ok` …
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let ended = self.journal.entries(&self.id).into_iter().filter_map(|entry| {
            let Event::StepFinished { outcome, .. } = entry.event else { return None };
            Some(match outcome {
                CallOutcome::Succeeded(_) => "ok".to_owned(),
                CallOutcome::Failed { fault, .. } => format!("failed {}", fault.code()),
                CallOutcome::InDoubt(fault) => format!("in doubt {}", fault.code()),
                CallOutcome::Lost => "lost".to_owned(),
            })
        });
        ended.collect()
    }

    /// How long each attempt that failed was to be waited after.
    pub(crate) fn waits(&self) -> Vec<u64> {
        let entries = self.journal.entries(&self.id);
        let wait = |entry: &praxis_core::journal::event::Entry| match &entry.event {
            Event::StepFinished { retry_at: Some(retry_at), .. } => Some(retry_at.since(entry.at)),
            _ => None,
        };
        entries.iter().filter_map(wait).collect()
    }

    /// Everything that is kept or shown of it.
    pub(crate) fn record(&self) -> String {
        let entries = self.journal.entries(&self.id);
        let mut text = serde_json::to_string(&entries).unwrap();
        text.push_str(&format!("{entries:?}"));
        text.push_str(&streamed(&entries));
        text
    }
}

fn streamed(entries: &[praxis_core::journal::event::Entry]) -> String {
    let mut state = praxis_core::state::State::default();
    let mut text = String::new();
    for entry in entries {
        state.apply(entry).unwrap();
        text.push_str(&format!("{:?}", stream::views(&state, entry)));
    }
    text
}

/// The address of a host as a flow has it.
fn address(host: &String) -> (String, String) {
    ("url".to_owned(), format!("http://{host}/"))
}
