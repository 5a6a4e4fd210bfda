//! Single cases of steps that are told which rows changed; `changed_rows.rs` has random ones.

use triphase::geometry::RawAabb;
use triphase::reference::body_aabb;
use triphase::{Aabb, Bodies, ChangedRows, Error, Filter, InvalidRows, Pair, StaticPair, Statics, WorldConfig};
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, ExpectedPairs, FoundPairs, random_filters, sequential, world};

#[test]
fn the_forms_of_changed_rows_are_equal() {
    let (centers, half) = ([[0.0f32, 0.0], [5.0, 0.0], [10.0, 0.0], [15.0, 0.0]].repeat(20), [0.5f32, 0.5]);
    let mut centers: Vec<[f32; 2]> = centers.iter().enumerate().map(|(k, c)| [c[0], k as f32 * 3.0]).collect();
    let flags: Vec<bool> = (0..80).map(|row| row == 3 || row == 70).collect();
    let forms = [
        ChangedRows::from(&[70u32, 3, 70]),
        ChangedRows::from(&flags),
        ChangedRows::from_bits(&[1 << 3, 1 << 6 | 1 << 60]),
    ];
    let mut worlds = forms.map(|changed| (sequential(), changed));
    for (world, _) in &mut worlds {
        world.step_changed(Bodies::uniform(&centers, half), ChangedRows::NONE).expect("valid bodies");
    }
    (centers[3], centers[70]) = ([2.5, 0.5], [2.5, 0.9]);
    for (world, changed) in &mut worlds {
        let contacts = world.step_changed(Bodies::uniform(&centers, half), *changed).expect("valid bodies");
        assert_eq!(contacts.changed_pairs(), [Pair { a: 3, b: 70 }]);
    }
    let mut step = |changed: ChangedRows<'_>| worlds[0].0.step_changed(Bodies::uniform(&centers, half), changed).err();
    let mismatch = |expected, found| Error::ChangedLengthMismatch { row_count: 80, expected, found };
    assert_eq!(step(ChangedRows::from(&flags[1..])), Some(mismatch(80, 79)));
    assert_eq!(step(ChangedRows::from_bits(&[0])), Some(mismatch(2, 1)));
}

#[test]
fn rows_may_be_in_other_chunks_than_before() {
    let mut random = SplitMix64::new(17);
    let mut columns = Columns::uniform((0..600).map(|_| random.point(0.0, 25.0)).collect(), [0.5, 0.5]);
    columns.filters = Some(random_filters(600, &mut random));
    let mut told = sequential();
    told.step_changed(columns.bodies(), ChangedRows::NONE).expect("valid bodies");
    let mut updates = 0;
    for _ in 0..40 {
        let changed: Vec<u32> = (0..random.below(12)).map(|_| random.below(600) as u32).collect();
        changed.iter().for_each(|&row| columns.centers_mut()[row as usize] = random.point(0.0, 25.0));
        let mut ends = [0, 1, 2].map(|_| random.below(601));
        ends.sort_unstable();
        let ends = [0, ends[0], ends[0], ends[1], ends[2], 600];
        let contacts = told.step_changed(columns.chunks(&ends), &changed).expect("valid bodies");
        let expected = ExpectedPairs::new(&columns.boxes(), &[]).filtered(columns.filters.as_deref(), None);
        expected.compare(&FoundPairs::new(contacts)).expect("all pairs");
        updates += u32::from(told.report().filed_steps_ago > 0);
    }
    assert!(updates > 30, "{updates} of 40 steps were updated");
}

#[test]
fn the_pair_limit_holds_and_loses_nothing() {
    let config = WorldConfig::new().with_pair_limit(100);
    let (mut world, half) = (world(config), [0.5f32, 0.5]);
    let mut centers: Vec<[f32; 2]> = (0..2000).map(|k| [k as f32 * 3.0, 0.0]).collect();
    world.step_changed(Bodies::uniform(&centers, half), ChangedRows::NONE).expect("valid bodies");
    centers[7] = [3.0, 0.1];
    world.step_changed(Bodies::uniform(&centers, half), &[7]).expect("valid bodies");
    let before = centers.clone();
    let rows: Vec<u32> = (100..200).collect();
    rows.iter().for_each(|&row| centers[row as usize] = [9.0, 9.0]);
    let error = world.step_changed(Bodies::uniform(&centers, half), &rows).err();
    assert_eq!(error, Some(Error::TooManyPairs { limit: 100 }));
    assert!(world.contacts().body_pairs().eq([Pair { a: 1, b: 7 }]));
    let area = Aabb::new([8.5, 8.5], [9.5, 9.5]).expect("a box");
    assert_eq!(world.query_aabb(area).count(), 0);
    let contacts = world.step_changed(Bodies::uniform(&before, half), &rows).expect("valid bodies");
    assert!(contacts.body_pairs().eq([Pair { a: 1, b: 7 }]));
}

