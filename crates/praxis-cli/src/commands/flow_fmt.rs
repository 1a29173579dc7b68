//! `praxis flow fmt`: writes flows in their canonical form.

use crate::args_flow::FlowFmt;
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::flow_files::{self, FlowFile};
use crate::inputs;
use crate::view::flow_yaml::flow_yaml;
use praxis_core::document::{self, DocumentFormat};
use praxis_core::flow::problems::FlowProblems;
use praxis_core::flow::read::read;
use praxis_core::flow::write::write;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(context: &CliContext, wanted: &FlowFmt) -> Result<ExitCode, CommandFailure> {
    let mut other = 0;
    for path in &wanted.files {
        let file = flow_files::read(path, &[])?.well_formed()?.main;
        let text = canonical(&file)?;
        let is_other = text != file.text;
        other += usize::from(is_other);
        if is_other && !wanted.check {
            if has_comments(&file) && !wanted.drop_comments {
                return Err(commented(&file));
            }
            replace(path, &text)?;
        }
        tell(context, &file, is_other, wanted.check);
    }
    Ok(if wanted.check && other > 0 { Exit::TaskFailed.into() } else { ExitCode::SUCCESS })
}

fn tell(context: &CliContext, file: &FlowFile, is_other: bool, is_check: bool) {
    if context.json {
        return out!(
            "{}",
            json!({"file": file.shown, "canonical": !is_other || !is_check, "changed": is_other && !is_check})
        );
    }
    let words = match (is_other, is_check) {
        (false, _) => context.say("already formatted", "格式正确"),
        (true, true) => context.say("needs formatting", "需要格式化"),
        (true, false) => context.say("formatted", "已格式化"),
    };
    out!("{}: {words}", file.shown);
}

/// Returns the file in canonical form, with the comments at its head. The text is parsed again to verify that it
/// means the same flow.
fn canonical(file: &FlowFile) -> Result<String, CommandFailure> {
    let document = write(&file.flow);
    let format = DocumentFormat::of_name(&file.shown).unwrap_or(DocumentFormat::Yaml);
    let text = match format {
        DocumentFormat::Json => {
            format!("{}\n", serde_json::to_string_pretty(&document).unwrap_or_default())
        }
        DocumentFormat::Yaml => format!("{}{}", head(&file.text), flow_yaml(&document)),
        DocumentFormat::Toml => {
            format!("{}{}", head(&file.text), toml::to_string_pretty(&document).unwrap_or_default())
        }
    };
    let again = document::read(text.as_bytes(), format);
    let again = again.map(|value| read(&value, &mut FlowProblems::default()));
    if again.ok().as_ref() == Some(&file.flow) {
        return Ok(text);
    }
    let words = (
        format!("cannot format {} without changing its meaning", file.shown),
        format!("无法在不改变含义的情况下格式化 {}", file.shown),
    );
    Err(CommandFailure::usage("flow_shape", words).next((
        "keep the file unchanged, and report the problem with the file attached",
        "请保留原文件，并附上文件报告此问题",
    )))
}

/// Returns the comments before the first key, which are kept.
fn head(text: &str) -> String {
    let is_head = |line: &&str| line.starts_with('#') || line.trim().is_empty();
    text.lines().take_while(is_head).map(|line| format!("{line}\n")).collect()
}

/// Returns true if there are comments after the head. If it is unclear whether a `#` starts a comment, it counts as one.
fn has_comments(file: &FlowFile) -> bool {
    if DocumentFormat::of_name(&file.shown) == Some(DocumentFormat::Json) {
        return false;
    }
    let body = file.text.get(head(&file.text).len()..).unwrap_or_default();
    body.lines()
        .any(|line| line.trim_start().starts_with('#') || without_quotes(line).contains(" #"))
}

/// Removes the quoted parts of a line. A quote that is never closed is an apostrophe, so nothing is removed then.
fn without_quotes(line: &str) -> String {
    let mut open: Option<char> = None;
    let mut out = String::new();
    for c in line.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => open = Some(c),
            None => out.push(c),
        }
    }
    if open.is_some() { line.to_owned() } else { out }
}

fn commented(file: &FlowFile) -> CommandFailure {
    let words = (
        format!("{} has comments after its first key, which formatting would remove", file.shown),
        format!("{} 的第一个键之后有注释，格式化会丢失这些注释", file.shown),
    );
    CommandFailure::usage("flow_shape", words).next((
        "move the comments into `description`, or pass --drop-comments",
        "把注释移到 `description`，或加上 --drop-comments",
    ))
}

/// Writes a new file and renames it over the old one: a crash leaves one of the two.
fn replace(path: &Path, text: &str) -> Result<(), CommandFailure> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| inputs::unwritten(path, &error))
}
