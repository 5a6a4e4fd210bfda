//! Boxes in layouts that are hard for grids and trees, at every scale of f32.

use crate::SplitMix64;

/// `[min_x, min_y, max_x, max_y]`.
type Box4 = [f32; 4];

/// A layout of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxLayout {
    /// About one overlapping pair a box.
    Crowd,
    /// About fifty overlapping pairs a box.
    Dense,
    /// Boxes of side 1 on whole coordinates: each touches its neighbors.
    Touching,
    /// Points.
    Points,
    /// Many boxes in few places, equal to the bit.
    Coincident,
    /// A line along x.
    LineX,
    /// A line along y.
    LineY,
    /// A line along the diagonal.
    Diagonal,
    /// A staircase of long thin boxes.
    ThinDiagonal,
    /// Clusters of very different widths.
    Clusters,
    /// Two crowds 1e7 apart.
    TwoCities,
    /// A crowd and a few boxes at the ends of f32.
    FarOutliers,
    /// Corners a few steps of f32 apart, at powers of two.
    Ulp,
    /// Every magnitude, denormal numbers among them.
    Magnitudes,
    /// Half-extents from 0.001 to 1000.
    SixDecades,
    /// Half-extents of 1e-6 and 1e6.
    TinyAndHuge,
    /// A crowd, one box in fifty a hundred times as large.
    Dragons,
    /// Tall thin boxes.
    TallBeams,
    /// A crowd with tall and wide thin boxes.
    CrossedBeams,
    /// A crowd, and some boxes that overlap all of it.
    Universal,
    /// Most boxes in one cell of a sparse crowd.
    SparseCrowd,
    /// A line along x, so far up that the boxes have no height.
    FarLineX,
    /// A line along y, so far to the right that the boxes have no width.
    FarLineY,
}

impl BoxLayout {
    /// Every layout.
    pub const ALL: [Self; 23] = [
        Self::Crowd,
        Self::Dense,
        Self::Touching,
        Self::Points,
        Self::Coincident,
        Self::LineX,
        Self::LineY,
        Self::Diagonal,
        Self::ThinDiagonal,
        Self::Clusters,
        Self::TwoCities,
        Self::FarOutliers,
        Self::Ulp,
        Self::Magnitudes,
        Self::SixDecades,
        Self::TinyAndHuge,
        Self::Dragons,
        Self::TallBeams,
        Self::CrossedBeams,
        Self::Universal,
        Self::SparseCrowd,
        Self::FarLineX,
        Self::FarLineY,
    ];

    /// Makes `count` finite boxes.
    pub fn boxes(self, count: usize, seed: u64) -> Vec<Box4> {
        let mut random = SplitMix64::new(seed);
        // The side of a crowd with about one pair a box.
        let side = (count as f32 * 1.46).sqrt();
        (0..count).map(|k| place(self, k, count, side, &mut random)).collect()
    }
}

fn around(x: f32, y: f32, half_x: f32, half_y: f32) -> Box4 {
    [x - half_x, y - half_y, x + half_x, y + half_y]
}

fn place(layout: BoxLayout, k: usize, count: usize, side: f32, random: &mut SplitMix64) -> Box4 {
    let (x, y, along) = (random.range(0.0, side), random.range(0.0, side), k as f32 * 0.7);
    let half = random.range(0.35, 0.5);
    match layout {
        BoxLayout::Crowd => around(x, y, half, random.range(0.35, 0.5)),
        BoxLayout::Dense => around(x * 0.17, y * 0.17, half, half),
        BoxLayout::Touching => [x.floor(), y.floor(), x.floor() + 1.0, y.floor() + 1.0],
        BoxLayout::Points => [(x * 2.0).round(), (y * 2.0).round(), (x * 2.0).round(), (y * 2.0).round()],
        BoxLayout::Coincident => {
            let site = random.below(count / 40 + 1) as f32;
            around(site * 3.0, 7.0 - site, 0.1, 0.2)
        }
        BoxLayout::LineX => around(along, 5.0, half, half),
        BoxLayout::LineY => around(5.0, along, half, half),
        BoxLayout::FarLineX => around(along, 1e20, half, half),
        BoxLayout::FarLineY => around(1e20, along, half, half),
        BoxLayout::Diagonal => around(along, along, half, half),
        BoxLayout::ThinDiagonal => around(k as f32, k as f32, 50.0, 0.1),
        BoxLayout::Clusters => {
            let (site, width) = (random.below(20), 10f32.powi(random.below(5) as i32 - 2));
            let (x, y) = (random.range(0.0, width), random.range(0.0, width));
            let half = width * 0.02;
            around(site as f32 * side + x, (site * 7 % 20) as f32 * side + y, half, half)
        }
        BoxLayout::TwoCities => {
            let far = if k.is_multiple_of(2) { 0.0 } else { 1e7 };
            around(x + far, y - far, half, half)
        }
        BoxLayout::FarOutliers => match k % 499 {
            17 => around(1e30, -1e30, 1e25, 2e24),
            18 => [f32::MIN, f32::MIN, f32::MAX, f32::MAX],
            19 => around(-1e30, 3.0, 1.0, 1.0),
            20 => [f32::MAX; 4],
            21 => [f32::MIN, y, f32::MIN, y],
            _ => around(x, y, half, half),
        },
        BoxLayout::Ulp => {
            let base = 2f32.powi((k % 400 / 40 * 14) as i32) * [1.0, -1.0][k % 2];
            let up = |v: f32, steps: usize| (0..steps).fold(v, |v, _| v.next_up());
            let (x, y) = (up(base, random.below(30)), up(base, random.below(30)));
            [x, y, up(x, random.below(4)), up(y, random.below(4))]
        }
        BoxLayout::Magnitudes => {
            let sign = [1.0, -1.0][random.below(2)];
            let x = f32::from_bits(random.below(3000) as u32);
            let y = sign * 2f32.powi(random.below(250) as i32 - 125);
            [x, y, x * 1.5, y + y.abs() * 0.1]
        }
        BoxLayout::SixDecades => {
            let [half_x, half_y] = [(); 2].map(|()| libm::powf(10.0, random.range(-3.0, 3.0)));
            around(x * 60.0, y * 60.0, half_x, half_y)
        }
        BoxLayout::TinyAndHuge => {
            let half = if k.is_multiple_of(2) { 1e-6 } else { 1e6 };
            around(random.range(-3e7, 3e7), random.range(-3e7, 3e7), half, half)
        }
        BoxLayout::Dragons if k.is_multiple_of(50) => around(x, y, half * 100.0, half * 40.0),
        BoxLayout::TallBeams => around(x * 3.0, y, 0.01, side * random.range(0.1, 0.9)),
        BoxLayout::CrossedBeams if k % 80 == 7 => around(x, y, side * random.range(0.2, 0.5), 0.01),
        BoxLayout::CrossedBeams if k % 80 == 8 => around(x, y, 0.01, side * random.range(0.2, 0.5)),
        BoxLayout::Universal if k % 997 == 3 => around(side * 0.5, side * 0.5, side * 2.0, side * 2.0),
        BoxLayout::SparseCrowd if !k.is_multiple_of(10) => around(x / side, y / side, 0.004, 0.004),
        BoxLayout::SparseCrowd => around(x * 100.0, y * 100.0, half, half),
        BoxLayout::Dragons | BoxLayout::CrossedBeams | BoxLayout::Universal => around(x, y, half, half),
    }
}
