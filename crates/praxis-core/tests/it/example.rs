//! The workflows of the example `load-forecast`.

use praxis_core::document::{self, DocumentFormat};
use praxis_core::route::workflow::{self, Workflow};

/// All of them, by id.
pub(crate) fn workflows() -> Vec<Workflow> {
    const FILES: [&str; 4] = [
        include_str!("../../../../examples/load_forecast/.praxis/workflows/csv_check.toml"),
        include_str!("../../../../examples/load_forecast/.praxis/workflows/datasource_import.toml"),
        include_str!("../../../../examples/load_forecast/.praxis/workflows/datasource_report.toml"),
        include_str!("../../../../examples/load_forecast/.praxis/workflows/load_forecast.toml"),
    ];
    let document = |text: &str| document::read(text.as_bytes(), DocumentFormat::Toml).unwrap();
    FILES.into_iter().flat_map(|text| workflow::read(&document(text)).unwrap()).collect()
}
