//! Presets of common providers, as data inside the binary.

use super::card::{CapabilityCard, JsonMode};
use super::vocabulary::Vocabulary;
use praxis_core::ask::fault::Parameter;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

const PRESETS: &str = include_str!("presets.toml");

/// Preset of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// Base URL of the provider.
    pub base_url: String,
    /// Usual name of the secret with its key; `None` if it needs no key.
    pub key: Option<String>,
    /// Name to send as the model, if the provider ignores it.
    pub model: Option<String>,
    /// Context window in tokens, input and output together.
    pub context: Option<u64>,
    /// Tokenizer vocabulary.
    #[serde(default)]
    pub vocabulary: Vocabulary,
    #[serde(default)]
    rung: JsonMode,
    #[serde(default)]
    refused: BTreeSet<Parameter>,
    /// Advice to read before the first request.
    pub note: String,
    /// The same advice in Chinese.
    pub note_zh: String,
}

impl Preset {
    /// Returns the capabilities known before the first request.
    pub fn card(&self) -> CapabilityCard {
        CapabilityCard {
            rung: self.rung,
            refused: self.refused.clone(),
            ..CapabilityCard::default()
        }
    }
}

/// Returns all presets by name.
pub fn presets() -> &'static BTreeMap<String, Preset> {
    static READ: OnceLock<BTreeMap<String, Preset>> = OnceLock::new();
    // A test parses the file, so that the fallback is never used.
    READ.get_or_init(|| toml::from_str(PRESETS).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_can_be_read_and_each_can_be_used_as_it_stands() {
        let read: BTreeMap<String, Preset> = toml::from_str(PRESETS).unwrap();
        assert_eq!(read.len(), 10);
        for (name, preset) in &read {
            let local = preset.base_url.starts_with("http://127.0.0.1:");
            assert!(local || preset.base_url.starts_with("https://"), "{name}");
            assert_eq!(local, preset.key.is_none(), "{name}");
            assert!(!preset.base_url.ends_with('/') && !PRESETS.contains("price ="), "{name}");
            assert!(!preset.note.is_empty() && !preset.note_zh.is_empty(), "{name}");
        }
        assert_eq!(read["deepseek"].card().rung, JsonMode::Object);
    }
}
