//! `par_for_each_pair_mut` against a plain loop over the pairs.
//!
//! Each pair gets an impulse that changes the positions and velocities of both rows. Each round
//! follows a step, so its first call also builds the schedule. `x 10` is ten calls, like a solver
//! with ten iterations.

use crate::Options;
use crate::alternate::{Candidate, alternate};
use crate::common::Stage;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::time::{Duration, Instant};
use triphase::{Contacts, WorldConfig};
use triphase_scenes::SceneName;

/// The scenes, with default numbers of bodies.
const SCENES: [(SceneName, &[usize]); 5] = [
    (SceneName::Crowd, &[100_000, 500_000]),
    (SceneName::Dragons, &[500_000]),
    (SceneName::Castles, &[100_000]),
    (SceneName::PowerLaw, &[50_000, 100_000]),
    (SceneName::WideAndTall, &[50_000, 100_000]),
];

type Row<'r> = (&'r mut [f32; 2], &'r mut [f32; 2]);

/// Pushes two bodies apart a little, and bends their velocities.
#[inline(always)]
fn impulse((center_a, velocity_a): Row<'_>, (center_b, velocity_b): Row<'_>) {
    let apart = [center_b[0] - center_a[0], center_b[1] - center_a[1]];
    let approach = [velocity_a[0] - velocity_b[0], velocity_a[1] - velocity_b[1]];
    let square = apart[0] * apart[0] + apart[1] * apart[1] + 1e-6;
    let along = (apart[0] * approach[0] + apart[1] * approach[1]).max(0.0) / square;
    for axis in 0..2 {
        velocity_a[axis] -= along * apart[axis];
        velocity_b[axis] += along * apart[axis];
        center_a[axis] -= 1e-6 * apart[axis];
        center_b[axis] += 1e-6 * apart[axis];
    }
}

struct Solver {
    stage: Stage,
    centers: Vec<[f32; 2]>,
    velocities: Vec<[f32; 2]>,
}

impl Solver {
    fn plain(&mut self) {
        for pair in self.stage.world.contacts().body_pairs() {
            let (a, b) = (pair.a as usize, pair.b as usize);
            let ([mut center_a, mut center_b], [mut velocity_a, mut velocity_b]) =
                ([self.centers[a], self.centers[b]], [self.velocities[a], self.velocities[b]]);
            impulse((&mut center_a, &mut velocity_a), (&mut center_b, &mut velocity_b));
            (self.centers[a], self.centers[b]) = (center_a, center_b);
            (self.velocities[a], self.velocities[b]) = (velocity_a, velocity_b);
        }
    }

    fn parallel(&mut self) {
        let contacts: Contacts<'_> = self.stage.world.contacts();
        let columns = (&mut self.centers, &mut self.velocities);
        contacts.par_for_each_pair_mut(columns, |_, a, b| impulse(a, b)).expect("columns of the step");
    }
}

pub(crate) fn run(options: &Options) {
    let pools =
        [1, options.threads].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool"));
    for (name, usual) in SCENES {
        for bodies in options.sizes(usual) {
            let mut stage = pools[1].install(|| Stage::new(name, bodies, WorldConfig::new()));
            let pairs = pools[1].install(|| stage.step());
            let centers = stage.scene.centers.clone();
            let velocities = centers.iter().map(|center| [center[1].sin(), center[0].cos()]).collect();
            let solver = RefCell::new(Solver { stage, centers, velocities });
            // After a step, with the caches as a solver finds them.
            let turn = |pool: &ThreadPool, times: usize, work: fn(&mut Solver)| {
                let solver: &mut Solver = &mut solver.borrow_mut();
                pools[1].install(|| solver.stage.step());
                pool.install(|| {
                    let start = Instant::now();
                    (0..times).for_each(|_| work(solver));
                    start.elapsed()
                })
            };
            let candidate = |pool: usize, times: usize, work: fn(&mut Solver)| -> Box<dyn FnMut() -> Duration + '_> {
                let (pool, turn) = (&pools[pool], &turn);
                Box::new(move || turn(pool, times, work))
            };
            let mut candidates: [Candidate<'_>; 6] = [
                ("a loop over body_pairs", candidate(0, 1, Solver::plain)),
                ("par_for_each_pair_mut, 1 thread", candidate(0, 1, Solver::parallel)),
                ("par_for_each_pair_mut, threads", candidate(1, 1, Solver::parallel)),
                ("a loop over body_pairs, x 10", candidate(0, 10, Solver::plain)),
                ("par_for_each_pair_mut, 1 thread, x 10", candidate(0, 10, Solver::parallel)),
                ("par_for_each_pair_mut, threads, x 10", candidate(1, 10, Solver::parallel)),
            ];
            let threads = options.threads;
            alternate(
                &format!("exclusive: {name}, {bodies} bodies, {pairs} pairs, {threads} threads"),
                options.rounds,
                &mut candidates,
            );
        }
    }
}
