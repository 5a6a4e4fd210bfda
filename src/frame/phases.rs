//! Times of a step, on targets that have a clock.

use crate::memory::buffers::plain_buffers;
use std::fmt;
use std::ops::AddAssign;
use std::sync::OnceLock;
use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// Time per phase of the last successful step, in the order of the phases.
///
/// After [`World::step_changed`](crate::World::step_changed), if it only read the changed rows:
/// `plan` is reading and sorting these, `find_pairs` filing them and finding their pairs, `layout`
/// copying what readers have of the last step, `partition` moving the rows, and `gather` editing
/// the pairs. With fewer than 32 changed rows only `total` is measured.
///
/// All times are zero on targets without a clock, such as `wasm32-unknown-unknown`, unless
/// [one is set](Self::set_clock).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PhaseTimes {
    /// Sampling the rows, and choosing size classes and the bands of their grids.
    pub plan: Duration,
    /// Checking the rows and distributing them to bands, in parallel.
    pub partition: Duration,
    /// Building the grid of oversized bodies, and preparing the tasks.
    pub layout: Duration,
    /// Sorting bodies into cells and finding pairs, in parallel; see [`passes`](Self::passes).
    pub find_pairs: Duration,
    /// Joining the pairs of all tasks, in order.
    pub gather: Duration,
    /// Comparing contacts with those of the step before, if contacts are tracked.
    pub track_contacts: Duration,
    /// The whole step, from the call to the return. In a step of all rows, partner lists, keeping
    /// pairs for [`World::step_changed`](crate::World::step_changed) and, unless contacts are
    /// tracked, ids are in no other phase.
    pub total: Duration,
    /// The parts of `find_pairs`, summed over threads.
    pub passes: PassTimes,
}

/// Time per kind of pass within [`PhaseTimes::find_pairs`], summed over threads.
///
/// Each point grid is divided into bands, each handled by one task. If other threads help with a
/// band, because most of all pairs are in it, what counts is how long the thread of the band takes
/// until all have finished.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PassTimes {
    /// Sorting the bodies of bands into cells.
    pub sort: Duration,
    /// Tier 1: pairs of two bodies of one band.
    pub common: Duration,
    /// Tier 1: pairs of a band's bodies with bodies that reach into it from other bands or size
    /// classes.
    pub ghosts: Duration,
    /// Pairs of two bodies of tier 2, and of tier 2 with tier 1.
    pub oversized: Duration,
    /// Pairs of tiers 1 and 2 with tier 3.
    pub statics: Duration,
}

plain_buffers!(PhaseTimes);

impl AddAssign for PassTimes {
    fn add_assign(&mut self, other: Self) {
        self.sort += other.sort;
        self.common += other.common;
        self.ghosts += other.ghosts;
        self.oversized += other.oversized;
        self.statics += other.statics;
    }
}

impl fmt::Display for PhaseTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassTimes { sort, common, ghosts, oversized, statics } = self.passes;
        write!(f, "time      {:.3} ms", milliseconds(self.total))?;
        let phases = [
            ("plan", self.plan),
            ("partition", self.partition),
            ("layout", self.layout),
            ("find pairs", self.find_pairs),
            ("gather", self.gather),
            ("track contacts", self.track_contacts),
        ];
        write_times(f, ", of these: ", phases)?;
        let passes = [
            ("sort into cells", sort),
            ("within bands", common),
            ("across bands", ghosts),
            ("oversized", oversized),
            ("statics", statics),
        ];
        write_times(f, "\n          find pairs, all threads: ", passes)
    }
}

/// Writes the times that are not zero, if there are any.
fn write_times<const N: usize>(f: &mut fmt::Formatter<'_>, head: &str, times: [(&str, Duration); N]) -> fmt::Result {
    let mut separator = head;
    for (name, time) in times.into_iter().filter(|(_, time)| !time.is_zero()) {
        write!(f, "{separator}{name} {:.3}", milliseconds(time))?;
        separator = ", ";
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl PhaseTimes {
    /// Sets the clock on targets that have none, such as `wasm32-unknown-unknown`; elsewhere it has
    /// no effect.
    ///
    /// `now` returns the time since any moment, like `performance.now()` of a browser. The first
    /// call counts, for all worlds.
    ///
    /// # Cost
    ///
    /// A step reads the clock about fifteen times, and seven times for each band.
    pub fn set_clock(now: fn() -> Duration) {
        let _ = HOST_CLOCK.set(now);
    }
}

/// The clock of [`PhaseTimes::set_clock`].
static HOST_CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
type Moment = Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
type Moment = Duration;

/// A point in time; without a clock all points are equal.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    at: Moment,
}

impl Clock {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pub(crate) fn now() -> Self {
        Self { at: Instant::now() }
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub(crate) fn now() -> Self {
        Self { at: HOST_CLOCK.get().map_or(Duration::ZERO, |now| now()) }
    }

    /// Time since this point, which is set to now.
    pub(crate) fn lap(&mut self) -> Duration {
        let now = Self::now();
        let passed = now.since(self);
        *self = now;
        passed
    }

    /// Time since this point.
    pub(crate) fn elapsed(&self) -> Duration {
        Self::now().since(self)
    }

    /// Time from an earlier point to this one.
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    fn since(&self, earlier: &Self) -> Duration {
        self.at.saturating_duration_since(earlier.at)
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    fn since(&self, earlier: &Self) -> Duration {
        self.at.saturating_sub(earlier.at)
    }
}

/// Times the phases of a step one after the other, or none if the clock would take too long.
pub(crate) struct PhaseTimer {
    clock: Option<Clock>,
}

impl PhaseTimer {
    /// The first phase has begun at `start`.
    pub(crate) fn new(start: Clock, is_on: bool) -> Self {
        Self { clock: is_on.then_some(start) }
    }

    /// The time of a phase that ends now; the next one begins.
    pub(crate) fn lap(&mut self) -> Duration {
        self.clock.as_mut().map_or(Duration::ZERO, Clock::lap)
    }
}

#[cfg(all(test, target_family = "wasm", target_os = "unknown"))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn times_are_zero_until_the_host_lends_a_clock() {
        static NOW: AtomicU64 = AtomicU64::new(0);
        let mut clock = Clock::now();
        assert_eq!(clock.lap(), Duration::ZERO);
        PhaseTimes::set_clock(|| Duration::from_secs(NOW.fetch_add(1, Ordering::Relaxed)));
        clock = Clock::now();
        assert_eq!([clock.lap(), clock.lap()], [Duration::from_secs(1); 2]);
    }
}
