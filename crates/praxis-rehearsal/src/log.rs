//! The log of the calls to a scripted endpoint, and its final report.

use super::answer::TokenCounts;
use super::asked::{ChatMessage, ChatRequest};
use super::voice::VoiceReport;
use praxis_core::lang::Lang;
use std::collections::VecDeque;

/// The maximum number of logged calls, and of the bytes of their messages.
const REMEMBERED: usize = 10_000;
const REMEMBERED_BYTES: usize = 64 << 20;

/// One call of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedCall {
    /// The number of the call, counted from one.
    pub number: u64,
    /// The stage that asked.
    pub stage: Option<String>,
    /// The requested model.
    pub model: String,
    /// The messages so far.
    pub messages: Vec<ChatMessage>,
    /// The tokens that the endpoint counted, even if the answer never arrived.
    pub tokens: TokenCounts,
    /// The source of the answer (a rule, a recorded call, the oracle), or the reason why there is no answer.
    pub by: String,
    /// The name of the fault that damaged the answer.
    pub fault: Option<String>,
}

impl LoggedCall {
    /// Creates the entry of a call that is not answered yet.
    pub(super) fn of(asked: &ChatRequest, number: u64) -> Self {
        Self {
            number,
            stage: asked.stage.clone(),
            model: asked.model.clone(),
            messages: asked.messages.clone(),
            ..Self::default()
        }
    }

    fn bytes(&self) -> usize {
        self.messages.iter().map(|message| message.content.len()).sum()
    }
}

/// The latest calls.
#[derive(Clone, Debug, Default)]
pub(super) struct CallLog {
    calls: VecDeque<LoggedCall>,
    bytes: usize,
}

impl CallLog {
    pub(super) fn add(&mut self, call: LoggedCall) {
        self.bytes += call.bytes();
        self.calls.push_back(call);
        while self.calls.len() > REMEMBERED || self.bytes > REMEMBERED_BYTES {
            let Some(oldest) = self.calls.pop_front() else { break };
            self.bytes -= oldest.bytes();
        }
    }

    pub(super) fn calls(&self) -> Vec<LoggedCall> {
        self.calls.iter().cloned().collect()
    }
}

/// The totals of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointReport {
    /// The number of chat requests.
    pub calls: u64,
    /// The number of requests without an answer.
    pub unmatched: u64,
    /// The answers and faults used, and those never used.
    pub account: VoiceReport,
}

impl EndpointReport {
    /// Returns true if everything was used and every request had an answer.
    pub fn is_clean(&self) -> bool {
        self.unmatched == 0 && self.account.unused.is_empty()
    }

    /// Returns the lines of the report for people.
    pub fn lines(&self, lang: Lang) -> Vec<String> {
        let (calls, unmatched) = (self.calls, self.unmatched);
        let mut lines = vec![match lang {
            Lang::En if calls == 1 => format!("1 request, {unmatched} without an answer"),
            Lang::En => format!("{calls} requests, {unmatched} without an answer"),
            Lang::Zh => format!("{calls} 个请求，其中 {unmatched} 个没有回答"),
        }];
        lines
            .extend(self.account.counts.iter().map(|(name, count)| format!("  {count:>5} {name}")));
        lines.extend(self.account.unused.iter().map(|name| match lang {
            Lang::En => format!("never used: {name}"),
            Lang::Zh => format!("从未使用：{name}"),
        }));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_forgets_the_oldest_calls() {
        let mut log = CallLog::default();
        let said = ChatMessage { role: "user".to_owned(), content: "x".repeat(1 << 20) };
        for number in 0..100 {
            log.add(LoggedCall { number, messages: vec![said.clone()], ..LoggedCall::default() });
        }
        let calls = log.calls();
        assert_eq!((calls.len(), calls[0].number), (64, 36));
    }

    #[test]
    fn a_report_says_what_was_never_used() {
        let counts = [("plan".to_owned(), 2)].into();
        let account = VoiceReport { unused: vec!["rule 2".to_owned()], counts };
        let report = EndpointReport { calls: 3, unmatched: 1, account };
        let lines = report.lines(Lang::En);
        assert_eq!(
            lines,
            ["3 requests, 1 without an answer", "      2 plan", "never used: rule 2"]
        );
        assert!(report.lines(Lang::Zh)[2].contains("从未使用") && !report.is_clean());
    }
}
