//! The clock of the race.

use std::time::{Duration, Instant};

/// A clock of time that passes, or of processor time of the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    processor: bool,
}

impl Clock {
    /// Creates a clock of processor time if `processor` is set and this is Linux, else of time that
    /// passes.
    ///
    /// Processor time leaves out the time in which other programs ran.
    pub fn new(processor: bool) -> Self {
        Self { start: Instant::now(), processor }
    }

    /// The time since an arbitrary start.
    #[inline]
    pub fn now(&self) -> Duration {
        #[cfg(target_os = "linux")]
        if self.processor {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            return Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32);
        }
        self.start.elapsed()
    }
}
