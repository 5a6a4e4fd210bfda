//! The double grid that is kept over time: insert, remove and move by handle.
//!
//! H1: a slot holds an entity while its generation is odd; insertion makes it odd, removal even. A handle has the odd
//!     generation of its entity, so it fits no other, nor a free slot. A generation of 0 after use retires the slot.
//! H2: entities of a loose cell are a list through `next` and `prev`; free slots are a list through `next`.
//! H3: there are no more loose cells than `CELLS_MIN` or entities planned for, whichever is more, and no more entities
//!     than planned for unless cells have the size asked for.

#[cfg(test)]
mod validate;

use crate::error::Error;
use crate::geometry::{Aabb, RawAabb};
use crate::tier::loose_grid::handles::tight::TightLists;
use crate::tier::loose_grid::map::GridMap;
use crate::tier::loose_grid::{
    ENTRIES_PER_ENTITY, ENTRIES_SLACK, EntityIndex, LooseCell, LooseIndex, NOTHING, TIGHT_SHIFT, union,
};

/// Loose cells that a grid may have however few it holds: 20 KiB.
const CELLS_MIN: usize = 1024;

/// Loose cells that a grid may have however much it holds, so that they can be numbered: 20 GiB.
const CELLS_MAX: usize = 1 << 30;

/// A box in a [`LooseGrid`]. It stays good until the box is removed, and is harmless after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LooseHandle {
    index: u32,
    generation: u32,
}

/// Where an entity is kept. Its loose cell is known from its box (T1).
#[derive(Clone, Copy, Debug)]
pub(in crate::tier::loose_grid) struct Slot {
    pub(in crate::tier::loose_grid) bounds: RawAabb,
    pub(in crate::tier::loose_grid) next: EntityIndex,
    prev: EntityIndex,
    generation: u32,
}

const _: () = assert!(size_of::<Slot>() == 28);

/// Boxes of any size, to be inserted, removed, moved and searched in any order: a loose/tight double grid.
///
/// For what lives for long and changes singly: triggers, area effects, large creatures, lights. For all bodies of a
/// step take [`World`](crate::World).
///
/// Each box is filed in one loose cell, the one that holds its centre, and the cell's own box grows to cover it. A
/// coarser tight grid finds the loose cells that a search has to open. Removing and moving never shrink a loose cell's
/// box, so a grid whose boxes have moved far gets slower, though never wrong, until [`clean_up`](Self::refit).
///
/// # Cost
///
/// `insert`, `remove`, `set` and `get` take constant time on average. Memory is O(boxes), of the most there were since
/// [`shrink_to_fit`](Self::shrink_to_fit), however large the area and small the cells asked for.
///
/// # Determinism
///
/// The order in which boxes are found is a pure function of the calls made before.
///
/// ```
/// use triphase::Aabb;
/// use triphase::tier::loose_grid::LooseGrid;
/// let mut grid = LooseGrid::new(Aabb::new([0.0, 0.0], [1000.0, 1000.0])?, 20.0)?;
/// let dragon = grid.insert(Aabb::from_half_extents([100.0, 100.0], [25.0, 10.0])?);
/// let trap = grid.insert(Aabb::from_half_extents([130.0, 100.0], [5.0, 5.0])?);
/// assert_eq!(grid.query_aabb(Aabb::new([80.0, 90.0], [90.0, 95.0])?).collect::<Vec<_>>(), [dragon]);
///
/// let mut pairs = Vec::new();
/// grid.find_pairs(&mut pairs);
/// assert_eq!(pairs.len(), 1); // they touch at x = 125
///
/// grid.set(dragon, Aabb::from_half_extents([500.0, 500.0], [25.0, 10.0])?);
/// assert!(grid.remove(trap).is_some() && grid.get(trap).is_none());
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// Source: a grid of expanding cells under a coarser grid that finds them was described by the author known as
/// "Dragon Energy", in an answer on Stack Overflow about quadtrees and grids for collision detection.
#[derive(Clone, Debug)]
pub struct LooseGrid {
    area: Aabb,
    cell_size: f32,
    map: GridMap,
    pub(in crate::tier::loose_grid) cells: Vec<LooseCell>,
    pub(in crate::tier::loose_grid) tight: TightLists,
    slots: Vec<Slot>,
    free: EntityIndex,
    len: usize,
    /// H3: from more entities than this the cells are made again, smaller.
    planned: usize,
    /// H1: at least that of every slot that was given back.
    first_generation: u32,
}

