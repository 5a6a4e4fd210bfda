//! Where the boxes of a group are.

use crate::layout::{Layout, Place, Window};
use triphase_scenes::SplitMix64;

/// A part of the plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    min: [f64; 2],
    size: [f64; 2],
}

impl Area {
    pub(crate) fn of_world(layout: &Layout) -> Self {
        let side = layout.spacing.exp2() * (layout.bodies as f64).sqrt();
        let stretch = (0.5 * layout.aspect).exp2();
        Self { min: [layout.offset.exp2() * side; 2], size: [side * stretch, side / stretch] }
    }

    pub(crate) fn window(self, window: Window) -> Self {
        let size = [0, 1].map(|axis| self.size[axis] * window.size[axis].exp2());
        let min = [0, 1].map(|axis| self.min[axis] + window.at[axis] * (self.size[axis] - size[axis]));
        Self { min, size }
    }

    /// The side of a square of the same area.
    pub(crate) fn side(self) -> f64 {
        (self.size[0] * self.size[1]).sqrt()
    }

    /// The point at these shares of its width and height.
    fn at(self, x: f64, y: f64) -> [f64; 2] {
        [self.min[0] + x * self.size[0], self.min[1] + y * self.size[1]]
    }

    fn random_point(self, random: &mut SplitMix64) -> [f64; 2] {
        let (x, y) = (random.unit(), random.unit());
        self.at(x, y)
    }
}

/// A place for a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) center: [f64; 2],
    /// The distance of neighbors around it.
    pub(crate) spacing: f64,
}

/// The places of a group.
pub(crate) struct Spots {
    place: Place,
    window: Area,
    count: usize,
    /// The clusters, corners or points that boxes are placed around, with the widths of clusters.
    sites: Vec<([f64; 2], f64)>,
}

impl Spots {
    pub(crate) fn new(place: Place, window: Area, count: usize, random: &mut SplitMix64) -> Self {
        let sites = match place {
            Place::Uniform | Place::Diagonal { .. } | Place::Lattice { .. } => 0,
            Place::Clusters { population, .. } | Place::Coincident { population } => {
                (count as f64 / population.exp2()).ceil() as usize
            }
            Place::Nested { sites, .. } => sites.exp2().round() as usize,
        };
        let width = |random: &mut SplitMix64| match place {
            Place::Clusters { low, octaves, .. } => window.side() * (low + octaves * random.unit()).min(0.0).exp2(),
            _ => 0.0,
        };
        let sites = (0..sites).map(|_| (window.random_point(random), width(random))).collect();
        Self { place, window, count, sites }
    }

    /// The place of box `k` of the group.
    pub(crate) fn spot(&self, k: usize, random: &mut SplitMix64) -> Spot {
        let Self { place, window, count, ref sites } = *self;
        let (k, count, side) = (k as f64, count as f64, window.side());
        match place {
            Place::Uniform => Spot { center: window.random_point(random), spacing: side / count.sqrt() },
            Place::Clusters { population, .. } => {
                let ([x, y], width) = random.pick(sites);
                let [dx, dy] = random.normal_pair();
                Spot { center: [x + width * dx, y + width * dy], spacing: width / (0.5 * population).exp2() }
            }
            Place::Nested { levels, ratio, .. } => {
                let ([x, y], _) = random.pick(sites);
                let levels = levels.round();
                let width = side * (-ratio * random.below(levels as usize) as f64).exp2();
                let center = [x + width * random.unit(), y + width * random.unit()];
                Spot { center, spacing: width / (count / (levels * sites.len() as f64)).sqrt() }
            }
            Place::Diagonal { jitter } => {
                let [x, y] = [(); 2].map(|()| (k + jitter * random.unit()) / count);
                Spot { center: window.at(x, y), spacing: window.size[0].hypot(window.size[1]) / count }
            }
            Place::Lattice { jitter } => {
                let columns = count.sqrt().ceil();
                let [x, y] = [k % columns, (k / columns).floor()].map(|n| (n + jitter * random.unit()) / columns);
                Spot { center: window.at(x, y), spacing: side / columns }
            }
            Place::Coincident { .. } => {
                Spot { center: random.pick(sites).0, spacing: side / (sites.len() as f64).sqrt() }
            }
        }
    }
}
