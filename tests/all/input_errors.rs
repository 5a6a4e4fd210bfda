//! Invalid input: each kind is an error that names row, column and value and keeps the last
//! successful step, or, under `InvalidRows::Skip`, is skipped and listed. Zero sizes and edges that
//! round to infinity are valid.

use triphase::{Bodies, Column, Contacts, Error, Hit, InvalidRow, InvalidRows, SettingValue, World, WorldConfig};
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, ExpectedPairs, FoundPairs, Shape, hits, sequential, world};

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

const WALLS: [[f32; 4]; 3] = [[0.0, 0.0, 9.0, 1.0], [20.0, 20.0, 21.0, 40.0], [3.0, 3.0, 5.0, 5.0]];

/// Everything that a caller can read from a world.
fn view(world: &World) -> (FoundPairs, Vec<Hit>, usize, Vec<Option<u64>>) {
    let contacts = world.contacts();
    let ids = (0..contacts.body_count() as u32 + 1).map(|row| contacts.body_id(row)).collect();
    (FoundPairs::new(contacts), hits(world, [-1e30, -1e30, 1e30, 1e30]), contacts.body_count(), ids)
}

/// A crowd in each shape, with displacements and ids.
fn crowds(count: usize) -> [Columns; 3] {
    let mut random = SplitMix64::new(21);
    let side = (count as f32).sqrt();
    let centers: Vec<_> = (0..count).map(|_| random.point(0.0, side)).collect();
    let half_extents: Vec<_> = (0..count).map(|_| random.point(0.3, 0.5)).collect();
    let aabbs = centers.iter().zip(&half_extents).map(|(c, h)| [c[0] - h[0], c[1] - h[1], c[0] + h[0], c[1] + h[1]]);
    let columns = [
        Columns::new(centers.clone(), half_extents.clone()),
        Columns::uniform(centers.clone(), [0.5, 0.4]),
        Columns::aabbs(aabbs.collect()),
    ];
    columns.map(|columns| Columns {
        displacements: Some((0..count).map(|_| random.point(-0.2, 0.2)).collect()),
        ids: Some((0..count as u64).map(|row| row << 33 | 1).collect()),
        ..columns
    })
}

/// Puts `value` into a column and returns whether there is such a column.
fn corrupt(columns: &mut Columns, row: usize, place: Column, axis: usize, value: f32) -> bool {
    match (place, &mut columns.shape) {
        (Column::Center, Shape::Centers { centers, .. } | Shape::Uniform { centers, .. }) => centers[row][axis] = value,
        (Column::HalfExtent, Shape::Centers { half_extents, .. }) => half_extents[row][axis] = value,
        (Column::Min, Shape::Aabbs(aabbs)) => aabbs[row][axis] = value,
        (Column::Max, Shape::Aabbs(aabbs)) => aabbs[row][axis + 2] = value,
        (Column::Displacement, _) => match &mut columns.displacements {
            Some(displacements) => displacements[row][axis] = value,
            None => return false,
        },
        _ => return false,
    }
    true
}

/// Every way to corrupt a row: column, axis, value.
fn corruptions() -> impl Iterator<Item = (Column, usize, f32)> + Clone {
    let bad =
        [(Column::Center, &[NAN, INF, -INF][..]), (Column::HalfExtent, &[NAN, INF, -INF, -1.0, -1e-45, f32::MIN])];
    let boxes = [(Column::Min, &[NAN, INF, -INF][..]), (Column::Max, &[NAN, INF, -INF, -1e9])];
    let columns = bad.into_iter().chain(boxes).chain([(Column::Displacement, &[NAN, INF, -INF][..])]);
    columns.flat_map(|(column, values)| values.iter().flat_map(move |&v| [(column, 0, v), (column, 1, v)]))
}

fn assert_bad(bad: &InvalidRow, row: usize, (column, axis, value): (Column, usize, f32)) {
    assert_eq!((bad.row, bad.column, bad.axis), (row as u32, column, axis), "{bad}");
    assert!(bad.value.to_bits() == value.to_bits() || bad.value.is_nan() && value.is_nan(), "{bad}");
}

