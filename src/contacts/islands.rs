//! Groups of bodies that are connected by contacts.
//!
//! A forest of rows, each with a parent of its group: a pair joins two trees. It is walked as by Rem (Dijkstra, A Discipline of
//! Programming, chapter 23; found the fastest of many by Patwary, Blair and Manne, 2010): from both rows at once, the one with
//! the higher parent first, which is on the way bent to the lower one; so paths are shortened while they are walked.
//!
//! I1: no parent is above its row, so a group's root is its lowest row, whatever the order of pairs.
//! I2: so when rows are numbered in ascending order, a row's parent has its island already: parents become islands in place, and
//! islands stand in the order of their lowest rows.
//!
//! Cost: a walk of few steps a pair, and two passes over the rows.

use crate::contacts::contacts::Contacts;
use crate::pair::{Pair, StaticPair};
use std::iter::zip;

/// Groups of bodies that touch each other, directly or by way of others. Keep it: the next frame reuses its memory.
///
/// ```
/// use triphase::{Bodies, Islands, World};
/// let centers = [[0.0f32, 0.0], [9.0, 0.0], [0.8, 0.0], [20.0, 0.0], [1.6, 0.0]];
/// let mut world = World::default();
/// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
/// let mut islands = Islands::new();
/// contacts.build_islands(&mut islands);
/// assert!(islands.iter().eq([&[0, 2, 4][..], &[1], &[3]]));
/// assert_eq!((islands.of(4), islands.of(1)), (0, 1));
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// Every row is in one island: a body without contacts is alone in its own, and so is a row that the step skipped. Rows of an
/// island ascend, and islands are in the order of their lowest row.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    connect_statics: bool,
    /// By row: while pairs are joined its parent (I1), then its island (I2).
    of: Vec<u32>,
    /// Where the rows of each island begin, and the end of the last; none if there are no rows.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// By static: a body that touches it, or [`NONE`].
    touching: Vec<u32>,
}

/// Walks in step: two kilobytes of them.
const WALKS: usize = 256;

/// No row: there are never so many that one has this number.
const NONE: u32 = u32::MAX;

impl Islands {
    /// No islands, and no memory. Statics connect nothing.
    pub const fn new() -> Self {
        Self { connect_statics: false, of: Vec::new(), starts: Vec::new(), rows: Vec::new(), touching: Vec::new() }
    }

    /// Whether bodies that touch the same static are connected by it; not unless set. On a floor of one box all would be.
    pub fn connect_statics(mut self, connect: bool) -> Self {
        self.connect_statics = connect;
        self
    }

    /// How many islands there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none: the step had no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The island of a row, by its number.
    ///
    /// # Panics
    ///
    /// When the step had no such row.
    pub fn of(&self, row: u32) -> u32 {
        self.of[row as usize]
    }

    /// The island of each row.
    pub fn by_row(&self) -> &[u32] {
        &self.of
    }

    /// The rows of an island, ascending.
    ///
    /// # Panics
    ///
    /// When there is no such island.
    pub fn rows(&self, island: u32) -> &[u32] {
        let island = island as usize;
        &self.rows[self.starts[island] as usize..self.starts[island + 1] as usize]
    }

