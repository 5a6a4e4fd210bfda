//! Steps that are told which rows changed: everything is that of a full step.

use std::collections::BTreeSet;
use triphase::geometry::RawAabb;
use triphase::{
    Aabb, BodyShape, Contacts, EndedPair, EndedStaticPair, Error, Filter, Hit, Pair, StaticPair, Statics, TrackedPair,
    World, WorldConfig,
};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::query_oracle::{Probe, QueryOracle, run_queries};
use triphase_tests::{Columns, FoundPairs, has_grids_for_orientations, random_filters, wide_among_tall, world};

const SEED: u64 = 0xc4a9ed;

/// A world that is told what changed, one that is not, and the rows of both.
struct Told {
    told: World,
    full: World,
    columns: Columns,
    changed: Vec<u32>,
    /// The boxes of statics that changed since the last step, before and now; `None` if all did.
    changed_statics: Option<Vec<Aabb>>,
    /// The rows that changed in the last step, if few did.
    last: BTreeSet<u32>,
    /// Whether the last step can be updated: it was the first, or told of few changed rows.
    can_update: bool,
    /// Steps whose pairs began with those of rows that changed twice in a row.
    active_steps: usize,
    next_value: u32,
}

/// Events in a comparable order.
#[derive(Debug, PartialEq)]
struct Events {
    started: Vec<TrackedPair<Pair>>,
    persisting: Vec<TrackedPair<Pair>>,
    ended: Vec<EndedPair>,
    started_static: Vec<TrackedPair<StaticPair>>,
    persisting_static: Vec<TrackedPair<StaticPair>>,
    ended_static: Vec<EndedStaticPair>,
}

impl Events {
    fn of(contacts: Contacts<'_>) -> Option<Self> {
        let events = contacts.events()?;
        let mut all = Self {
            started: events.started().collect(),
            persisting: events.persisting().collect(),
            ended: events.ended().collect(),
            started_static: events.started_static().collect(),
            persisting_static: events.persisting_static().collect(),
            ended_static: events.ended_static().collect(),
        };
        // A full step sorts the ids of an ended pair by other rows.
        all.ended
            .iter_mut()
            .for_each(|ended| (ended.a_id, ended.b_id) = (ended.a_id.min(ended.b_id), ended.a_id.max(ended.b_id)));
        all.ended.sort_unstable();
        all.ended_static.sort_unstable();
        Some(all)
    }
}

impl Told {
    fn new(config: WorldConfig, statics: Statics<'_>, columns: Columns) -> Self {
        let [mut told, mut full] = [world(config.clone()), world(config)];
        told.set_statics(statics).expect("valid statics");
        full.set_statics(statics).expect("valid statics");
        Self {
            told,
            full,
            columns,
            changed: Vec::new(),
            changed_statics: Some(Vec::new()),
            last: BTreeSet::new(),
            can_update: false,
            active_steps: 0,
            next_value: 1,
        }
    }

    fn change(&mut self, row: usize) {
        self.changed.push(row as u32);
    }

    fn centers(&mut self) -> &mut Vec<[f32; 2]> {
        self.columns.centers_mut()
    }

    /// Adds a row, and names it: the last step may have had such a row too.
    fn add(&mut self, center: [f32; 2], half: [f32; 2], id: u64) {
        self.change(self.columns.len());
        self.columns.push(center, half, id, Filter::ALL);
    }

    /// Removes a row by swapping the last one into its place.
    fn remove(&mut self, row: usize) {
        self.columns.swap_remove(row);
        self.change(row);
        let count = self.columns.len() as u32;
        self.changed.retain(|&changed| changed < count);
    }

    /// Changes statics of both worlds: those of `rows`, and those that `change` adds.
    fn change_statics(&mut self, rows: &[u32], change: impl Fn(&mut World)) {
        let before = self.full.statics().clone();
        [&mut self.told, &mut self.full].into_iter().for_each(&change);
        let now = self.full.statics();
        let added = before.len() as u32..now.len() as u32;
        for row in rows.iter().copied().chain(added) {
            let boxes = [before.aabb(row), now.aabb(row)].into_iter().flatten();
            self.changed_statics.iter_mut().for_each(|all| all.extend(boxes.clone()));
        }
    }

    /// Replaces the statics of both worlds.
    fn set_statics(&mut self, statics: Statics<'_>) {
        self.change_statics(&[], |world| world.set_statics(statics).expect("valid statics"));
        self.changed_statics = None;
    }

