//! Bodies that sleep: filed once, and left where they are as long as they are seen to be unchanged.
//!
//! Beside the grid that each step makes there is one that is kept, with the pairs among those filed in it and with statics. A
//! step compares all rows with what was filed (H in `stretch.rs`). Rows that stand cost no more than that. The others are the
//! movers: they go through the phases of a step as if they were all bodies, and are then searched for among the sleepers (J2 in
//! `cross.rs`).
//!
//! Z1: the pairs of a step are those of its movers, those of movers and sleepers that stand, and those that stand: the ones found
//! when the sleepers were filed, less those of holes. As boxes and filters of what stands are what they were then, these are the
//! pairs of all rows.
//! Z2: sleepers are filed and pairs left out beside what the last good step has: a grid and pairs that an index or the contacts
//! hold do not change. A step that is refused leaves holes (H2), or nothing filed.
//! Z3: statics that changed since sleepers were filed make what was found with them worthless, as does another rule of what
//! overlaps: then nothing stands.
//! Z4: what is filed when is decided by counts of rows, by all steps that were tried before, never by time or threads.
//!
//! Oversized bodies are always movers: what is worth keeping of them is little, and they are few.
//!
//! Cost: a comparison a row and step (1.5 to 2 ns), about four times what a body costs else for each mover, and a step over all
//! sleepers when they are filed.

pub(crate) mod cached_pairs;
pub(crate) mod cached_rows;
pub(crate) mod cross;
pub(crate) use crate::broad_phase::sleepers::cached_pairs::StandingPairs;
pub(crate) use crate::frame::sleepers::Asleep;

use crate::broad_phase::band_pass::{Aim, Task};
use crate::broad_phase::pairs::FoundPairs;
use crate::broad_phase::sleepers::cached_pairs::Standing;
use crate::broad_phase::sleepers::cached_rows::{Listed, STRETCH, Stretch, Verify};
use crate::broad_phase::sleepers::cross::{Cross, Crossing};
use crate::config::InvalidRows;
use crate::contacts::stream::{Kind, first_sequence};
use crate::error::{Error, InvalidRow};
use crate::frame::frame::Index;
use crate::frame::phases::Clock;
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::memory::listener::Tap;
use crate::memory::page::{PagePool, PairBudget};
use crate::memory::record::BodyRecord;
use crate::parallel;
use crate::report::Phases;
use crate::tier::point_grid::bands::GridIndex;
use crate::tier::point_grid::plan::Wishes;
use crate::world::World;
use std::sync::Arc;

/// A step goes among sleepers where at most one row in so many moves: with more, movers cost more than sleepers save.
const MOVERS_SHARE: usize = 5;

/// What a mover costs more than one that stands, in units of what it costs to file a row: sleepers are filed anew once as much
/// was spent on those that could have been filed, which is never more than twice the least.
const MOVER_COST: usize = 3;

/// They are also filed anew when one in so many of those filed is a hole: holes are in the way of searches.
const HOLES_SHARE: usize = 4;

/// What a world knows of sleepers.
#[derive(Default)]
pub(crate) struct Sleeping {
    /// By row, [`STRETCH`] rows each.
    stretches: Vec<Stretch>,
    /// How many rows are filed in `grid`; it counts if there are any.
    filed: usize,
    grid: Arc<GridIndex>,
    /// Those filed before, to be used again once no index has them.
    spares: Vec<Arc<GridIndex>>,
    standing: Standing,
    /// How many rows stood when pairs were last left out.
    reflected: usize,
    /// The state of statics that the sleepers were filed with (Z3), and the one of the last step.
    statics_version: u64,
    seen_version: u64,
    /// Whether bodies were discs when the sleepers were filed.
    discs: bool,
    /// Rows that were settled and not filed, summed over steps since the sleepers were filed.
    debt: usize,
    /// Of those that were to be filed, how many are oversized.
    left_over: usize,
    listed: Vec<BodyRecord>,
    tasks: Vec<Cross>,
    /// In the place of a step's index while sleepers are filed; none before the first are.
    filing: Option<Index>,
    /// Set while a step runs: a panic leaves what cannot be trusted.
    unfinished: bool,
}

