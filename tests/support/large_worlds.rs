//! Large random worlds from a seed: enough rows that steps are split into tasks, of every kind of
//! place and size.

use crate::{Columns, Shape, clamp_to_finite};
use triphase_scenes::{ROW_KINDS, RandomRows, SplitMix64, random_rows};

/// Kinds of [`large_world`].
pub const LARGE_WORLD_KINDS: u8 = ROW_KINDS;

/// Makes a world of `count` rows in one of the shapes; one in three has displacements.
pub fn large_world(count: usize, kind: u8, seed: u64) -> Columns {
    let RandomRows { centers, half_extents, displacements } = random_rows(count, kind, seed);
    let mut random = SplitMix64::new(!seed);
    let shape = match random.below(4) {
        0 => Shape::Uniform { centers, half_extents: [random.range(0.0, 1.5), 0.5] },
        1 => Shape::Aabbs(clamp_to_finite(&Columns::new(centers, half_extents).boxes())),
        _ => Shape::Centers { centers, half_extents },
    };
    let made_by = Some(format!("large_world({count}, {kind}, {seed:#x})"));
    Columns { displacements: seed.is_multiple_of(3).then_some(displacements), made_by, ..shape.into() }
}