    /// Shifts the origin of both worlds.
    fn shift_origin(&mut self, by: [f32; 2]) {
        for world in [&mut self.told, &mut self.full] {
            world.shift_origin(by).expect("a small shift");
        }
        self.centers().iter_mut().for_each(|center| *center = [center[0] - by[0], center[1] - by[1]]);
        self.can_update = false;
    }

    /// Steps both worlds and compares them.
    fn step(&mut self, label: &str) {
        let Self { told, full, columns, changed, changed_statics, last, can_update, .. } = self;
        let rows_before = full.contacts().body_count();
        let at_statics: Option<Vec<bool>> = changed_statics.replace(Vec::new()).map(|boxes| {
            let touches = |a: RawAabb| {
                boxes.iter().map(|aabb| aabb.to_array()).any(|b| (0..2).all(|k| a[k] <= b[k + 2] && b[k] <= a[k + 2]))
            };
            (0..rows_before as u32).map(|row| full.aabb(row).is_some_and(touches)).collect()
        });
        let expected = full.step(columns.bodies()).expect("valid bodies");
        told.step_changed(columns.bodies(), &*changed).expect("valid bodies");
        let (contacts, filed_steps_ago) = (told.contacts(), told.report().filed_steps_ago);
        let (found, in_step_order) = (FoundPairs::new(contacts), FoundPairs::new(expected));
        let sorted = in_step_order.clone().sorted();
        assert_eq!(found.clone().sorted(), sorted, "{label}");
        let is_named = |row: u32| {
            let is_at_static = |rows: &Vec<bool>| rows[row as usize];
            changed.contains(&row) || row as usize >= rows_before || at_statics.as_ref().is_some_and(is_at_static)
        };
        let is_changed = |row: u32| at_statics.is_none() || is_named(row);
        let rows_now = columns.len();
        let gone = rows_before.saturating_sub(rows_now);
        let changed_count = (0..rows_now as u32).filter(|&row| is_named(row)).count() + gone;
        let bodies = found.bodies.iter().filter(|&&(a, b)| is_changed(a) || is_changed(b)).copied();
        assert!(contacts.changed_pairs().iter().map(|pair| (pair.a, pair.b)).eq(bodies), "{label}");
        let statics = found.statics.iter().filter(|&&(body, _)| is_changed(body)).copied();
        let found_statics = contacts.changed_static_pairs().iter();
        assert!(found_statics.map(|pair| (pair.body, pair.static_row)).eq(statics), "{label}");
        let is_gone = |row: u32| row as usize >= rows_now;
        let again = last.iter().filter(|&&row| (row as usize) < rows_now.max(rows_before));
        let again = again.filter(|&&row| is_gone(row) || is_named(row)).count();
        let is_few = again * 6 + (changed_count - again) * 22 <= rows_now.max(rows_before);
        if *can_update && is_few && at_statics.is_some() {
            let is_active = |row: u32| is_changed(row) && last.contains(&row);
            let (first, rest): (Vec<_>, Vec<_>) =
                sorted.bodies.iter().partition(|&&(a, b)| is_active(a) || is_active(b));
            let (first_static, rest_static): (Vec<_>, Vec<_>) =
                sorted.statics.iter().partition(|&&(body, _)| is_active(body));
            self.active_steps += usize::from(!first.is_empty() && !rest.is_empty());
            assert_eq!(found.bodies, [first, rest].concat(), "{label}: pairs of active rows are first");
            assert_eq!(found.statics, [first_static, rest_static].concat(), "{label}: those with statics too");
        } else {
            // All rows were stepped, as in a full step or to be updated by the next one.
            if rows_before == 0 || is_few {
                assert_eq!(found, sorted, "{label}: pairs are ascending");
            } else {
                assert_eq!(found, in_step_order, "{label}: many rows changed");
            }
            assert_eq!(filed_steps_ago, 0, "{label}: all rows are filed");
        }
        *can_update = rows_before == 0 || is_few;
        let gone = rows_now as u32..rows_before as u32;
        *last = (0..rows_now as u32).filter(|&row| is_changed(row)).chain(gone).collect();
        if at_statics.is_none() || rows_before == 0 {
            last.clear();
        }
        assert_eq!(Events::of(contacts), Events::of(expected), "{label}");
        for row in 0..columns.len() as u32 {
            assert_eq!(contacts.partners(row), expected.partners(row), "{label}: partners of {row}");
            assert_eq!(contacts.static_partners(row), expected.static_partners(row), "{label}: statics of {row}");
            assert_eq!(contacts.body_id(row), expected.body_id(row), "{label}: id of {row}");
        }
        changed.clear();
        self.set_values();
    }

