//! The page of the guide that shows every call of Praxis' own, made from their schemas.

use praxis_core::call::own_tools::calls;
use praxis_core::call::tool::Tool;
use praxis_core::lang::Lang;
use praxis_core::schema::required;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEAD: &str = "# Built-in node types\n\n\
    This page lists the built-in node types of flows, with their parameters and outputs. It is generated from \
    `crates/praxis-core/src/call/own.json`, and a test checks that it is up to date (`cargo test -p praxis-core --test it \
    -- --ignored write_the_page_of_calls` regenerates it). `praxis flow calls` prints the same list; with `--json`, as \
    data.\n\n\
    A node calls a tool in the same way, by its id. [toolbox.md](toolbox.md) lists the built-in tools, such as `API`; you \
    [define others with a manifest](#tools-defined-by-a-manifest). If a parameter is missing, Praxis fills it in or asks \
    for it, see [slots.md](slots.md). For the fields that every node has, see [flows.md](flows.md#fields-of-a-node).\n";

const MANIFESTS: &str = "\n## Tools defined by a manifest\n\n\
    A manifest defines a tool without code: its name, its parameters and its outputs, and exactly one of `command`, `http`, \
    `sql` and `builtin`. [tools.md](tools.md) describes every field and every way in which a call can end; \
    [writing-a-tool.md](writing-a-tool.md) shows how to write a tool, step by step. The tables below are generated from \
    [tool.schema.json](../schema/tool.schema.json).\n\n\
    The built-in tool `API` takes a whole HTTP request from a node; a tool with `http` is one request, filled in with its \
    arguments. In the node type `SQL` a model writes the query; a tool with `sql` has a fixed query, or takes the query \
    from the call.\n";

/// The kinds of tools that a manifest makes: the field of the manifest, and what is said of it.
const KINDS: [(&str, &str); 3] = [
    (
        "command",
        "A program that reads its arguments as JSON and writes its output as JSON: [tools.md](tools.md#a-program-command).",
    ),
    ("http", "An HTTP request: [tools.md](tools.md#a-request-http)."),
    ("sql", "A database query: [sql.md](sql.md)."),
];

/// Where more is said of a call.
const MORE: [(&str, &str); 4] = [
    ("Choice", "For branches and all operators see [choice-and-loop.md](choice-and-loop.md)."),
    (
        "Loop",
        "For the end of a loop, its variables and failed passes see [choice-and-loop.md](choice-and-loop.md).",
    ),
    (
        "SubFlow",
        "For how Praxis finds the flow see [flows.md](flows.md#a-flow-that-calls-another).",
    ),
    (
        "LLM",
        "For the choice of the model see [models.md](models.md), for limits on its cost [budgets.md](budgets.md).",
    ),
];

fn page() -> String {
    let mut page = HEAD.to_owned();
    for tool in calls().values() {
        section(&mut page, tool);
    }
    page.push_str(MANIFESTS);
    let schema = manifest_schema();
    for (kind, words) in KINDS {
        let _ = writeln!(page, "\n### `{kind}`\n\n{words}");
        table(&mut page, ("Fields", "field"), &looked_up(&schema["$defs"][kind], &schema));
    }
    page
}

fn manifest_schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/tool.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The schema of a kind with what its fields refer to in their places; what has only a title is told by it.
fn looked_up(kind: &Value, schema: &Value) -> Value {
    let mut kind = kind.clone();
    for property in kind["properties"].as_object_mut().unwrap().values_mut() {
        if let Some(place) = property["$ref"].as_str() {
            *property = schema.pointer(place.trim_start_matches('#')).unwrap().clone();
            property["description"] = property["title"].clone();
        }
    }
    kind
}

fn section(page: &mut String, tool: &Tool) {
    let ((_, words), (zh_name, zh_words)) = (tool.told(Lang::En), tool.told(Lang::Zh));
    let _ = writeln!(page, "\n## `{}` {zh_name}\n\n{words}\n\n{zh_words}", tool.id);
    if let Some((_, more)) = MORE.iter().find(|(call, _)| *call == tool.id.as_str()) {
        let _ = writeln!(page, "\n{more}");
    }
    table(page, ("Parameters", "parameter"), &tool.input_schema);
    if let Some(output) = &tool.output_schema {
        table(page, ("Outputs", "field"), output);
    }
}

fn table(page: &mut String, (verb, head): (&str, &str), schema: &Value) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        let _ = writeln!(page, "\n{verb}: any object.");
        return;
    };
    let needed: Vec<&str> = required(schema).collect();
    let _ = writeln!(page, "\n{verb}:\n\n| {head} | type | meaning |\n|---|---|---|");
    let (first, rest): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(name, _)| needed.contains(&name.as_str()));
    for (name, property) in first.into_iter().chain(rest) {
        let word = match property.get("default") {
            _ if needed.contains(&name.as_str()) => ", required".to_owned(),
            Some(default) => format!(", default `{default}`"),
            None => String::new(),
        };
        let meaning = property["description"].as_str().unwrap_or_default();
        let meaning = meaning.trim_end_matches('.').replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {}{word} | {meaning} |", kind(property));
    }
    if let Some(least) = schema.get("minProperties") {
        let most = schema.get("maxProperties");
        let bound = if most == Some(least) { "exactly" } else { "at least" };
        let _ = writeln!(page, "\nGive {bound} {least} of these.");
    }
}

fn kind(schema: &Value) -> String {
    let listed = |values: &Value, between: &str| {
        let words = values.as_array().into_iter().flatten();
        let words = words.map(|word| word.as_str().map_or(word.to_string(), str::to_owned));
        words.collect::<Vec<_>>().join(between)
    };
    let named = match (&schema["enum"], &schema["const"], &schema["type"]) {
        (values @ Value::Array(_), ..) => format!("one of {}", listed(values, ", ")),
        (_, value @ (Value::Bool(_) | Value::String(_)), _) => format!("always `{value}`"),
        (.., Value::String(one)) if one == "array" && schema["items"]["type"].is_string() => {
            format!("array of {}", schema["items"]["type"].as_str().unwrap_or_default())
        }
        (.., Value::String(one)) => one.clone(),
        (.., many @ Value::Array(_)) => listed(many, " or "),
        _ => "any value".to_owned(),
    };
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, Value::Null) => named,
        (least, Value::Null) => format!("{named} from {least}"),
        (Value::Null, most) => format!("{named} up to {most}"),
        (least, most) => format!("{named} from {least} to {most}"),
    }
}

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/calls.md")
}

#[test]
fn the_page_of_calls_is_what_their_schemas_say() {
    let written = std::fs::read_to_string(guide()).unwrap();
    let writer = "cargo test -p praxis-core --test it -- --ignored write_the_page_of_calls";
    assert!(written == page(), "write it anew: {writer}");
}

#[test]
#[ignore = "it writes into the repository"]
fn write_the_page_of_calls() {
    std::fs::write(guide(), page()).unwrap();
}
