//! Decides when sleepers are cached, and when their cache is rebuilt.
//!
//! The decision depends on counts of rows in this step and earlier ones, never on time or threads.

use crate::frame::statics_version::StaticsVersion;

/// The cache is used if at most one row in this many is awake; with more, searching for them costs
/// more than the cache saves, unless they are close together.
const AWAKE_SHARE: usize = 5;

/// The additional cost of an awake body, in units of the cost of filing a body.
///
/// The cache is rebuilt once as much was spent on bodies that it could have contained as filing
/// costs, so these bodies and their filing together cost at most twice the least possible.
const AWAKE_COST: usize = 7;

/// The cache is also rebuilt if one in this many of its bodies is stale, since stale bodies slow
/// searches down.
const STALE_SHARE: usize = 4;

/// Measured costs of a row, in eighths of what it costs in a step without a cache: to compare it,
/// to step it while most others are cached, to cache it in a rebuild, and to drop the pairs of
/// stale rows while it is cached.
///
/// To step a row costs 13 if awake bodies are close together, and 36 to 60 if they are scattered
/// among cached ones.
const PLAIN_EIGHTHS: i64 = 8;
const COMPARE_EIGHTHS: i64 = 1;
const AWAKE_EIGHTHS: i64 = 40;
const REBUILD_EIGHTHS: i64 = 10;
const DROP_EIGHTHS: i64 = 1;

/// Steps in sequence that compare their rows without benefit before comparing pauses. Two are
/// normal: the first step, and the one after statics changed.
const IGNORED_MAX: u32 = 3;

/// Steps of the first pause, and of the longest one.
const PAUSE_MIN: u32 = 8;
const PAUSE_MAX: u32 = 128;

/// Each pause is this many times as long as the one before.
const PAUSE_GROWTH: u32 = 4;

/// What to do with the sleepers of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SleepPlan {
    /// Step all rows as if they were awake.
    Ignore,
    /// Use the cache as it is.
    Use,
    /// Rebuild the cache, then use it.
    Rebuild,
}

/// Counts of the rows of a step by state.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowCounts {
    pub(super) rows: usize,
    /// Rows in the cache, stale ones included.
    pub(super) filed: usize,
    /// Rows that are cached and not stale.
    pub(super) cached: usize,
    /// Rows that are asleep and unchanged since the last step, but not cached.
    pub(super) unchanged: usize,
}

/// The state of the policy between steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SleepPolicy {
    /// Unchanged rows that were not cached, summed over the steps since the cache was rebuilt.
    uncached_rows: usize,
    /// Oversized rows among those of the last rebuild; they are never cached.
    oversized: usize,
    /// The version of the statics in the last step; `None` before the first one.
    statics_version: Option<StaticsVersion>,
    /// The cost saved since the last rebuild, minus the cost of that rebuild, in eighths of a row.
    saved: i64,
    /// Steps in sequence that compared their rows without benefit.
    ignored: u32,
    /// Steps left in the present pause, and the length of the last pause.
    pause_left: u32,
    last_pause: u32,
}

/// Whether so few rows are awake that a cache may pay.
fn few_are_awake(awake: usize, rows: usize) -> bool {
    awake * AWAKE_SHARE <= rows
}

/// What a step saves by using the cache as it is, in eighths of a row.
fn step_gain(rows: usize, cached: usize) -> i64 {
    (PLAIN_EIGHTHS - COMPARE_EIGHTHS) * rows as i64 - AWAKE_EIGHTHS * (rows - cached) as i64
}

impl SleepPolicy {
    /// Whether to compare the rows of a step with the cache.
    pub(super) fn may_pay(&mut self, rows: usize, asleep: usize) -> bool {
        let is_paused = self.pause_left > 0;
        self.pause_left = self.pause_left.saturating_sub(1);
        !is_paused && few_are_awake(rows - asleep, rows)
    }

    pub(super) fn decide(&mut self, counts: RowCounts, statics_version: StaticsVersion) -> SleepPlan {
        let plan = self.best_plan(counts, statics_version);
        self.ignored = if plan == SleepPlan::Ignore { self.ignored + 1 } else { 0 };
        // If a cache did not repay its rebuild, another one would probably not either.
        let did_not_pay = plan == SleepPlan::Rebuild && self.saved < 0;
        if did_not_pay || self.ignored > IGNORED_MAX {
            self.last_pause = (self.last_pause * PAUSE_GROWTH).clamp(PAUSE_MIN, PAUSE_MAX);
            self.pause_left = self.last_pause;
            (self.saved, self.ignored) = (0, 0);
            return SleepPlan::Ignore;
        }
        plan
    }

