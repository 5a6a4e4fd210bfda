//! Time, where there is a clock.

use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// Time of a task by what it was spent on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskTimes {
    pub(crate) sort: Duration,
    pub(crate) common: Duration,
    pub(crate) ghosts: Duration,
    pub(crate) oversized: Duration,
    pub(crate) statics: Duration,
}

/// A point in time; on targets without a clock all points are one.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    at: Instant,
}

impl Clock {
    pub(crate) fn now() -> Self {
        Self {
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            at: Instant::now(),
        }
    }

    /// Time since this point, which moves to now.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Self::now();
        let passed = now.since(self);
        *self = now;
        passed
    }

    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    fn since(&self, earlier: &Self) -> Duration {
        self.at.saturating_duration_since(earlier.at)
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    fn since(&self, _: &Self) -> Duration {
        Duration::ZERO
    }
}
