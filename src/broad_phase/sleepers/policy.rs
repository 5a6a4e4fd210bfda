//! When sleepers are cached, and when their cache is rebuilt.
//!
//! Decided by counts of rows in this step and the steps before, never by time or threads.

/// The cache is used if at most one row in this many is awake; with more, searching for them costs
/// more than the cache saves.
const AWAKE_SHARE: usize = 5;

/// What an awake body costs more than a cached one, in units of what it costs to file a body.
///
/// The cache is rebuilt once as much was spent on bodies that it could have held. So that is never
/// more than twice the least possible.
const AWAKE_COST: usize = 3;

/// The cache is also rebuilt if one in this many of its bodies is stale: those slow searches down.
const STALE_SHARE: usize = 4;

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

/// The rows of a step, by what is known of them.
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

/// What is remembered to decide.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SleepPolicy {
    /// Unchanged rows that were not cached, summed over the steps since the cache was rebuilt.
    uncached_rows: usize,
    /// Of the rows that the last rebuild was given, how many are oversized, which are never cached.
    pub(super) oversized: usize,
    /// The state of the statics in the last step.
    statics_version: u64,
}

/// Whether so few rows are awake that a cache may pay.
pub(super) fn few_are_awake(awake: usize, rows: usize) -> bool {
    awake * AWAKE_SHARE <= rows
}

impl SleepPolicy {
    pub(super) fn decide(&mut self, counts: RowCounts, statics_version: u64) -> SleepPlan {
        let RowCounts { rows, filed, cached, unchanged } = counts;
        let unchanged = unchanged.saturating_sub(self.oversized);
        // While statics change in every step, a cache would be outdated before it is used.
        let statics_are_same = std::mem::replace(&mut self.statics_version, statics_version) == statics_version;
        let may_rebuild = statics_are_same && unchanged > 0;
        if !few_are_awake(rows - cached, rows) {
            let pays = may_rebuild && few_are_awake(rows - (cached + unchanged), rows);
            return if pays { SleepPlan::Rebuild } else { SleepPlan::Ignore };
        }
        self.uncached_rows += unchanged;
        let pays = may_rebuild && self.uncached_rows * AWAKE_COST >= cached + unchanged;
        let many_are_stale = (filed - cached) * STALE_SHARE > filed;
        if pays || many_are_stale { SleepPlan::Rebuild } else { SleepPlan::Use }
    }

    /// The cache was rebuilt or dropped; `oversized` rows could not be cached.
    pub(super) fn reset(&mut self, oversized: usize) {
        (self.uncached_rows, self.oversized) = (0, oversized);
    }
}