    /// Makes a step that fails once the pairs of its rows were found, as two rows share an id. It
    /// also names rows that have not changed.
    fn fail(&mut self, label: &str) {
        let ids = self.columns.ids.clone();
        self.columns.ids.as_mut().expect("ids")[0] = ids.as_ref().expect("ids")[1];
        let changed: Vec<u32> = (0..20).chain(self.changed.iter().copied().filter(|&row| row >= 20)).collect();
        let outcome = self.told.step_changed(self.columns.bodies(), &changed);
        assert!(matches!(outcome, Err(Error::DuplicateBodyId { .. })), "{label}: {outcome:?}");
        self.columns.ids = ids;
    }

    /// Gives contacts that began the same values in both worlds, a different one for each.
    fn set_values(&mut self) {
        let Self { told, full, next_value, .. } = self;
        let first = *next_value;
        for world in [told, full] {
            let Some(mut events) = world.events_mut() else { return };
            *next_value = first;
            let bodies = events.started().map(|(_, value)| value);
            bodies.for_each(|value| *value = std::mem::replace(next_value, *next_value + 1));
            let statics = events.started_static().map(|(_, value)| value);
            statics.for_each(|value| *value = std::mem::replace(next_value, *next_value + 1));
        }
    }

    /// Compares queries with brute force.
    fn query(&self, label: &str, statics: &[RawAabb], random: &mut SplitMix64) {
        let oracle = QueryOracle::new(&self.columns, statics);
        for probe in Probe::random(oracle.boxes(), random, 6) {
            let found = run_queries(self.told.query(), &probe);
            oracle.check(&probe, &found).unwrap_or_else(|error| panic!("{label}: {error}"));
        }
        let (mut order, rows) = (Vec::new(), self.columns.len() as u32);
        self.told.spatial_order(&mut order);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..rows), "{label}: each row is in the order once");
        let report = self.told.report();
        assert_eq!(report.common_count() + report.oversized_count, rows as usize, "{label}");
        for row in 0..rows {
            let aabb = self.told.aabb(row);
            assert_eq!(aabb, Some(self.columns.boxes()[row as usize]), "{label}: box of {row}");
        }
    }
}

/// Moves, teleports, resizes, adds and removes a few rows, as `random` says.
fn change_some(told: &mut Told, scene: &Scene, random: &mut SplitMix64, count: usize, next_id: &mut u64) {
    let [min_x, min_y, max_x, max_y] = scene.world;
    let anywhere = |random: &mut SplitMix64| [random.range(min_x, max_x), random.range(min_y, max_y)];
    for _ in 0..count {
        // Some rows change in many frames, others in few.
        let rows = if random.below(3) > 0 { told.columns.len().min(50) } else { told.columns.len() };
        let row = random.below(rows);
        match random.below(20) {
            0 => {
                let at = anywhere(random);
                told.centers()[row] = at;
                told.change(row);
            }
            1 => {
                let scale = random.pick(&[0.1f32, 0.5, 2.0, 30.0]);
                let half = &mut told.columns.half_extents_mut()[row];
                *half = half.map(|v| (v * scale).clamp(1e-3, (max_x - min_x) * 0.1));
                told.change(row);
            }
            2 => {
                let (at, half) = (anywhere(random), random.pick(&scene.half_extents));
                *next_id += 1;
                told.add(at, half, *next_id);
            }
            3 => told.remove(row),
            4 if told.columns.filters.is_some() => {
                let filter = random_filters(1, random)[0];
                told.columns.filters.as_mut().expect("filters")[row] = filter;
                told.change(row);
            }
            _ => {
                let by = (scene.half_extents[0][0] * 0.3).max(1e-3);
                let (x, y) = (random.range(-by, by), random.range(-by, by));
                let center = &mut told.centers()[row];
                *center = [center[0] + x, center[1] + y];
                told.change(row);
            }
        }
    }
}

fn scene_told(config: WorldConfig, name: SceneName, bodies: usize, with_columns: bool) -> (Told, Scene) {
    let scene = Scene::new(name, bodies, SEED);
    let mut columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
    if with_columns {
        columns.ids = Some(scene.ids.clone());
        columns.filters = Some(random_filters(bodies, &mut SplitMix64::new(SEED)));
    }
    (Told::new(config, Statics::from(&scene.statics), columns), scene)
}

