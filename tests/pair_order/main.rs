//! The order of pairs is pinned at every thread count and SIMD level.
//!
//! The order may change between versions, but never by accident. After an intended change, run the
//! test: it prints the new table. Circles have a table of their own, since their definition may
//! change on its own.

use std::fmt::Write as _;
use triphase::geometry::RawAabb;
use triphase::{Aabb, Bodies, BodyShape, Contacts, Filter, Hit, Pair, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{Columns, simd_levels, world};

const SEED: u64 = 0x0bde4;
/// Enough that every pass is split into several tasks.
const BODIES: usize = 20_000;

/// An order-sensitive hash of integers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct OrderHash(u64);

impl OrderHash {
    fn add(&mut self, value: u64) {
        self.0 = SplitMix64::new(self.0.wrapping_add(value)).next_u64();
    }

    fn add_rows(&mut self, rows: impl Iterator<Item = (u32, u32)>) {
        let mut count = 0;
        rows.for_each(|(a, b)| {
            self.add(u64::from(a) << 32 | u64::from(b));
            count += 1;
        });
        self.add(count);
    }

    fn add_pairs(&mut self, contacts: Contacts<'_>) {
        self.add_rows(contacts.body_pairs().map(|pair| (pair.a, pair.b)));
        self.add_rows(contacts.static_pairs().map(|pair| (pair.body, pair.static_row)));
    }
}

/// A scene and how it is stepped.
struct Case {
    label: &'static str,
    scene: SceneName,
    count: usize,
    frames: usize,
    config: WorldConfig,
    /// Changes a frame of the scene.
    change: fn(&mut Columns, &mut Vec<RawAabb>),
    /// Whether bodies and statics have filters.
    filtered: bool,
    /// Whether 19 of 20 bodies stay where they are first, and sleep.
    asleep: bool,
    /// Whether few bodies move, some of them in every frame, and the steps are told which.
    told: bool,
    /// Where the columns are cut into chunks.
    cuts: &'static [usize],
    /// What is added to the hash after each frame.
    after: fn(&World, &mut OrderHash),
}

impl Case {
    fn new(label: &'static str, scene: SceneName) -> Self {
        Self {
            label,
            scene,
            // Ten million pairs would test no more than two.
            count: if scene == SceneName::Coincident { 2000 } else { BODIES },
            frames: 3,
            config: WorldConfig::new(),
            change: |_, _| {},
            filtered: false,
            asleep: false,
            told: false,
            cuts: &[],
            after: |_, _| {},
        }
    }

    fn with_config(self, config: WorldConfig) -> Self {
        Self { config, ..self }
    }

    fn changed(self, change: fn(&mut Columns, &mut Vec<RawAabb>)) -> Self {
        Self { change, ..self }
    }

    fn filtered(self) -> Self {
        Self { filtered: true, ..self }
    }

    fn asleep(self) -> Self {
        Self { asleep: true, frames: 12, ..self }
    }

    fn told(self) -> Self {
        Self { told: true, frames: 12, ..self }
    }

    fn after(self, after: fn(&World, &mut OrderHash)) -> Self {
        Self { after, ..self }
    }

    /// Steps all frames in a world of these settings, and returns the number of pairs and the hash.
    fn run(&self, config: WorldConfig) -> (usize, u64) {
        let mut world = world(config);
        let mut scene = Scene::new(self.scene, self.count, SEED);
        let mut random = SplitMix64::new(SEED);
        let body_filters = random_filters(scene.centers.len(), &mut random);
        let static_filters = random_filters(scene.statics.len(), &mut random);
        let mut first = scene.centers.clone();
        let asleep: Vec<bool> = (0..first.len()).map(|row| row % 20 != 0).collect();
        let (mut pairs, mut hash, mut most_asleep) = (0, OrderHash::default(), 0);
        for frame in 0..self.frames {
            let mut centers = scene.centers.clone();
            let mut moved = Vec::new();
            if self.told {
                moved.extend((0..first.len()).filter(|row| row % 40 == 7 || (row + 7 * frame) % 97 == 0));
                moved.iter().for_each(|&row| first[row] = centers[row]);
                centers.copy_from_slice(&first);
            }
            if self.asleep {
                let sleepers = centers.iter_mut().zip(&first).zip(&asleep).filter(|(_, asleep)| **asleep);
                sleepers.for_each(|((center, first), _)| *center = *first);
            }
            let mut columns = Columns::new(centers, scene.half_extents.clone());
            columns.displacements = scene.displacements.clone();
            columns.ids = Some(scene.ids.clone());
            columns.filters = self.filtered.then(|| body_filters.clone());
            let mut walls = scene.statics.clone();
            (self.change)(&mut columns, &mut walls);
            if frame == 0 {
                let statics = Statics::new(&walls);
                let statics = if self.filtered { statics.with_filters(&static_filters) } else { statics };
                world.set_statics(statics).expect("valid statics");
            }
            scene.advance();
            let bodies = columns.bodies();
            let chunks: Vec<Bodies<'_>> = if self.asleep {
                vec![bodies.with_asleep(&asleep)]
            } else if self.cuts.is_empty() {
                vec![bodies]
            } else {
                self.cuts.windows(2).map(|cut| columns.rows(cut[0], cut[1])).collect()
            };
            let contacts = if self.told {
                let moved: Vec<u32> = moved.iter().map(|&row| row as u32).collect();
                world.step_changed(&chunks, &moved).expect("valid bodies")
            } else {
                world.step(&chunks).expect("valid bodies")
            };
            pairs += contacts.body_pairs().len() + contacts.static_pairs().len();
            hash.add_pairs(contacts);
            (self.after)(&world, &mut hash);
            most_asleep = most_asleep.max(world.report().cached_count);
        }
        let updates = world.report().filed_steps_ago;
        assert_eq!(updates, if self.told { self.frames as u64 - 1 } else { 0 }, "{}: updates", self.label);
        assert!(!self.asleep || most_asleep > self.count / 2, "{}: at most {most_asleep} slept", self.label);
        (pairs, hash.0)
    }

    /// The result of every SIMD level and number of threads, which must be the same.
    fn hash(&self) -> (usize, u64) {
        let base = || self.config.clone();
        let expected = self.run(base().with_parallel_threshold(None));
        for &simd in simd_levels() {
            assert_eq!(
                self.run(base().with_parallel_threshold(None).with_simd_max(simd)),
                expected,
                "{}, {simd:?}",
                self.label
            );
        }
        #[cfg(feature = "parallel")]
        for pool in &triphase_tests::pools()[..2] {
            let found = pool.install(|| self.run(base().with_parallel_threshold(0)));
            assert_eq!(found, expected, "{}, {} threads", self.label, pool.current_num_threads());
        }
        expected
    }
}

