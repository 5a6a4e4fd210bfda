//! Contacts that started, persist and ended, and their values, against the sets of contacts that
//! brute force finds in each step.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use triphase::geometry::RawAabb;
use triphase::reference::body_aabb;
use triphase::{
    Aabb, Bodies, BodyShape, Error, Filter, Hit, InvalidRows, Pair, StaticPair, Statics, World, WorldConfig,
};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{ExpectedPairs, WorldSet, settings, world};

type Ids = (u64, u64);

/// The input of a step.
#[derive(Clone, Default)]
struct Input {
    centers: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
    ids: Option<Vec<u64>>,
    filters: Option<Vec<Filter>>,
    statics: Vec<RawAabb>,
    static_ids: Option<Vec<u64>>,
    static_filters: Option<Vec<Filter>>,
    enabled: Vec<bool>,
    are_circles: bool,
}

impl Input {
    fn bodies(&self) -> Bodies<'_> {
        let mut bodies = Bodies::new(&self.centers, &self.half_extents);
        if let Some(ids) = &self.ids {
            bodies = bodies.with_ids(ids);
        }
        if let Some(filters) = &self.filters {
            bodies = bodies.with_filters(filters);
        }
        bodies
    }

    fn set_statics(&self, world: &mut World) -> Result<(), Error> {
        let mut statics = Statics::new(&self.statics);
        if let Some(ids) = &self.static_ids {
            statics = statics.with_ids(ids);
        }
        if let Some(filters) = &self.static_filters {
            statics = statics.with_filters(filters);
        }
        world.set_statics(statics)?;
        for (row, &enabled) in self.enabled.iter().enumerate() {
            world.set_static_enabled(row as u32, enabled)?;
        }
        Ok(())
    }

    fn boxes(&self) -> Vec<RawAabb> {
        self.centers.iter().zip(&self.half_extents).map(|(&center, &half)| body_aabb(center, half, None)).collect()
    }

    fn invalid_rows(&self) -> Vec<u32> {
        (0..self.centers.len() as u32).filter(|&row| self.centers[row as usize][0].is_nan()).collect()
    }

    fn id(&self, row: u32) -> u64 {
        self.ids.as_ref().map_or(u64::from(row), |ids| ids[row as usize])
    }

    fn static_id(&self, row: u32) -> u64 {
        self.static_ids.as_ref().map_or(u64::from(row), |ids| ids[row as usize])
    }

    /// Contacts of the step, and those that persist if they existed before: of bodies, and with
    /// statics.
    fn contacts(&self, margin: f32) -> [[BTreeSet<Ids>; 2]; 2] {
        let far = |boxes: &[RawAabb]| -> Vec<RawAabb> {
            boxes.iter().map(|b| [b[0] - margin, b[1] - margin, b[2] + margin, b[3] + margin]).collect()
        };
        // An invalid row is nowhere.
        let mut boxes = self.boxes();
        self.invalid_rows().iter().for_each(|&row| boxes[row as usize] = [0.0; 4]);
        let sets = |boxes: &[RawAabb], statics: &[RawAabb]| {
            let expected_pairs = ExpectedPairs::new(boxes, statics)
                .enabled(|row| self.enabled[row])
                .filtered(self.filters.as_deref(), self.static_filters.as_deref())
                .exclude_bodies(&self.invalid_rows());
            let expected_pairs = if self.are_circles { expected_pairs.circles() } else { expected_pairs };
            let ids = |&(a, b): &(u32, u32)| (self.id(a).min(self.id(b)), self.id(a).max(self.id(b)));
            let static_ids = |&(body, static_row): &(u32, u32)| (self.id(body), self.static_id(static_row));
            [expected_pairs.bodies.iter().map(ids).collect(), expected_pairs.statics.iter().map(static_ids).collect()]
        };
        let now = sets(&boxes, &self.statics);
        // Without a margin, no contact outlasts its overlap, however boxes round.
        let kept = if margin > 0.0 { sets(&far(&boxes), &far(&self.statics)) } else { Default::default() };
        let [[now, now_static], [kept, kept_static]] = [now, kept];
        [[now, kept], [now_static, kept_static]]
    }
}

/// The events of a step in their order, by ids.
#[derive(Clone, Debug, Default, PartialEq)]
struct Events {
    started: Vec<Ids>,
    persisting: Vec<(Ids, u32)>,
    ended: Vec<(Ids, u32)>,
}

