//! Records calls as they happen.
//!
//! - in: a request to a real endpoint, and its answer
//! - out: a line of a [`cassette`](super::cassette)
//! - never: writes a secret: the `authorization` header is not recorded, and its words are masked in the rest

use super::asked;
use super::cassette::{CassetteBytes, CassetteChunk, Interaction};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The replacement of a secret.
const HIDDEN: &str = "[secret]";
/// The minimum length of a secret; shorter words of the header, such as `Bearer`, are not secret.
const SHORTEST_SECRET: usize = 8;

/// Appends recorded calls to a file.
#[derive(Debug)]
pub struct Recorder {
    file: Mutex<File>,
}

/// One call that is being recorded.
#[derive(Clone, Debug)]
pub struct CallRecording {
    interaction: Interaction,
    /// The chunks as received, each with its delay in milliseconds.
    came: Vec<(u64, Vec<u8>)>,
    secrets: Vec<String>,
}

impl Recorder {
    /// Opens the file for appending; creates it if it does not exist.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file: Mutex::new(file) })
    }

    /// Appends a call whose answer is complete or broke off.
    pub fn append(&self, interaction: &Interaction) -> io::Result<()> {
        let mut line = serde_json::to_vec(interaction)?;
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)?;
        file.flush()
    }
}

impl CallRecording {
    /// Starts the record of a call whose answer begins. The words of `authorization` are masked in everything kept.
    pub fn new(
        body: &Value,
        status: u16,
        headers: BTreeMap<String, String>,
        authorization: &str,
    ) -> Self {
        let words = authorization.split_whitespace();
        let secrets = words.filter(|word| word.len() >= SHORTEST_SECRET).map(str::to_owned);
        let interaction = Interaction::new(body, status, headers);
        Self { interaction, came: Vec::new(), secrets: secrets.collect() }
    }

    /// Returns the headers that are kept.
    pub fn headers(&self) -> Vec<(String, String)> {
        self.interaction.headers.clone().into_iter().collect()
    }

    /// Appends the next chunk of the answer.
    pub fn chunk(&mut self, after_ms: u64, bytes: &[u8]) {
        self.came.push((after_ms, bytes.to_vec()));
    }

    /// Returns the recorded call. `cut` is true if the answer broke off.
    pub fn end(mut self, cut: bool) -> Interaction {
        let whole = self.came.iter().flat_map(|(_, bytes)| bytes).copied().collect::<Vec<u8>>();
        // A secret may be split across chunks, so an answer that contains one is stored as a single chunk.
        if let Some(hidden) = self.hide(&String::from_utf8_lossy(&whole)) {
            let after_ms = self.came.iter().map(|(after_ms, _)| after_ms).sum();
            self.came = vec![(after_ms, hidden.into_bytes())];
        }
        if let Some(hidden) = self.hide(&self.interaction.request.to_string())
            && let Ok(request) = serde_json::from_str(&hidden)
        {
            // No later request matches this key, which is better than leaking a secret.
            self.interaction.key = asked::key(&request);
            self.interaction.request = request;
        }
        let chunk = |(after_ms, bytes): &(u64, Vec<u8>)| CassetteChunk {
            after_ms: *after_ms,
            bytes: CassetteBytes::of(bytes),
        };
        self.interaction.chunks = self.came.iter().map(chunk).collect();
        self.interaction.cut = cut;
        self.interaction
    }

    fn hide(&self, text: &str) -> Option<String> {
        let found = self.secrets.iter().any(|secret| text.contains(secret.as_str()));
        let hide = |text: String, secret: &String| text.replace(secret.as_str(), HIDDEN);
        found.then(|| self.secrets.iter().fold(text.to_owned(), hide))
    }
}
