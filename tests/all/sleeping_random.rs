//! Random changes among sleepers: pairs and queries match brute force after each step.

use proptest::prelude::*;
use triphase::geometry::RawAabb;
use triphase::{Bodies, Filter, WorldConfig};
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, SleepCheck, settings};

#[derive(Clone, Debug)]
enum Change {
    Still,
    /// Some rows move, and are marked as awake if `is_marked`.
    Move {
        rows: Vec<usize>,
        by: [i8; 2],
        is_marked: bool,
    },
    Toggle {
        rows: Vec<usize>,
    },
    SwapRemove {
        row: usize,
    },
    Add {
        at: [i8; 2],
        count: usize,
    },
    Grow {
        row: usize,
    },
    Filter {
        row: usize,
        layers: u32,
    },
    Static {
        row: usize,
    },
    Statics {
        count: usize,
    },
    Without,
    Refused,
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let rows = || prop::collection::vec(0usize..500, 0..12);
    let place = || prop::array::uniform2(-20i8..20);
    let change = prop_oneof![
        6 => Just(Change::Still),
        4 => (rows(), place(), any::<bool>()).prop_map(|(rows, by, is_marked)| Change::Move { rows, by, is_marked }),
        3 => rows().prop_map(|rows| Change::Toggle { rows }),
        1 => (0usize..500).prop_map(|row| Change::SwapRemove { row }),
        1 => (place(), 1usize..20).prop_map(|(at, count)| Change::Add { at, count }),
        1 => (0usize..500).prop_map(|row| Change::Grow { row }),
        1 => (0usize..500, 0u32..4).prop_map(|(row, layers)| Change::Filter { row, layers }),
        1 => (0usize..12).prop_map(|row| Change::Static { row }),
        1 => (0usize..12).prop_map(|count| Change::Statics { count }),
        1 => Just(Change::Without),
        1 => Just(Change::Refused),
    ];
    prop::collection::vec(change, 1..40)
}

proptest! {
    #![proptest_config(settings("sleeping_random", 24))]

    #[test]
    fn random_changes_among_sleepers_match_brute_force(changes in changes(), spread in 4.0f32..30.0) {
        let walls: Vec<RawAabb> = (0..12).map(|k| [k as f32 * 3.0 - 18.0, -20.0, k as f32 * 3.0 - 17.0, 20.0]).collect();
        let mut check = SleepCheck::new(WorldConfig::new(), &walls);
        let mut random = SplitMix64::new(changes.len() as u64);
        let mut centers: Vec<[f32; 2]> = (0..200).map(|_| random.point(-spread, spread)).collect();
        let mut half_extents: Vec<[f32; 2]> = (0..200).map(|_| random.point(0.2, 0.7)).collect();
        let mut filters = vec![Filter::ALL; 200];
        let mut asleep = vec![true; 200];
        for (frame, change) in changes.into_iter().enumerate() {
            let len = centers.len();
            let mut without = false;
            match &change {
                Change::Still => {}
                Change::Move { rows, by, is_marked } => {
                    for row in rows.iter().map(|row| row % len) {
                        centers[row] = [centers[row][0] + f32::from(by[0]) * 0.1, centers[row][1] + f32::from(by[1]) * 0.1];
                        asleep[row] &= !is_marked;
                    }
                }
                Change::Toggle { rows } => rows.iter().for_each(|row| asleep[row % len] ^= true),
                Change::SwapRemove { row } if len > 100 => {
                    let row = row % len;
                    _ = (centers.swap_remove(row), half_extents.swap_remove(row));
                    _ = (filters.swap_remove(row), asleep.swap_remove(row));
                }
                Change::Add { at, count } => {
                    centers.extend((0..*count).map(|k| [f32::from(at[0]) + k as f32 * 0.2, f32::from(at[1])]));
                    half_extents.resize(centers.len(), [0.4, 0.4]);
                    filters.resize(centers.len(), Filter::ALL);
                    asleep.resize(centers.len(), true);
                }
                Change::Grow { row } => half_extents[row % len][0] *= 3.0,
                Change::Filter { row, layers } => filters[row % len] = Filter::new(*layers, u32::MAX),
                Change::Static { row } if !check.statics.is_empty() => check.toggle_static(row % check.statics.len()),
                Change::Statics { count } => check.set_statics(&walls[..*count]),
                Change::Without => without = true,
                Change::Refused => {
                    let mut wrong = centers.clone();
                    wrong.iter_mut().step_by(7).for_each(|center| center[0] += 1.0);
                    wrong[len - 1] = [f32::INFINITY; 2];
                    let bodies = Bodies::new(&wrong, &half_extents).with_filters(&filters).with_asleep(&asleep);
                    check.worlds.each(|world| assert!(world.step(bodies).is_err()));
                }
                _ => {}
            }
            let columns = Columns::new(centers.clone(), half_extents.clone());
            let columns = Columns { filters: Some(filters.clone()), ..columns };
            let none = vec![false; centers.len()];
            check.step(&format!("frame {frame}, {change:?}"), &columns, if without { &none } else { &asleep }, &[]);
            check.query(&format!("frame {frame}, {change:?}"), &columns, &[], 1);
        }
    }
}