impl Events {
    /// Of bodies, and with statics.
    fn new(world: &World, input: &Input) -> [Self; 2] {
        let contacts = world.contacts();
        let events = contacts.events().unwrap();
        let ids = |a: u32, b: u32| (input.id(a).min(input.id(b)), input.id(a).max(input.id(b)));
        let static_ids = |body: u32, static_row: u32| (input.id(body), input.static_id(static_row));
        let mut of_either_kind: Vec<_> = events.started().chain(events.persisting()).collect();
        of_either_kind.sort_unstable();
        assert!(events.tracked().eq(of_either_kind), "all contacts, in order");
        for contact in events.tracked() {
            assert!(contact.pair.a < contact.pair.b);
            assert_eq!(events.value(contact.pair), Some(contact.value));
        }
        let mut of_either_kind: Vec<_> = events.started_static().chain(events.persisting_static()).collect();
        of_either_kind.sort_unstable();
        assert!(events.tracked_static().eq(of_either_kind), "all contacts, in order");
        for contact in events.tracked_static() {
            assert_eq!(events.static_value(contact.pair), Some(contact.value));
        }
        let bodies = Self {
            started: events.started().map(|contact| ids(contact.pair.a, contact.pair.b)).collect(),
            persisting: events.persisting().map(|c| (ids(c.pair.a, c.pair.b), c.value)).collect(),
            ended: events
                .ended()
                .map(|ended| ((ended.a_id.min(ended.b_id), ended.a_id.max(ended.b_id)), ended.value))
                .collect(),
        };
        let statics = Self {
            started: events.started_static().map(|c| static_ids(c.pair.body, c.pair.static_row)).collect(),
            persisting: events
                .persisting_static()
                .map(|c| (static_ids(c.pair.body, c.pair.static_row), c.value))
                .collect(),
            ended: events.ended_static().map(|ended| ((ended.body_id, ended.static_id), ended.value)).collect(),
        };
        [bodies, statics]
    }
}

/// The current contacts and their values, by brute force.
#[derive(Clone, Debug, Default)]
struct Ledger {
    contacts: [BTreeMap<Ids, u32>; 2],
    next_value: u32,
    counts: [usize; 3],
}

impl Ledger {
    /// The events that the step must report, sorted.
    fn expect(&mut self, input: &Input, margin: f32) -> [Events; 2] {
        let mut reported = <[Events; 2]>::default();
        for (kind, [now, kept]) in input.contacts(margin).into_iter().enumerate() {
            let (reported, before) = (&mut reported[kind], std::mem::take(&mut self.contacts[kind]));
            for (ids, value) in &before {
                if now.contains(ids) || kept.contains(ids) {
                    reported.persisting.push((*ids, *value));
                    self.contacts[kind].insert(*ids, *value);
                } else {
                    reported.ended.push((*ids, *value));
                }
            }
            reported.started.extend(now.iter().filter(|ids| !before.contains_key(ids)));
            let found = [reported.started.len(), reported.persisting.len(), reported.ended.len()];
            self.counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        }
        reported
    }

    /// Ends all contacts of a kind, and returns them.
    fn end_all(&mut self, kind: usize) -> Vec<(Ids, u32)> {
        std::mem::take(&mut self.contacts[kind]).into_iter().collect()
    }

    /// Gives each contact that started a value of its own, in the worlds and here.
    fn value(&mut self, worlds: &mut WorldSet, input: &Input, reported: &[Events; 2]) {
        let first = self.next_value;
        for (kind, reported) in reported.iter().enumerate() {
            for ids in &reported.started {
                self.next_value += 1;
                self.contacts[kind].insert(*ids, self.next_value);
            }
        }
        let contacts = &self.contacts;
        worlds.each(|world| {
            for (pair, value) in world.events_mut().unwrap().started() {
                let ids = (input.id(pair.a).min(input.id(pair.b)), input.id(pair.a).max(input.id(pair.b)));
                assert_eq!(std::mem::replace(value, contacts[0][&ids]), 0, "a contact begins with 0");
            }
            for (pair, value) in world.events_mut().unwrap().started_static() {
                *value = contacts[1][&(input.id(pair.body), input.static_id(pair.static_row))];
            }
            assert!(world.events_mut().unwrap().tracked().all(|(_, value)| *value > 0));
            assert_eq!(world.events_mut().unwrap().tracked().count(), contacts[0].len());
            assert_eq!(world.events_mut().unwrap().tracked_static().count(), contacts[1].len());
        });
        assert!(self.next_value >= first);
    }
}

