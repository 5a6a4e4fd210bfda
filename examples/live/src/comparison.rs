//! The time of a step beside that of a plain grid and of brute force, on the same boxes.

use crate::plain_grid::PlainGrid;
use crate::simulation::{Clock, Simulation};
use std::fmt;
use triphase::reference::self_pairs;
use triphase::{Bodies, Error, World, WorldConfig};

/// Measurements of each of the two that are fast; the median counts.
const MEASUREMENTS: usize = 5;
/// Milliseconds that a measurement takes at least, since clocks of browsers are coarse; and runs
/// that it takes at most.
const MEASUREMENT_MIN: f64 = 5.0;
const RUNS_MAX: f64 = 100.0;
/// Boxes that brute force is run on, at most. Its time grows with the square of their number.
const BRUTE_FORCE_MAX: usize = 3_000;

/// Milliseconds that it takes to find all pairs of bodies, on one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of pairs of bodies.
    pub pairs: usize,
    /// A step of a world without statics.
    pub triphase: f64,
    /// A uniform grid.
    pub plain_grid: f64,
    /// Two loops over `brute_force_bodies` of the bodies.
    pub brute_force: f64,
    /// The number of bodies that brute force was run on.
    pub brute_force_bodies: usize,
    /// Whether all three found the same pairs.
    pub agrees: bool,
}

impl Comparison {
    /// Measures the boxes of the last step of a simulation.
    ///
    /// # Errors
    ///
    /// If the world rejects the boxes.
    pub fn new(simulation: &Simulation) -> Result<Self, Error> {
        let clock = simulation.clock();
        let world = simulation.world();
        let rows = 0..world.contacts().body_count() as u32;
        let boxes: Vec<[f32; 4]> = rows.filter_map(|row| world.aabb(row)).collect();
        let few = &boxes[..boxes.len().min(BRUTE_FORCE_MAX)];
        let (triphase, pairs) = time_of_triphase(&boxes, clock)?;
        let (plain_grid, pairs_of_grid) = time_of_grid(&boxes, clock)?;
        let begin = clock();
        let pairs_of_few = self_pairs(few).len();
        let brute_force = clock() - begin;
        let agrees = pairs == pairs_of_grid && time_of_triphase(few, clock)?.1 == pairs_of_few;
        let (bodies, brute_force_bodies) = (boxes.len(), few.len());
        Ok(Self { bodies, pairs, triphase, plain_grid, brute_force, brute_force_bodies, agrees })
    }

    /// What brute force would take for all bodies: its time grows with the square of their number.
    pub fn brute_force_of_all(&self) -> f64 {
        let ratio = self.bodies as f64 / self.brute_force_bodies.max(1) as f64;
        self.brute_force * ratio * ratio
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bodies, pairs, triphase, plain_grid, brute_force, brute_force_bodies, agrees } = self;
        writeln!(f, "{bodies} bodies, {pairs} pairs, one thread, ms to find all pairs of bodies:")?;
        writeln!(f, "triphase     {triphase:.3}")?;
        writeln!(f, "plain grid   {plain_grid:.3} ({:.1} times)", plain_grid / triphase)?;
        let all = self.brute_force_of_all();
        write!(f, "brute force  {all:.0} ({:.0} times)", all / triphase)?;
        if brute_force_bodies < bodies {
            write!(f, ", scaled from {brute_force:.2} for {brute_force_bodies} of the bodies")?;
        }
        if !agrees {
            write!(f, "\nThey found different pairs.")?;
        }
        Ok(())
    }
}

fn time_of_triphase(boxes: &[[f32; 4]], clock: Clock) -> Result<(f64, usize), Error> {
    let mut world = World::new(WorldConfig::new().with_parallel_threshold(None))?;
    let time = time_of(clock, || world.step(Bodies::from_aabbs(boxes)).map(drop))?;
    Ok((time, world.contacts().body_pairs().len()))
}

fn time_of_grid(boxes: &[[f32; 4]], clock: Clock) -> Result<(f64, usize), Error> {
    let (mut grid, mut pairs) = (PlainGrid::default(), Vec::new());
    let time = time_of(clock, || {
        pairs.clear();
        grid.find_pairs(boxes, |i, j| pairs.push([i, j]));
        Ok(())
    })?;
    Ok((time, pairs.len()))
}

/// The time of a run. The first one does not count, since it allocates.
fn time_of(clock: Clock, mut run: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    run()?;
    let mut measure = |runs: f64| {
        let begin = clock();
        for _ in 0..runs as usize {
            run()?;
        }
        Ok((clock() - begin) / runs)
    };
    let runs = (MEASUREMENT_MIN / measure(1.0)?).ceil().clamp(1.0, RUNS_MAX);
    let mut times = (0..MEASUREMENTS).map(|_| measure(runs)).collect::<Result<Vec<f64>, Error>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{SceneChoice, Settings};
    use std::cell::Cell;

    thread_local! {
        static TICKS: Cell<f64> = const { Cell::new(0.0) };
    }

    /// A clock that is read each millisecond.
    fn ticks() -> f64 {
        TICKS.set(TICKS.get() + 1.0);
        TICKS.get()
    }

    #[test]
    fn all_three_find_the_same_pairs() {
        for &scene in SceneChoice::SHOWN {
            let settings = Settings { scene, bodies: 4_000, ..Settings::default() };
            let simulation = Simulation::new(settings, false, ticks).expect("a valid scene");
            let comparison = Comparison::new(&simulation).expect("valid boxes");
            assert!(comparison.agrees, "{scene}: {comparison:?}");
            assert_eq!((comparison.bodies, comparison.brute_force_bodies), (4_000, 3_000));
            // One tick for a measurement of five runs, which would take five milliseconds.
            assert_eq!((comparison.triphase, comparison.plain_grid, comparison.brute_force), (0.2, 0.2, 1.0));
            assert!((comparison.brute_force_of_all() - 16.0 / 9.0).abs() < 1e-9);
        }
    }
}
