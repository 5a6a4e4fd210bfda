//! Bodies with the `asleep` column, stepped in every configuration and compared with brute force.

use crate::query_oracle::{Probe, QueryOracle, run_queries};
use crate::{Columns, ExpectedPairs, FoundPairs, WorldSet, scene_columns};
use std::collections::HashMap;
use triphase::geometry::RawAabb;
use triphase::{Hit, WorldConfig};
use triphase_scenes::{Scene, SplitMix64};

const SEED: u64 = 0x51ee9;

/// A set of worlds and the statics that they have.
pub struct SleepCheck {
    pub worlds: WorldSet,
    pub statics: Vec<RawAabb>,
    enabled: Vec<bool>,
    random: SplitMix64,
    /// Most bodies whose pairs were reused in a step.
    pub cached_max: usize,
}

impl SleepCheck {
    pub fn new(config: WorldConfig, statics: &[RawAabb]) -> Self {
        let mut check = Self {
            worlds: WorldSet::new(config),
            statics: Vec::new(),
            enabled: Vec::new(),
            random: SplitMix64::new(SEED),
            cached_max: 0,
        };
        check.set_statics(statics);
        check
    }

    pub fn set_statics(&mut self, statics: &[RawAabb]) {
        self.worlds.set_statics(statics).expect("valid statics");
        (self.statics, self.enabled) = (statics.to_vec(), vec![true; statics.len()]);
    }

    pub fn toggle_static(&mut self, row: usize) {
        let enabled = !self.enabled[row];
        self.enabled[row] = enabled;
        self.worlds.each(|world| world.set_static_enabled(row as u32, enabled)).expect("a static");
    }

    /// Steps every world: they must report the expected pairs in the same order. `invalid` rows are
    /// skipped.
    pub fn step(&mut self, label: &str, columns: &Columns, asleep: &[bool], invalid: &[u32]) {
        let bodies = columns.bodies().with_asleep(asleep);
        let found = self.worlds.each(|world| FoundPairs::new(world.step(bodies).expect("valid bodies")));
        let expected = ExpectedPairs::new(&columns.boxes(), &self.statics).enabled(|row| self.enabled[row]);
        let expected = expected.exclude_bodies(invalid).filtered(columns.filters.as_deref(), None);
        expected.compare(&found).unwrap_or_else(|what| panic!("{label}: {what}"));
        self.check_views(columns.len(), invalid.len());
        self.cached_max = self.cached_max.max(self.cached_count());
    }

    /// How many bodies had their pairs reused; every world must say the same.
    pub fn cached_count(&mut self) -> usize {
        self.worlds.each(|world| world.report().cached_count)
    }

    /// Every view of the contacts has the same pairs, and the spatial order has every row.
    fn check_views(&self, rows: usize, invalid: usize) {
        let world = self.worlds.world();
        let contacts = world.contacts();
        let pairs: Vec<_> = contacts.body_pairs().collect();
        let mut iterator = contacts.body_pairs();
        assert!((0..pairs.len()).all(|k| iterator.len() == pairs.len() - k && iterator.next() == Some(pairs[k])));
        assert!(iterator.next().is_none());
        assert!(
            contacts.body_pages().flatten().eq(&pairs) && contacts.body_pages().len() == contacts.body_pages().count()
        );
        let statics: Vec<_> = contacts.static_pairs().collect();
        assert!(contacts.static_pages().flatten().eq(&statics));
        #[cfg(feature = "parallel")]
        {
            use rayon::iter::{IndexedParallelIterator, ParallelIterator};
            let static_pages: Vec<_> = contacts.par_static_pages().collect();
            assert!(static_pages.iter().copied().flatten().eq(&statics));
            let pages: Vec<_> = contacts.par_body_pages().collect();
            assert!(pages.iter().copied().flatten().eq(&pairs) && contacts.par_body_pages().len() == pages.len());
        }
        let mut sorted = Vec::new();
        contacts.sorted_pairs(&mut sorted);
        assert_eq!(sorted.len(), pairs.len());
        let (report, mut order) = (world.report(), Vec::new());
        assert_eq!(
            (report.common_count() + report.oversized_count + invalid, report.body_pair_count),
            (rows, pairs.len())
        );
        world.spatial_order(&mut order);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..rows as u32), "each row is in the order once");
    }

    /// Compares the queries of every world with brute force; `invalid` rows must not be found.
    pub fn query(&mut self, label: &str, columns: &Columns, invalid: &[u32], count: usize) {
        let all = QueryOracle::default().with_bodies(&columns.boxes(), columns.ids.as_deref());
        let all = all.with_statics(&self.statics, None);
        let enabled = &self.enabled;
        let oracle = all.only(&|hit| match hit {
            Hit::Body { row, .. } => !invalid.contains(&row),
            Hit::Static { row, .. } => enabled[row as usize],
        });
        for probe in Probe::random(oracle.boxes(), &mut self.random, count) {
            let found = self.worlds.each(|world| run_queries(world.query(), &probe));
            oracle.check(&probe, &found).unwrap_or_else(|what| panic!("{label}: {what}"));
        }
    }
}

/// Holds most bodies of a scene where they are: in each frame those of one group move, by their
/// ids, and the others sleep.
#[derive(Default)]
pub struct SleepSchedule {
    held: HashMap<u64, [f32; 2]>,
}

impl SleepSchedule {
    pub fn columns(&mut self, scene: &Scene, groups: u64, awake_group: u64) -> (Columns, Vec<bool>) {
        let mut columns = scene_columns(scene);
        let mut asleep = Vec::new();
        for (id, center) in scene.ids.iter().zip(columns.centers_mut()) {
            let held = self.held.entry(*id).or_insert(*center);
            let sleeps = id % groups != awake_group;
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
