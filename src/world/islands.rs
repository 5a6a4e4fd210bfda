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

use super::contacts::Contacts;
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
/// contacts.islands(&mut islands);
/// assert!(islands.iter().eq([&[0, 2, 4][..], &[1], &[3]]));
/// assert_eq!((islands.of(4), islands.of(1)), (0, 1));
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// Every row is in one island: a body without contacts is alone in its own, and so is a row that the step skipped. Rows of an
/// island ascend, and islands are in the order of their lowest row.
#[derive(Clone, Debug, Default)]
pub struct Islands {
    through_statics: bool,
    /// By row: while pairs are joined its parent (I1), then its island (I2).
    of: Vec<u32>,
    /// Where the rows of each island begin, and the end of the last; none if there are no rows.
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// By static: a body that touches it, or [`NONE`].
    touching: Vec<u32>,
}

/// No row: there are never so many that one has this number.
const NONE: u32 = u32::MAX;

impl Islands {
    /// No islands, and no memory. Statics connect nothing.
    pub const fn new() -> Self {
        Self { through_statics: false, of: Vec::new(), starts: Vec::new(), rows: Vec::new(), touching: Vec::new() }
    }

    /// Whether bodies that touch the same static are connected by it; not unless set. On a floor of one box all would be.
    pub fn through_statics(mut self, connect: bool) -> Self {
        self.through_statics = connect;
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
        for StaticPair { body, fixed } in pairs {
            let first = &mut self.touching[fixed as usize];
            if *first == NONE {
                *first = body;
            } else {
                join(&mut self.of, *first, body);
            }
        }
    }

    /// Numbers the islands and collects their rows (I2).
    fn finish(&mut self) {
        let Self { of, starts, rows, .. } = self;
        let mut count = 0;
        for row in 0..of.len() {
            let parent = of[row] as usize;
            // Without a branch: who is a root is as good as random. The island above a root is read for nothing.
            let (above, root) = (of[parent], parent == row);
            of[row] = if root { count } else { above };
            count += u32::from(root);
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

/// Makes two rows belong to one tree.
#[inline]
fn join(parents: &mut [u32], a: u32, b: u32) {
    let (mut a, mut b) = (a as usize, b as usize);
    loop {
        let (above_a, above_b) = (parents[a], parents[b]);
        if above_a == above_b {
            return;
        }
        // What stands below the higher parent is bent to the lower one (I1).
        let (low, high, above) = if above_a < above_b { (above_a, b, above_b) } else { (above_b, a, above_a) };
        parents[high] = low;
        if above as usize == high {
            return;
        }
        if above_a < above_b {
            b = above as usize;
        } else {
            a = above as usize;
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
    pub fn islands(&self, islands: &mut Islands) {
        self.islands_where(islands, |_| true, |_| true);
    }

    /// As [`islands`](Self::islands), by those contacts that connect: of bodies, and of bodies and statics where
    /// those are asked for. So sensors connect nothing, or bodies that sleep.
    ///
    /// ```
    /// use triphase::{Bodies, Islands, World};
    /// let centers = [[0.0f32, 0.0], [0.8, 0.0], [1.6, 0.0]];
    /// let is_sensor = [false, true, false];
    /// let mut world = World::default();
    /// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]))?;
    /// let mut islands = Islands::new();
    /// let solid = |row: u32| !is_sensor[row as usize];
    /// contacts.islands_where(&mut islands, |pair| solid(pair.a) && solid(pair.b), |pair| solid(pair.body));
    /// assert_eq!(islands.len(), 3);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn islands_where(
        &self,
        islands: &mut Islands,
        mut bodies: impl FnMut(Pair) -> bool,
        mut statics: impl FnMut(StaticPair) -> bool,
    ) {
        islands.begin(self.body_count());
        for block in self.blocks() {
            for &pair in block {
                if bodies(pair) {
                    join(&mut islands.of, pair.a, pair.b);
                }
            }
        }
        if islands.through_statics {
            islands.join_by_statics(self.searched.statics.len(), self.static_pairs().filter(|&pair| statics(pair)));
        }
        islands.finish();
    }
}
