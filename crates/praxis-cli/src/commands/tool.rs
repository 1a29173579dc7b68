//! `praxis tool`: lists, shows, searches and checks tools, and makes a single call.

use super::run::{carry_through, key, options};
use super::tool_search;
use crate::args_tool::{ToolArgs as Args, ToolCallArgs, ToolCommand};
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::inputs;
use crate::view::text::{Paint, cut, pad, sanitize, span};
use praxis_core::call::risk::Risk;
use praxis_core::call::tool::Tool;
use praxis_core::call::tool::Toolbox;
use praxis_core::ids::{Tenant, ToolId};
use praxis_core::intake::plan;
use praxis_core::lang::Lang;
use praxis_core::near::near;
use praxis_core::problem::Problem;
use praxis_core::problem::reason::ProblemReason;
use praxis_core::prompt::signature::signature;
use praxis_engine::order::ClientOrder;
use praxis_engine::seams::ConnectTools;
use praxis_engine::submit::PlanRequest;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Maximum number of characters to print of a text.
const MOST_CHARS: usize = 20_000;

pub(crate) fn run(context: &CliContext, args: &Args) -> Result<ExitCode, CommandFailure> {
    match &args.what {
        ToolCommand::List { tools } => {
            inputs::toolbox(context, tools)?.values().for_each(|tool| list(context, tool));
        }
        ToolCommand::Show { tool, tools } => {
            show(context, found(&inputs::toolbox(context, tools)?, tool)?);
        }
        ToolCommand::Search { words, most, tools } => {
            tool_search::run(context, &inputs::toolbox(context, tools)?, (&words.join(" "), *most));
        }
        ToolCommand::Check { files } => check(context, files)?,
        ToolCommand::Call(call) => return try_out(context, call),
    }
    Ok(ExitCode::SUCCESS)
}

fn found<'a>(toolbox: &'a Toolbox, id: &str) -> Result<&'a Tool, CommandFailure> {
    toolbox.get(&ToolId::from(id)).map(AsRef::as_ref).ok_or_else(|| {
        let problem = Problem::of(&ProblemReason::UnknownTool { tool: id.to_owned() }, "");
        let problem = problem.or_near(&near(id, toolbox.keys().map(ToolId::as_str)));
        CommandFailure { exit: Exit::NotFound, problems: vec![problem] }
    })
}

fn list(context: &CliContext, tool: &Tool) {
    if context.json {
        return out!("{}", json!(tool));
    }
    let (_, words) = tool.told(context.lang);
    out!(
        "{} {} {} {}",
        pad(&cut(tool.id.as_str(), 24), 24),
        pad(risk(context, tool.risk()), 12),
        pad(tool.transport.word(), 8),
        cut(words, 100)
    );
}

fn risk(context: &CliContext, risk: Risk) -> &'static str {
    let (en, zh) = match risk {
        Risk::Read => ("read", "只读"),
        Risk::Write => ("write", "写"),
        Risk::Irreversible => ("irreversible", "不可逆"),
    };
    match context.lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

fn show(context: &CliContext, tool: &Tool) {
    if context.json {
        return out!("{}", json!(tool));
    }
    let (name, words) = tool.told(context.lang);
    let name = if name == tool.id.as_str() { String::new() } else { format!(" {name}") };
    out!("{}{}", Paint(context.colors).bold(tool.id.as_str()), cut(&name, 100));
    let line = |en: &str, zh: &str, words: &str| {
        if !words.is_empty() {
            out!("  {} {}", pad(&context.say(en, zh), 10), sanitize(words, MOST_CHARS));
        }
    };
    line("purpose", "用途", words);
    line("risk", "风险", risk(context, tool.risk()));
    let contract = tool.contract("".into());
    let again = if contract.may_run_again() {
        context.say("safe to repeat (idempotent)", "可安全重复（幂等）")
    } else if let Some(check) = &tool.check_with {
        context.say(
            format!("if the outcome is unknown, checks with `{check}`"),
            format!("结果不明时用 `{check}` 核实"),
        )
    } else {
        context.say("if the outcome is unknown, asks a person", "结果不明时询问用户")
    };
    line("retry", "重试", &again);
    line("timeout", "超时", &span(contract.timeout_ms));
    line("transport", "调用方式", tool.transport.word());
    line("models see", "模型所见", &signature(tool, context.lang).replace('\n', "\n             "));
}

/// Checks every tool of the given files; reports all problems at once.
fn check(context: &CliContext, files: &[PathBuf]) -> Result<(), CommandFailure> {
    let known = inputs::toolbox(context, &[])?;
    let toolbox = inputs::toolbox(context, files)?;
    let unread = |error: std::io::Error| inputs::unread(context.folder.root(), &error);
    let transports = context.transports().map_err(unread)?;
    let own = toolbox.values().filter(|tool| !known.contains_key(&tool.id));
    let (mut sound, mut problems) = (Vec::new(), Vec::new());
    for tool in own {
        match transports.connect(tool).err().or_else(|| unknown_check(tool, &toolbox)) {
            None => sound.push(tool),
            Some(why) => problems.push(unusable(&tool.id, &why)),
        }
    }
    for tool in sound {
        if context.json {
            out!("{}", json!({"tool": tool.id, "ok": true}));
        } else {
            let (risk, way) = (risk(context, tool.risk()), tool.transport.word());
            out!("{} {}: {risk}, {way}", Paint(context.colors).green("✔"), tool.id);
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(CommandFailure::refused(problems, "")) }
}

fn unknown_check(tool: &Tool, toolbox: &Toolbox) -> Option<String> {
    let unknown = tool.check_with.as_ref().filter(|check| !toolbox.contains_key(*check))?;
    Some(format!("`check_with` names an unknown tool `{unknown}`"))
}

fn unusable(tool: &ToolId, why: &str) -> Problem {
    let words =
        (format!("tool `{tool}` cannot be used: {why}"), format!("无法使用工具 `{tool}`：{why}"));
    Problem::new("tool_unusable", &format!("tool `{tool}`"), words)
}

/// Runs a plan of one step. Values are passed as metadata, so that placeholders in them are not resolved.
fn try_out(context: &CliContext, call: &ToolCallArgs) -> Result<ExitCode, CommandFailure> {
    let toolbox = inputs::toolbox(context, &call.given.tools)?;
    found(&toolbox, &call.tool)?;
    let metadata = inputs::metadata(&Value::Null, &call.given)?;
    let parameters: Map<String, Value> =
        metadata.keys().map(|name| (name.clone(), json!(format!("{{{{{name}}}}}")))).collect();
    let document = json!({"steps": [
        {"step_id": "call", "tool": call.tool, "parameters": parameters},
    ]});
    let plan = plan::read(&document).map_err(|problems| CommandFailure::refused(problems, ""))?;
    let request = PlanRequest {
        goal: call.tool.clone(),
        plan,
        toolbox: Arc::new(toolbox),
        metadata,
        options: options(context, &call.given)?,
        idempotency_key: Some(key(&call.given)),
        document: Some(document.to_string()),
        tenant: Tenant::default(),
        parent: None,
        step_model: None,
        flow: None,
    };
    carry_through(context, &ClientOrder::Run(Box::new(request)), false)
}
