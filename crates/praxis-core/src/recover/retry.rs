//! When a failed call is tried again, and when nobody may just try.

use crate::call::tool::Contract;
use crate::fault::{Certainty, Fault};
use crate::journal::event::Outcome;
use crate::time::At;

/// The longest wait between two attempts.
const LONGEST_DELAY_MS: u64 = 60_000;

/// Turns a fault into an outcome and, if the call is worth another attempt, the time for it.
///
/// All attempts carry the same key and arguments. A call that may have taken effect and must not
/// be repeated is in doubt, whatever its fault.
pub fn after_fault(fault: Fault, contract: &Contract, tried: Tried<'_>) -> (Outcome, Option<At>) {
    if fault.certainty() == Certainty::Unknown && !contract.may_run_again() {
        return (Outcome::InDoubt(fault), None);
    }
    let most = tried.most.map_or(contract.retries, |most| most.min(contract.retries));
    let again = fault.is_transient() && tried.retries < most;
    let retry_at = again.then(|| {
        let doubled = contract.retry_delay_ms.saturating_mul(1 << tried.retries.min(16));
        let delay = doubled.min(LONGEST_DELAY_MS);
        tried.now.plus_ms(delay + jitter(tried.effect, delay / 4))
    });
    (Outcome::Failed { fault, output: None }, retry_at)
}

/// What was tried so far.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// Retries that this step has used.
    pub retries: u32,
    /// The task's own cap on retries.
    pub most: Option<u32>,
    /// The id of the attempt that failed.
    pub effect: &'a str,
    /// The time of its failure.
    pub now: At,
}

/// A number below `bound` that depends on the effect alone: equal in every replay, spread over tasks.
fn jitter(effect: &str, bound: u64) -> u64 {
    let hash = effect.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    if bound == 0 { 0 } else { hash % bound }
}
