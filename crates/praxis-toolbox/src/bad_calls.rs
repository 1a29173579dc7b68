//! Tests that every error of the tools is told in Chinese as well as in English.

use super::testing::{all_tools, run};
use praxis_core::fault::Fault;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The tools that accept every call.
const NEVER_FAIL: [&str; 2] = ["echo", "noop"];

/// Returns a Chinese and an English text for each error of a fault.
fn texts(fault: &Fault) -> Vec<(String, String)> {
    match fault {
        Fault::ParamsInvalid { errors } => {
            errors.iter().map(|error| (error.detail.clone(), error.detail_zh.clone())).collect()
        }
        Fault::ToolFailed { message, message_zh, .. }
        | Fault::CallRefused { message, message_zh, .. } => {
            vec![(message.clone(), message_zh.clone())]
        }
        other => panic!("another fault: {other:?}"),
    }
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|letter| matches!(letter, '\u{4e00}'..='\u{9fff}'))
}

/// Writes the files that the calls refer to.
fn lay_out(home: &Path) {
    fs::create_dir(home.join("folder")).unwrap();
    fs::create_dir(home.join("datasources")).unwrap();
    for (name, content) in [
        ("bytes.txt", &b"\xff"[..]),
        ("short.csv", b"a,b\n1\n"),
        ("load.csv", b"timestamp,load_mw\nnow,1\n"),
        ("list.json", b"{\"a\": 1}"),
        ("lines.jsonl", b"{\"a\": 1}\n2\n"),
        ("datasources/ds_2.json", b"{"),
    ] {
        fs::write(home.join(name), content).unwrap();
    }
    let file = home.join("load.csv");
    let source = json!({"datasource_id": "ds_1", "datasource_name": "n", "project_id": "p", "file_path": file});
    fs::write(home.join("datasources/ds_1.json"), source.to_string()).unwrap();
}

fn of_files(home: &Path) -> Vec<(&'static str, Value)> {
    let at = |name: &str| home.join(name);
    let hour = json!({"timestamp": "2026-01-01T00:00", "load_mw": 1});
    let report = |forecast: Value, path: &str| {
        let errors = json!({"held_back_hours": 1, "mape": 1, "rmse": 1, "naive_mape": 1});
        json!({"title": "t", "forecast": forecast, "backtest": errors, "peak": hour, "path": at(path)})
    };
    vec![
        ("list_folder", json!({"folder": at("none")})),
        ("list_folder", json!({"folder": at("bytes.txt")})),
        ("list_folder", json!({"folder": "/etc"})),
        ("read_text_file", json!({"path": at("none")})),
        ("read_text_file", json!({"path": at("folder")})),
        ("read_text_file", json!({"path": at("bytes.txt")})),
        ("read_text_file", json!({"path": at("bytes.txt/none")})),
        ("read_text_file", json!({"path": at("bytes.txt"), "first_line": 0})),
        ("write_text_file", json!({"path": at("folder"), "text": "x"})),
        ("write_text_file", json!({"path": at("bytes.txt"), "text": "x"})),
        ("write_text_file", json!({"path": at("bytes.txt/none"), "text": "x"})),
        ("write_text_file", json!({"path": at("new"), "text": "x", "if_exists": "no"})),
        ("read_table", json!({"path": at("none.csv")})),
        ("read_table", json!({"path": at("short.csv")})),
        ("read_table", json!({"path": at("list.json")})),
        ("read_table", json!({"path": at("lines.jsonl")})),
        ("read_table", json!({"path": at("short.csv"), "most_rows": 0})),
        ("write_table", json!({"path": at("x.doc"), "rows": []})),
        ("check_csv_file", json!({"file_path": at("none.csv")})),
        ("add_datasource", json!({"project_id": "p", "file_path": at("none.csv")})),
        ("data_upload", json!({"project_id": "p", "datasource_id": "x"})),
        ("data_upload", json!({"project_id": "p", "datasource_id": "ds_2"})),
        ("data_upload", json!({"project_id": "q", "datasource_id": "ds_1"})),
        ("data_upload", json!({"project_id": "p", "datasource_id": "ds_1"})),
        ("data_upload", json!({"project_id": "p", "datasource_id": "ds_1", "busy_times": 1})),
        ("get_data", json!({"datasource_id": "ds_9"})),
        ("get_data", json!({"datasource_id": "ds_1"})),
        ("write_report", report(json!([]), "r.md")),
        ("write_report", report(json!([hour]), "r.txt")),
    ]
}

