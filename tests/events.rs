//! Contacts from step to step: what began, goes on and ended, and the values that follow, against sets of ids that brute force
//! gives for each step.

mod common;

use common::{Fleet, Random, Truth, settings, world};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use triphase::geometry::RawAabb;
use triphase::reference::body_aabb;
use triphase::{Aabb, Bodies, BodyShape, Error, Filter, Hit, InvalidRows, Statics, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

type Ids = (u64, u64);

/// All that a step is told of.
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
    discs: bool,
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

    /// Contacts that the step has for sure, and those that it keeps if they are there: of bodies, and with statics.
    fn contacts(&self, margin: f32) -> [[BTreeSet<Ids>; 2]; 2] {
        let far = |boxes: &[RawAabb]| -> Vec<RawAabb> {
            boxes.iter().map(|b| [b[0] - margin, b[1] - margin, b[2] + margin, b[3] + margin]).collect()
        };
        // A bad row is nowhere.
        let mut boxes = self.boxes();
        self.invalid_rows().iter().for_each(|&row| boxes[row as usize] = [0.0; 4]);
        let sets = |boxes: &[RawAabb], statics: &[RawAabb]| {
            let truth = Truth::new(boxes, statics, |row| self.enabled[row])
                .filtered(self.filters.as_deref(), self.static_filters.as_deref())
                .without(&self.invalid_rows());
            let truth = if self.discs { truth.of_discs() } else { truth };
            let ids = |&(a, b): &(u32, u32)| (self.id(a).min(self.id(b)), self.id(a).max(self.id(b)));
            let static_ids = |&(body, static_row): &(u32, u32)| (self.id(body), self.static_id(static_row));
            [truth.body.iter().map(ids).collect(), truth.static_row.iter().map(static_ids).collect()]
        };
        let now = sets(&boxes, &self.statics);
        // Without a margin nothing is kept, however boxes round.
        let kept = if margin > 0.0 { sets(&far(&boxes), &far(&self.statics)) } else { Default::default() };
        let [[now, now_fixed], [kept, kept_fixed]] = [now, kept];
        [[now, kept], [now_fixed, kept_fixed]]
    }
}

/// What a step told, in its order: began, goes on with a value, ended with a value; all by ids.
#[derive(Clone, Debug, Default, PartialEq)]
struct Told {
    started: Vec<Ids>,
    persisting: Vec<(Ids, u32)>,
    ended: Vec<(Ids, u32)>,
}

impl Told {
    /// Of bodies, and with statics.
    fn by(world: &World, input: &Input) -> [Self; 2] {
        let contacts = world.contacts();
        let ids = |a: u32, b: u32| (input.id(a).min(input.id(b)), input.id(a).max(input.id(b)));
        let static_ids = |body: u32, static_row: u32| (input.id(body), input.static_id(static_row));
        for contact in contacts.started().chain(contacts.persisting()) {
            assert!(contact.pair.a < contact.pair.b);
            assert_eq!(contacts.value(contact.pair), Some(contact.value));
        }
        for contact in contacts.started_statics().chain(contacts.persisting_statics()) {
            assert_eq!(contacts.static_value(contact.pair), Some(contact.value));
        }
        let bodies = Self {
            started: contacts.started().map(|contact| ids(contact.pair.a, contact.pair.b)).collect(),
            persisting: contacts.persisting().map(|c| (ids(c.pair.a, c.pair.b), c.value)).collect(),
            ended: contacts.ended().map(|ended| ((ended.a.min(ended.b), ended.a.max(ended.b)), ended.value)).collect(),
        };
        let statics = Self {
            started: contacts.started_statics().map(|c| static_ids(c.pair.body, c.pair.static_row)).collect(),
            persisting: contacts
                .persisting_statics()
                .map(|c| (static_ids(c.pair.body, c.pair.static_row), c.value))
                .collect(),
            ended: contacts.ended_statics().map(|ended| ((ended.body, ended.static_row), ended.value)).collect(),
        };
        [bodies, statics]
    }
}