    /// The best plan if the cache repays its rebuilds.
    fn best_plan(
        &mut self,
        RowCounts { rows, filed, cached, unchanged }: RowCounts,
        statics_version: StaticsVersion,
    ) -> SleepPlan {
        let unchanged = unchanged.saturating_sub(self.oversized);
        // While statics change in every step, a cache would be outdated before it is used.
        let statics_are_same = self.statics_version.replace(statics_version) == Some(statics_version);
        let may_rebuild = statics_are_same && unchanged > 0;
        if !few_are_awake(rows - cached, rows) {
            let pays = may_rebuild && few_are_awake(rows - (cached + unchanged), rows);
            return if pays { SleepPlan::Rebuild } else { SleepPlan::Ignore };
        }
        self.uncached_rows += unchanged;
        let is_losing = step_gain(rows, cached) < 0;
        let pays = may_rebuild && (is_losing || self.uncached_rows * AWAKE_COST >= cached + unchanged);
        let many_are_stale = (filed - cached) * STALE_SHARE > filed;
        if pays || many_are_stale { SleepPlan::Rebuild } else { SleepPlan::Use }
    }

    /// Counts a rebuild that cached this many rows and could not cache `oversized` ones.
    pub(super) fn count_rebuild(&mut self, cached: usize, oversized: usize) {
        if self.saved > 0 {
            self.last_pause = 0;
        }
        (self.uncached_rows, self.oversized) = (0, oversized);
        self.saved = -(REBUILD_EIGHTHS * cached as i64);
    }

    /// Counts a step that used the cache; `dropped` says whether pairs of stale rows were dropped.
    pub(super) fn count_use(&mut self, rows: usize, cached: usize, dropped: bool) {
        let drop_cost = if dropped { DROP_EIGHTHS } else { 0 };
        self.saved += step_gain(rows, cached) - drop_cost * cached as i64;
    }

    /// The cache was dropped.
    pub(super) fn clear(&mut self) {
        (self.uncached_rows, self.oversized) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 1000;

    /// A model of a cache of [`ROWS`] rows, of which `moving(step)` move in a step: always the same
    /// rows if `same`, otherwise different ones each time.
    fn run(steps: usize, same: bool, moving: impl Fn(usize) -> usize) -> (Vec<SleepPlan>, i64) {
        let mut policy = SleepPolicy::default();
        let (mut filed, mut cached, mut moved_before) = (0, 0, ROWS);
        let (mut plans, mut spent) = (Vec::new(), 0);
        for step in 0..steps {
            let moving = moving(step);
            if !policy.may_pay(ROWS, ROWS) {
                plans.push(SleepPlan::Ignore);
                spent += PLAIN_EIGHTHS * ROWS as i64;
                (filed, cached, moved_before) = (0, 0, ROWS);
                continue;
            }
            let before = cached;
            cached = if same { cached.min(ROWS - moving) } else { cached.saturating_sub(moving) };
            let at_rest = ROWS - if same { moving.max(moved_before) } else { (moving + moved_before).min(ROWS) };
            let unchanged = at_rest.saturating_sub(cached);
            moved_before = moving;
            let plan = policy.decide(RowCounts { rows: ROWS, filed, cached, unchanged }, StaticsVersion::default());
            spent += COMPARE_EIGHTHS * ROWS as i64;
            match plan {
                SleepPlan::Ignore => spent += PLAIN_EIGHTHS * ROWS as i64,
                SleepPlan::Rebuild => {
                    cached += unchanged;
                    filed = cached;
                    spent += REBUILD_EIGHTHS * cached as i64;
                    policy.count_rebuild(cached, 0);
                }
                SleepPlan::Use => {}
            }
            if plan != SleepPlan::Ignore {
                let dropped = cached < before;
                policy.count_use(ROWS, cached, dropped);
                spent += AWAKE_EIGHTHS * (ROWS - cached) as i64 + i64::from(dropped) * cached as i64;
            }
            plans.push(plan);
        }
        (plans, spent)
    }

    fn plain_cost(steps: usize) -> i64 {
        PLAIN_EIGHTHS * (steps * ROWS) as i64
    }

    #[test]
    fn rows_at_rest_are_cached_once() {
        let (plans, spent) = run(100, true, |_| 50);
        let rebuilds = plans.iter().filter(|plan| **plan == SleepPlan::Rebuild).count();
        assert_eq!((rebuilds, plans.last()), (1, Some(&SleepPlan::Use)));
        assert!(spent < plain_cost(100) / 2, "{spent}");
    }

    #[test]
    fn caches_that_do_not_pay_are_abandoned() {
        for moving in [50, 80, 100, 125, 150, 200] {
            let (plans, spent) = run(1000, false, |_| moving);
            assert!(spent < plain_cost(1000) * 103 / 100, "{moving} of {ROWS} move: {spent}");
            let (_, spent) = run(200, false, |_| moving);
            assert!(spent < plain_cost(200) * 105 / 100, "{moving} of {ROWS} move for 200 steps: {spent}");
            assert!(plans.contains(&SleepPlan::Ignore), "{moving}");
        }
        let (plans, spent) = run(1000, false, |_| 10);
        assert!(!plans[2..].contains(&SleepPlan::Ignore) && spent < plain_cost(1000) * 3 / 4, "{spent}");
    }

    #[test]
    fn a_cache_is_tried_again_after_a_pause() {
        let (plans, _) = run(400, false, |step| if step < 200 { 150 } else { 0 });
        let longest_wait = PAUSE_MAX as usize + 3;
        assert!(plans[200 + longest_wait..].iter().all(|plan| *plan == SleepPlan::Use));
    }
}
