//! Scenes: kinds of requests, with guidance for the stages.

use crate::call::approval::ByRisk;
use crate::document::{self, DocumentFormat};
use crate::lang::Lang;
use crate::near::near;
use crate::problem::{Bilingual, Problem};
use crate::text::phrase::{folded, says_something, stands_in};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use super::scene_file::read;

/// The scene of requests that match no other.
pub const GENERAL: &str = "General";

/// A kind of request, the words that identify it, and its guidance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// The name for programs.
    pub id: String,
    /// The name for people.
    pub name: Bilingual,
    /// Other names; an intent equal to one of these selects the scene.
    pub aliases: Vec<String>,
    /// Phrases that identify the scene in an intent, or in a goal without one.
    pub keywords: Vec<String>,
    /// Guidance for the stages, by topic.
    pub guidance: BTreeMap<Topic, Bilingual>,
    /// The call policy by risk.
    #[serde(default, skip_serializing_if = "ByRisk::is_silent")]
    pub approval: ByRisk,
}

/// The topic of a guidance text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Selecting tools.
    Selection,
    /// Making or continuing a plan.
    Planning,
    /// Judging results.
    Evaluation,
    /// Finding the causes of failures.
    Reflection,
    /// Replanning the remaining steps.
    Replanning,
    /// Writing messages to the user.
    Message,
    /// Repairing a single step.
    SingleStepRepair,
}

impl Topic {
    /// All topics, with their names in files.
    pub const ALL: [(&'static str, Self); 7] = [
        ("selection", Self::Selection),
        ("planning", Self::Planning),
        ("evaluation", Self::Evaluation),
        ("reflection", Self::Reflection),
        ("replanning", Self::Replanning),
        ("message", Self::Message),
        ("single_step_repair", Self::SingleStepRepair),
    ];

    /// Returns the topic of the guidance for a stage.
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

/// The way in which a scene was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SceneMatch {
    /// The intent is one of its names.
    Alias,
    /// A name or keyword occurs in the intent, or a keyword in a goal without intent.
    Keyword,
    /// No scene matched.
    Default,
}

impl Scene {
    /// Returns the guidance for a topic, or `None` if there is none.
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

/// Returns the scene of a request, and the way in which it was found. The first match in the order of the scenes
/// wins. If an intent is stated but matches no scene, the goal is not searched.
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

/// Finds a scene by id or alias, ignoring case, or returns a problem with similar names.
pub fn by_name<'a>(scenes: &'a [Scene], wanted: &str) -> Result<&'a Scene, Problem> {
    let is_it = |name: &str| name.to_lowercase() == wanted.to_lowercase();
    let is_named =
        |scene: &&Scene| is_it(&scene.id) || scene.aliases.iter().any(|name| is_it(name));
    scenes.iter().find(is_named).ok_or_else(|| {
        let names =
            scenes.iter().flat_map(|scene| std::iter::once(&scene.id).chain(&scene.aliases));
        let near = near(wanted, names.map(String::as_str));
        let words = (format!("unknown scene `{wanted}`"), format!("未知场景 `{wanted}`"));
        Problem::new("unknown_scene", "", words).or_near(&near)
    })
}

fn by_alias<'a>(scenes: &'a [Scene], intent: &str) -> Option<(&'a Scene, SceneMatch)> {
    let scene = scenes.iter().find(|scene| scene.names().any(|name| name == intent))?;
    Some((scene, SceneMatch::Alias))
}

/// Finds a scene by a name or keyword in the intent, else by the intent within the names or keywords of a single
/// scene. An intent that is too short, or that fits several scenes, matches none.
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

/// Returns the scenes in the binary, in matching order.
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
