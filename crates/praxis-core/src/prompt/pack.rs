//! All texts of one language, as a task pins them.

use super::check::check;
use super::holes;
use super::parts::{PARTS, part};
use crate::hash::content_hash;
use crate::lang::Lang;
use crate::near::near;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The texts of one language, by part. Written as JSON it is always the same for the same texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pack {
    lang: Lang,
    texts: BTreeMap<String, String>,
}

impl Pack {
    /// The texts in the binary.
    pub fn embedded(lang: Lang) -> Self {
        let text = |part: &super::PromptPart| (part.name.to_owned(), part.text(lang).to_owned());
        Self { lang, texts: PARTS.iter().map(text).collect() }
    }

    /// With other texts for some parts; or everything that is wrong with those.
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

    /// The language.
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// A part as it is written. A pack that was pinned before the part came to be has the text in
    /// the binary.
    pub fn text(&self, name: &str) -> &str {
        let own = self.texts.get(name).map(String::as_str);
        own.or_else(|| Some(part(name)?.text(self.lang))).unwrap_or_default()
    }

    /// A part with its holes filled, in one pass: what is filled in opens no hole.
    pub fn render(&self, name: &str, fillings: &[(&str, &str)]) -> String {
        holes::fill(self.text(name), fillings)
    }

    /// The guidance of a scene as a stage shows it: wrapped, or the sentence that there is none.
    pub fn guidance(&self, guidance: Option<&str>) -> String {
        match guidance.map(str::trim).filter(|words| !words.is_empty()) {
            Some(words) => self.render("scene_guidance", &[("guidance", words)]),
            None => self.render("scene_guidance.none", &[]),
        }
    }

    /// What stands in a hole for which there is nothing.
    pub fn or_none<'a>(&'a self, words: &'a str) -> &'a str {
        if words.trim().is_empty() { self.text("none") } else { words }
    }

    /// The name of its content, as of a blob that holds its JSON.
    pub fn hash(&self) -> String {
        content_hash(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }
}

/// A part that there is none of.
pub fn unknown(name: &str) -> Problem {
    let words = (format!("there is no part `{name}`"), format!("没有名为 `{name}` 的部分"));
    let near = near(name, PARTS.iter().map(|part| part.name));
    Problem::new("prompt_unknown_part", name, words).or_near(&near)
}