/// Sorts the events, to compare them as sets.
fn sorted(mut reported: [Events; 2]) -> [Events; 2] {
    for reported in &mut reported {
        reported.started.sort_unstable();
        reported.persisting.sort_unstable();
        reported.ended.sort_unstable();
    }
    reported
}

/// Steps the worlds and compares their events with the ledger. `over` are the kinds whose contacts
/// all ended before.
fn step(worlds: &mut WorldSet, ledger: &mut Ledger, input: &Input, margin: f32, over: &[usize]) {
    let reported = worlds.each(|world| {
        world.step(input.bodies()).expect("a valid step");
        Events::new(world, input)
    });
    let ended: Vec<_> = over.iter().map(|&kind| (kind, ledger.end_all(kind))).collect();
    let mut expected = ledger.expect(input, margin);
    for (kind, ended) in ended {
        expected[kind].ended.extend(ended);
    }
    let (reported, expected) = (sorted(reported), sorted(expected));
    for (reported, expected) in reported.iter().zip(&expected) {
        assert_eq!(reported.started, expected.started, "started");
        assert_eq!(reported.persisting, expected.persisting, "persisting");
        assert_eq!(reported.ended, expected.ended, "ended");
    }
    ledger.value(worlds, input, &expected);
}

fn of_scene(scene: &Scene) -> Input {
    Input {
        centers: scene.centers.clone(),
        half_extents: scene.half_extents.clone(),
        ids: Some(scene.ids.clone()),
        statics: scene.statics.clone(),
        enabled: vec![true; scene.statics.len()],
        ..Input::default()
    }
}

#[test]
fn events_match_differences_of_brute_force_sets() {
    let scenes = [
        (SceneName::Churn, 900, 12),
        (SceneName::Churn, 9000, 3),
        (SceneName::Gravity, 600, 20),
        (SceneName::Brownian, 1000, 8),
        (SceneName::Castles, 1000, 6),
        (SceneName::PowerLaw, 900, 6),
        (SceneName::Coincident, 300, 3),
    ];
    for (name, bodies, frames) in scenes {
        for (margin, overlap) in [(0.0, BodyShape::Aabb), (0.08, BodyShape::Aabb), (0.08, BodyShape::Circle)] {
            let mut worlds = WorldSet::new(
                WorldConfig::new().with_contact_tracking(true).with_margin(margin).with_body_shape(overlap),
            );
            let (mut ledger, mut scene) = (Ledger::default(), Scene::new(name, bodies, 3));
            let mut input = Input { are_circles: overlap == BodyShape::Circle, ..of_scene(&scene) };
            worlds.each(|world| input.set_statics(world)).expect("valid statics");
            for _ in 0..frames {
                step(&mut worlds, &mut ledger, &input, margin, &[]);
                scene.advance();
                input = Input {
                    statics: input.statics,
                    enabled: input.enabled,
                    are_circles: input.are_circles,
                    ..of_scene(&scene)
                };
            }
            if name != SceneName::Coincident {
                assert!(ledger.counts.iter().all(|&count| count > 20), "{name}: {:?}", ledger.counts);
            }
        }
    }
}

#[test]
fn events_without_ids_follow_rows() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_contact_tracking(true));
    let (mut ledger, mut scene) = (Ledger::default(), Scene::new(SceneName::Castles, 800, 5));
    let mut input = Input { ids: None, ..of_scene(&scene) };
    worlds.each(|world| input.set_statics(world)).expect("valid statics");
    for frame in 0..8 {
        let over: &[usize] = if frame == 5 { &[1] } else { &[] };
        step(&mut worlds, &mut ledger, &input, 0.0, over);
        scene.advance();
        input = Input { ids: None, statics: input.statics, enabled: input.enabled, ..of_scene(&scene) };
        if frame == 3 {
            // Fewer rows: the last ones are gone.
            scene.centers.truncate(700);
            scene.half_extents.truncate(700);
            input.centers.truncate(700);
            input.half_extents.truncate(700);
        }
        if frame >= 3 {
            input.centers.truncate(700);
            input.half_extents.truncate(700);
        }
        if frame == 4 {
            // The same boxes, given again, are another set.
            worlds.each(|world| input.set_statics(world)).expect("valid statics");
        }
    }
    assert!(ledger.counts.iter().all(|&count| count > 20), "{:?}", ledger.counts);
}