impl LooseGrid {
    /// An empty grid with loose cells of `cell_size` world units, over the area where boxes are expected. Outside of it
    /// searches are slower but no less exact. A good size is about that of a usual box.
    ///
    /// There are no more than two cells a box (or 1024 in all): while the size asked for would take more, cells are
    /// larger. They are made smaller as boxes come, each time their number has doubled.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidConfig`] when `cell_size` is not a finite number above 0.
    pub fn new(area: Aabb, cell_size: f32) -> Result<Self, Error> {
        if !(cell_size.is_finite() && cell_size > 0.0) {
            let expected = "a finite number above 0";
            return Err(Error::InvalidConfig { setting: "cell_size", value: cell_size.into(), expected });
        }
        let mut grid = Self {
            area,
            cell_size,
            map: GridMap::single(),
            cells: Vec::new(),
            tight: TightLists::new(),
            slots: Vec::new(),
            free: EntityIndex::NONE,
            len: 0,
            planned: 0,
            first_generation: 0,
        };
        grid.refile(0);
        Ok(grid)
    }

    /// Files a box. A grid holds up to 2^32 - 2 boxes; one more is not filed, and its handle is stale from the start.
    ///
    /// # Cost
    ///
    /// O(1) on average, and the tight cells that the box of its loose cell newly touches, 64 at most.
    pub fn insert(&mut self, aabb: Aabb) -> LooseHandle {
        if self.free == EntityIndex::NONE {
            if self.slots.len() >= u32::MAX as usize - 1 {
                return LooseHandle { index: u32::MAX, generation: 0 };
            }
            let (none, generation) = (EntityIndex::NONE, self.first_generation);
            self.free = EntityIndex::new(self.slots.len());
            self.slots.push(Slot { bounds: NOTHING, next: none, prev: none, generation });
        }
        let index = self.free;
        let slot = &mut self.slots[index.at()];
        self.free = slot.next;
        slot.bounds = aabb.to_array();
        slot.generation |= 1; // H1
        self.len += 1;
        if self.len > self.planned {
            self.refile(self.len * 2);
        } else {
            self.link(index);
        }
        self.handle(index)
    }

    /// Takes a box out and returns it; `None` if it was out already.
    ///
    /// # Cost
    ///
    /// O(1).
    pub fn remove(&mut self, handle: LooseHandle) -> Option<Aabb> {
        let (index, aabb) = self.find(handle)?;
        self.unlink(index);
        self.len -= 1;
        let slot = &mut self.slots[index.at()];
        slot.generation = slot.generation.wrapping_add(1); // H1
        if slot.generation != 0 {
            slot.next = self.free;
            self.free = index;
        }
        Some(aabb)
    }

    /// Moves or resizes a box; whether it was there.
    ///
    /// # Cost
    ///
    /// As [`insert`](Self::insert).
    pub fn set(&mut self, handle: LooseHandle, aabb: Aabb) -> bool {
        let Some((index, _)) = self.find(handle) else { return false };
        let bounds = aabb.to_array();
        if self.map.cell_of_center(&bounds) == self.map.cell_of_center(&self.slots[index.at()].bounds) {
            self.slots[index.at()].bounds = bounds;
            self.grow(self.map.cell_of_center(&bounds), &bounds);
        } else {
            self.unlink(index);
            self.slots[index.at()].bounds = bounds;
            self.link(index);
        }
        true
    }

