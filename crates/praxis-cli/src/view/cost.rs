//! Cost of a task's model calls, in one line.

use super::text::{counted, say, span};
use praxis_core::ask::price::Money;
use praxis_core::ask::reply::TokenUsage;
use praxis_core::goal::spec::PinnedModel;
use praxis_core::lang::Lang;
use praxis_core::state::State;

/// Totals that `State` does not hold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpentView {
    /// Time from the first event to the last, in milliseconds.
    pub(crate) ms: u64,
    /// Number of questions to a person.
    pub(crate) questions: usize,
}

/// Formats the cost line; `None` for a task without a model.
pub(crate) fn line(state: &State, spent: &SpentView, lang: Lang) -> Option<String> {
    let ledger = &state.ledger;
    let models: Vec<&PinnedModel> = match state.goal_spec() {
        Some(spec) => spec.advisers.values().collect(),
        // A flow that made no model call gets no cost line.
        None => state
            .step_model()
            .filter(|_| ledger.model_calls > 0)
            .map(|it| it.0)
            .into_iter()
            .collect(),
    };
    if models.is_empty() {
        return None;
    }
    let mut parts = vec![tokens(ledger.usage, lang)];
    parts.extend(money(&ledger.money).or_else(|| {
        let unknown = models.iter().all(|pinned_model| pinned_model.price.is_none());
        unknown.then(|| say(lang, "price not set", "未设价格").to_owned())
    }));
    parts.push(span(spent.ms));
    // The cost of calls under way is not known yet.
    let calls = ledger.model_calls.saturating_sub(state.asks_under_way() as u64);
    let (questions, replans) = (spent.questions, ledger.replans);
    match lang {
        Lang::En => {
            parts.push(counted(usize::try_from(calls).unwrap_or(usize::MAX), "model call"));
            parts.push(counted(questions, "question"));
            parts.push(counted(usize::try_from(replans).unwrap_or(usize::MAX), "replan"));
        }
        Lang::Zh => {
            parts.push(format!("{calls} 次模型调用 · {questions} 个问题 · {replans} 次重新规划"));
        }
    }
    Some(parts.join(" · "))
}

/// Formats token counts: `1200 in / 300 out / 800 cached tokens`.
pub(crate) fn tokens(usage: TokenUsage, lang: Lang) -> String {
    let TokenUsage { prompt, completion, cached, estimated } = usage;
    let about = if estimated { "≈" } else { "" };
    match lang {
        Lang::En => format!("{about}{prompt} in / {completion} out / {cached} cached tokens"),
        Lang::Zh => format!("{about}输入 {prompt} / 输出 {completion} / 缓存 {cached} token"),
    }
}

/// Formats sums of money: `CNY 0.0123 + USD 0.5`; `None` if there are none.
pub(crate) fn money(sums: &std::collections::BTreeMap<String, u64>) -> Option<String> {
    let told = sums.iter().map(|(currency, micros)| {
        Money { currency: currency.clone(), micros: *micros }.to_string()
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(" + "))
}