/// Filters of which about half accept each other.
fn random_filters(count: usize, random: &mut SplitMix64) -> Vec<Filter> {
    let mut bits = || [1, 2, 3, 1 << 31, u32::MAX][(random.next_u64() % 5) as usize];
    (0..count).map(|_| Filter::new(bits(), bits())).collect()
}

/// Makes the world `factor` times as wide and a `factor`th as high, so that bands run in either
/// direction.
fn stretch(columns: &mut Columns, walls: &mut [RawAabb], factor: f32) {
    let triphase_tests::Shape::Centers { centers, .. } = &mut columns.shape else {
        unreachable!("a scene has centers")
    };
    centers.iter_mut().for_each(|[x, y]| (*x, *y) = (*x * factor, *y / factor));
    for wall in walls {
        let (x, y) = ((factor - 1.0) * wall[0], (1.0 / factor - 1.0) * wall[1]);
        *wall = [wall[0] + x, wall[1] + y, wall[2] + x, wall[3] + y];
    }
}

/// Makes the bodies so large that each static is near hundreds of them, and doubles the statics.
fn crowd_together(columns: &mut Columns, walls: &mut Vec<RawAabb>) {
    columns.half_extents_mut().iter_mut().for_each(|half| *half = half.map(|half| 8.0 * half));
    walls.extend_from_within(..);
}

/// Replaces each static by sixteen long, thin ones, either way round.
fn draw_lines(_: &mut Columns, walls: &mut Vec<RawAabb>) {
    let line = |[x, y, ..]: RawAabb, k: u8| {
        let (x, y) = (x + f32::from(k % 4), y + f32::from(k / 4));
        if k.is_multiple_of(2) { [x, y, x + 4.0, y + 0.04] } else { [x, y, x + 0.04, y + 4.0] }
    };
    *walls = walls.iter().flat_map(|&wall| (0..16).map(move |k| line(wall, k))).collect();
}

/// Replaces the statics by thousands of small ones, and one large one of some size for each
/// `SMALL` of them.
fn scatter_large<const SMALL: u32>(_: &mut Columns, walls: &mut Vec<RawAabb>) {
    let side_of = |k: u32| if k.is_multiple_of(SMALL) { 0.5 + (k / SMALL % 100) as f32 } else { 0.5 };
    let scattered = |k: u32, prime: u32| (k * prime % 4096) as f32 / 64.0;
    let wall = |k: u32| [scattered(k, 2557), scattered(k, 3203)].map(|at| (at, at + side_of(k)));
    *walls = (0..6000).map(wall).map(|[x, y]| [x.0, y.0, x.1, y.1]).collect();
}

