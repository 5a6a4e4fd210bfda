//! Bodies that say that they sleep, stepped by a fleet and compared with brute force.

use super::questions::{Known, Probe, answers};
use super::{Columns, Fleet, Found, Random, Shape, Truth};
use std::collections::HashMap;
use triphase::geometry::RawAabb;
use triphase::{Hit, WorldConfig};
use triphase_scenes::Scene;

const SEED: u64 = 0x51ee9;

/// A fleet and the statics that it has.
pub struct Play {
    pub fleet: Fleet,
    pub statics: Vec<RawAabb>,
    enabled: Vec<bool>,
    random: Random,
    /// Most bodies that slept in a step.
    pub most: usize,
}

impl Play {
    pub fn new(config: WorldConfig, statics: &[RawAabb]) -> Self {
        let mut play = Self {
            fleet: Fleet::new(config),
            statics: Vec::new(),
            enabled: Vec::new(),
            random: Random::new(SEED),
            most: 0,
        };
        play.set_statics(statics);
        play
    }

    pub fn set_statics(&mut self, statics: &[RawAabb]) {
        self.fleet.set_statics(statics).expect("good statics");
        (self.statics, self.enabled) = (statics.to_vec(), vec![true; statics.len()]);
    }

    pub fn switch(&mut self, row: usize) {
        let enabled = !self.enabled[row];
        self.enabled[row] = enabled;
        self.fleet.each(|world| world.set_static_enabled(row as u32, enabled)).expect("a static");
    }

    /// Steps every world: the same pairs in the same order, and the right ones; `bad` rows are left out.
    pub fn step(&mut self, label: &str, columns: &Columns, asleep: &[bool], bad: &[u32]) {
        let bodies = columns.bodies().with_asleep(asleep);
        let found = self.fleet.each(|world| Found::new(world.step(bodies).expect("good bodies")));
        let truth = Truth::new(&columns.boxes(), &self.statics, |row| self.enabled[row]).without(bad);
        let truth = truth.filtered(columns.filters.as_deref(), None);
        truth.compare(&found).unwrap_or_else(|what| panic!("{label}: {what}"));
        self.check_forms(columns.len(), bad.len());
        self.most = self.most.max(self.asleep());
    }

    /// How many bodies sleep, as every world says.
    pub fn asleep(&mut self) -> usize {
        self.fleet.each(|world| world.report().cached_count)
    }

    /// Every form in which contacts are to be had has the same pairs, and each row is somewhere.
    fn check_forms(&self, rows: usize, bad: usize) {
        let world = self.fleet.world();
        let contacts = world.contacts();
        let pairs: Vec<_> = contacts.body_pairs().collect();
        let mut iterated = contacts.body_pairs();
        assert!((0..pairs.len()).all(|k| iterated.len() == pairs.len() - k && iterated.next() == Some(pairs[k])));
        assert!(iterated.next().is_none());
        assert!(
            contacts.body_pages().flatten().eq(&pairs) && contacts.body_pages().len() == contacts.body_pages().count()
        );
        let static_row: Vec<_> = contacts.static_pairs().collect();
        assert!(contacts.static_pages().flatten().eq(&static_row));
        #[cfg(feature = "parallel")]
        {
            use rayon::iter::{IndexedParallelIterator, ParallelIterator};
            let blocks: Vec<_> = contacts.par_body_pages().collect();
            assert!(blocks.iter().copied().flatten().eq(&pairs) && contacts.par_body_pages().len() == blocks.len());
        }
        let mut sorted = Vec::new();
        contacts.sorted_pairs(&mut sorted);
        assert_eq!(sorted.len(), pairs.len());
        let (report, mut order) = (world.report(), Vec::new());
        assert_eq!((report.common_count() + report.oversized_count + bad, report.body_pair_count), (rows, pairs.len()));
        world.spatial_order(&mut order);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..rows as u32), "each row is in the order once");
    }

    /// Every world finds what brute force does, of the bodies that are `there`.
    pub fn ask(&mut self, label: &str, columns: &Columns, bad: &[u32], count: usize) {
        let known = Known::default().with_bodies(&columns.boxes(), columns.ids.as_deref());
        let known = known.with_statics(&self.statics, None);
        let enabled = &self.enabled;
        let known = known.only(|hit| match hit {
            Hit::Body { row, .. } => !bad.contains(&row),
            Hit::Static { row, .. } => enabled[row as usize],
        });
        for probe in Probe::some(known.boxes(), &mut self.random, count) {
            let found = self.fleet.each(|world| answers(world.query(), &probe));
            known.check(&probe, &found).unwrap_or_else(|what| panic!("{label}: {what}"));
        }
    }
}

pub fn plain(scene: &Scene) -> Columns {
    let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
    Columns { ids: Some(scene.ids.clone()), displacements: scene.displacements.clone(), ..columns }
}

/// Holds bodies of a scene where they are: in each frame another one in so many moves, by its id, and the others sleep.
#[derive(Default)]
pub struct Lullaby {
    held: HashMap<u64, [f32; 2]>,
}

impl Lullaby {
    pub fn columns(&mut self, scene: &Scene, groups: u64, awake: u64) -> (Columns, Vec<bool>) {
        let mut columns = plain(scene);
        let Shape::Centers { centers, .. } = &mut columns.shape else { unreachable!() };
        let mut asleep = Vec::new();
        for (id, center) in scene.ids.iter().zip(centers) {
            let held = self.held.entry(*id).or_insert(*center);
            let sleeps = id % groups != awake;
            if sleeps {
                *center = *held
            } else {
                *held = *center
            }
            asleep.push(sleeps);
        }
        (columns, asleep)
    }
}
