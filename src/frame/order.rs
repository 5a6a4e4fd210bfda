//! The rows of a step in the order in which they lie in the world.

use crate::world::World;

impl World {
    /// The order of places: row `order[k]` of the last good step belongs at place `k`, if bodies that are near each other
    /// in the world shall be near each other in memory. `order` is cleared first and holds each row of the step once.
    ///
    /// Common bodies come first, in cell order: band by band, row of cells by row of cells; those that
    /// [sleep](crate::Bodies::with_asleep) behind the others. Oversized ones follow in the
    /// order of their loose cells, and rows that were [`skipped`](Self::skipped) are last, ascending. Before the first
    /// step, and after one of no rows, it is empty; a step that was refused leaves it as it was.
    ///
    /// What is gained is locality: loops over contacts find both rows of a pair close to each other, and where columns
    /// outgrow the cache, as at a million bodies, steps are somewhat faster too. Bodies need many frames to leave their
    /// neighbours, so once in a hundred frames is enough. Contacts, hits and the caller's own references speak of rows:
    /// read those of the last step first, and keep ids for what has to outlast it.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    ///
    /// /// Gathers a column through a buffer that is kept.
    /// fn reorder<T: Copy>(column: &mut Vec<T>, order: &[u32], buffer: &mut Vec<T>) {
    ///     buffer.clear();
    ///     buffer.extend(order.iter().map(|&row| column[row as usize]));
    ///     std::mem::swap(column, buffer);
    /// }
    ///
    /// // A thousand bodies in a line, each over the next; their rows say nothing about where they are.
    /// let mut ids: Vec<u64> = (0..1000).map(|row| row * 617 % 1000).collect();
    /// let mut centers: Vec<[f32; 2]> = ids.iter().map(|&id| [id as f32, 0.0]).collect();
    /// let mut half_extents = vec![[0.6f32, 0.6]; 1000];
    /// let mut velocities: Vec<[f32; 2]> = ids.iter().map(|&id| [0.0, id as f32 * 1e-5]).collect();
    ///
    /// let mut world = World::default();
    /// let (mut order, mut vectors, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    /// for frame in 0..4 {
    ///     if frame % 100 == 1 {
    ///         // Before rows are added or removed: the order is of the rows of the last step.
    ///         world.spatial_order(&mut order);
    ///         for column in [&mut centers, &mut half_extents, &mut velocities] {
    ///             reorder(column, &order, &mut vectors);
    ///         }
    ///         reorder(&mut ids, &order, &mut numbers);
    ///     }
    ///     for (center, velocity) in centers.iter_mut().zip(&velocities) {
    ///         center[1] += velocity[1];
    ///     }
    ///     let contacts = world.step(Bodies::new(&centers, &half_extents).with_ids(&ids))?;
    ///     assert_eq!(contacts.body_pairs().len(), 999);
    ///     let farthest = contacts.body_pairs().map(|pair| pair.b - pair.a).max();
    ///     assert_eq!(farthest < Some(100), frame > 0); // partners are near each other in memory now
    /// }
    /// assert!(ids.iter().zip(&centers).all(|(&id, center)| center[0] == id as f32));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// Columns of several archetypes keep their rows to themselves. The order is of all rows, so what it leaves of one
    /// chunk's rows is the order of that chunk:
    ///
    /// ```
    /// # use triphase::{Bodies, World};
    /// # let mut world = World::default();
    /// # let (orcs, arrows) = ([[0.0f32, 0.0], [90.0, 0.0], [0.5, 0.0]], [[90.0f32, 0.1], [0.2, 0.1]]);
    /// # let chunks = [Bodies::uniform(&orcs, [0.5, 0.5]), Bodies::uniform(&arrows, [0.1, 0.1])];
    /// # world.step(&chunks)?;
    /// # let mut order = Vec::new();
    /// world.spatial_order(&mut order);
    /// let ends = [orcs.len(), orcs.len() + arrows.len()].map(|end| end as u32);
    /// let mut orders = [const { Vec::new() }; 2];
    /// for &row in &order {
    ///     let chunk = ends.partition_point(|&end| end <= row);
    ///     let first = if chunk == 0 { 0 } else { ends[chunk - 1] };
    ///     orders[chunk].push(row - first);
    /// }
    /// assert_eq!(orders.map(|order| order.len()), [orcs.len(), arrows.len()]);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// A pure function of columns and settings, as the order of pairs is, and with the same exception. It may change between
    /// versions.
    ///
    /// # Cost
    ///
    /// O(rows): a copy of four bytes a row, on the calling thread. Allocates only what `order` lacks. To gather the columns
    /// by it is the caller's, and costs a random read a row and column.
    pub fn spatial_order(&self, order: &mut Vec<u32>) {
        let index = self.frames.front();
        order.clear();
        order.reserve(index.row_count);
        index.grid.row_runs().for_each(|rows| order.extend_from_slice(rows));
        if let Some(sleepers) = index.asleep.grid() {
            let stand = |row: &u32| index.asleep.stands(*row);
            sleepers.row_runs().for_each(|rows| order.extend(rows.iter().copied().filter(stand)));
        }
        order.extend(index.oversized.rows_in_cell_order());
        order.extend(self.skipped.iter().map(|bad| bad.row));
        debug_assert_eq!(order.len(), index.row_count, "each row is filed once or was skipped (R1)");
    }
}
