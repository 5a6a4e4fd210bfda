//! The phases of a step, in order.

use crate::broad_phase::context::StepContext;
use crate::broad_phase::find_pairs::StepOutput;
use crate::config::BodyShape;
use crate::contacts::events::IdsNow;
use crate::error::Error;
use crate::frame::phases::Clock;
use crate::input::bodies::Bodies;
use crate::input::chunks::Chunks;
use crate::input::rows::BoxSource;
use crate::memory::listener::Listener;
use crate::report::Phases;
use crate::world::World;
use std::sync::Arc;

impl World {
    /// Builds the next frame from the rows and, when all went well, makes it the present one. Pairs are told to `listener` too.
    pub(crate) fn build_frame(&mut self, chunks: &[Bodies<'_>], listener: Option<&Listener<'_>>) -> Result<(), Error> {
        let start = Clock::now();
        let mut phases = Phases::default();
        let mut row_starts = std::mem::take(&mut self.row_starts);
        let mut next = self.frames.next();
        let index = Arc::make_mut(&mut next);
        let outcome = Chunks::new(chunks, &mut row_starts).and_then(|input| {
            let parallel = self.config.is_parallel(input.len());
            index.begin();
            let are_circles = self.config.body_shape == BodyShape::Circle && !input.has_displacements();
            let step = StepContext {
                config: &self.config,
                level: self.level,
                parallel,
                statics: &self.statics,
                statics_version: self.statics_version,
                are_circles,
                listener,
                pool: &self.pool,
            };
            let mut out = StepOutput { frame: index, found: &mut self.next_found, phases: &mut phases };
            self.broad_phase.run(step, &input, &mut out)?;
            let mut ids = IdsNow::Unknown;
            if self.tracker.is_some() {
                let mut clock = Clock::now();
                ids = self.track_contacts(&input, index, are_circles, parallel)?;
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
            self.broad_phase.match_capacity();
            return Err(error);
        }
        self.frames.advance(next);
        std::mem::swap(&mut self.found, &mut self.next_found);
        self.found.schedules.take_buffers(&mut self.next_found.schedules);
        self.next_found.reserve_like(&self.found);
        self.broad_phase.match_capacity();
        self.provide_pages();
        self.skipped.clear();
        self.skipped.extend(self.broad_phase.invalid_rows());
        phases.total = { start }.lap();
        self.phases = phases;
        Ok(())
    }

    /// Pages for a second frame like this one: whichever frame follows which, once each was stepped, there are enough. And
    /// one a worker: a task may open a page and give it back empty.
    fn provide_pages(&self) {
        let (front, back) = (self.found.page_count(), self.next_found.page_count());
        self.pool.provide(front + back, front.saturating_sub(back) + self.broad_phase.finder.worker_count());
    }
}
