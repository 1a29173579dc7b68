//! Spent and reserved amounts of a task: a fold over the starts and ends of its calls.
//!
//! A call is reserved in its start event and settled in its outcome. A call whose end nobody saw is settled at its
//! reservation.

use super::limit::{Budget, BudgetLimit, LimitReached};
use crate::ask::price::{Money, Price};
use crate::ask::reply::TokenUsage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tokens reserved for a model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    /// The estimated prompt tokens.
    pub prompt: u64,
    /// The maximum number of completion tokens.
    pub completion: u64,
}

impl Reserved {
    /// Returns the usage as if all of it was used.
    pub fn as_usage(self) -> TokenUsage {
        TokenUsage { prompt: self.prompt, completion: self.completion, cached: 0, estimated: true }
    }

    fn tokens(self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

/// The amounts that a task has spent and reserved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// Tokens of finished calls.
    pub usage: TokenUsage,
    /// Money of finished calls by currency, in millionths.
    pub money: BTreeMap<String, u64>,
    /// Tokens reserved for calls under way.
    pub reserved: u64,
    /// Money reserved for calls under way, by currency.
    pub reserved_money: BTreeMap<String, u64>,
    /// Number of model calls.
    pub model_calls: u64,
    /// Number of model calls that failed.
    pub failed_calls: u64,
    /// Number of tool calls.
    pub tool_calls: u64,
    /// Number of plans after the first.
    pub replans: u64,
    /// Amounts added to limits, by a person or by [`Ledger::afresh`].
    pub raised: BTreeMap<BudgetLimit, u64>,
}

impl Ledger {
    /// Counts a model call and reserves its tokens and their cost.
    pub fn reserve(&mut self, reserved: Reserved, price: Option<&Price>) {
        self.model_calls += 1;
        self.reserved = self.reserved.saturating_add(reserved.tokens());
        if let Some(cost) = price.map(|price| price.cost(&reserved.as_usage())) {
            add(&mut self.reserved_money, &cost);
        }
    }

    /// Replaces the reservation of a call with its actual cost.
    pub fn settle(
        &mut self,
        reserved: Reserved,
        used: TokenUsage,
        price: Option<&Price>,
        at: Timestamp,
    ) {
        self.reserved = self.reserved.saturating_sub(reserved.tokens());
        self.usage = self.usage.plus(used);
        let Some(price) = price else { return };
        let set_aside = price.cost(&reserved.as_usage());
        if let Some(held) = self.reserved_money.get_mut(&set_aside.currency) {
            *held = held.saturating_sub(set_aside.micros);
        }
        add(&mut self.money, &price.cost_at(&used, at));
    }

    /// Grants the whole budget once more: adds the amounts spent so far to the limits.
    pub fn renew_budget(&mut self) {
        let money = self.money.values().copied().max().unwrap_or_default();
        let spent = [
            (BudgetLimit::Tokens, self.usage.prompt.saturating_add(self.usage.completion)),
            (BudgetLimit::Money, money),
            (BudgetLimit::Calls, self.model_calls + self.tool_calls),
            (BudgetLimit::ModelCalls, self.model_calls),
            (BudgetLimit::ToolCalls, self.tool_calls),
            (BudgetLimit::Replans, self.replans),
        ];
        self.raised = spent.into_iter().collect();
    }

    /// Returns the amount allowed by a limit, including the amount in `raised`; `None` if it is unlimited.
    pub fn allowed(&self, budget: &Budget, wall: BudgetLimit) -> Option<u64> {
        let own = match wall {
            BudgetLimit::Tokens => Some(budget.tokens),
            BudgetLimit::Money => budget.money.as_ref().map(|money| money.micros),
            BudgetLimit::UnknownPrice => Some(0),
            BudgetLimit::Calls => budget.calls,
            BudgetLimit::ModelCalls => Some(budget.model_calls),
            BudgetLimit::ToolCalls => Some(budget.tool_calls),
            BudgetLimit::Replans => Some(budget.replans),
            BudgetLimit::SameCall => Some(budget.same_calls),
        };
        let raised = self.raised.get(&wall).copied().unwrap_or_default();
        own.map(|own| own.saturating_add(raised))
    }

    /// Returns the limit that a model call would exceed.
    pub fn before_ask(
        &self,
        budget: &Budget,
        reserved: Reserved,
        price: Option<&Price>,
    ) -> Option<LimitReached> {
        let tokens = self.usage.prompt.saturating_add(self.usage.completion);
        let tokens = tokens.saturating_add(self.reserved).saturating_add(reserved.tokens());
        let money = self.money_wanted(budget, reserved, price);
        let wanted = [
            Some((BudgetLimit::ModelCalls, self.model_calls + 1)),
            Some((BudgetLimit::Calls, self.model_calls + self.tool_calls + 1)),
            Some((BudgetLimit::Tokens, tokens)),
            money,
        ];
        self.first_hit(budget, wanted.into_iter().flatten())
    }

    fn money_wanted(
        &self,
        budget: &Budget,
        reserved: Reserved,
        price: Option<&Price>,
    ) -> Option<(BudgetLimit, u64)> {
        let limit = budget.money.as_ref()?;
        let Some(price) = price.filter(|price| price.currency == limit.currency) else {
            return Some((BudgetLimit::UnknownPrice, 1));
        };
        let of = |map: &BTreeMap<String, u64>| map.get(&limit.currency).copied().unwrap_or(0);
        let next = price.cost(&reserved.as_usage()).micros;
        let spent = of(&self.money).saturating_add(of(&self.reserved_money));
        Some((BudgetLimit::Money, spent.saturating_add(next)))
    }

