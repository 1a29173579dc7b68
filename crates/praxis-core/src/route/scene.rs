//! Scenes: what a request is about, and what the stages should mind there.

use crate::call::approval::ByRisk;
use crate::document::{self, DocumentFormat};
use crate::lang::Lang;
use crate::near::near;
use crate::problem::{Bilingual, Problem};
use crate::text::phrase::{folded, says_something, stands_in};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use super::scene_file::read;

/// The scene of whatever belongs to no other.
pub const GENERAL: &str = "General";

/// A kind of request, how it is recognised, and its guidance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// Its name for programs.
    pub id: String,
    /// Its name for people.
    pub name: Bilingual,
    /// What else it is called; an intent that is one of these names it.
    pub aliases: Vec<String>,
    /// Phrases that tell it in an intent, or in a goal without one.
    pub keywords: Vec<String>,
    /// What a stage should mind.
    pub guidance: BTreeMap<Topic, Bilingual>,
    /// Which calls may be made there.
    #[serde(default, skip_serializing_if = "ByRisk::is_silent")]
    pub approval: ByRisk,
}

/// What guidance is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Choosing tools.
    Selection,
    /// Making or continuing a plan.
    Planning,
    /// Judging results.
    Evaluation,
    /// Finding causes.
    Reflection,
    /// Planning the rest anew.
    Replanning,
    /// Talking to the user.
    Message,
    /// Planning one step anew.
    SingleStepRepair,
}

impl Topic {
    /// All of them, by the names that files use.
    pub const ALL: [(&'static str, Self); 7] = [
        ("selection", Self::Selection),
        ("planning", Self::Planning),
        ("evaluation", Self::Evaluation),
        ("reflection", Self::Reflection),
        ("replanning", Self::Replanning),
        ("message", Self::Message),
        ("single_step_repair", Self::SingleStepRepair),
    ];

    /// The guidance that a stage is given.
    pub fn of_stage(stage: &str) -> Option<Self> {
        match stage {
            "selection" => Some(Self::Selection),
            "planning" | "continue_planning" => Some(Self::Planning),
            "evaluation" => Some(Self::Evaluation),
            "reflection_step" | "reflection_overall" => Some(Self::Reflection),
            "replanning" => Some(Self::Replanning),
            "single_step_repair" => Some(Self::SingleStepRepair),
            "ai_reporter" | "message_formatter" => Some(Self::Message),
            _ => None,
        }
    }
}

/// How a scene was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SceneMatch {
    /// The intent is one of its names.
    Alias,
    /// A name or keyword of it stands in the intent, or a keyword in a goal without intent.
    Keyword,
    /// Nothing told another.
    Default,
}

impl Scene {
    /// What to mind; none if there is nothing.
    pub fn guidance(&self, topic: Topic, lang: Lang) -> Option<&str> {
        self.guidance.get(&topic).map(|words| words.tell(lang)).filter(|words| !words.is_empty())
    }

    fn names(&self) -> impl Iterator<Item = String> {
        std::iter::once(&self.id).chain(&self.aliases).map(|name| folded(name.trim()))
    }

    fn phrases(&self) -> impl Iterator<Item = String> {
        self.keywords.iter().map(|keyword| folded(keyword))
    }
}

/// The scene of a request, and how it was found. The order of the scenes decides between equals. An
/// intent that names no scene is nobody's: the rest of the goal is not asked.
pub fn matching<'a>(
    scenes: &'a [Scene],
    intent: Option<&str>,
    goal: &str,
) -> (&'a str, SceneMatch) {
    let intent = intent.map(|intent| folded(intent.trim())).filter(|intent| !intent.is_empty());
    let found = match &intent {
        Some(intent) => by_alias(scenes, intent).or_else(|| by_intent(scenes, intent)),
        None => by_goal(scenes, &folded(goal)),
    };
    found.map_or((GENERAL, SceneMatch::Default), |(scene, how)| (scene.id.as_str(), how))
}

/// The scene of this id or other name, in any case; or that there is none, with near names.
pub fn by_name<'a>(scenes: &'a [Scene], wanted: &str) -> Result<&'a Scene, Problem> {
    let is_it = |name: &str| name.to_lowercase() == wanted.to_lowercase();
    let is_named =
        |scene: &&Scene| is_it(&scene.id) || scene.aliases.iter().any(|name| is_it(name));
    scenes.iter().find(is_named).ok_or_else(|| {
        let names =
            scenes.iter().flat_map(|scene| std::iter::once(&scene.id).chain(&scene.aliases));
        let near = near(wanted, names.map(String::as_str));
        let words = (format!("there is no scene `{wanted}`"), format!("没有场景 `{wanted}`"));
        Problem::new("unknown_scene", "", words).or_near(&near)
    })
}

fn by_alias<'a>(scenes: &'a [Scene], intent: &str) -> Option<(&'a Scene, SceneMatch)> {
    let scene = scenes.iter().find(|scene| scene.names().any(|name| name == intent))?;
    Some((scene, SceneMatch::Alias))
}

/// A name in the intent; else the intent in the names of one scene alone. What is too short to mean
/// something, or part of the names of several, tells nothing.
fn by_intent<'a>(scenes: &'a [Scene], intent: &str) -> Option<(&'a Scene, SceneMatch)> {
    let tells = |scene: &&Scene| {
        scene.names().chain(scene.phrases()).any(|phrase| stands_in(&phrase, intent))
    };
    if let Some(scene) = scenes.iter().find(tells) {
        return Some((scene, SceneMatch::Keyword));
    }
    let is_part = |scene: &&Scene| {
        scene.names().chain(scene.phrases()).any(|phrase| stands_in(intent, &phrase))
    };
    let mut parts = scenes.iter().filter(is_part).filter(|_| says_something(intent));
    match (parts.next(), parts.next()) {
        (Some(scene), None) => Some((scene, SceneMatch::Keyword)),
        (None | Some(_), _) => None,
    }
}

fn by_goal<'a>(scenes: &'a [Scene], goal: &str) -> Option<(&'a Scene, SceneMatch)> {
    let tells = |scene: &&Scene| scene.phrases().any(|phrase| stands_in(&phrase, goal));
    scenes.iter().find(tells).map(|scene| (scene, SceneMatch::Keyword))
}

/// The scenes in the binary, in the order in which they are asked.
pub fn embedded() -> Vec<Scene> {
    const FILES: [&str; 5] = [
        include_str!("../../../../scenes/natural_language_modeling.toml"),
        include_str!("../../../../scenes/tool_management.toml"),
        include_str!("../../../../scenes/plc_controller.toml"),
        include_str!("../../../../scenes/client_management.toml"),
        include_str!("../../../../scenes/general.toml"),
    ];
    // The texts are part of the binary, and a test reads them.
    let read =
        |text: &str| self::read(&document::read(text.as_bytes(), DocumentFormat::Toml).ok()?).ok();
    FILES.into_iter().filter_map(read).collect()
}

#[cfg(test)]
#[path = "scene_tests.rs"]
mod tests;
