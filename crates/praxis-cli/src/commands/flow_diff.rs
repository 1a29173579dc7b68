//! `praxis flow diff`: prints the changes from one flow to another.

use super::flow::short_version;
use crate::args_flow::FlowDiff;
use crate::context::CliContext;
use crate::failure::{CommandFailure, Exit};
use crate::flow_files;
use crate::view::text::{Paint, cut, short};
use praxis_core::flow::diff::{FlowChange, diff};
use serde_json::json;
use std::process::ExitCode;

/// Maximum columns of a printed value.
const MOST_COLUMNS: usize = 120;

pub(crate) fn run(context: &CliContext, wanted: &FlowDiff) -> Result<ExitCode, CommandFailure> {
    let read = |path| {
        Ok::<_, CommandFailure>(flow_files::read(path, &wanted.flows)?.well_formed()?.bundle())
    };
    let (before, after) = (read(&wanted.before)?, read(&wanted.after)?);
    let changes = diff(&before, &after);
    let is_same = before.version() == after.version();
    if context.json {
        let versions = [before.version(), after.version()];
        out!("{}", json!({"same": is_same, "versions": versions, "changes": changes}));
    } else {
        let same = |is_same: bool| if is_same { "=" } else { "→" };
        let name = |name: &str| cut(name, 60);
        let (one, other) = (name(&before.flow.name), name(&after.flow.name));
        out!(
            "{one} {} {} {other} {}",
            short_version(&before),
            same(is_same),
            short_version(&after)
        );
        for change in &changes {
            tell(context, change);
        }
        if changes.is_empty() && !is_same {
            out!("{}", context.say("only the order differs", "只有顺序不同"));
        }
    }
    Ok(if is_same { ExitCode::SUCCESS } else { Exit::TaskFailed.into() })
}

fn tell(context: &CliContext, change: &FlowChange) {
    let paint = Paint(context.colors);
    let at = cut(&change.at, MOST_COLUMNS);
    // The place of an edge says everything about it.
    let is_edge = change.at.contains("edges, ");
    let line = |sign: &str, value: &serde_json::Value| {
        if is_edge {
            format!("{sign} {at}")
        } else {
            format!("{sign} {at}: {}", short(value, MOST_COLUMNS))
        }
    };
    if let Some(before) = &change.before {
        out!("{}", paint.red(&line("-", before)));
    }
    if let Some(after) = &change.after {
        out!("{}", paint.green(&line("+", after)));
    }
}