#[test]
fn told_steps_are_full_steps() {
    let all = || WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let configs = [
        WorldConfig::new(),
        all(),
        all().with_parallel_threshold(Some(0)),
        all().with_margin(0.2),
        all().with_body_shape(BodyShape::Circle),
        all().with_bound(0.2),
    ];
    let names = [
        SceneName::Crowd,
        SceneName::Castles,
        SceneName::PowerLaw,
        SceneName::Cities,
        SceneName::WideAndTall,
        SceneName::Coincident,
        SceneName::LineX,
        SceneName::FarOutlier,
    ];
    let mut active_steps = 0;
    for (k, config) in configs.into_iter().enumerate() {
        for (n, name) in names.into_iter().enumerate() {
            let mut random = SplitMix64::new(SEED + (k * 100 + n) as u64);
            let bodies = if name == SceneName::Coincident { 300 } else { 1200 };
            let (mut told, scene) = scene_told(config.clone(), name, bodies, (k + n) % 2 == 1);
            let mut next_id = 1 << 40;
            for frame in 0..24 {
                let count = [0, 1, 7, 30, 50, 600][random.below(6)];
                change_some(&mut told, &scene, &mut random, count, &mut next_id);
                let label = format!("settings {k}, {name}, frame {frame}, {count} changes");
                told.step(&label);
                if frame % 5 == 4 && told.columns.filters.is_none() {
                    told.query(&label, &scene.statics, &mut random);
                }
            }
            active_steps += told.active_steps;
        }
    }
    assert!(active_steps > 100, "{active_steps} steps had pairs of rows that changed twice in a row");
}

/// Rows that move in each frame, straight on or with turns, while a few others change beside them.
struct SteadyMovers {
    rows: BTreeSet<u32>,
    velocities: Vec<[f32; 2]>,
    turn: bool,
}

impl SteadyMovers {
    fn new(told: &mut Told, count: usize, turn: bool, random: &mut SplitMix64) -> Self {
        let mut velocity = |half: &[f32; 2]| half.map(|v| v.max(1e-3) * random.range(-0.3, 0.3));
        let velocities = told.columns.half_extents_mut().iter().map(&mut velocity).collect();
        let rows = (0..count).map(|_| random.below(told.columns.len()) as u32).collect();
        Self { rows, velocities, turn }
    }

    fn advance(&mut self, told: &mut Told, random: &mut SplitMix64) {
        let count = told.columns.len();
        self.rows.retain(|&row| (row as usize) < count);
        self.velocities.resize(count, [0.01, -0.02]);
        for &row in &self.rows {
            let velocity = &mut self.velocities[row as usize];
            if self.turn && random.below(4) == 0 {
                *velocity = [-velocity[1], velocity[0]];
            }
            let [x, y] = *velocity;
            let center = &mut told.centers()[row as usize];
            *center = [center[0] + x, center[1] + y];
            told.change(row as usize);
        }
        // Some begin to move and some stop; others jump to where rows move, or away from there.
        for _ in 0..random.below(4) {
            let any = random.below(count);
            let Some(&mover) = self.rows.iter().nth(random.below(self.rows.len().max(1))) else { return };
            match random.below(4) {
                0 => _ = self.rows.remove(&mover),
                1 => _ = self.rows.insert(any as u32),
                2 => {
                    let at = told.centers()[mover as usize];
                    told.centers()[any] = at;
                    told.change(any);
                }
                _ => {
                    let boxes = told.columns.boxes();
                    let near = |row: &u32| {
                        (0..2).all(|k| {
                            let [a, b] = [boxes[*row as usize], boxes[mover as usize]];
                            a[k] <= b[k + 2] && b[k] <= a[k + 2]
                        })
                    };
                    let Some(row) = (0..count as u32).filter(near).nth(random.below(3)) else { continue };
                    let at = told.centers()[any];
                    told.centers()[row as usize] = at;
                    told.change(row as usize);
                }
            }
        }
    }
}

#[test]
fn events_of_many_rows_are_those_of_full_steps() {
    let tracked = || WorldConfig::new().with_contact_tracking(true);
    // Contacts are kept by spans of thousands of rows, some of which are edited together.
    let bodies = 40_000;
    for (k, config) in [tracked(), tracked().with_parallel_threshold(Some(0)).with_margin(0.1)].into_iter().enumerate()
    {
        let mut random = SplitMix64::new(SEED + k as u64);
        let (mut told, scene) = scene_told(config, SceneName::Crowd, bodies, true);
        told.columns.filters = None;
        let mut movers = SteadyMovers::new(&mut told, bodies / 50, true, &mut random);
        let mut next_id = 1 << 40;
        for frame in 0..12 {
            movers.advance(&mut told, &mut random);
            change_some(&mut told, &scene, &mut random, 100, &mut next_id);
            if frame % 4 == 3 {
                // One body touches a tenth of all others, and no longer four frames later.
                let side = if frame % 8 == 3 { (scene.world[2] - scene.world[0]) * 0.16 } else { 0.3 };
                told.columns.half_extents_mut()[0] = [side; 2];
                told.change(0);
            }
            told.step(&format!("settings {k}, frame {frame}"));
        }
        assert!(told.can_update, "the last step was told of few rows");
    }
}

