//! Reads `--budget tokens=20k,money=CNY0.5,calls=50,time=10m,replans=3`.

use crate::commands::answer::amount;
use crate::failure::Failure;
use crate::home::Desk;
use praxis_core::ask::price::Money;
use praxis_core::budget::wall::Budget;
use praxis_core::dataflow::near::near;
use praxis_core::intake::problem::Problem;
use praxis_core::time::parse_span_ms;

const NAMES: [&str; 8] =
    ["tokens", "money", "calls", "model_calls", "tool_calls", "replans", "same_calls", "time"];

/// The limits of a task.
#[derive(Debug)]
pub(crate) struct Limits {
    /// What it may spend.
    pub(crate) budget: Budget,
    /// The active time it has, if that was said.
    pub(crate) time_ms: Option<u64>,
}

/// The limits of the settings, with those that were typed in their place.
pub(crate) fn read(desk: &Desk, typed: Option<&str>) -> Result<Limits, Failure> {
    let mut limits = Limits { budget: desk.settings.budget.budget(), time_ms: None };
    let mut problems = Vec::new();
    let pairs = typed.unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty());
    for pair in pairs {
        problems.extend(set(&mut limits, pair).err());
    }
    if problems.is_empty() { Ok(limits) } else { Err(Failure::refused(problems, "")) }
}

fn set(limits: &mut Limits, pair: &str) -> Result<(), Problem> {
    let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
    let (name, text) = (name.trim(), text.trim());
    let bad = || bad(&format!("`{name}={text}` is no limit"), &format!("`{name}={text}` 不是限额"));
    let budget = &mut limits.budget;
    let count = match name {
        "tokens" => &mut budget.tokens,
        "model_calls" => &mut budget.model_calls,
        "tool_calls" => &mut budget.tool_calls,
        "replans" => &mut budget.replans,
        "same_calls" => &mut budget.same_calls,
        "calls" => budget.calls.insert(0),
        "money" => {
            budget.money = Some(Money::parse(text).ok_or_else(bad)?);
            return Ok(());
        }
        "time" => {
            let span = parse_span_ms(text).filter(|ms| *ms > 0);
            limits.time_ms = Some(span.ok_or_else(bad)?);
            return Ok(());
        }
        other => {
            let en = format!("there is no limit `{other}`");
            let near = near(other, NAMES.into_iter());
            return Err(self::bad(&en, &format!("没有限额 `{other}`")).or_near(&near));
        }
    };
    let allows_none = name == "replans";
    *count = amount(text).filter(|count| *count > 0 || allows_none).ok_or_else(bad)?;
    Ok(())
}

fn bad(en: &str, zh: &str) -> Problem {
    Problem::new("bad_budget", "--budget", (en, zh))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { budget: Budget::default(), time_ms: None }
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
            ("calls", "calls="),
        ] {
            let problem = set(&mut limits(), pair).expect_err(pair);
            let told_of = problem.told(praxis_core::fault::Lang::En);
            let said = format!("{} {}", told_of.message, told_of.next.unwrap_or_default());
            assert!(problem.code == "bad_budget" && said.contains(told), "{pair}: {said}");
        }
    }
}
