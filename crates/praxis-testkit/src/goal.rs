//! A `GoalRequest` for tests.

use praxis_core::ask::purpose::ModelRole;
use praxis_core::budget::limit::Budget;
use praxis_core::call::tool::Toolbox;
use praxis_core::goal::spec::{GoalContext, GoalOptions, PinnedModel};
use praxis_core::ids::Tenant;
use praxis_core::journal::options::RunOptions;
use praxis_core::lang::Lang;
use praxis_core::prompt::Pack;
use praxis_core::route::scene;
use praxis_engine::pursue::GoalRequest;
use serde_json::Map;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns a request with the embedded prompts and scenes, and one model for every role.
pub fn goal(words: &str, toolbox: Arc<Toolbox>, options: RunOptions) -> GoalRequest {
    let lang = options.lang;
    GoalRequest {
        goal: words.to_owned(),
        toolbox,
        metadata: Map::new(),
        options,
        manner: GoalOptions::default(),
        budget: Budget::default(),
        advisers: advisers(),
        pack: Pack::embedded(lang),
        scenes: scene::embedded(),
        scene: None,
        workflows: vec![],
        synonyms: String::new(),
        workflow: None,
        material: GoalContext::default(),
        output_schema: None,
        continues: None,
        tags: BTreeMap::new(),
        idempotency_key: None,
        tenant: Tenant::default(),
    }
}

/// Returns the same `PinnedModel` for every `ModelRole`.
pub fn advisers() -> BTreeMap<ModelRole, PinnedModel> {
    let pinned_model = PinnedModel {
        model: "scripted".to_owned(),
        context: 32_000,
        max_output: 2000,
        price: None,
    };
    ModelRole::ALL.into_iter().map(|duty| (duty, pinned_model.clone())).collect()
}

/// Returns `Lang::Zh` if the text contains a Chinese character, else `Lang::En`.
pub fn lang_of(words: &str) -> Lang {
    if words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) { Lang::Zh } else { Lang::En }
}
