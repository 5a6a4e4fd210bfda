//! Random worlds and random sequences of calls: after each successful step the pairs are those of
//! brute force, in the order of a new world; after each refused one nothing has changed.

use proptest::collection::vec;
use proptest::prelude::*;
use triphase::reference;
use triphase::{Hit, WorldConfig};
use triphase_tests::{
    Columns, ExpectedPairs, FoundPairs, LARGE_WORLD_KINDS, Shape, WorldSet, hits, large_world, settings,
};

/// A coordinate of a kind of world.
fn coordinate(kind: u8) -> BoxedStrategy<f32> {
    match kind {
        // Dense, so that there are pairs; whole and tenth numbers, so that edges touch.
        0 => (-12.0..12.0f32).boxed(),
        1 => (-9i32..9).prop_map(|k| k as f32).boxed(),
        2 => (-40i32..40).prop_map(|k| k as f32 * 0.1).boxed(),
        // Where f32 counts by twos.
        3 => (0i32..20).prop_map(|k| 2e7 + 2.0 * k as f32).boxed(),
        4 => (-300.0..300.0f32).boxed(),
        // Anything finite.
        5 => any::<u32>().prop_map(f32::from_bits).prop_filter("finite", |x| x.is_finite()).boxed(),
        _ => prop_oneof![4 => coordinate(0), 2 => coordinate(1), 1 => coordinate(3), 1 => coordinate(4), 1 => coordinate(5)]
            .boxed(),
    }
}

fn size() -> BoxedStrategy<f32> {
    prop_oneof![
        6 => 0.3..0.6f32,
        3 => Just(0.5f32),
        2 => Just(0.0f32),
        2 => Just(1.001f32),
        2 => 2.0..30.0f32,
        2 => (-30i32..30).prop_map(|k| 2f32.powi(k)),
        1 => prop_oneof![Just(1e-6f32), Just(1e6), Just(1e30), Just(f32::MAX), Just(f32::from_bits(1))],
    ]
    .boxed()
}

fn point(kind: u8) -> impl Strategy<Value = [f32; 2]> {
    [coordinate(kind), coordinate(kind)]
}

/// Finite boxes.
fn boxes(kind: u8, count: usize) -> impl Strategy<Value = Vec<[f32; 4]>> {
    let row = (point(kind), [size(), size()]).prop_map(|([x, y], [half_x, half_y])| {
        [x - half_x, y - half_y, x + half_x, y + half_y].map(|edge| edge.clamp(-f32::MAX, f32::MAX))
    });
    vec(row, 0..=count)
}

/// Rows of a kind of world in any shape, with or without displacements and ids.
fn columns(count: usize) -> impl Strategy<Value = Columns> {
    (0..7u8).prop_flat_map(move |kind| {
        let rows = vec((point(kind), [size(), size()], point(2)), 0..=count);
        let shape = (0..4u8, [size(), size()]);
        (rows, shape, boxes(kind, count), any::<[bool; 2]>()).prop_map(
            |(rows, (shape, size), boxes, [move_, named])| {
                let centers = rows.iter().map(|row| row.0).collect();
                let shape = match shape {
                    0 | 1 => Shape::Centers { centers, half_extents: rows.iter().map(|row| row.1).collect() },
                    2 => Shape::Uniform { centers, half_extents: size },
                    _ => Shape::Aabbs(boxes.into_iter().take(rows.len()).collect()),
                };
                let mut columns = Columns::from(shape);
                let count = columns.len();
                columns.displacements = move_.then(|| rows[..count].iter().map(|row| row.2).collect());
                columns.ids = named.then(|| (0..count as u64).map(|row| row * 3 + 7).collect());
                columns
            },
        )
    })
}

/// Worlds so large that steps are split into tasks.
fn large(count: usize) -> impl Strategy<Value = Columns> {
    (count / 2..=count, 0..LARGE_WORLD_KINDS, any::<u64>())
        .prop_map(|(count, kind, seed)| large_world(count, kind, seed))
}

fn config() -> impl Strategy<Value = WorldConfig> {
    let new = WorldConfig::new;
    prop_oneof![
        4 => Just(new()),
        2 => Just(new().with_bound(0.5)),
        1 => Just(new().with_bounds([0.0, 0.4, 0.5, 1.001, 8.0])),
        1 => Just(new().with_bound(f32::MAX)),
        1 => Just(new().with_cell_size(1.0)),
        1 => (0..=120u32, size()).prop_map(move |(k, bound)| {
            // From the smallest f32 to 2^91.
            let side = if k == 0 { f32::from_bits(1) } else { 2f32.powi(k as i32 - 29) };
            new().with_cell_size(side).with_bound(bound)
        }),
    ]
}

