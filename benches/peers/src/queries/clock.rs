//! What time is told by.

use std::time::{Duration, Instant};

/// Either of two clocks; what a reading is from does not matter.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    processor: bool,
}

impl Clock {
    /// Of what passes, or, if `processor`, of what the calling thread itself runs: on a machine that others use too, the
    /// times in which they ran are left out. That is told on Linux alone; elsewhere it is what passes.
    pub fn new(processor: bool) -> Self {
        Self { start: Instant::now(), processor }
    }

    /// Now.
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