    /// The box of a handle, `None` if it was removed.
    pub fn get(&self, handle: LooseHandle) -> Option<Aabb> {
        self.find(handle).map(|(_, aabb)| aabb)
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Makes searches fast again after boxes were removed or moved far: shrinks the box of each loose cell to what it
    /// holds and lists all of them anew, in larger tight cells if there are very long boxes. Handles stay good. Worth
    /// its while once about as many boxes have moved to another cell as there are.
    ///
    /// # Cost
    ///
    /// O(boxes).
    pub fn refit(&mut self) {
        self.refile(self.len);
    }

    /// Removes all boxes; their handles are stale.
    pub fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.generation = slot.generation.wrapping_add(slot.generation & 1); // H1
        }
        self.len = 0;
        self.free_all();
        self.refile(0);
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<LooseCell>() + self.slots.capacity() * size_of::<Slot>() + self.tight.bytes()
    }

    /// Gives back memory that the boxes held now do not need. Handles stay good.
    ///
    /// # Cost
    ///
    /// That of [`clean_up`](Self::refit).
    pub fn shrink_to_fit(&mut self) {
        while let Some(last) = self.slots.last().filter(|slot| slot.generation & 1 == 0 && slot.generation != 0) {
            self.first_generation = self.first_generation.max(last.generation); // H1
            self.slots.pop();
        }
        self.free_all();
        self.refile(self.len);
        self.cells.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.tight.shrink_to_fit(self.cells.len());
    }

    /// H1: the slot and the box of a handle that is not stale.
    fn find(&self, handle: LooseHandle) -> Option<(EntityIndex, Aabb)> {
        let slot = self.slots.get(handle.index as usize)?;
        let [min_x, min_y, max_x, max_y] = slot.bounds;
        let fits = slot.generation == handle.generation;
        let aabb = Aabb::new([min_x, min_y], [max_x, max_y]).ok().filter(|_| fits)?;
        Some((EntityIndex(handle.index), aabb))
    }

    pub(in crate::tier::loose_grid) fn handle(&self, index: EntityIndex) -> LooseHandle {
        LooseHandle { index: index.0, generation: self.slots[index.at()].generation }
    }

    pub(in crate::tier::loose_grid) fn slot(&self, index: EntityIndex) -> &Slot {
        &self.slots[index.at()]
    }

    /// T1 and T2, T3.
    fn link(&mut self, index: EntityIndex) {
        let cell = self.push_front(index);
        let bounds = self.slots[index.at()].bounds;
        self.grow(cell, &bounds);
    }

    /// T1: puts an entity first in the list of its cell, which is returned.
    fn push_front(&mut self, index: EntityIndex) -> usize {
        let cell = self.map.cell_of_center(&self.slots[index.at()].bounds);
        let next = std::mem::replace(&mut self.cells[cell].head, index);
        let slot = &mut self.slots[index.at()];
        (slot.next, slot.prev) = (next, EntityIndex::NONE);
        if let Some(next) = next.some() {
            self.slots[next.at()].prev = index;
        }
        cell
    }

    /// H2. The box of its cell stays as it is.
    fn unlink(&mut self, index: EntityIndex) {
        let Slot { bounds, next, prev, .. } = self.slots[index.at()];
        match prev.some() {
            Some(prev) => self.slots[prev.at()].next = next,
            None => self.cells[self.map.cell_of_center(&bounds)].head = next,
        }
        if let Some(next) = next.some() {
            self.slots[next.at()].prev = prev;
        }
    }

    /// T2 and T3: has a cell cover a box.
    fn grow(&mut self, cell: usize, bounds: &RawAabb) {
        let entries_max = self.entries_max();
        let old = self.cells[cell].bounds;
        let new = union(&old, bounds);
        if new != old {
            self.cells[cell].bounds = new;
            self.tight.grow(LooseIndex::new(cell), &old, &new, entries_max);
        }
    }

    /// T5, with the most entities there were.
    fn entries_max(&self) -> usize {
        ENTRIES_PER_ENTITY * self.slots.len() + ENTRIES_SLACK
    }

    /// Makes cells for `planned` entities and files all anew.
    fn refile(&mut self, planned: usize) {
        let planned = planned.max(CELLS_MIN);
        let (min, max) = (self.area.min(), self.area.max());
        let sides = [0, 1].map(|axis| f64::from(max[axis]) - f64::from(min[axis]));
        let asked = sides.map(|side| (side / f64::from(self.cell_size)).ceil().max(1.0));
        let counts = cell_counts(asked, planned.min(CELLS_MAX) as f64);
        self.planned = if counts == asked { usize::MAX } else { planned }; // H3
        // Cells of the size asked for may reach beyond the area.
        let covered = [0, 1].map(|k| if counts == asked { asked[k] * f64::from(self.cell_size) } else { sides[k] });
        self.map = GridMap::new(min.map(f64::from), covered, counts.map(|count| count as u32));
        self.cells.clear();
        self.cells.resize(self.map.cell_count(), LooseCell::EMPTY);
        for index in (0..self.slots.len()).rev() {
            if self.slots[index].generation & 1 == 1 {
                let cell = self.push_front(EntityIndex::new(index));
                self.cells[cell].bounds = union(&self.cells[cell].bounds, &self.slots[index].bounds);
            }
        }
        let entries_max = self.entries_max();
        self.tight.rebuild(self.map.joined([TIGHT_SHIFT; 2]), &self.cells, entries_max);
    }

    /// H2: every slot without an entity, the lowest first.
    fn free_all(&mut self) {
        self.free = EntityIndex::NONE;
        for (k, slot) in self.slots.iter_mut().enumerate().rev() {
            if slot.generation & 1 == 0 && slot.generation != 0 {
                slot.next = self.free;
                self.free = EntityIndex::new(k);
            }
        }
    }
}

/// So many cells as were asked for on each axis, or fewer in the same proportion.
fn cell_counts(asked: [f64; 2], cells_max: f64) -> [f64; 2] {
    let [x, y] = asked;
    if x * y <= cells_max {
        return asked;
    }
    let count_x = (x / y * cells_max).sqrt().clamp(1.0, cells_max.min(x)).floor();
    [count_x, (cells_max / count_x).clamp(1.0, y).floor()]
}
