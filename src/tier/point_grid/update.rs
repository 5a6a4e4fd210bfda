//! Moves bodies within the cells in which they are filed.
//!
//! UPDATE-1: a box may be replaced if the new one begins in the same cell, reaches no further than
//! BAND-2 allows and is inside the bounds of its band. Then BAND-1 and BAND-2 hold for it. Searches
//! also rely on cells, bounds and the directory, which stay the same, and on the reach of the band,
//! which is extended.

use crate::geometry::band_box::{BandAxes, BandBox};
use crate::geometry::{RawAabb, union};
use crate::memory::blocks::{SOA_BLOCK_LEN, set_box};
use crate::prefetch::prefetch;
use crate::tier::point_grid::bands::Bands;

/// The place of a body in its band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BandPlace {
    pub(crate) band: u32,
    /// Its position in the cell order of the band.
    pub(crate) at: u32,
}

crate::memory::buffers::plain_buffers!(BandPlace);

/// See [`Bands::sort_keys`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SortKeys {
    axes: BandAxes,
    origin: [f32; 2],
    /// Cells per unit of length, on average.
    scale: [f32; 2],
    columns: u64,
}

impl SortKeys {
    #[inline(always)]
    pub(crate) fn of(&self, aabb: &RawAabb) -> u64 {
        let &[left, top, ..] = self.axes.box_to_band(*aabb).edges();
        // A conversion to an integer clamps what is out of its range.
        let [column, row] = [(left, 0), (top, 1)].map(|(v, axis)| ((v - self.origin[axis]) * self.scale[axis]) as u32);
        u64::from(row) * (self.columns + 1) + u64::from(column).min(self.columns)
    }
}

impl Bands {
    /// Replaces the box of a body if it can stay where it is filed (UPDATE-1); returns whether it
    /// can.
    pub(crate) fn replace_box(&mut self, place: BandPlace, aabb: &RawAabb) -> bool {
        let (slot, at) = (&mut self.slots[place.band as usize], place.at as usize);
        let aabb = slot.axes.box_to_band(*aabb);
        if !slot.band.bounds().contains(&aabb) {
            return false;
        }
        let lookup = slot.band.lookup(self.tables.of(&slot.table_range));
        let before = BandBox::from_edges(self.places.blocks(slot.places.clone(), slot.population()).aabb(at));
        let ([left, top, ..], [new_left, new_top, right, bottom]) = (lookup.of_edges(&before), lookup.of_edges(&aabb));
        let fits = (left, top) == (new_left, new_top) && right <= left + lookup.columns_reached && bottom <= top + 1;
        if fits {
            slot.band.extend_reach(&aabb);
            set_box(self.places.words_mut(slot.places.clone()), at, aabb.edges());
        }
        fits
    }

    /// Copies the box of a body from bands of which these are a copy.
    pub(crate) fn copy_box(&mut self, from: &Self, place: BandPlace) {
        let (slot, at) = (&mut self.slots[place.band as usize], place.at as usize);
        let aabb = from.places.blocks(slot.places.clone(), slot.population()).aabb(at);
        slot.band.extend_reach(&BandBox::from_edges(aabb));
        set_box(self.places.words_mut(slot.places.clone()), at, &aabb);
    }

    /// The box of a body.
    #[inline(always)]
    pub(crate) fn box_at(&self, place: BandPlace) -> RawAabb {
        let slot = &self.slots[place.band as usize];
        let blocks = self.places.blocks(slot.places.clone(), slot.population());
        slot.axes.box_to_world(BandBox::from_edges(blocks.aabb(place.at as usize)))
    }

    /// Loads the memory of a body that will be replaced soon.
    #[inline(always)]
    pub(crate) fn prefetch_box(&self, place: BandPlace) {
        let slot = &self.slots[place.band as usize];
        let blocks = self.places.blocks(slot.places.clone(), slot.population());
        prefetch(&blocks.block(place.at as usize / SOA_BLOCK_LEN)[..4 * SOA_BLOCK_LEN]);
    }

    /// A map from boxes to sort keys, such that boxes with similar keys are filed near each other.
    pub(crate) fn sort_keys(&self) -> SortKeys {
        let mut classes = self.directory.classes().iter();
        let Some((class, bounds)) = classes.find_map(|class| Some((class, class.bounds?))) else {
            return SortKeys::default();
        };
        let slots = &self.slots[class.slots.clone()];
        let counts = slots.iter().map(|slot| slot.band.cell_counts());
        let (columns, rows) = counts.fold((0, 0), |(columns, rows), [x, y]| (columns.max(x), rows + y));
        let [left, top, right, bottom] = *bounds.edges();
        let scale = |count: usize, length: f32| if length > 0.0 { count as f32 / length } else { 0.0 };
        SortKeys {
            axes: class.axes,
            origin: [left, top],
            scale: [scale(columns, right - left), scale(rows, bottom - top)],
            columns: columns as u64,
        }
    }

    /// The smallest box that covers all bodies; `None` if there are none.
    pub(crate) fn bounds(&self) -> Option<RawAabb> {
        let classes = self.directory.classes().iter();
        let bounds = classes.filter_map(|class| Some(class.axes.box_to_world(class.bounds?)));
        bounds.reduce(|all, bounds| union(&all, &bounds))
    }

    /// Calls `visit` with each row and its place.
    pub(crate) fn for_each_place(&self, mut visit: impl FnMut(u32, BandPlace)) {
        for (band, slot) in (0..).zip(&self.slots) {
            for (at, &row) in (0..).zip(self.rows_of(slot).flatten()) {
                visit(row, BandPlace { band, at });
            }
        }
    }

    /// Becomes a copy of built bands, in its own memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        self.places.copy_from(&other.places, other.places_end());
        self.tables.clone_from(&other.tables);
        self.directory.clone_from(&other.directory);
        self.level = other.level;
    }

    /// Files nothing.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.pieces.clear();
        self.tables.clear();
        self.directory.lay_out(std::iter::empty());
    }
}
