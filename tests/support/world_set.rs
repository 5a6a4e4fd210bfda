//! Worlds that must all give the same results in the same order: one for each SIMD level and
//! several thread counts.

use crate::world;
use std::fmt::{self, Debug, Formatter};
use std::io::Write as _;
#[cfg(feature = "parallel")]
use std::sync::Arc;
use std::sync::OnceLock;
use triphase::{Aabb, Bodies, Contacts, Error, Hit, SimdLevel, StaticPair, World, WorldConfig};

/// Pools of one thread, of two, and of more than the machine has. Worlds of all tests share them.
#[cfg(feature = "parallel")]
pub fn pools() -> &'static [Arc<rayon::ThreadPool>] {
    static POOLS: OnceLock<Vec<Arc<rayon::ThreadPool>>> = OnceLock::new();
    let pool = |threads| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool"));
    // Miri takes long for threads that wait.
    let counts: &[usize] = if cfg!(miri) { &[1, 2] } else { &[1, 2, 8] };
    POOLS.get_or_init(|| counts.iter().copied().map(pool).collect())
}

/// The SIMD levels of this machine, lowest first. The first call prints them past the test harness,
/// so that each run says which levels it compared.
pub fn simd_levels() -> &'static [SimdLevel] {
    static LEVELS: OnceLock<Vec<SimdLevel>> = OnceLock::new();
    LEVELS.get_or_init(|| {
        #[allow(unused_mut, reason = "some targets have one level")]
        let mut levels = vec![SimdLevel::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            levels.push(SimdLevel::Sse2);
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq");
            levels.extend(avx2.then_some(SimdLevel::Avx2));
            levels.extend(avx512.then_some(SimdLevel::Avx512));
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        levels.push(SimdLevel::Neon);
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        levels.push(SimdLevel::Simd128);
        let x86 = cfg!(target_arch = "x86_64").then_some([SimdLevel::Sse2, SimdLevel::Avx2, SimdLevel::Avx512]);
        let missing: Vec<_> = x86.into_iter().flatten().filter(|level| !levels.contains(level)).collect();
        let note = if missing.is_empty() {
            String::new()
        } else {
            format!("; NOT COMPARED, not on this machine: {missing:?}")
        };
        writeln!(std::io::stderr(), "SIMD levels compared: {levels:?}{note}").expect("standard error");
        levels
    })
}

/// The pairs of a step, in the order in which they were reported.
#[derive(Clone, Default, PartialEq)]
pub struct FoundPairs {
    pub bodies: Vec<(u32, u32)>,
    pub statics: Vec<(u32, u32)>,
}

// A failed assertion does not print thousands of pairs.
impl Debug for FoundPairs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let first = |pairs: &[(u32, u32)]| pairs[..pairs.len().min(8)].to_vec();
        let (bodies, statics) = (first(&self.bodies), first(&self.statics));
        write!(f, "{} body pairs {bodies:?}.., {} static pairs {statics:?}..", self.bodies.len(), self.statics.len())
    }
}

impl FoundPairs {
    pub fn new(contacts: Contacts<'_>) -> Self {
        let statics = contacts.static_pairs().map(|StaticPair { body, static_row }| (body, static_row)).collect();
        let found = Self { bodies: contacts.body_pairs().map(|pair| (pair.a, pair.b)).collect(), statics };
        let counts = (contacts.body_pairs().len(), contacts.static_pairs().len());
        assert_eq!((found.bodies.len(), found.statics.len()), counts, "an iterator yields as many pairs as its length");
        found
    }

    /// All of them.
    pub fn pair_count(&self) -> usize {
        self.bodies.len() + self.statics.len()
    }

    /// The same pairs, ascending.
    pub fn sorted(mut self) -> Self {
        self.bodies.sort_unstable();
        self.statics.sort_unstable();
        self
    }

    /// Where the order first differs.
    fn first_difference(&self, other: &Self) -> Option<String> {
        let place = |what: &str, ours: &[(u32, u32)], theirs: &[(u32, u32)]| {
            let at = (0..ours.len().max(theirs.len())).find(|&k| ours.get(k) != theirs.get(k))?;
            Some(format!("{what} pair {at} is {:?}, expected {:?}", ours.get(at), theirs.get(at)))
        };
        place("body", &self.bodies, &other.bodies).or_else(|| place("static", &self.statics, &other.statics))
    }
}

/// What a box query finds, ascending.
pub fn hits(world: &World, area: [f32; 4]) -> Vec<Hit> {
    let [min_x, min_y, max_x, max_y] = area;
    let area = Aabb::new([min_x, min_y], [max_x, max_y]).expect("a valid box");
    let mut hits: Vec<Hit> = world.query_aabb(area).collect();
    hits.sort_unstable();
    hits
}