#[test]
fn rows_that_keep_moving_have_the_pairs_of_full_steps() {
    let tracked = || WorldConfig::new().with_contact_tracking(true);
    let configs = [
        tracked(),
        tracked().with_parallel_threshold(Some(0)),
        tracked().with_body_shape(BodyShape::Circle).with_margin(0.1),
        tracked().with_bound(0.2).with_partner_lists(true),
    ];
    let names = [
        SceneName::Crowd,
        SceneName::Castles,
        SceneName::PowerLaw,
        SceneName::Cities,
        SceneName::WideAndTall,
        SceneName::Coincident,
        SceneName::Touching,
    ];
    for (k, config) in configs.into_iter().enumerate() {
        for (n, name) in names.into_iter().enumerate() {
            let mut random = SplitMix64::new(SEED + (k * 100 + n) as u64);
            let bodies = if name == SceneName::Coincident { 400 } else { 1500 };
            let (mut told, scene) = scene_told(config.clone(), name, bodies, (k + n) % 2 == 1);
            let mut movers = SteadyMovers::new(&mut told, bodies / 25, n % 2 == 1, &mut random);
            let mut next_id = 1 << 40;
            for frame in 0..50 {
                movers.advance(&mut told, &mut random);
                if frame % 9 == 8 {
                    change_some(&mut told, &scene, &mut random, 2, &mut next_id);
                }
                let label = format!("settings {k}, {name}, frame {frame}");
                if frame % 7 == 6 && told.columns.ids.is_some() {
                    told.fail(&label);
                }
                told.step(&label);
            }
        }
    }
}

#[test]
fn added_rows_may_keep_moving() {
    let (mut told, _) = scene_told(WorldConfig::new(), SceneName::Crowd, 600, true);
    let first = told.columns.len();
    for frame in 0..50 {
        for row in first..told.columns.len() {
            told.centers()[row][0] += 0.1;
            told.change(row);
        }
        let at = told.centers()[frame * 7];
        told.add(at, [0.4, 0.5], 1 << 40 | frame as u64);
        told.step(&format!("frame {frame}"));
    }
}

#[test]
fn many_small_steps_wear_out_the_cells() {
    let mut random = SplitMix64::new(SEED);
    let (mut told, scene) = scene_told(WorldConfig::new(), SceneName::Dragons, 3000, false);
    for frame in 0..120 {
        change_some(&mut told, &scene, &mut random, 100, &mut 0);
        let label = format!("frame {frame}");
        told.step(&label);
        if frame % 20 == 19 {
            told.query(&label, &[], &mut random);
        }
    }
}

#[test]
fn wide_bodies_among_tall_ones_that_move_are_found() {
    let mut random = SplitMix64::new(SEED);
    let mut told = Told::new(WorldConfig::new(), Statics::new(&[[0.0f32; 4]; 0]), wide_among_tall(9000, &mut random));
    for frame in 0..10 {
        for _ in 0..[0, 1, 40, 100][frame % 4] {
            let row = random.below(9000);
            let [dx, dy] = random.point(-3.0, 3.0);
            let [x, y] = &mut told.centers()[row];
            (*x, *y) = (*x + dx, *y + dy);
            told.change(row);
        }
        told.step(&format!("frame {frame}"));
    }
    assert!(has_grids_for_orientations(&told.told), "{}", told.told.report());
    told.query("after them", &[], &mut random);
}

