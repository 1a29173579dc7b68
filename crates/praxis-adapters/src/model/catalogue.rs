//! The catalogue of models: `models.toml` of the user and of the project.
//!
//! - in: the texts of the files, the weakest first
//! - out: every model with its preset filled in, and the model of each role; or all problems at once
//! - never: accepts a key in plain text or a role without its model, or invents a price

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

/// The roles that a model can have. `default` stands in for the others.
pub const ROLES: [&str; 9] =
    ["default", "plan", "select", "reflect", "evaluate", "infer", "extract", "report", "learn"];
/// The name of the built-in planner. A role may name it; a model entry may not.
pub const OFFLINE: &str = "offline";

/// The models and their roles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// The models by name.
    pub models: BTreeMap<String, CatalogueEntry>,
    /// The name of the model for each role that has one.
    pub roles: BTreeMap<String, String>,
}

/// A model, with its preset filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    /// The preset that the entry is based on.
    pub preset: Option<String>,
    /// The name of the model at its endpoints.
    pub model: String,
    /// The endpoints of the model; at least one.
    pub endpoints: Vec<ModelEndpoint>,
    /// The context window in tokens, prompt and answer together, if known.
    pub context: Option<u64>,
    /// The maximum number of tokens in an answer, if known.
    pub max_output: Option<u64>,
    /// The limits of one call.
    pub bounds: CallBounds,
    /// The price of tokens.
    pub price: Option<Price>,
    /// The rate limits of its endpoints.
    pub limits: EndpointLimits,
    /// The tokenizer vocabulary of the model.
    pub vocabulary: Vocabulary,
    /// The capabilities of its endpoints that are known in advance.
    pub card: CapabilityCard,
    /// Extra fields of every request.
    pub extra: Map<String, Value>,
    /// The file and line of the entry.
    pub at: String,
}

/// One endpoint of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelEndpoint {
    /// The URL without `/chat/completions`, or `grpc://host:port` of a gateway.
    pub base_url: String,
    /// The name of the secret that holds its API key.
    pub key: Option<String>,
}

/// A `models.toml` file.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueFile<'a> {
    /// The path of the file.
    pub path: &'a str,
    /// The content of the file.
    pub text: &'a str,
}

impl Catalogue {
    /// Reads the files; a later file overrides an earlier one, model by model and role by role.
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

    /// Returns a problem for each role whose model does not exist.
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

    /// Creates the problem for an unknown model name.
    pub fn unknown(&self, model: &str, at: &str) -> Problem {
        let words = (format!("unknown model `{model}`"), format!("未知的模型 `{model}`"));
        let names = near(model, self.models.keys().map(String::as_str));
        Problem::new("unknown_model", at, words).or_near(&names)
    }

    /// Returns the model of a role: its own, or else that of `default`.
    pub fn role(&self, role: &str) -> Option<&str> {
        let named = self.roles.get(role).or_else(|| self.roles.get("default"));
        named.map(String::as_str)
    }
}

fn no_toml(file: &CatalogueFile<'_>, error: &toml::de::Error) -> Problem {
    let line = error.span().map_or(1, |span| line_at(file.text, span.start));
    let said = error.message();
    let words = (format!("invalid TOML: {said}"), format!("TOML 格式错误：{said}"));
    Problem::new("models_file", &format!("{} line {line}", file.path), words)
}

#[cfg(test)]
#[path = "catalogue_tests.rs"]
mod tests;
