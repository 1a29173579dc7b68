//! Reads the file of a scene.

use super::fields::{LibraryFileKind, ObjectFields};
use super::scene::{Scene, Topic};
use crate::call::approval::{ByRisk, CallPolicy};
use crate::ids::check_name;
use crate::problem::reason::ProblemReason;
use crate::problem::{Bilingual, Problem};
use serde_json::Value;
use std::collections::BTreeMap;

const KEYS: &[&str] = &["id", "name", "aliases", "keywords", "guidance", "approval"];

/// Reads a scene, or returns all problems of the document.
pub fn read(document: &Value) -> Result<Scene, Vec<Problem>> {
    let mut fields = ObjectFields::of(LibraryFileKind::Scene, document, "", KEYS)
        .map_err(|problem| vec![problem])?;
    let id = fields.text("id");
    if let Some(why) = check_name(&id).err().filter(|_| !id.is_empty()) {
        let reason = ProblemReason::BadId { key: "id".to_owned(), why };
        fields.problems.push(Problem::of(&reason, ""));
    }
    let name = match fields.value("name") {
        Some(_) => fields.required_words("name"),
        None => Bilingual { en: id.clone(), zh: id.clone() },
    };
    let (aliases, keywords) = (fields.texts("aliases"), fields.texts("keywords"));
    let guidance = guidance(&mut fields);
    let approval = approval(&mut fields);
    let problems = fields.problems;
    if problems.is_empty() {
        Ok(Scene { id, name, aliases, keywords, guidance, approval })
    } else {
        Err(problems)
    }
}

fn guidance(fields: &mut ObjectFields<'_>) -> BTreeMap<Topic, Bilingual> {
    let Some(value) = fields.value("guidance") else { return BTreeMap::new() };
    let known: Vec<&str> = Topic::ALL.iter().map(|(name, _)| *name).collect();
    let mut guidance = BTreeMap::new();
    match ObjectFields::of(LibraryFileKind::Scene, value, "guidance", &known) {
        Err(problem) => fields.problems.push(problem),
        Ok(mut inner) => {
            for (name, topic) in Topic::ALL {
                guidance.extend(inner.words(name).map(|words| (topic, words)));
            }
            fields.problems.append(&mut inner.problems);
        }
    }
    guidance
}

/// Reads the call policy: one word for all calls that change something, or one for each risk.
fn approval(fields: &mut ObjectFields<'_>) -> ByRisk {
    let Some(written) = fields.value("approval") else { return ByRisk::default() };
    let read = match written.as_str() {
        Some(word) => CallPolicy::of_word(word).map(ByRisk::changes),
        None => serde_json::from_value(written.clone()).ok(),
    };
    read.unwrap_or_else(|| {
        let words = (
            format!("must be `allow`, `ask` or `deny`, or a table with one of these per risk (`read`, `write`, `irreversible`), got `{written}`"),
            format!("必须是 `allow`、`ask` 或 `deny`，或按风险（`read`、`write`、`irreversible`）分别指定其一的表，实际为 `{written}`"),
        );
        fields.blame("approval", words);
        ByRisk::default()
    })
}