/// The contacts that there are, with their values, as the oracle knows them.
#[derive(Clone, Debug, Default)]
struct Ledger {
    contacts: [BTreeMap<Ids, u32>; 2],
    next_value: u32,
    counts: [usize; 3],
}

impl Ledger {
    /// What has to be told of a step, sorted.
    fn expect(&mut self, input: &Input, margin: f32) -> [Told; 2] {
        let mut told = <[Told; 2]>::default();
        for (kind, [now, kept]) in input.contacts(margin).into_iter().enumerate() {
            let (told, before) = (&mut told[kind], std::mem::take(&mut self.contacts[kind]));
            for (ids, value) in &before {
                if now.contains(ids) || kept.contains(ids) {
                    told.persisting.push((*ids, *value));
                    self.contacts[kind].insert(*ids, *value);
                } else {
                    told.ended.push((*ids, *value));
                }
            }
            told.started.extend(now.iter().filter(|ids| !before.contains_key(ids)));
            let found = [told.started.len(), told.persisting.len(), told.ended.len()];
            self.counts.iter_mut().zip(found).for_each(|(count, found)| *count += found);
        }
        told
    }

    /// All contacts of a kind end: those that `end` names.
    fn end_all(&mut self, kind: usize) -> Vec<(Ids, u32)> {
        std::mem::take(&mut self.contacts[kind]).into_iter().collect()
    }

    /// Gives each contact that began a value of its own, here and there.
    fn value(&mut self, fleet: &mut Fleet, input: &Input, told: &[Told; 2]) {
        let first = self.next_value;
        for (kind, told) in told.iter().enumerate() {
            for ids in &told.started {
                self.next_value += 1;
                self.contacts[kind].insert(*ids, self.next_value);
            }
        }
        let contacts = &self.contacts;
        fleet.each(|world| {
            for (pair, value) in world.started_mut() {
                let ids = (input.id(pair.a).min(input.id(pair.b)), input.id(pair.a).max(input.id(pair.b)));
                assert_eq!(std::mem::replace(value, contacts[0][&ids]), 0, "a contact begins with 0");
            }
            for (pair, value) in world.started_statics_mut() {
                *value = contacts[1][&(input.id(pair.body), input.static_id(pair.static_row))];
            }
            assert!(world.tracked_mut().all(|(_, value)| *value > 0));
            assert_eq!(world.tracked_mut().count(), contacts[0].len());
            assert_eq!(world.tracked_statics_mut().count(), contacts[1].len());
        });
        assert!(self.next_value >= first);
    }
}

/// Sorted, as sets are compared.
fn sorted(mut told: [Told; 2]) -> [Told; 2] {
    for told in &mut told {
        told.started.sort_unstable();
        told.persisting.sort_unstable();
        told.ended.sort_unstable();
    }
    told
}

