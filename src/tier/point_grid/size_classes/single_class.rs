//! Sizes that are alike share a class without an estimate.

use crate::geometry::RawAabb;
use crate::tier::point_grid::size_classes::size_sample::longest_side;
use crate::tier::point_grid::size_classes::{ClassOptions, limit_between, with_headroom};

/// Sizes up to this many times the median are one class, without an estimate.
const ALIKE: f32 = 3.0;

/// Up to this many bodies of other sizes are oversized without an estimate, which would take longer
/// than searching for them.
const FEW_OVERSIZED: usize = 64;

/// The limit of the one class that suits all sizes of a sample, or all but a few that may be
/// oversized; `None` if they differ too much.
///
/// `sides` is a reused buffer.
pub(in crate::tier::point_grid) fn single_class(
    sample: &[RawAabb],
    population: usize,
    options: ClassOptions<'_>,
    sides: &mut Vec<f32>,
) -> Option<SingleClass> {
    sides.clear();
    sides.extend(sample.iter().map(longest_side));
    let middle = sides.len() / 2;
    let (_, &mut median, _) = (!sides.is_empty()).then(|| sides.select_nth_unstable_by(middle, f32::total_cmp))?;
    let (mut inside, mut outside, mut others) = (0.0f32, f32::INFINITY, 0);
    for &side in &*sides {
        if side <= ALIKE * median {
            inside = inside.max(side);
        } else {
            (outside, others) = (outside.min(side), others + 1);
        }
    }
    let few = if options.has_oversized_tier { FEW_OVERSIZED * sample.len() / population.max(1) } else { 0 };
    let limit = if others == 0 { with_headroom(inside) } else { limit_between(inside, outside) };
    (others <= few).then_some(SingleClass { limit, all_alike: others == 0 })
}

/// The one class of most bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::tier::point_grid) struct SingleClass {
    pub(in crate::tier::point_grid) limit: f32,
    /// Whether no row of the sample is larger.
    pub(in crate::tier::point_grid) all_alike: bool,
}
