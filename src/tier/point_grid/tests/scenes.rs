//! Worlds of any size that are hard on a grid, each by name, from a seed.

use crate::geometry::RawAabb;

/// Sebastiano Vigna's SplitMix64: seeded, small, good enough to place boxes.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Evenly from `low` up to `high`.
    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1u64 << 24) as f32)
    }
}

/// Kinds of worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Crowd,
    /// Boxes of side 1 on whole coordinates: each touches its neighbours.
    Touching,
    Points,
    /// Many on few places, to the bit.
    Coincident,
    LineX,
    LineY,
    Diagonal,
    Clusters,
    TwoCities,
    FarOutliers,
    /// A few steps of f32 apart.
    Ulp,
    /// At every magnitude, denormals among them.
    Magnitudes,
    /// Half-extents from 0.001 to 1000.
    SixDecades,
    /// A crowd and one in fifty a hundred times as large.
    Dragons,
    TallBeams,
    /// Tall and wide ones.
    CrossedBeams,
    /// A crowd, and some that overlap all of it.
    Universal,
    /// A cell with most of them in an empty world.
    SparseCrowd,
}

pub(crate) const KINDS: [Kind; 18] = [
    Kind::Crowd,
    Kind::Touching,
    Kind::Points,
    Kind::Coincident,
    Kind::LineX,
    Kind::LineY,
    Kind::Diagonal,
    Kind::Clusters,
    Kind::TwoCities,
    Kind::FarOutliers,
    Kind::Ulp,
    Kind::Magnitudes,
    Kind::SixDecades,
    Kind::Dragons,
    Kind::TallBeams,
    Kind::CrossedBeams,
    Kind::Universal,
    Kind::SparseCrowd,
];

/// `count` finite boxes of a kind.
pub(crate) fn scene(kind: Kind, count: usize, seed: u64) -> Vec<RawAabb> {
    let mut rng = SplitMix64(seed);
    // Of a crowd with about one pair a box.
    let side = (count as f32 * 1.46).sqrt();
    (0..count).map(|k| place(kind, k, count, side, &mut rng)).collect()
}

fn around(x: f32, y: f32, half_x: f32, half_y: f32) -> RawAabb {
    [x - half_x, y - half_y, x + half_x, y + half_y]
}

fn place(kind: Kind, k: usize, count: usize, side: f32, rng: &mut SplitMix64) -> RawAabb {
    let (x, y, along) = (rng.range(0.0, side), rng.range(0.0, side), k as f32 * 0.7);
    let half = rng.range(0.35, 0.5);
    match kind {
        Kind::Crowd => around(x, y, half, rng.range(0.35, 0.5)),
        Kind::Touching => [x.floor(), y.floor(), x.floor() + 1.0, y.floor() + 1.0],
        Kind::Points => [(x * 2.0).round(), (y * 2.0).round(), (x * 2.0).round(), (y * 2.0).round()],
        Kind::Coincident => {
            let site = rng.below(count / 40 + 1) as f32;
            around(site * 3.0, 7.0 - site, 0.1, 0.2)
        }
        Kind::LineX => around(along, 5.0, half, half),
        Kind::LineY => around(5.0, along, half, half),
        Kind::Diagonal => around(along, along, half, half),
        Kind::Clusters => {
            let (site, width) = (rng.below(20), 10f32.powi(rng.below(5) as i32 - 2));
            let (x, y) = (rng.range(0.0, width), rng.range(0.0, width));
            let half = width * 0.02;
            around(site as f32 * side + x, (site * 7 % 20) as f32 * side + y, half, half)
        }
        Kind::TwoCities => {
            let far = if k.is_multiple_of(2) { 0.0 } else { 1e7 };
            around(x + far, y - far, half, half)
        }
        Kind::FarOutliers => match k % 499 {
            17 => around(1e30, -1e30, 1e25, 2e24),
            18 => [f32::MIN, f32::MIN, f32::MAX, f32::MAX],
            19 => around(-1e30, 3.0, 1.0, 1.0),
            20 => [f32::MAX; 4],
            21 => [f32::MIN, y, f32::MIN, y],
            _ => around(x, y, half, half),
        },
        Kind::Ulp => {
            let base = 2f32.powi((k % 400 / 40 * 14) as i32) * [1.0, -1.0][k % 2];
            let up = |v: f32, steps: usize| (0..steps).fold(v, |v, _| v.next_up());
            let (x, y) = (up(base, rng.below(30)), up(base, rng.below(30)));
            [x, y, up(x, rng.below(4)), up(y, rng.below(4))]
        }
        Kind::Magnitudes => {
            let sign = [1.0, -1.0][rng.below(2)];
            let x = f32::from_bits(rng.below(3000) as u32);
            let y = sign * 2f32.powi(rng.below(250) as i32 - 125);
            [x, y, x * 1.5, y + y.abs() * 0.1]
        }
        Kind::SixDecades => {
            let (half_x, half_y) = (10f32.powf(rng.range(-3.0, 3.0)), 10f32.powf(rng.range(-3.0, 3.0)));
            around(x * 60.0, y * 60.0, half_x, half_y)
        }
        Kind::Dragons if k.is_multiple_of(50) => around(x, y, half * 100.0, half * 40.0),
        Kind::TallBeams => around(x * 3.0, y, 0.01, side * rng.range(0.1, 0.9)),
        Kind::CrossedBeams if k % 80 == 7 => around(x, y, side * rng.range(0.2, 0.5), 0.01),
        Kind::CrossedBeams if k % 80 == 8 => around(x, y, 0.01, side * rng.range(0.2, 0.5)),
        Kind::Universal if k % 997 == 3 => around(side * 0.5, side * 0.5, side * 2.0, side * 2.0),
        Kind::SparseCrowd if !k.is_multiple_of(10) => around(x / side, y / side, 0.004, 0.004),
        Kind::SparseCrowd => around(x * 100.0, y * 100.0, half, half),
        Kind::Dragons | Kind::CrossedBeams | Kind::Universal => around(x, y, half, half),
    }
}
