//! The phases of a step, in order.

use crate::broad_phase::band_pass;
use crate::broad_phase::band_pass::{Aim, Shared, Task};
use crate::broad_phase::workers::Workers;
use crate::config::{BodyShape, InvalidRows};
use crate::contacts::events::IdsNow;
use crate::error::Error;
use crate::frame::frame::Index;
use crate::frame::phases::Clock;
use crate::input::bodies::Bodies;
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::memory::disjoint::DisjointSlice;
use crate::memory::listener::Listener;
use crate::memory::page::PairBudget;
use crate::parallel;
use crate::report::Phases;
use crate::tier::point_grid::plan::Wishes;
use crate::world::World;
use std::sync::Arc;

impl World {
    /// Builds the next frame from the rows and, when all went well, makes it the present one. Pairs are told to `listener` too.
    pub(crate) fn build_frame(&mut self, chunks: &[Bodies<'_>], listener: Option<&Listener<'_>>) -> Result<(), Error> {
        let start = Clock::now();
        let mut clock = start;
        let mut phases = Phases::default();
        let mut row_starts = std::mem::take(&mut self.row_starts);
        let mut next = self.frames.next();
        let index = Arc::make_mut(&mut next);
        let outcome = Chunks::new(chunks, &mut row_starts).and_then(|input| {
            let parallel = self.config.is_parallel(input.len());
            index.begin();
            index.asleep.clear();
            self.sleeping.forget_bad_rows();
            let discs = self.config.body_shape == BodyShape::Circle && !input.has_displacements();
            let aim = Aim::Pairs { listener, discs };
            if !input.has_asleep() || !self.step_among_sleepers(&input, index, parallel, aim, &mut phases)? {
                clock.lap();
                self.plan.rebuild(&input, Wishes { bounds: &self.config.bounds, oversized: true });
                phases.plan = clock.lap();
                let skip = self.config.invalid_rows == InvalidRows::Skip;
                let records = &mut index.grid.records;
                self.partition
                    .run(&input, &self.plan, skip, self.level, parallel, records)
                    .map_err(Error::InvalidBody)?;
                input.copy_filters(&mut index.filters);
                phases.partition += clock.lap();
                let budget = PairBudget::new(self.config.pair_limit);
                self.find_pairs(parallel, index, aim, &budget, &mut phases)?;
            }
            let mut ids = IdsNow::Unknown;
            if self.tracker.is_some() {
                clock.lap();
                ids = self.track_contacts(&input, index, discs, parallel)?;
                phases.tracking = clock.lap();
            }
            if let Some(lists) = &mut self.lists {
                let found = &self.next_found;
                lists.rebuild((&found.all_bodies(), &found.all_statics()), input.len(), parallel);
            }
            (index.step, index.row_count) = (self.step_number() + 1, input.len());
            index.sequential = !self.config.may_use_threads();
            // Nothing can go wrong any more, so one buffer is enough for both frames if no one else looks at the first. A world
            // that was restored knows who was in its last step, but has no frame of it.
            let handed_on = ids != IdsNow::Copied && self.frames.hand_on_ids(index);
            let are_there = handed_on && ids == IdsNow::AsBefore && index.ids.len() == input.len();
            if ids != IdsNow::Copied && !are_there {
                input.copy_ids(&mut index.ids);
            }
            index.set_statics(&self.statics, self.statics_version);
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
        self.found.schedules.take_buffers(&mut self.next_found.schedules);
        self.next_found.reserve_like(&self.found);
        self.workers.level();
        self.provide_pages();
        self.skipped.clear();
        self.skipped.extend(self.sleeping.invalid_rows().chain(self.partition.invalid_rows()));
        phases.total = { start }.lap();
        self.note(phases);
        Ok(())
    }

    /// Sorts the bands, finds all pairs if that is the aim, and collects them in the order of tasks.
    pub(crate) fn find_pairs(
        &mut self,
        parallel: bool,
        index: &mut Index,
        aim: Aim<'_>,
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
        let oversized = self.partition.oversized();
        index.set_oversized(if matches!(aim, Aim::Sleepers { .. }) { &[] } else { &grid.records[oversized] });
        grid.lay_out(&self.plan, &self.partition);
        self.workers.prepare(parallel, self.statics.len(), index.loose.loose_cell_count());
        phases.prepare += clock.lap();

        let bands = grid.slots.len();
        let blocks =
            if index.oversized_rows.is_empty() || matches!(aim, Aim::File) { 0 } else { index.loose.block_count() };
        if self.tasks.len() < bands + blocks {
            self.tasks.resize_with(bands + blocks, Task::default);
        }
        let tasks = &mut self.tasks[..bands + blocks];
        {
            let shared = Shared {
                config: &self.config,
                level: self.level,
                partition: &self.partition,
                records: DisjointSlice::new(&mut grid.records),
                words: DisjointSlice::new(&mut grid.words),
                statics: &self.statics,
                split: self.workers.split(),
                pool: &self.pool,
                budget,
                aim,
            };
            let (index, workers, slots) = (&*index, &self.workers, &grid.slots);
            parallel::for_each_mut(parallel, tasks, |k, task| {
                let bodies = slots.get(k).map_or(0, |slot| slot.records.len());
                if Workers::shares(bodies) {
                    // One for all, so it is told of what was found when that is free again (N1 in `tap.rs`).
                    if let Some(slot) = slots.get(k) {
                        band_pass::run_band(&shared.silent(), index, k, slot, &mut workers.shared(), task);
                    }
                    return shared.tell(k, task);
                }
                let scratch = &mut workers.mine(parallel, aim.listener().is_some());
                match slots.get(k) {
                    Some(slot) => band_pass::run_band(&shared, index, k, slot, scratch, task),
                    None => band_pass::run_loose_block(&shared, index, k - bands, k, &mut scratch.search, task),
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
            self.next_found.append(&mut task.body_blocks, task.own_pairs, &mut task.static_blocks);
            phases.add(&task.times);
        }
        self.next_found.count();
        self.check_budget(budget, pages_before)?;
        phases.gather += clock.lap();
        Ok(())
    }

    /// That there are not more pairs than are allowed.
    pub(crate) fn check_budget(&mut self, budget: &PairBudget, pages_before: usize) -> Result<(), Error> {
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