/// Where a member runs its calls.
enum Place {
    Here,
    #[cfg(feature = "parallel")]
    In(&'static rayon::ThreadPool),
    #[cfg(feature = "parallel")]
    HereWith(&'static Arc<rayon::ThreadPool>),
}

struct Member {
    name: String,
    world: World,
    place: Place,
}

impl Member {
    fn run(&mut self, call: &mut (dyn FnMut(&mut World) + Send)) {
        match self.place {
            Place::Here => call(&mut self.world),
            #[cfg(feature = "parallel")]
            Place::In(pool) => pool.install(|| call(&mut self.world)),
            #[cfg(feature = "parallel")]
            Place::HereWith(pool) => triphase::with_pool(pool, || call(&mut self.world)),
        }
    }
}

/// Worlds of one configuration except for threads and SIMD levels.
pub struct WorldSet {
    config: WorldConfig,
    members: Vec<Member>,
}

impl WorldSet {
    pub fn new(config: WorldConfig) -> Self {
        let mut set = Self { config: config.clone(), members: Vec::new() };
        // The best level first: it is the one that the others are compared with.
        for &simd in simd_levels().iter().rev() {
            set.add(
                format!("sequential, {simd:?}"),
                config.clone().with_parallel_threshold(None).with_simd_max(simd),
                Place::Here,
            );
        }
        set.add("default settings".to_owned(), config.clone(), Place::Here);
        // In a pool, and with help from a larger one, however few bodies there are.
        #[cfg(feature = "parallel")]
        for (number, pool) in pools().iter().enumerate().skip(1) {
            let name = format!("{} threads", pool.current_num_threads());
            let place = if number == 1 { Place::In(pool) } else { Place::HereWith(pool) };
            set.add(name, config.clone().with_parallel_threshold(0), place);
        }
        set
    }

    fn add(&mut self, name: String, config: WorldConfig, place: Place) {
        self.members.push(Member { name, world: world(config), place });
    }

    /// One of the worlds.
    pub fn world(&self) -> &World {
        &self.members[0].world
    }

    /// Makes the same call with each world and returns the result, which must be the same.
    pub fn each<T: PartialEq + Debug + Send>(&mut self, mut call: impl FnMut(&mut World) -> T + Send) -> T {
        let mut first: Option<(T, &str)> = None;
        for member in &mut self.members {
            let mut result = None;
            member.run(&mut |world| result = Some(call(world)));
            let result = result.expect("the call was made");
            match &first {
                Some((expected, other)) => assert_eq!(&result, expected, "{} against {other}", member.name),
                None => first = Some((result, &member.name)),
            }
        }
        first.expect("a set has members").0
    }

    /// Replaces the static set of each world.
    pub fn set_statics(&mut self, statics: &[[f32; 4]]) -> Result<(), Error> {
        self.each(|world| world.set_statics(statics))
    }

    /// Steps each world, and a new one with the same `statics`. The outer error says where their
    /// results, order included, first differ.
    pub fn step(&mut self, bodies: &[Bodies<'_>], statics: &[[f32; 4]]) -> Result<Result<FoundPairs, Error>, String> {
        self.step_beside_new(bodies, &mut |new| new.set_statics(statics))
    }

    /// As [`step`](Self::step); `prepare` gives the new world its statics.
    pub fn step_beside_new(
        &mut self,
        bodies: &[Bodies<'_>],
        prepare: &mut dyn FnMut(&mut World) -> Result<(), Error>,
    ) -> Result<Result<FoundPairs, Error>, String> {
        let mut new = world(self.config.clone().with_parallel_threshold(None));
        prepare(&mut new).map_err(|error| format!("statics: {error}"))?;
        let expected = new.step(bodies).map(FoundPairs::new);
        for member in &mut self.members {
            let mut result = None;
            member.run(&mut |world| result = Some(world.step(bodies).map(FoundPairs::new)));
            match (result.expect("the step was made"), &expected) {
                (Ok(found), Ok(expected)) => {
                    if let Some(what) = found.first_difference(expected) {
                        return Err(format!("{} against a new world: {what}", member.name));
                    }
                }
                // As text: the value in the error may be NaN.
                (Err(found), Err(expected)) if found.to_string() == expected.to_string() => {}
                (found, expected) => {
                    let [found, expected] = [&found, expected].map(|r| r.as_ref().map(FoundPairs::pair_count));
                    return Err(format!("{} against a new world: {found:?}, expected {expected:?}", member.name));
                }
            }
        }
        Ok(expected)
    }
}
