//! The cards: files of what was learnt about endpoints, one per model and endpoint.
//!
//! - in: lessons and counts as they come
//! - out: the same after a restart
//! - never: leaves a half-written file; a card that cannot be read is dropped and learnt again

use super::card::CapabilityCard;
use super::pool::LONGEST_WAIT_MS;
use super::probe::ProbeResult;
use praxis_core::ask::fault::ModelFault;
use praxis_core::ask::reply::{ModelReply, TokenUsage};
use praxis_core::ask::tokens::Calibration;
use praxis_core::hash::content_hash;
use praxis_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Everything known about one model at one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndpointKnowledge {
    /// The base URL of the endpoint.
    pub base_url: String,
    /// The name of the model at the endpoint.
    pub model: String,
    /// The capabilities of the endpoint.
    pub card: CapabilityCard,
    /// The ratio of its token counts to our estimates.
    pub calibration: Calibration,
    /// The counts of requests and tokens so far.
    pub counts: CallCounts,
    /// The result of the last probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<ProbeResult>,
    /// The number of consecutive answers that did not match what their JSON mode guarantees.
    pub broken_promises: u32,
    /// The outcome of the last request, by any process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastRequest>,
}

/// The outcome of the last request to an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastRequest {
    /// The time of the outcome.
    pub at: Timestamp,
    /// The code of the fault; `None` if the request was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The number of consecutive failed requests, including this one.
    pub failures: u64,
    /// The time until which the endpoint asked not to be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests_until: Option<Timestamp>,
}

impl EndpointKnowledge {
    /// Creates an entry with no knowledge yet.
    pub fn of(base_url: &str, model: &str) -> Self {
        let (base_url, model) = (base_url.trim_end_matches('/').to_owned(), model.to_owned());
        Self { base_url, model, ..Self::default() }
    }

    /// Records a request and its outcome.
    pub fn note(&mut self, outcome: Result<&ModelReply, &ModelFault>, now: Timestamp) {
        self.counts.note(outcome);
        self.heard(outcome.err(), now);
    }

    /// Records that the endpoint answered, or the fault if it did not.
    pub fn heard(&mut self, fault: Option<&ModelFault>, now: Timestamp) {
        let before = self.last.as_ref().map_or(0, |last| last.failures);
        let wait = fault.and_then(ModelFault::wait).map(|wait| wait.ms(now).min(LONGEST_WAIT_MS));
        self.last = Some(LastRequest {
            at: now,
            fault: fault.map(|fault| fault.code().to_owned()),
            failures: fault.map_or(0, |_| before.saturating_add(1)),
            rests_until: wait.map(|ms| now.plus_ms(ms)),
        });
    }
}

/// The counters of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallCounts {
    /// Requests sent.
    pub requests: u64,
    /// Requests answered.
    pub answered: u64,
    /// Answers that had to be repaired.
    pub repaired: u64,
    /// Requests that taught something about the endpoint.
    pub lessons: u64,
    /// Faults by code.
    pub faults: BTreeMap<String, u64>,
    /// Prompts whose beginning the endpoint seems to have cut off.
    pub heads_lost: u64,
    /// Prompt tokens of answered requests.
    pub prompt: u64,
    /// Completion tokens of answered requests.
    pub completion: u64,
    /// Prompt tokens that the endpoint served from its cache.
    pub cached: u64,
}

impl CallCounts {
    /// Counts a request and its outcome.
    pub fn note(&mut self, outcome: Result<&ModelReply, &ModelFault>) {
        self.requests += 1;
        match outcome {
            Ok(reply) => {
                self.answered += 1;
                self.repaired += u64::from(!reply.repairs.is_empty());
                self.spend(&reply.usage);
            }
            Err(fault) => *self.faults.entry(fault.code().to_owned()).or_default() += 1,
        }
    }

    fn spend(&mut self, usage: &TokenUsage) {
        self.prompt = self.prompt.saturating_add(usage.prompt);
        self.completion = self.completion.saturating_add(usage.completion);
        self.cached = self.cached.saturating_add(usage.cached);
    }

