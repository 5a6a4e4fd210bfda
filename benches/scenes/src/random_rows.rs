//! Random rows of every kind of coordinates and sizes, dense enough that many overlap.

use crate::SplitMix64;

/// Kinds of [`random_rows`], the last one a mix of all.
pub const ROW_KINDS: u8 = 9;

/// Rows of a center and half-extents each: a row is one body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomRows {
    /// Centers.
    pub centers: Vec<[f32; 2]>,
    /// Half-extents, none negative.
    pub half_extents: Vec<[f32; 2]>,
    /// Displacements: one row in fifty far, the others hardly at all.
    pub displacements: Vec<[f32; 2]>,
}

/// Makes `count` rows; `kind` is below [`ROW_KINDS`]. Sizes repeat in most of them, and some rows
/// are large.
pub fn random_rows(count: usize, kind: u8, seed: u64) -> RandomRows {
    let mut random = SplitMix64::new(seed);
    let spread = (count as f32).sqrt() * random.pick(&[0.5, 1.0, 4.0]);
    let sizes = [0; 4].map(|_| any_size(&mut random));
    let (any_sizes, large) = (random.below(4) == 0, random.pick(&[0.0, 0.001, 0.05]));
    let size = |random: &mut SplitMix64| match random.unit() {
        x if x < large => random.pick(&[5.0, 60.0, 1e3, 1e6, f32::MAX]),
        x if x < 0.2 => random.pick(&sizes),
        x if x < 0.3 && any_sizes => any_size(random),
        _ => random.range(0.3, 0.6),
    };
    let mut rows = RandomRows::default();
    for _ in 0..count {
        rows.centers.push(point(&mut random, kind, spread));
        rows.half_extents.push([size(&mut random), size(&mut random)]);
    }
    let displacement = |_| if random.below(50) == 0 { random.point(-40.0, 40.0) } else { random.point(-0.1, 0.1) };
    rows.displacements = (0..count).map(displacement).collect();
    rows
}

fn any_size(random: &mut SplitMix64) -> f32 {
    match random.below(4) {
        0 => random.pick(&[0.0, 0.5, 1.001, 1e-6, f32::from_bits(1)]),
        1 => 2f32.powi(random.below(14) as i32 - 12),
        _ => random.range(0.0, 1.5),
    }
}

fn point(random: &mut SplitMix64, kind: u8, spread: f32) -> [f32; 2] {
    let sign = random.pick(&[-1.0, 1.0]);
    match kind {
        0 => random.point(-spread, spread),
        // Whole and tenth coordinates.
        1 => random.point(-spread, spread).map(f32::round),
        2 => random.point(-spread, spread).map(|x| (x * 10.0).round() * 0.1),
        // Where f32 counts by twos.
        3 => random.point(0.0, spread).map(|x| 2e7 + 2.0 * x.round()),
        // On lines.
        4 => [random.range(-spread, spread), 7.0],
        5 => [7.0, random.range(-spread, spread) * spread],
        // In clusters of every width.
        6 => {
            let (site, width) = (random.below(12), 10f32.powi(random.below(6) as i32 - 3));
            random.point(-width, width).map(|x| x + site as f32 * spread * 0.3)
        }
        // Every magnitude, denormal numbers among them.
        7 => [f32::from_bits(random.below(3000) as u32), sign * 2f32.powi(random.below(250) as i32 - 125)],
        _ => {
            let kind = random.below(8) as u8;
            point(random, kind, spread)
        }
    }
}