    /// The rows of each island, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.starts.windows(2).map(|ends| &self.rows[ends[0] as usize..ends[1] as usize])
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let words = self.of.capacity() + self.starts.capacity() + self.rows.capacity() + self.touching.capacity();
        words * size_of::<u32>()
    }

    /// Each of so many rows in a tree of its own.
    fn begin(&mut self, rows: usize) {
        self.of.clear();
        self.of.extend(0..rows as u32);
    }

    /// Bodies that touch the same static are joined to the first of them.
    fn join_by_statics(&mut self, statics: usize, pairs: impl Iterator<Item = StaticPair>) {
        self.touching.clear();
        self.touching.resize(statics, NONE);
        let touching = &mut self.touching;
        let to_first = |StaticPair { body, static_row }| {
            let first = &mut touching[static_row as usize];
            *first = if *first == NONE { body } else { *first };
            [*first, body]
        };
        join(&mut self.of, pairs.map(to_first));
    }

    /// Numbers the islands and collects their rows (I2).
    fn finish(&mut self) {
        let Self { of, starts, rows, .. } = self;
        let mut count = 0;
        for row in 0..of.len() {
            let parent = of[row] as usize;
            // Without a branch, as who is a root is as good as random: a root reads what was just written.
            of[row] = count;
            of[row] = of[parent];
            count += u32::from(parent == row);
        }
        starts.clear();
        starts.resize(count as usize, 0);
        of.iter().for_each(|&island| starts[island as usize] += 1);
        // From how many there are to where they begin.
        let mut next = 0;
        for start in starts.iter_mut() {
            next += std::mem::replace(start, next);
        }
        rows.resize(of.len(), 0);
        for (row, &island) in zip(0.., &*of) {
            let place = &mut starts[island as usize];
            rows[*place as usize] = row;
            *place += 1;
        }
        // Each stands now where the next one begins.
        if !starts.is_empty() {
            starts.insert(0, 0);
        }
    }
}

/// Makes the two rows of each pair belong to one tree.
///
/// How long a walk is, is as good as random. So many are walked in step, none of them with a branch; those that have arrived are
/// left out of the next round.
fn join(parents: &mut [u32], mut pairs: impl Iterator<Item = [u32; 2]>) {
    let mut walks = [[0; 2]; WALKS];
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
            let mut left = 0;
            for at in 0..count {
                let [a, b] = walks[at];
                let (above_a, above_b) = (parents[a as usize], parents[b as usize]);
                // What stands below the higher parent is bent to the lower one (I1), and the walk goes on from there.
                let (high, other) = if above_a < above_b { (b, a) } else { (a, b) };
                let (lower, higher) = (above_a.min(above_b), above_a.max(above_b));
                parents[high as usize] = lower;
                walks[left] = [higher, other];
                // At its end if both have the same parent, or the higher one was a root.
                left += usize::from((lower != higher) & (higher != high));
            }
            count = left;
        }
    }
}

impl Contacts<'_> {
    /// Groups of bodies that are connected by contacts, in `islands`, which is replaced.
    ///
    /// # Determinism
    ///
    /// A pure function of the pairs as a set.
    ///
    /// # Cost
    ///
    /// O(rows + pairs), on the calling thread. Allocates only what `islands` lacks.
    pub fn build_islands(&self, islands: &mut Islands) {
        self.build_islands_where(islands, |_| true, |_| true);
    }

    /// As [`islands`](Self::islands), by those contacts that connect: of bodies, and of bodies and statics where
    /// those are asked for. So sensors connect nothing, or bodies that sleep. If one of both panics, `islands` is good for nothing
    /// but to be made again.
    ///
    /// ```
    /// use triphase::{Bodies, Islands, World};
    /// let centers = [[0.0f32, 0.0], [0.8, 0.0], [1.6, 0.0]];
    /// let is_sensor = [false, true, false];
    /// let mut world = World::default();
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let mut islands = Islands::new();
    /// let solid = |row: u32| !is_sensor[row as usize];
    /// contacts.build_islands_where(&mut islands, |pair| solid(pair.a) && solid(pair.b), |pair| solid(pair.body));
    /// assert_eq!(islands.len(), 3);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn build_islands_where(
        &self,
        islands: &mut Islands,
        mut bodies: impl FnMut(Pair) -> bool,
        mut statics: impl FnMut(StaticPair) -> bool,
    ) {
        islands.begin(self.body_count());
        let pairs = self.body_pairs().filter(|&pair| bodies(pair));
        join(&mut islands.of, pairs.map(|pair| [pair.a, pair.b]));
        if islands.connect_statics {
            islands.join_by_statics(self.statics.len(), self.static_pairs().filter(|&pair| statics(pair)));
        }
        islands.finish();
    }
}