#[test]
fn steps_without_changes_repeat_the_last_one() {
    let all = || WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let configs = [
        WorldConfig::new(),
        WorldConfig::new().with_partner_lists(true),
        WorldConfig::new().with_body_shape(BodyShape::Circle),
        all(),
        all().with_margin(0.2),
    ];
    for (k, config) in configs.into_iter().enumerate() {
        let mut random = SplitMix64::new(SEED + k as u64);
        let (mut told, scene) = scene_told(config, SceneName::Castles, 1000, k % 2 == 1);
        let (mut snapshots, mut next_id) = (Vec::new(), 1 << 40);
        let area = Aabb::new([-1e4, -1e4], [1e4, 1e4]).expect("a box");
        let elsewhere = [-9e3f32, -9e3, -8e3, -8e3];
        for frame in 0..80 {
            let count = [0, 0, 0, 1, 7, 30][random.below(6)];
            change_some(&mut told, &scene, &mut random, count, &mut next_id);
            let what = random.below(12);
            match what {
                0 => change_some_statics(&mut told, &scene, &mut random, &mut next_id),
                // Where no body is.
                6 => told.change_statics(&[], |world| _ = world.insert_statics(&[elsewhere]).expect("a valid box")),
                1 => snapshots.push(told.told.reader().latest()),
                2..=4 => snapshots.clear(),
                _ => {}
            }
            let label = format!("settings {k}, frame {frame}, {count} changes");
            let (step, filed_steps_ago) = (told.told.step_number(), told.told.report().filed_steps_ago);
            // After more steps all rows may be filed again.
            let is_updated = told.can_update && count == 0 && what > 0 && filed_steps_ago < 30;
            told.step(&label);
            assert_eq!(told.told.step_number(), step + 1, "{label}");
            if is_updated {
                assert_eq!(told.told.report().filed_steps_ago, filed_steps_ago + 1, "{label}");
            }
            let [mut visits, mut full_visits] = [vec![0u32; told.columns.len()], vec![0; told.columns.len()]];
            for (world, visits) in [(&told.told, &mut visits), (&told.full, &mut full_visits)] {
                let visit = |_, a: &mut u32, b: &mut u32| (*a, *b) = (*a + 1, *b + 1);
                world.contacts().par_for_each_pair_mut(visits, visit).expect("a column of the step");
            }
            assert_eq!(visits, full_visits, "{label}");
            let statics_of = |world: &mut World| {
                let latest = world.reader().latest();
                let hits = latest.query_aabb(area);
                let rows = hits.filter_map(|hit| if let Hit::Static { row, .. } = hit { Some(row) } else { None });
                rows.collect::<BTreeSet<u32>>()
            };
            assert_eq!(statics_of(&mut told.told), statics_of(&mut told.full), "{label}: statics of the latest step");
        }
    }
}

#[test]
fn readers_keep_the_steps_that_they_took() {
    let mut random = SplitMix64::new(SEED);
    let (mut told, scene) = scene_told(WorldConfig::new().with_contact_tracking(true), SceneName::Crowd, 2000, true);
    let reader = told.told.reader();
    let (mut kept, mut next_id) = (Vec::new(), 1 << 40);
    // Long enough for all rows to be filed again.
    for frame in 0..120 {
        change_some(&mut told, &scene, &mut random, 40, &mut next_id);
        if frame % 5 == 4 {
            fail_by_equal_ids(&mut told);
        }
        told.step(&format!("frame {frame}"));
        let snapshot = reader.latest();
        // Some snapshots are kept for long, some for one step.
        kept.retain(|_| random.below(3) > 0);
        kept.push((snapshot, told.columns.boxes(), told.columns.ids.clone()));
        for (snapshot, boxes, ids) in &kept {
            for (row, aabb) in boxes.iter().enumerate().step_by(7) {
                assert_eq!(snapshot.aabb(row as u32), Some(*aabb), "frame {frame}, row {row}");
                let area = Aabb::new([aabb[0], aabb[1]], [aabb[2], aabb[3]]).expect("a box");
                let hit = Hit::Body { row: row as u32, id: ids.as_ref().map(|ids| ids[row]) };
                assert!(snapshot.query_aabb(area).any(|found| found == hit), "frame {frame}, row {row}");
            }
        }
    }
}

/// A full step that fails late, after it has read all rows.
fn fail_by_equal_ids(told: &mut Told) {
    let ids = told.columns.ids.as_mut().expect("ids");
    let id = ids[14];
    ids[14] = ids[7];
    let error = told.told.step(told.columns.bodies()).err();
    assert!(matches!(error, Some(Error::DuplicateBodyId { first: 7, second: 14, .. })), "{error:?}");
    told.columns.ids.as_mut().expect("ids")[14] = id;
}

#[test]
fn other_steps_between_told_ones_change_nothing() {
    other_steps_between_told_ones(false);
}

#[test]
fn other_steps_between_told_ones_change_nothing_beside_a_reader() {
    other_steps_between_told_ones(true);
}

