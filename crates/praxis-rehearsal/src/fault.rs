//! Faults by name, and the calls that they hit.
//!
//! - in: the name of a profile or of a recorded answer, and the number of healthy calls before it
//! - out: the fault of the next call, if there is one
//! - never: uses randomness; the same profile does the same every time

use super::damage::Circumstance;
use super::profiles::{PROFILES, Profile};
use super::speak::AnswerPart;
use super::wire::WireAnswer;
use praxis_core::near::near;
use praxis_core::problem::Problem;
use serde::Deserialize;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Prefix of a fault that is a recorded answer: `quirk:26b`, or `quirk:` and the file name without `.json`.
const FIXTURE: &str = "quirk:";

/// A fault of the endpoint.
#[derive(Clone, Debug)]
pub enum RehearsalFault {
    /// One of [`PROFILES`].
    Profile(&'static Profile),
    /// A recorded answer of a real endpoint, byte for byte.
    Fixture(String, Arc<AnswerFixture>),
}

/// A recorded answer of an endpoint. The other fields of its file are read by tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AnswerFixture {
    /// The HTTP status; 200 if `None`.
    pub status: Option<u16>,
    /// The headers of the answer.
    pub headers: BTreeMap<String, String>,
    /// The body of a streamed answer.
    pub stream: Option<String>,
    /// The body of an answer that is not streamed.
    pub body: Option<String>,
}

/// The lookup of faults by name.
#[derive(Clone, Debug, Default)]
pub struct FaultLibrary {
    fixtures: Option<PathBuf>,
}

impl FaultLibrary {
    /// Uses the profiles, and the recorded answers (`*.json`) in a folder.
    pub fn with_fixtures(folder: &Path) -> Self {
        Self { fixtures: Some(folder.to_owned()) }
    }

    /// Returns the fault with this name.
    pub fn find(&self, name: &str) -> Result<RehearsalFault, Problem> {
        if let Some(wanted) = name.strip_prefix(FIXTURE) {
            return self.fixture(wanted);
        }
        let known = PROFILES.iter().find(|profile| profile.name == name);
        known.map(RehearsalFault::Profile).ok_or_else(|| {
            let (en, zh) = (format!("unknown fault `{name}`"), format!("未知故障 `{name}`"));
            let names = near(name, PROFILES.iter().map(|profile| profile.name));
            unknown(name, en, zh).or_near(&names)
        })
    }

    fn fixture(&self, wanted: &str) -> Result<RehearsalFault, Problem> {
        let refuse = |en: String, zh: String| unknown(wanted, en, zh);
        let Some(folder) = &self.fixtures else {
            let en =
                "no folder with recorded answers is configured; set `server.quirks` in the script"
                    .to_owned();
            return Err(refuse(
                en,
                "未指定存放录制回答的文件夹；请在脚本中设置 `server.quirks`".to_owned(),
            ));
        };
        let names = names(folder);
        let fits = |name: &&String| {
            let plain = |number: &str| number.trim_start_matches('0').to_owned();
            let number = name.split_once('-').map(|(number, _)| plain(number));
            *name == wanted || number == Some(plain(wanted))
        };
        let Some(name) = names.iter().find(fits) else {
            let en = format!("no recorded answer `{wanted}` in {}", folder.display());
            let zh = format!("{} 中没有录制的回答 `{wanted}`", folder.display());
            return Err(refuse(en, zh).or_near(&near(wanted, names.iter().map(String::as_str))));
        };
        let read = std::fs::read(folder.join(format!("{name}.json")));
        let read = read.map_err(|error| error.to_string());
        let fixture = read
            .and_then(|bytes| serde_json::from_slice(&bytes).map_err(|error| error.to_string()));
        let unreadable = |why: String| {
            refuse(format!("cannot read `{name}`: {why}"), format!("无法读取 `{name}`：{why}"))
        };
        Ok(RehearsalFault::Fixture(name.clone(), Arc::new(fixture.map_err(unreadable)?)))
    }
}

fn unknown(name: &str, en: String, zh: String) -> Problem {
    Problem::new("unknown_fault", name, (en, zh)).next((
        "see docs/guide/rehearsal.md for all fault names",
        "全部故障名称见 docs/guide/rehearsal.md",
    ))
}

/// Returns the names of the recorded answers in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let name = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_suffix(".json").map(str::to_owned)
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}

impl RehearsalFault {
    /// Returns the name under which the fault is found.
    pub fn name(&self) -> String {
        match self {
            Self::Profile(profile) => profile.name.to_owned(),
            Self::Fixture(name, _) => format!("{FIXTURE}{name}"),
        }
    }

    /// Returns the `WireAnswer` to send instead of the healthy answer.
    pub fn wire(&self, healthy: Vec<AnswerPart>, at: &Circumstance) -> WireAnswer {
        match self {
            Self::Profile(profile) => profile.wire(healthy, at),
            Self::Fixture(_, fixture) => fixture.wire(),
        }
    }
}

impl AnswerFixture {
    /// Returns the recorded answer as a `WireAnswer`.
    pub fn wire(&self) -> WireAnswer {
        let streams = self.stream.is_some();
        let content = if streams { "text/event-stream" } else { "application/json" };
        let text = self.stream.clone().or_else(|| self.body.clone()).unwrap_or_default();
        let mut wire = WireAnswer::whole(self.status.unwrap_or(200), content, text.into_bytes());
        if let Some(head) = &mut wire.head {
            head.headers.retain(|(name, _)| !self.headers.contains_key(name));
            head.headers.extend(self.headers.clone());
        }
        wire
    }
}

/// A fault that starts after some healthy calls and hits a fixed number of calls.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedFault {
    /// The name of the fault.
    pub fault: String,
    /// The number of healthy calls before it.
    #[serde(default)]
    pub after: u64,
    /// The number of calls that it hits.
    #[serde(default = "once")]
    pub times: u64,
}

fn once() -> u64 {
    1
}

/// The queue of faults still to come, one after the other.
#[derive(Clone, Debug, Default)]
pub struct FaultSchedule {
    left: VecDeque<(RehearsalFault, PlannedFault)>,
}

impl FaultSchedule {
    /// Creates the schedule. Each fault counts its healthy calls from the end of the previous fault.
    pub fn of(planned: &[PlannedFault], library: &FaultLibrary) -> Result<Self, Problem> {
        let found = |planned: &PlannedFault| Ok((library.find(&planned.fault)?, planned.clone()));
        Ok(Self { left: planned.iter().map(found).collect::<Result<_, Problem>>()? })
    }

    /// Returns the fault of the next call, if there is one.
    pub fn next_call(&mut self) -> Option<RehearsalFault> {
        while self.left.front().is_some_and(|(_, planned)| planned.times == 0) {
            self.left.pop_front();
        }
        let (fault, planned) = self.left.front_mut()?;
        if planned.after > 0 {
            planned.after -= 1;
            return None;
        }
        planned.times -= 1;
        Some(fault.clone())
    }

    /// Returns the names of the faults that have calls left to hit.
    pub fn unused(&self) -> Vec<String> {
        let left = self.left.iter().filter(|(_, planned)| planned.times > 0);
        left.map(|(_, planned)| planned.fault.clone()).collect()
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