/// Steps the fleet and compares what it tells with the ledger. `over` are kinds of which all contacts ended before.
fn step(fleet: &mut Fleet, ledger: &mut Ledger, input: &Input, margin: f32, over: &[usize]) {
    let told = fleet.each(|world| {
        world.step(input.bodies()).expect("a good step");
        Told::by(world, input)
    });
    let ended: Vec<_> = over.iter().map(|&kind| (kind, ledger.end_all(kind))).collect();
    let mut expected = ledger.expect(input, margin);
    for (kind, ended) in ended {
        expected[kind].ended.extend(ended);
    }
    let (told, expected) = (sorted(told), sorted(expected));
    for (told, expected) in told.iter().zip(&expected) {
        assert_eq!(told.started, expected.started, "began");
        assert_eq!(told.persisting, expected.persisting, "goes on");
        assert_eq!(told.ended, expected.ended, "ended");
    }
    ledger.value(fleet, input, &expected);
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
fn events_are_the_differences_of_brute_force_sets() {
    let scenes = [
        (SceneName::Churn, 1200, 16),
        (SceneName::Churn, 9000, 5),
        (SceneName::Gravity, 900, 30),
        (SceneName::Brownian, 1500, 12),
        (SceneName::Castles, 1500, 8),
        (SceneName::PowerLaw, 1000, 8),
        (SceneName::Coincident, 2000, 3),
    ];
    for (name, bodies, frames) in scenes {
        for (margin, overlap) in [(0.0, BodyShape::Aabb), (0.08, BodyShape::Aabb), (0.08, BodyShape::Circle)] {
            let mut fleet =
                Fleet::new(WorldConfig::new().with_contact_tracking(true).with_margin(margin).with_body_shape(overlap));
            let (mut ledger, mut scene) = (Ledger::default(), Scene::new(name, bodies, 3));
            let mut input = Input { discs: overlap == BodyShape::Circle, ..of_scene(&scene) };
            fleet.each(|world| input.set_statics(world)).expect("good statics");
            for _ in 0..frames {
                step(&mut fleet, &mut ledger, &input, margin, &[]);
                scene.advance();
                input =
                    Input { statics: input.statics, enabled: input.enabled, discs: input.discs, ..of_scene(&scene) };
            }
            if name != SceneName::Coincident {
                assert!(ledger.counts.iter().all(|&count| count > 20), "{name}: {:?}", ledger.counts);
            }
        }
    }
}

#[test]
fn without_ids_rows_stand_for_bodies_and_statics_without_ids_end_with_their_set() {
    let mut fleet = Fleet::new(WorldConfig::new().with_contact_tracking(true));
    let (mut ledger, mut scene) = (Ledger::default(), Scene::new(SceneName::Castles, 800, 5));
    let mut input = Input { ids: None, ..of_scene(&scene) };
    fleet.each(|world| input.set_statics(world)).expect("good statics");
    for frame in 0..8 {
        let over: &[usize] = if frame == 5 { &[1] } else { &[] };
        step(&mut fleet, &mut ledger, &input, 0.0, over);
        scene.advance();
        input = Input { ids: None, statics: input.statics, enabled: input.enabled, ..of_scene(&scene) };
        if frame == 3 {
            // Fewer rows: those behind the last one are gone.
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
            // The same boxes are another set.
            fleet.each(|world| input.set_statics(world)).expect("good statics");
        }
    }
    assert!(ledger.counts.iter().all(|&count| count > 20), "{:?}", ledger.counts);
}

#[test]
fn statics_with_ids_go_on_in_another_set() {
    let mut fleet = Fleet::new(WorldConfig::new().with_contact_tracking(true));
    let mut ledger = Ledger::default();
    let scene = Scene::new(SceneName::Castles, 600, 5);
    let mut input = of_scene(&scene);
    input.static_ids = Some((0..scene.statics.len() as u64).map(|row| row * 7 + 1).collect());
    fleet.each(|world| input.set_statics(world)).expect("good statics");
    step(&mut fleet, &mut ledger, &input, 0.0, &[]);
    // Some go, the others stand in another order; twice, with no step between.
    for _ in 0..2 {
        let ids = input.static_ids.as_mut().expect("ids");
        ids.reverse();
        ids.truncate(ids.len() - 20);
        input.statics.reverse();
        input.statics.truncate(input.statics.len() - 20);
        input.enabled.truncate(input.statics.len());
        fleet.each(|world| input.set_statics(world)).expect("good statics");
    }
    step(&mut fleet, &mut ledger, &input, 0.0, &[]);
    let [_, persisting, ended] = ledger.counts;
    assert!(persisting > 100 && ended > 10, "{:?}", ledger.counts);
    // A door.
    input.enabled[3] = false;
    fleet.each(|world| world.set_static_enabled(3, false)).expect("such a static");
    step(&mut fleet, &mut ledger, &input, 0.0, &[]);
    // From ids to none: they all end.
    input.static_ids = None;
    fleet.each(|world| input.set_statics(world)).expect("good statics");
    step(&mut fleet, &mut ledger, &input, 0.0, &[1]);
}

#[test]
fn ids_that_are_not_unique_are_refused_by_name() {
    let centers = [[0.0f32, 0.0], [0.5, 0.0], [9.0, 0.0], [9.5, 0.0]];
    let bodies = || Bodies::uniform(&centers, [0.5, 0.5]);
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    world.step(bodies().with_ids(&[1, 2, 3, 4])).expect("a good step");
    for (ids, first, second, id) in [([1, 2, 3, 1], 0, 3, 1), ([9, 2, 9, 9], 0, 2, 9), ([2, 2, 3, 3], 0, 1, 2)] {
        let error = world.step(bodies().with_ids(&ids)).err();
        assert_eq!(error, Some(Error::DuplicateBodyId { first, second, id }));
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains(&format!("rows {first} and {second}")), "{text}");
        // Nothing is told of a step that was refused, and the last good one stands.
        assert_eq!((world.contacts().started().count(), world.contacts().ended().count()), (2, 0));
        assert_eq!(world.contacts().body_id(0), Some(1));
    }
    let contacts = world.step(bodies().with_ids(&[2, 1, 4, 3])).expect("a good step");
    assert_eq!((contacts.persisting().count(), contacts.started().count(), contacts.ended().count()), (2, 0, 0));

    // A row that is skipped is not there, whatever its id.
    let mut skipping =
        common::world(WorldConfig::new().with_contact_tracking(true).with_invalid_rows(InvalidRows::Skip));
    let mut some = centers;
    for (row, away) in [(1, f32::NAN), (1, 0.5)] {
        some[row][0] = away;
        let result = skipping.step(Bodies::uniform(&some, [0.5, 0.5]).with_ids(&[1, 1, 3, 4]));
        assert_eq!(
            result.err().map(|error| error.to_string().contains("rows 0 and 1")),
            (!away.is_nan()).then_some(true)
        );
    }

    let walls = [[0.0f32, 0.0, 1.0, 1.0]; 3];
    let error = world.set_statics(Statics::new(&walls).with_ids(&[5, 6, 5])).err();
    assert_eq!(error, Some(Error::DuplicateStaticId { first: 0, second: 2, id: 5 }));
    assert!(world.statics().is_empty());
    // Who tracks nothing may have any.
    let mut plain = World::default();
    plain.set_statics(Statics::new(&walls).with_ids(&[5, 6, 5])).expect("ids of the caller's");
    assert!(plain.step(bodies().with_ids(&[7; 4])).is_ok());
    assert_eq!(plain.contacts().started().count(), 0);
}

