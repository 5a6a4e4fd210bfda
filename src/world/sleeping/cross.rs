//! Movers against sleepers.
//!
//! J2: a pair of a mover and a sleeper that stands is reported once: by the task that has the place of the mover in its band, or, if
//! the mover is oversized, by that of the band in which the sleeper is filed.
//!
//! Movers are taken in the order of places, so that those of a task look at the same parts of the same bands.
//!
//! Cost: a search of a band a mover, some 35 ns.

use super::super::index::Index;
use super::super::task::Task;
use super::super::worker::SearchScratch;
use crate::filter::Filter;
use crate::geometry::{RawBox, union};
use crate::storage::pages::{PagePool, PairBudget, PairSink};
use crate::storage::record::Record;
use crate::tier::point_grid::index::GridIndex;
use crate::tier::point_grid::meet::Met;
use std::ops::Range;

/// Movers of a task: some twenty microseconds, and near enough to each other to meet one or two bands.
const MOVERS: usize = 512;

/// A task.
#[derive(Clone, Debug)]
pub(super) enum Cross {
    /// Movers at some places of a band of theirs.
    Common { slot: usize, places: Range<usize> },
    /// The oversized movers against a band of sleepers.
    Oversized { slot: usize },
}

/// Lists the tasks: by the input, never by threads.
pub(super) fn list(index: &Index, sleepers: &GridIndex, tasks: &mut Vec<Cross>) {
    tasks.clear();
    for (slot, population) in index.grid.slots.iter().map(|slot| slot.band.population).enumerate() {
        let starts = (0..population).step_by(MOVERS);
        tasks.extend(starts.map(|from| Cross::Common { slot, places: from..population.min(from + MOVERS) }));
    }
    if !index.oversized_rows.is_empty() {
        tasks.extend((0..sleepers.slots.len()).map(|slot| Cross::Oversized { slot }));
    }
}

/// What the tasks share.
pub(super) struct Crossing<'s> {
    pub(super) index: &'s Index,
    pub(super) sleepers: &'s GridIndex,
    pub(super) pool: &'s PagePool,
    pub(super) budget: &'s PairBudget,
}

impl Crossing<'_> {
    /// Finds the pairs of a task.
    pub(super) fn run(&self, cross: &Cross, scratch: &mut SearchScratch, task: &mut Task) {
        let mut sink = PairSink::new(self.pool, self.budget, &mut task.body_blocks);
        // A spent sink ends the pass; the step then sees that the budget was exceeded.
        let _ = match cross {
            Cross::Common { slot, places } => self.common(*slot, places.clone(), &mut sink),
            Cross::Oversized { slot } => self.oversized(*slot, scratch, &mut sink),
        };
    }

    fn common(&self, slot: usize, places: Range<usize>, sink: &mut PairSink<'_>) -> Option<()> {
        let movers = self.index.grid.bodies(slot, places);
        let Some(bounds) = movers.clone().map(|mover| mover.aabb).reduce(|a, b| union(&a, &b)) else {
            return Some(());
        };
        for met in self.sleepers.slots_met(bounds) {
            let met = self.sleepers.met(met);
            for mover in movers.clone() {
                self.pairs(&met, mover, sink)?;
            }
        }
        Some(())
    }

    fn oversized(&self, slot: usize, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Index { loose, oversized_boxes, oversized_rows, .. } = self.index;
        let met = self.sleepers.met(slot);
        scratch.found.clear();
        loose.collect(&met.bounds(), &mut scratch.seen_cells, &mut scratch.found);
        scratch.found.iter().try_for_each(|&found| {
            let (aabb, row): (RawBox, u32) = (oversized_boxes[found as usize], oversized_rows[found as usize]);
            self.pairs(&met, Record { aabb, row }, sink)
        })
    }

    /// The pairs of a mover with the sleepers of a band.
    #[inline(always)]
    fn pairs(&self, met: &Met<'_>, mover: Record, sink: &mut PairSink<'_>) -> Option<()> {
        let index = self.index;
        let filter: Option<Filter> = index.filters_by_row().map(|filters| filters[mover.row as usize]);
        let mut spent = false;
        met.visit(&mover.aabb, |row| {
            let allowed = filter.is_none_or(|filter| filter.allows(index.filter(row)));
            if !spent && allowed && index.asleep.stands(row) {
                spent = sink.push([row.min(mover.row), row.max(mover.row)]).is_none();
            }
        });
        (!spent).then_some(())
    }
}