fn of_tables() -> Vec<(&'static str, Value)> {
    let rows = json!([{"load": 1, "city": "x"}]);
    let filter = |column: &str, operator: &str, value: Value| {
        let condition = json!({"column": column, "operator": operator, "value": value});
        json!({"rows": rows, "conditions": [condition]})
    };
    vec![
        ("parse_table", json!({"text": "a,b\n\"1,2\n"})),
        ("parse_table", json!({"text": "[1", "format": "json"})),
        ("filter_rows", json!({"rows": rows, "conditions": []})),
        ("filter_rows", filter("laod", "less", json!(1))),
        ("filter_rows", filter("city", "less", json!(1))),
        ("filter_rows", filter("load", "less", json!("a"))),
        ("filter_rows", filter("load", "less", json!(null))),
        ("filter_rows", filter("load", "contains", json!(1))),
        ("filter_rows", filter("load", "one_of", json!(1))),
        ("filter_rows", filter("load", "is_empty", json!(1))),
        ("filter_rows", filter("load", "like", json!(1))),
        ("select_columns", json!({"rows": rows, "columns": []})),
        ("select_columns", json!({"rows": rows, "columns": ["q"]})),
        ("select_columns", json!({"rows": rows, "columns": ["load", "load"]})),
        ("select_columns", json!({"rows": rows, "columns": ["load"], "rename": {"city": "c"}})),
        ("sort_rows", json!({"rows": rows, "by": []})),
        ("sort_rows", json!({"rows": 1, "by": []})),
        ("sort_rows", json!({"rows": [1], "by": []})),
        ("sort_rows", json!({"rows": "[", "by": []})),
        ("group_rows", json!({"rows": rows, "by": ["city", "city"]})),
        (
            "group_rows",
            json!({"rows": rows, "by": [], "measures": [{"operation": "sum", "column": "city"}]}),
        ),
        ("join_tables", json!({"left": rows, "right": rows, "on": []})),
        ("describe_table", json!({"rows": rows, "columns": ["none"]})),
        (
            "compute_column",
            json!({"rows": rows, "column": "", "operation": "add", "left": 1, "right": 1}),
        ),
        (
            "compute_column",
            json!({"rows": rows, "column": "n", "operation": "add", "left": 1, "right": 1, "digits": 99}),
        ),
    ]
}

fn of_web_and_text() -> Vec<(&'static str, Value)> {
    vec![
        ("http_get", json!({"url": "x"})),
        ("http_get", json!({"url": "https://a.test/", "query": {"a": [1]}})),
        ("API", json!({"url": "x"})),
        ("API", json!({"url": "https://a.test/", "timeout": "soon"})),
        ("API", json!({"url": "https://a.test/", "headers": {"a": "secret:b"}})),
        ("API", json!({"url": "https://a.test/", "expect_status": "fine"})),
        ("json_parse", json!({"text": "{"})),
        ("json_parse", json!({"text": "{\"a\": 1, \"a\": 2}"})),
        ("json_query", json!({"value": {"abc": 1}, "path": "abd"})),
        ("json_query", json!({"value": {"abc": 1}, "path": "q"})),
        ("json_query", json!({"value": {}, "path": "q"})),
        ("json_query", json!({"value": [1], "path": "[1]"})),
        ("json_query", json!({"value": {"a": null}, "path": "a.b"})),
        ("json_query", json!({"value": {"a": 1}, "path": "a.b"})),
        ("json_query", json!({"value": {"a": true}, "path": "a.b"})),
        ("json_query", json!({"value": {"a": "x"}, "path": "a.b"})),
        ("json_query", json!({"value": {}, "path": "a[*]"})),
        ("json_merge", json!({"objects": []})),
        ("json_merge", json!({"objects": [1]})),
        ("json_validate", json!({"value": 1, "schema": {"type": "nothing"}})),
        ("render_text", json!({"template": "{amuont}", "values": {"amount": 1}})),
        ("render_text", json!({"template": "{x}", "values": {}})),
        ("find_in_text", json!({"text": "a", "search": ""})),
        ("replace_text", json!({"text": "a", "search": "", "replacement": ""})),
        ("split_text", json!({"text": "a", "by": "separator"})),
        ("split_text", json!({"text": "a", "separator": ","})),
        ("split_text", json!({"text": "a ".repeat(100_001), "by": "words"})),
        ("text_statistics", json!({"text": 1})),
        ("text_statistics", json!({"text": "a".repeat(17 * 1024 * 1024)})),
        ("sleep", json!({})),
        ("sleep", json!({"ms": 1, "seconds": 1})),
    ]
}

