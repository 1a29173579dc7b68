//! `praxis flow list` and `flow calls`: lists the flows to run, and the calls to build flows of.

use super::flow::{nodes, row, short_version};
use crate::args_flow::FlowList;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use crate::flow_files;
use crate::inputs;
use crate::view::text::{Paint, counted, cut, pad};
use praxis_core::call::own_tools;
use praxis_core::call::tool::Tool;
use praxis_core::document::DocumentFormat;
use praxis_core::flow::file::Bundle;
use praxis_core::flow::problems::FlowProblems;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Maximum number of files of a folder that are read.
const MOST_FILES: usize = 10_000;

/// Lists the flows of a folder. Other files are skipped.
pub(crate) fn run(context: &CliContext, wanted: &FlowList) -> Result<ExitCode, CommandFailure> {
    let toolbox = inputs::toolbox(context, &wanted.called.tools)?;
    for path in files(&wanted.folder)? {
        let Ok(files) = flow_files::read(&path, &wanted.called.flows) else { continue };
        if !files.main.is_flow {
            continue;
        }
        let (bundle, findings) = (files.bundle(), files.findings(&toolbox));
        if context.json {
            out!("{}", row(context, &files.main.shown, &bundle, &findings));
        } else {
            line(context, &bundle, &findings);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, CommandFailure> {
    let listed = std::fs::read_dir(folder).map_err(|error| inputs::unread(folder, &error))?;
    let is_flow = |path: &PathBuf| {
        let format = DocumentFormat::of_name(&path.display().to_string());
        matches!(format, Some(DocumentFormat::Yaml | DocumentFormat::Json)) && path.is_file()
    };
    let paths = listed.flatten().map(|entry| entry.path()).filter(is_flow);
    let mut files: Vec<PathBuf> = paths.take(MOST_FILES).collect();
    files.sort();
    Ok(files)
}

fn line(context: &CliContext, bundle: &Bundle, findings: &FlowProblems) {
    let paint = Paint(context.colors);
    let count = nodes(bundle);
    let count = context.say(counted(count, "node"), format!("{count} 个节点"));
    let wrong = findings.problems.len();
    let mark = if wrong == 0 { paint.green("✔") } else { paint.red("✘") };
    let wrong = match wrong {
        0 => String::new(),
        _ => paint.red(&context.say(counted(wrong, "problem"), format!("{wrong} 个问题"))),
    };
    let flow = &bundle.flow;
    out!(
        "{mark} {} {}  {} {} {} {wrong}",
        pad(&cut(&flow.name, 24), 24),
        short_version(bundle),
        pad(&count, 9),
        pad(&cut(&told_inputs(&flow.inputs), 30), 30),
        cut(&flow.description, 60)
    );
}

/// Returns the names of inputs. One with a default gets a question mark.
pub(crate) fn told_inputs(inputs: &Map<String, Value>) -> String {
    let told = |(name, schema): (&String, &Value)| {
        let mark = if schema.get("default").is_some() { "?" } else { "" };
        format!("{name}{mark}")
    };
    inputs.iter().map(told).collect::<Vec<_>>().join(", ")
}

/// Lists the built-in calls of Praxis with their inputs and outputs.
pub(crate) fn calls(context: &CliContext) -> Result<ExitCode, CommandFailure> {
    for tool in own_tools::calls().values() {
        if context.json {
            out!("{}", as_json(context, tool));
            continue;
        }
        let (name, words) = tool.told(context.lang);
        let name = if name == tool.id.as_str() { String::new() } else { format!(" {name}") };
        out!("{}{name}", Paint(context.colors).bold(tool.id.as_str()));
        out!("  {words}");
        for (title, schema) in [
            (context.say("input", "输入"), Some(&tool.input_schema)),
            (context.say("output", "输出"), tool.output_schema.as_ref()),
        ] {
            let fields = schema.map(fields).filter(|fields| !fields.is_empty());
            if let Some(fields) = fields {
                out!("  {} {fields}", pad(&title, 6));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(context: &CliContext, tool: &Tool) -> Value {
    let (name, description) = tool.told(context.lang);
    json!({
        "call": tool.id, "name": name, "description": description,
        "input_schema": tool.input_schema, "output_schema": tool.output_schema,
    })
}

/// Returns the fields of a schema with their types.
fn fields(schema: &Value) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let told = |(name, schema): (&String, &Value)| {
        let kind = match schema.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|")
            }
            _ => "any".to_owned(),
        };
        format!("{name}: {kind}")
    };
    properties.into_iter().flatten().map(told).collect::<Vec<_>>().join(", ")
}
