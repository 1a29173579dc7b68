//! The clock of the engine: set from the wall clock at start, monotonic from then on.

use crate::seams::Clock;
use futures::future::BoxFuture;
use praxis_core::time::Timestamp;
use std::time::Duration;
use tokio::time::Instant;

/// A clock that ignores jumps of the wall clock. Under tokio's paused time it is virtual.
#[derive(Clone, Debug)]
pub struct TokioClock {
    begin: Instant,
    base: Timestamp,
}

impl TokioClock {
    /// Creates a clock that shows `base` now.
    pub fn starting_at(base: Timestamp) -> Self {
        Self { begin: Instant::now(), base }
    }

    /// Creates a clock that starts at the current wall-clock time.
    #[expect(clippy::disallowed_methods, reason = "this is the seam through which time enters")]
    pub fn real() -> Self {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let ms = since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
        Self::starting_at(Timestamp(ms))
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        let passed = self.begin.elapsed().as_millis();
        self.base.plus_ms(u64::try_from(passed).unwrap_or(u64::MAX))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let due = self.begin + Duration::from_millis(at.since(self.base));
        Box::pin(tokio::time::sleep_until(due))
    }
}
