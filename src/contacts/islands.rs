//! Groups of bodies that are connected by contacts.
//!
//! A union-find forest over rows, joined by Rem's algorithm (Dijkstra, A Discipline of Programming,
//! chapter 23; the fastest of many in Patwary, Blair and Manne, 2010): it walks up from both rows
//! of a pair, always from the one with the higher parent, and links it to the lower parent. Each
//! walk also shortens its path.
//!
//! - ISLAND-1: no parent is above its row, so the root of a group is its lowest row, whatever the
//!   order of pairs.
//! - ISLAND-2: so if rows are numbered in ascending order, the parent of a row has its island
//!   before the row does. Parents are replaced by islands in place, and islands are in the order of
//!   their lowest rows.
//!
//! Cost: a short walk per pair, and two passes over the rows.

use crate::contacts::contacts::Contacts;
use crate::memory::buffers::{Buffers, buffers};
use crate::pair::{Pair, StaticPair};
use std::iter::zip;

/// Number of pairs that are joined at the same time: two kilobytes of walks.
const WALK_COUNT: usize = 256;

/// Marks a static that no body is known to touch; no row has this number.
const NO_ROW: u32 = u32::MAX;

/// Groups of bodies that touch each other, directly or through others.
///
/// Built by [`Contacts::build_islands`]. Every row is in exactly one island. A body without
/// contacts, or a row that the step skipped, is alone in its island. The rows of an island are in
/// ascending order, and islands are in the order of their lowest rows.
///
/// Keep the value from frame to frame: the next build reuses its memory.
///
/// ```
/// use triphase::{Bodies, Islands, World};
///
/// let centers = [[0.0f32, 0.0], [9.0, 0.0], [0.8, 0.0], [20.0, 0.0], [1.6, 0.0]];
/// let mut world = World::default();
/// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
/// let mut islands = Islands::new();
/// contacts.build_islands(&mut islands);
/// assert!(islands.iter().eq([&[0, 2, 4][..], &[1], &[3]]));
/// assert_eq!(islands.island_of(4), 0);
/// assert_eq!(islands.rows(1), [1]);
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Islands {
    connect_statics: bool,
    /// For each row: its parent while pairs are joined (ISLAND-1), then its island (ISLAND-2).
    island_by_row: Vec<u32>,
    /// The start of each island's rows, and the end of the last; empty if there are no rows.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// For each static: a body that touches it, or [`NO_ROW`].
    body_by_static: Vec<u32>,
}

buffers!(Islands {
    leveled: island_by_row, starts, rows, body_by_static;
    own: ;
    plain: connect_statics;
});

impl Islands {
    /// Creates an empty set of islands. Statics do not connect bodies.
    pub const fn new() -> Self {
        Self {
            connect_statics: false,
            island_by_row: Vec::new(),
            starts: Vec::new(),
            rows: Vec::new(),
            body_by_static: Vec::new(),
        }
    }

    /// Sets whether bodies that touch the same static are in one island; `false` by default.
    ///
    /// If the floor is one static, this connects all bodies on it.
    pub fn connect_statics(mut self, connect: bool) -> Self {
        self.connect_statics = connect;
        self
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no islands: none were built yet, or the step had no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The island of a row.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row.
    pub fn island_of(&self, row: u32) -> u32 {
        self.island_by_row[row as usize]
    }

    /// The island of each row.
    pub fn island_by_row(&self) -> &[u32] {
        &self.island_by_row
    }

    /// The rows of an island, ascending.
    ///
    /// # Panics
    ///
    /// Panics if there is no such island.
    pub fn rows(&self, island: u32) -> &[u32] {
        let island = island as usize;
        &self.rows[self.starts[island] as usize..self.starts[island + 1] as usize]
    }

    /// Iterates over islands; each is a slice of its rows, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.starts.windows(2).map(|ends| &self.rows[ends[0] as usize..ends[1] as usize])
    }

