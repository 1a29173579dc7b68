//! A scripted model beside the test, and a rig whose `models.toml` names it.

use crate::rig::{Rig, finish};
use praxis_core::document::DocumentFormat;
use praxis_engine::clock::TokioClock;
use praxis_engine::seams::Clock;
use praxis_rehearsal::{FaultLibrary, RehearsalScript, RehearsalServer};
use serde_json::{Value, json};
use std::process::Output;
use tokio::runtime::Runtime;

/// Tools that count their calls: one reads, one writes, one wants a number.
pub(crate) const TOOLS: &str = r#"
tools:
  - id: look
    risk: read
    description: looks at something
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"seen\": 42}"']}
  - id: put
    description: writes something down
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; echo "{\"put\": true}"']}
  - id: count
    risk: read
    description: counts up to n
    input_schema: {type: object, required: [n], properties: {n: {type: integer}}}
    command: {argv: [sh, -c, 'echo "$PRAXIS_STEP" >> CALLS; cat']}
  - id: fail
    risk: read
    retries: 0
    description: fails
    command: {argv: [sh, -c, 'echo no such day >&2; exit 3']}
"#;

/// A scripted model, and the rig of those that ask it.
pub(crate) struct Rehearsal {
    pub(crate) rig: Rig,
    pub(crate) server: RehearsalServer,
    pub(crate) runtime: Runtime,
}

/// A rule: what is answered at a stage.
pub(crate) fn rule(stage: &str, answer: Value) -> Value {
    json!({"when": {"stage": stage}, "reply": {"json": answer, "usage": {"prompt": 1000, "completion": 100, "cached": 400}}})
}

/// A plan of steps: name, tool, parameters.
pub(crate) fn plan(steps: &[(&str, &str, Value)]) -> Value {
    let steps = steps.iter().map(|(id, tool, parameters)| {
        json!({"step_id": id, "step_name": id, "tool": tool, "parameters": parameters})
    });
    rule("planning", json!({"plan_description": "p", "steps": steps.collect::<Vec<_>>()}))
}

/// What a goal that goes well is answered before and after its plan.
pub(crate) fn well(answer: impl Into<Value>) -> Vec<Value> {
    let (answer, tools) = (answer.into(), json!(["look", "put", "count", "fail"]));
    let scores =
        json!({"completeness": 100, "correctness": 100, "efficiency": 90, "reliability": 90});
    vec![
        rule(
            "selection",
            json!({"should_reject": false, "similarity_score": 90, "task_type": "x",
                                 "selected_tool_ids": tools, "brief_reasoning": "they fit"}),
        ),
        rule("evaluation", json!({"is_successful": true, "answer": answer, "scores": scores})),
        rule("ai_reporter", json!({"answer": answer})),
        rule(
            "post_task_evaluation",
            json!({"task_completion": 90, "execution_efficiency": 80, "tool_usage": 80,
                   "category": "solving_ideas", "intention": "i", "task": "t", "experience": "e", "quick_summary": "q"}),
        ),
    ]
}

/// A script as a file has it.
pub(crate) fn script(rules: &[Value]) -> String {
    json!({"rules": rules}).to_string()
}

/// Makes the endpoint at this address the model of a rig.
pub(crate) fn name_model(rig: &Rig, url: &str) {
    let folder = rig.path(".config/praxis");
    std::fs::create_dir_all(&folder).unwrap();
    let models = format!(
        "[models.fast]\nbase_url = \"{url}\"\nmodel = \"m\"\ncontext = 32000\n\
         price = {{ currency = \"CNY\", input = 2, output = 8, cached = 0.5 }}\n\n[roles]\ndefault = \"fast\"\n"
    );
    std::fs::write(folder.join("models.toml"), models).unwrap();
}

/// What is said of a step that failed: that it cannot be helped alone, and what is made of the whole.
pub(crate) fn reflections(overall: Value) -> Vec<Value> {
    let step = json!({"root_cause_category": "decomposition_error", "root_cause": "because",
                      "is_recoverable": false, "confidence": 90,
                      "suggested_action": {"type": "trigger_overall_reflection"}});
    vec![rule("reflection_step", step), rule("reflection_overall", overall)]
}

/// A new plan of steps: name, tool, parameters.
pub(crate) fn replan(steps: &[(&str, &str, Value)]) -> Value {
    let mut answer = plan(steps);
    answer["when"]["stage"] = json!("replanning");
    answer["reply"]["json"]["done"] = json!(false);
    answer
}

impl Rehearsal {
    /// A model that answers by these rules, then as a goal that goes well.
    pub(crate) fn new(rules: &[Value], answer: &str) -> Self {
        let rules = [rules, &well(answer)].concat();
        Self::of(&script(&rules))
    }

    /// A model that answers by this script.
    pub(crate) fn of(script: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let script = RehearsalScript::read(
            script.as_bytes(),
            DocumentFormat::Json,
            &FaultLibrary::default(),
        )
        .unwrap();
        let setup = script.setup.clone();
        let clock = TokioClock::real();
        let server = RehearsalServer::start(setup, script, move || clock.now());
        let server = runtime.block_on(server).unwrap();
        let rig = Rig::with("", TOOLS);
        name_model(&rig, &server.base_url());
        // What the tests are about begins with a choice that the script makes.
        let settings = rig.path(".config/praxis/config.toml");
        std::fs::write(settings, "[goal]\ntwo_stage = \"always\"\n").unwrap();
        Self { rig, server, runtime }
    }

    /// `praxis` for people.
    pub(crate) fn says(&self, words: &[&str]) -> (Option<i32>, String, String) {
        self.rig.says(words)
    }

    /// `praxis` for programs.
    pub(crate) fn does(&self, words: &[&str]) -> Output {
        finish(&self.rig, &mut self.rig.praxis(words))
    }

    /// The question that waits.
    pub(crate) fn question(&self) -> String {
        let waiting = self.rig.ask(&["inbox"]).unwrap();
        waiting[0]["question"]["id"].as_str().unwrap().to_owned()
    }
}
