//! The passes over one band, and over one block of oversized bodies: the units of parallel work.
//!
//! J1: which pairs a task reports is decided by where bodies are filed, so that no two tasks report the same:
//! a band reports pairs of its own bodies, of its own with visitors (R2) and with oversized bodies, and of its own with
//! statics; a loose block reports pairs of oversized bodies (each once over all blocks) and of its share of them
//! with statics.

use super::clock::Clock;
use super::index::Index;
use super::static_pass;
use super::worker::{Scratch, SearchScratch};
use crate::config::WorldConfig;
use crate::geometry::{Disc, RadiusAxis, oriented};
use crate::kernel::Level;
use crate::storage::disjoint::Disjoint;
use crate::storage::pages::{Block, PagePool, PairBudget, PairSink};
use crate::storage::part_start;
use crate::storage::record::Record;
use crate::storage::tap::{Listener, Tap};
use crate::stream::{Kind, first_sequence};
use crate::tier::point_grid::band::Band;
use crate::tier::point_grid::index::BandSlot;
use crate::tier::point_grid::partition::Partition;
use crate::tier::point_grid::pass::{Built, Terms};
use crate::tier::point_grid::split::{self, SplitScratch};
use crate::tier::static_tree::StaticTree;
use parking_lot::Mutex;
use std::time::Duration;

/// What all tasks of a step share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'s> {
    pub(super) config: &'s WorldConfig,
    pub(super) level: Level,
    pub(super) partition: &'s Partition,
    /// Of all bands.
    pub(super) records: Disjoint<'s, Record>,
    pub(super) words: Disjoint<'s, u32>,
    pub(super) statics: &'s StaticTree,
    /// For crowded bands, one at a time.
    pub(super) split: &'s Mutex<SplitScratch>,
    pub(super) pool: &'s PagePool,
    pub(super) budget: &'s PairBudget,
    pub(super) aim: Aim<'s>,
}

/// What tasks are run for.
#[derive(Clone, Copy)]
pub(super) enum Aim<'s> {
    /// To file bodies and find their pairs: who is told of these while the step runs, and whether bodies are discs in it.
    Pairs { listener: Option<&'s Listener<'s>>, discs: bool },
    /// To file sleepers and find the pairs among them: oversized bodies are not, and no one is told.
    Sleepers { discs: bool },
    /// To file bodies.
    File,
}

impl<'s> Aim<'s> {
    /// Whether bodies are discs in this step.
    pub(super) fn discs(self) -> bool {
        matches!(self, Self::Pairs { discs: true, .. } | Self::Sleepers { discs: true })
    }

    pub(super) fn listener(self) -> Option<&'s Listener<'s>> {
        if let Self::Pairs { listener, .. } = self { listener } else { None }
    }
}

impl<'s> Shared<'s> {
    /// Whether bodies are discs in this step.
    pub(super) fn discs(&self) -> bool {
        self.aim.discs()
    }

    /// Where the pairs of a task go.
    fn sink(&'s self, kind: Kind, number: usize, blocks: &'s mut Vec<Block>) -> PairSink<'s> {
        let tap = self.aim.listener().map(|listener| Tap::new(listener, first_sequence(kind, number)));
        PairSink::new(self.pool, self.budget, blocks).tapped(tap)
    }

    /// These for a task that tells of nothing while it runs.
    pub(super) fn silent(self) -> Self {
        let aim = match self.aim {
            Aim::Pairs { discs, .. } => Aim::Pairs { listener: None, discs },
            other => other,
        };
        Self { aim, ..self }
    }

    /// Tells of all that a silent task found.
    pub(super) fn tell(&self, number: usize, task: &Task) {
        if let (Some(listener), false) = (self.aim.listener(), self.budget.is_exceeded()) {
            for (kind, blocks) in [(Kind::Bodies, &task.body_blocks), (Kind::Statics, &task.static_blocks)] {
                Tap::new(listener, first_sequence(kind, number)).tell(blocks, 0);
            }
        }
    }
}

/// What a task leaves behind, in its place in the order of tasks.
#[derive(Default)]
pub(super) struct Task {
    pub(super) body_blocks: Vec<Block>,
    /// So many of the pairs, the first ones, are for sure among bodies that are filed in the task's band.
    pub(super) own_pairs: usize,
    pub(super) static_blocks: Vec<Block>,
    pub(super) times: TaskTimes,
    /// Of a band's task: what it built.
    pub(super) band: Band,
}

/// Time of a task by what it was spent on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TaskTimes {
    pub(super) sort: Duration,
    pub(super) common: Duration,
    pub(super) visitors: Duration,
    pub(super) oversized: Duration,
    pub(super) statics: Duration,
}

/// Builds a band, finds the pairs of its bodies, and puts its columns in the place of its records.
pub(super) fn run_band(
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
    let discs = shared.discs().then(|| RadiusAxis::of(slot.transposed));
    let terms = Terms { filters: index.filters_by_row(), discs };
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
    if split::is_worthwhile(&task.band, own) {
        // One for all (N1 in `tap.rs`).
        sink.hold();
        let _ = split::find_pairs(shared.level, (own, visitors), terms, &mut shared.split.lock(), &mut sink);
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
    let found = scratch.found.iter().map(|&found| Record {
        aabb: oriented(index.oversized_boxes[found as usize], slot.transposed),
        row: index.oversized_rows[found as usize],
    });
    built.pairs_with(shared.level, found, sink)
}

/// Pairs of oversized bodies of one block of loose cells, and an equal share of them against the statics. `number` is the task's.
pub(super) fn run_loose_block(
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
        if shared.discs() && !Disc::of(&boxes[a as usize]).meets(&Disc::of(&boxes[b as usize])) {
            return Some(());
        }
        let (a, b) = (rows[a as usize], rows[b as usize]);
        if filtered && !index.filter(a).allows(index.filter(b)) {
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