#[test]
fn invalid_row_is_named_and_the_last_step_kept() {
    // Without displacements too: the boxes of a motion are checked a second time.
    for good in crowds(61).into_iter().flat_map(|crowd| [crowd.clone(), Columns { displacements: None, ..crowd }]) {
        let mut world = sequential();
        world.set_statics(&WALLS).unwrap();
        world.step(good.bodies()).unwrap();
        let before = view(&world);
        assert!(!before.0.bodies.is_empty() && !before.0.statics.is_empty());
        for culprit @ (column, axis, value) in corruptions() {
            for row in [0, 31, 60] {
                let mut bad = good.clone();
                if !corrupt(&mut bad, row, column, axis, value) {
                    continue;
                }
                let Err(error) = world.step(bad.bodies()) else { panic!("{column} {axis} {value} was accepted") };
                let Error::InvalidBody(named) = &error else { panic!("{column} {axis} {value}: {error}") };
                assert_bad(named, row, culprit);
                assert_eq!(view(&world), before, "after {error}");
            }
        }
        // The next valid step is as if there had been no invalid one.
        let mut fresh = sequential();
        fresh.set_statics(&WALLS).unwrap();
        assert_eq!(
            FoundPairs::new(world.step(good.bodies()).unwrap()),
            FoundPairs::new(fresh.step(good.bodies()).unwrap())
        );
        assert!(world.skipped_rows().is_empty());
    }
}

