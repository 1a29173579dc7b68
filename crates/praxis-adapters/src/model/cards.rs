//! What was learnt of endpoints, in files: one for each model behind each endpoint.
//!
//! - in: lessons and counts as they come
//! - out: the same after a restart
//! - never: half a file; what cannot be read is forgotten and learnt again

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

/// Everything that is known of one model behind one endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EndpointKnowledge {
    /// The endpoint.
    pub base_url: String,
    /// The model, as the endpoint calls it.
    pub model: String,
    /// What it takes.
    pub card: CapabilityCard,
    /// How its counts compare with our guesses.
    pub calibration: Calibration,
    /// What happened so far.
    pub counts: CallCounts,
    /// What a probe found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<ProbeResult>,
    /// Answers in a row that broke the promise of their rung.
    pub broken_promises: u32,
    /// What came of the last request, whoever sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<LastProbe>,
}

/// What came of the last request to an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LastProbe {
    /// When.
    pub at: Timestamp,
    /// The code of the fault; none if it was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// How many requests in a row were not answered, this one included.
    pub failures: u64,
    /// Until when the endpoint asked to be left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests_until: Option<Timestamp>,
}

impl EndpointKnowledge {
    /// Nothing is known yet.
    pub fn of(base_url: &str, model: &str) -> Self {
        let (base_url, model) = (base_url.trim_end_matches('/').to_owned(), model.to_owned());
        Self { base_url, model, ..Self::default() }
    }

    /// Notes a request and what came of it.
    pub fn note(&mut self, outcome: Result<&ModelReply, &ModelFault>, now: Timestamp) {
        self.counts.note(outcome);
        self.heard(outcome.err(), now);
    }

    /// Notes that the endpoint answered, or why it did not.
    pub fn heard(&mut self, fault: Option<&ModelFault>, now: Timestamp) {
        let before = self.last.as_ref().map_or(0, |last| last.failures);
        let wait = fault.and_then(ModelFault::wait).map(|wait| wait.ms(now).min(LONGEST_WAIT_MS));
        self.last = Some(LastProbe {
            at: now,
            fault: fault.map(|fault| fault.code().to_owned()),
            failures: fault.map_or(0, |_| before.saturating_add(1)),
            rests_until: wait.map(|ms| now.plus_ms(ms)),
        });
    }
}

/// What happened at an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallCounts {
    /// Requests that were sent.
    pub requests: u64,
    /// Those that were answered.
    pub answered: u64,
    /// Answers that had to be mended.
    pub repaired: u64,
    /// Requests that taught something and were sent again.
    pub lessons: u64,
    /// Faults by their code.
    pub faults: BTreeMap<String, u64>,
    /// Prompts whose head the endpoint seems to have cut off.
    pub heads_lost: u64,
    /// Tokens sent, of answers.
    pub prompt: u64,
    /// Tokens received, of answers.
    pub completion: u64,
    /// Tokens sent that the endpoint had seen before.
    pub cached: u64,
}

impl CallCounts {
    /// Counts a request and what came of it.
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

    /// Both together.
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

/// What is known and where it is kept.
pub struct CardMemory {
    known: Mutex<EndpointKnowledge>,
    file: Option<PathBuf>,
}

impl CardMemory {
    /// Knowledge that is kept nowhere.
    pub fn nowhere(known: EndpointKnowledge) -> Self {
        Self { known: Mutex::new(known), file: None }
    }

    /// What a folder has of the same model at the same endpoint; `known` itself if that cannot be read.
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

    /// What is known now.
    pub fn known(&self) -> EndpointKnowledge {
        self.held().clone()
    }

    /// What the endpoint takes.
    pub fn card(&self) -> CapabilityCard {
        self.held().card.clone()
    }

    /// How its counts compare with our guesses.
    pub fn calibration(&self) -> Calibration {
        self.held().calibration
    }

    /// Changes what is known and keeps it.
    pub fn change<T>(&self, change: impl FnOnce(&mut EndpointKnowledge) -> T) -> T {
        let mut known = self.held();
        let changed = change(&mut known);
        if let Some(file) = &self.file {
            // What cannot be kept is learnt again; a question must not fail for it.
            let _ = keep(file, &known);
        }
        changed
    }

    fn held(&self) -> MutexGuard<'_, EndpointKnowledge> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `deepseek-chat-1f2e3d4c5b6a.json`: to be found by people, and never the same for two.
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

/// Everything that is kept in a folder, by endpoint and model.
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
