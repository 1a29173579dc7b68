//! Answers to requests by rules in a file.
//!
//! - in: YAML or JSON: `server`, and `rules` that are tried in order
//! - out: the answer of the first rule that matches and is not used up
//! - never: answers a request that matches no rule; the error names the nearest rule and its unmet conditions

use super::answer::{AnswerCall, ScriptedAnswer, TokenCounts};
use super::asked::ChatRequest;
use super::fault::{AnswerFixture, FaultLibrary, RehearsalFault};
use super::setup::RehearsalSetup;
use super::voice::{Voice, VoiceDecision, VoiceReport};
use praxis_core::document::{self, DocumentFormat};
use praxis_core::problem::{Bilingual, Problem};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// A script: the setup of the endpoint, and the rules of its answers.
#[derive(Clone, Debug, Default)]
pub struct RehearsalScript {
    /// The `server` section of the file.
    pub setup: RehearsalSetup,
    rules: Vec<ScriptRule>,
    asked: u64,
}

/// One rule and its use so far.
#[derive(Clone, Debug)]
struct ScriptRule {
    name: String,
    when: RuleCondition,
    /// The number of answers left; unlimited if `None`.
    left: Option<u64>,
    reply: ScriptReply,
    /// The number of requests that met every condition except `nth`.
    met: u64,
    used: u64,
}

/// The conditions of a rule. A missing condition matches every request.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleCondition {
    /// The stage that asks.
    pub stage: Option<String>,
    /// Texts that the messages must all contain.
    pub contains: RuleContains,
    /// The requested model.
    pub model: Option<String>,
    /// Only the nth request that meets the other conditions, counted from one, even if other rules answered some of
    /// them.
    pub nth: Option<u64>,
}

/// One text or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum RuleContains {
    /// A single text.
    One(String),
    /// Several texts, all required.
    All(Vec<String>),
}

