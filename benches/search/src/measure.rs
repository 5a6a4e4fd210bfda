//! What a step of a layout costs, compared with `crowd`.

use crate::columns::Columns;
use crate::layout::Layout;
use std::time::{Duration, Instant};
use triphase::{Bodies, Error, PhaseTimes, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// Nanoseconds that a pair may cost.
const PAIR_NS: f64 = 3.0;
/// Frames before times count: the first ones make room for what later ones need.
const WARM_UP: usize = 3;
/// Measured frames.
const FRAMES: usize = 7;
/// After this much time no more frames are measured.
const TIME_MAX: Duration = Duration::from_millis(200);

/// The scene that layouts are compared with.
pub(crate) struct Crowd {
    scene: Scene,
    world: World,
}

/// A layout in motion.
pub(crate) struct Subject {
    columns: Columns,
    pub(crate) world: World,
}

/// The cost of a step in nanoseconds per body: the median of some frames, or the least of a few
/// such medians.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    pub(crate) ns: f64,
    pub(crate) crowd_ns: f64,
    /// Pairs per body, those with statics included.
    pub(crate) pairs: f64,
    pub(crate) crowd_pairs: f64,
    pub(crate) statics: usize,
    /// The phases of the last step; those of tasks are summed over threads.
    pub(crate) phases: [Phase; 9],
}

/// A phase of a step, and its nanoseconds per body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) ns: f64,
}

impl Cost {
    /// Times that of `crowd`, each without the time that its pairs may cost.
    pub(crate) fn factor(&self) -> f64 {
        let own = (self.ns - PAIR_NS * self.pairs).max(0.0);
        own / (self.crowd_ns - PAIR_NS * self.crowd_pairs).max(1.0)
    }

    /// This measurement with the least times of it and another one: what else runs on the machine
    /// makes steps slower, never faster.
    pub(crate) fn least(self, other: &Self) -> Self {
        Self { ns: self.ns.min(other.ns), crowd_ns: self.crowd_ns.min(other.crowd_ns), ..self }
    }

    /// The name of the phase that takes the most time.
    pub(crate) fn slowest_phase(&self) -> &'static str {
        self.phases.iter().max_by(|a, b| a.ns.total_cmp(&b.ns)).map_or("", |phase| phase.name)
    }
}

impl Crowd {
    pub(crate) fn new(bodies: usize) -> Result<Self, Error> {
        let mut crowd = Self { scene: Scene::new(SceneName::Crowd, bodies, 1), world: World::default() };
        for _ in 0..WARM_UP {
            crowd.step()?;
        }
        Ok(crowd)
    }

    fn step(&mut self) -> Result<Duration, Error> {
        self.scene.advance();
        let begin = Instant::now();
        self.world.step(Bodies::new(&self.scene.centers, &self.scene.half_extents))?;
        Ok(begin.elapsed())
    }
}

impl Subject {
    /// Steps the first frames. The error is [`Error::TooManyPairs`] if there are more than so many
    /// pairs per body.
    pub(crate) fn new(layout: &Layout, pairs_max: usize) -> Result<Self, Error> {
        let columns = Columns::new(layout);
        let mut world = World::new(WorldConfig::new().with_pair_limit(pairs_max * layout.bodies))?;
        world.set_statics(&columns.statics)?;
        let mut subject = Self { columns, world };
        let mut spent = Duration::ZERO;
        for _ in 0..WARM_UP {
            if spent < TIME_MAX {
                spent += subject.step()?;
            }
        }
        Ok(subject)
    }

    fn step(&mut self) -> Result<Duration, Error> {
        self.columns.advance();
        let begin = Instant::now();
        self.world.step(self.columns.bodies())?;
        Ok(begin.elapsed())
    }

    /// Measures some frames in turn with frames of `crowd`, which has the same number of bodies: a
    /// slow phase of the machine slows both. Each is stepped twice, and the second step counts: the
    /// first one finds the memory of the other in the caches.
    pub(crate) fn measure(&mut self, crowd: &mut Crowd) -> Result<Cost, Error> {
        let (mut times, mut crowd_times) = (Vec::new(), Vec::new());
        while times.len() < FRAMES && times.iter().sum::<Duration>() < TIME_MAX {
            crowd.step()?;
            crowd_times.push(crowd.step()?);
            self.step()?;
            times.push(self.step()?);
        }
        let bodies = self.columns.centers.len() as f64;
        let per_body = |time: Duration| time.as_secs_f64() * 1e9 / bodies;
        let (ns, crowd_ns) = (per_body(median(times)), per_body(median(crowd_times)));
        let (pairs, crowd_pairs) = (pair_count(&self.world) / bodies, pair_count(&crowd.world) / bodies);
        let phases = phases(&self.world.report().phases, per_body);
        let statics = self.columns.statics.len();
        Ok(Cost { ns, crowd_ns, pairs, crowd_pairs, statics, phases })
    }
}

fn phases(times: &PhaseTimes, per_body: impl Fn(Duration) -> f64) -> [Phase; 9] {
    let passes = &times.passes;
    [
        ("plan", times.plan),
        ("partition", times.partition),
        ("layout", times.layout),
        ("sort", passes.sort),
        ("common", passes.common),
        ("ghosts", passes.ghosts),
        ("oversized", passes.oversized),
        ("statics", passes.statics),
        ("gather", times.gather),
    ]
    .map(|(name, time)| Phase { name, ns: per_body(time) })
}

fn pair_count(world: &World) -> f64 {
    let contacts = world.contacts();
    (contacts.body_pairs().len() + contacts.static_pairs().len()) as f64
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
