//! rapier's collision detection and queries against triphase, on the same colliders.
//!
//! ```sh
//! cargo run --release
//! cargo run --release -- --short
//! ```

use rapier2d::prelude::*;
use std::error::Error;
use std::process::Command;
use std::time::Instant;
use triphase::{World, WorldConfig};
use triphase_rapier::queries::{self, Buffers};
use triphase_rapier::rows::{Rows, id_of, is_static};
use triphase_rapier::scene::Scene;

/// Steps before times count.
const WARM_UP: usize = 8;

/// Farthest a ray goes.
const RAY_LENGTH: f32 = 20.0;

/// Relative difference between two distances to the same shape that rounding explains.
const ROUNDING: f32 = 1e-4;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What rapier needs to detect collisions without a simulation.
#[derive(Default)]
struct Rapier {
    pipeline: CollisionPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
}

/// rapier's broad phase alone; pairs of fat boxes that begin and end come out.
#[derive(Default)]
struct BroadPhase {
    tree: BroadPhaseBvh,
    parameters: IntegrationParameters,
    events: Vec<BroadPhasePairEvent>,
}

impl BroadPhase {
    fn step(&mut self, Scene { bodies, colliders, .. }: &Scene, with_statics: bool) {
        for (handle, collider) in colliders.iter() {
            if with_statics || !is_static(bodies, collider) {
                self.tree.set_aabb(&self.parameters, handle, collider.compute_aabb());
            }
        }
        self.events.clear();
        self.tree.update(&self.parameters, colliders, bodies, &[], &[], &mut self.events);
    }
}

impl Rapier {
    fn step(&mut self, scene: &mut Scene) {
        let Self { pipeline, islands, broad_phase, narrow_phase } = self;
        let Scene { bodies, colliders, .. } = scene;
        pipeline.step(0.0, islands, broad_phase, narrow_phase, bodies, colliders, &(), &());
    }

    /// The pairs of colliders whose tight boxes overlap and whose groups interact, as ids.
    fn pairs(&self, colliders: &ColliderSet) -> Vec<[u64; 2]> {
        let ends = self.narrow_phase.contact_pairs().map(|pair| [pair.collider1, pair.collider2]);
        let real = ends.filter(|&[a, b]| {
            let (a, b) = (&colliders[a], &colliders[b]);
            overlap(&a.compute_aabb(), &b.compute_aabb()) && a.collision_groups().test(b.collision_groups())
        });
        sorted(real.map(ordered))
    }
}

/// Closed boxes: touching is overlap.
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    a.mins.x <= b.maxs.x && b.mins.x <= a.maxs.x && a.mins.y <= b.maxs.y && b.mins.y <= a.maxs.y
}

fn ordered([a, b]: [ColliderHandle; 2]) -> [u64; 2] {
    let (a, b) = (id_of(a), id_of(b));
    [a.min(b), a.max(b)]
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}

/// All pairs by two loops.
fn brute_force(scene: &Scene) -> Vec<[u64; 2]> {
    let all: Vec<_> = scene.colliders.iter().map(|(handle, c)| (handle, c, c.compute_aabb())).collect();
    let mut pairs = Vec::new();
    for (k, (handle, a, aabb)) in all.iter().enumerate() {
        for (other, b, _) in all[k + 1..].iter().filter(|(_, _, other)| overlap(aabb, other)) {
            let any_moves = !is_static(&scene.bodies, a) || !is_static(&scene.bodies, b);
            if any_moves && a.collision_groups().test(b.collision_groups()) {
                pairs.push(ordered([*handle, *other]));
            }
        }
    }
    sorted(pairs.into_iter())
}

/// Times of rapier and of triphase, in nanoseconds.
#[derive(Default)]
struct Times {
    name: &'static str,
    each: [Vec<f64>; 2],
}

impl Times {
    fn print(&mut self) {
        let [rapier, triphase] = self.each.each_mut().map(|times| {
            times.sort_unstable_by(f64::total_cmp);
            times[times.len() / 2] / 1e3
        });
        println!("| {} | {rapier:.2} | {triphase:.2} | {:.1} |", self.name, rapier / triphase);
    }
}

/// Runs what returns a value, and its nanoseconds.
fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let value = run();
    (value, begin.elapsed().as_nanos() as f64)
}

/// What is compared.
struct Race {
    scene: Scene,
    rapier: Rapier,
    broad_phase: BroadPhase,
    world: World,
    statics: Rows,
    rows: Rows,
    times: [Times; 6],
}

impl Race {
    fn new(count: usize) -> Outcome<Self> {
        let scene = Scene::new(count);
        let mut world = World::new(WorldConfig::new().with_parallel_threshold(None))?;
        let mut statics = Rows::default();
        statics.fill(&scene.bodies, &scene.colliders, true);
        statics.set_statics(&mut world)?;
        let names = ["collision detection", "broad phase alone", "box query", "point query", "ray cast", "nearest"];
        let times = names.map(|name| Times { name, ..Times::default() });
        let (rapier, broad_phase, rows) = Default::default();
        Ok(Self { scene, rapier, broad_phase, world, statics, rows, times })
    }

