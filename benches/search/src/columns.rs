//! The columns of a layout, and how its bodies move.

use crate::layout::{Group, Layout, Shape, Size, Unit};
use crate::spots::{Area, Spot, Spots};
use triphase::{Bodies, reference};
use triphase_scenes::SplitMix64;

/// Frames after which bodies turn around, so that they stay about where they began.
const MARCH_FRAMES: u32 = 8;
/// Largest half-extent: no box reaches the ends of f32.
const HALF_EXTENT_MAX: f64 = (1u128 << 100) as f64;

/// Bodies and statics of a layout, in random order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    pub(crate) centers: Vec<[f32; 2]>,
    pub(crate) half_extents: Vec<[f32; 2]>,
    /// `[min_x, min_y, max_x, max_y]`.
    pub(crate) statics: Vec<[f32; 4]>,
    /// Centers in frame 0.
    starts: Vec<[f32; 2]>,
    /// Motion in a frame.
    velocities: Vec<[f32; 2]>,
    frame: u32,
}

/// A box that was placed.
struct Placed {
    center: [f64; 2],
    half: [f64; 2],
    /// The distance of neighbors around it.
    spacing: f64,
}

impl Columns {
    pub(crate) fn new(layout: &Layout) -> Self {
        // Each group has a generator of its own: a change of one leaves the others as they are.
        let generator = |k: usize| SplitMix64::new(layout.seed ^ (k as u64 + 1) << 40);
        let mut random = generator(0);
        let mut bodies = place_all(layout, &layout.groups, layout.bodies, |k| generator(1 + k));
        let mut statics = place_all(layout, &layout.static_groups, layout.static_count(), |k| generator(101 + k));
        random.shuffle(&mut bodies);
        random.shuffle(&mut statics);
        let velocity = |body: &Placed| {
            let side = 2.0 * body.half[0].min(body.half[1]);
            let side = if side > 0.0 { side } else { body.spacing };
            random.direction().map(|d| (d * layout.speed * side) as f32)
        };
        let velocities = bodies.iter().map(velocity).collect();
        let starts: Vec<_> = bodies.iter().map(|body| body.center.map(|c| c as f32)).collect();
        let static_box = |body: &Placed| {
            let ([x, y], [w, h]) = (body.center.map(|c| c as f32), body.half.map(|h| h as f32));
            [x - w, y - h, x + w, y + h]
        };
        Self {
            centers: starts.clone(),
            half_extents: bodies.iter().map(|body| body.half.map(|h| h as f32)).collect(),
            statics: statics.iter().map(static_box).collect(),
            starts,
            velocities,
            frame: 0,
        }
    }

    /// Moves all bodies by one frame.
    pub(crate) fn advance(&mut self) {
        self.frame += 1;
        let turn = self.frame % (2 * MARCH_FRAMES);
        let away = turn.min(2 * MARCH_FRAMES - turn) as f32;
        for (center, (start, velocity)) in self.centers.iter_mut().zip(self.starts.iter().zip(&self.velocities)) {
            *center = [start[0] + away * velocity[0], start[1] + away * velocity[1]];
        }
    }

    pub(crate) fn bodies(&self) -> Bodies<'_> {
        Bodies::new(&self.centers, &self.half_extents)
    }

    /// The boxes of the bodies.
    pub(crate) fn boxes(&self) -> Vec<[f32; 4]> {
        let rows = self.centers.iter().zip(&self.half_extents);
        rows.map(|(&center, &half)| reference::body_aabb(center, half, None)).collect()
    }
}

/// Places `count` boxes, each group its share of them.
fn place_all(layout: &Layout, groups: &[Group], count: usize, generator: impl Fn(usize) -> SplitMix64) -> Vec<Placed> {
    let world = Area::of_world(layout);
    let total: f64 = groups.iter().map(|group| group.share).sum();
    let mut placed = Vec::with_capacity(count);
    let mut share = 0.0;
    for (k, group) in groups.iter().enumerate() {
        share += group.share;
        let end = (share / total * count as f64).round() as usize;
        place_group(group, world, end.min(count) - placed.len(), &mut generator(k), &mut placed);
    }
    placed
}

fn place_group(group: &Group, world: Area, count: usize, random: &mut SplitMix64, placed: &mut Vec<Placed>) {
    let window = world.window(group.window);
    let spots = Spots::new(group.place, window, count, random);
    for k in 0..count {
        let Spot { center, spacing } = spots.spot(k, random);
        let unit = match group.unit {
            Unit::One => 1.0,
            Unit::Spacing => spacing,
            Unit::Window => window.side(),
        };
        let longer = unit * size(group.size, random);
        let half = sides(group.shape, longer, random).map(|half| half.min(HALF_EXTENT_MAX));
        placed.push(Placed { center, half, spacing });
    }
}

/// A size of a distribution.
fn size(size: Size, random: &mut SplitMix64) -> f64 {
    match size {
        Size::Zero => 0.0,
        Size::Fixed { low } => low.exp2(),
        Size::Uniform { low, octaves } => low.exp2() * (1.0 + (octaves.exp2() - 1.0) * random.unit()),
        Size::LogUniform { low, octaves } => (low + octaves * random.unit()).exp2(),
        Size::PowerLaw { low, octaves, power } => {
            // The inverse of the distribution function; with a power of 1 it is that of the
            // logarithm.
            let (exponent, unit) = (1.0 - power, random.unit());
            let octave = if exponent.abs() < 1e-6 {
                octaves * unit
            } else {
                (1.0 + ((octaves * exponent).exp2() - 1.0) * unit).log2() / exponent
            };
            (low + octave).exp2()
        }
    }
}

/// Half-extents of a box whose longer half-extent is given.
fn sides(shape: Shape, longer: f64, random: &mut SplitMix64) -> [f64; 2] {
    let wide = |long: f64| [longer, longer * (-long).exp2()];
    let [x, y] = match shape {
        Shape::Square => return [longer; 2],
        Shape::Wide { long } => return wide(long),
        Shape::Tall { long } | Shape::Either { long } => wide(long),
        Shape::Any { long } => wide(long * random.unit()),
    };
    let is_tall = matches!(shape, Shape::Tall { .. }) || random.below(2) == 0;
    if is_tall { [y, x] } else { [x, y] }
}
