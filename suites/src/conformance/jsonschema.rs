//! The test suite of JSON Schema, run through the schemas of tools.
//!
//! - in: `conformance/jsonschema/<draft>/*.json` and the documents in `remotes`
//! - out: for each draft, how many cases have the verdict that the suite gives
//! - never: looks at the cases in `optional`, or fetches anything

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
/// Where the suite says that its other documents live.
const ADDRESS: &str = "http://localhost:1234/";
/// The drafts by the names of their folders, and what `$schema` says for each.
const DRAFTS: [(&str, &str); 2] = [
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
];

/// A schema with values.
#[derive(Deserialize)]
struct SchemaGroup {
    description: String,
    schema: Value,
    tests: Vec<SchemaCase>,
}

/// A value and whether it fits.
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

/// The cases of a group that end in another verdict, and how.
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

/// A schema that does not say of which draft it is, is of the draft of its folder.
fn in_dialect(mut schema: Value, dialect: &str) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.entry("$schema").or_insert_with(|| dialect.into());
    }
    schema
}

/// The documents that schemas refer to: those of the draft, and those that belong to none.
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