    /// Heap memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.bytes()
    }

    /// Makes each of `rows` rows its own tree.
    fn begin(&mut self, rows: usize) {
        self.island_by_row.clear();
        self.island_by_row.extend(0..rows as u32);
    }

    /// Joins the bodies that touch the same static, each with the first of them.
    fn join_by_statics(&mut self, statics: usize, pairs: impl Iterator<Item = StaticPair>) {
        self.body_by_static.clear();
        self.body_by_static.resize(statics, NO_ROW);
        let body_by_static = &mut self.body_by_static;
        let with_first = |StaticPair { body, static_row }| {
            let first = &mut body_by_static[static_row as usize];
            *first = if *first == NO_ROW { body } else { *first };
            [*first, body]
        };
        join(&mut self.island_by_row, pairs.map(with_first));
    }

    /// Numbers the islands and collects their rows (ISLAND-2).
    fn finish(&mut self) {
        let Self { island_by_row, starts, rows, .. } = self;
        let mut count = 0;
        for row in 0..island_by_row.len() {
            let parent = island_by_row[row] as usize;
            // Branchless: which rows are roots is unpredictable. A root reads what was just
            // written.
            island_by_row[row] = count;
            island_by_row[row] = island_by_row[parent];
            count += u32::from(parent == row);
        }
        starts.clear();
        starts.resize(count as usize, 0);
        island_by_row.iter().for_each(|&island| starts[island as usize] += 1);
        let mut next = 0;
        for start in starts.iter_mut() {
            next += std::mem::replace(start, next);
        }
        rows.resize(island_by_row.len(), 0);
        for (row, &island) in zip(0.., &*island_by_row) {
            let place = &mut starts[island as usize];
            rows[*place as usize] = row;
            *place += 1;
        }
        // Each start was advanced to the start of the next island.
        if !starts.is_empty() {
            starts.insert(0, 0);
        }
    }
}

/// Joins the trees of both rows of each pair.
///
/// The length of a walk is unpredictable. So many pairs walk in lockstep, without a branch, and
/// those that have arrived are removed after each round.
fn join(parents: &mut [u32], mut pairs: impl Iterator<Item = [u32; 2]>) {
    let mut walks = [[0; 2]; WALK_COUNT];
    loop {
        let mut count = 0;
        for (walk, pair) in walks.iter_mut().zip(&mut pairs) {
            *walk = pair;
            count += 1;
        }
        if count == 0 {
            return;
        }
        while count > 0 {
            let mut remaining = 0;
            for k in 0..count {
                let [a, b] = walks[k];
                let (parent_a, parent_b) = (parents[a as usize], parents[b as usize]);
                // Link the row with the higher parent to the lower parent (ISLAND-1), then walk on
                // from the higher parent.
                let (linked, other) = if parent_a < parent_b { (b, a) } else { (a, b) };
                let (lower, higher) = (parent_a.min(parent_b), parent_a.max(parent_b));
                parents[linked as usize] = lower;
                walks[remaining] = [higher, other];
                // Arrived if both have the same parent, or the linked row was a root.
                remaining += usize::from((lower != higher) & (higher != linked));
            }
            count = remaining;
        }
    }
}

/// # Islands
impl Contacts<'_> {
    /// Replaces the contents of `islands` with the groups of bodies that contacts connect.
    ///
    /// See [`Islands`] for an example.
    ///
    /// # Determinism
    ///
    /// The result depends only on the set of pairs, not on their order.
    ///
    /// # Cost
    ///
    /// O(rows + pairs), on the calling thread. Allocates only if `islands` has too little capacity.
    pub fn build_islands(&self, islands: &mut Islands) {
        self.build_islands_where(islands, |_| true, |_| true);
    }

    /// Like [`build_islands`](Self::build_islands), but a contact connects bodies only if a
    /// predicate accepts it.
    ///
    /// Use it to keep sensors or sleeping bodies from connecting others. `body_pairs` is called for
    /// each pair of bodies. `static_pairs` is called for each static pair, but only if `islands`
    /// [connects bodies through statics](Islands::connect_statics).
    ///
    /// ```
    /// use triphase::{Bodies, Islands, World};
    ///
    /// let centers = [[0.0f32, 0.0], [0.8, 0.0], [1.6, 0.0]];
    /// let is_sensor = [false, true, false];
    /// let mut world = World::default();
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let mut islands = Islands::new();
    /// let solid = |row: u32| !is_sensor[row as usize];
    /// contacts.build_islands_where(
    ///     &mut islands,
    ///     |pair| solid(pair.a) && solid(pair.b),
    ///     |pair| solid(pair.body),
    /// );
    /// assert_eq!(islands.len(), 3);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if a predicate does. The contents of `islands` are then unspecified; rebuild it
    /// before use.
    pub fn build_islands_where(
        &self,
        islands: &mut Islands,
        mut body_pairs: impl FnMut(Pair) -> bool,
        mut static_pairs: impl FnMut(StaticPair) -> bool,
    ) {
        islands.begin(self.body_count());
        let pairs = self.body_pairs().filter(|&pair| body_pairs(pair));
        join(&mut islands.island_by_row, pairs.map(|pair| [pair.a, pair.b]));
        if islands.connect_statics {
            let pairs = self.static_pairs().filter(|&pair| static_pairs(pair));
            islands.join_by_statics(self.statics.len(), pairs);
        }
        islands.finish();
    }
}
