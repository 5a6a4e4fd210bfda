//! Collision filters, layers and masks, and the conditions on pairs that include them.

use crate::geometry::{BodyCircle, RawAabb};

/// Collision filter: the layers of an entity and the layers that it accepts, 32 bits each.
///
/// Two entities interact only if each accepts the other: a layer of the first is in the mask of the
/// second, and a layer of the second is in the mask of the first. Give a column of filters with
/// [`Bodies::with_filters`](crate::Bodies::with_filters) or
/// [`Statics::with_filters`](crate::Statics::with_filters); the step then reports only the pairs
/// that interact. Rows without a filter have [`ALL`](Self::ALL).
///
/// ```
/// use triphase::Filter;
///
/// const PEOPLE: u32 = 1 << 0;
/// const GHOSTS: u32 = 1 << 1;
/// let person = Filter::new(PEOPLE, PEOPLE);
/// let ghost = Filter::new(GHOSTS, PEOPLE);
/// assert!(person.interacts_with(person));
/// assert!(!person.interacts_with(ghost)); // the ghost accepts people, but not the reverse
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Filter {
    /// The layers that the entity belongs to, one bit each.
    pub layers: u32,
    /// The layers that the entity accepts, one bit each.
    pub mask: u32,
}

const _: () = assert!(size_of::<Filter>() == 8);

impl Filter {
    /// In all layers, accepting all: interacts with every filter whose layers and mask are not 0.
    pub const ALL: Self = Self { layers: u32::MAX, mask: u32::MAX };

    /// In no layer, accepting none: interacts with nothing.
    pub const NONE: Self = Self { layers: 0, mask: 0 };

    /// Creates the filter of an entity in `layers` that accepts the layers in `mask`.
    pub const fn new(layers: u32, mask: u32) -> Self {
        Self { layers, mask }
    }

    /// Whether both entities accept each other.
    #[inline(always)]
    pub const fn interacts_with(self, other: Self) -> bool {
        // No branch, so that loops over it vectorize.
        (self.layers & other.mask != 0) & (other.layers & self.mask != 0)
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

/// The conditions on a pair of a body besides its boxes; by default none.
#[derive(Clone, Copy, Default)]
pub(crate) struct PairRules<'a> {
    /// The filters of all rows of bodies, if any row has one.
    pub(crate) filters_by_row: Option<&'a [Filter]>,
    /// Whether bodies are circles, which must overlap too.
    pub(crate) are_circles: bool,
}

impl PairRules<'_> {
    /// The filter of a row.
    #[inline(always)]
    pub(crate) fn filter(&self, row: u32) -> Filter {
        self.filters_by_row.map_or(Filter::ALL, |filters| filters[row as usize])
    }

    /// Whether two rows accept each other.
    #[inline(always)]
    pub(crate) fn accept(&self, [a, b]: [u32; 2]) -> bool {
        self.filters_by_row.is_none_or(|filters| filters[a as usize].interacts_with(filters[b as usize]))
    }

    /// Whether two bodies touch, given that their boxes overlap.
    #[inline(always)]
    pub(crate) fn bodies_touch(&self, a: &RawAabb, b: &RawAabb) -> bool {
        !self.are_circles || BodyCircle::of_box(a).overlaps(&BodyCircle::of_box(b))
    }

    /// Whether a body touches a static, given that their boxes overlap.
    #[inline(always)]
    pub(crate) fn body_touches_static(&self, body: &RawAabb, static_box: &RawAabb) -> bool {
        !self.are_circles || BodyCircle::of_box(body).overlaps_box(static_box)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_interact_only_if_both_accept() {
        let (first, last) = (Filter::new(1, 1 << 31), Filter::new(1 << 31, 1));
        assert!(first.interacts_with(last) && last.interacts_with(first));
        assert!(!first.interacts_with(first), "a filter need not accept its own layer");
        let accepts_none = Filter::new(1 << 31, 0);
        assert!(!first.interacts_with(accepts_none) && !accepts_none.interacts_with(first), "one side is not enough");
    }

    #[test]
    fn all_interacts_with_any_filter_that_has_a_layer_and_a_mask() {
        assert_eq!(Filter::default(), Filter::ALL);
        for (layers, mask) in [(1, 1), (1 << 31, 1), (6, 1 << 31), (u32::MAX, 2)] {
            let filter = Filter::new(layers, mask);
            assert!(filter.interacts_with(Filter::ALL) && Filter::ALL.interacts_with(filter));
            assert!(!filter.interacts_with(Filter::NONE) && !Filter::NONE.interacts_with(filter));
            assert!(
                !Filter::ALL.interacts_with(Filter::new(layers, 0))
                    && !Filter::ALL.interacts_with(Filter::new(0, mask))
            );
        }
        assert!(Filter::ALL.interacts_with(Filter::ALL) && !Filter::NONE.interacts_with(Filter::NONE));
    }
}
