//! The page of the guide that shows every call of Praxis' own, made from their schemas.

use praxis_core::call::own_tools::calls;
use praxis_core::call::tool::Tool;
use praxis_core::lang::Lang;
use praxis_core::schema::required;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const HEAD: &str = "# Calls\n\n\
    What a node of a flow can call besides tools: each with what it takes and what it gives. The page is made from \
    `crates/praxis-core/src/call/own.json`, and a test keeps it so (`cargo test -p praxis-core --test it -- --ignored \
    write_the_page_of_calls` writes it anew). `praxis flow calls` tells the same, with `--json` as data.\n\n\
    Tools are called in the same way by their ids: those built in are in [toolbox.md](toolbox.md), `API` among them; others are \
    [made by a manifest](#tools-that-a-manifest-makes). What is missing is filled or asked for, see [slots.md](slots.md). What \
    every node has besides is in [flows.md](flows.md#fields-of-a-node).\n";

const MANIFESTS: &str = "\n## Tools that a manifest makes\n\n\
    A manifest names a tool, says what it takes and gives, and has exactly one of `command`, `http`, `sql` and `builtin`. No code is \
    written for it. [tools.md](tools.md) has every field and what each end of a call means; \
    [writing-a-tool.md](writing-a-tool.md) makes some, step by step. The tables are made from \
    [tool.schema.json](../schema/tool.schema.json).\n\n\
    `API` is built in and takes a whole request from a node; a tool with `http` is one request of an API, whose arguments fill \
    it. The call `SQL` lets a model write the query; a tool with `sql` has its query, or takes one from the call.\n";

/// The kinds of tools that a manifest makes: the field of the manifest, and what is said of it.
const KINDS: [(&str, &str); 3] = [
    (
        "command",
        "A program that reads its arguments as JSON and writes its output as JSON: [tools.md](tools.md#a-program-command).",
    ),
    ("http", "A request: [tools.md](tools.md#a-request-http)."),
    ("sql", "A query at a database: [sql.md](sql.md)."),
];

/// Where more is said of a call.
const MORE: [(&str, &str); 4] = [
    ("Choice", "Branches and all operators: [choice-and-loop.md](choice-and-loop.md)."),
    (
        "Loop",
        "Its end, its variables and what a failure means: [choice-and-loop.md](choice-and-loop.md).",
    ),
    ("SubFlow", "How a called flow is found: [flows.md](flows.md#a-flow-that-calls-another)."),
    (
        "LLM",
        "Which model is asked: [models.md](models.md); what it may cost: [budgets.md](budgets.md).",
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
        table(&mut page, ("It has", "field"), &looked_up(&schema["$defs"][kind], &schema));
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
    table(page, ("It takes", "parameter"), &tool.input_schema);
    if let Some(output) = &tool.output_schema {
        table(page, ("It gives", "field"), output);
    }
}

fn table(page: &mut String, (verb, head): (&str, &str), schema: &Value) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        let _ = writeln!(page, "\n{verb} any object.");
        return;
    };
    let needed: Vec<&str> = required(schema).collect();
    let _ = writeln!(page, "\n{verb}:\n\n| {head} | is | meaning |\n|---|---|---|");
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
        let _ = writeln!(page, "\nOf these, {bound} {least}.");
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