#[test]
fn contacts_with_static_ids_survive_replaced_statics() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_contact_tracking(true));
    let mut ledger = Ledger::default();
    let scene = Scene::new(SceneName::Castles, 600, 5);
    let mut input = of_scene(&scene);
    input.static_ids = Some((0..scene.statics.len() as u64).map(|row| row * 7 + 1).collect());
    worlds.each(|world| input.set_statics(world)).expect("valid statics");
    step(&mut worlds, &mut ledger, &input, 0.0, &[]);
    // Some are removed, the others reordered; twice, with no step between.
    for _ in 0..2 {
        let ids = input.static_ids.as_mut().expect("ids");
        ids.reverse();
        ids.truncate(ids.len() - 20);
        input.statics.reverse();
        input.statics.truncate(input.statics.len() - 20);
        input.enabled.truncate(input.statics.len());
        worlds.each(|world| input.set_statics(world)).expect("valid statics");
    }
    step(&mut worlds, &mut ledger, &input, 0.0, &[]);
    let [_, persisting, ended] = ledger.counts;
    assert!(persisting > 100 && ended > 10, "{:?}", ledger.counts);
    // One moves to another row, twice, with no step between; its former row stays vacant.
    let row = input.statics.len() / 2;
    let (aabb, id) = (input.statics[row], input.static_ids.as_ref().expect("ids")[row]);
    for at in [row, input.statics.len()] {
        worlds.each(|world| {
            world.remove_statics(&[at as u32]).expect("such a static");
            world.insert_statics(Statics::new(&[aabb]).with_ids(&[id])).expect("a valid static");
        });
        (input.statics[at], input.enabled[at]) = ([f32::NAN; 4], false);
        input.statics.push(aabb);
        input.enabled.push(true);
        input.static_ids.as_mut().expect("ids").push(id);
    }
    step(&mut worlds, &mut ledger, &input, 0.0, &[]);
    let is_present = input.statics.iter().map(|aabb| !aabb[0].is_nan()).collect::<Vec<_>>();
    let mut kept = is_present.iter();
    input.statics.retain(|_| kept.next() == Some(&true));
    kept = is_present.iter();
    input.static_ids.as_mut().expect("ids").retain(|_| kept.next() == Some(&true));
    input.enabled.truncate(input.statics.len());
    input.enabled.fill(true);
    worlds.each(|world| input.set_statics(world)).expect("valid statics");
    step(&mut worlds, &mut ledger, &input, 0.0, &[]);
    // One is disabled.
    input.enabled[3] = false;
    worlds.each(|world| world.set_static_enabled(3, false)).expect("such a static");
    step(&mut worlds, &mut ledger, &input, 0.0, &[]);
    // From ids to none: all contacts end.
    input.static_ids = None;
    worlds.each(|world| input.set_statics(world)).expect("valid statics");
    step(&mut worlds, &mut ledger, &input, 0.0, &[1]);
}

#[test]
fn contacts_follow_an_id_past_a_removed_static_that_had_it() {
    let (centers, floor, far) = ([[0.0f32, 0.3]], [-1.0f32, -1.0, 1.0, 0.0], [50.0f32, 50.0, 51.0, 51.0]);
    // The floor moves from row 0 to one of these rows, is removed there, and moves to the other.
    for [removed, present] in [[1, 2], [2, 1]] {
        let mut world = world(WorldConfig::new().with_contact_tracking(true));
        world.set_statics(Statics::new(&[floor, far, far]).with_ids(&[5, 6, 7])).unwrap();
        world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
        world.events_mut().unwrap().started_static().for_each(|(_, value)| *value = 9);
        world.replace_statics(&[0], Statics::new(&[far]).with_ids(&[8])).unwrap();
        world.replace_statics(&[removed], Statics::new(&[floor]).with_ids(&[5])).unwrap();
        world.remove_statics(&[removed]).unwrap();
        world.replace_statics(&[present], Statics::new(&[floor]).with_ids(&[5])).unwrap();
        let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5])).unwrap();
        let events = contacts.events().unwrap();
        let counts = [events.started_static().count(), events.ended_static().count()];
        let persisting: Vec<_> = events.persisting_static().map(|kept| (kept.pair.static_row, kept.value)).collect();
        assert_eq!((counts, persisting), ([0, 0], vec![(present, 9)]), "row {removed} is removed");
    }
}

