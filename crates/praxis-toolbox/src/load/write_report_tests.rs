use crate::testing::{failed, run};
use praxis_core::fault::Fault;
use serde_json::{Value, json};
use std::path::Path;

fn arguments(path: &Path) -> Value {
    json!({
        "title": "杭州\n load",
        "forecast": [
            {"timestamp": "2024-01-01T00:00", "load_mw": 100},
            {"timestamp": "2024-01-01T01:00", "load_mw": 140.25},
            {"timestamp": "2024-01-01T02:00", "load_mw": 120},
        ],
        "backtest": {"held_back_hours": 24, "mape": 1.5, "rmse": 12.25, "naive_mape": null},
        "peak": {"timestamp": "2024-01-01T01:00", "load_mw": 140.25},
        "path": path,
    })
}

#[test]
fn a_report_has_a_table_a_chart_and_the_errors() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("r.md");
    std::fs::write(&path, "an older report").unwrap();
    let summary = "peak 140.2 MW at 2024-01-01T01:00 within 3 hours; \
                   error 1.50 % on the last 24 hours, seasonal naive unknown";
    let output = run("write_report", home.path(), arguments(&path));
    assert_eq!(output, Ok(json!({"report_path": path, "summary": summary})));
    let bar = |blocks: usize| "█".repeat(blocks);
    let expected = format!(
        "# 杭州 load

In short: {summary}.

## Hour by hour

| timestamp | load (MW) |
|---|---:|
| 2024-01-01T00:00 | 100.0 |
| 2024-01-01T01:00 | 140.2 |
| 2024-01-01T02:00 | 120.0 |

## Chart

```text
2024-01-01T00:00      100.0 {}
2024-01-01T01:00      140.2 {} ← peak
2024-01-01T02:00      120.0 {}
```

## How good the method was

Measured on the last 24 hours, which the model did not see.

| error | this forecast | seasonal naive |
|---|---:|---:|
| mean absolute, percent | 1.50 % | unknown |
| root mean square (MW) | 12.2 | |
",
        bar(1),
        bar(41),
        bar(21)
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
    // No temporary file stays behind.
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn a_report_never_takes_the_place_of_another_kind_of_file() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("folder.md");
    std::fs::create_dir(&folder).unwrap();
    let link = home.path().join("link.md");
    std::fs::write(home.path().join("key.pem"), "key").unwrap();
    std::os::unix::fs::symlink(home.path().join("key.pem"), &link).unwrap();
    for path in [&home.path().join("settings.toml"), &folder, &link] {
        let (message, retryable) = failed(run("write_report", home.path(), arguments(path)));
        assert!(message.ends_with("; the file name must end in .md"), "{message}");
        assert!(!retryable);
    }
}

#[test]
fn a_folder_that_is_not_there_is_a_failure() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("none/r.md");
    let (message, retryable) = failed(run("write_report", home.path(), arguments(&path)));
    assert!(message.contains("cannot write `"), "{message}");
    assert!(!retryable);
}

#[test]
fn a_forecast_without_hours_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut empty = arguments(&home.path().join("r.md"));
    empty["forecast"] = json!([]);
    let result = run("write_report", home.path(), empty);
    assert!(matches!(result, Err(Fault::ParamsInvalid { .. })));
}

#[test]
fn loads_that_are_all_equal_or_huge_still_have_bars() {
    let home = tempfile::tempdir().unwrap();
    for load in [5.0, f64::MAX] {
        let mut flat = arguments(&home.path().join("r.md"));
        flat["forecast"][0]["load_mw"] = json!(-load);
        flat["forecast"][1]["load_mw"] = json!(load);
        flat["forecast"][2]["load_mw"] = json!(load);
        assert!(run("write_report", home.path(), flat).is_ok());
    }
}
