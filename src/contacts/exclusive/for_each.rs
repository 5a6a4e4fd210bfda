//! Loops over pairs that may change both rows of each.

use crate::contacts::contacts::Contacts;
use crate::contacts::exclusive::columns::{CheckedColumns, ColumnsMut, ScheduledPairs};
use crate::error::Error;
use crate::pair::{Pair, StaticPair};

/// # Loops that change rows
impl Contacts<'_> {
    /// Calls `each` in parallel for every pair of bodies, with both rows mutable.
    ///
    /// No two calls that share a row run at the same time. So a solver can apply impulses in place,
    /// without locks, atomics or copies.
    ///
    /// `columns` is one `&mut [T]`, or a tuple of up to six, indexed by the rows of the step (see
    /// [`ColumnsMut`]). The closure gets the pair, and a `&mut T` or a tuple of them for each of
    /// `pair.a` and `pair.b`.
    ///
    /// Runs on the same threads as [`World::step`](crate::World::step), or on the calling thread
    /// alone if a step with as many bodies does ([`WorldConfig::with_parallel_threshold`]), or if
    /// distributing the pairs would take longer than processing them.
    ///
    /// [`WorldConfig::with_parallel_threshold`]: crate::WorldConfig::with_parallel_threshold
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// let radius = 0.5;
    /// let mut centers = vec![[0.0f32, 0.0], [0.8, 0.0], [1.6, 0.0]];
    /// let mut velocities = vec![[1.0f32, 0.0], [0.0, 0.0], [-1.0, 0.0]];
    ///
    /// let mut world = World::default();
    /// let contacts = world.step(Bodies::uniform(&centers, [radius; 2]))?;
    /// let columns = (&mut centers, &mut velocities);
    /// contacts.par_for_each_pair_mut(columns, |_, (center_a, speed_a), (center_b, speed_b)| {
    ///     let depth = 2.0 * radius - (center_b[0] - center_a[0]);
    ///     center_a[0] -= 0.5 * depth;
    ///     center_b[0] += 0.5 * depth;
    ///     std::mem::swap(speed_a, speed_b);
    /// })?;
    /// assert_eq!(velocities, [[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ColumnTooShort`] if a column has fewer rows than the step. `each` has not been
    /// called then.
    ///
    /// # Panics
    ///
    /// Panics if `each` does. Some pairs have then been processed; the contacts have not changed.
    ///
    /// # Determinism
    ///
    /// The pairs of a row are processed in the same order at any number of threads, so a closure
    /// that uses only the data of its two rows computes the same result, bit for bit. The order
    /// depends only on input, settings, and the static set with its changes; with
    /// [`Bodies::with_asleep`](crate::Bodies::with_asleep), and after
    /// [`World::step_changed`](crate::World::step_changed), also on earlier steps. It is not that
    /// of [`body_pairs`](Self::body_pairs).
    ///
    /// # Cost
    ///
    /// A loop over the pairs, divided among threads. The first call after a step also schedules the
    /// pairs, and later calls reuse the schedule. Scheduling takes little time, except with many
    /// pairs of oversized bodies: then up to a quarter of the time of a cheap loop. Pairs that
    /// cannot be divided well, such as those of very wide or tall bodies, are processed one after
    /// the other. Allocates only when the world grows.
    ///
    /// Threads that write to adjacent rows at the same time slow each other down: now and then,
    /// sort the rows by [`World::spatial_order`](crate::World::spatial_order). For a cheap loop
    /// over the pairs of 100,000 bodies, two threads took 0.6 to 1.1 times as long as one with rows
    /// in random order, and 0.5 to 0.9 times as long with rows in spatial order.
    pub fn par_for_each_pair_mut<C: ColumnsMut>(
        &self,
        columns: C,
        each: impl Fn(Pair, C::Row<'_>, C::Row<'_>) + Sync,
    ) -> Result<(), Error> {
        let columns = CheckedColumns::new(columns, self.body_count())?;
        let Self { store, frame, parallel, .. } = *self;
        let schedule = store.schedules.bodies(&store.found, frame, parallel);
        columns.for_each_pair(ScheduledPairs { schedule, pages: store.found.body_pages(), parallel }, each);
        Ok(())
    }

    /// Calls `each` in parallel for every static pair, with the row of the body mutable.
    ///
    /// No two calls for the same body run at the same time. Otherwise like
    /// [`par_for_each_pair_mut`](Self::par_for_each_pair_mut).
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World};
    ///
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
    /// [`Error::ColumnTooShort`] if a column has fewer rows than the step. `each` has not been
    /// called then.
    ///
    /// # Panics
    ///
    /// Panics if `each` does. Some pairs have then been processed; the contacts have not changed.
    ///
    /// # Determinism
    ///
    /// As in [`par_for_each_pair_mut`](Self::par_for_each_pair_mut).
    ///
    /// # Cost
    ///
    /// A loop over the pairs, divided among threads. Scheduling takes almost no time.
    pub fn par_for_each_static_pair_mut<C: ColumnsMut>(
        &self,
        columns: C,
        each: impl Fn(StaticPair, C::Row<'_>) + Sync,
    ) -> Result<(), Error> {
        let columns = CheckedColumns::new(columns, self.body_count())?;
        let Self { store, frame, parallel, .. } = *self;
        let schedule = store.schedules.statics(&store.found, frame, parallel);
        columns.for_each_static_pair(ScheduledPairs { schedule, pages: store.found.static_pages(), parallel }, each);
        Ok(())
    }
}
