//! What an instruction set has to offer.

#![allow(unsafe_code)]

use crate::input::filter::Filter;
use crate::memory::columns::SoaColumns;
use crate::simd::Probe;
use crate::simd::circle_test::Rule;

/// What the two numbers of a pair are, as a type, so that the choice is made when a scan is compiled.
pub(crate) trait PairOrderTag: Copy {
    const ASCENDING: bool;
    const PROBE_FIRST: bool;
}

#[derive(Clone, Copy)]
pub(crate) struct Ascending;
#[derive(Clone, Copy)]
pub(crate) struct ProbeFirst;
#[derive(Clone, Copy)]
pub(crate) struct EntryFirst;

impl PairOrderTag for Ascending {
    const ASCENDING: bool = true;
    const PROBE_FIRST: bool = false;
}
impl PairOrderTag for ProbeFirst {
    const ASCENDING: bool = false;
    const PROBE_FIRST: bool = true;
}
impl PairOrderTag for EntryFirst {
    const ASCENDING: bool = false;
    const PROBE_FIRST: bool = false;
}

/// Whether entries have filters, as a type, so that the choice is made when a scan is compiled (K3).
pub(crate) trait Filters: Copy {
    const ON: bool;

    /// Those of all entries of the columns.
    ///
    /// # Panics
    ///
    /// When there are none, if this is [`Filtered`].
    fn of(columns: &SoaColumns<'_>) -> Self;

    /// From the `k`th entry after this one on.
    ///
    /// # Safety
    ///
    /// As for [`RawColumns`].
    unsafe fn from(self, k: usize) -> Self;

    /// The layers from an entry on; asked for where `ON`.
    fn layers(self) -> *const u32;
}

#[derive(Clone, Copy)]
pub(crate) struct Unfiltered;
/// The layers from an entry on; masks are as far behind as columns are from each other (C3).
#[derive(Clone, Copy)]
pub(crate) struct Filtered(*const u32);

impl Filters for Unfiltered {
    const ON: bool = false;

    fn of(_: &SoaColumns<'_>) -> Self {
        Self
    }

    #[inline(always)]
    unsafe fn from(self, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn layers(self) -> *const u32 {
        std::ptr::null()
    }
}

impl Filters for Filtered {
    const ON: bool = true;

    fn of(columns: &SoaColumns<'_>) -> Self {
        let filters = columns.filters().unwrap_or_default();
        assert_eq!(filters.len(), columns.words().len() / 5 * 2, "a filter for each entry, and as much padding");
        Self(filters.as_ptr())
    }

    #[inline(always)]
    unsafe fn from(self, k: usize) -> Self {
        // SAFETY: by the contract, and C3.
        Self(unsafe { self.0.add(k) })
    }

    #[inline(always)]
    fn layers(self) -> *const u32 {
        self.0
    }
}

/// The columns from an entry on, as one pointer and the distance from column to column (C1): what a scan keeps in
/// registers. With a pointer for each column they would not be enough.
#[derive(Clone, Copy)]
pub(crate) struct RawColumns<F> {
    entry: *const u32,
    /// In entries.
    stride: usize,
    filters: F,
}

/// # Safety
///
/// Of all but `of`: these columns begin at an entry or in the padding, and what is pointed at is not behind it.
impl<F: Filters> RawColumns<F> {
    pub(crate) fn of(columns: &SoaColumns<'_>) -> Self {
        let words = columns.words();
        Self { entry: words.as_ptr(), stride: words.len() / 5, filters: F::of(columns) }
    }

    /// From the `k`th entry after this one on.
    #[inline(always)]
    pub(crate) unsafe fn from(self, k: usize) -> Self {
        // SAFETY: by the contract.
        unsafe { Self { entry: self.entry.add(k), filters: self.filters.from(k), ..self } }
    }

    #[inline(always)]
    unsafe fn column(self, k: usize) -> *const u32 {
        // SAFETY: by the contract, and C1.
        unsafe { self.entry.add(k * self.stride) }
    }

    #[inline(always)]
    pub(crate) unsafe fn min_x(self) -> *const f32 {
        self.entry.cast()
    }

    #[inline(always)]
    pub(crate) unsafe fn min_y(self) -> *const f32 {
        // SAFETY: by the contract.
        unsafe { self.column(1).cast() }
    }

    #[inline(always)]
    pub(crate) unsafe fn max_x(self) -> *const f32 {
        // SAFETY: by the contract.
        unsafe { self.column(2).cast() }
    }

    #[inline(always)]
    pub(crate) unsafe fn max_y(self) -> *const f32 {
        // SAFETY: by the contract.
        unsafe { self.column(3).cast() }
    }

    #[inline(always)]
    pub(crate) unsafe fn rows(self) -> *const u32 {
        // SAFETY: by the contract.
        unsafe { self.column(4) }
    }

    /// Asked for where `F::ON`, as [`masks`](Self::masks).
    #[inline(always)]
    pub(crate) fn layers(self) -> *const u32 {
        self.filters.layers()
    }

    #[inline(always)]
    pub(crate) unsafe fn masks(self) -> *const u32 {
        // SAFETY: by the contract, and C3: there are filters, in columns that are as long as the others.
        unsafe { self.filters.layers().add(self.stride) }
    }

    /// The first entry.
    #[inline(always)]
    pub(crate) unsafe fn probe(self) -> Probe {
        // SAFETY: by the contract.
        unsafe {
            let aabb = [*self.min_x(), *self.min_y(), *self.max_x(), *self.max_y()];
            let filter = if F::ON { Filter::new(*self.layers(), *self.masks()) } else { Filter::ALL };
            Probe { aabb, row: *self.rows(), filter }
        }
    }
}

/// One box against `WIDTH` boxes at a time.
pub(crate) trait Lanes {
    /// At most `PAD` and `SLACK`.
    const WIDTH: usize;

    /// A probe spread over the lanes.
    type Spread: Copy;

    /// # Safety
    ///
    /// The instruction set is there.
    unsafe fn spread<R: Rule>(probe: Probe) -> Self::Spread;

    /// Tests the first `min(left, WIDTH)` entries of the columns, their filters too if `F::ON`, by the rule that the probe was
    /// spread for, and writes a pair per hit, in order. Returns the number of hits. Slots past the hits may be overwritten, up
    /// to `WIDTH` in all.
    ///
    /// # Safety
    ///
    /// The instruction set is there; `WIDTH` entries can be read in every column; `left` is below 256, so that it fits the
    /// instructions that cut a mask off; `WIDTH` slots can be written.
    unsafe fn round<O: PairOrderTag, F: Filters, R: Rule>(
        spread: Self::Spread,
        columns: RawColumns<F>,
        left: usize,
        out: *mut [u32; 2],
    ) -> usize;

    /// Most candidates of the first of two entries that [`two`](Self::two) tests at once; 0 if it is not offered.
    const TWO: usize = 0;

    /// Tests the first entry of the columns against the `left[0]` entries behind it, and the one behind it against the
    /// `left[1]` behind that, and writes an ascending pair per hit, those of the first entry before those of the second. Returns
    /// the number of hits. Slots past the hits may be overwritten, up to 16 in all.
    ///
    /// # Safety
    ///
    /// The instruction set is there; `left[0]` is at most `TWO`, `left[1]` less; `TWO + 1` entries can be read in every column;
    /// 16 slots can be written.
    unsafe fn two<F: Filters, R: Rule>(columns: RawColumns<F>, left: [usize; 2], out: *mut [u32; 2]) -> usize {
        let _ = (columns, left, out);
        0
    }
}
