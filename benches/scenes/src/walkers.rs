//! Bodies that walk the free cells of a map.

use crate::{Map, SplitMix64};

/// Slowest and fastest speed of a runner, in cells a frame.
const SPEED: [f64; 2] = [0.1, 1.0];
/// One in this many bodies runs; the others walk at a tenth of the speed.
const RUNNER: usize = 10;

/// Bodies in the free cells of a map, about half a cell wide, as columns.
#[derive(Clone, Debug, Default)]
pub struct Walkers {
    /// Centers of the bodies.
    pub centers: Vec<[f32; 2]>,
    /// Half-extents of the bodies, in the same rows.
    pub half_extents: Vec<[f32; 2]>,
    /// Motion of each body in a frame.
    pub velocities: Vec<[f32; 2]>,
}

impl Walkers {
    /// Places each body within a random free cell.
    ///
    /// # Errors
    ///
    /// If there are bodies, but no free cell.
    pub fn spawn(map: &Map, bodies: usize, seed: u64) -> Result<Self, String> {
        let cells = map.free_cells();
        if cells.is_empty() && bodies > 0 {
            return Err("the map has no free cell".to_owned());
        }
        let mut random = SplitMix64::new(seed);
        let mut walkers = Self::default();
        for row in 0..bodies {
            let half = random.range(0.2, 0.3);
            let cell = random.pick(&cells);
            let room = f64::from(half) + 0.01;
            let center = cell.map(|corner| random.range(f64::from(corner) + room, f64::from(corner) + 1.0 - room));
            let [slow, fast] = if row % RUNNER == 0 { SPEED } else { SPEED.map(|speed| 0.1 * speed) };
            let speed = slow + (fast - slow) * random.unit();
            walkers.centers.push(center);
            walkers.half_extents.push([half; 2]);
            walkers.velocities.push(random.direction().map(|d| (d * speed) as f32));
        }
        Ok(walkers)
    }

    /// Moves all bodies by one frame, first along x, then along y. A body whose center would enter
    /// a blocked cell stays where it is on that axis, and turns around.
    ///
    /// So bodies overlap walls, as they do before a solver pushes them out. No center passes
    /// through a cell, since none moves farther in a frame than a cell is wide.
    pub fn advance(&mut self, map: &Map) {
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            for axis in 0..2 {
                let mut next = *center;
                next[axis] += velocity[axis];
                if map.blocked_cell_in(box_of(next, [0.0; 2])).is_some() {
                    velocity[axis] = -velocity[axis];
                } else {
                    *center = next;
                }
            }
        }
    }

    /// Verifies that no body overlaps a blocked cell.
    ///
    /// # Errors
    ///
    /// If one does; the error names the body and the cell.
    pub fn check(&self, map: &Map) -> Result<(), String> {
        for (row, (&center, &half)) in self.centers.iter().zip(&self.half_extents).enumerate() {
            let aabb = box_of(center, half);
            if let Some([column, line]) = map.blocked_cell_in(aabb) {
                return Err(format!("body {row} at {aabb:?} overlaps the blocked cell ({column}, {line})"));
            }
        }
        Ok(())
    }
}

fn box_of([x, y]: [f32; 2], [w, h]: [f32; 2]) -> [f32; 4] {
    [x - w, y - h, x + w, y + h]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centers_of_walkers_never_enter_a_blocked_cell() {
        let map = Map::palace(2, 2);
        let mut walkers = Walkers::spawn(&map, 500, 5).unwrap();
        assert_eq!(walkers.check(&map), Ok(()));
        for frame in 0..100 {
            let before = walkers.centers.clone();
            walkers.advance(&map);
            let centers = Walkers { half_extents: vec![[0.0; 2]; before.len()], ..walkers.clone() };
            assert_eq!(centers.check(&map), Ok(()), "frame {frame}");
            assert_ne!(walkers.centers, before);
        }
        assert!(walkers.check(&map).is_err(), "some overlap walls");
    }

    #[test]
    fn one_seed_gives_the_same_columns_in_every_frame() {
        let map = Map::palace(2, 2);
        let [mut a, mut b, mut other] = [5, 5, 6].map(|seed| Walkers::spawn(&map, 500, seed).unwrap());
        assert_eq!(a.half_extents, b.half_extents);
        assert_ne!(a.half_extents, other.half_extents);
        for frame in 0..100 {
            [&mut a, &mut b, &mut other].into_iter().for_each(|walkers| walkers.advance(&map));
            assert_eq!((&a.centers, &a.velocities), (&b.centers, &b.velocities), "frame {frame}");
            assert_ne!(a.centers, other.centers);
        }
    }

    #[test]
    fn a_map_without_free_cells_is_an_error() {
        let map = Map::parse("type octile\nheight 1\nwidth 1\nmap\n@\n").unwrap();
        assert!(Walkers::spawn(&map, 1, 1).is_err());
        assert!(Walkers::spawn(&map, 0, 1).is_ok());
    }
}
