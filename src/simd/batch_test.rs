//! Tests one probe against one vector of entries: boxes, circles, filters.

#![allow(unsafe_code)]

use crate::memory::columns::SoaColumns;
use crate::simd::circle_test::{CircleSides, separate};
use crate::simd::probe::Probe;
use crate::simd::raw_columns::RawColumns;
use crate::simd::vector::{Vector, each_edge};

/// What a scan tests besides boxes. A constant in scans that are compiled for each case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tests {
    pub(super) filters: bool,
    pub(super) circles: CircleSides,
}

impl Tests {
    /// Boxes alone.
    pub(super) const BOXES: Self = Self { filters: false, circles: CircleSides::NONE };

    /// Those of a scan of some entries.
    pub(super) fn of(entries: &SoaColumns<'_>, probes_are_circles: bool) -> Self {
        let circles = CircleSides { probe: probes_are_circles, entries: entries.circles() };
        Self { filters: entries.filters().is_some(), circles }
    }
}

/// One side of a test: a box in each lane, with its filter if filters are tested.
#[derive(Clone, Copy)]
pub(super) struct Side<V: Vector> {
    pub(super) edges: [V; 4],
    pub(super) filters: Option<FilterLanes<V>>,
}

#[derive(Clone, Copy)]
pub(super) struct FilterLanes<V: Vector> {
    pub(super) layers: V::Words,
    pub(super) masks: V::Words,
}

impl<V: Vector> Side<V> {
    /// The probe in all lanes.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` is available.
    #[inline(always)]
    pub(super) unsafe fn splat(tests: Tests, Probe { aabb, filter, .. }: &Probe) -> Self {
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            Self {
                edges: each_edge!(edge => V::splat(aabb[edge])),
                filters: tests
                    .filters
                    .then(|| FilterLanes { layers: V::splat_words(filter.layers), masks: V::splat_words(filter.mask) }),
            }
        }
    }

    /// The first entries of the columns, one in each lane.
    ///
    /// # Safety
    ///
    /// The instruction set of `V` is available, and `LANES` entries can be read; they have filters
    /// if these are tested.
    #[inline(always)]
    pub(super) unsafe fn load(tests: Tests, columns: RawColumns) -> Self {
        // SAFETY: the caller vouches for the instruction set and for as many entries as lanes.
        unsafe {
            Self {
                edges: each_edge!(edge => V::load(columns.edges(edge))),
                filters: tests.filters.then(|| FilterLanes {
                    layers: V::load_words(columns.layers()),
                    masks: V::load_words(columns.masks()),
                }),
            }
        }
    }
}

/// The lanes in which the boxes overlap, the circles touch and the filters agree.
#[inline(always)]
pub(super) fn hits<V: Vector>(circles: CircleSides, probe: &Side<V>, entries: &Side<V>) -> V::Mask {
    let [probe_min_x, probe_min_y, probe_max_x, probe_max_y] = probe.edges;
    let [min_x, min_y, max_x, max_y] = entries.edges;
    let x = V::and(probe_min_x.le(max_x), min_x.le(probe_max_x));
    let y = V::and(probe_min_y.le(max_y), min_y.le(probe_max_y));
    let mut hits = V::and(x, y);
    if circles != CircleSides::NONE {
        hits = V::and_not(hits, separate(circles, probe.edges, entries.edges));
    }
    if let (Some(probe), Some(entries)) = (probe.filters, entries.filters) {
        hits = V::and_not(hits, V::disjoint(probe.layers, entries.masks));
        hits = V::and_not(hits, V::disjoint(probe.masks, entries.layers));
    }
    hits
}
