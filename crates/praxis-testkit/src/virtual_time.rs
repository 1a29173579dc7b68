//! Virtual time together with real sockets.
//!
//! A runtime with paused time jumps to the next timer as soon as no task can run, even if bytes are on their way
//! through a socket: every timeout would expire at once. With a timer that is always near, the jumps are small, and a
//! call over a socket costs only a few of them.

use std::future::Future;
use std::time::Duration;

/// The longest jump of time.
const STEP: Duration = Duration::from_millis(1);

/// Runs `work` in a single-threaded runtime with paused time (`start_paused`). An hour of timers takes seconds, and a
/// call over a socket seems to take a few milliseconds.
pub async fn flow<T>(work: impl Future<Output = T>) -> T {
    let passing = async {
        loop {
            tokio::time::sleep(STEP).await;
        }
    };
    tokio::select! {
        biased;
        done = work => done,
        never = passing => never,
    }
}