fn other_steps_between_told_ones(has_reader: bool) {
    let mut random = SplitMix64::new(SEED);
    let config = WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let (mut told, scene) = scene_told(config, SceneName::Castles, 1500, false);
    let _reader = has_reader.then(|| told.told.reader());
    for frame in 0..60 {
        change_some(&mut told, &scene, &mut random, 30, &mut 0);
        let case = random.below(10);
        match case {
            0 => told.change_statics(&[frame], |world| {
                world.set_static_enabled(frame, false).expect("a static");
            }),
            1 => {
                told.set_statics(Statics::from(&scene.statics));
                assert_eq!(told.told.contacts().changed_static_pairs(), []);
                assert_eq!(told.told.contacts().static_partners(0), Some(&[][..]));
            }
            2 => {
                for world in [&mut told.told, &mut told.full] {
                    world.step(told.columns.bodies()).expect("valid bodies");
                }
                assert_eq!(told.told.contacts().changed_pairs().len(), told.told.contacts().body_pairs().len());
                told.changed.clear();
                told.changed_statics = Some(Vec::new());
                told.can_update = false;
                told.last.clear();
            }
            3 => told.told.shrink_to_fit(),
            4 => {
                let count = told.columns.len() as u32;
                let error = told.told.step_changed(told.columns.bodies(), &[0, count]).err();
                assert_eq!(error, Some(Error::ChangedRowOutOfRange { row: count, row_count: count as usize }));
            }
            5 => {
                let row = random.below(told.columns.len());
                let center = std::mem::replace(&mut told.centers()[row], [f32::NAN, 0.0]);
                let rows = [&told.changed[..], &[row as u32]].concat();
                let error = told.told.step_changed(told.columns.bodies(), &rows).err();
                assert!(matches!(error, Some(Error::InvalidBody(invalid)) if invalid.row as usize == row), "{error:?}");
                told.centers()[row] = center;
            }
            6 => told.shift_origin([random.range(-9.0, 9.0), 2.0]),
            _ => {}
        }
        told.step(&format!("frame {frame}, case {case}"));
    }
}

/// Opens, closes, builds, moves and removes statics, as `random` says.
fn change_some_statics(told: &mut Told, scene: &Scene, random: &mut SplitMix64, next_id: &mut u64) {
    let [min_x, min_y, max_x, max_y] = scene.world;
    let count = [1, 1, 3, 40][random.below(4)];
    let boxes: Vec<RawAabb> = (0..count)
        .map(|_| {
            let (x, y) = (random.range(min_x, max_x), random.range(min_y, max_y));
            [x, y, x + random.range(0.0, 9.0), y + random.range(0.0, 2.0)]
        })
        .collect();
    let ids: Vec<u64> = (*next_id..).take(count).collect();
    *next_id += count as u64;
    let statics = Statics::new(&boxes);
    let statics = if told.full.statics().id(0).is_some() { statics.with_ids(&ids) } else { statics };
    let row_count = told.full.statics().len();
    let rows: Vec<u32> = (0..count).map(|_| random.below(row_count) as u32).collect();
    match random.below(5) {
        0 => told.change_statics(&[], |world| {
            world.insert_statics(statics).expect("valid statics");
        }),
        1 => told.change_statics(&rows, |world| world.replace_statics(&rows, statics).expect("valid statics")),
        2 => told.change_statics(&rows, |world| world.remove_statics(&rows).expect("rows that exist")),
        3 => exchange_statics(told, [rows[0], random.below(row_count) as u32]),
        _ => {
            let enabled = random.below(2) == 0;
            let row = rows[0];
            let changes = told.full.statics().is_enabled(row).is_some_and(|was| was != enabled);
            let rows = if changes { vec![row] } else { vec![] };
            told.change_statics(&rows, |world| match world.set_static_enabled(row, enabled) {
                Ok(_) => {}
                Err(error) => assert_eq!(error, Error::StaticRemoved { row }),
            });
        }
    }
}

/// Lets two statics exchange their rows, with their ids if they have any.
fn exchange_statics(told: &mut Told, rows: [u32; 2]) {
    let [a, b] = rows.map(|row| (told.full.statics().aabb(row), told.full.statics().id(row)));
    let (Some(box_a), Some(box_b)) = (a.0, b.0) else { return };
    let (boxes, ids) = ([box_b, box_a].map(|aabb| aabb.to_array()), [b.1, a.1].map(Option::unwrap_or_default));
    let statics = Statics::new(&boxes);
    let statics = if a.1.is_some() { statics.with_ids(&ids) } else { statics };
    if rows[0] != rows[1] {
        told.change_statics(&rows, |world| world.replace_statics(&rows, statics).expect("valid statics"));
    }
}