#[test]
fn a_failed_step_keeps_the_changed_pairs() {
    let (mut world, half) = (world(WorldConfig::new().with_pair_limit(3)), [0.5f32, 0.5]);
    world.set_statics(&[[0.0f32, 9.0, 1.0, 10.0]]).expect("valid statics");
    let before: Vec<[f32; 2]> = (0..200).map(|k| [k as f32 * 3.0, 0.0]).collect();
    let mut centers = before.clone();
    (centers[7], centers[8]) = ([3.0, 0.5], [0.5, 9.5]);
    // After a step that updates, and after one of all rows.
    for updates in [true, false] {
        world.step(Bodies::uniform(&before, half)).expect("valid bodies");
        if updates {
            world.step_changed(Bodies::uniform(&before, half), ChangedRows::NONE).expect("valid bodies");
        }
        world.step_changed(Bodies::uniform(&centers, half), &[7, 8]).expect("valid bodies");
        let mut bad = centers.clone();
        bad[9] = [f32::NAN, 0.0];
        assert!(world.step_changed(Bodies::uniform(&bad, half), &[9]).is_err());
        (bad[9], bad[10], bad[11], bad[12]) = ([3.0, 0.5], [3.0, 0.5], [3.0, 0.5], [3.0, 0.5]);
        let error = Some(Error::TooManyPairs { limit: 3 });
        assert_eq!(world.step_changed(Bodies::uniform(&bad, half), &[9, 10, 11, 12]).err(), error);
        assert_eq!(world.step(Bodies::uniform(&bad, half)).err(), error);
        assert_eq!(world.contacts().changed_pairs(), [Pair { a: 1, b: 7 }], "{updates}");
        assert_eq!(world.contacts().changed_static_pairs(), [StaticPair { body: 8, static_row: 0 }], "{updates}");
    }
}

#[test]
fn the_lowest_invalid_row_is_named_whatever_the_task() {
    let mut centers: Vec<[f32; 2]> = (0..60_000).map(|k| [(k % 300) as f32 * 3.0, (k / 300) as f32 * 3.0]).collect();
    let mut world = world(WorldConfig::new());
    world.step_changed(Bodies::uniform(&centers, [0.5, 0.5]), ChangedRows::NONE).expect("valid bodies");
    let rows: Vec<u32> = (0..2500).map(|k| k * 20).collect();
    for (k, invalid) in [(2400, 48_000), (1500, 30_000), (700, 14_000)] {
        centers[rows[k] as usize][1] = f32::NAN;
        let error = world.step_changed(Bodies::uniform(&centers, [0.5, 0.5]), &rows[..]).err();
        assert!(matches!(error, Some(Error::InvalidBody(row)) if row.row == invalid), "{error:?}");
    }
}

#[test]
fn statics_that_filters_refuse_do_not_count_against_the_pair_limit() {
    let (mut world, half) = (world(WorldConfig::new().with_pair_limit(3)), [0.5f32, 0.5]);
    let mut filters = [Filter::NONE; 20];
    filters[7] = Filter::ALL;
    world.set_statics(Statics::new(&[[0.0f32, 9.0, 1.0, 10.0]; 20]).with_filters(&filters)).expect("valid statics");
    let mut centers: Vec<[f32; 2]> = (0..200).map(|k| [k as f32 * 3.0, 0.0]).collect();
    world.step_changed(Bodies::uniform(&centers, half), ChangedRows::NONE).expect("valid bodies");
    centers[5] = [0.5, 9.5];
    let contacts = world.step_changed(Bodies::uniform(&centers, half), &[5]).expect("one pair");
    assert_eq!(contacts.changed_static_pairs(), [StaticPair { body: 5, static_row: 7 }]);
}

