//! Which models there are: `models.toml` of the user and of the project.
//!
//! - in: the texts of the files, the weakest first
//! - out: every model with its preset filled in, and who does what; or every problem at once
//! - never: a key in plain text, a price that nobody set, or a role without its model

use super::card::CapabilityCard;
use super::endpoint::CallBounds;
use super::entry;
use super::fields::{KeyLines, TableFields, line_at};
use super::limits::EndpointLimits;
use super::vocabulary::Vocabulary;
use praxis_core::ask::price::Price;
use praxis_core::near::near;
use praxis_core::problem::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use toml::Table;

/// What a model can be wanted for. `default` stands in for the others.
pub const ROLES: [&str; 9] =
    ["default", "plan", "select", "reflect", "evaluate", "infer", "extract", "report", "learn"];
/// The planner inside the binary. A role may name it, no entry can.
pub const OFFLINE: &str = "offline";

/// The models and what they are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// By name.
    pub models: BTreeMap<String, CatalogueEntry>,
    /// The name of the model for each role that has one.
    pub roles: BTreeMap<String, String>,
}

/// A model, with its preset filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    /// The preset that it is built on.
    pub preset: Option<String>,
    /// As its endpoints call it.
    pub model: String,
    /// Where it is; at least one place.
    pub endpoints: Vec<ModelEndpoint>,
    /// How many tokens it reads and writes together, if that is known.
    pub context: Option<u64>,
    /// How many tokens it writes at most, if that is known.
    pub max_output: Option<u64>,
    /// Bounds on one question.
    pub bounds: CallBounds,
    /// What it costs.
    pub price: Option<Price>,
    /// How much its endpoints may be asked.
    pub limits: EndpointLimits,
    /// Which tokens it reads.
    pub vocabulary: Vocabulary,
    /// What is known of its endpoints before they are asked.
    pub card: CapabilityCard,
    /// What is sent with every request beside what Praxis sends.
    pub extra: Map<String, Value>,
    /// Where it was written.
    pub at: String,
}

/// One place where a model is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelEndpoint {
    /// Up to and without `/chat/completions`; or `grpc://host:port` of a gateway.
    pub base_url: String,
    /// The name of the secret that is its key.
    pub key: Option<String>,
}

/// The text of a `models.toml`.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// What is in it.
    pub text: &'a str,
}

impl Catalogue {
    /// Reads the files; a later one replaces what an earlier one says, model by model and role by role.
    pub fn read(files: &[CatalogueFile<'_>]) -> Result<Self, Vec<Problem>> {
        let (mut problems, mut catalogue) = (Vec::new(), Self::default());
        let mut places = BTreeMap::new();
        for file in files {
            match file.text.parse::<Table>() {
                Ok(table) => {
                    let lines = KeyLines::of(file.path, file.text);
                    let fields = TableFields::new(table, "", &lines, &mut problems);
                    catalogue.add(fields, &mut places);
                }
                Err(error) => problems.push(no_toml(file, &error)),
            }
        }
        if problems.is_empty() {
            problems.extend(catalogue.without_model(&places));
        }
        if problems.is_empty() { Ok(catalogue) } else { Err(problems) }
    }

    fn add(&mut self, mut file: TableFields<'_>, places: &mut BTreeMap<String, String>) {
        for (name, table) in file.tables("models") {
            if let Some(entry) = entry::read(&name, table, &mut file) {
                self.models.insert(name, entry);
            }
        }
        if let Some(mut roles) = file.table("roles") {
            for role in ROLES {
                if let Some(model) = roles.text(role) {
                    places.insert(role.to_owned(), roles.place(role));
                    self.roles.insert(role.to_owned(), model);
                }
            }
            roles.end();
        }
        file.end();
    }

    /// The roles whose model is not there.
    fn without_model(&self, places: &BTreeMap<String, String>) -> Vec<Problem> {
        let missing =
            |model: &String| *model != OFFLINE && !self.models.contains_key(model.as_str());
        let missing = self.roles.iter().filter(|(_, model)| missing(model));
        let problem = |(role, model): (&String, &String)| {
            let at = places.get(role).map_or("", String::as_str);
            self.unknown(model, at)
        };
        missing.map(problem).collect()
    }

    /// Refuses the name of a model that is not there.
    pub fn unknown(&self, model: &str, at: &str) -> Problem {
        let words = (format!("there is no model `{model}`"), format!("没有模型 `{model}`"));
        let names = near(model, self.models.keys().map(String::as_str));
        Problem::new("unknown_model", at, words).or_near(&names)
    }

    /// The name of the model for a role: its own, else the one by default.
    pub fn role(&self, role: &str) -> Option<&str> {
        let named = self.roles.get(role).or_else(|| self.roles.get("default"));
        named.map(String::as_str)
    }
}

fn no_toml(file: &CatalogueFile<'_>, error: &toml::de::Error) -> Problem {
    let line = error.span().map_or(1, |span| line_at(file.text, span.start));
    let said = error.message();
    let words = (format!("the file is not TOML: {said}"), format!("文件不是 TOML：{said}"));
    Problem::new("models_file", &format!("{} line {line}", file.path), words)
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
