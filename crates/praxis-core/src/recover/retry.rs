//! Retry policy of failed calls: when a call is repeated, and when its effect is in doubt.

use crate::call::tool::Contract;
use crate::fault::{Certainty, Fault};
use crate::goal::spec::RecoveryMode;
use crate::journal::outcome::CallOutcome;
use crate::state::State;
use crate::state::step::Step;
use crate::time::Timestamp;

/// The longest exponential backoff between two attempts.
const LONGEST_DELAY_MS: u64 = 60_000;
/// The longest delay that a tool can request.
const LONGEST_ASKED_MS: u64 = 3_600_000;

/// Turns a fault into an outcome and, if the call is worth a retry, the time of the next attempt.
///
/// All attempts carry the same idempotency key and arguments. A call that may have taken effect and must not be
/// repeated is in doubt, whatever its fault.
pub fn after_fault(
    fault: Fault,
    contract: &Contract,
    tried: RetryHistory<'_>,
) -> (CallOutcome, Option<Timestamp>) {
    if fault.certainty() == Certainty::Unknown && !contract.may_run_again() {
        return (CallOutcome::InDoubt(fault), None);
    }
    let most = tried.most.map_or(contract.retries, |most| most.min(contract.retries));
    let again = fault.is_transient() && tried.retries < most;
    let retry_at = again.then(|| {
        let doubled = contract.retry_delay_ms.saturating_mul(1 << tried.retries.min(16));
        let grown = doubled.min(LONGEST_DELAY_MS);
        let asked = fault.retry_after_ms().unwrap_or(0).min(LONGEST_ASKED_MS);
        let delay = grown.max(asked);
        // Requested delays get jitter too: all callers that were turned away were told the same delay.
        tried.now.plus_ms(delay + jitter(tried.effect, delay.min(LONGEST_DELAY_MS) / 4))
    });
    (CallOutcome::Failed { fault, output: None }, retry_at)
}

/// Returns the timeout of a call. It is doubled after a timeout if recovery is on; a fixed plan runs exactly as
/// written.
pub fn patience_ms(state: &State, step: &Step, own: u64) -> u64 {
    let was_slow = step.retries > 0 && step.was_slow;
    let helps = state.goal_spec().is_some_and(|spec| spec.manner.recovery != RecoveryMode::Off);
    if was_slow && helps { own.saturating_mul(2) } else { own }
}

/// The attempts of a step so far.
#[derive(Clone, Copy, Debug)]
pub struct RetryHistory<'a> {
    /// Retries that this step has used.
    pub retries: u32,
    /// The task's own limit on retries.
    pub most: Option<u32>,
    /// The id of the attempt that failed.
    pub effect: &'a str,
    /// The time of its failure.
    pub now: Timestamp,
}

/// Returns a number below `bound` that depends on the effect alone: equal in every replay, spread over tasks.
fn jitter(effect: &str, bound: u64) -> u64 {
    let hash = effect.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    if bound == 0 { 0 } else { hash % bound }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::manifest;
    use crate::ids::BlobId;
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn contract(more: serde_json::Value) -> Contract {
        let mut manifest = json!({"id": "t", "builtin": "t", "retry_delay": "1s"});
        manifest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        manifest::read(&manifest).unwrap().remove(0).contract(BlobId::from("v"))
    }

    fn busy(retry_after_ms: Option<u64>) -> Fault {
        let message = "busy".to_owned();
        Fault::ToolFailed {
            tool: "t".into(),
            message,
            message_zh: String::new(),
            retryable: true,
            retry_after_ms,
        }
    }

    /// Returns the delay before the next attempt.
    fn wait(fault: Fault, retries: u32) -> u64 {
        let tried = RetryHistory { retries, most: None, effect: "task/a#1", now: NOW };
        after_fault(fault, &contract(json!({})), tried).1.unwrap().since(NOW)
    }

    //
    #[test]
    fn a_tool_is_left_alone_as_long_as_it_asked_and_never_shorter_than_the_growing_wait() {
        let cases = [
            (None, 0, 1000),
            (Some(0), 0, 1000),
            (Some(10), 0, 1000),
            (Some(7000), 0, 7000),
            (Some(3000), 2, 4000),
            (Some(90_000), 0, 90_000),
            (Some(3_600_000), 0, 3_600_000),
            (Some(u64::MAX), 2, 3_600_000),
        ];
        for (asked, retries, least) in cases {
            let waits = wait(busy(asked), retries);
            let most = least + least.min(60_000) / 4;
            assert!((least..=most).contains(&waits), "{asked:?} after {retries}: {waits}");
        }
    }

    #[test]
    fn a_wait_that_was_asked_for_gives_no_more_attempts_and_repeats_no_write() {
        let tried = RetryHistory { retries: 3, most: None, effect: "task/a#4", now: NOW };
        assert_eq!(after_fault(busy(Some(1)), &contract(json!({})), tried).1, None);
        let tried = RetryHistory { retries: 0, ..tried };
        let broke = Fault::ToolBroke {
            tool: "t".into(),
            message: "503".to_owned(),
            retry_after_ms: Some(1),
        };
        let (outcome, again) = after_fault(broke.clone(), &contract(json!({})), tried);
        assert_eq!((outcome, again), (CallOutcome::InDoubt(broke.clone()), None));
        let (_, again) = after_fault(broke, &contract(json!({"idempotent": true})), tried);
        assert!(again.is_some());
    }

    #[test]
    fn a_fault_that_was_written_before_waits_could_be_asked_for_is_still_read() {
        let failed = json!({"code": "tool_failed", "tool": "t", "message": "m", "retryable": true});
        let broke = json!({"code": "tool_broke", "tool": "t", "message": "m"});
        for written in [failed, broke] {
            let fault: Fault = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(fault.retry_after_ms(), None);
            assert_eq!(serde_json::to_value(&fault).unwrap(), written, "and written as before");
        }
        let asked = serde_json::to_value(busy(Some(5))).unwrap();
        assert_eq!(asked["retry_after_ms"], 5);
        assert_eq!(serde_json::from_value::<Fault>(asked).unwrap(), busy(Some(5)));
    }
}
