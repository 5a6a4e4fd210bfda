//! Large random worlds from a seed: enough rows that steps are split into tasks, of every kind of place and size.

use super::{Columns, Random, Shape};

/// Kinds of places, the last one a mix of all.
pub const KINDS: u8 = 9;

/// A world of `count` rows of a kind.
pub fn drawn(count: usize, kind: u8, seed: u64) -> Columns {
    let mut random = Random::new(seed);
    let spread = (count as f32).sqrt() * random.pick(&[0.5, 1.0, 4.0]);
    // Few sizes, one of them the usual one, in most worlds; every size in some.
    let sizes = [0; 4].map(|_| any_size(&mut random));
    let (wild, large) = (random.index(4) == 0, random.pick(&[0.0, 0.001, 0.05]));
    let size = |random: &mut Random| match random.unit() {
        x if x < large => random.pick(&[5.0, 60.0, 1e3, 1e6, f32::MAX]),
        x if x < 0.2 => random.pick(&sizes),
        x if x < 0.3 && wild => any_size(random),
        _ => random.between(0.3, 0.6),
    };
    let row = |random: &mut Random| (point(random, kind, spread), [size(random), size(random)]);
    let rows: Vec<_> = std::iter::repeat_with(|| row(&mut random)).take(count).collect();
    let (centers, half_extents): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
    let shape = match random.index(4) {
        0 => Shape::Uniform { centers, half_extents: [any_size(&mut random).min(2.0), 0.5] },
        1 => Shape::Aabbs(
            rows.iter()
                .map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h].map(|edge| edge.clamp(-f32::MAX, f32::MAX)))
                .collect(),
        ),
        _ => Shape::Centers { centers, half_extents },
    };
    let mut fly = |_| if random.index(50) == 0 { random.point(-40.0, 40.0) } else { random.point(-0.1, 0.1) };
    let displacements: Vec<_> = (0..count).map(&mut fly).collect();
    let made_by = Some(format!("drawn({count}, {kind}, {seed:#x})"));
    Columns { displacements: seed.is_multiple_of(3).then_some(displacements), made_by, ..shape.into() }
}

fn any_size(random: &mut Random) -> f32 {
    match random.index(4) {
        0 => random.pick(&[0.0, 0.5, 1.001, 1e-6, f32::from_bits(1)]),
        1 => 2f32.powi(random.index(14) as i32 - 12),
        _ => random.between(0.0, 1.5),
    }
}

fn point(random: &mut Random, kind: u8, spread: f32) -> [f32; 2] {
    let sign = random.pick(&[-1.0, 1.0]);
    match kind {
        0 => random.point(-spread, spread),
        // On whole and on tenth coordinates.
        1 => random.point(-spread, spread).map(f32::round),
        2 => random.point(-spread, spread).map(|x| (x * 10.0).round() * 0.1),
        // Where f32 counts by twos.
        3 => random.point(0.0, spread).map(|x| 2e7 + 2.0 * x.round()),
        // On lines.
        4 => [random.between(-spread, spread), 7.0],
        5 => [7.0, random.between(-spread, spread) * spread],
        // In clusters of every width.
        6 => {
            let (site, width) = (random.index(12), 10f32.powi(random.index(6) as i32 - 3));
            random.point(-width, width).map(|x| x + site as f32 * spread * 0.3)
        }
        // Every magnitude, denormals among them.
        7 => [f32::from_bits(random.index(3000) as u32), sign * 2f32.powi(random.index(250) as i32 - 125)],
        _ => {
            let kind = random.index(8) as u8;
            point(random, kind, spread)
        }
    }
}
