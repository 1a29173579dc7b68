use super::*;
use crate::testing::{all_tools, invocation, run_as};
use crate::tools;
use praxis_core::call::tool::Toolbox;
use praxis_core::dataflow::context::{Context, StepResult};
use praxis_core::dataflow::resolve::{LoadedBlobs, OnUnresolved, resolve};
use praxis_core::dataflow::template::ParameterTemplate;
use praxis_core::intake::check::check;
use praxis_core::intake::plan::{self, PlannedStep};
use praxis_core::payload::Payload;
use praxis_core::schema::Schema;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn load_forecast() -> &'static ExampleProject {
    ExampleProject::named("load-forecast").unwrap()
}

/// The paths of all files below a folder.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { listed(&path) } else { vec![path] }).collect()
}

#[test]
fn every_file_of_an_example_is_in_the_binary() {
    for example in EXAMPLES {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example.folder);
        let known: BTreeSet<PathBuf> =
            example.files.iter().map(|(path, _)| root.join(path)).collect();
        assert_eq!(listed(&root).into_iter().collect::<BTreeSet<_>>(), known, "{}", example.name);
    }
}

#[test]
fn the_twelve_tools_about_load_come_with_their_example_and_with_nothing_else() {
    let of_example: BTreeSet<String> =
        load_forecast().tools().iter().map(|tool| tool.id.to_string()).collect();
    assert_eq!(of_example.len(), 12);
    assert!(tools().iter().all(|tool| !of_example.contains(tool.id.as_str())));
    assert!(tools().iter().all(|tool| tool.tags.first().is_none_or(|domain| domain != "load")));
    let about = load_forecast().about;
    assert!(about.0.contains("12 tools, 4 workflows") && about.1.contains("12 个工具，4 个工作流"));
}

#[test]
fn a_tool_or_workflow_of_an_example_leads_to_it_and_another_does_not() {
    for id in ["find_peaks", "csv_check"] {
        assert_eq!(ExampleProject::bringing(id).map(|found| found.name), Some("load-forecast"));
    }
    assert!(
        ExampleProject::bringing("sort_rows").is_none()
            && ExampleProject::named("load_forecast").is_none()
    );
}

//
#[test]
fn the_workflows_of_an_example_are_read_by_id_and_fit_its_tools() {
    let workflows = load_forecast().workflows();
    let ids: Vec<&str> = workflows.iter().map(|workflow| workflow.id.as_str()).collect();
    assert_eq!(ids, ["csv_check", "datasource_import", "datasource_report", "load_forecast"]);
    for workflow in &workflows {
        assert_eq!(workflow::check(workflow, &toolbox()), [], "{}", workflow.id);
        assert!(workflow.steps.iter().all(|step| workflow.tool_list.contains(&step.tool_id)));
    }
}

fn plan_document() -> Value {
    let text = load_forecast().file("plan.yaml").unwrap();
    document::read(text.as_bytes(), DocumentFormat::Yaml).unwrap()
}

fn toolbox() -> Toolbox {
    all_tools().into_iter().map(|tool| (tool.id.clone(), Arc::new(tool))).collect()
}

#[test]
fn the_first_two_steps_of_the_example_wait_for_nobody() {
    let metadata = plan::metadata(&plan_document());
    let plan = plan::read(&plan_document()).unwrap();
    let checked = check(&plan, &toolbox(), &metadata, &BTreeSet::new()).unwrap();
    let waits: Vec<usize> = checked.steps.iter().map(|step| step.depends_on.len()).collect();
    assert_eq!(waits, vec![0, 0, 2, 2, 1, 1]);
}

/// A task in miniature: resolves, checks, calls and syncs, one step after the other.
struct World {
    home: tempfile::TempDir,
    toolbox: Toolbox,
    context: Context,
    trace: Vec<String>,
}

impl World {
    fn step(&mut self, step: &PlannedStep) {
        let template = ParameterTemplate::parse(&step.parameters, &self.context);
        let resolved = resolve(&template, &self.context, &LoadedBlobs::new(), OnUnresolved::Error);
        let mut arguments = resolved.unwrap().value;
        if step.tool.as_str() == "write_report" {
            arguments["path"] = Value::from(self.home.path().join("report.md").to_str().unwrap());
        }
        let tool = Arc::clone(&self.toolbox[&step.tool]);
        let fits = |schema: &Value, value| Schema::compile(schema).unwrap().errors(value);
        assert_eq!(fits(&tool.input_schema, &arguments), vec![]);
        let output = self.call(step, &arguments);
        assert_eq!(fits(tool.output_schema.as_ref().unwrap(), &output), vec![]);
        let result = StepResult {
            step_id: step.id.clone(),
            step_name: step.name.as_str().into(),
            tool_id: step.tool.clone(),
            output: Payload::json(output),
            is_success: true,
            error_message: None,
            duration_ms: 0,
        };
        let index = self.context.declare(&step.id);
        self.context.record(index, result, &tool.output_names()).unwrap();
    }

    fn call(&mut self, step: &PlannedStep, arguments: &Value) -> Value {
        for attempt in 1..=2 {
            let invocation = invocation(attempt, step.id.as_str(), arguments.clone());
            let result = run_as(step.tool.as_str(), self.home.path(), invocation);
            self.trace.push(format!("{} #{attempt} {}", step.id, result.is_ok()));
            match result {
                Ok(output) => return output,
                Err(fault) => assert!(fault.is_transient(), "{fault:?}"),
            }
        }
        panic!("{} failed twice", step.id);
    }
}

/// The metadata of the example, with its file in a folder that is open.
fn metadata_in(home: &Path) -> Map<String, Value> {
    let mut metadata = plan::metadata(&plan_document());
    let name = metadata["file_path"].as_str().unwrap();
    let file = home.join(name);
    std::fs::write(&file, load_forecast().file(name).unwrap()).unwrap();
    metadata.insert("file_path".to_owned(), Value::from(file.to_str().unwrap()));
    metadata
}

#[test]
fn the_example_runs_from_file_to_report_with_one_retry() {
    let home = tempfile::tempdir().unwrap();
    let (metadata, toolbox) = (metadata_in(home.path()), toolbox());
    let plan = plan::read(&plan_document()).unwrap();
    let checked = check(&plan, &toolbox, &metadata, &BTreeSet::new()).unwrap();
    let mut context = Context::of_values(&metadata);
    checked.steps.iter().for_each(|step| {
        context.declare(&step.id);
    });
    let mut world = World { home, toolbox, context, trace: vec![] };
    checked.steps.iter().for_each(|step| world.step(step));
    let trace = ["1 #1 true", "2 #1 true", "3 #1 false", "3 #2 true", "4 #1 true", "5 #1 true"];
    let trace = trace.iter().chain(&["6 #1 true"]).map(|line| format!("step_{line}"));
    assert_eq!(world.trace, trace.collect::<Vec<_>>());
    let report = std::fs::read_to_string(world.home.path().join("report.md")).unwrap();
    assert!(report.starts_with("# 杭州负荷预测报告：峰值 "), "{report}");
}
