//! The phases of a step, in order.

use super::World;
use super::clock::Clock;
use super::index::Index;
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
use std::sync::Arc;

impl World {
    /// Builds the next frame from the rows and, when all went well, makes it the present one.
    pub(super) fn build_frame(&mut self, chunks: &[Bodies<'_>]) -> Result<(), Error> {
        let start = Clock::now();
        let mut clock = start;
        let mut phases = Phases::default();
        let mut row_starts = std::mem::take(&mut self.row_starts);
        let mut next = self.frames.next();
        let index = Arc::make_mut(&mut next);
        let outcome = Input::new(chunks, &mut row_starts).and_then(|input| {
            let parallel =
                cfg!(feature = "parallel") && !self.config.sequential && input.len() >= self.config.parallel_from;
            index.asleep.clear();
            if !input.has_asleep() || !self.step_among_sleepers(&input, index, parallel, &mut phases)? {
                clock.lap();
                self.plan.rebuild(&input, Wishes { bounds: &self.config.bounds, oversized: true });
                phases.plan = clock.lap();
                let skip = self.config.bad_rows == BadRows::Skip;
                let records = &mut index.grid.records;
                self.partition.run(&input, &self.plan, skip, self.level, parallel, records).map_err(Error::BadBody)?;
                input.copy_filters(&mut index.filters);
                phases.partition += clock.lap();
                let budget = PairBudget::new(self.config.pair_limit);
                self.find_pairs(parallel, index, true, &budget, &mut phases)?;
            }
            (index.step, index.row_count) = (self.step_number() + 1, input.len());
            index.sequential = self.config.sequential;
            // Nothing can go wrong any more, so one buffer is enough for both frames if no one else looks at the first.
            self.frames.hand_on_ids(index);
            index.set_statics(&self.statics, self.statics_version);
            input.copy_ids(&mut index.ids);
            Ok(())
        });
        self.row_starts = row_starts;
        if let Err(error) = outcome {
            // A step that was refused late left one side roomier than the other.
            self.frames.refuse(next);
            self.found.reserve_like(&self.next_found);
            self.workers.level();
            return Err(error);
        }
        self.frames.advance(next);
        std::mem::swap(&mut self.found, &mut self.next_found);
        self.next_found.reserve_like(&self.found);
        self.workers.level();
        self.provide_pages();
        self.skipped.clear();
        self.skipped.extend(self.sleeping.bad_rows().chain(self.partition.bad_rows()));
        phases.total = { start }.lap();
        self.note(phases);
        Ok(())
    }

    /// Sorts the bands, finds all pairs, and collects them in the order of tasks. Oversized bodies are left out unless they are
    /// asked for.
    pub(super) fn find_pairs(
        &mut self,
        parallel: bool,
        index: &mut Index,
        oversized: bool,
        budget: &PairBudget,
        phases: &mut Phases,
    ) -> Result<(), Error> {
        let mut clock = Clock::now();
        if std::mem::replace(&mut self.unfinished, true) {
            self.workers.release();
            self.tasks.clear();
        }
        self.next_found.clear(&self.pool);
        let pages_before = self.pool.free_count();
        let mut grid = std::mem::take(&mut index.grid);
        index.set_oversized(if oversized { &grid.records[self.partition.oversized()] } else { &[] });
        grid.lay_out(&self.plan, &self.partition);
        self.workers.prepare(parallel, self.statics.len(), index.loose.loose_cell_count());
        phases.prepare += clock.lap();

        let bands = grid.slots.len();
        let blocks = if index.oversized_rows.is_empty() { 0 } else { index.loose.block_count() };
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
                budget,
            };
            let (index, workers, slots) = (&*index, &self.workers, &grid.slots);
            parallel::for_each_mut(parallel, tasks, |k, task| {
                let bodies = slots.get(k).map_or(0, |slot| slot.records.len());
                let scratch = &mut workers.mine(parallel, bodies);
                match slots.get(k) {
                    Some(slot) => task::run_band(&shared, index, k, slot, scratch, task),
                    None => task::run_loose_block(&shared, index, k - bands, &mut scratch.search, task),
                }
            });
        }
        self.unfinished = false;
        phases.pairs += clock.lap();
        for (slot, task) in grid.slots.iter_mut().zip(tasks.iter()) {
            slot.band = task.band;
        }
        grid.finish(self.level);
        index.grid = grid;
        for task in tasks {
            self.next_found.body_blocks.append(&mut task.body_blocks);
            self.next_found.static_blocks.append(&mut task.static_blocks);
            phases.add(&task.times);
        }
        self.next_found.count();
        self.check_budget(budget, pages_before)?;
        phases.gather += clock.lap();
        Ok(())
    }

    /// That there are not more pairs than are allowed.
    pub(super) fn check_budget(&mut self, budget: &PairBudget, pages_before: usize) -> Result<(), Error> {
        if !budget.is_exceeded() {
            return Ok(());
        }
        self.next_found.clear(&self.pool);
        // Pages for pairs that were refused are not kept; those that good steps use are.
        self.pool.truncate(pages_before);
        Err(Error::TooManyPairs { limit: self.config.pair_limit })
    }

    /// Pages for a second frame like this one: whichever frame follows which, once each was stepped, there are enough. And
    /// one a worker: a task may open a page and give it back empty.
    fn provide_pages(&self) {
        let (front, back) = (self.found.page_count(), self.next_found.page_count());
        self.pool.provide(front + back, front.saturating_sub(back) + self.workers.count());
    }
}
