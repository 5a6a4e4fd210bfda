//! Which pairs are wanted: layers and masks.

/// What a body or a static belongs to, and what it wants to meet: 32 layers, a bit each.
///
/// Two make a pair only if each accepts the other: if one of the layers of the first is in the mask of the second, and one
/// of the second in the mask of the first. Columns of filters are given with
/// [`Bodies::with_filters`](crate::Bodies::with_filters) and [`Statics::with_filters`](crate::Statics::with_filters); a
/// step then reports the pairs that overlap and allow each other, and no others. Rows without a filter have
/// [`ALL`](Self::ALL).
///
/// ```
/// use triphase::{Bodies, Filter, World};
///
/// const PEOPLE: u32 = 1 << 0;
/// const GHOSTS: u32 = 1 << 1;
/// // People meet people, ghosts meet people, but people do not meet ghosts: so no one meets a ghost.
/// let person = Filter::new(PEOPLE, PEOPLE);
/// let ghost = Filter::new(GHOSTS, PEOPLE);
/// assert!(person.interacts_with(person) && !person.interacts_with(ghost) && !ghost.interacts_with(person));
///
/// let centers = [[0.0f32, 0.0], [0.4, 0.0], [0.8, 0.0]];
/// let mut world = World::default();
/// let filters = [person, ghost, person];
/// let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_filters(&filters))?;
/// let pairs: Vec<_> = contacts.body_pairs().map(|pair| (pair.a, pair.b)).collect();
/// assert_eq!(pairs, [(0, 2)]);
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Filter {
    /// The layers it belongs to.
    pub layers: u32,
    /// The layers it accepts.
    pub mask: u32,
}

const _: () = assert!(size_of::<Filter>() == 8);

impl Filter {
    /// In all layers, and accepts all: meets whatever has a layer and a mask at all.
    pub const ALL: Self = Self { layers: u32::MAX, mask: u32::MAX };

    /// In no layer, and accepts none: meets nothing.
    pub const NONE: Self = Self { layers: 0, mask: 0 };

    /// Belongs to `layers` and accepts those of `mask`.
    pub const fn new(layers: u32, mask: u32) -> Self {
        Self { layers, mask }
    }

    /// Whether both accept each other; so it does not matter which of the two is asked.
    #[inline(always)]
    pub const fn interacts_with(self, other: Self) -> bool {
        // No branch: kernels make vectors of this.
        (self.layers & other.mask != 0) & (other.layers & self.mask != 0)
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_must_agree() {
        let (first, last) = (Filter::new(1, 1 << 31), Filter::new(1 << 31, 1));
        assert!(first.interacts_with(last) && last.interacts_with(first));
        assert!(!first.interacts_with(first), "it does not accept its own layer");
        let deaf = Filter::new(1 << 31, 0);
        assert!(!first.interacts_with(deaf) && !deaf.interacts_with(first), "one side is not enough");
    }

    #[test]
    fn all_meets_what_has_a_layer_and_a_mask_and_none_meets_nothing() {
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
