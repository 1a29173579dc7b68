//! `praxis tool search`: finds tools by words and shows the reasons for each match.

use crate::context::CliContext;
use crate::view::text::{Paint, cut, pad};
use praxis_core::call::tool::Toolbox;
use praxis_core::planner::FoundTool;
use serde_json::json;

pub(crate) fn run(context: &CliContext, toolbox: &Toolbox, (words, most): (&str, u32)) {
    let found =
        crate::offline::search(toolbox, &super::library::open(context)).find(words, most as usize);
    if found.is_empty() && !context.json {
        let (en, zh) = (
            format!("none of the {} tools matches these words", toolbox.len()),
            format!("{} 个工具都与这些词不匹配", toolbox.len()),
        );
        note!("{}", context.say(en, zh));
    }
    for one in &found {
        if context.json {
            let because = &one.because;
            out!(
                "{}",
                json!({"tool": one.tool, "score": one.score, "words": because.words,
                    "brings_for": because.brings_for})
            );
        } else {
            print(context, toolbox, one);
        }
    }
}

fn print(context: &CliContext, toolbox: &Toolbox, found: &FoundTool) {
    let about = toolbox.get(&found.tool).map_or("", |tool| tool.told(context.lang).1);
    let why = match &found.because.brings_for {
        Some(tool) => {
            context.say(format!("provides input for `{tool}`"), format!("为 `{tool}` 提供输入"))
        }
        None => found.because.words.join(" "),
    };
    let id = pad(&cut(found.tool.as_str(), 24), 24);
    out!("{:.2} {id} {}", found.score, cut(about, 90));
    out!("     {} {}", pad("", 24), Paint(context.colors).faint(&cut(&why, 90)));
}
