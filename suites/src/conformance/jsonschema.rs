//! Runs the official JSON Schema test suite against `Schema`.
//!
//! - in: `conformance/jsonschema/<draft>/*.json` and the documents in `remotes`
//! - out: per draft, the share of cases with the expected verdict
//! - never: runs the cases in `optional`, or fetches anything

use crate::cases::files;
use crate::report::{Count, FailedCase, SuiteReport};
use crate::run::SuiteArgs;
use anyhow::Context;
use praxis_core::schema::Schema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const SUITE: &str = "conformance";
/// The base URL of the remote documents in the test suite.
const ADDRESS: &str = "http://localhost:1234/";
/// The folder of each draft and its `$schema`.
const DRAFTS: [(&str, &str); 2] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
];

/// A schema and its test cases.
#[derive(Deserialize)]
struct SchemaGroup {
    description: String,
    schema: Value,
    tests: Vec<SchemaCase>,
}

/// A value and its expected verdict.
#[derive(Deserialize)]
struct SchemaCase {
    description: String,
    data: Value,
    valid: bool,
}

/// Runs every chosen draft.
pub(crate) fn run(wanted: &SuiteArgs) -> anyhow::Result<SuiteReport> {
    let folder = wanted.data.join("conformance/jsonschema");
    let mut report = SuiteReport::default();
    for (draft, dialect) in DRAFTS.iter().filter(|(draft, _)| wanted.chose(draft)) {
        let remotes = remotes(&folder.join("remotes"), draft, dialect)?;
        let mut count = Count::default();
        for file in files(&folder.join(draft), "", ".json")? {
            let groups: Vec<SchemaGroup> = serde_json::from_slice(&std::fs::read(&file)?)?;
            let name = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            for group in groups {
                let at = format!("{name}: {}", group.description);
                let failed = judge(group, dialect, &remotes, &mut count);
                report.failures.extend(failed.into_iter().map(|(case, detail)| FailedCase {
                    suite: SUITE,
                    set: (*draft).to_owned(),
                    case: format!("{at}: {case}"),
                    metric: METRIC.to_owned(),
                    detail,
                }));
            }
        }
        report.rate(SUITE, draft, METRIC, count);
    }
    Ok(report)
}

const METRIC: &str = "required_cases_with_the_verdict_of_the_suite";

/// Returns the cases of a group with another verdict, each with the reason.
fn judge(
    group: SchemaGroup,
    dialect: &str,
    remotes: &BTreeMap<String, Value>,
    count: &mut Count,
) -> Vec<(String, String)> {
    let schema = Schema::compile_with(&in_dialect(group.schema, dialect), remotes);
    let mut failed = Vec::new();
    for case in group.tests {
        let detail = match &schema {
            Err(why) => Some(why.clone()),
            Ok(schema) if schema.fits(&case.data) == case.valid => None,
            Ok(_) => Some(format!("the value should be valid: {}", case.valid)),
        };
        count.add(detail.is_none());
        failed.extend(detail.map(|detail| (case.description, detail)));
    }
    failed
}

/// Sets `$schema` to the draft of the folder if the schema has none.
fn in_dialect(mut schema: Value, dialect: &str) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.entry("$schema").or_insert_with(|| dialect.into());
    }
    schema
}

/// Reads the documents that schemas refer to: those of the draft, and those of no draft.
fn remotes(folder: &Path, draft: &str, dialect: &str) -> anyhow::Result<BTreeMap<String, Value>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(&inner).with_context(|| format!("{}", inner.display()))? {
            let path = entry?.path();
            let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
            let another = (name.starts_with("draft") || name == "v1") && !name.starts_with(draft);
            if path.is_dir() && !another {
                folders.push(path);
            } else if path.is_file() {
                let document = serde_json::from_slice(&std::fs::read(&path)?)?;
                found.insert(format!("{ADDRESS}{name}"), in_dialect(document, dialect));
            }
        }
    }
    Ok(found)
}