#[test]
fn a_margin_ends_late_and_begins_at_touch() {
    let mut world = world(WorldConfig::new().with_contact_tracking(true).with_margin(0.25));
    let mut at = |x: f32| {
        let contacts = world.step(Bodies::uniform(&[[0.0f32, 0.0], [x, 0.0]], [0.5, 0.5])).expect("a good step");
        let events = (contacts.started().count(), contacts.persisting().count(), contacts.ended().count());
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

/// One thing that happens between steps.
#[derive(Clone, Debug)]
enum Event {
    Move,
    Swap,
    Remove(usize),
    Add(usize),
    Shuffle,
    Teleport,
    Filters(bool),
    Statics { count: usize, ids: bool },
    Toggle,
    Bad(bool),
    Twice,
    Ids(bool),
    Nobody,
    Shrink,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Move),
        2 => Just(Event::Swap),
        2 => (1..40usize).prop_map(Event::Remove),
        2 => (1..40usize).prop_map(Event::Add),
        1 => Just(Event::Shuffle),
        1 => Just(Event::Teleport),
        1 => any::<bool>().prop_map(Event::Filters),
        2 => (0..30usize, any::<bool>()).prop_map(|(count, ids)| Event::Statics { count, ids }),
        1 => Just(Event::Toggle),
        2 => any::<bool>().prop_map(Event::Bad),
        1 => Just(Event::Twice),
        1 => any::<bool>().prop_map(Event::Ids),
        1 => Just(Event::Nobody),
        1 => Just(Event::Shrink),
    ]
}