/// What is to be done with the rows of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// All as if they were awake.
    Plain,
    /// Movers among sleepers.
    Among,
    /// The same, once the sleepers are filed anew.
    File,
}

/// Spare grids that are kept: the one that the last good step had, while the next is built.
const SPARES_MAX: usize = 1;

impl Sleeping {
    /// Nothing is filed.
    pub(crate) fn forget(&mut self) {
        self.stretches.iter_mut().for_each(Stretch::clear_all);
        self.standing.clear();
        (self.filed, self.debt, self.left_over) = (0, 0, 0);
    }

    fn count(&self, count: impl Fn(&Stretch) -> usize) -> usize {
        self.stretches.iter().map(count).sum()
    }

    fn standing_count(&self) -> usize {
        self.count(|stretch| stretch.standing_count)
    }

    /// Rows of the last step among sleepers that were left out, ascending.
    pub(crate) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.stretches.iter().flat_map(|stretch| &stretch.bad).copied()
    }

    /// Another step begins, which may not look for sleepers at all.
    pub(crate) fn forget_bad_rows(&mut self) {
        self.stretches.iter_mut().for_each(|stretch| stretch.bad.clear());
    }

    /// How many pairs stand.
    fn pair_count(&self) -> usize {
        self.standing.bodies.pair_count + self.standing.statics.pair_count
    }

    /// Finds out which rows stand. The first bad one is the error, unless they are left out.
    fn verify(
        &mut self,
        input: &Chunks<'_, '_>,
        index: &Index,
        skip: bool,
        level: crate::simd::DetectedSimd,
        parallel: bool,
    ) -> Result<(), Error> {
        let count = input.len().div_ceil(STRETCH);
        if self.stretches.len() < count {
            self.stretches.resize_with(count, Stretch::default);
        }
        let (present, gone) = self.stretches.split_at_mut(count);
        gone.iter_mut().for_each(Stretch::clear_all);
        let filters = index.filters_by_row();
        parallel::for_each_mut(parallel, present, |number, stretch| {
            level.run(Verify { input, filters, number, stretch, skip });
        });
        match self.invalid_rows().next() {
            Some(first) if !skip => Err(Error::InvalidBody(first)),
            _ => Ok(()),
        }
    }

    /// Z4
    fn decide(&mut self, rows: usize, statics_version: u64) -> Decision {
        let stand = self.standing_count();
        let settled = self.count(|stretch| stretch.settled_count).saturating_sub(self.left_over);
        let may_file = std::mem::replace(&mut self.seen_version, statics_version) == statics_version && settled > 0;
        let few_move = |stand: usize| (rows - stand) * MOVERS_SHARE <= rows;
        if !few_move(stand) {
            return if may_file && few_move(stand + settled) { Decision::File } else { Decision::Plain };
        }
        self.debt += settled;
        let pays = may_file && self.debt * MOVER_COST >= stand + settled;
        let holes = (self.filed - stand) * HOLES_SHARE > self.filed;
        if pays || holes { Decision::File } else { Decision::Among }
    }

    /// A grid that no one else has.
    fn spare(&mut self) -> Arc<GridIndex> {
        let free = self.spares.iter_mut().position(|spare| Arc::get_mut(spare).is_some());
        free.map(|at| self.spares.swap_remove(at)).unwrap_or_default()
    }

    pub(crate) fn page_count(&self) -> usize {
        self.standing.page_count()
    }

    /// Without the grids that indexes have, but for the one filed last.
    pub(crate) fn bytes(&self) -> usize {
        let unused = (self.stretches.capacity() - self.stretches.len()) * size_of::<Stretch>();
        self.count(Stretch::bytes)
            + unused
            + self.filing.as_ref().map_or(0, Index::bytes)
            + self.listed.capacity() * size_of::<BodyRecord>()
            + self.tasks.capacity() * size_of::<Cross>()
    }

    /// The grids that are held here.
    pub(crate) fn grids(&self) -> impl Iterator<Item = &Arc<GridIndex>> {
        self.spares.iter().chain([&self.grid])
    }

    /// Gives back what the last good step does not need, whose index this is.
    pub(crate) fn shrink_to_fit(&mut self, front: &Index, pool: &PagePool) {
        if front.asleep.grid().is_none() {
            *self = Self::default();
            return;
        }
        self.standing.shrink_to_fit(pool);
        (self.spares, self.listed, self.tasks, self.filing) = Default::default();
        self.stretches.iter_mut().for_each(Stretch::shrink_to_fit);
    }
}

