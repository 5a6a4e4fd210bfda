//! Movers against sleepers.
//!
//! J2: a pair of a mover and a sleeper that stands is reported once: by the task that has the place of the mover in its band,
//! or, if the mover is oversized, by that of the band in which the sleeper is filed.
//!
//! Movers are taken in the order of places, so that those of a task look at the same parts of the same bands.
//!
//! Cost: a search of a band a mover, some 35 ns.

use crate::broad_phase::band_pass::{Aim, Task};
use crate::broad_phase::workers::SearchScratch;
use crate::contacts::stream::{Kind, first_sequence};
use crate::frame::frame::Index;
use crate::geometry::union;
use crate::memory::listener::Tap;
use crate::memory::page::{PagePool, PairBudget, PairSink};
use crate::memory::record::BodyRecord;
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::point_grid::cross::{MeetScratch, Met, TOGETHER};
use smallvec::SmallVec;
use std::ops::Range;

/// Movers of a task: some thirty microseconds, and near enough to each other to meet one or two bands.
const MOVERS: usize = TOGETHER;

/// A task.
#[derive(Clone, Debug)]
pub(crate) enum Cross {
    /// Movers at some places of a band of theirs.
    Common { slot: usize, places: Range<usize> },
    /// The oversized movers against a band of sleepers.
    Oversized { slot: usize },
}

/// Lists the tasks: by the input, never by threads.
pub(crate) fn list(index: &Index, sleepers: &GridIndex, tasks: &mut Vec<Cross>) {
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
pub(crate) struct Crossing<'s> {
    pub(crate) index: &'s Index,
    pub(crate) sleepers: &'s GridIndex,
    pub(crate) aim: Aim<'s>,
    pub(crate) pool: &'s PagePool,
    pub(crate) budget: &'s PairBudget,
}

impl Crossing<'_> {
    /// Finds the pairs of a task, by its number among all of the step.
    pub(crate) fn run(&self, cross: &Cross, number: usize, scratch: &mut SearchScratch, task: &mut Task) {
        let tap = self.aim.listener().map(|listener| Tap::new(listener, first_sequence(Kind::Bodies, number)));
        let mut sink = PairSink::new(self.pool, self.budget, &mut task.body_blocks).tapped(tap);
        // A spent sink ends the pass; the step then sees that the budget was exceeded.
        let _ = match cross {
            Cross::Common { slot, places } => self.common(*slot, places.clone(), &mut sink),
            Cross::Oversized { slot } => self.oversized(*slot, scratch, &mut sink),
        };
    }

    fn common(&self, slot: usize, places: Range<usize>, sink: &mut PairSink<'_>) -> Option<()> {
        let mut scratch = MeetScratch::default();
        let movers: SmallVec<[BodyRecord; TOGETHER]> = self.index.grid.bodies(slot, places).collect();
        let Some(bounds) = movers.iter().map(|mover| mover.aabb).reduce(|a, b| union(&a, &b)) else {
            return Some(());
        };
        let mut slots = self.sleepers.slots_met(bounds);
        slots.try_for_each(|slot| self.pairs(&self.sleepers.met(slot), &movers, &mut scratch, sink))
    }

    fn oversized(&self, slot: usize, scratch: &mut SearchScratch, sink: &mut PairSink<'_>) -> Option<()> {
        let Index { loose, oversized_boxes, oversized_rows, .. } = self.index;
        let met = self.sleepers.met(slot);
        scratch.found.clear();
        loose.collect(&met.bounds(), &mut scratch.seen_cells, &mut scratch.found);
        let mover =
            |&found: &u32| BodyRecord { aabb: oversized_boxes[found as usize], row: oversized_rows[found as usize] };
        let mut buffers = MeetScratch::default();
        scratch.found.chunks(TOGETHER).try_for_each(|found| {
            let movers: SmallVec<[BodyRecord; TOGETHER]> = found.iter().map(mover).collect();
            self.pairs(&met, &movers, &mut buffers, sink)
        })
    }

    /// The pairs of up to [`TOGETHER`] movers with the sleepers of a band.
    fn pairs(
        &self,
        met: &Met<'_>,
        movers: &[BodyRecord],
        scratch: &mut MeetScratch,
        sink: &mut PairSink<'_>,
    ) -> Option<()> {
        let index = self.index;
        let filters = index.filters_by_row();
        met.visit_all(movers, self.aim.discs(), scratch, |mover, row| {
            // A hole first: there may be no such row any more.
            if !index.asleep.stands(row) {
                return Some(());
            }
            let allowed = filters.is_none_or(|filters| filters[mover as usize].interacts_with(filters[row as usize]));
            if allowed { sink.push([row.min(mover), row.max(mover)]) } else { Some(()) }
        })
    }
}
