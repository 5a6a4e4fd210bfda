//! Pairs in parallel, each with both of its rows to change.
//!
//! What may be done at once is worked out from where bodies are filed (`schedule.rs`) when it is first asked for after a step,
//! and kept with its contacts (`kept.rs`). That it is sound is argued there and in `columns.rs`, which alone hands out rows.

pub(crate) mod columns;
pub(crate) mod owners;
pub(crate) mod schedule;
#[cfg(test)]
pub(crate) mod tests;
pub use crate::contacts::exclusive::columns::RowColumns;

use crate::contacts::contacts::Contacts;
use crate::contacts::exclusive::columns::Work;
use crate::contacts::exclusive::schedule::{Schedule, Touched};
use crate::error::Error;
use crate::memory::lazy::Kept;
use crate::pair::{Pair, StaticPair};

/// The schedules of a step's pairs, once they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Schedules {
    bodies: Kept<Schedule>,
    statics: Kept<Schedule>,
}

impl Schedules {
    /// The pairs have changed.
    pub(crate) fn renew(&mut self) {
        self.bodies.renew();
        self.renew_statics();
    }

    /// The pairs with statics have changed.
    pub(crate) fn renew_statics(&mut self) {
        self.statics.renew();
    }

    /// Takes over the memory of the schedules of an earlier step: there are never two sets of them.
    pub(crate) fn take_buffers(&mut self, other: &mut Self) {
        self.bodies.take_buffers(&mut other.bodies);
        self.statics.take_buffers(&mut other.statics);
    }

    pub(crate) fn shrink(&mut self) {
        self.bodies.shrink();
        self.statics.shrink();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bodies.bytes(Schedule::bytes) + self.statics.bytes(Schedule::bytes)
    }
}

impl Contacts<'_> {
    /// Calls `each` with every pair of bodies and both of its rows in `columns`, to change: in parallel, and never at once with
    /// pairs that share a row. So impulses are applied where they are found, without locks, atomics or copies.
    ///
    /// `columns` is a `&mut [T]` or a tuple of up to six, indexed by the rows of the step (see [`RowColumns`]); the closure is
    /// given a `&mut T`, or a tuple of them, of `pair.a` and of `pair.b`. What it only reads, it reads by the rows of the pair.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut centers = vec![[0.0f32, 0.0], [0.8, 0.0], [1.6, 0.0]];
    /// let mut velocities = vec![[1.0f32, 0.0], [0.0, 0.0], [-1.0, 0.0]];
    /// let radius = 0.5;
    ///
    /// let mut world = World::default();
    /// let contacts = world.step(Bodies::uniform(&centers, [radius; 2]))?;
    /// contacts.par_for_each_pair_mut((&mut centers, &mut velocities), |_, (center_a, speed_a), (center_b, speed_b)| {
    ///     let depth = 2.0 * radius - (center_b[0] - center_a[0]);
    ///     center_a[0] -= 0.5 * depth;
    ///     center_b[0] += 0.5 * depth;
    ///     std::mem::swap(speed_a, speed_b);
    /// })?;
    /// assert_eq!(velocities, [[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// Runs on the rayon pool of the caller; on the calling thread alone where a step of so many bodies would
    /// ([`WorldConfig::with_parallel_threshold`](crate::WorldConfig::with_parallel_threshold), [`parallel_threshold`](crate::WorldConfig::with_parallel_threshold)).
    ///
    /// # Errors
    ///
    /// [`Error::ColumnTooShort`] where a column has fewer rows than the step had; then nothing was called.
    ///
    /// # Panics
    ///
    /// If `each` does. Some of the pairs have been given then, and the contacts are as they were.
    ///
    /// # Determinism
    ///
    /// A row is given its pairs in the same order, a pure function of the step's columns and settings, at any number of
    /// threads. So what a closure does that uses the data of its two rows alone comes out bit for bit the same. It is
    /// not the order of [`body_pairs`](Self::body_pairs).
    ///
    /// # Cost
    ///
    /// That of a loop over the pairs, shared out; the first call after a step also works out the order, which takes a few
    /// nanoseconds a body, and keeps it for other calls. Bodies that touch bodies far from themselves in size, and bands
    /// that were taken apart, leave less to do at once. Allocates only when the world grows.
    pub fn par_for_each_pair_mut<C: RowColumns>(
        &self,
        columns: C,
        each: impl Fn(Pair, C::Row<'_>, C::Row<'_>) + Sync,
    ) -> Result<(), Error> {
        let rows = self.index.row_count;
        columns::for_each_pair(columns, rows, || self.work(Touched::Both), each)
    }

    /// Calls `each` with every pair of a body and a static and the row of the body in `columns`, to change: in parallel, and
    /// never at once with pairs of the same body. As [`par_for_each_pair_mut`](Self::par_for_each_pair_mut).
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    /// let mut world = World::default();
    /// let floors = [Aabb::new([-9.0, -1.0], [9.0, 0.0])?];
    /// world.set_statics(&floors)?;
    /// let mut centers = [[0.0f32, 0.3], [3.0, 4.0]];
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// contacts.par_for_each_static_pair_mut(&mut centers[..], |pair, center| {
    ///     center[1] = floors[pair.static_row as usize].max()[1] + 0.5;
    /// })?;
    /// assert_eq!(centers, [[0.0, 0.5], [3.0, 4.0]]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ColumnTooShort`].
    ///
    /// # Panics
    ///
    /// If `each` does.
    ///
    /// # Determinism
    ///
    /// As [`par_for_each_pair_mut`](Self::par_for_each_pair_mut).
    ///
    /// # Cost
    ///
    /// That of a loop over the pairs, shared out: each band has bodies of its own, so nothing has to be worked out.
    pub fn par_for_each_static_pair_mut<C: RowColumns>(
        &self,
        columns: C,
        each: impl Fn(StaticPair, C::Row<'_>) + Sync,
    ) -> Result<(), Error> {
        let rows = self.index.row_count;
        columns::for_each_static_pair(columns, rows, || self.work(Touched::First), each)
    }

    /// The schedule of the pairs, made if it is not there yet.
    fn work(&self, touched: Touched) -> Work<'_> {
        let (found, parallel) = (self.found, self.parallel);
        let (kept, blocks) = match touched {
            Touched::Both => (&found.schedules.bodies, found.all_bodies()),
            Touched::First => (&found.schedules.statics, found.all_statics()),
        };
        let index = self.index;
        let schedule = kept.get_or_make(|schedule| schedule.make(blocks, &found.sections, touched, index, parallel));
        Work { schedule, blocks, parallel }
    }
}