impl World {
    /// Builds the next frame from movers and sleepers, if enough rows stand or can be filed; whether it did.
    pub(crate) fn step_among_sleepers(
        &mut self,
        input: &Chunks<'_, '_>,
        index: &mut Index,
        parallel: bool,
        aim: Aim<'_>,
        phases: &mut Phases,
    ) -> Result<bool, Error> {
        if std::mem::replace(&mut self.sleeping.unfinished, true) {
            self.sleeping = Sleeping { unfinished: true, ..Sleeping::default() };
        }
        let outcome = self.step_movers(input, index, parallel, aim, phases);
        self.sleeping.unfinished = false;
        if !matches!(outcome, Ok(true)) {
            index.asleep.clear();
            // What the whole step finds wrong, it finds itself.
            self.sleeping.forget_bad_rows();
        }
        outcome
    }

    fn step_movers(
        &mut self,
        input: &Chunks<'_, '_>,
        index: &mut Index,
        parallel: bool,
        aim: Aim<'_>,
        phases: &mut Phases,
    ) -> Result<bool, Error> {
        let rows = input.len();
        // As few as might be.
        if (rows - input.asleep_count()) * MOVERS_SHARE > rows {
            return Ok(false);
        }
        let mut clock = Clock::now();
        input.copy_filters(&mut index.filters);
        let sleeping = &mut self.sleeping;
        sleeping.standing.reclaim(&self.pool);
        let discs = aim.discs();
        if sleeping.filed > 0 && (sleeping.statics_version, sleeping.discs) != (self.statics_version, discs) {
            sleeping.forget(); // Z3
        }
        sleeping.verify(input, index, self.config.invalid_rows == InvalidRows::Skip, self.level, parallel)?;
        let decision = sleeping.decide(rows, self.statics_version);
        phases.partition += clock.lap();
        match decision {
            Decision::Plain => return Ok(false),
            Decision::Among => {}
            Decision::File => self.file_sleepers(parallel, index, discs, phases)?,
        }
        let mut clock = Clock::now();
        let sleeping = &mut self.sleeping;
        let stand = sleeping.standing_count();
        let words = (stand < sleeping.filed)
            .then(|| sleeping.stretches.iter().flat_map(|stretch| stretch.standing().iter().copied()));
        index.asleep.set(&sleeping.grid, stand, words);
        if stand < sleeping.reflected {
            sleeping.standing.leave_out(parallel, &self.pool, &index.asleep);
            sleeping.reflected = stand;
        }
        phases.prepare += clock.lap();

        cached_rows::list(
            parallel,
            &mut sleeping.stretches,
            &mut sleeping.listed,
            |stretch| stretch.movers.len(),
            copy_movers,
        );
        self.hand_out(parallel, index, phases)?;
        let limit = self.config.pair_limit;
        let pairs = self.sleeping.pair_count();
        if pairs > limit {
            return Err(Error::TooManyPairs { limit });
        }
        let budget = PairBudget::new(limit - pairs);
        self.find_pairs(parallel, index, aim, &budget, phases)?;
        let tasks = self.find_crossing(parallel, index, aim, &budget, phases)?;
        let standing = &self.sleeping.standing;
        if let Some(listener) = aim.listener() {
            for (kind, pairs) in [(Kind::Bodies, &standing.bodies), (Kind::Statics, &standing.statics)] {
                Tap::new(listener, first_sequence(kind, tasks)).tell(&pairs.blocks, 0);
            }
        }
        self.next_found.set_standing([&standing.bodies, &standing.statics]);
        Ok(true)
    }

    /// Plans bands for the listed rows, and hands each to its band.
    fn hand_out(&mut self, parallel: bool, index: &mut Index, phases: &mut Phases) -> Result<(), Error> {
        let mut clock = Clock::now();
        let rows = Listed(&self.sleeping.listed);
        self.plan.rebuild(&rows, Wishes { bounds: &self.config.bounds, oversized: true });
        phases.plan += clock.lap();
        let records = &mut index.grid.records;
        self.partition.run(&rows, &self.plan, false, self.level, parallel, records).map_err(Error::InvalidBody)?;
        phases.partition += clock.lap();
        Ok(())
    }