/// Cuts rows into chunks, some of which may be empty.
fn chunks<'a>(columns: &'a Columns, cuts: &[prop::sample::Index]) -> Vec<triphase::Bodies<'a>> {
    let count = columns.len();
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(count + 1)).chain([0, count]).collect();
    ends.sort_unstable();
    ends.windows(2).map(|end| columns.rows(end[0], end[1])).collect()
}

#[derive(Clone, Debug)]
enum Op {
    Step(Columns, Vec<prop::sample::Index>),
    /// A step with NaN or a negative size in one row.
    Refused(Columns, prop::sample::Index),
    SetStatics(Vec<[f32; 4]>),
    /// Statics of which the last one is inverted.
    RefusedStatics(Vec<[f32; 4]>),
    Toggle(prop::sample::Index),
    Query([f32; 4]),
    /// A query of the box of a static or a body.
    QueryOf(prop::sample::Index),
    Shrink,
}

fn op() -> impl Strategy<Value = Op> {
    let cuts = || vec(any::<prop::sample::Index>(), 0..4);
    let area = (point(6), [size(), size()])
        .prop_map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h].map(|edge| edge.clamp(-f32::MAX, f32::MAX)));
    prop_oneof![
        6 => (columns(60), cuts()).prop_map(|(columns, cuts)| Op::Step(columns, cuts)),
        2 => (columns(600), cuts()).prop_map(|(columns, cuts)| Op::Step(columns, cuts)),
        2 => (large(4000), cuts()).prop_map(|(columns, cuts)| Op::Step(columns, cuts)),
        2 => (columns(40), any::<prop::sample::Index>()).prop_map(|(columns, row)| Op::Refused(columns, row)),
        2 => (0..7u8).prop_flat_map(|kind| boxes(kind, 40)).prop_map(Op::SetStatics),
        1 => boxes(0, 10).prop_map(Op::RefusedStatics),
        3 => any::<prop::sample::Index>().prop_map(Op::Toggle),
        2 => area.prop_map(Op::Query),
        3 => any::<prop::sample::Index>().prop_map(Op::QueryOf),
        1 => Just(Op::Shrink),
    ]
}

/// The state that a world must have, by brute force.
#[derive(Default)]
struct BruteForce {
    boxes: Vec<[f32; 4]>,
    ids: Option<Vec<u64>>,
    statics: Vec<[f32; 4]>,
    enabled: Vec<bool>,
    contacts: FoundPairs,
}

impl BruteForce {
    fn query(&self, area: [f32; 4]) -> Vec<Hit> {
        let id = |row: u32| self.ids.as_ref().map(|ids| ids[row as usize]);
        let body = reference::cross_pairs(&[area], &self.boxes).into_iter();
        let body = body.map(|(_, row)| Hit::Body { row, id: id(row) });
        let statics = reference::cross_pairs(&[area], &self.statics).into_iter();
        let statics = statics.filter(|&(_, row)| self.enabled[row as usize]);
        body.chain(statics.map(|(_, row)| Hit::Static { row, id: None })).collect()
    }