fn of_dates_and_numbers() -> Vec<(&'static str, Value)> {
    let convert =
        |value: Value, from: &str, to: &str| json!({"value": value, "from": from, "to": to});
    let reckon =
        |operation: &str, numbers: Value| json!({"operation": operation, "numbers": numbers});
    vec![
        ("parse_date", json!({"text": "x"})),
        ("parse_date", json!({"text": "tomorrow"})),
        ("parse_date", json!({"text": "Nov 15"})),
        ("parse_date", json!({"text": "15 Nov 26"})),
        ("parse_date", json!({"text": "2026-02-30"})),
        ("parse_date", json!({"text": "03/04/2026"})),
        ("parse_date", json!({"text": "Monday 15 Nov 2026"})),
        ("parse_date", json!({"text": "15 Nov 2026 25:00"})),
        ("date_add", json!({"date": "x"})),
        ("date_add", json!({"date": "9999-12-31", "days": 1})),
        ("date_difference", json!({"from": "2026-11-15T08:00Z", "to": "2026-11-15"})),
        ("do_arithmetic", reckon("divide", json!([1, 0]))),
        ("do_arithmetic", reckon("percent_change", json!([0, 1]))),
        ("do_arithmetic", reckon("square_root", json!([-1]))),
        ("do_arithmetic", reckon("power", json!([10, 999]))),
        ("do_arithmetic", reckon("add", json!([1]))),
        ("do_arithmetic", reckon("floor", json!([]))),
        ("compare_numbers", json!({"left": 1, "right": 2, "tolerance": -1})),
        ("number_statistics", json!({"numbers": []})),
        ("number_statistics", json!({"numbers": [1], "percentiles": [101]})),
        ("number_statistics", json!({"numbers": [1], "percentiles": vec![1; 101]})),
        ("convert_unit", convert(json!(1), "kWhh", "kWh")),
        ("convert_unit", convert(json!(1), "qqqq", "kWh")),
        ("convert_unit", convert(json!(1), "kW", "kWh")),
        ("convert_unit", convert(json!(1), "kg", "m")),
    ]
}

fn of_loads() -> Vec<(&'static str, Value)> {
    let at = |time: &str, load: Value| json!({"timestamp": time, "load_mw": load});
    let (first, later) = (at("2026-01-01T00:00", json!(1)), at("2026-01-09T00:00", json!(1)));
    vec![
        ("fill_gaps", json!({"data_json": [first, later]})),
        ("fill_gaps", json!({"data_json": [at("2026-01-01T00:00", json!(null))]})),
        ("load_summary", json!({"data_json": []})),
        ("load_summary", json!({"data_json": {}})),
        ("load_summary", json!({"data_json": [first], "by": "year"})),
        ("load_profile", json!({"data_json": [1]})),
        ("load_profile", json!({"data_json": [at("now", json!(1))]})),
        ("load_profile", json!({"data_json": [at("2026-01-01T00:00", json!("x"))]})),
        ("find_peaks", json!({"data_json": [first], "count": 0})),
        ("find_peaks", json!({"data_json": [later, first]})),
        ("find_peaks", json!({"data_json": [first, at("2026-01-01T00:30", json!(1))]})),
        ("detect_anomalies", json!({"data_json": [first], "threshold": 0})),
        ("compare_forecast", json!({"forecast": [first], "actual": [later]})),
        ("forecast_load", json!({"data_json": "["})),
        ("forecast_load", json!({"data_json": [at("now", json!(1))]})),
        ("forecast_load", json!({"data_json": [first]})),
        ("forecast_load", json!({"data_json": vec![first; 96]})),
        ("forecast_load", json!({"data_json": [], "season_hours": 1})),
    ]
}

#[test]
fn every_error_of_a_tool_is_told_in_chinese_too() {
    let home = tempfile::tempdir().unwrap();
    lay_out(home.path());
    let calls =
        [of_files(home.path()), of_tables(), of_web_and_text(), of_dates_and_numbers(), of_loads()];
    let mut called = BTreeSet::from(NEVER_FAIL.map(str::to_owned));
    for (tool, arguments) in calls.into_iter().flatten() {
        let short: String = format!("{tool} {arguments}").chars().take(200).collect();
        let Err(fault) = run(tool, home.path(), arguments) else { panic!("no error: {short}") };
        for (en, zh) in texts(&fault) {
            assert!(!en.is_empty() && en != zh && is_chinese(&zh), "{short}: {en} / {zh}");
        }
        called.insert(tool.to_owned());
    }
    let all: BTreeSet<String> = all_tools().iter().map(|tool| tool.id.to_string()).collect();
    assert_eq!(called, all);
}

#[test]
fn arguments_of_another_form_are_told_in_chinese_by_every_tool() {
    let home = Path::new("/nonexistent");
    for tool in all_tools() {
        let name = tool.id.as_str();
        if NEVER_FAIL.contains(&name) {
            continue;
        }
        let fault = run(name, home, json!({"never_heard_of": 1})).unwrap_err();
        for (en, zh) in texts(&fault) {
            assert!(en != zh && is_chinese(&zh), "{name}: {en} / {zh}");
        }
    }
}
