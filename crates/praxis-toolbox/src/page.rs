//! Generates `docs/guide/toolbox.md` from the manifests and the examples, and checks that it is up to date.

use super::examples::{ExampleCall, ToolExamples};
use super::testing::all_tools;
use praxis_core::call::risk::Risk;
use praxis_core::call::tool::Tool;
use praxis_core::lang::Lang;
use praxis_core::schema::description::descriptions;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEAD: &str = "# The toolbox\n\n\
    Every tool that is built in, and those of the examples: what it takes, what it gives, and a call. The page is made from the \
    manifests in `crates/praxis-toolbox/src/manifests` and in `examples`, and from the calls in `crates/praxis-toolbox/src/examples.yaml`; a test keeps it so \
    (`cargo test -p praxis-toolbox --lib -- --ignored write_the_page` writes it anew).\n\n\
    `HERE` is the current folder. Files are touched in the folders of `tools.folders` only, and `http_get` and `API` reach the \
    hosts of `tools.hosts` only, none by default: see [settings.md](settings.md). How the tools work together is in \
    [tools.md](tools.md#built-in-builtin).\n";

/// A heading and the first tags of the tools below it.
const DOMAINS: [(&str, &[&str]); 5] = [
    ("Files and tables 文件与表格", &["files", "tables"]),
    ("HTTP and JSON", &["http", "json"]),
    ("Text, dates and numbers 文本、日期与数字", &["text", "dates", "numbers"]),
    ("For trying things out 试验", &["try"]),
    ("The example load-forecast 示例：负荷预测", &["load"]),
];

/// A note below the heading of tools that are not available everywhere.
const OF_EXAMPLE: &str = "\nThese tools come with an example and are at hand in its folder, which `praxis example load-forecast` writes, \
    and for `praxis run --example load-forecast`.\n";

fn page() -> String {
    let (tools, examples) = (all_tools(), ToolExamples::read());
    let mut page = HEAD.to_owned();
    for (heading, tags) in DOMAINS {
        let _ = writeln!(page, "\n## {heading}");
        page.push_str(if tags.contains(&"load") { OF_EXAMPLE } else { "" });
        let of_domain =
            |tool: &&Tool| tool.tags.first().is_some_and(|tag| tags.contains(&tag.as_str()));
        for tool in tools.iter().filter(of_domain) {
            section(&mut page, tool);
            let calls = examples.calls.iter().filter(|call| call.tool == tool.id.as_str());
            calls.for_each(|call| shown(&mut page, call));
        }
    }
    page
}

fn section(page: &mut String, tool: &Tool) {
    let ((_, english), (name, chinese)) = (tool.told(Lang::En), tool.told(Lang::Zh));
    let risk = if tool.risk() == Risk::Read { "reads" } else { "writes" };
    let _ = writeln!(page, "\n### `{}` {name}\n\n{english} It {risk}.\n\n{chinese}", tool.id);
    let required: Vec<&str> = praxis_core::schema::required(&tool.input_schema).collect();
    let Some(arguments) = tool.input_schema["properties"].as_object() else { return };
    page.push_str("\n| argument | is | meaning |\n|---|---|---|\n");
    let (first, rest): (Vec<_>, Vec<_>) =
        arguments.iter().partition(|(name, _)| required.contains(&name.as_str()));
    for (name, schema) in first.into_iter().chain(rest) {
        let word = match schema.get("default") {
            _ if required.contains(&name.as_str()) => ", required".to_owned(),
            Some(default) => format!(", default `{default}`"),
            None => String::new(),
        };
        let meaning = descriptions(schema);
        let _ = writeln!(page, "| `{name}` | {}{word} | {meaning} |", kind(schema));
    }
    let outputs = tool.output_schema.as_ref().and_then(|schema| schema["properties"].as_object());
    let names: Vec<String> =
        outputs.into_iter().flat_map(|map| map.keys()).map(|name| format!("`{name}`")).collect();
    let _ = writeln!(page, "\nIt gives {}.", names.join(", "));
}

fn kind(schema: &Value) -> String {
    let listed = |values: &Value| {
        let words = values.as_array().into_iter().flatten().filter_map(Value::as_str);
        words.collect::<Vec<_>>().join(" or ")
    };
    match (&schema["enum"], &schema["type"]) {
        (Value::Array(_), _) => format!("one of {}", listed(&schema["enum"]).replace(" or ", ", ")),
        (_, Value::String(one)) => one.clone(),
        (_, many @ Value::Array(_)) => listed(many),
        _ => "any value".to_owned(),
    }
}

fn shown(page: &mut String, call: &ExampleCall) {
    let ExampleCall { arguments, output, .. } = call;
    let _ = writeln!(page, "\n```json\n{arguments}\n```\n\n```json\n{output}\n```");
}

fn guide(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(name)
}

#[test]
fn the_page_of_the_tools_is_what_the_manifests_and_examples_say() {
    let written = std::fs::read_to_string(guide("toolbox.md")).unwrap();
    assert!(written == page(), "write it anew: cargo test … --ignored write_the_page");
}

#[test]
fn every_tool_stands_in_the_table_of_the_guide_with_its_risk() {
    let guide = std::fs::read_to_string(guide("tools.md")).unwrap();
    for tool in all_tools() {
        let row = guide.lines().find(|line| line.starts_with(&format!("| `{}` |", tool.id)));
        let row = row.unwrap_or_else(|| panic!("tools.md lacks {}", tool.id));
        let risk = if tool.risk() == Risk::Read { "read" } else { "write" };
        assert!(row.ends_with(&format!("| {risk} |")), "{row}");
    }
}

#[test]
#[ignore = "it writes into the repository"]
fn write_the_page() {
    std::fs::write(guide("toolbox.md"), page()).unwrap();
}
