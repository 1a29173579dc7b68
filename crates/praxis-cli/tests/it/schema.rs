//! The schemas that are published describe what the binary prints and takes.

use crate::rig::{Rig, finish, json_lines, within};
use jsonschema::Validator;
use praxis_core::document::{self, DocumentFormat};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

const PLAN: &str = "
plan_description: a value, a write, a large one
steps:
  - {step_id: a, tool: echo, parameters: {v: '{{city}}', password: hush}}
  - {step_id: b, tool: put, parameters: {v: '{{a.v}}'}}
  - {step_id: c, tool: big, depends_on: [b]}
";

const TOOLS: &str = "
- id: put
  command: {argv: [sh, -c, 'cat']}
- id: big
  command: {argv: [sh, -c, 'head -c 70000 /dev/zero | tr \"\\0\" x']}
- id: fails
  risk: read
  retries: 1
  retry_delay: 10ms
  command: {argv: [sh, -c, 'exit 75']}
- id: secretive
  command: {argv: [sh], env: {TOKEN: 'secret:NOWHERE'}}
- id: gate
  command: {argv: [sh, -c, 'echo gate >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; echo {}']}
- id: gate_check
  risk: read
  command: {argv: [sh, -c, 'echo \"{\\\"state\\\": \\\"unknown\\\"}\"']}
- id: checked
  check_with: gate_check
  command: {argv: [sh, -c, 'echo checked >> CALLS; while [ ! -e HERE/open ]; do sleep 0.02; done; echo {}']}