    /// Returns the limit that a tool call would exceed; `same` is the number of identical calls made before.
    pub fn before_call(&self, budget: &Budget, same: u64) -> Option<LimitReached> {
        let wanted = [
            (BudgetLimit::ToolCalls, self.tool_calls + 1),
            (BudgetLimit::Calls, self.model_calls + self.tool_calls + 1),
            (BudgetLimit::SameCall, same + 1),
        ];
        self.first_hit(budget, wanted.into_iter())
    }

    /// Returns the limit that another plan would exceed.
    pub fn before_replan(&self, budget: &Budget) -> Option<LimitReached> {
        self.first_hit(budget, [(BudgetLimit::Replans, self.replans + 1)].into_iter())
    }

    fn first_hit(
        &self,
        budget: &Budget,
        mut wanted: impl Iterator<Item = (BudgetLimit, u64)>,
    ) -> Option<LimitReached> {
        wanted.find_map(|(wall, wanted)| {
            let allowed = self.allowed(budget, wall)?;
            (wanted > allowed).then_some(LimitReached { wall, wanted, allowed })
        })
    }
}

fn add(sums: &mut BTreeMap<String, u64>, money: &Money) {
    let sum = sums.entry(money.currency.clone()).or_default();
    *sum = sum.saturating_add(money.micros);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::price::{TokenPrice, TokenPrices};

    const CALL: Reserved = Reserved { prompt: 100, completion: 50 };

    fn price() -> Price {
        let rate = TokenPrice::read("1").unwrap();
        let rates = TokenPrices { input: rate, output: rate, cached: None };
        Price { currency: "CNY".into(), per: 1_000_000, rates, off_peak: None }
    }

    #[test]
    fn what_is_set_aside_counts_before_it_is_spent() {
        let budget = Budget { tokens: 300, ..Budget::default() };
        let mut ledger = Ledger::default();
        ledger.reserve(CALL, None);
        assert_eq!(ledger.before_ask(&budget, CALL, None), None);
        ledger.reserve(CALL, None);
        let hit = ledger.before_ask(&budget, CALL, None);
        assert_eq!(
            hit,
            Some(LimitReached { wall: BudgetLimit::Tokens, wanted: 450, allowed: 300 })
        );
        let used = TokenUsage { prompt: 90, completion: 10, ..TokenUsage::default() };
        ledger.settle(CALL, used, None, Timestamp(0));
        ledger.settle(CALL, used, None, Timestamp(0));
        assert_eq!((ledger.reserved, ledger.usage.prompt), (0, 180));
        assert_eq!(ledger.before_ask(&budget, Reserved { prompt: 100, completion: 0 }, None), None);
        ledger.raised.insert(BudgetLimit::Tokens, 100);
        assert_eq!(ledger.before_ask(&budget, CALL, None), None);
    }

    #[test]
    fn money_stops_a_task_and_so_does_a_price_that_nobody_knows() {
        let money = Money { currency: "CNY".into(), micros: 200 };
        let budget = Budget { money: Some(money), ..Budget::default() };
        let mut ledger = Ledger::default();
        let unknown = ledger.before_ask(&budget, CALL, None).map(|hit| hit.wall);
        assert_eq!(unknown, Some(BudgetLimit::UnknownPrice));
        let dollars = Price { currency: "USD".into(), ..price() };
        let other = ledger.before_ask(&budget, CALL, Some(&dollars)).map(|hit| hit.wall);
        assert_eq!(other, Some(BudgetLimit::UnknownPrice));
        ledger.reserve(CALL, Some(&price()));
        let hit = ledger.before_ask(&budget, CALL, Some(&price()));
        assert_eq!(hit, Some(LimitReached { wall: BudgetLimit::Money, wanted: 300, allowed: 200 }));
    }

    #[test]
    fn each_wall_stands_exactly_at_what_is_allowed_with_what_was_spent_and_added() {
        let money = Some(Money { currency: "CNY".into(), micros: 300 });
        let budget =
            Budget { calls: Some(5), replans: 2, same_calls: 3, money, ..Budget::default() };
        let spent = BTreeMap::from([("CNY".to_owned(), 100)]);
        let mut ledger =
            Ledger { model_calls: 2, tool_calls: 2, replans: 1, money: spent, ..Ledger::default() };
        let asked = |ledger: &Ledger| ledger.before_ask(&budget, CALL, Some(&price()));
        let hit = |wall, wanted, allowed| Some(LimitReached { wall, wanted, allowed });
        // A call or plan that reaches a limit exactly is still allowed.
        assert_eq!((asked(&ledger), ledger.before_call(&budget, 2)), (None, None));
        assert_eq!(ledger.before_replan(&budget), None);
        assert_eq!(ledger.before_call(&budget, 3), hit(BudgetLimit::SameCall, 4, 3));
        (ledger.tool_calls, ledger.replans) = (3, 2);
        assert_eq!(asked(&ledger), hit(BudgetLimit::Calls, 6, 5));
        assert_eq!(ledger.before_call(&budget, 0), hit(BudgetLimit::Calls, 6, 5));
        assert_eq!(ledger.before_replan(&budget), hit(BudgetLimit::Replans, 3, 2));
        ledger.raised.insert(BudgetLimit::Calls, 1);
        assert_eq!(asked(&ledger), None, "what a person added counts");
        ledger.money.insert("CNY".to_owned(), 151);
        assert_eq!(asked(&ledger), hit(BudgetLimit::Money, 301, 300));
    }
}