fn add_features(world: &World, hash: &mut OrderHash) {
    let contacts = world.contacts();
    let events = contacts.events().unwrap();
    hash.add_rows(events.started().map(|tracked| (tracked.pair.a, tracked.pair.b)));
    hash.add_rows(events.persisting().map(|tracked| (tracked.pair.a, tracked.pair.b)));
    hash.add_rows(events.ended().map(|ended| (ended.a_id as u32, ended.b_id as u32)));
    hash.add_rows(events.started_static().map(|tracked| (tracked.pair.body, tracked.pair.static_row)));
    hash.add_rows(events.persisting_static().map(|tracked| (tracked.pair.body, tracked.pair.static_row)));
    hash.add_rows(events.ended_static().map(|ended| (ended.body_id as u32, ended.static_id as u32)));
    for row in 0..contacts.body_count() as u32 {
        hash.add_rows(contacts.partners(row).unwrap().iter().map(|&partner| (row, partner)));
        hash.add_rows(contacts.static_partners(row).unwrap().iter().map(|&partner| (row, partner)));
    }
    // By row, the partners in the order of a solver's loop.
    let mut visited = vec![OrderHash::default(); contacts.body_count()];
    let visit = |pair: Pair, a: &mut OrderHash, b: &mut OrderHash| {
        a.add(pair.b.into());
        b.add(pair.a.into());
    };
    contacts.par_for_each_pair_mut(&mut visited, visit).expect("a row for each body");
    visited.iter().for_each(|OrderHash(of_row)| hash.add(*of_row));
    let mut order = Vec::new();
    world.spatial_order(&mut order);
    hash.add_rows(order.iter().map(|&row| (row, 0)));
    let area = Aabb::new([-1e3, -1e3], [1e3, 40.0]).expect("a valid box");
    hash.add_rows(world.query_aabb(area).map(|hit| match hit {
        Hit::Body { row, .. } => (0, row),
        Hit::Static { row, .. } => (1, row),
    }));
}

/// Compares with a table. Cases without pairs have no row.
fn compare(cases: &[Case], pinned: &[(&str, usize, u64)]) {
    let found: Vec<_> =
        cases.iter().map(|case| (case.label, case.hash())).filter(|(_, (pairs, _))| *pairs > 0).collect();
    let mut table = String::new();
    let mut changed = Vec::new();
    for &(label, (pairs, hash)) in &found {
        writeln!(table, "    ({label:?}, {pairs}, {hash:#018x}),").expect("writing to a string succeeds");
        if !pinned.contains(&(label, pairs, hash)) {
            changed.push(label);
        }
    }
    let is_missing = |row: &&(&str, usize, u64)| found.iter().all(|(label, _)| *label != row.0);
    let missing: Vec<_> = pinned.iter().filter(is_missing).collect();
    assert!(
        changed.is_empty() && missing.is_empty(),
        "the order of pairs changed in {changed:?}; no pairs in {missing:?}. The table is now:\n{table}"
    );
}

#[rustfmt::skip]
const PINNED_SCENES: &[(&str, usize, u64)] = &[
    ("crowd", 59716, 0x0c3c086d453dd071),
    ("dragons", 100879, 0x9dbb14c7a3f1869b),
    ("castles", 257128, 0xe05b139d14c81e0e),
    ("few_among_many", 149713, 0xeb319bf500a15771),
    ("forest", 104864, 0xc46f5f525dea7e10),
    ("tile_map", 151705, 0x6c229e48b5831d4c),
    ("cities", 95986, 0xd2fdd5bb6785745a),
    ("power_law", 38521, 0x138c7f4fc0a0e1cc),
    ("sleepers", 59625, 0x2ef855cfd0b1f31a),
    ("brownian", 59476, 0x257f8159f2bcc928),
    ("gravity", 59660, 0x6c8fb10acd8a6a68),
    ("churn", 59858, 0xbcf22efd3672786c),
    ("far_outlier", 59713, 0x88a0643d2db0078a),
    ("line_x", 60331, 0x82b1ad58067e1b79),
    ("line_y", 60331, 0x82b1ad58067e1b79),
    ("diagonal", 60331, 0xdabef9b38f40b9b3),
    ("swarm", 363586, 0xdc0c6ee295a66f4c),
    ("coincident", 2997000, 0x2ff9fefc57e9b3b5),
    ("two_cities", 46542, 0xa6230c33c51bc0cc),
    ("touching", 237462, 0x0ad0d483ab86f15e),
    ("tiny_and_huge", 44836, 0x503eaa9d8172a506),
    ("beams_static", 35064, 0xdd36e2e7c0b74112),
    ("bullets", 64223, 0x2e1249f90f87c0e4),
    ("ulp", 45112, 0x2fdd1bfaa1e94271),
    ("zero_size", 58832, 0x97cd97d86fd74663),
    ("negative_coordinates", 59746, 0x1acbeda6b05ffe24),
    ("wide_and_tall", 59632, 0xff43f90abbe3bc9b),
    ("nested_clusters", 151602, 0x46330687d33b5051),
    ("harp", 82, 0x32b4a3076d777b9b),
    ("corridors", 45093, 0x2e6ae3fd0caf15b3),
    ("shaft", 636585, 0xdb9cbcf724208877),
    ("shaft_clustered", 727451, 0x4bdc3f99a6775356),
    ("lines_and_squares", 205563, 0xb794b2e66dc85cb3),
    ("box_pruning", 2249811, 0xc6c55dfb2bc29ec8),
    ("bepu", 35658, 0x7866aa74dae07b12),
];