#[test]
fn invalid_uniform_half_extent_is_named() {
    let centers = [[0.0f32, 0.0], [0.5, 0.0]];
    for (axis, value) in [(0, NAN), (1, INF), (0, -1.0), (1, -1e-45)] {
        let mut half_extents = [0.5; 2];
        half_extents[axis] = value;
        let mut world = sequential();
        match world.step(Bodies::uniform(&centers, half_extents)) {
            Err(Error::InvalidBody(bad)) => assert_bad(&bad, 0, (Column::HalfExtent, axis, value)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn lowest_invalid_row_is_named_at_any_thread_count() {
    for good in crowds(20_000) {
        let mut bad = good.clone();
        for row in [19_999, 17_000, 12_345, 12_346, 15_000] {
            assert!(corrupt(&mut bad, row, Column::Displacement, 1, NAN));
        }
        let expect = |result: Result<Contacts<'_>, Error>| match result {
            Err(Error::InvalidBody(named)) => assert_bad(&named, 12_345, (Column::Displacement, 1, NAN)),
            other => panic!("{other:?}"),
        };
        expect(sequential().step(bad.bodies()));
        // Rows are numbered through all chunks, empty ones too.
        let chunks = [(0, 1), (1, 1), (1, 12_000), (12_000, 13_000), (13_000, 20_000)];
        let chunks = chunks.map(|(from, to)| bad.rows(from, to));
        expect(sequential().step(chunks));
        #[cfg(feature = "parallel")]
        for pool in triphase_tests::pools() {
            pool.install(|| {
                for _ in 0..5 {
                    expect(World::default().step(bad.bodies()));
                    expect(World::default().step(chunks));
                }
            });
        }
    }
}

#[test]
fn skipped_rows_have_no_pairs_and_are_listed() {
    for good in crowds(3000) {
        let mut bad = good.clone();
        let mut spoils = corruptions().cycle();
        let mut culprits = Vec::new();
        for row in [0, 1, 7, 500, 501, 502, 503, 504, 1999, 2000, 2500, 2998, 2999] {
            let culprit = spoils.by_ref().find(|&(column, axis, v)| corrupt(&mut bad, row, column, axis, v)).unwrap();
            culprits.push((row, culprit));
        }
        let rows: Vec<u32> = culprits.iter().map(|&(row, _)| row as u32).collect();
        let expected_pairs = ExpectedPairs::new(&good.boxes(), &WALLS).exclude_bodies(&rows);

        let config = || WorldConfig::new().with_invalid_rows(InvalidRows::Skip);
        let expect = |world: &mut World| {
            world.set_statics(&WALLS).unwrap();
            let contacts = world.step(bad.bodies()).unwrap();
            assert_eq!(contacts.body_count(), 3000, "rows keep their numbers");
            assert_eq!(contacts.body_id(500), Some(500 << 33 | 1));
            let found = FoundPairs::new(contacts);
            expected_pairs.compare(&found).unwrap();
            assert_eq!(world.skipped_rows().len(), culprits.len());
            for (skipped, &(row, culprit)) in world.skipped_rows().iter().zip(&culprits) {
                assert_bad(skipped, row, culprit);
            }
            assert_eq!(world.report().skipped_count, culprits.len());
            let found = hits(world, [-1e30, -1e30, 1e30, 1e30]);
            let bodies = found.iter().filter_map(|hit| if let Hit::Body { row, .. } = hit { Some(*row) } else { None });
            assert!(bodies.eq((0..3000).filter(|row| !rows.contains(row))), "queries do not meet skipped rows");
            found
        };
        let first = expect(&mut world(config().with_parallel_threshold(None)));
        let mut used = world(config().with_parallel_threshold(None));
        expect(&mut used);
        // A step of valid rows clears the list; a step of invalid rows alone is empty.
        used.step(good.bodies()).unwrap();
        assert!(used.skipped_rows().is_empty() && used.report().skipped_count == 0);
        assert_eq!(used.step(Bodies::uniform(&[[NAN, 0.0f32]; 40], [1.0; 2])).unwrap().body_pairs().len(), 0);
        assert_eq!(used.skipped_rows().len(), 40);
        assert_eq!(expect(&mut used), first, "whatever was stepped before");
        #[cfg(feature = "parallel")]
        for pool in triphase_tests::pools() {
            assert_eq!(pool.install(|| expect(&mut world(config().with_parallel_threshold(0)))), first, "{pool:?}");
        }
    }
}

#[test]
fn skipping_rows_keeps_other_errors() {
    let centers = [[0.0f32, 0.0]; 3];
    let mut world =
        world(WorldConfig::new().with_parallel_threshold(None).with_invalid_rows(InvalidRows::Skip).with_pair_limit(2));
    let result = world.step(Bodies::new(&centers, &[[1.0f32; 2]; 2])).map(|_| ());
    assert!(matches!(result, Err(Error::ColumnLengthMismatch { .. })), "{result:?}");
    let result = world.step(Bodies::uniform(&centers, [1.0; 2])).map(|_| ());
    assert_eq!(result, Err(Error::TooManyPairs { limit: 2 }));
    let result = world.set_statics(&[[0.0, NAN, 1.0, 1.0]]);
    assert!(matches!(result, Err(Error::InvalidStatic(_))), "{result:?}");
}

#[test]
fn column_length_mismatch_is_named() {
    let (four, five) = ([[1.0f32, 2.0]; 4], [[1.0f32, 2.0]; 5]);
    let good = Bodies::new(&four, &four);
    let cases = [
        (Bodies::new(&four, &five), Column::HalfExtent, 4, 5),
        (Bodies::new(&five, &four), Column::HalfExtent, 5, 4),
        (Bodies::new(&four, &four[..0]), Column::HalfExtent, 4, 0),
        (good.with_displacements(&five), Column::Displacement, 4, 5),
        (Bodies::uniform(&four, [1.0; 2]).with_displacements(&four[..3]), Column::Displacement, 4, 3),
        (Bodies::from_aabbs(&[[0.0f32; 4]; 2]).with_displacements(&four), Column::Displacement, 2, 4),
        (good.with_ids(&[1, 2, 3]), Column::Id, 4, 3),
        (Bodies::from_aabbs(&[[0.0f32; 4]; 2]).with_ids(&[1, 2, 3]), Column::Id, 2, 3),
    ];
    for (bodies, column, expected, found) in cases {
        let mut world = sequential();
        world.step(good).unwrap();
        let before = view(&world);
        for chunk in [0, 2] {
            let chunks = [[bodies, good, good], [good, good, bodies]][chunk / 2];
            let error = world.step(chunks).map(|_| ()).unwrap_err();
            assert_eq!(error, Error::ColumnLengthMismatch { chunk: Some(chunk), column, expected, found });
            assert_eq!(view(&world), before);
        }
    }
}

#[test]
fn column_lengths_are_checked_before_values() {
    let mut world = sequential();
    let bad = [[NAN, 0.0]];
    let result = world.step([Bodies::uniform(&bad, [1.0; 2]), Bodies::uniform(&bad, [1.0; 2]).with_ids(&[])]);
    assert!(matches!(
        result,
        Err(Error::ColumnLengthMismatch { chunk: Some(1), column: Column::Id, expected: 1, found: 0 })
    ));
}

#[test]
fn ids_in_some_chunks_alone_are_refused() {
    let centers = [[0.0f32, 0.0]; 2];
    let plain = Bodies::uniform(&centers, [1.0; 2]);
    let named = plain.with_ids(&[7, 8]);
    let mut world = sequential();
    world.step(named).unwrap();
    let before = view(&world);
    for (chunks, chunk) in [
        (&[named, plain][..], 1),
        (&[plain, named], 1),
        (&[named, named, plain, plain], 2),
        (&[plain, plain, named], 2),
    ] {
        let error = world.step(chunks).map(|_| ()).unwrap_err();
        assert_eq!(error, Error::InconsistentIds { chunk });
        assert_eq!(view(&world), before);
    }
    let contacts = world.step([named, named]).unwrap();
    assert_eq!([0, 1, 2, 3, 4].map(|row| contacts.body_id(row)), [Some(7), Some(8), Some(7), Some(8), None]);
}

#[test]
fn pair_limit_is_inclusive() {
    // 40 bodies in one spot make 780 pairs, and 3 walls there 120 more. The limit counts both.
    let centers = [[0.5f32, 0.5]; 40];
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    let walls = [[0.0f32, 0.0, 1.0, 1.0]; 3];
    for (statics, pairs) in [(&walls[..0], 780), (&walls[..], 900)] {
        for (limit, fine) in [(pairs, true), (pairs + 1, true), (pairs - 1, false), (1, false), (0, false)] {
            let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(limit));
            world.set_statics(statics).unwrap();
            world.step(Bodies::uniform(&centers[..1], [0.5, 0.5])).map(|_| ()).unwrap_or_else(|_| assert!(limit < 3));
            let before = view(&world);
            let result = world.step(bodies).map(|found| found.body_pairs().len() + found.static_pairs().len());
            if fine {
                assert_eq!(result, Ok(pairs));
            } else {
                let error = result.unwrap_err();
                assert_eq!(error, Error::TooManyPairs { limit });
                assert_eq!(view(&world), before);
            }
        }
    }
    let mut none = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(0));
    assert_eq!(none.step(Bodies::uniform(&[[0.0f32, 0.0], [5.0, 5.0]], [1.0; 2])).unwrap().body_pairs().len(), 0);
}

#[test]
fn pair_limit_counts_every_tier_at_any_thread_count() {
    let mut random = SplitMix64::new(23);
    let rows: Vec<_> = (0..6000)
        .map(|k| {
            let half = if k % 50 == 0 { 8.0 } else { 0.5 };
            (random.point(0.0, 90.0), [half, half])
        })
        .collect();
    let columns = Columns::from_rows(&rows);
    let expected_pairs = ExpectedPairs::new(&columns.boxes(), &WALLS);
    let pairs = expected_pairs.bodies.len() + expected_pairs.statics.len();
    assert!(expected_pairs.bodies.len() > 1000 && expected_pairs.statics.len() > 10);
    let try_limit = |limit: usize, config: WorldConfig| {
        let mut world = world(config.with_pair_limit(limit));
        world.set_statics(&WALLS).unwrap();
        world.step(columns.bodies()).map(FoundPairs::new)
    };
    let check = |config: WorldConfig| {
        expected_pairs.compare(&try_limit(pairs, config.clone()).unwrap()).unwrap();
        for limit in
            [pairs - 1, expected_pairs.bodies.len(), expected_pairs.bodies.len() - 1, expected_pairs.statics.len(), 100]
        {
            assert_eq!(try_limit(limit, config.clone()), Err(Error::TooManyPairs { limit }));
        }
    };
    check(WorldConfig::new().with_parallel_threshold(None));
    #[cfg(feature = "parallel")]
    for pool in triphase_tests::pools() {
        pool.install(|| check(WorldConfig::new().with_parallel_threshold(0)));
    }
}

#[test]
fn invalid_config_is_named() {
    let new = WorldConfig::new;
    let cases = [
        (new().with_bound(NAN), "bound", NAN),
        (new().with_bound(-1.0), "bound", -1.0),
        (new().with_bound(INF), "bound", INF),
        (new().with_bounds([1.0, 0.5]), "bound", 0.5),
        (new().with_bounds([0.1, NAN, 0.5]), "bound", NAN),
        (new().with_bounds([0.5; 9]), "number of bounds", 9.0),
        (new().with_bounds(std::iter::repeat(0.5)), "number of bounds", 9.0),
        (new().with_cell_size(0.0), "cell_size", 0.0),
        (new().with_cell_size(-1.0), "cell_size", -1.0),
        (new().with_cell_size(NAN), "cell_size", NAN),
        (new().with_cell_size(INF), "cell_size", INF),
    ];
    for (config, name, given) in cases {
        let Err(error) = World::new(config) else { panic!("{name} of {given} was accepted") };
        let Error::InvalidConfig { setting, value, .. } = error else { panic!("{error}") };
        assert_eq!(setting, name);
        match value {
            SettingValue::Length(value) => assert!(value == given || value.is_nan() && given.is_nan(), "{name}"),
            SettingValue::Count(value) => assert_eq!(value, given as u64, "{name}"),
            _ => panic!("{error}"),
        }
    }
    for good in [new().with_bound(0.0), new().with_bounds([0.5; 8]), new().with_bounds([]), new().with_cell_size(1e-45)]
    {
        assert!(World::new(good).is_ok());
    }
}

#[test]
fn invalid_static_is_named_and_the_old_set_kept() {
    let good = Columns::uniform(vec![[1.0, 1.0], [1.5, 1.5], [20.0, 30.0]], [0.5; 2]);
    let mut world = sequential();
    world.set_statics(triphase::Statics::new(&WALLS).with_ids(&[10, 11, 12])).unwrap();
    world.step(good.bodies()).unwrap();
    let before = view(&world);
    assert!(!before.0.statics.is_empty());
    for (place, column, axis) in [(0, Column::Min, 0), (1, Column::Min, 1), (2, Column::Max, 0), (3, Column::Max, 1)] {
        let inverted = if column == Column::Max { &[-1e9][..] } else { &[] };
        for &value in [NAN, INF, -INF].iter().chain(inverted) {
            let mut walls = vec![[0.0, 0.0, 1.0, 1.0]; 50];
            walls[40][place] = value;
            walls[30][place] = value;
            let Err(error) = world.set_statics(&walls) else { panic!("{column} {axis} of {value} was accepted") };
            let Error::InvalidStatic(bad) = &error else { panic!("{error}") };
            assert_bad(bad, 30, (column, axis, value));
            assert_eq!(view(&world), before);
        }
    }
    let error = world.set_statics(triphase::Statics::new(&WALLS).with_ids(&[10, 11])).unwrap_err();
    assert_eq!(error, Error::StaticColumnLengthMismatch { column: Column::Id, expected: 3, found: 2 });
    assert_eq!(view(&world), before);
    assert_eq!(FoundPairs::new(world.step(good.bodies()).unwrap()), before.0, "the next step uses the old set");
}

#[test]
fn static_row_out_of_range_is_named() {
    let mut world = sequential();
    assert_eq!(world.set_static_enabled(0, true), Err(Error::StaticOutOfRange { row: 0, count: 0 }));
    world.set_statics(&WALLS).unwrap();
    for row in [3, 4, u32::MAX] {
        let error = world.set_static_enabled(row, false).unwrap_err();
        assert_eq!(error, Error::StaticOutOfRange { row, count: 3 });
    }
    assert_eq!([world.set_static_enabled(2, false), world.set_static_enabled(2, false)], [Ok(true), Ok(false)]);
    assert_eq!([world.set_static_enabled(2, true), world.set_static_enabled(2, true)], [Ok(false), Ok(true)]);
}

#[test]
fn refused_changes_of_statics_keep_the_set() {
    let good = Columns::uniform(vec![[1.0, 1.0], [1.5, 1.5], [20.0, 30.0]], [0.5; 2]);
    let ids = [10, 11, 12];
    for set_has_ids in [false, true] {
        let with_ids = triphase::Statics::new(&WALLS).with_ids(&ids);
        let (set, other) =
            if set_has_ids { (with_ids, WALLS.as_slice().into()) } else { (WALLS.as_slice().into(), with_ids) };
        let mut world = sequential();
        world.set_statics(set).unwrap();
        world.step(good.bodies()).unwrap();
        let before = view(&world);
        assert!(!before.0.statics.is_empty());
        for rows in [&[][..], &[0], &[2, 1], &[0, 1, 2, 2]] {
            let mismatch = Error::StaticCountMismatch { row_count: rows.len(), static_count: 3 };
            assert_eq!(world.replace_statics(rows, set), Err(mismatch));
        }
        let inconsistent = Error::InconsistentStaticIds { set_has_ids };
        assert_eq!(world.insert_statics(other), Err(inconsistent.clone()));
        assert_eq!(world.replace_statics(&[2, 1, 0], other), Err(inconsistent));
        assert_eq!((view(&world), world.statics().changed_count()), (before, 0));
        // No statics fit any set.
        assert_eq!(world.insert_statics(triphase::Statics::default()), Ok(3..3));
        assert_eq!(world.replace_statics(&[], triphase::Statics::default()), Ok(()));
    }
}

#[test]
fn replaced_statics_have_no_pairs_until_the_next_step() {
    let good = Columns::uniform(vec![[1.0, 1.0], [1.5, 1.5], [20.0, 30.0]], [0.5; 2]);
    let mut world = sequential();
    world.set_statics(&WALLS).unwrap();
    let first = FoundPairs::new(world.step(good.bodies()).unwrap());
    assert!(!first.statics.is_empty());

    world.set_statics(&[[1.0f32, 1.0, 2.0, 2.0]]).unwrap();
    assert_eq!((world.contacts().static_pairs().len(), world.contacts().static_pages().count()), (0, 0));
    assert_eq!(FoundPairs::new(world.contacts()).bodies, first.bodies, "the pairs of bodies are not touched");
    assert!(hits(&world, [2.0, 2.0, 2.0, 2.0]).contains(&Hit::Static { row: 0, id: None }), "queries see the new set");
    assert!(world.step(Bodies::uniform(&[[NAN, 0.0f32]], [1.0; 2])).is_err());
    assert_eq!(world.contacts().static_pairs().len(), 0, "nor does a refused step bring any back");
    assert_eq!(FoundPairs::new(world.step(good.bodies()).unwrap()).statics.len(), 2);

    // Queries stop finding a disabled static at once, steps from the next one on.
    world.set_static_enabled(0, false).unwrap();
    assert_eq!(world.contacts().static_pairs().len(), 2);
    assert!(!hits(&world, [2.0, 2.0, 2.0, 2.0]).iter().any(|hit| matches!(hit, Hit::Static { .. })));
    assert_eq!(world.step(good.bodies()).unwrap().static_pairs().len(), 0);
    world.set_static_enabled(0, true).unwrap();
    assert_eq!(world.step(good.bodies()).unwrap().static_pairs().len(), 2);
    // All statics of a new set are enabled.
    world.set_static_enabled(0, false).unwrap();
    world.set_statics(&[[1.0f32, 1.0, 2.0, 2.0]]).unwrap();
    assert_eq!(world.step(good.bodies()).unwrap().static_pairs().len(), 2);
    world.set_statics(&[[0.0f32; 4]; 0]).unwrap();
    assert_eq!(world.step(good.bodies()).unwrap().static_pairs().len(), 0);
}

#[test]
fn overflowing_displacement_is_valid() {
    let centers = [[f32::MAX, 0.0], [-f32::MAX, 0.0], [0.0, 0.0]];
    let displacements = [[f32::MAX, 0.0], [-f32::MAX, -f32::MAX], [f32::MAX, f32::MAX]];
    let columns = Columns::uniform(centers.to_vec(), [1.0; 2]).with_displacements(displacements.to_vec());
    let expected_pairs = ExpectedPairs::new(&columns.boxes(), &[]);
    let mut world = sequential();
    expected_pairs.compare(&FoundPairs::new(world.step(columns.bodies()).unwrap())).unwrap();
    // Also for bodies given by boxes: no edge becomes NaN.
    let boxes = vec![[f32::MAX, 0.0, f32::MAX, 1.0], [-f32::MAX, -1.0, f32::MAX, 0.0], [0.0, 0.0, 1.0, 1.0]];
    let columns = Columns::aabbs(boxes).with_displacements(displacements.to_vec());
    let expected_pairs = ExpectedPairs::new(&columns.boxes(), &[]);
    expected_pairs.compare(&FoundPairs::new(world.step(columns.bodies()).unwrap())).unwrap();
}

#[test]
fn errors_are_send_and_static() {
    fn held<T: std::error::Error + Send + Sync + 'static>(_: &T) {}
    held(&Error::TooManyPairs { limit: 1 });
    held(&triphase::Aabb::new([0.0, 1.0], [1.0, 0.0]).unwrap_err());
}