    /// Files all rows that stand or are settled, but for oversized ones.
    fn file_sleepers(
        &mut self,
        parallel: bool,
        index: &mut Index,
        discs: bool,
        phases: &mut Phases,
    ) -> Result<(), Error> {
        let sleeping = &mut self.sleeping;
        let count = |stretch: &Stretch| stretch.standing_count + stretch.settled_count;
        cached_rows::list(parallel, &mut sleeping.stretches, &mut sleeping.listed, count, Stretch::list_filing);
        let mut filing = sleeping.filing.take().unwrap_or_default();
        let mut grid = sleeping.spare();
        filing.grid = std::mem::take(Arc::make_mut(&mut grid));
        std::mem::swap(&mut filing.filters, &mut index.filters);
        let outcome = self.hand_out(parallel, &mut filing, phases).and_then(|()| {
            let oversized = &filing.grid.records[self.partition.oversized()];
            for record in oversized {
                self.sleeping.stretches[record.row as usize / STRETCH].take_back(*record);
            }
            self.sleeping.left_over = oversized.len();
            let budget = PairBudget::new(self.config.pair_limit);
            self.find_pairs(parallel, &mut filing, Aim::Sleepers { discs }, &budget, phases)
        });
        std::mem::swap(&mut filing.filters, &mut index.filters);
        let sleeping = &mut self.sleeping;
        *Arc::make_mut(&mut grid) = std::mem::take(&mut filing.grid);
        sleeping.filing = Some(filing);
        if let Err(error) = outcome {
            sleeping.spares.push(grid);
            sleeping.forget();
            return Err(error);
        }
        sleeping.spares.push(std::mem::replace(&mut sleeping.grid, grid));
        let extra = sleeping.spares.len().saturating_sub(SPARES_MAX);
        sleeping.spares.drain(..extra);
        let FoundPairs { body_blocks, static_blocks, .. } = &mut self.next_found;
        sleeping.standing.take(body_blocks, static_blocks);
        sleeping.filed = sleeping.standing_count();
        (sleeping.reflected, sleeping.debt) = (sleeping.filed, 0);
        (sleeping.statics_version, sleeping.discs) = (self.statics_version, discs);
        parallel::for_each_mut(parallel, &mut sleeping.stretches, |_, stretch| stretch.finish_filing());
        Ok(())
    }

    /// Finds the pairs of movers and sleepers, behind those of movers. How many tasks there were, with those of the step.
    fn find_crossing(
        &mut self,
        parallel: bool,
        index: &Index,
        aim: Aim<'_>,
        budget: &PairBudget,
        phases: &mut Phases,
    ) -> Result<usize, Error> {
        let mut clock = Clock::now();
        let pages_before = self.pool.free_count();
        // Behind the tasks of the step.
        let first = self.next_found.sections.len();
        let Some(sleepers) = index.asleep.grid() else { return Ok(first) };
        let mut crosses = std::mem::take(&mut self.sleeping.tasks);
        cross::list(index, sleepers, &mut crosses);
        if self.tasks.len() < crosses.len() {
            self.tasks.resize_with(crosses.len(), Task::default);
        }
        let tasks = &mut self.tasks[..crosses.len()];
        self.unfinished = true;
        let crossing = Crossing { index, sleepers, aim, pool: &self.pool, budget };
        let workers = &self.workers;
        parallel::for_each_mut(parallel, tasks, |k, task| {
            let scratch = &mut workers.mine(parallel, aim.listener().is_some());
            crossing.run(&crosses[k], first + k, &mut scratch.search, task);
        });
        self.unfinished = false;
        phases.pairs += clock.lap();
        for task in tasks {
            self.next_found.body_blocks.append(&mut task.body_blocks);
        }
        let tasks = first + crosses.len();
        self.sleeping.tasks = crosses;
        self.check_budget(budget, pages_before)?;
        self.next_found.count();
        phases.gather += clock.lap();
        Ok(tasks)
    }
}

fn copy_movers(stretch: &mut Stretch, _: usize, places: &mut [BodyRecord]) {
    places.copy_from_slice(&stretch.movers);
}