#[test]
fn pair_order_of_every_scene_is_pinned() {
    let cases: Vec<_> = SceneName::ALL.iter().map(|&name| Case::new(name.as_str(), name)).collect();
    compare(&cases, PINNED_SCENES);
}

#[rustfmt::skip]
const PINNED_FORMS: &[(&str, usize, u64)] = &[
    ("crowd, filters", 27658, 0x437b86c35ded7591),
    ("castles, filters", 118729, 0x84228722c60d9d52),
    ("power_law, filters", 17511, 0x12fe3450b67531a3),
    ("crowd, asleep", 237933, 0x57f26f621734868c),
    ("crowded, with more statics", 199210, 0x336ef1ad8ced149e),
    ("crowd, with lines", 544047, 0xc8456e38244e5fd6),
    ("few, with large statics", 1966, 0x00fa5c1276866379),
    ("few, with oversized statics", 57, 0x8c1b295f1c50a847),
    ("castles, asleep", 1028984, 0x036b67ec276b8670),
    ("power_law, asleep, filters", 69917, 0x8013b8d66cd7f600),
    ("castles, chunks", 257128, 0xe05b139d14c81e0e),
    ("castles, boxes", 257128, 0xe05b139d14c81e0e),
    ("crowd, uniform", 39718, 0x66935efddaa91cd5),
    ("crowd, high", 56424, 0x8fb4642f321c4229),
    ("crowd, wide", 57009, 0x4483e1629a42e44d),
    ("castles, high", 173563, 0x1c094fdbe5e94222),
    ("castles, wide", 79414, 0x52714379ee37415e),
    ("power_law, high", 35940, 0xfb005b58952b458a),
    ("crowd, cells of 3", 59716, 0x4e19c05a4542d465),
    ("castles, bound 0.4", 257128, 0x555dec5038cc2c1e),
    ("castles, all oversized", 118729, 0x3b0201223bd55ec2),
    ("power_law, four bounds", 38521, 0xb7b96a8bc30aef25),
];

#[test]
fn pair_order_of_every_form_of_input_is_pinned() {
    use SceneName::*;
    let new = WorldConfig::new;
    let cases = [
        Case::new("crowd, filters", Crowd).filtered(),
        Case::new("castles, filters", Castles).filtered(),
        Case::new("power_law, filters", PowerLaw).filtered(),
        Case::new("crowd, asleep", Crowd).asleep(),
        Case { count: 600, ..Case::new("crowded, with more statics", Forest).changed(crowd_together) },
        Case { count: 4000, ..Case::new("crowd, with lines", Forest).changed(draw_lines) },
        Case { count: 40, ..Case::new("few, with large statics", Forest).changed(scatter_large::<2>) },
        Case { count: 8, ..Case::new("few, with oversized statics", Forest).changed(scatter_large::<100>) },
        Case::new("castles, asleep", Castles).asleep(),
        Case::new("power_law, asleep, filters", PowerLaw).asleep().filtered(),
        Case { cuts: &[0, 0, 1, 7000, 7000, 12_001, 20_000], ..Case::new("castles, chunks", Castles) },
        Case::new("castles, boxes", Castles)
            .changed(|columns, _| columns.shape = triphase_tests::Shape::Aabbs(columns.boxes())),
        Case::new("crowd, uniform", Crowd).changed(|columns, _| {
            let triphase_tests::Shape::Centers { centers, .. } = &columns.shape else {
                unreachable!("a scene has centers")
            };
            columns.shape = triphase_tests::Shape::Uniform { centers: centers.clone(), half_extents: [0.4, 0.3] };
        }),
        Case::new("crowd, high", Crowd).changed(|columns, walls| stretch(columns, walls, 0.05)),
        Case::new("crowd, wide", Crowd).changed(|columns, walls| stretch(columns, walls, 20.0)),
        Case::new("castles, high", Castles).changed(|columns, walls| stretch(columns, walls, 0.05)),
        Case::new("castles, wide", Castles).changed(|columns, walls| stretch(columns, walls, 20.0)).filtered(),
        Case::new("power_law, high", PowerLaw).changed(|columns, walls| stretch(columns, walls, 0.05)),
        Case::new("crowd, cells of 3", Crowd).with_config(new().with_cell_size(3.0)),
        Case::new("castles, bound 0.4", Castles).with_config(new().with_bound(0.4)),
        Case::new("castles, all oversized", Castles).with_config(new().with_bound(0.0)).filtered(),
        Case::new("power_law, four bounds", PowerLaw).with_config(new().with_bounds([0.1, 0.5, 3.0, 20.0])),
    ];
    compare(&cases, PINNED_FORMS);
}

