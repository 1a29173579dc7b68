use crate::load::readings::LoadTable;
use crate::load::stamp::ReadingTime;
use crate::testing::{failed, run};
use praxis_core::fault::Fault;
use serde_json::{Value, json};
use std::path::Path;

/// Loads that rise by the hour, with a daily wave and noise from a fixed seed.
fn rising(hours: usize) -> Value {
    rising_with_weekends(hours, 0.0)
}

/// The same, and less at weekends.
fn rising_with_weekends(hours: usize, less: f64) -> Value {
    let start = ReadingTime::parse("2024-01-01T00:00").unwrap();
    let mut seed = 7_u32;
    let reading = |hour: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(seed >> 16) / 65_536.0 - 0.5;
        let count = f64::from(u32::try_from(hour).unwrap());
        let weekend = if hour / 24 % 7 >= 5 { -less } else { 0.0 };
        let wave = 200.0 * (count * std::f64::consts::TAU / 24.0).sin();
        let load = 1000.0 + 1.5 * count + wave + weekend + 20.0 * noise;
        json!({"timestamp": start.plus_hours(hour).unwrap().to_string(), "load_mw": load})
    };
    (0..hours).map(reading).collect()
}

fn forecast(arguments: Value) -> Value {
    run("forecast_load", Path::new("."), arguments).unwrap()
}

fn refused(arguments: Value) -> String {
    let (message, retryable) = failed(run("forecast_load", Path::new("."), arguments));
    assert!(!retryable);
    message
}

fn errors(output: &Value) -> (f64, f64) {
    let error = |name: &str| output["backtest"][name].as_f64().unwrap();
    (error("mape"), error("naive_mape"))
}

#[test]
fn holt_winters_beats_the_seasonal_naive_on_a_series_with_a_trend() {
    for (season, less) in [(24, 0.0), (168, 0.0), (168, 150.0)] {
        let data = rising_with_weekends(24 * 56, less).to_string();
        let output = forecast(json!({"data_json": data, "season_hours": season}));
        let (mape, naive) = errors(&output);
        assert!(mape < 0.6 * naive, "season {season}, {less}: {mape} against {naive}");
        assert_eq!(output["backtest"]["held_back_hours"], 24);
    }
}

#[test]
fn a_forecast_starts_after_the_last_hour_and_has_a_peak() {
    let output = forecast(json!({"data_json": rising(24 * 10), "horizon_hours": 30}));
    let hours = output["forecast"].as_array().unwrap();
    assert_eq!(hours.len(), 30);
    assert_eq!(hours[0]["timestamp"], "2024-01-11T00:00");
    assert_eq!(hours[29]["timestamp"], "2024-01-12T05:00");
    let load = |reading: &Value| reading["load_mw"].as_f64().unwrap();
    let highest = hours.iter().max_by(|a, b| load(a).total_cmp(&load(b))).unwrap();
    assert_eq!(&output["peak"], highest);
}

#[test]
fn the_same_data_gives_the_same_model() {
    let arguments = json!({"data_json": rising(24 * 10)});
    let (first, second) = (forecast(arguments.clone()), forecast(arguments));
    assert_eq!(first, second);
    let other = forecast(json!({"data_json": rising(24 * 11)}));
    assert_ne!(first["model_id"], other["model_id"]);
}

#[test]
fn the_naive_method_is_its_own_reference() {
    let arguments = json!({"data_json": rising(48), "method": "seasonal_naive"});
    let output = forecast(arguments);
    let (mape, naive) = errors(&output);
    assert!((mape - naive).abs() < f64::EPSILON);
    assert_eq!(output["method"], "seasonal_naive");
}

#[test]
fn too_few_hours_are_refused_with_how_many_are_needed() {
    let few = |season: usize, hours: usize| {
        refused(json!({"data_json": rising(hours), "season_hours": season}))
    };
    let needed = "hours of data; 96 to 500000 are needed";
    assert_eq!(few(24, 95), format!("there are 95 {needed}"));
    assert_eq!(few(24, 0), format!("there are 0 {needed}"));
    assert!(few(168, 383).contains("; 384 to"));
    forecast(json!({"data_json": rising(96), "season_hours": 24}));
    forecast(json!({"data_json": rising(384), "season_hours": 168}));
}

#[test]
fn data_that_is_no_series_is_refused() {
    for text in ["", "[", "{}", "[1]", r#"[{"timestamp":"today","load_mw":1}]"#, "[NaN]"] {
        let message = refused(json!({"data_json": text}));
        assert!(message.starts_with("`data_json` is not a list"), "{message}");
    }
    let message =
        refused(json!({"data_json": [{"timestamp": "2024-01-01T00:00", "load_mw": "x"}]}));
    assert!(message.contains("invalid type: expected a number, got string \"x\""), "{message}");
    let mut gap = rising(100);
    gap.as_array_mut().unwrap().remove(50);
    let message = refused(json!({"data_json": gap}));
    let told = "data_json[50]: 2024-01-03T03:00 is not one hour after 2024-01-03T01:00";
    assert_eq!(message, told);
}

#[test]
fn loads_that_overflow_are_a_fault_and_loads_of_zero_have_no_percentage() {
    let with = |load: f64| {
        let mut data = rising(96);
        data.as_array_mut().unwrap().iter_mut().for_each(|r| r["load_mw"] = json!(load));
        json!({"data_json": data})
    };
    assert_eq!(refused(with(f64::MAX)), "the loads are too large for a forecast");
    assert_eq!(forecast(with(0.0))["backtest"]["mape"], Value::Null);
}

#[test]
fn arguments_out_of_bounds_are_refused() {
    for wrong in [
        json!({"data_json": rising(96), "season_hours": 0}),
        json!({"data_json": rising(96), "season_hours": 1}),
        json!({"data_json": rising(96), "horizon_hours": 8761}),
        json!({"data_json": rising(96), "method": "magic"}),
        json!({}),
    ] {
        let result = run("forecast_load", Path::new("."), wrong);
        assert!(matches!(result, Err(Fault::ParamsInvalid { .. })));
    }
}

#[test]
fn the_example_data_is_forecast_better_than_by_repeating_it() {
    let text = include_str!("../../../../../examples/load_forecast/load.csv");
    let readings = LoadTable::read(text).into_readings().unwrap();
    // With weekends in it, the data has a season of a week, as the plan says.
    let output = forecast(json!({"data_json": readings, "season_hours": 168}));
    let (mape, naive) = errors(&output);
    assert!(mape < 0.6 * naive, "{mape} against {naive}");
}