    /// Adds two counters.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        self.requests += other.requests;
        self.answered += other.answered;
        self.repaired += other.repaired;
        self.lessons += other.lessons;
        self.heads_lost += other.heads_lost;
        for (code, count) in &other.faults {
            *self.faults.entry(code.clone()).or_default() += count;
        }
        let usage = TokenUsage {
            prompt: other.prompt,
            completion: other.completion,
            cached: other.cached,
            estimated: false,
        };
        self.spend(&usage);
        self
    }
}

/// The knowledge of an endpoint and the file that keeps it.
pub struct CardMemory {
    known: Mutex<EndpointKnowledge>,
    file: Option<PathBuf>,
}

impl CardMemory {
    /// Keeps the knowledge in memory only.
    pub fn nowhere(known: EndpointKnowledge) -> Self {
        Self { known: Mutex::new(known), file: None }
    }

    /// Loads the card of the same model and endpoint from a folder; falls back to `known` if there is none or it is
    /// unreadable.
    pub fn open(folder: &Path, known: EndpointKnowledge) -> Self {
        let file = folder.join(file_name(&known));
        let kept = fs::read(&file)
            .ok()
            .and_then(|text| serde_json::from_slice::<EndpointKnowledge>(&text).ok());
        let is_same =
            |kept: &EndpointKnowledge| kept.base_url == known.base_url && kept.model == known.model;
        let known = kept.filter(is_same).unwrap_or(known);
        Self { known: Mutex::new(known), file: Some(file) }
    }

    /// Returns the current knowledge.
    pub fn known(&self) -> EndpointKnowledge {
        self.held().clone()
    }

    /// Returns the capabilities of the endpoint.
    pub fn card(&self) -> CapabilityCard {
        self.held().card.clone()
    }

    /// Returns the ratio of its token counts to our estimates.
    pub fn calibration(&self) -> Calibration {
        self.held().calibration
    }

    /// Changes the knowledge and writes it to the file.
    pub fn change<T>(&self, change: impl FnOnce(&mut EndpointKnowledge) -> T) -> T {
        let mut known = self.held();
        let changed = change(&mut known);
        if let Some(file) = &self.file {
            // A card that cannot be written is learnt again; a model call must not fail for it.
            let _ = keep(file, &known);
        }
        changed
    }

    fn held(&self) -> MutexGuard<'_, EndpointKnowledge> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a file name like `deepseek-chat-1f2e3d4c5b6a.json`: readable, and unique by the hash.
fn file_name(known: &EndpointKnowledge) -> String {
    let fine = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let model: String = known.model.chars().take(40).map(fine).collect();
    let hash = content_hash(format!("{}\n{}", known.base_url, known.model).as_bytes());
    format!("{}-{}.json", model.trim_matches('.'), hash.get(..12).unwrap_or(&hash))
}

fn keep(file: &Path, known: &EndpointKnowledge) -> std::io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".new-{}-{number}", std::process::id()));
    let mut text = serde_json::to_vec_pretty(known)?;
    text.push(b'\n');
    let written = fs::File::create(&temporary).and_then(|mut file| file.write_all(&text));
    let kept = written.and_then(|()| fs::rename(&temporary, file));
    if kept.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    kept
}

/// Reads all cards of a folder, sorted by model and endpoint.
pub fn kept(folder: &Path) -> Vec<EndpointKnowledge> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = files.filter(|file| file.path().extension().is_some_and(|end| end == "json"));
    let read = named.filter_map(|file| serde_json::from_slice(&fs::read(file.path()).ok()?).ok());
    let mut all: Vec<EndpointKnowledge> = read.collect();
    all.sort_by(|one, other| (&one.model, &one.base_url).cmp(&(&other.model, &other.base_url)));
    all
}

#[cfg(test)]
#[path = "cards_tests.rs"]
mod tests;