#[rustfmt::skip]
const PINNED_CIRCLES: &[(&str, usize, u64)] = &[
    ("crowd", 47033, 0xc99ba837a53075d5),
    ("castles", 233483, 0x603b805692e83802),
    ("castles, filters", 107776, 0x91090dbfbfe5a725),
    ("castles, high", 160707, 0x54416a8a89e3052a),
    ("power_law", 30190, 0xfb1d002e76813baf),
    ("wide_and_tall", 59632, 0xff43f90abbe3bc9b),
    ("crowd, asleep", 186895, 0x90e59bb629e84835),
    ("castles, told", 935166, 0x17b2dec8f6cb97f0),
];

#[test]
fn pair_order_of_circles_is_pinned() {
    use SceneName::*;
    let circles = || WorldConfig::new().with_body_shape(BodyShape::Circle);
    let cases = [
        Case::new("crowd", Crowd).with_config(circles()),
        Case::new("castles", Castles).with_config(circles()),
        Case::new("castles, filters", Castles).with_config(circles()).filtered(),
        Case::new("castles, high", Castles)
            .with_config(circles())
            .changed(|columns, walls| stretch(columns, walls, 0.05)),
        Case::new("power_law", PowerLaw).with_config(circles()),
        Case::new("wide_and_tall", WideAndTall).with_config(circles()),
        Case::new("crowd, asleep", Crowd).with_config(circles()).asleep(),
        Case::new("castles, told", Castles).with_config(circles()).told(),
    ];
    compare(&cases, PINNED_CIRCLES);
}

#[rustfmt::skip]
const PINNED_FEATURES: &[(&str, usize, u64)] = &[
    ("castles", 257128, 0x3161bfb7c90a6119),
    ("castles, margin", 257128, 0x2d32d3f4676a21de),
    ("power_law", 38521, 0xac7a634a29ac1b56),
    ("churn", 59858, 0x261f9c740d327cfd),
    ("crowd, asleep", 237933, 0x02f0a864c1286ace),
    ("castles, told", 1029320, 0xc2343760fc856f0d),
    ("castles, told, filters", 474939, 0xe9ac021e4fa46f49),
    ("castles, told, margin", 1029320, 0xd21789ee28d393d4),
    ("power_law, told", 153978, 0x1454af0881a53199),
];

#[test]
fn order_of_events_partners_and_hits_is_pinned() {
    use SceneName::*;
    let config = || WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let cases = [
        Case::new("castles", Castles).with_config(config()).after(add_features),
        Case::new("castles, margin", Castles).with_config(config().with_margin(0.05)).after(add_features),
        Case::new("power_law", PowerLaw).with_config(config()).after(add_features),
        Case::new("churn", Churn).with_config(config()).after(add_features),
        Case::new("crowd, asleep", Crowd).with_config(config()).asleep().after(add_features),
        Case::new("castles, told", Castles).with_config(config()).told().after(add_features),
        Case::new("castles, told, filters", Castles).with_config(config()).filtered().told().after(add_features),
        Case::new("castles, told, margin", Castles).with_config(config().with_margin(0.05)).told().after(add_features),
        Case::new("power_law, told", PowerLaw).with_config(config()).told().after(add_features),
    ];
    compare(&cases, PINNED_FEATURES);
}