    /// Moves the colliders and finds their pairs with both.
    fn step(&mut self, number: usize, is_checked: bool) -> Outcome<()> {
        let Self { scene, rapier, broad_phase, world, statics, rows, times } = self;
        scene.advance();
        let ((), rapier_time) = timed(|| rapier.step(scene));
        let ((), broad_phase_time) = timed(|| broad_phase.step(scene, number == 0));
        let mut pairs = Vec::new();
        let (stepped, time) = timed(|| {
            rows.fill(&scene.bodies, &scene.colliders, false);
            rows.for_each_pair(statics, world, &scene.colliders, |a, b| pairs.push([a, b]))
        });
        stepped?;
        if number >= WARM_UP {
            for (times, rapier_time) in times.iter_mut().zip([rapier_time, broad_phase_time]) {
                times.each[0].push(rapier_time);
                times.each[1].push(time);
            }
        }
        if is_checked {
            let found = sorted(pairs.into_iter().map(ordered));
            let expected = brute_force(scene);
            for (name, pairs) in [("triphase", &found), ("rapier", &rapier.pairs(&scene.colliders))] {
                if *pairs != expected {
                    let (has, wanted) = (pairs.len(), expected.len());
                    return Err(format!("step {number}: {name} has {has} pairs, expected {wanted}").into());
                }
            }
        }
        Ok(())
    }

    /// Makes each query once, at a random place, and compares the results.
    fn query(&mut self, buffers: &mut Buffers) -> Outcome<()> {
        let at = self.scene.random_point();
        let half = Vector::new(self.scene.uniform(0.2, 3.0), self.scene.uniform(0.2, 3.0));
        let (sin, cos) = self.scene.uniform(0.0, 6.3).sin_cos();
        let Self { scene: Scene { bodies, colliders, .. }, rapier, world, times, .. } = self;
        let dispatcher = rapier.narrow_phase.query_dispatcher();
        let pipeline = rapier.broad_phase.as_query_pipeline(dispatcher, bodies, colliders, QueryFilter::default());
        let mut add = |k: usize, rapier: f64, triphase: f64| {
            times[k].each[0].push(rapier);
            times[k].each[1].push(triphase);
        };

        let (min, max) = (at - half, at + half);
        let area = Aabb::new(min, max);
        // The tree has fat boxes, so exact hits need the tight one of each.
        let (expected, rapier_time) = timed(|| {
            let near = pipeline.intersect_aabb_conservative(area);
            near.filter(|(_, c)| overlap(&c.compute_aabb(), &area)).map(|(handle, _)| handle).collect::<Vec<_>>()
        });
        let (found, time) = timed(|| queries::in_area(world, [min, max]).map(Iterator::collect::<Vec<_>>));
        same_set("box query", &expected, &found?)?;
        add(2, rapier_time, time);

        let (expected, rapier_time) =
            timed(|| pipeline.intersect_point(at).map(|(handle, _)| handle).collect::<Vec<_>>());
        let (found, time) = timed(|| queries::at_point(world, colliders, at).map(Iterator::collect::<Vec<_>>));
        same_set("point query", &expected, &found?)?;
        add(3, rapier_time, time);

        let ray = Ray::new(at, Vector::new(cos, sin));
        let (expected, rapier_time) = timed(|| pipeline.cast_ray(&ray, RAY_LENGTH, true));
        let (found, time) = timed(|| queries::cast_ray(world, colliders, &ray, RAY_LENGTH, buffers));
        same_distance("ray cast", expected, found?)?;
        add(4, rapier_time, time);

        let (expected, rapier_time) = timed(|| pipeline.project_point(at, Real::MAX, true));
        let expected = expected.map(|(handle, to)| (handle, (to.point - at).length()));
        let (found, time) = timed(|| queries::nearest(world, colliders, at, buffers));
        same_distance("nearest", expected, found?)?;
        add(5, rapier_time, time);
        Ok(())
    }
}

fn same_set(name: &str, expected: &[ColliderHandle], found: &[ColliderHandle]) -> Outcome<()> {
    let [expected, found] = [expected, found].map(|handles| sorted(handles.iter().map(|&handle| id_of(handle))));
    if expected == found {
        Ok(())
    } else {
        Err(format!("{name}: rapier finds {expected:?}, triphase {found:?}").into())
    }
}

/// Several shapes may be equally far: distances are compared, and whether there is one.
fn same_distance(
    name: &str,
    expected: Option<(ColliderHandle, f32)>,
    found: Option<(ColliderHandle, f32)>,
) -> Outcome<()> {
    let is_same = match (expected, found) {
        (Some((_, a)), Some((_, b))) => (a - b).abs() <= ROUNDING * (1.0 + a.abs()),
        (a, b) => a.is_none() && b.is_none(),
    };
    if is_same { Ok(()) } else { Err(format!("{name}: rapier finds {expected:?}, triphase {found:?}").into()) }
}

/// The processor and the date.
fn origin() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    let date = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    let date = date.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{}, {date}", cpu.map_or(std::env::consts::ARCH, |(_, name)| name))
}

fn main() -> Outcome<()> {
    let is_short = std::env::args().any(|argument| argument == "--short");
    let (sizes, steps, queries) = if is_short { (&[2000][..], 40, 500) } else { (&[2000, 20_000][..], 200, 20_000) };
    println!("Microseconds, medians, one thread; {}", origin());
    for &count in sizes {
        let mut race = Race::new(count)?;
        for number in 0..steps {
            race.step(number, number % 20 == 0)?;
        }
        let mut buffers = Buffers::default();
        (0..queries).try_for_each(|_| race.query(&mut buffers))?;
        println!(
            "\n{count} colliders that move and {} that do not; all hits are the same, and the pairs of every 20th step\n",
            count / 10
        );
        println!("| what | rapier | triphase | ratio |\n|---|--:|--:|--:|");
        race.times.iter_mut().for_each(Times::print);
    }
    Ok(())
}