";

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn schema(name: &str) -> Value {
    let path = root().join("docs/schema").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

pub(crate) fn validator(name: &str) -> Validator {
    jsonschema::validator_for(&schema(name)).unwrap()
}

/// A folder whose events are all held against the schema.
struct Watched {
    rig: Rig,
    event: Validator,
    seen: BTreeSet<String>,
}

impl Watched {
    fn new() -> Self {
        let rig = Rig::with(PLAN, TOOLS);
        Self { rig, event: validator("event.schema.json"), seen: BTreeSet::new() }
    }

    /// What a command prints: events that fit, and how it ends.
    fn does(&mut self, words: &[&str], code: i32) -> Vec<Value> {
        let output = finish(&self.rig, &mut self.rig.praxis(words));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        self.fits(json_lines(&output.stdout))
    }

    fn fits(&mut self, events: Vec<Value>) -> Vec<Value> {
        assert!(!events.is_empty());
        for event in &events {
            assert!(self.event.is_valid(event), "the schema refuses {event:#}");
            self.seen.insert(event["type"].as_str().unwrap().to_owned());
        }
        events
    }

    fn runs(&mut self, plan: &str, code: i32) -> Vec<Value> {
        std::fs::write(self.rig.path("this.yaml"), plan).unwrap();
        self.does(&["run", "this.yaml", "--tools", "tools.yaml"], code)
    }

    fn question(&self) -> String {
        let inbox = self.rig.ask(&["inbox"]).unwrap();
        inbox[0]["question"]["id"].as_str().unwrap().to_owned()
    }

    fn answers(&mut self, words: &[&str], code: i32) -> Vec<Value> {
        let question = self.question();
        self.does(&[&["answer", &question], words].concat(), code)
    }

    /// Kills the owner while a step runs that must not run twice.
    fn is_killed_in(&self, tool: &str) {
        let _ = std::fs::remove_file(self.rig.path("calls"));
        let plan = format!("steps: [{{step_id: only, tool: {tool}}}]");
        std::fs::write(self.rig.path("this.yaml"), plan).unwrap();
        let mut command = self.rig.praxis(&["run", "this.yaml", "--tools", "tools.yaml"]);
        let mut owner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        assert!(within(PATIENCE, || self.rig.calls().contains_key(tool)));
        owner.kill().unwrap();
        owner.wait().unwrap();
    }
}

fn task(events: &[Value]) -> String {
    let id = events[0]["id"].as_str().unwrap();
    id.split('/').next().unwrap().to_owned()
}

#[test]
fn every_event_of_runs_that_end_in_any_way_fits_the_schema() {
    let mut all = Watched::new();
    all.does(&["run", "--example", "load-forecast"], 0);
    all.runs("steps: [{step_id: x, tool: fails}, {step_id: y, tool: echo}]", 1);
    all.does(&["retry", "--last", "--from", "y"], 1);
    all.runs("steps: [{step_id: x, tool: secretive}]", 1);
    all.runs("steps: [{step_id: x, tool: echo, parameters: {v: '{{nowhere}}'}}]", 3);
    all.answers(&["v=7"], 0);
    all.runs("steps: [{step_id: x, tool: echo, parameters: {v: '{{nowhere}}'}}]", 3);
    all.answers(&["--give-up", "no"], 1);
    all.runs("steps: [{step_id: x, actions: [{action_id: y, tool: noop}]}]", 0);
    all.runs("steps: [{step_id: x, tool: echo, parameters: {v: '{{nowhere}}'}}]", 3);
    all.does(&["cancel", "--last"], 0);
    let most: BTreeSet<String> =
        ["task.stopping", "task.cancelled", "task.resumed", "step.retried"]
            .map(|name| format!("dev.praxis.{name}.v1"))
            .into();
    assert!(all.seen.is_superset(&most), "{:?}", all.seen);
}

#[test]
fn every_event_of_forks_fits_the_schema() {
    let mut all = Watched::new();
    let words = ["run", "plan.yaml", "--tools", "tools.yaml", "-p", "city=HZ"];
    let first = task(&all.does(&words, 0));
    let fork = |effects| ["fork", &first, "--at", "b", "--set", "b.v=9", "--effects", effects];
    all.does(&fork("real"), 0);
    let simulated = all.does(&fork("simulate"), 0);
    assert_eq!(simulated[0]["data"]["parent"]["simulated"]["b"], json!({"v": "HZ"}));
    let large = &simulated[0]["data"]["parent"]["simulated"]["c"];
    assert_eq!(large["bytes"], json!(70002), "a large value is not shown whole");
    all.does(&fork("ask"), 3);
    all.answers(&["--approve"], 3);
    all.answers(&["--deny", "no"], 1);
    all.does(&["fork", &first, "--at", "a", "--set", "city=NB", "--effects", "real"], 0);
}

#[test]
fn every_event_after_a_crash_and_after_the_time_is_used_up_fits_the_schema() {
    let mut all = Watched::new();
    for (tool, answer) in
        [("gate", &["--done", "{}"][..]), ("gate", &["--not-done"]), ("checked", &["--again"])]
    {
        all.is_killed_in(tool);
        all.does(&["resume", "--last"], 3);
        std::fs::write(all.rig.path("open"), "").unwrap();
        all.answers(answer, 0);
        std::fs::remove_file(all.rig.path("open")).unwrap();
    }
    let plan = "steps: [{step_id: a, tool: sleep, parameters: {ms: 600}}, {step_id: b, tool: noop, depends_on: [a]}]";
    std::fs::write(all.rig.path("this.yaml"), plan).unwrap();
    let words = ["run", "this.yaml", "--tools", "tools.yaml", "--timeout", "200ms"];
    all.does(&words, 4);
    let mut asks = all.rig.praxis(&words);
    let asked = finish(&all.rig, asks.env("PRAXIS_RUN_ON_WALL", "ask"));
    assert_eq!(asked.status.code(), Some(3), "{}", String::from_utf8_lossy(&asked.stderr));
    all.fits(json_lines(&asked.stdout));
    let watched = all.does(&["watch", "--last"], 3);
    assert_eq!(watched, json_lines(&asked.stdout));
    all.answers(&["--more", "1m"], 0);
}

#[test]
fn the_schema_has_the_codes_of_all_faults_and_no_others() {
    let page = std::fs::read_to_string(root().join("docs/errors/README.md")).unwrap();
    // The faults of a model are those of a task that it left without an answer.
    let faults = page.split("\n## ").filter(|section| section.starts_with("Faults"));
    let lines = faults.flat_map(str::lines);
    let told: BTreeSet<&str> =
        lines.filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let schema = schema("event.schema.json");
    for place in ["error", "fault"] {
        let codes = schema["$defs"][place]["properties"]["code"]["enum"].as_array().unwrap();
        let codes: BTreeSet<&str> = codes.iter().map(|code| code.as_str().unwrap()).collect();
        assert_eq!(codes, told);
    }
}

/// The JSON and YAML of the guide, with where it stands.
pub(crate) fn documents_of_the_guide() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let guide = std::fs::read_dir(root().join("docs/guide")).unwrap();
    let paths = guide.map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    pages.extend([root().join("README.md"), root().join("README.zh-CN.md")]);
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for block in text.split("\n```").skip(1).step_by(2) {
            let (kind, body) = block.split_once('\n').unwrap();
            let format = DocumentFormat::of_name(&format!("x.{kind}"));
            let read = format.and_then(|format| document::read(body.as_bytes(), format).ok());
            found.extend(read.map(|value| (page.display().to_string(), value)));
        }
    }
    found
}