/// A world in which things happen.
struct Life {
    fleet: Fleet,
    ledger: Ledger,
    input: Input,
    margin: f32,
    random: Random,
    next_id: u64,
    /// Kinds of which all contacts end with the next step.
    over: Vec<usize>,
}

impl Life {
    fn new(margin: f32, skip: bool, seed: u64) -> Self {
        let config = WorldConfig::new().with_contact_tracking(true).with_margin(margin);
        let config = if skip { config.with_invalid_rows(InvalidRows::Skip) } else { config };
        let (ledger, input) = (Ledger::default(), Input { ids: Some(Vec::new()), ..Input::default() });
        let fleet = Fleet::new(config);
        let mut life = Self { fleet, ledger, input, margin, random: Random::new(seed), next_id: 1, over: Vec::new() };
        life.add(90);
        life
    }

    fn add(&mut self, count: usize) {
        for _ in 0..count {
            self.input.centers.push(self.random.point(0.0, 9.0));
            let half = if self.random.index(30) == 0 { 4.0 } else { 0.4 };
            self.input.half_extents.push([half; 2]);
            if let Some(ids) = &mut self.input.ids {
                // In no order, and all bits in use.
                ids.push(self.next_id.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            }
            self.next_id += 1;
            if let Some(filters) = &mut self.input.filters {
                filters.push(Filter::new(1 << self.random.index(3), self.random.bits() as u32));
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

    fn happen(&mut self, event: &Event, skip: bool) {
        match *event {
            Event::Move => {
                for center in &mut self.input.centers {
                    let by = self.random.point(-0.2, 0.2);
                    *center = [center[0] + by[0], center[1] + by[1]];
                }
            }
            Event::Swap if self.len() > 1 => {
                let (a, b) = (self.random.index(self.len()), self.random.index(self.len()));
                self.swap(a, b);
            }
            Event::Remove(count) => {
                for _ in 0..count.min(self.len()) {
                    let row = self.random.index(self.len());
                    self.remove(row);
                }
            }
            Event::Add(count) => self.add(count),
            Event::Shuffle => (1..self.len()).for_each(|row| {
                let other = self.random.index(row + 1);
                self.swap(row, other);
            }),
            Event::Teleport if self.len() > 0 => {
                let row = self.random.index(self.len());
                self.input.centers[row] = self.random.point(0.0, 9.0);
            }
            Event::Filters(some) => {
                let random = &mut self.random;
                let filters = (0..self.input.centers.len())
                    .map(|_| Filter::new(1 << random.index(3), random.bits() as u32))
                    .collect();
                self.input.filters = some.then_some(filters);
            }
            Event::Statics { count, ids } => self.replace_statics(count, ids),
            Event::Toggle if !self.input.statics.is_empty() => {
                let row = self.random.index(self.input.statics.len());
                let enabled = !self.input.enabled[row];
                self.input.enabled[row] = enabled;
                self.fleet.each(|world| world.set_static_enabled(row as u32, enabled)).expect("such a static");
            }
            Event::Bad(back) if self.len() > 0 => {
                let row = self.random.index(self.len());
                let center = std::mem::replace(&mut self.input.centers[row], [f32::NAN, 0.0]);
                if skip {
                    // It stays away until it moves by teleport, or for good.
                    let input = &self.input;
                    step(&mut self.fleet, &mut self.ledger, input, self.margin, &std::mem::take(&mut self.over));
                } else {
                    let input = &self.input;
                    self.fleet.each(|world| assert!(world.step(input.bodies()).is_err()));
                }
                if back || !skip {
                    self.input.centers[row] = center;
                }
            }
            Event::Twice if self.len() > 1 && self.input.ids.is_some() && !skip => {
                let (row, last) = (self.random.index(self.len() - 1), self.len() - 1);
                let mut twice = self.input.clone();
                let ids = twice.ids.as_mut().expect("ids");
                ids[last] = ids[row];
                let id = ids[row];
                let expected = Error::DuplicateBodyId { first: row as u32, second: last as u32, id };
                let error = self.fleet.each(|world| world.step(twice.bodies()).err());
                assert_eq!(error, Some(expected));
            }
            Event::Ids(some) if some != self.input.ids.is_some() => {
                let next_id = self.next_id;
                self.next_id += self.len() as u64;
                self.input.ids = some.then(|| {
                    (0..self.len() as u64).map(|row| (next_id + row).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect()
                });
                self.over.extend([0, 1]);
            }
            Event::Nobody => {
                let statics = (self.input.statics.clone(), self.input.enabled.clone(), self.input.static_ids.clone());
                let nobody = Input {
                    ids: self.input.ids.as_ref().map(|_| Vec::new()),
                    statics: statics.0,
                    enabled: statics.1,
                    static_ids: statics.2,
                    ..Input::default()
                };
                step(&mut self.fleet, &mut self.ledger, &nobody, self.margin, &std::mem::take(&mut self.over));
            }
            Event::Shrink => self.fleet.each(World::shrink_to_fit),
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
        let first = self.random.index(10) as u64;
        self.input.static_ids = (ids && count > 0).then(|| (first..first + count as u64).rev().collect());
        self.input.enabled = vec![true; count];
        if !(had_ids && self.input.static_ids.is_some()) {
            self.over.push(1);
        }
        let input = &self.input;
        self.fleet.each(|world| input.set_statics(world)).expect("good statics");
    }
}

proptest! {
    #![proptest_config(settings("tests/events.seeds", 40))]

    #[test]
    fn whatever_happens_each_beginning_has_one_end(
        events in proptest::collection::vec(event(), 1..30),
        skip in any::<bool>(),
        margin in prop_oneof![Just(0.0f32), Just(0.1)],
        seed in any::<u64>(),
    ) {
        let mut life = Life::new(margin, skip, seed);
        for event in &events {
            life.happen(event, skip);
            let over = std::mem::take(&mut life.over);
            step(&mut life.fleet, &mut life.ledger, &life.input, margin, &over);
        }
    }
}

#[test]
fn ids_are_there_for_readers_whether_they_change_or_not() {
    let centers: Vec<[f32; 2]> = (0..200).map(|row| [(row % 20) as f32 * 0.9, (row / 20) as f32 * 0.9]).collect();
    let area = Aabb::new([-1.0, -1.0], [30.0, 30.0]).expect("a good box");
    let is_there = |hits: &mut dyn Iterator<Item = Hit>, ids: &[u64]| {
        let found: BTreeSet<(u32, Option<u64>)> =
            hits.filter_map(|hit| if let Hit::Body { row, id } = hit { Some((row, id)) } else { None }).collect();
        assert!(found.into_iter().eq((0..200).map(|row| (row, Some(ids[row as usize])))));
    };
    let mut world = world(WorldConfig::new().with_contact_tracking(true));
    let first: Vec<u64> = (0..200).map(|row| row * 5 + 1).collect();
    let second: Vec<u64> = first.iter().rev().copied().collect();
    let (mut reader, mut held) = (None, None);
    // Twice the same, then others, so that frames that are used again hold now these, now those.
    for frame in 0..16 {
        let ids = if frame / 2 % 2 == 0 { &first } else { &second };
        let contacts = world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids(ids)).expect("a good step");
        assert!((0..200).all(|row| contacts.body_id(row) == Some(ids[row as usize])), "frame {frame}");
        is_there(&mut world.query_aabb(area), ids);
        if frame == 1 {
            reader = Some(world.reader());
        }
        if let Some(reader) = &reader {
            is_there(&mut reader.latest().query_aabb(area), ids);
        }
        // One that is held keeps the ids of its step.
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