#[test]
fn duplicate_ids_are_named() {
    let centers = [[0.0f32, 0.0], [0.5, 0.0], [9.0, 0.0], [9.5, 0.0]];
    let bodies = || Bodies::uniform(&centers, [0.5, 0.5]);
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    world.step(bodies().with_ids(&[1, 2, 3, 4])).expect("a valid step");
    for (ids, first, second, id) in [([1, 2, 3, 1], 0, 3, 1), ([9, 2, 9, 9], 0, 2, 9), ([2, 2, 3, 3], 0, 1, 2)] {
        let error = world.step(bodies().with_ids(&ids)).err();
        assert_eq!(error, Some(Error::DuplicateBodyId { first, second, id }));
        // The events are still those of the last successful step.
        let events = world.contacts().events().unwrap();
        assert_eq!((events.started().count(), events.ended().count()), (2, 0));
        assert_eq!(world.contacts().body_id(0), Some(1));
    }
    let contacts = world.step(bodies().with_ids(&[2, 1, 4, 3])).expect("a valid step");
    let events = contacts.events().unwrap();
    assert_eq!((events.persisting().count(), events.started().count(), events.ended().count()), (2, 0, 0));

    // A skipped row may have the id of another.
    let mut skipping =
        triphase_tests::world(WorldConfig::new().with_contact_tracking(true).with_invalid_rows(InvalidRows::Skip));
    let mut some = centers;
    for (row, away) in [(1, f32::NAN), (1, 0.5)] {
        some[row][0] = away;
        let result = skipping.step(Bodies::uniform(&some, [0.5, 0.5]).with_ids(&[1, 1, 3, 4]));
        let duplicate = Error::DuplicateBodyId { first: 0, second: 1, id: 1 };
        assert_eq!(result.err(), (!away.is_nan()).then_some(duplicate));
    }

    let walls = [[0.0f32, 0.0, 1.0, 1.0]; 3];
    let error = world.set_statics(Statics::new(&walls).with_ids(&[5, 6, 5])).err();
    assert_eq!(error, Some(Error::DuplicateStaticId { first: 0, second: 2, id: 5 }));
    assert!(world.statics().is_empty());
    world.set_statics(Statics::new(&walls).with_ids(&[5, 6, 9])).expect("unique ids");
    let one = |id: &'static [u64; 1]| Statics::new(&[[0.0f32, 0.0, 1.0, 1.0]]).with_ids(id);
    let duplicate = |first, second, id| Some(Error::DuplicateStaticId { first, second, id });
    assert_eq!(world.insert_statics(one(&[6])).err(), duplicate(1, 3, 6));
    assert_eq!(world.insert_statics(Statics::new(&walls[..2]).with_ids(&[8, 8])).err(), duplicate(3, 4, 8));
    assert_eq!(world.replace_statics(&[2], one(&[5])).err(), duplicate(0, 2, 5));
    assert_eq!(world.statics().len(), 3);
    world.replace_statics(&[0, 2, 0], Statics::new(&walls).with_ids(&[1, 5, 9])).expect("ids that move are unique");
    // The id of a static that was removed is free.
    world.remove_statics(&[1]).expect("a row that exists");
    assert_eq!(world.insert_statics(one(&[6])), Ok(3..4));
    assert_eq!(world.replace_statics(&[1], one(&[6])).err(), duplicate(1, 3, 6));
    // Without tracking, ids need not be unique.
    let mut plain = World::default();
    plain.set_statics(Statics::new(&walls).with_ids(&[5, 6, 5])).expect("ids need not be unique");
    assert!(plain.step(bodies().with_ids(&[7; 4])).is_ok());
    assert!(plain.contacts().events().is_none());
}

#[test]
fn margin_delays_the_end_of_contacts_alone() {
    let mut world = world(WorldConfig::new().with_contact_tracking(true).with_margin(0.25));
    let mut at = |x: f32| {
        let contacts = world.step(Bodies::uniform(&[[0.0f32, 0.0], [x, 0.0]], [0.5, 0.5])).expect("a valid step");
        let events = contacts.events().unwrap();
        let events = (events.started().count(), events.persisting().count(), events.ended().count());
        (contacts.body_pairs().len(), events)
    };
    assert_eq!(at(1.25), (0, (0, 0, 0)), "within the margin nothing begins");
    assert_eq!(at(1.0), (1, (1, 0, 0)), "touching is overlap");
    assert_eq!(at(1.5), (0, (0, 1, 0)), "each box is grown by the margin; pairs are exact");
    assert_eq!(at(1.25), (0, (0, 1, 0)));
    assert_eq!(at(1.0), (1, (0, 1, 0)));
    assert_eq!(at(1.501), (0, (0, 0, 1)));
    assert_eq!(at(1.25), (0, (0, 0, 0)));
    for margin in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(
            World::new(WorldConfig::new().with_margin(margin)),
            Err(Error::InvalidConfig { setting: "margin", .. })
        ));
    }
}

