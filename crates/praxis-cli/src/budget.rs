//! Parses `--budget tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`.

use crate::commands::answer::amount;
use crate::context::CliContext;
use crate::failure::CommandFailure;
use praxis_core::ask::price::Money;
use praxis_core::budget::limit::Budget;
use praxis_core::near::near;
use praxis_core::problem::Problem;
use praxis_core::time::parse_span_ms;
use std::collections::BTreeSet;

const NAMES: [&str; 8] =
    ["tokens", "money", "calls", "model_calls", "tool_calls", "replans", "same_calls", "time"];

/// The limits of a task.
#[derive(Debug)]
pub(crate) struct TaskLimits {
    /// The budget.
    pub(crate) budget: Budget,
    /// The active time, if given.
    pub(crate) time_ms: Option<u64>,
}

/// Returns the limits of the settings, overridden by the typed ones.
pub(crate) fn read(
    context: &CliContext,
    typed: Option<&str>,
) -> Result<TaskLimits, CommandFailure> {
    let mut limits = TaskLimits { budget: context.settings.budget.budget(), time_ms: None };
    let Some(typed) = typed else { return Ok(limits) };
    let (mut problems, mut named) = (Vec::new(), BTreeSet::new());
    for pair in typed.split(',').map(str::trim) {
        problems.extend(set(&mut limits, pair).err());
        let name = pair.split('=').next().unwrap_or_default().trim();
        if !named.insert(name) {
            let en = format!("`{name}` is given twice");
            problems.push(bad(&en, &format!("`{name}` 出现了两次")));
        }
    }
    if problems.is_empty() { Ok(limits) } else { Err(CommandFailure::refused(problems, "")) }
}

fn set(limits: &mut TaskLimits, pair: &str) -> Result<(), Problem> {
    let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
    let (name, text) = (name.trim(), text.trim());
    if pair.is_empty() {
        return Err(bad("contains an empty entry", "含有空项"));
    }
    let bad = || unlike(pair, name);
    let budget = &mut limits.budget;
    let count = match name {
        "tokens" => &mut budget.tokens,
        "model_calls" => &mut budget.model_calls,
        "tool_calls" => &mut budget.tool_calls,
        "replans" => &mut budget.replans,
        "same_calls" => &mut budget.same_calls,
        "calls" => budget.calls.insert(0),
        "money" => {
            let money = Money::parse(text).filter(|money| money.micros > 0);
            budget.money = Some(money.ok_or_else(bad)?);
            return Ok(());
        }
        "time" => {
            let span = parse_span_ms(text).filter(|ms| *ms > 0);
            limits.time_ms = Some(span.ok_or_else(bad)?);
            return Ok(());
        }
        other => {
            let en = format!("unknown limit `{other}`");
            let near = near(other, NAMES.into_iter());
            return Err(self::bad(&en, &format!("未知的限额 `{other}`")).or_near(&near));
        }
    };
    let allows_none = name == "replans";
    *count = amount(text).filter(|count| *count > 0 || allows_none).ok_or_else(bad)?;
    Ok(())
}

/// Reports a pair that is no valid limit.
fn unlike(pair: &str, name: &str) -> Problem {
    let amount = match name {
        "tokens" => "20k",
        "money" => "CNY0.5",
        "time" => "10m",
        _ => "50",
    };
    bad(&format!("`{pair}` is not a valid limit"), &format!("`{pair}` 不是有效的限额")).next((
        format!("write it like `{name}={amount}`"),
        format!("请写成 `{name}={amount}` 的形式"),
    ))
}

fn bad(en: &str, zh: &str) -> Problem {
    Problem::new("bad_budget", "--budget", (en, zh))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> TaskLimits {
        TaskLimits { budget: Budget::default(), time_ms: None }
    }

    #[test]
    fn every_limit_is_written_as_people_write_it() {
        let mut found = limits();
        for pair in ["tokens=20k", "money=CNY0.5", "calls=50", "time=10m", "replans=0"] {
            assert_eq!(set(&mut found, pair), Ok(()), "{pair}");
        }
        let Budget { tokens, money, calls, replans, .. } = found.budget;
        let money = money.map(|money| money.to_string());
        assert_eq!((tokens, calls, replans, found.time_ms), (20_000, Some(50), 0, Some(600_000)));
        assert_eq!(money.as_deref(), Some("CNY 0.5"));
    }

    #[test]
    fn what_is_no_limit_is_refused_with_the_nearest_name() {
        for (pair, told) in [
            ("token=3", "tokens"),
            ("tokens=many", "tokens=many"),
            ("tokens=0", "tokens=0"),
            ("money=5", "money=5"),
            ("time=0s", "time=0s"),
            ("calls", "write it like `calls=50`"),
            ("money=CNY0", "write it like `money=CNY0.5`"),
            ("", "contains an empty entry"),
        ] {
            let problem = set(&mut limits(), pair).expect_err(pair);
            let told_of = problem.told(praxis_core::lang::Lang::En);
            let said = format!("{} {}", told_of.message, told_of.next.unwrap_or_default());
            assert!(problem.code == "bad_budget" && said.contains(told), "{pair}: {said}");
        }
    }
}
