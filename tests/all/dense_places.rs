//! Places with so many pairs that the scans of their band are divided among threads.

use triphase::geometry::RawAabb;
#[cfg(feature = "parallel")]
use triphase::{Bodies, Filter};
use triphase::{BodyShape, Error, World, WorldConfig};
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, ExpectedPairs, WorldSet, random_filters};

const SEED: u64 = 0xde45e;
/// Two thousand, about half of them in one place.
const BODIES: usize = 2000;

/// Boxes of one kind around a place.
type Kind = fn(&mut SplitMix64) -> RawAabb;

fn around(random: &mut SplitMix64, spread: f32, [width, height]: [f32; 2]) -> RawAabb {
    let [x, y] = [0; 2].map(|_| 20.0 + random.range(-spread, spread));
    [x, y, x + width, y + height]
}

const KINDS: [(&str, Kind); 5] = [
    ("coincident", |_| [20.0, 20.0, 21.0, 21.0]),
    ("in several cells", |random| around(random, 2.0, [1.0, 1.0])),
    // Swept.
    ("wide", |random| around(random, 4.0, [9.0, 0.01])),
    // Split by size.
    ("of two sizes", |random| {
        let side = if random.below(20) == 0 { 5.0 } else { 0.2 };
        around(random, 1.0, [side, side])
    }),
    ("points", |random| around(random, 0.0, [0.0, 0.0])),
];

/// Two of five bodies spread over a world, the others around one place; in random order.
fn dense(kind: Kind, random: &mut SplitMix64) -> Vec<RawAabb> {
    let mut boxes: Vec<RawAabb> = (0..BODIES)
        .map(|k| match k % 5 {
            0 | 1 => {
                let [x, y] = [0; 2].map(|_| random.range(0.0, 40.0));
                [x, y, x + 0.5, y + 0.5]
            }
            _ => kind(random),
        })
        .collect();
    (1..BODIES).rev().for_each(|k| boxes.swap(k, random.below(k + 1)));
    boxes
}

#[test]
fn divided_scans_find_the_pairs_of_brute_force_in_one_order() {
    for shape in [BodyShape::Aabb, BodyShape::Circle] {
        let mut worlds = WorldSet::new(WorldConfig::new().with_body_shape(shape));
        let random = &mut SplitMix64::new(SEED);
        let statics: Vec<RawAabb> = (0..200).map(|_| around(random, 3.0, [1.0, 0.2])).collect();
        worlds.set_statics(&statics).unwrap();
        for (label, kind) in KINDS {
            for filtered in [false, true] {
                let boxes = dense(kind, random);
                let columns = Columns::aabbs(boxes.clone());
                let filters = random_filters(BODIES, random);
                let bodies = columns.bodies();
                let bodies = if filtered { bodies.with_filters(&filters) } else { bodies };
                let found = worlds.step(&[bodies], &statics).expect("one order").expect("a valid step");
                let mut expected =
                    ExpectedPairs::new(&boxes, &statics).filtered(filtered.then_some(&filters[..]), None);
                if shape == BodyShape::Circle {
                    expected = expected.circles();
                }
                expected
                    .compare(&found)
                    .unwrap_or_else(|what| panic!("{label}, {shape:?}, filters {filtered}: {what}"));
            }
        }
    }
}

#[test]
fn divided_scans_stop_at_the_pair_limit() {
    let columns = Columns::aabbs(dense(KINDS[0].1, &mut SplitMix64::new(SEED)));
    let pairs = World::default().step(columns.bodies()).unwrap().body_pairs().len();
    for limit in [1000, pairs / 2, pairs - 1, pairs] {
        let mut worlds = WorldSet::new(WorldConfig::new().with_pair_limit(limit));
        let result = worlds.each(|world| world.step(columns.bodies()).map(|contacts| contacts.body_pairs().len()));
        assert_eq!(result, if limit < pairs { Err(Error::TooManyPairs { limit }) } else { Ok(pairs) });
    }
}

/// Many divided scans at once, so that threads that wait for parts of one take up another.
#[cfg(feature = "parallel")]
#[test]
fn threads_that_wait_for_parts_run_other_tasks() {
    let random = &mut SplitMix64::new(SEED);
    // Piles of which each is a band of its own, and bodies between them.
    let centers: Vec<[f32; 2]> = (0..24_000)
        .map(|k| match k % 4 {
            0 => [random.range(0.0, 10.0), random.range(0.0, 400.0)],
            _ => [5.0, (k / 4 % 20) as f32 * 20.0],
        })
        .collect();
    let filters: Vec<Filter> = (0..centers.len() as u32).map(|row| Filter::new(1 << (row % 8), 0b1110)).collect();
    let bodies = Bodies::uniform(&centers, [0.4, 0.4]).with_filters(&filters);
    let mut worlds = WorldSet::new(WorldConfig::new());
    let pairs = worlds.each(|world| {
        (0..5)
            .map(|_| world.step(bodies).unwrap().body_pairs().map(|pair| (pair.a, pair.b)).collect())
            .collect::<Vec<Vec<_>>>()
    });
    assert!(pairs.iter().all(|found| *found == pairs[0]) && pairs[0].len() > 100_000, "{} pairs", pairs[0].len());
}