/// A change between steps.
#[derive(Clone, Debug)]
enum Change {
    Move,
    Swap,
    Remove(usize),
    Add(usize),
    Shuffle,
    Teleport,
    Filters(bool),
    Statics { count: usize, ids: bool },
    Toggle,
    Invalid(bool),
    DuplicateId,
    Ids(bool),
    NoRows,
    Shrink,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => Just(Change::Move),
        2 => Just(Change::Swap),
        2 => (1..40usize).prop_map(Change::Remove),
        2 => (1..40usize).prop_map(Change::Add),
        1 => Just(Change::Shuffle),
        1 => Just(Change::Teleport),
        1 => any::<bool>().prop_map(Change::Filters),
        2 => (0..30usize, any::<bool>()).prop_map(|(count, ids)| Change::Statics { count, ids }),
        1 => Just(Change::Toggle),
        2 => any::<bool>().prop_map(Change::Invalid),
        1 => Just(Change::DuplicateId),
        1 => any::<bool>().prop_map(Change::Ids),
        1 => Just(Change::NoRows),
        1 => Just(Change::Shrink),
    ]
}

/// A world and its input, which change at random.
struct ChangingWorld {
    worlds: WorldSet,
    ledger: Ledger,
    input: Input,
    margin: f32,
    random: SplitMix64,
    next_id: u64,
    /// The kinds whose contacts all end with the next step.
    over: Vec<usize>,
}

impl ChangingWorld {
    fn new(margin: f32, skip: bool, seed: u64) -> Self {
        let config = WorldConfig::new().with_contact_tracking(true).with_margin(margin);
        let config = if skip { config.with_invalid_rows(InvalidRows::Skip) } else { config };
        let (ledger, input) = (Ledger::default(), Input { ids: Some(Vec::new()), ..Input::default() });
        let worlds = WorldSet::new(config);
        let mut changing =
            Self { worlds, ledger, input, margin, random: SplitMix64::new(seed), next_id: 1, over: Vec::new() };
        changing.add(90);
        changing
    }

