//! Worlds that must all give the same answer in the same order: one for each thread count and instruction set.

use std::fmt::{self, Debug, Formatter};
use triphase::{Aabb, Bodies, Contacts, Error, Hit, SimdLevel, StaticPair, World, WorldConfig};

/// Pools of several thread counts, more threads than the machine has among them. One set for all tests of a file:
/// worlds must not mind to share them.
#[cfg(feature = "parallel")]
pub fn pools() -> &'static [rayon::ThreadPool] {
    static POOLS: std::sync::OnceLock<Vec<rayon::ThreadPool>> = std::sync::OnceLock::new();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    POOLS.get_or_init(|| [1, 2, 3, 8].map(pool).into())
}

/// The pairs of a step, in the order in which they came.
#[derive(Clone, Default, PartialEq)]
pub struct Found {
    pub body: Vec<(u32, u32)>,
    pub static_row: Vec<(u32, u32)>,
}

// A failed assertion shall not print thousands of pairs.
impl Debug for Found {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let first = |pairs: &[(u32, u32)]| pairs[..pairs.len().min(8)].to_vec();
        let (body, static_row) = (first(&self.body), first(&self.static_row));
        write!(f, "{} body pairs {body:?}.., {} static pairs {static_row:?}..", self.body.len(), self.static_row.len())
    }
}

impl Found {
    pub fn new(contacts: Contacts<'_>) -> Self {
        let static_row = contacts.static_pairs().map(|StaticPair { body, static_row }| (body, static_row)).collect();
        let found = Self { body: contacts.body_pairs().map(|pair| (pair.a, pair.b)).collect(), static_row };
        let told = (contacts.body_pairs().len(), contacts.static_pairs().len());
        assert_eq!((found.body.len(), found.static_row.len()), told, "pairs come as many as are told of");
        found
    }

    /// Where the order of two answers differs first.
    fn first_difference(&self, other: &Self) -> Option<String> {
        let place = |what: &str, ours: &[(u32, u32)], theirs: &[(u32, u32)]| {
            let at = (0..ours.len().max(theirs.len())).find(|&k| ours.get(k) != theirs.get(k))?;
            Some(format!("{what} pair at place {at} is {:?}, expected {:?}", ours.get(at), theirs.get(at)))
        };
        place("body", &self.body, &other.body).or_else(|| place("static", &self.static_row, &other.static_row))
    }
}

/// What a query meets, ascending.
pub fn hits(world: &World, area: [f32; 4]) -> Vec<Hit> {
    let [min_x, min_y, max_x, max_y] = area;
    let area = Aabb::new([min_x, min_y], [max_x, max_y]).expect("a good box");
    let mut hits: Vec<Hit> = world.query_aabb(area).collect();
    hits.sort_unstable();
    hits
}

/// Runs a call where a member runs its steps.
type Runner = Box<dyn Fn(&mut (dyn FnMut() + Send))>;

struct Member {
    name: String,
    world: World,
    run: Runner,
}

/// Worlds of one configuration, but for threads and instruction sets.
pub struct Fleet {
    config: WorldConfig,
    members: Vec<Member>,
}

impl Fleet {
    pub fn new(config: WorldConfig) -> Self {
        let mut fleet = Self { config: config.clone(), members: Vec::new() };
        fleet.add("sequential", config.clone().with_parallel_threshold(None));
        for simd in [SimdLevel::Portable, SimdLevel::Sse2, SimdLevel::Avx2, SimdLevel::Avx512] {
            fleet.add(
                format!("sequential, at most {simd:?}"),
                config.clone().with_parallel_threshold(None).with_simd_max(simd),
            );
        }
        fleet.add("as users have it", config.clone());
        fleet.add("outside of any pool", config.clone().with_parallel_threshold(0));
        #[cfg(feature = "parallel")]
        for pool in pools() {
            let name = format!("{} threads", pool.current_num_threads());
            let run: Runner = Box::new(|call| pool.install(call));
            // However few bodies there are.
            fleet.members.push(Member { name, world: super::world(config.clone().with_parallel_threshold(0)), run });
        }
        fleet
    }

    fn add(&mut self, name: impl Into<String>, config: WorldConfig) {
        let run: Runner = Box::new(|call| call());
        self.members.push(Member { name: name.into(), world: super::world(config), run });
    }

    /// One of the worlds, to be asked what all of them answer the same.
    pub fn world(&self) -> &World {
        &self.members[0].world
    }

    /// Does the same to each world and expects the same to come of it.
    pub fn each<T: PartialEq + Debug + Send>(&mut self, mut call: impl FnMut(&mut World) -> T + Send) -> T {
        let mut first: Option<(T, &str)> = None;
        for Member { name, world, run } in &mut self.members {
            let mut result = None;
            run(&mut || result = Some(call(world)));
            let result = result.expect("the call was made");
            match &first {
                Some((expected, of)) => assert_eq!(&result, expected, "{name} against {of}"),
                None => first = Some((result, name)),
            }
        }
        first.expect("a fleet has members").0
    }

    /// Replaces the static set of each world.
    pub fn set_statics(&mut self, statics: &[[f32; 4]]) -> Result<(), Error> {
        self.each(|world| world.set_statics(statics))
    }

    /// Steps each world, and a fresh one with the same `statics`; what differs first between their answers, order
    /// included, is the `Err` of the outer result.
    pub fn step(&mut self, bodies: &[Bodies<'_>], statics: &[[f32; 4]]) -> Result<Result<Found, Error>, String> {
        self.step_beside_fresh(bodies, |fresh| fresh.set_statics(statics))
    }

    /// As [`step`](Self::step); `prepare` gives the fresh world its statics.
    pub fn step_beside_fresh(
        &mut self,
        bodies: &[Bodies<'_>],
        prepare: impl FnOnce(&mut World) -> Result<(), Error>,
    ) -> Result<Result<Found, Error>, String> {
        let mut fresh = super::world(self.config.clone().with_parallel_threshold(None));
        prepare(&mut fresh).map_err(|error| format!("statics: {error}"))?;
        let expected = fresh.step(bodies).map(Found::new);
        for Member { name, world, run } in &mut self.members {
            let mut result = None;
            run(&mut || result = Some(world.step(bodies).map(Found::new)));
            match (result.expect("the step was made"), &expected) {
                (Ok(found), Ok(expected)) => {
                    if let Some(what) = found.first_difference(expected) {
                        return Err(format!("{name} against a fresh world: {what}"));
                    }
                }
                // As text: the value in the error may be NaN.
                (Err(found), Err(expected)) if found.to_string() == expected.to_string() => {}
                (found, expected) => {
                    let [found, expected] = [&found, expected].map(|r| r.as_ref().map(|f| f.body.len()));
                    return Err(format!("{name} against a fresh world: {found:?}, expected {expected:?}"));
                }
            }
        }
        Ok(expected)
    }
}
