//! Faults by name, and when they come.
//!
//! - in: the name of a profile or of a recorded answer, and how many calls are healthy before it
//! - out: the fault of the next call, if it has one
//! - never: leaves anything to chance; the same profile does the same every time

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

/// What a recorded answer is called: `quirk:26b`, or the name of its file without `.json`.
const FIXTURE: &str = "quirk:";

/// A way to go wrong.
#[derive(Clone, Debug)]
pub enum RehearsalFault {
    /// One of [`PROFILES`].
    Profile(&'static Profile),
    /// A recorded answer of a real endpoint, byte for byte.
    Fixture(String, Arc<AnswerFixture>),
}

/// A recorded answer of an endpoint. What else stands in its file is for tests to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AnswerFixture {
    /// The HTTP status; 200 if none.
    pub status: Option<u16>,
    /// Headers.
    pub headers: BTreeMap<String, String>,
    /// A stream.
    pub stream: Option<String>,
    /// A whole body.
    pub body: Option<String>,
}

/// Where faults are looked up.
#[derive(Clone, Debug, Default)]
pub struct FaultLibrary {
    fixtures: Option<PathBuf>,
}

impl FaultLibrary {
    /// The profiles, and the recorded answers in a folder of `*.json`.
    pub fn with_fixtures(folder: &Path) -> Self {
        Self { fixtures: Some(folder.to_owned()) }
    }

    /// The fault of this name.
    pub fn find(&self, name: &str) -> Result<RehearsalFault, Problem> {
        if let Some(wanted) = name.strip_prefix(FIXTURE) {
            return self.fixture(wanted);
        }
        let known = PROFILES.iter().find(|profile| profile.name == name);
        known.map(RehearsalFault::Profile).ok_or_else(|| {
            let (en, zh) = (format!("there is no fault `{name}`"), format!("没有故障 `{name}`"));
            let names = near(name, PROFILES.iter().map(|profile| profile.name));
            unknown(name, en, zh).or_near(&names)
        })
    }

    fn fixture(&self, wanted: &str) -> Result<RehearsalFault, Problem> {
        let refuse = |en: String, zh: String| unknown(wanted, en, zh);
        let Some(folder) = &self.fixtures else {
            let en = "no folder of recorded answers is given".to_owned();
            return Err(refuse(en, "没有指定录制回答的目录".to_owned()));
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
            refuse(format!("`{name}` cannot be read: {why}"), format!("无法读取 `{name}`：{why}"))
        };
        Ok(RehearsalFault::Fixture(name.clone(), Arc::new(fixture.map_err(unreadable)?)))
    }
}

fn unknown(name: &str, en: String, zh: String) -> Problem {
    Problem::new("unknown_fault", name, (en, zh))
        .next(("docs/guide/rehearsal.md lists all of them", "全部名称见 docs/guide/rehearsal.md"))
}

/// The names of the recorded answers in a folder, in order.
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
    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Self::Profile(profile) => profile.name.to_owned(),
            Self::Fixture(name, _) => format!("{FIXTURE}{name}"),
        }
    }

    /// What goes over the wire instead of a healthy answer.
    pub fn wire(&self, healthy: Vec<AnswerPart>, at: &Circumstance) -> WireAnswer {
        match self {
            Self::Profile(profile) => profile.wire(healthy, at),
            Self::Fixture(_, fixture) => fixture.wire(),
        }
    }
}

impl AnswerFixture {
    /// What goes over the wire.
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

/// A fault that comes after some healthy calls, so often, and then goes away.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedFault {
    /// The name of the fault.
    pub fault: String,
    /// How many healthy calls come before it.
    #[serde(default)]
    pub after: u64,
    /// How often it comes.
    #[serde(default = "once")]
    pub times: u64,
}

fn once() -> u64 {
    1
}

/// The faults that are to come, one after the other.
#[derive(Clone, Debug, Default)]
pub struct FaultSchedule {
    left: VecDeque<(RehearsalFault, PlannedFault)>,
}

impl FaultSchedule {
    /// The course of these faults. Each counts its healthy calls from the end of the one before it.
    pub fn of(planned: &[PlannedFault], library: &FaultLibrary) -> Result<Self, Problem> {
        let found = |planned: &PlannedFault| Ok((library.find(&planned.fault)?, planned.clone()));
        Ok(Self { left: planned.iter().map(found).collect::<Result<_, Problem>>()? })
    }

    /// The fault of the next call, if it has one.
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

    /// Those that did not come as often as they were to.
    pub fn unused(&self) -> Vec<String> {
        let left = self.left.iter().filter(|(_, planned)| planned.times > 0);
        left.map(|(_, planned)| planned.fault.clone()).collect()
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
