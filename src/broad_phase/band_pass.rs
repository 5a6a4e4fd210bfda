//! The passes over one band, and over one block of oversized bodies: the units of parallel work.
//!
//! J1: which pairs a task reports is decided by where bodies are filed, so that no two tasks report the same:
//! a band reports pairs of its own bodies, of its own with visitors (R2) and with oversized bodies, and of its own with
//! statics; a loose block reports pairs of oversized bodies (each once over all blocks) and of its share of them
//! with statics.

use crate::broad_phase::static_pass;
use crate::broad_phase::workers::{Scratch, SearchScratch};
use crate::config::WorldConfig;
use crate::contacts::stream::{Kind, first_sequence};
use crate::frame::frame::Index;
use crate::frame::phases::Clock;
use crate::geometry::{BodyCircle, oriented};
use crate::memory::buffers::part_start;
use crate::memory::disjoint::DisjointSlice;
use crate::memory::listener::{Listener, Tap};
use crate::memory::page::{Page, PagePool, PairBudget, PairSink};
use crate::memory::record::BodyRecord;
use crate::simd::DetectedSimd;
use crate::tier::point_grid::band::build::Band;
use crate::tier::point_grid::band::built::{Built, Terms};
use crate::tier::point_grid::band::crowded;
use crate::tier::point_grid::band::crowded::SplitScratch;
use crate::tier::point_grid::bands::BandSlot;
use crate::tier::point_grid::partition::Partition;
use crate::tier::static_tree::tree::StaticTree;
use parking_lot::Mutex;
use std::time::Duration;

/// What all tasks of a step share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'s> {
    pub(crate) config: &'s WorldConfig,
    pub(crate) level: DetectedSimd,
    pub(crate) partition: &'s Partition,
    /// Of all bands.
    pub(crate) records: DisjointSlice<'s, BodyRecord>,
    pub(crate) words: DisjointSlice<'s, u32>,
    pub(crate) statics: &'s StaticTree,
    /// For crowded bands, one at a time.
    pub(crate) split: &'s Mutex<SplitScratch>,
    pub(crate) pool: &'s PagePool,
    pub(crate) budget: &'s PairBudget,
    pub(crate) aim: Aim<'s>,
}

/// What tasks are run for.
#[derive(Clone, Copy)]
pub(crate) enum Aim<'s> {
    /// To file bodies and find their pairs: who is told of these while the step runs, and whether bodies are discs in it.
    Pairs { listener: Option<&'s Listener<'s>>, discs: bool },
    /// To file sleepers and find the pairs among them: oversized bodies are not, and no one is told.
    Sleepers { discs: bool },
    /// To file bodies.
    File,
}

impl<'s> Aim<'s> {
    /// Whether bodies are discs in this step.
    pub(crate) fn discs(self) -> bool {
        matches!(self, Self::Pairs { discs: true, .. } | Self::Sleepers { discs: true })
    }

    pub(crate) fn listener(self) -> Option<&'s Listener<'s>> {
        if let Self::Pairs { listener, .. } = self { listener } else { None }
    }
}

impl<'s> Shared<'s> {
    /// Whether bodies are discs in this step.
    pub(crate) fn discs(&self) -> bool {
        self.aim.discs()
    }

    /// Where the pairs of a task go.
    fn sink(&'s self, kind: Kind, number: usize, blocks: &'s mut Vec<Page>) -> PairSink<'s> {
        let tap = self.aim.listener().map(|listener| Tap::new(listener, first_sequence(kind, number)));
        PairSink::new(self.pool, self.budget, blocks).tapped(tap)
    }

    /// These for a task that tells of nothing while it runs.
    pub(crate) fn silent(self) -> Self {
        let aim = match self.aim {
            Aim::Pairs { discs, .. } => Aim::Pairs { listener: None, discs },
            other => other,
        };
        Self { aim, ..self }
    }

    /// Tells of all that a silent task found.
    pub(crate) fn tell(&self, number: usize, task: &Task) {
        if let (Some(listener), false) = (self.aim.listener(), self.budget.is_exceeded()) {
            for (kind, blocks) in [(Kind::Bodies, &task.body_blocks), (Kind::Statics, &task.static_blocks)] {
                Tap::new(listener, first_sequence(kind, number)).tell(blocks, 0);
            }
        }
    }
}

/// What a task leaves behind, in its place in the order of tasks.
#[derive(Default)]
pub(crate) struct Task {
    pub(crate) body_blocks: Vec<Page>,
    /// So many of the pairs, the first ones, are for sure among bodies that are filed in the task's band.
    pub(crate) own_pairs: usize,
    pub(crate) static_blocks: Vec<Page>,
    pub(crate) times: TaskTimes,
    /// Of a band's task: what it built.
    pub(crate) band: Band,
}

/// Time of a task by what it was spent on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TaskTimes {
    pub(crate) sort: Duration,
    pub(crate) common: Duration,
    pub(crate) visitors: Duration,
    pub(crate) oversized: Duration,
    pub(crate) statics: Duration,
}

