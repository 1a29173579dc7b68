//! Renders the log of a goal: the execution history in every prompt after planning.
//!
//! - in: log lines, in the order in which they were added
//! - out: a text that later calls only append to
//! - never: renders an old line differently: text that was sent before stays the same, byte for byte

use crate::ids::StepId;
use crate::lang::Lang;
use crate::library::Library;
use crate::state::goal_log::{LogLine, LoggedStep};
use std::fmt::Write;

/// Renders all lines under a heading.
pub fn story(lines: &[LogLine], library: &Library) -> String {
    let heading = pick(library.pack.lang(), "# What happened so far", "# 执行历史");
    [heading.to_owned()].into_iter().chain(each(lines, library)).collect::<Vec<_>>().join("\n")
}

/// Renders the lines without a heading.
pub fn told(lines: &[LogLine], library: &Library) -> String {
    each(lines, library).collect::<Vec<_>>().join("\n")
}

fn each<'a>(lines: &'a [LogLine], library: &'a Library) -> impl Iterator<Item = String> + 'a {
    lines.iter().map(|line| {
        let mut out = String::new();
        tell(line, library, library.pack.lang(), &mut out);
        out
    })
}

fn pick<'a>(lang: Lang, en: &'a str, zh: &'a str) -> &'a str {
    match lang {
        Lang::En => en,
        Lang::Zh => zh,
    }
}

fn tell(line: &LogLine, library: &Library, lang: Lang, out: &mut String) {
    let say = |en, zh| pick(lang, en, zh);
    match line {
        LogLine::ToolAdded { tool } => {
            out.push_str(say("A tool was added:\n", "新增工具：\n"));
            out.push_str(&library.tool(tool).map(|it| library.signature(it)).unwrap_or_default());
        }
        LogLine::ToolDropped { tool } => {
            let words =
                say("repeatedly failed to help and must not be used", "多次未起作用，不得再使用");
            let _ = write!(out, "🚫 {tool} {words}");
        }
        LogLine::Planned { revision, steps } => {
            let _ = write!(out, "{} {revision}:", say("Plan", "计划"));
            for step in steps {
                planned(step, lang, out);
            }
        }
        LogLine::Succeeded { step, tool, output, fields } => {
            let _ = write!(out, "✅ {step} ({tool}): {output}");
            if !fields.is_empty() {
                let _ = write!(out, "\n  {}: {}", say("fields", "提取字段"), fields.join(", "));
            }
        }
        LogLine::Failed { step, tool, fault } => {
            let _ = write!(out, "❌ {step} ({tool}): {}", fault.message(lang));
        }
        LogLine::Amended { step, how } => {
            let _ = write!(out, "↻ {step}: {how}");
        }
        LogLine::Dropped { steps, reason } => {
            let _ = write!(out, "✂ {}: {} ({reason})", say("given up", "已放弃"), ids(steps));
        }
        LogLine::Judged { score, failures } => {
            let _ = write!(out, "⚖ {} {score}/100", say("judged", "评估"));
            for failure in failures {
                let _ = write!(out, "\n  - {failure}");
            }
        }
        LogLine::Reflected { lesson } => {
            let _ = write!(out, "💡 {}: {lesson}", say("reflection", "反思"));
        }
        LogLine::Person { about, said } => {
            let _ = write!(out, "👤 {} ({about}): {said}", say("the user said", "用户说"));
        }
    }
}

fn planned(step: &LoggedStep, lang: Lang, out: &mut String) {
    let LoggedStep { step: id, name, tool, parameters, depends_on } = step;
    let _ = write!(out, "\n- {id} {name} ({tool}) {parameters}");
    if !depends_on.is_empty() {
        let _ = write!(out, " {} {}", pick(lang, "after", "依赖"), ids(depends_on));
    }
}

fn ids(steps: &[StepId]) -> String {
    steps.iter().map(StepId::as_str).collect::<Vec<_>>().join(", ")
}
