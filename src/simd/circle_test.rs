//! What decides beside boxes, as a type, so that the choice is made when a scan is compiled (K4).

#![allow(unsafe_code)]

/// Which sides of a scan are discs.
pub(crate) trait Rule: Copy {
    const PROBE: bool;
    const ENTRY: bool;
    /// Whether there is more to be tested than boxes.
    const ON: bool = Self::PROBE || Self::ENTRY;
}

/// Boxes against boxes: nothing beside.
#[derive(Clone, Copy)]
pub(crate) struct Boxes;
/// Bodies against bodies.
#[derive(Clone, Copy)]
pub(crate) struct Discs;
/// Bodies as entries, against a box.
#[derive(Clone, Copy)]
pub(crate) struct DiscEntries;
/// A body against boxes as entries.
#[derive(Clone, Copy)]
pub(crate) struct DiscProbe;

impl Rule for Boxes {
    const PROBE: bool = false;
    const ENTRY: bool = false;
}

impl Rule for Discs {
    const PROBE: bool = true;
    const ENTRY: bool = true;
}

impl Rule for DiscEntries {
    const PROBE: bool = false;
    const ENTRY: bool = true;
}

impl Rule for DiscProbe {
    const PROBE: bool = true;
    const ENTRY: bool = false;
}

/// A register of f32, each lane for itself; each operation is rounded.
///
/// # Safety
///
/// Of all calls: the instruction set is there.
pub(crate) trait Floats: Copy {
    unsafe fn all(value: f32) -> Self;
    unsafe fn plus(self, other: Self) -> Self;
    unsafe fn minus(self, other: Self) -> Self;
    unsafe fn times(self, other: Self) -> Self;
    /// In each lane `if self > other { self } else { other }`, so `other` where one of both is NaN.
    unsafe fn larger(self, other: Self) -> Self;
}

/// Centre and radius in each lane, twice as large: [`BodyCircle`](crate::geometry::BodyCircle).
#[derive(Clone, Copy)]
pub(crate) struct DiscLanes<V> {
    x: V,
    y: V,
    radius: V,
}

/// As [`BodyCircle::of_box`](crate::geometry::BodyCircle::of_box) says.
///
/// # Safety
///
/// The instruction set of `V` is there.
#[inline(always)]
pub(crate) unsafe fn discs_of<V: Floats>([min_x, min_y, max_x, max_y]: [V; 4]) -> DiscLanes<V> {
    // SAFETY: by the contract.
    unsafe {
        let radius = max_x.minus(min_x).larger(max_y.minus(min_y));
        DiscLanes { x: min_x.plus(max_x), y: min_y.plus(max_y), radius }
    }
}

/// The square of the distance of each entry from the probe and that of what both reach: they do not meet where the former is
/// above the latter. `disc` is that of the probe, if it is one.
///
/// # Safety
///
/// The instruction set of `V` is there.
#[inline(always)]
pub(crate) unsafe fn measured<R: Rule, V: Floats>(probe: [V; 4], disc: DiscLanes<V>, entries: [V; 4]) -> [V; 2] {
    // SAFETY: by the contract.
    unsafe {
        let (x, y, reach) = if R::PROBE && R::ENTRY {
            let others = discs_of::<V>(entries);
            (disc.x.minus(others.x), disc.y.minus(others.y), disc.radius.plus(others.radius))
        } else {
            let (disc, area) = if R::PROBE { (disc, entries) } else { (discs_of::<V>(entries), probe) };
            let area = area.map(|edge| edge.plus(edge));
            (apart(area[0], area[2], disc.x), apart(area[1], area[3], disc.y), disc.radius)
        };
        [x.times(x).plus(y.times(y)), reach.times(reach)]
    }
}

/// How far each number is outside of a range; of NaN, 0.
///
/// # Safety
///
/// The instruction set of `V` is there.
#[inline(always)]
unsafe fn apart<V: Floats>(low: V, high: V, at: V) -> V {
    // SAFETY: by the contract.
    unsafe { low.minus(at).larger(at.minus(high)).larger(V::all(0.0)) }
}

/// Writes [`Floats`] for a register.
#[cfg(target_arch = "x86_64")]
macro_rules! floats {
    ($register:ty, $all:ident, $plus:ident, $minus:ident, $times:ident, $larger:ident) => {
        impl crate::simd::circle_test::Floats for $register {
            #[inline(always)]
            unsafe fn all(value: f32) -> Self {
                // SAFETY: by the contract, as all of these.
                unsafe { $all(value) }
            }

            #[inline(always)]
            unsafe fn plus(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $plus(self, other) }
            }

            #[inline(always)]
            unsafe fn minus(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $minus(self, other) }
            }

            #[inline(always)]
            unsafe fn times(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $times(self, other) }
            }

            #[inline(always)]
            unsafe fn larger(self, other: Self) -> Self {
                // SAFETY: as above. The instruction gives its second operand where one of both is NaN.
                unsafe { $larger(self, other) }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use floats;
