//! Real time: what benchmarks and suites measure with.

use std::time::{Duration, Instant};

/// Time that passed.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins to measure.
    #[expect(clippy::disallowed_methods, reason = "whoever measures needs the real clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How much, in seconds.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Sleeps as long as asked, from now. The runtime's timers count milliseconds, which is too coarse for short steps: a
/// thread sleeps. False if it could not.
pub async fn sleep(duration: Duration) -> bool {
    let watch = Stopwatch::start();
    let rest = move || std::thread::sleep(duration.saturating_sub(watch.0.elapsed()));
    tokio::task::spawn_blocking(rest).await.is_ok()
}