#[test]
fn statics_that_change_are_seen_by_told_steps() {
    let all = || WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let configs = [WorldConfig::new(), all(), all().with_margin(0.2), all().with_body_shape(BodyShape::Circle)];
    for (k, config) in configs.into_iter().enumerate() {
        for (name, with_columns) in
            [(SceneName::Castles, false), (SceneName::Castles, true), (SceneName::FewAmongMany, false)]
        {
            let mut random = SplitMix64::new(SEED + k as u64);
            let (mut told, scene) = scene_told(config.clone(), name, 2000, with_columns);
            if with_columns {
                let ids: Vec<u64> = (0..scene.statics.len() as u64).collect();
                let filters = random_filters(ids.len(), &mut random);
                told.set_statics(Statics::new(&scene.statics).with_ids(&ids).with_filters(&filters));
            }
            let (mut next_id, mut next_static, mut updated) = (1 << 40, 1 << 50, 0);
            for frame in 0..60 {
                let count = [0, 3, 20, 200][random.below(4)];
                change_some(&mut told, &scene, &mut random, count, &mut next_id);
                for _ in 0..random.below(3) {
                    change_some_statics(&mut told, &scene, &mut random, &mut next_static);
                }
                told.step(&format!("settings {k}, {name}, frame {frame}"));
                updated += u32::from(told.told.report().filed_steps_ago > 0);
            }
            assert!(updated > 10, "settings {k}, {name}: {updated} steps filed no rows");
        }
    }
}

#[test]
fn after_too_many_changes_of_statics_all_pairs_may_have_changed() {
    let (mut told, _) = scene_told(WorldConfig::new(), SceneName::Castles, 8000, false);
    told.step("the first step");
    for (doors, enabled) in [(1100, false), (1000, true), (1, false)] {
        for row in 0..doors {
            told.change_statics(&[row], |world| {
                world.set_static_enabled(row, enabled).expect("a static");
            });
        }
        if doors > 1024 {
            told.changed_statics = None;
        }
        told.step(&format!("{doors} doors"));
    }
}

#[test]
fn a_door_costs_a_told_step_no_full_one() {
    let scene = Scene::new(SceneName::Castles, 20_000, SEED);
    let columns = Columns::new(scene.centers.clone(), scene.half_extents.clone());
    let mut told = Told::new(WorldConfig::new(), Statics::from(&scene.statics), columns);
    told.step("the first step");
    for row in [7u32, 500] {
        told.change_statics(&[row], |world| {
            world.set_static_enabled(row, false).expect("a static");
        });
        told.step("a door opens");
        assert!(told.told.report().filed_steps_ago > 0, "no bodies are filed");
    }
}

#[test]
fn duplicate_ids_of_changed_rows_are_named_and_lose_nothing() {
    let (mut told, _) = scene_told(WorldConfig::new().with_contact_tracking(true), SceneName::Crowd, 2000, true);
    told.step("the first step");
    told.step("a step that updates");
    let before = told.columns.ids.clone().expect("ids");
    let new = 1 << 50;
    // The id of a row that did not change, a new one twice, and the last id of another changed row
    // twice.
    let cases = [vec![(9, before[3])], vec![(9, new), (40, new)], vec![(3, new), (9, before[3]), (40, before[3])]];
    for (case, [first, second]) in cases.into_iter().zip([[3, 9], [9, 40], [9, 40]]) {
        let mut ids = before.clone();
        case.iter().for_each(|&(row, id)| ids[row as usize] = id);
        let rows: Vec<u32> = case.iter().map(|&(row, _)| row).collect();
        told.columns.ids = Some(ids);
        let error = told.told.step_changed(told.columns.bodies(), &rows).err();
        assert_eq!(error, Some(Error::DuplicateBodyId { first, second, id: case[case.len() - 1].1 }));
    }
    // Two bodies exchange their rows, with their boxes and without.
    for (frame, with_boxes) in [true, false, true].into_iter().enumerate() {
        let mut ids = before.clone();
        ids.swap(9, 40 + frame);
        told.columns.ids = Some(ids);
        told.change(9);
        (40..43).for_each(|row| told.change(row));
        if with_boxes {
            told.centers().swap(9, 40 + frame);
            told.columns.half_extents_mut().swap(9, 40 + frame);
            told.columns.filters.as_mut().expect("filters").swap(9, 40 + frame);
        }
        told.step(&format!("exchange {frame}"));
    }
}

#[test]
fn rows_that_change_again_may_be_more_than_others() {
    for (scattered, least) in [(false, 7), (true, 0)] {
        let (mut told, scene) = scene_told(WorldConfig::new(), SceneName::Crowd, 2000, false);
        let count = 140;
        for step in 0..10 {
            let first = if scattered { step * count } else { 1000 };
            for row in first..first + count {
                told.centers()[row][0] += 0.1 * scene.half_extents[row][0];
                told.change(row);
            }
            told.step(&format!("step {step}, scattered {scattered}"));
        }
        assert_eq!(told.active_steps, least, "scattered {scattered}");
    }
}