    fn apply(&mut self, worlds: &mut WorldSet, op: &Op) -> Result<(), TestCaseError> {
        match op {
            Op::Step(columns, cuts) => {
                let expected_pairs =
                    ExpectedPairs::new(&columns.boxes(), &self.statics).enabled(|row| self.enabled[row]);
                let found = worlds.step_beside_new(&chunks(columns, cuts), &mut |fresh| {
                    fresh.set_statics(&self.statics)?;
                    for (row, &enabled) in self.enabled.iter().enumerate() {
                        fresh.set_static_enabled(row as u32, enabled)?;
                    }
                    Ok(())
                });
                let found = found.map_err(TestCaseError::fail)?;
                self.contacts = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
                expected_pairs.compare(&self.contacts).map_err(TestCaseError::fail)?;
                (self.boxes, self.ids) = (columns.boxes(), columns.ids.clone());
            }
            Op::Refused(columns, row) if !columns.is_empty() => {
                let mut columns = columns.clone();
                let row = row.index(columns.len());
                match &mut columns.shape {
                    Shape::Centers { half_extents, .. } if row % 2 == 0 => half_extents[row][1] = -0.5,
                    Shape::Centers { centers, .. } | Shape::Uniform { centers, .. } => centers[row][0] = f32::NAN,
                    Shape::Aabbs(aabbs) => aabbs[row][3] = f32::NEG_INFINITY,
                }
                let refused = worlds.each(|world| world.step(columns.bodies()).map(|_| ()).map_err(|e| e.to_string()));
                let message = refused.expect_err("the row is bad");
                prop_assert!(message.contains(&format!("row {row}: ")), "{message}, expected row {row}");
            }
            Op::SetStatics(statics) => {
                worlds.set_statics(statics).map_err(|error| TestCaseError::fail(error.to_string()))?;
                self.statics = statics.clone();
                self.enabled = vec![true; statics.len()];
                self.contacts.statics.clear();
            }
            Op::RefusedStatics(statics) => {
                let bad = [&statics[..], &[[1.0, 0.0, 0.0, 1.0]]].concat();
                prop_assert!(worlds.set_statics(&bad).is_err(), "inverted statics were taken");
            }
            Op::Toggle(row) if !self.statics.is_empty() => {
                let row = row.index(self.statics.len());
                let slot = &mut self.enabled[row];
                let was = worlds.each(|world| world.set_static_enabled(row as u32, !*slot));
                prop_assert_eq!(was, Ok(*slot));
                *slot = !*slot;
            }
            Op::Query(area) => prop_assert_eq!(worlds.each(|world| hits(world, *area)), self.query(*area)),
            Op::QueryOf(row) => {
                let boxes = [&self.statics[..], &self.boxes].concat();
                if !boxes.is_empty() {
                    let area = row.get(&boxes).map(|edge| edge.clamp(-f32::MAX, f32::MAX));
                    prop_assert_eq!(worlds.each(|world| hits(world, area)), self.query(area));
                }
            }
            Op::Shrink => worlds.each(triphase::World::shrink_to_fit),
            Op::Refused(..) | Op::Toggle(_) => {}
        }
        let contacts = worlds.each(|world| FoundPairs::new(world.contacts()));
        prop_assert_eq!(contacts, self.contacts.clone(), "contacts are those of the last successful step");
        let rows = worlds.each(|world| world.contacts().body_count());
        prop_assert_eq!(rows, self.boxes.len());
        Ok(())
    }
}

proptest! {
    #![proptest_config(settings("random_worlds", 150))]

    #[test]
    fn random_step_matches_brute_force(
        columns in columns(250),
        statics in (0..7u8).prop_flat_map(|kind| boxes(kind, 60)),
        config in config(),
        cuts in vec(any::<prop::sample::Index>(), 0..4),
        area in boxes(6, 1),
    ) {
        let mut worlds = WorldSet::new(config);
        worlds.set_statics(&statics).unwrap();
        let expected_pairs = ExpectedPairs::new(&columns.boxes(), &statics);
        let found = worlds.step(&chunks(&columns, &cuts), &statics).map_err(TestCaseError::fail)?;
        let found = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
        expected_pairs.compare(&found).map_err(TestCaseError::fail)?;
        let ids = columns.ids.clone();
        let model = BruteForce { boxes: columns.boxes(), ids, enabled: vec![true; statics.len()], statics, ..BruteForce::default() };
        for area in area {
            prop_assert_eq!(worlds.each(|world| hits(world, area)), model.query(area));
        }
    }
}

proptest! {
    #![proptest_config(settings("random_worlds", 60))]

    #[test]
    fn random_calls_match_brute_force_and_a_new_world(config in config(), ops in vec(op(), 1..16)) {
        let mut worlds = WorldSet::new(config);
        let mut model = BruteForce::default();
        for op in &ops {
            model.apply(&mut worlds, op)?;
        }
    }
}

proptest! {
    #![proptest_config(settings("random_worlds", 20))]

    #[test]
    fn large_random_step_matches_brute_force(
        columns in large(9000),
        statics in prop_oneof![Just(Columns::aabbs(Vec::new())), large(1000)],
        config in config(),
        cuts in vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let statics: Vec<_> = statics.boxes().iter().map(|b| b.map(|edge| edge.clamp(-f32::MAX, f32::MAX))).collect();
        let mut worlds = WorldSet::new(config);
        worlds.set_statics(&statics).unwrap();
        let expected_pairs = ExpectedPairs::new(&columns.boxes(), &statics);
        let found = worlds.step(&chunks(&columns, &cuts), &statics).map_err(TestCaseError::fail)?;
        let found = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
        expected_pairs.compare(&found).map_err(TestCaseError::fail)?;
    }
}