#[test]
fn every_plan_and_every_manifest_of_the_guide_fits_its_schema() {
    let (plan, tool) = (validator("plan.schema.json"), validator("tool.schema.json"));
    let (mut plans, mut tools) = (0, 0);
    for (page, value) in documents_of_the_guide() {
        if value.get("steps").is_some() {
            assert!(plan.is_valid(&value), "{page}: {value:#}");
            plans += 1;
        } else if value.get("tools").is_some_and(Value::is_array) {
            assert!(tool.is_valid(&value), "{page}: {value:#}");
            tools += 1;
        }
    }
    assert!(plans >= 4 && tools >= 3, "{plans} plans and {tools} manifests");
    let example = std::fs::read(root().join("examples/load_forecast/plan.yaml")).unwrap();
    assert!(plan.is_valid(&document::read(&example, DocumentFormat::Yaml).unwrap()));
}

/// Everything that a manifest can say.
const WHOLE_TOOLS: &str = r#"
- id: look.one
  name: look
  description: looks
  input_schema: {type: object, properties: {w: {type: string}}}
  output_schema: true
  output_params: {v: the value}
  risk: read
  idempotent: true
  timeout: 30s
  retries: 2
  retry_delay: 0.5
  alternatives: [other]
  not_empty: {field: v, widen: [w]}
  check_with: check-二
  limits: {concurrent: 2, output_bytes: 1000}
  tags: [a]
  to_user: false
  translations: {zh: {name: 看, description: 看一看}, en: {}}
  command: {argv: [cat], cwd: HERE, env: {A: b}, success: {field: v, equals: 1}}
- {id: check-二, builtin: noop, output_params: '["ok"]', risk: null, timeout: 5}
- id: web
  output_params: [a]
  http: {method: POST, url: "http://127.0.0.1:9/{v}", headers: {a: b}, body: {v: "{v}"}, success: {field: v, equals: 1}}
- id: web.whole
  http:
    method: POST
    url: "http://127.0.0.1:9/{v}"
    query: {a: "{v}", b: [1, true, "{v}"], c: null}
    cookies: {c: "secret:C"}
    auth: {api_key: {in: cookie, name: k, value: "secret:K"}}
    content_type: application/problem+json
    body: [1]
    expect: json
    output: response
    success: {status: [201, 2xx, 400-404], field: v, equals: null}
- id: web.form
  http: {method: PUT, url: "http://127.0.0.1:9/", auth: {bearer: "secret:K"}, form: {a: 1}, success: {status: 204}}
- id: web.files
  http:
    method: POST
    url: "http://127.0.0.1:9/"
    auth: {basic: {user: me, password: "secret:P"}}
    multipart: {fields: {a: "{v}"}, files: {f: {path: "{v}", filename: a.csv, content_type: text/csv}}}
- id: shop
  sql: {url: "sqlite:shop.db", query: "select :v as v", allow: read, max_rows: 10, max_bytes: 1000}
"#;

/// Everything that a plan can say.
const WHOLE_PLAN: &str = r#"
plan_id: all
plan_description: everything
description: not used
metadata: {v: 1}
expected_duration_sec: 3
estimated_duration_secs: "3"
task_type: any
context_understanding: any
total_steps: 3
steps:
  - step_id: 看.a-1
    step_name: look
    description: words
    tool: look.one
    tool_id: look.one
    parameters: {v: "{{v}}"}
    depends_on: null
    dependencies: []
    expected_output: any
    expected_duration_sec: 90s
    data_input_source: any
    data_output_usage: any
  - step_id: b
    depends_on: [看.a-1]
    expected_duration_sec: 1.5
    actions:
      - {action_id: c, tool: check-二, name: one, expected_output: any, expected_duration_sec: 1}
      - {action_id: d, tool_id: noop, description: two, parameters: null, dependencies: [c]}
  - {step_id: e, tool: echo, parameters: '{"v": {{v}}}'}
"#;

#[test]
fn what_the_binary_takes_whole_fits_the_schemas_and_what_they_refuse_is_refused() {
    let rig = Rig::with(WHOLE_PLAN, WHOLE_TOOLS);
    let (plan, tool) = (validator("plan.schema.json"), validator("tool.schema.json"));
    let read = |text: &str| document::read(text.as_bytes(), DocumentFormat::Yaml).unwrap();
    let output = rig.run();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(plan.is_valid(&read(WHOLE_PLAN)));
    assert!(tool.is_valid(&read(WHOLE_TOOLS)));
    for bad in [
        "steps: []",
        "steps: [{step_id: a b, tool: echo}]",
        "{steps: [{step_id: a, tool: echo}], x: 1}",
    ] {
        assert!(!plan.is_valid(&read(bad)), "{bad}");
        std::fs::write(rig.path("bad.yaml"), bad).unwrap();
        let output = finish(&rig, &mut rig.praxis(&["run", "bad.yaml"]));
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}
