//! Which tools there are: their manifests, and the code behind each.

use super::local::Local;
use super::{check_csv_file, datasources, forecast, trial, write_report};
use praxis_core::call::manifest;
use praxis_core::call::tool::Tool;
use praxis_core::intake::document::{self, Format};
use praxis_engine::seams::Call;
use std::path::Path;
use std::sync::Arc;

const MANIFESTS: &[u8] = include_bytes!("tools.yaml");

/// The manifests of all tools in the binary.
pub fn tools() -> Vec<Tool> {
    // The text is part of the binary, and a test reads it: it can be neither damaged nor refused.
    let document = document::read(MANIFESTS, Format::Yaml).unwrap_or_default();
    manifest::read(&document).unwrap_or_default()
}

/// The code behind `builtin: name`. Its files go to `home`, which is made when it is needed.
pub fn connect(name: &str, home: &Path) -> Option<Arc<dyn Call>> {
    let local = |work| Some(Arc::new(Local::new(name, home, work)) as Arc<dyn Call>);
    match name {
        "check_csv_file" => local(check_csv_file::work),
        "add_datasource" => local(datasources::add),
        "data_upload" => local(datasources::upload),
        "get_data" => local(datasources::get),
        "forecast_load" => local(forecast::work),
        "write_report" => local(write_report::work),
        "echo" => Some(Arc::new(trial::Echo)),
        "noop" => Some(Arc::new(trial::Noop)),
        "sleep" => Some(Arc::new(trial::Sleep)),
        _ => None,
    }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
