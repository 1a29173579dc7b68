//! Real time, for benchmarks and suites that measure.

use std::time::{Duration, Instant};

/// A running measurement of elapsed time.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts to measure.
    #[expect(clippy::disallowed_methods, reason = "whoever measures needs the real clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the elapsed time in seconds.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

/// Sleeps for this duration, counted from the call. Uses a thread, because the runtime's timers count in
/// milliseconds, which is too coarse for short steps. Returns false if the thread failed.
pub async fn sleep(duration: Duration) -> bool {
    let watch = Stopwatch::start();
    let rest = move || std::thread::sleep(duration.saturating_sub(watch.0.elapsed()));
    tokio::task::spawn_blocking(rest).await.is_ok()
}