/// Builds a band, finds the pairs of its bodies, and puts its columns in the place of its records.
pub(crate) fn run_band(
    shared: &Shared<'_>,
    index: &Index,
    number: usize,
    slot: &BandSlot,
    scratch: &mut Scratch,
    task: &mut Task,
) {
    (task.times, task.band, task.own_pairs) = (TaskTimes::default(), Band::default(), 0);
    let own = shared.partition.own(number);
    if own.is_empty() {
        return;
    }
    let mut clock = Clock::now();
    #[allow(unsafe_code)]
    // SAFETY: the partition gave each band places of its own for its records and for its visitors, `GridIndex::lay_out`
    // gave each its words, and a band has one task. Visitors are written by no task.
    let (records, visitors, words) = unsafe {
        let visitors = shared.records.read(shared.partition.visitors(number));
        (shared.records.slice(slot.records.clone()), visitors, shared.words.slice(slot.words.clone()))
    };
    let Scratch { band: scratch, search } = scratch;
    let terms = Terms { filters: index.filters_by_row(), discs: shared.discs() };
    let mut built = Built::new(&records[..own.len()], shared.config.cell_size, terms, words, scratch);
    task.band = built.band;
    let slot = &BandSlot { band: task.band, ..slot.clone() };
    task.times.sort = clock.lap();
    if matches!(shared.aim, Aim::File) {
        return built.keep(records);
    }

    let mut sink = shared.sink(Kind::Bodies, number, &mut task.body_blocks);
    // A spent sink ends the pass; the step then sees that the budget was exceeded.
    let own = &records[..own.len()];
    if crowded::is_worthwhile(&task.band, own) {
        // One for all (N1 in `tap.rs`).
        sink.hold();
        let _ = crowded::find_pairs(shared.level, (own, visitors), terms, &mut shared.split.lock(), &mut sink);
        sink.release();
        task.times.common = clock.lap();
    } else {
        let _ = built.own_pairs(shared.level, &mut sink);
        task.own_pairs = sink.pair_count();
        task.times.common = clock.lap();
        let _ = built.pairs_with(shared.level, visitors.iter().copied(), &mut sink);
        task.times.visitors = clock.lap();
    }
    let _ = pairs_with_oversized(shared, index, slot, &built, search, &mut sink);
    task.times.oversized = clock.lap();
    drop(sink);
    let mut sink = shared.sink(Kind::Statics, number, &mut task.static_blocks);
    let _ = static_pass::band(shared, slot, built.words, &built.cells, search, &mut sink);
    task.times.statics = clock.lap();
    built.keep(records);
    task.times.sort += clock.lap();
}

/// Tier 1 against tier 2: a large body covers a rectangle of cells, which is a handful of runs.
fn pairs_with_oversized(
    shared: &Shared<'_>,
    index: &Index,
    slot: &BandSlot,
    built: &Built<'_>,
    scratch: &mut SearchScratch,
    sink: &mut PairSink<'_>,
) -> Option<()> {
    if index.oversized_rows.is_empty() {
        return Some(());
    }
    scratch.found.clear();
    let area = oriented(slot.band.bounds, slot.transposed);
    index.loose.collect(&area, &mut scratch.seen_cells, &mut scratch.found);
    let found = scratch.found.iter().map(|&found| BodyRecord {
        aabb: oriented(index.oversized_boxes[found as usize], slot.transposed),
        row: index.oversized_rows[found as usize],
    });
    built.pairs_with(shared.level, found, sink)
}

/// Pairs of oversized bodies of one block of loose cells, and an equal share of them against the statics. `number` is the task's.
pub(crate) fn run_loose_block(
    shared: &Shared<'_>,
    index: &Index,
    block: usize,
    number: usize,
    scratch: &mut SearchScratch,
    task: &mut Task,
) {
    (task.times, task.own_pairs) = (TaskTimes::default(), 0);
    let mut clock = Clock::now();
    let (rows, filtered) = (&index.oversized_rows, index.filters_by_row().is_some());
    let mut sink = shared.sink(Kind::Bodies, number, &mut task.body_blocks);
    let boxes = &index.oversized_boxes;
    index.loose.find_block_pairs(block, &mut scratch.seen_cells, &mut |a, b| {
        if shared.discs() && !BodyCircle::of_box(&boxes[a as usize]).overlaps(&BodyCircle::of_box(&boxes[b as usize])) {
            return Some(());
        }
        let (a, b) = (rows[a as usize], rows[b as usize]);
        if filtered && !index.filter(a).interacts_with(index.filter(b)) {
            return Some(());
        }
        sink.push([a.min(b), a.max(b)])
    });
    drop(sink);
    task.times.oversized = clock.lap();
    let blocks = index.loose.block_count();
    let share = part_start(block, rows.len(), blocks)..part_start(block + 1, rows.len(), blocks);
    let mut sink = shared.sink(Kind::Statics, number, &mut task.static_blocks);
    let _ = static_pass::oversized(shared, index, share, scratch, &mut sink);
    task.times.statics = clock.lap();
}
