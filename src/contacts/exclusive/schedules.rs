//! The schedules of a step's pairs, built at their first use.

use crate::broad_phase::pairs::FoundPairs;
use crate::contacts::by_row::PairSides;
use crate::contacts::exclusive::schedule::Schedule;
use crate::frame::frame::Frame;
use crate::memory::buffers::buffers;
use crate::memory::lazy::ReusableLazy;

/// A schedule for each kind of pairs of the present step.
#[derive(Debug, Default)]
pub(crate) struct Schedules {
    bodies: ReusableLazy<Schedule>,
    statics: ReusableLazy<Schedule>,
}

buffers!(Schedules { leveled: bodies, statics; own: ; plain: ; });

impl Schedules {
    /// Drops all schedules: the pairs, or the places of bodies, have changed.
    pub(crate) fn invalidate(&mut self) {
        self.bodies.invalidate();
        self.invalidate_statics();
    }

    /// Drops the schedule of static pairs: they have changed.
    pub(crate) fn invalidate_statics(&mut self) {
        self.statics.invalidate();
    }

    /// The schedule of body pairs.
    pub(super) fn bodies(&self, found: &FoundPairs, frame: &Frame, parallel: bool) -> &Schedule {
        self.bodies.get_or_make(|schedule| {
            let tasks = found.tasks().iter().map(|task| (task.body_pages.clone(), task.own_pairs));
            schedule.rebuild(found.body_pages(), tasks, PairSides::Both, frame, parallel);
        })
    }

    /// The schedule of static pairs.
    pub(super) fn statics(&self, found: &FoundPairs, frame: &Frame, parallel: bool) -> &Schedule {
        self.statics.get_or_make(|schedule| {
            let tasks = found.tasks().iter().map(|task| (task.static_pages.clone(), usize::MAX));
            schedule.rebuild(found.static_pages(), tasks, PairSides::First, frame, parallel);
        })
    }
}
