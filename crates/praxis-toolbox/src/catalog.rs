//! The catalog of built-in tools: their manifests, and the code behind each. The manifests of the load tools are part
//! of an example project.

use super::builtins::Builtins;
use super::dates::{date_add, date_difference, parse_date};
use super::folders::{list_folder, read_text_file, write_text_file};
use super::load::{
    check_csv_file, compare_forecast, datasources, detect_anomalies, fill_gaps, find_peaks,
    forecast, load_profile, load_summary, write_report,
};
use super::local::{LocalTool, ToolFunction};
use super::numbers::{arithmetic, compare_numbers, convert_unit, statistics};
use super::tables::{
    compute_column, describe_table, filter_rows, group_rows, join_tables, read_table,
    select_columns, sort_rows, write_table,
};
use super::texts::{find_in_text, render_text, replace_text, split_text, text_statistics};
use super::trial;
use super::web::{api, http_get, json_merge, json_parse, json_query, json_validate};
use praxis_core::call::manifest;
use praxis_core::call::tool::{Tool, Transport};
use praxis_core::document::{self, DocumentFormat};
use praxis_engine::seams::{Callable, ConnectTools};
use std::sync::Arc;

const MANIFESTS: [&[u8]; 7] = [
    include_bytes!("manifests/files.yaml"),
    include_bytes!("manifests/tables.yaml"),
    include_bytes!("manifests/table_figures.yaml"),
    include_bytes!("manifests/web.yaml"),
    include_bytes!("manifests/texts.yaml"),
    include_bytes!("manifests/dates.yaml"),
    include_bytes!("manifests/numbers.yaml"),
];
/// Manifests of the tools for experiments; they come last.
const TRIAL: &[u8] = include_bytes!("manifests/trial.yaml");

/// The tools that are one blocking function.
const WORKS: &[(&str, ToolFunction)] = &[
    ("list_folder", list_folder::work),
    ("read_text_file", read_text_file::work),
    ("write_text_file", write_text_file::work),
    ("read_table", read_table::of_file),
    ("parse_table", read_table::of_text),
    ("write_table", write_table::work),
    ("filter_rows", filter_rows::work),
    ("select_columns", select_columns::work),
    ("sort_rows", sort_rows::work),
    ("group_rows", group_rows::work),
    ("join_tables", join_tables::work),
    ("describe_table", describe_table::work),
    ("compute_column", compute_column::work),
    ("json_parse", json_parse::work),
    ("json_query", json_query::work),
    ("json_merge", json_merge::work),
    ("json_validate", json_validate::work),
    ("render_text", render_text::work),
    ("find_in_text", find_in_text::work),
    ("replace_text", replace_text::work),
    ("split_text", split_text::work),
    ("text_statistics", text_statistics::work),
    ("parse_date", parse_date::work),
    ("date_add", date_add::work),
    ("date_difference", date_difference::work),
    ("do_arithmetic", arithmetic::work),
    ("compare_numbers", compare_numbers::work),
    ("number_statistics", statistics::work),
    ("convert_unit", convert_unit::work),
    ("check_csv_file", check_csv_file::work),
    ("add_datasource", datasources::add),
    ("data_upload", datasources::upload),
    ("get_data", datasources::get),
    ("forecast_load", forecast::work),
    ("write_report", write_report::work),
    ("fill_gaps", fill_gaps::work),
    ("load_summary", load_summary::work),
    ("load_profile", load_profile::work),
    ("find_peaks", find_peaks::work),
    ("detect_anomalies", detect_anomalies::work),
    ("compare_forecast", compare_forecast::work),
];

/// Returns the manifests of the tools that are available everywhere.
pub fn tools() -> Vec<Tool> {
    MANIFESTS.into_iter().chain([TRIAL]).flat_map(read).collect()
}

/// Parses a manifest embedded in the binary.
pub(crate) fn read(text: &[u8]) -> Vec<Tool> {
    // The manifests are part of the binary and parsed by a test, so errors cannot occur here.
    let document = document::read(text, DocumentFormat::Yaml).unwrap_or_default();
    manifest::read(&document).unwrap_or_default()
}

/// Returns the code behind `builtin: name`, with the access that `of` grants.
pub(crate) fn connect(name: &str, of: &Builtins) -> Option<Arc<dyn Callable>> {
    Some(match name {
        "API" => Arc::new(api::ApiTool::new(name, of)),
        "http_get" => Arc::new(http_get::HttpGet::new(name, of)),
        "echo" => Arc::new(trial::EchoTool),
        "noop" => Arc::new(trial::NoopTool),
        "sleep" => Arc::new(trial::SleepTool),
        _ => {
            let (_, work) = WORKS.iter().find(|(tool, _)| *tool == name)?;
            Arc::new(LocalTool::new(name, of, *work))
        }
    })
}

impl ConnectTools for Builtins {
    fn connect(&self, tool: &Tool) -> Result<Arc<dyn Callable>, String> {
        let Transport::Builtin(name) = &tool.transport else {
            return Err("not a built-in tool".to_owned());
        };
        connect(name, self).ok_or_else(|| format!("unknown built-in tool `{name}`"))
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
