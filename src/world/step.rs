//! The phases of a step, in order.

use super::World;
use super::clock::Clock;
use super::input::Input;
use super::report::Phases;
use super::task::{self, Shared, Task};
use crate::bodies::Bodies;
use crate::config::BadRows;
use crate::error::Error;
use crate::parallel;
use crate::storage::disjoint::Disjoint;
use crate::storage::pages::PairBudget;
use crate::tier::point_grid::plan::Wishes;
use crate::tier::point_grid::rows::Rows;

impl World {
    /// Builds the next frame from the rows and, when all went well, makes it the present one.
    pub(super) fn build_frame(&mut self, chunks: &[Bodies<'_>]) -> Result<(), Error> {
        let start = Clock::now();
        let mut clock = start;
        let mut phases = Phases::default();
        let mut row_starts = std::mem::take(&mut self.row_starts);
        let outcome = Input::new(chunks, &mut row_starts).and_then(|input| {
            let parallel =
                cfg!(feature = "parallel") && !self.config.sequential && input.len() >= self.config.parallel_from;
            self.plan.rebuild(&input, Wishes { bounds: &self.config.bounds, oversized: true });
            phases.plan = clock.lap();
            let skip = self.config.bad_rows == BadRows::Skip;
            let records = &mut self.back.grid.records;
            self.partition.run(&input, &self.plan, skip, self.level, parallel, records).map_err(Error::BadBody)?;
            input.copy_filters(&mut self.back.filters);
            phases.partition = clock.lap();
            self.back.row_count = input.len();
            self.find_pairs(parallel, &mut phases)?;
            // Nothing can go wrong any more, so one buffer is enough for both frames.
            self.back.ids = std::mem::take(&mut self.front.ids);
            input.copy_ids(&mut self.back.ids);
            Ok(())
        });
        self.row_starts = row_starts;
        if let Err(error) = outcome {
            // A step that was refused late left one frame roomier than the other.
            self.front.reserve_like(&self.back);
            self.workers.level();
            return Err(error);
        }
        std::mem::swap(&mut self.front, &mut self.back);
        self.back.reserve_like(&self.front);
        self.workers.level();
        self.provide_pages();
        self.skipped.clear();
        self.skipped.extend(self.partition.bad_rows());
        phases.total = { start }.lap();
        self.note(phases);
        Ok(())
    }

    /// Sorts the bands, finds all pairs, and collects them in the order of tasks.
    fn find_pairs(&mut self, parallel: bool, phases: &mut Phases) -> Result<(), Error> {
        let mut clock = Clock::now();
        if std::mem::replace(&mut self.unfinished, true) {
            self.workers.release();
            self.tasks.clear();
        }
        self.back.clear_contacts(&self.pool);
        let pages_before = self.pool.free_count();
        let mut grid = std::mem::take(&mut self.back.grid);
        self.back.set_oversized(&grid.records[self.partition.oversized()]);
        grid.lay_out(&self.plan, &self.partition);
        self.workers.prepare(parallel, self.statics.len(), self.back.loose.loose_cell_count());
        phases.prepare = clock.lap();

        let budget = PairBudget::new(self.config.pair_limit);
        let bands = grid.slots.len();
        let blocks = if self.back.oversized_rows.is_empty() { 0 } else { self.back.loose.block_count() };
        if self.tasks.len() < bands + blocks {
            self.tasks.resize_with(bands + blocks, Task::default);
        }
        let tasks = &mut self.tasks[..bands + blocks];
        {
            let shared = Shared {
                config: &self.config,
                level: self.level,
                partition: &self.partition,
                records: Disjoint::new(&mut grid.records),
                words: Disjoint::new(&mut grid.words),
                statics: &self.statics,
                split: self.workers.split(),
                pool: &self.pool,
                budget: &budget,
            };
            let (frame, workers, slots) = (&self.back, &self.workers, &grid.slots);
            parallel::for_each_mut(parallel, tasks, |k, task| {
                let bodies = slots.get(k).map_or(0, |slot| slot.records.len());
                let scratch = &mut workers.mine(parallel, bodies);
                match slots.get(k) {
                    Some(slot) => task::run_band(&shared, frame, k, slot, scratch, task),
                    None => task::run_loose_block(&shared, frame, k - bands, &mut scratch.search, task),
                }
            });
        }
        self.unfinished = false;
        phases.pairs = clock.lap();
        for (slot, task) in grid.slots.iter_mut().zip(tasks.iter()) {
            slot.band = task.band;
        }
        self.back.grid = grid;
        for task in tasks {
            self.back.body_blocks.append(&mut task.body_blocks);
            self.back.static_blocks.append(&mut task.static_blocks);
            phases.add(&task.times);
        }
        let count = |blocks: &[crate::storage::pages::Block]| blocks.iter().map(|block| block.pairs().len()).sum();
        self.back.body_pair_count = count(&self.back.body_blocks);
        self.back.static_pair_count = count(&self.back.static_blocks);
        if budget.is_exceeded() {
            self.back.clear_contacts(&self.pool);
            // Pages for pairs that were refused are not kept; those that good steps use are.
            self.pool.truncate(pages_before);
            return Err(Error::TooManyPairs { limit: self.config.pair_limit });
        }
        phases.gather = clock.lap();
        Ok(())
    }

    /// Pages for a second frame like this one: whichever frame follows which, once each was stepped, there are enough. And
    /// one a worker: a task may open a page and give it back empty.
    fn provide_pages(&self) {
        let (front, back) = (self.front.page_count(), self.back.page_count());
        self.pool.provide(front + back, front.saturating_sub(back) + self.workers.count());
    }
}