#[test]
fn skipped_rows_are_found_in_each_step() {
    let mut world = world(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
    let mut centers: Vec<[f32; 2]> = (0..100).map(|k| [k as f32 * 3.0, 0.0]).collect();
    for frame in 0..12 {
        let (row, value) = (frame % 5, if frame % 3 == 1 { f32::NAN } else { 0.25 });
        centers[row] = [value, 0.0];
        let contacts = world.step_changed(Bodies::uniform(&centers, [0.5, 0.5]), &[row as u32]).expect("bodies");
        let boxes: Vec<RawAabb> = centers.iter().map(|&center| body_aabb(center, [0.5, 0.5], None)).collect();
        let expected = triphase_tests::self_pairs(&boxes).len();
        assert_eq!(contacts.body_pairs().len(), expected, "frame {frame}");
        assert!(contacts.body_pairs().is_sorted(), "frame {frame}: no row changed in the last step too");
        let skipped: Vec<u32> = (0..100).filter(|&row| centers[row as usize][0].is_nan()).collect();
        assert!(world.skipped_rows().iter().map(|invalid| invalid.row).eq(skipped), "frame {frame}");
    }
}

/// Steps so many bodies, then says that row 4 moved where row 3 did.
#[cfg(debug_assertions)]
fn step_with_a_wrong_list(body_count: usize, first_step: impl Fn(&mut triphase::World, Bodies<'_>)) {
    let mut world = sequential();
    let mut centers: Vec<[f32; 2]> = (0..body_count).map(|k| [k as f32 * 3.0, 0.0]).collect();
    first_step(&mut world, Bodies::uniform(&centers, [0.5, 0.5]));
    centers[3] = [1.0, 0.0];
    let _ = world.step_changed(Bodies::uniform(&centers, [0.5, 0.5]), &[4]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "row 3 changed, but is not in `changed`"]
fn a_wrong_list_is_noticed_with_debug_assertions() {
    step_with_a_wrong_list(100, |world, bodies| {
        world.step_changed(bodies, ChangedRows::NONE).expect("valid bodies");
    });
}

/// One of five rows is so many that all are stepped.
#[test]
#[cfg(debug_assertions)]
#[should_panic = "row 3 changed, but is not in `changed`"]
fn a_wrong_list_is_noticed_if_all_rows_are_stepped() {
    step_with_a_wrong_list(5, |world, bodies| {
        world.step(bodies).expect("valid bodies");
    });
}

#[test]
fn the_ids_of_a_failed_step_are_in_no_later_one() {
    let (mut world, half) = (world(WorldConfig::new().with_contact_tracking(true)), [0.5f32, 0.5]);
    let reader = world.reader();
    let ids: Vec<u64> = (0..200).collect();
    let mut centers: Vec<[f32; 2]> = (0..200).map(|k| [k as f32 * 3.0, 0.0]).collect();
    for _ in 0..4 {
        centers[7][1] += 0.01;
        world.step_changed(Bodies::uniform(&centers, half).with_ids(&ids), &[7]).expect("valid bodies");
    }
    let mut twice = ids.clone();
    (twice[50], twice[60]) = (12345, 12345);
    let error = world.step(Bodies::uniform(&centers, half).with_ids(&twice)).expect_err("an id is there twice");
    assert!(matches!(error, Error::DuplicateBodyId { id: 12345, .. }), "{error}");
    for _ in 0..4 {
        centers[7][1] += 0.01;
        let contacts = world.step_changed(Bodies::uniform(&centers, half).with_ids(&ids), &[7]).expect("valid bodies");
        assert_eq!((contacts.body_id(50), reader.latest().body_id(60)), (Some(50), Some(60)));
    }
}

#[test]
fn a_panic_of_the_callers_function_changes_nothing() {
    let (mut world, half) = (sequential(), [0.5f32, 0.5]);
    let mut centers: Vec<[f32; 2]> = (0..100).map(|k| [k as f32 * 3.0, 0.0]).collect();
    let id = |row: usize| row as u64;
    let bodies = Bodies::uniform(&centers, half);
    world.step_changed(bodies.with_ids_by(&id), ChangedRows::NONE).expect("valid bodies");
    centers[7] = [1.0, 0.0];
    centers.pop();
    let panics = |row: usize| if row == 7 { panic!("no id") } else { row as u64 };
    let step = std::panic::AssertUnwindSafe(|| {
        _ = world.step_changed(Bodies::uniform(&centers, half).with_ids_by(&panics), &[7]);
    });
    assert!(std::panic::catch_unwind(step).is_err());
    assert_eq!((world.contacts().body_count(), world.contacts().body_pairs().len()), (100, 0));
    assert_eq!(world.aabb(7), Some([20.5, -0.5, 21.5, 0.5]));
    let bodies = Bodies::uniform(&centers, half);
    let contacts = world.step_changed(bodies.with_ids_by(&id), &[7]).expect("valid bodies");
    assert_eq!(contacts.changed_pairs(), [Pair { a: 0, b: 7 }]);
}

#[test]
fn pairs_of_a_row_that_meets_all_others_are_passed_once() {
    // More pairs in a span of rows than sixteen bits count.
    let (count, half) = (1500usize, [0.5f32, 0.5]);
    let mut centers = vec![[0.0f32, 0.0]; count];
    centers[7] = [9.0, 0.0];
    let mut world = sequential();
    world.step_changed(Bodies::uniform(&centers, half), ChangedRows::NONE).expect("valid bodies");
    centers[7] = [0.25, 0.0];
    let contacts = world.step_changed(Bodies::uniform(&centers, half), &[7]).expect("valid bodies");
    assert_eq!((contacts.changed_pairs().len(), contacts.body_pairs().len()), (count - 1, count * (count - 1) / 2));
    let mut met = vec![0u32; count];
    contacts
        .par_for_each_pair_mut(&mut met, |_, a, b| {
            *a += 1;
            *b += 1;
        })
        .expect("a column of all rows");
    assert!(met.iter().all(|&met| met as usize == count - 1));
}

#[test]
fn a_body_with_many_pairs_leaves_no_memory_in_the_rows_that_it_had() {
    let count = 5000;
    let mut centers: Vec<[f32; 2]> = (0..count).map(|k| [(k % 70) as f32 * 3.0, (k / 70) as f32 * 3.0]).collect();
    let mut half = vec![[0.5f32, 0.5]; count];
    half[0] = [1e4, 1e4];
    let mut world = world(WorldConfig::new().with_partner_lists(true));
    let (mut at, mut bytes) = (0, Vec::new());
    for step in 0..2 * count / 64 {
        let to = step * 64 % count;
        centers.swap(at, to);
        half.swap(at, to);
        let contacts = world.step_changed(Bodies::new(&centers, &half), &[at as u32, to as u32]).expect("valid bodies");
        assert_eq!(contacts.body_pairs().len(), count - 1);
        at = to;
        bytes.push(world.report().pair_bytes);
    }
    assert!(bytes[bytes.len() - 1] < 3 * bytes[2], "{bytes:?}");
    world.shrink_to_fit();
    assert!(world.report().pair_bytes < bytes[2], "{} of {bytes:?}", world.report().pair_bytes);
    assert_eq!(world.contacts().body_pairs().len(), count - 1);
}

#[test]
fn many_rows_that_appear_at_once_are_stepped_as_a_whole() {
    let (mut world, half) = (sequential(), [0.5f32, 0.5]);
    world.step_changed(Bodies::uniform(&[[0.0f32; 2]; 0], half), ChangedRows::NONE).expect("no bodies");
    let centers: Vec<[f32; 2]> = (0..5000).map(|k| [k as f32 * 0.9, 0.0]).collect();
    let contacts = world.step_changed(Bodies::uniform(&centers, half), ChangedRows::NONE).expect("valid bodies");
    assert_eq!(contacts.changed_pairs().len(), 4999);
    // They were filed in bands, not one by one.
    assert_eq!(world.report().grids.iter().map(|grid| grid.body_count).sum::<usize>(), 5000);
}

/// Steps without changes are repeated, but not when it is time to file all rows again.
#[test]
fn readers_do_not_affect_when_rows_are_filed() {
    let mut worlds = [sequential(), sequential()];
    let _reader = worlds[1].reader();
    let mut centers: Vec<[f32; 2]> = (0..100).map(|k| [k as f32 * 3.0, 0.0]).collect();
    let mut filed = 0;
    for frame in 0..60 {
        // Rows leave their cells in one step and settle in the next; in the third nothing changes.
        let first = 4 * (frame / 3);
        let changed: Vec<u32> = if frame % 3 == 1 { (first..first + 4).map(|row| row % 100).collect() } else { vec![] };
        changed.iter().for_each(|&row| centers[row as usize][1] += 50.0);
        let found = worlds.each_mut().map(|world| {
            world.step_changed(Bodies::uniform(&centers, [0.5f32, 0.5]), &changed).expect("valid bodies");
            let mut order = Vec::new();
            world.spatial_order(&mut order);
            (world.report().filed_steps_ago, order)
        });
        assert_eq!(found[0], found[1], "frame {frame}");
        filed += usize::from(frame > 0 && found[0].0 == 0);
    }
    assert!(filed > 0, "all rows were filed again");
}