    fn add(&mut self, count: usize) {
        for _ in 0..count {
            self.input.centers.push(self.random.point(0.0, 9.0));
            let half = if self.random.below(30) == 0 { 4.0 } else { 0.4 };
            self.input.half_extents.push([half; 2]);
            if let Some(ids) = &mut self.input.ids {
                // In no order, with all bits in use.
                ids.push(self.next_id.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            }
            self.next_id += 1;
            if let Some(filters) = &mut self.input.filters {
                filters.push(Filter::new(1 << self.random.below(3), self.random.next_u64() as u32));
            }
        }
    }

    fn len(&self) -> usize {
        self.input.centers.len()
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.input.centers.swap(a, b);
        self.input.half_extents.swap(a, b);
        if let Some(ids) = &mut self.input.ids {
            ids.swap(a, b);
        }
        if let Some(filters) = &mut self.input.filters {
            filters.swap(a, b);
        }
    }

    fn remove(&mut self, row: usize) {
        let last = self.len() - 1;
        self.swap(row, last);
        self.input.centers.pop();
        self.input.half_extents.pop();
        self.input.ids.as_mut().map(Vec::pop);
        self.input.filters.as_mut().map(Vec::pop);
    }

    fn apply(&mut self, change: &Change, skip: bool) {
        match *change {
            Change::Move => {
                for center in &mut self.input.centers {
                    let by = self.random.point(-0.2, 0.2);
                    *center = [center[0] + by[0], center[1] + by[1]];
                }
            }
            Change::Swap if self.len() > 1 => {
                let (a, b) = (self.random.below(self.len()), self.random.below(self.len()));
                self.swap(a, b);
            }
            Change::Remove(count) => {
                for _ in 0..count.min(self.len()) {
                    let row = self.random.below(self.len());
                    self.remove(row);
                }
            }
            Change::Add(count) => self.add(count),
            Change::Shuffle => (1..self.len()).for_each(|row| {
                let other = self.random.below(row + 1);
                self.swap(row, other);
            }),
            Change::Teleport if self.len() > 0 => {
                let row = self.random.below(self.len());
                self.input.centers[row] = self.random.point(0.0, 9.0);
            }
            Change::Filters(some) => {
                let random = &mut self.random;
                let filters = (0..self.input.centers.len())
                    .map(|_| Filter::new(1 << random.below(3), random.next_u64() as u32))
                    .collect();
                self.input.filters = some.then_some(filters);
            }
            Change::Statics { count, ids } => self.replace_statics(count, ids),
            Change::Toggle if !self.input.statics.is_empty() => {
                let row = self.random.below(self.input.statics.len());
                let enabled = !self.input.enabled[row];
                self.input.enabled[row] = enabled;
                self.worlds.each(|world| world.set_static_enabled(row as u32, enabled)).expect("such a static");
            }
            Change::Invalid(back) if self.len() > 0 => {
                let row = self.random.below(self.len());
                let center = std::mem::replace(&mut self.input.centers[row], [f32::NAN, 0.0]);
                if skip {
                    // It stays invalid until it teleports.
                    let input = &self.input;
                    step(&mut self.worlds, &mut self.ledger, input, self.margin, &std::mem::take(&mut self.over));
                } else {
                    let input = &self.input;
                    self.worlds.each(|world| assert!(world.step(input.bodies()).is_err()));
                }
                if back || !skip {
                    self.input.centers[row] = center;
                }
            }
            Change::DuplicateId if self.len() > 1 && self.input.ids.is_some() && !skip => {
                let (row, last) = (self.random.below(self.len() - 1), self.len() - 1);
                let mut twice = self.input.clone();
                let ids = twice.ids.as_mut().expect("ids");
                ids[last] = ids[row];
                let id = ids[row];
                let expected = Error::DuplicateBodyId { first: row as u32, second: last as u32, id };
                let error = self.worlds.each(|world| world.step(twice.bodies()).err());
                assert_eq!(error, Some(expected));
            }
            Change::Ids(some) if some != self.input.ids.is_some() => {
                let next_id = self.next_id;
                self.next_id += self.len() as u64;
                self.input.ids = some.then(|| {
                    (0..self.len() as u64).map(|row| (next_id + row).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect()
                });
                self.over.extend([0, 1]);
            }
            Change::NoRows => {
                let statics = (self.input.statics.clone(), self.input.enabled.clone(), self.input.static_ids.clone());
                let nobody = Input {
                    ids: self.input.ids.as_ref().map(|_| Vec::new()),
                    statics: statics.0,
                    enabled: statics.1,
                    static_ids: statics.2,
                    ..Input::default()
                };
                step(&mut self.worlds, &mut self.ledger, &nobody, self.margin, &std::mem::take(&mut self.over));
            }
            Change::Shrink => self.worlds.each(World::shrink_to_fit),
            _ => {}
        }
    }

    fn replace_statics(&mut self, count: usize, ids: bool) {
        let had_ids = self.input.static_ids.is_some();
        self.input.statics = (0..count)
            .map(|_| {
                let [x, y] = self.random.point(0.0, 9.0);
                [x, y, x + 2.0, y + 0.5]
            })
            .collect();
        let first = self.random.below(10) as u64;
        self.input.static_ids = (ids && count > 0).then(|| (first..first + count as u64).rev().collect());
        self.input.enabled = vec![true; count];
        if !(had_ids && self.input.static_ids.is_some()) {
            self.over.push(1);
        }
        let input = &self.input;
        self.worlds.each(|world| input.set_statics(world)).expect("valid statics");
    }
}

proptest! {
    #![proptest_config(settings("contact_events", 40))]

    #[test]
    fn events_of_random_changes_match_brute_force(
        changes in proptest::collection::vec(change(), 1..30),
        skip in any::<bool>(),
        margin in prop_oneof![Just(0.0f32), Just(0.1)],
        seed in any::<u64>(),
    ) {
        let mut changing = ChangingWorld::new(margin, skip, seed);
        for change in &changes {
            changing.apply(change, skip);
            let over = std::mem::take(&mut changing.over);
            step(&mut changing.worlds, &mut changing.ledger, &changing.input, margin, &over);
        }
    }
}

#[test]
fn snapshots_have_the_ids_of_their_step() {
    let centers: Vec<[f32; 2]> = (0..200).map(|row| [(row % 20) as f32 * 0.9, (row / 20) as f32 * 0.9]).collect();
    let area = Aabb::new([-1.0, -1.0], [30.0, 30.0]).expect("a valid box");
    let is_there = |hits: &mut dyn Iterator<Item = Hit>, ids: &[u64]| {
        let found: BTreeSet<(u32, Option<u64>)> =
            hits.filter_map(|hit| if let Hit::Body { row, id } = hit { Some((row, id)) } else { None }).collect();
        assert!(found.into_iter().eq((0..200).map(|row| (row, Some(ids[row as usize])))));
    };
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    let first: Vec<u64> = (0..200).map(|row| row * 5 + 1).collect();
    let second: Vec<u64> = first.iter().rev().copied().collect();
    let (mut reader, mut held) = (None, None);
    // Repeat the same ids, then others, so that reused frames hold either.
    for frame in 0..16 {
        let ids = if frame / 2 % 2 == 0 { &first } else { &second };
        let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids(ids)).expect("a valid step");
        assert!((0..200).all(|row| contacts.body_id(row) == Some(ids[row as usize])), "frame {frame}");
        is_there(&mut world.query_aabb(area), ids);
        if frame == 1 {
            reader = Some(world.reader());
        }
        if let Some(reader) = &reader {
            is_there(&mut reader.latest().query_aabb(area), ids);
        }
        // A held snapshot keeps the ids of its step.
        if frame == 4 {
            held = reader.as_ref().map(|reader| reader.latest());
        }
        if let Some(held) = &held {
            is_there(&mut held.query_aabb(area), &first);
        }
        if frame == 11 {
            (reader, held) = (None, None);
        }
    }
}

#[test]
fn a_panic_of_the_id_function_changes_nothing() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let half = [0.5f32, 0.5];
    let (apart, touching) = ([[0.0f32, 0.0], [9.0, 0.0]], [[0.0f32, 0.0], [0.5, 0.0]]);
    let (mut panics, mut wrong) = (0, Vec::new());
    for (tracks, has_snapshot) in [(false, false), (false, true), (true, false), (true, true)] {
        // The call that panics: each row is asked for once or twice.
        for at in 0..4 {
            let config = WorldConfig::new().with_parallel_threshold(None).with_contact_tracking(tracks);
            let mut world = world(config.with_partner_lists(true));
            world.step(Bodies::uniform(&apart, half).with_ids(&[5, 6])).unwrap();
            world.step(Bodies::uniform(&apart, half).with_ids(&[7, 8])).unwrap();
            let _snapshot = has_snapshot.then(|| world.reader().latest());
            let calls = AtomicUsize::new(0);
            let id = |row: usize| {
                assert_ne!(calls.fetch_add(1, Ordering::Relaxed), at, "no id");
                7 + row as u64
            };
            let step = std::panic::AssertUnwindSafe(|| {
                _ = world.step(Bodies::uniform(&touching, half).with_ids_by(&id));
            });
            if std::panic::catch_unwind(step).is_ok() {
                assert!(at >= 2, "each row is asked for");
                continue;
            }
            panics += 1;
            let id_is_last = world.contacts().body_id(1) == Some(8);
            let partners_are_last = world.contacts().partners(0) == Some(&[][..]);
            let contacts = world.step(Bodies::uniform(&touching, half).with_ids(&[7, 8])).unwrap();
            let begins = contacts.events().is_none_or(|events| events.started().count() == 1);
            if !(id_is_last && partners_are_last && begins) {
                wrong.push((tracks, has_snapshot, at, [id_is_last, partners_are_last, begins]));
            }
        }
    }
    assert!(wrong.is_empty() && panics >= 8, "{panics} panics, {wrong:?}");
}

#[test]
fn values_of_single_contacts_are_written() {
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    world.set_statics(&[[-9.0f32, -9.0, -8.0, -8.0], [0.0, -1.0, 9.0, 0.0]]).unwrap();
    let centers = [[0.0f32, 0.0], [0.8, 0.0], [5.0, 9.0], [5.8, 9.0]];
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    world.step(bodies).unwrap();
    let mut events = world.events_mut().unwrap();
    *events.value_mut(Pair { a: 2, b: 3 }).unwrap() = 23;
    *events.static_value_mut(StaticPair { body: 1, static_row: 1 }).unwrap() = 11;
    assert_eq!(events.value_mut(Pair { a: 1, b: 2 }), None);
    assert_eq!(events.value_mut(Pair { a: 9_000_000, b: 9_000_001 }), None);
    assert_eq!(events.static_value_mut(StaticPair { body: 1, static_row: 0 }), None);
    let contacts = world.step(bodies).unwrap();
    let events = contacts.events().unwrap();
    assert!(events.persisting().map(|contact| contact.value).eq([0, 23]));
    assert!(events.persisting_static().map(|contact| contact.value).eq([0, 11]));
}
