//! All prompt texts of one language, as a task pins them.

use super::check::check;
use super::holes;
use super::parts::{PARTS, part};
use crate::hash::content_hash;
use crate::lang::Lang;
use crate::near::near;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The prompt texts of one language, by part. Equal packs serialize to equal JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pack {
    lang: Lang,
    texts: BTreeMap<String, String>,
}

impl Pack {
    /// Returns the pack of the texts in the binary.
    pub fn embedded(lang: Lang) -> Self {
        let text = |part: &super::PromptPart| (part.name.to_owned(), part.text(lang).to_owned());
        Self { lang, texts: PARTS.iter().map(text).collect() }
    }

    /// Replaces the texts of some parts, or returns all problems of the overrides.
    pub fn with(mut self, overrides: BTreeMap<String, String>) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        for (name, text) in overrides {
            match part(&name) {
                None => problems.push(unknown(&name)),
                Some(part) => problems.extend(check(part, &text)),
            }
            self.texts.insert(name, text.trim_end().to_owned());
        }
        if problems.is_empty() { Ok(self) } else { Err(problems) }
    }

    /// Returns the language of the pack.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// Returns the text of a part with its holes. A pack that was pinned before the part existed falls back to the
    /// text in the binary.
    pub fn text(&self, name: &str) -> &str {
        let own = self.texts.get(name).map(String::as_str);
        own.or_else(|| Some(part(name)?.text(self.lang))).unwrap_or_default()
    }

    /// Renders a part with its holes filled, in a single pass: inserted text is never scanned for holes.
    pub fn render(&self, name: &str, fillings: &[(&str, &str)]) -> String {
        holes::fill(self.text(name), fillings)
    }

    /// Renders the guidance of a scene for a stage, or the sentence that there is none.
    pub fn guidance(&self, guidance: Option<&str>) -> String {
        match guidance.map(str::trim).filter(|words| !words.is_empty()) {
            Some(words) => self.render("scene_guidance", &[("guidance", words)]),
            None => self.render("scene_guidance.none", &[]),
        }
    }

    /// Returns `words`, or the text of the part `none` if they are blank.
    pub fn or_none<'a>(&'a self, words: &'a str) -> &'a str {
        if words.trim().is_empty() { self.text("none") } else { words }
    }

    /// Returns the content hash, equal to the id of a blob that holds the JSON of the pack.
    pub fn hash(&self) -> String {
        content_hash(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }
}

/// Returns the problem for an unknown part name.
pub fn unknown(name: &str) -> Problem {
    let words =
        (format!("unknown prompt part `{name}`"), format!("没有名为 `{name}` 的提示词片段"));
    let near = near(name, PARTS.iter().map(|part| part.name));
    Problem::new("prompt_unknown_part", name, words).or_near(&near)
}