impl Default for RuleContains {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

#[derive(Clone, Debug)]
enum ScriptReply {
    Say(ScriptedAnswer),
    Break(RehearsalFault, ScriptedAnswer),
    Send(AnswerFixture),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleInFile {
    name: Option<String>,
    #[serde(default)]
    when: RuleCondition,
    times: Option<u64>,
    reply: WrittenReply,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WrittenReply {
    text: Option<String>,
    json: Option<Value>,
    tool_calls: Vec<AnswerCall>,
    reasoning: String,
    finish: Option<String>,
    usage: Option<TokenCounts>,
    fault: Option<String>,
    raw: Option<AnswerFixture>,
}

impl RehearsalScript {
    /// Reads a YAML or JSON file, by its extension. Faults are looked up in the profiles and in the folder named by
    /// `server.quirks`, else in `library`.
    pub fn open(path: &Path, library: &FaultLibrary) -> Result<Self, Vec<Problem>> {
        let name = path.display().to_string();
        let format = DocumentFormat::of_name(&name).unwrap_or(DocumentFormat::Yaml);
        let bytes = std::fs::read(path).map_err(|error| {
            vec![bad(
                &name,
                format!("cannot read the file: {error}"),
                format!("无法读取文件：{error}"),
            )]
        })?;
        Self::read(&bytes, format, library)
            .map_err(|problems| problems.into_iter().map(|problem| problem.within(&name)).collect())
    }

    /// Parses a script; the error lists every problem.
    pub fn read(
        bytes: &[u8],
        format: DocumentFormat,
        library: &FaultLibrary,
    ) -> Result<Self, Vec<Problem>> {
        let document = document::read(bytes, format);
        let mut document = document.map_err(|error| vec![error.problem("the script")])?;
        let mut take = |name: &str| document.as_object_mut().and_then(|map| map.remove(name));
        let (setup, rules) = (take("server"), take("rules"));
        let mut problems = Vec::new();
        if let Some(key) = document.as_object().and_then(|map| map.keys().next()) {
            problems.push(bad(
                key,
                "unknown section; expected `server` or `rules`".into(),
                "未知部分；应为 `server` 或 `rules`".into(),
            ));
        }
        let setup = setup.map_or_else(|| Ok(RehearsalSetup::default()), serde_json::from_value);
        let setup: RehearsalSetup = setup.unwrap_or_else(|error| {
            problems.push(misread("server", &error));
            RehearsalSetup::default()
        });
        let own = setup.quirks.as_deref().map(FaultLibrary::with_fixtures);
        let library = own.as_ref().unwrap_or(library);
        let Some(Value::Array(written)) = rules else {
            problems.push(bad("rules", "must be a list".into(), "必须是列表".into()));
            return Err(problems);
        };
        let read = written.into_iter().enumerate().map(|(index, rule)| {
            let at = format!("rules[{index}]");
            rule_of(rule, index, library).map_err(|problem| problem.within(&at))
        });
        let (rules, refused): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
        problems.extend(refused.into_iter().filter_map(Result::err));
        let rules = rules.into_iter().filter_map(Result::ok).collect();
        if problems.is_empty() { Ok(Self { setup, rules, asked: 0 }) } else { Err(problems) }
    }
}

fn bad(at: &str, en: String, zh: String) -> Problem {
    Problem::new("bad_script", at, (en, zh))
        .next(("fix this part of the script", "请修改脚本的这一处"))
}

fn misread(at: &str, error: &serde_json::Error) -> Problem {
    bad(at, error.to_string(), format!("格式错误：{error}"))
}

fn rule_of(written: Value, index: usize, library: &FaultLibrary) -> Result<ScriptRule, Problem> {
    let written: RuleInFile =
        serde_json::from_value(written).map_err(|error| misread("", &error))?;
    let RuleInFile { name, when, times, reply } = written;
    if when.nth == Some(0) || times == Some(0) {
        let en = "`nth` and `times` must be at least 1".to_owned();
        return Err(bad("", en, "`nth` 和 `times` 必须至少为 1".to_owned()));
    }
    let name = name.unwrap_or_else(|| format!("rule {}", index + 1));
    let reply = reply_of(reply, library)?;
    Ok(ScriptRule { name, when, left: times, reply, met: 0, used: 0 })
}

fn reply_of(written: WrittenReply, library: &FaultLibrary) -> Result<ScriptReply, Problem> {
    let WrittenReply { text, json, tool_calls, reasoning, finish, usage, fault, raw } = written;
    let says = [text.is_some(), json.is_some(), raw.is_some()];
    let says_nothing = !says.contains(&true) && tool_calls.is_empty() && fault.is_none();
    if says_nothing || says.into_iter().filter(|says| *says).count() > 1 {
        let en = "use at most one of `text`, `json` and `raw`; without them, give `tool_calls` or `fault`".to_owned();
        let zh =
            "`text`、`json`、`raw` 最多用一个；都不用时需要 `tool_calls` 或 `fault`".to_owned();
        return Err(bad("reply", en, zh));
    }
    if let Some(raw) = raw {
        return Ok(ScriptReply::Send(raw));
    }
    let text = text.or_else(|| json.map(|json| json.to_string())).unwrap_or_default();
    let answer = ScriptedAnswer { text, reasoning, tool_calls, finish, usage };
    match fault {
        Some(name) => Ok(ScriptReply::Break(library.find(&name)?, answer)),
        None => Ok(ScriptReply::Say(answer)),
    }
}

impl RuleCondition {
    /// Returns the conditions that a request does not meet, except `nth`.
    fn unmet(&self, asked: &ChatRequest) -> Vec<String> {
        let mut unmet = Vec::new();
        if self.stage.is_some() && self.stage != asked.stage {
            unmet.push(format!("stage `{}`", self.stage.as_deref().unwrap_or_default()));
        }
        if let Some(model) = self.model.as_ref().filter(|model| **model != asked.model) {
            unmet.push(format!("model `{model}`"));
        }
        let words = match &self.contains {
            RuleContains::One(words) => std::slice::from_ref(words),
            RuleContains::All(words) => words.as_slice(),
        };
        let missing = words.iter().filter(|words| !asked.holds(words));
        unmet.extend(missing.map(|words| format!("text `{words}`")));
        unmet
    }
}

impl ScriptRule {
    /// Returns true if the rule is not used up and `nth`, if set, is this request.
    fn is_due(&self) -> bool {
        self.left != Some(0) && self.when.nth.is_none_or(|nth| nth == self.met)
    }

    fn turn(&mut self) -> VoiceDecision {
        self.used += 1;
        self.left = self.left.map(|left| left - 1);
        let by = self.name.clone();
        match self.reply.clone() {
            ScriptReply::Say(answer) => VoiceDecision::Say { by, answer },
            ScriptReply::Break(fault, answer) => VoiceDecision::Break { by, fault, answer },
            ScriptReply::Send(fixture) => VoiceDecision::Send { by, wire: fixture.wire() },
        }
    }

    /// Describes the reason why the rule does not answer.
    fn wants(&self, unmet: &[String]) -> Bilingual {
        if !unmet.is_empty() {
            let wants = unmet.join(", ");
            return Bilingual::from((format!("requires {wants}"), format!("要求 {wants}")));
        }
        match (self.left, self.when.nth) {
            (Some(0), _) => {
                Bilingual::from(("has reached its `times` limit", "已达到 `times` 次数上限"))
            }
            (_, nth) => {
                let (nth, met) = (nth.unwrap_or(0), self.met);
                let en = format!("answers only matching request #{nth}; this is #{met}");
                Bilingual::from((en, format!("只回答第 {nth} 个匹配的请求，而这是第 {met} 个")))
            }
        }
    }
}

impl Voice for RehearsalScript {
    fn turn(&mut self, asked: &ChatRequest) -> VoiceDecision {
        self.asked += 1;
        let mut unmet = Vec::new();
        for rule in &mut self.rules {
            unmet.push(rule.when.unmet(asked));
            rule.met += u64::from(unmet.last().is_some_and(Vec::is_empty));
        }
        let mut fits = self.rules.iter_mut().zip(&unmet);
        match fits.find(|(rule, unmet)| unmet.is_empty() && rule.is_due()) {
            Some((rule, _)) => rule.turn(),
            None => VoiceDecision::Nothing(self.nothing(asked, &unmet)),
        }
    }

    fn account(&self) -> VoiceReport {
        let unused = self.rules.iter().filter(|rule| rule.used == 0);
        let counts = self.rules.iter().filter(|rule| rule.used > 0);
        VoiceReport {
            unused: unused.map(|rule| rule.name.clone()).collect(),
            counts: counts.map(|rule| (rule.name.clone(), rule.used)).collect(),
        }
    }
}

impl RehearsalScript {
    /// Describes the unanswered request and the nearest rule.
    fn nothing(&self, asked: &ChatRequest, unmet: &[Vec<String>]) -> Bilingual {
        let (number, stage) = (self.asked, asked.stage.as_deref().unwrap_or("(none)"));
        let en = format!("no rule matches request {number} (stage `{stage}`)");
        let zh = format!("没有规则匹配第 {number} 个请求（阶段 `{stage}`）");
        // A rule for another stage is farther away than any rule for the same stage or for all stages.
        let distance = |(rule, unmet): &(&ScriptRule, &Vec<String>)| {
            let lacks = unmet.len() + usize::from(!rule.is_due());
            (rule.when.stage.is_some() && rule.when.stage != asked.stage, lacks)
        };
        match self.rules.iter().zip(unmet).min_by_key(distance) {
            Some((rule, unmet)) => {
                let (name, wants) = (&rule.name, rule.wants(unmet));
                let en = format!("{en}; the closest rule, `{name}`, {}", wants.en);
                Bilingual::from((en, format!("{zh}；最接近的规则 `{name}` {}", wants.zh)))
            }
            None => Bilingual::from((en, zh)),
        }
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;
