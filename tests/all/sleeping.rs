//! Bodies with the `asleep` column: pairs and queries are those of all bodies, whatever the hints
//! say.

use triphase::{Bodies, Column, Error, Filter, InvalidRows, Statics, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::query_oracle::{Probe, QueryOracle, check_snapshot, run_queries};
use triphase_tests::{
    Columns, ExpectedPairs, FoundPairs, SleepCheck, SleepSchedule, WorldSet, has_grids_for_orientations, scene_columns,
    sequential, wide_among_tall, world,
};

const SEED: u64 = 0x51ee9;

#[test]
fn sleepers_in_moving_scenes_match_brute_force() {
    for name in [
        SceneName::Sleepers,
        SceneName::Churn,
        SceneName::Gravity,
        SceneName::Brownian,
        SceneName::Castles,
        SceneName::Dragons,
        SceneName::PowerLaw,
        SceneName::WideAndTall,
        SceneName::LineX,
        SceneName::Ulp,
        SceneName::Bullets,
        SceneName::Coincident,
    ] {
        let mut scene = Scene::new(name, 1500, SEED);
        let mut check = SleepCheck::new(WorldConfig::new(), &scene.statics);
        let mut schedule = SleepSchedule::default();
        for frame in 0..21 {
            scene.advance();
            // The same bodies move for some frames, then others.
            let (columns, asleep) = schedule.columns(&scene, 16, frame / 7);
            let label = format!("{name}, frame {frame}");
            check.step(&label, &columns, &asleep, &[]);
            if frame % 5 == 4 {
                check.query(&label, &columns, &[], 4);
            }
        }
        assert!(check.cached_max > 900, "{name}: at most {} were cached", check.cached_max);
    }
}

#[test]
fn sleeping_wide_bodies_among_tall_ones_match_brute_force() {
    let mut random = SplitMix64::new(SEED);
    let mut columns = wide_among_tall(9000, &mut random);
    let mut plain = world(WorldConfig::new());
    plain.step(columns.bodies()).unwrap();
    assert!(has_grids_for_orientations(&plain), "{}", plain.report());
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    for frame in 0..6 {
        let asleep: Vec<bool> = (0..9000).map(|row| row % 20 != 0).collect();
        columns.centers_mut().iter_mut().step_by(20).for_each(|center| center[0] += 0.1);
        let label = format!("frame {frame}");
        check.step(&label, &columns, &asleep, &[]);
        check.query(&label, &columns, &[], 4);
    }
    assert!(check.cached_max > 8000, "at most {} were cached", check.cached_max);
}

/// The second class has no bodies, so the tables of its band are memory that an earlier step used.
#[test]
fn oversized_bodies_awake_among_sleepers_without_large_ones_match_brute_force() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_bounds([0.5, 0.5]));
    for (frame, (count, shift)) in
        [(713, 0.0), (8, 1.0), (8, 1.0), (713, 2.0), (8, 1.0), (8, 1.0)].into_iter().enumerate()
    {
        let small = |k: usize| {
            let [x, y] = [(k % 40) as f32 * 4.0, (k / 40) as f32 * 4.0 + shift];
            [x, y, x + 0.5, y + 0.5]
        };
        let boxes: Vec<[f32; 4]> = std::iter::once([0.0, 0.0, 500.0, 500.0]).chain((1..count).map(small)).collect();
        let asleep: Vec<bool> = (0..count).map(|row| row != 0).collect();
        let bodies = Bodies::from_aabbs(&boxes).with_asleep(&asleep);
        let found = worlds.each(|world| FoundPairs::new(world.step(bodies).unwrap()));
        ExpectedPairs::new(&boxes, &[]).compare(&found).unwrap_or_else(|error| panic!("frame {frame}: {error}"));
    }
}

#[test]
fn sleepers_are_independent_of_settings() {
    let configs = [
        WorldConfig::new().with_bounds([0.4, 0.5]),
        WorldConfig::new().with_bound(0.1),
        WorldConfig::new().with_cell_size(7.0),
    ];
    for (k, config) in configs.into_iter().enumerate() {
        let mut scene = Scene::new(SceneName::Castles, 1500, SEED + 1);
        let mut check = SleepCheck::new(config, &scene.statics);
        let mut schedule = SleepSchedule::default();
        for frame in 0..12 {
            scene.advance();
            let (columns, asleep) = schedule.columns(&scene, 12, frame / 6);
            let label = format!("settings {k}, frame {frame}");
            check.step(&label, &columns, &asleep, &[]);
            check.query(&label, &columns, &[], 1);
        }
        // Oversized bodies are never cached.
        assert!(check.cached_max > 1000 || k == 1, "settings {k}: at most {} were cached", check.cached_max);
    }
}

#[test]
fn wrong_asleep_hints_match_brute_force() {
    let mut random = SplitMix64::new(SEED);
    let mut scene = Scene::new(SceneName::Crowd, 2000, SEED + 2);
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    let mut schedule = SleepSchedule::default();
    for frame in 0..60 {
        scene.advance();
        let label = format!("frame {frame}");
        let (columns, mut asleep) = schedule.columns(&scene, 20, frame / 9);
        match frame / 15 {
            // All sleep, though some move.
            0 => asleep.fill(true),
            // One in nine is awake, though it does not move.
            1 => (0..3).for_each(|_| asleep[random.below(2000)] = false),
            2 => asleep.iter_mut().for_each(|asleep| *asleep = random.below(9) != 0),
            _ => asleep.fill(frame % 2 == 0),
        }
        check.step(&label, &columns, &asleep, &[]);
        check.query(&label, &columns, &[], 1);
    }
    assert!(check.cached_max > 1500);
}

#[test]
fn woken_body_leaves_no_pairs_behind() {
    // A row of overlapping bodies; one leaves and comes back.
    let mut centers: Vec<[f32; 2]> = (0..40).map(|k| [k as f32, 0.0]).collect();
    let mut check = SleepCheck::new(WorldConfig::new(), &[[-9.0, -9.0, 99.0, -0.4]]);
    let mut asleep = [true; 40];
    for frame in 0..16 {
        let away = (6..10).contains(&frame) || frame == 13;
        centers[7][1] = if away { 5.0 + frame as f32 } else { 0.0 };
        asleep[7] = !away;
        let columns = Columns::uniform(centers.clone(), [0.6, 0.6]);
        check.step(&format!("frame {frame}"), &columns, &asleep, &[]);
        let pairs = check.worlds.world().contacts().body_pairs().len();
        let static_pairs = check.worlds.world().contacts().static_pairs().len();
        assert_eq!((pairs, static_pairs), if away { (37, 39) } else { (39, 40) });
        check.query(&format!("frame {frame}"), &columns, &[], 3);
        if frame > 1 && away {
            assert_eq!(check.cached_count(), 39, "frame {frame}");
        }
    }
    assert_eq!(check.cached_max, 40);
}

#[test]
fn bodies_that_fell_asleep_are_cached_after_some_steps() {
    let mut scene = Scene::new(SceneName::Crowd, 2000, SEED + 13);
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    let mut schedule = SleepSchedule::default();
    let mut cached = Vec::new();
    for frame in 0..60 {
        scene.advance();
        // Twenty frames each; the bodies that moved before sleep in new places.
        let (columns, asleep) = schedule.columns(&scene, 20, frame / 20);
        check.step(&format!("frame {frame}"), &columns, &asleep, &[]);
        cached.push(check.cached_count());
    }
    for last in [19, 39, 59] {
        assert_eq!(cached[last], 1900, "frame {last}: {cached:?}");
    }
    // Not at once: caching costs a rebuild.
    assert!(cached[21] < 1900 && cached[22] < 1900, "{cached:?}");
}

#[test]
fn sleepers_with_changed_filters_match_brute_force() {
    let mut random = SplitMix64::new(SEED + 3);
    let mut scene = Scene::new(SceneName::Sleepers, 2000, SEED + 3);
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    let mut filters: Vec<Filter> = (0..2000).map(|row| Filter::new(1 << (row % 3), 0b111 ^ (1 << (row % 2)))).collect();
    for frame in 0..30 {
        scene.advance();
        if frame % 4 == 3 {
            (0..5).for_each(|_| {
                filters[random.below(2000)] = Filter::new(random.next_u64() as u32, random.next_u64() as u32)
            });
        }
        // With filters and without, for some frames each.
        let columns = scene_columns(&scene);
        let columns = if frame / 8 % 2 == 0 { Columns { filters: Some(filters.clone()), ..columns } } else { columns };
        check.step(&format!("frame {frame}"), &columns, &[true; 2000], &[]);
    }
    assert!(check.cached_max > 1500);
}

#[test]
fn sleepers_among_changed_statics_match_brute_force() {
    let mut scene = Scene::new(SceneName::Castles, 1500, SEED + 4);
    let walls = scene.statics.clone();
    let mut check = SleepCheck::new(WorldConfig::new(), &walls);
    let mut schedule = SleepSchedule::default();
    // A cache is used for some steps between changes, so that rebuilding it pays.
    for frame in 0..60u64 {
        scene.advance();
        match frame {
            10 => check.toggle_static(3),
            20..22 => (0..walls.len()).step_by(3).for_each(|row| check.toggle_static(row)),
            30 => check.set_statics(&walls[..walls.len() / 2]),
            40 => check.set_statics(&[]),
            50 => check.set_statics(&walls),
            _ => {}
        }
        if matches!(frame, 30 | 40 | 50) {
            assert_eq!(check.worlds.world().contacts().static_pairs().len(), 0, "until the next step");
        }
        let (columns, asleep) = schedule.columns(&scene, 16, 0);
        check.step(&format!("frame {frame}"), &columns, &asleep, &[]);
        check.query(&format!("frame {frame}"), &columns, &[], 1);
        if matches!(frame, 9 | 19 | 29 | 39 | 49 | 59) {
            assert!(check.cached_count() > 1300, "frame {frame}: statics are as they were");
        }
    }
}

#[test]
fn sleepers_and_static_filters_combine() {
    let scene = Scene::new(SceneName::Castles, 800, SEED + 5);
    let filters: Vec<Filter> = (0..scene.statics.len()).map(|row| Filter::new(1 << (row % 4), 3)).collect();
    let bodies: Vec<Filter> = (0..800).map(|row| Filter::new(1 << (row % 3), 5)).collect();
    let mut worlds = WorldSet::new(WorldConfig::new());
    worlds.each(|world| world.set_statics(Statics::new(&scene.statics).with_filters(&filters))).unwrap();
    let columns = Columns { filters: Some(bodies.clone()), ..scene_columns(&scene) };
    let expected_pairs = ExpectedPairs::new(&columns.boxes(), &scene.statics).filtered(Some(&bodies), Some(&filters));
    for _ in 0..4 {
        let asleep = vec![true; 800];
        let found = worlds.each(|world| FoundPairs::new(world.step(columns.bodies().with_asleep(&asleep)).unwrap()));
        expected_pairs.compare(&found).unwrap();
    }
    assert!(worlds.world().report().cached_count > 700 && !expected_pairs.statics.is_empty());
}

#[test]
fn sleepers_with_changing_row_counts_match_brute_force() {
    let full = Scene::new(SceneName::Dragons, 9000, SEED + 6);
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    for (frame, len) in
        [9000, 9000, 9000, 8200, 8200, 9000, 9000, 10, 10, 9000, 9000, 0, 0, 8100, 8100, 9000].into_iter().enumerate()
    {
        let mut columns = scene_columns(&full);
        let triphase_tests::Shape::Centers { centers, half_extents } = &mut columns.shape else { unreachable!() };
        centers.truncate(len);
        half_extents.truncate(len);
        if let Some(ids) = &mut columns.ids {
            ids.truncate(len);
        }
        // Another body takes the row of a sleeper.
        if frame % 3 == 2 && len > 100 {
            centers.swap(1, 50);
            half_extents.swap(1, 50);
        }
        let label = format!("frame {frame}, {len} rows");
        check.step(&label, &columns, &vec![true; len], &[]);
        check.query(&label, &columns, &[], 2);
    }
    assert!(check.cached_max > 8000);
}

#[test]
fn invalid_sleepers_are_skipped_or_refuse_the_step() {
    let scene = Scene::new(SceneName::Crowd, 1000, SEED + 7);
    for skip in [true, false] {
        let policy = if skip { InvalidRows::Skip } else { InvalidRows::Reject };
        let mut check = SleepCheck::new(WorldConfig::new().with_invalid_rows(policy), &[]);
        let good = scene_columns(&scene);
        let asleep = [true; 1000];
        for frame in 0..18 {
            let mut columns = good.clone();
            let triphase_tests::Shape::Centers { centers, half_extents } = &mut columns.shape else { unreachable!() };
            let bad: &[u32] = if frame % 6 == 4 { &[17, 400, 401] } else { &[] };
            for &row in bad {
                match row {
                    17 => centers[17][1] = f32::NAN,
                    row => half_extents[row as usize][0] = -0.1,
                }
            }
            let label = format!("skip {skip}, frame {frame}");
            if skip || bad.is_empty() {
                let label = &label;
                check.worlds.each(|world| {
                    let rows: Vec<u32> = match world.step(columns.bodies().with_asleep(&asleep)) {
                        Ok(_) => world.skipped_rows().iter().map(|bad| bad.row).collect(),
                        Err(error) => panic!("{label}: {error}"),
                    };
                    assert_eq!(rows, bad, "{label}");
                });
                if bad.is_empty() {
                    check.step(label, &columns, &asleep, bad);
                    check.query(label, &columns, bad, 1);
                } else {
                    let expected_pairs = ExpectedPairs::new(&good.boxes(), &[]).exclude_bodies(bad);
                    expected_pairs.compare(&FoundPairs::new(check.worlds.world().contacts())).unwrap();
                    check.query(label, &good, bad, 2);
                }
            } else {
                let error = check.worlds.each(|world| {
                    let error = world.step(columns.bodies().with_asleep(&asleep)).map(|_| ()).unwrap_err();
                    error.to_string()
                });
                assert!(error.contains("row 17"), "{error}");
                // The contacts are those of the last successful step.
                let expected_pairs = ExpectedPairs::new(&good.boxes(), &[]);
                expected_pairs.compare(&FoundPairs::new(check.worlds.world().contacts())).unwrap();
                check.query(&label, &good, &[], 2);
            }
        }
        assert!(check.cached_count() > 900);
    }
}

#[test]
fn invalid_box_with_an_unchanged_swept_box_is_refused() {
    // The box given is inverted, but its swept box is the one that was cached.
    let mut world = sequential();
    let (good, bad) = ([[5.0f32, 0.0, 7.0, 1.0]; 5], [[5.0f32, 0.0, 3.0, 1.0]; 5]);
    let (still, fast) = ([[0.0f32, 0.0]; 5], [[4.0f32, 0.0]; 5]);
    for _ in 0..4 {
        let bodies = Bodies::from_aabbs(&good).with_displacements(&still).with_asleep(&[true; 5]);
        assert_eq!(world.step(bodies).unwrap().body_pairs().len(), 10);
    }
    assert_eq!(world.report().cached_count, 5);
    let bodies = Bodies::from_aabbs(&bad).with_displacements(&fast).with_asleep(&[true; 5]);
    assert!(matches!(world.step(bodies), Err(Error::InvalidBody(_))));
    assert_eq!(world.contacts().body_pairs().len(), 10);
}

#[test]
fn cached_pairs_count_towards_the_pair_limit() {
    let mut scene = Scene::new(SceneName::Sleepers, 1500, SEED + 8);
    let pairs = sequential().step(scene_columns(&scene).bodies()).unwrap().body_pairs().len();
    let mut check = SleepCheck::new(WorldConfig::new().with_pair_limit(pairs + 100), &[]);
    let (mut before, mut refused) = (scene.clone(), 0);
    for frame in 0..30 {
        if frame > 3 {
            scene.advance();
        }
        let mut columns = scene_columns(&scene);
        let triphase_tests::Shape::Centers { centers, .. } = &mut columns.shape else { unreachable!() };
        let crowded = frame % 5 == 4;
        if crowded {
            // Some are moved to one place: too many pairs, though most are cached.
            (0..30).for_each(|row| centers[row] = centers[0]);
        }
        let asleep: Vec<bool> = centers.iter().zip(&before.centers).map(|(a, b)| a == b).collect();
        if crowded {
            let error =
                check.worlds.each(|world| world.step(columns.bodies().with_asleep(&asleep)).map(|_| ()).unwrap_err());
            assert_eq!(error, Error::TooManyPairs { limit: pairs + 100 });
            refused += 1;
            let columns = scene_columns(&before);
            let expected_pairs = ExpectedPairs::new(&columns.boxes(), &[]);
            expected_pairs.compare(&FoundPairs::new(check.worlds.world().contacts())).unwrap();
            check.query(&format!("frame {frame}"), &columns, &[], 2);
            scene = before.clone();
        } else {
            check.step(&format!("frame {frame}"), &columns, &asleep, &[]);
            before = scene.clone();
        }
    }
    assert!(refused > 4 && check.cached_max > 1000);
}

#[test]
fn asleep_column_of_wrong_length_is_refused() {
    let centers = [[0.0f32, 0.0]; 3];
    let bodies = Bodies::uniform(&centers, [1.0, 1.0]);
    let error = sequential().step([bodies, bodies.with_asleep(&[true; 2])]).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::ColumnLengthMismatch { chunk: Some(1), column: Column::Asleep, expected: 3, found: 2 });
}

#[test]
fn chunks_with_and_without_asleep_can_be_mixed() {
    let scene = Scene::new(SceneName::Crowd, 9000, SEED + 9);
    let mut moving = Scene::new(SceneName::Crowd, 300, SEED + 10);
    let mut worlds = WorldSet::new(WorldConfig::new());
    for frame in 0..6 {
        moving.advance();
        let asleep = [true; 9000];
        let part = |from: usize, to: usize| {
            Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]).with_asleep(&asleep[from..to])
        };
        let chunks =
            [part(0, 4000), Bodies::new(&moving.centers, &moving.half_extents), part(4000, 4000), part(4000, 9000)];
        let found = worlds.each(|world| FoundPairs::new(world.step(chunks).unwrap()));
        let mut boxes = Columns::new(scene.centers.clone(), scene.half_extents.clone()).boxes();
        let inserted = Columns::new(moving.centers.clone(), moving.half_extents.clone()).boxes();
        boxes.splice(4000..4000, inserted);
        ExpectedPairs::new(&boxes, &[]).compare(&found).unwrap();
        if frame > 0 {
            assert_eq!(worlds.world().report().cached_count, 9000);
        }
    }
}

#[test]
fn snapshots_are_unchanged_by_sleepers() {
    let mut scene = Scene::new(SceneName::Castles, 1500, SEED + 11);
    let mut world = world(WorldConfig::new());
    world.set_statics(&scene.statics).unwrap();
    let reader = world.reader();
    let (mut schedule, mut random, mut held) = (SleepSchedule::default(), SplitMix64::new(SEED), Vec::new());
    for frame in 0..24 {
        scene.advance();
        let (columns, asleep) = schedule.columns(&scene, 14, frame / 5);
        world.step(columns.bodies().with_asleep(&asleep)).unwrap();
        let snapshot = reader.latest();
        let known = QueryOracle::default()
            .with_bodies(&columns.boxes(), columns.ids.as_deref())
            .with_statics(&scene.statics, None);
        for probe in Probe::random(known.boxes(), &mut random, 2) {
            check_snapshot(&snapshot, &world, &probe);
        }
        held.push((snapshot, known));
        // Old snapshots as well as recent ones.
        if held.len() > 7 {
            held.remove(random.below(7));
        }
        for (snapshot, known) in &held {
            for probe in Probe::random(known.boxes(), &mut random, 1) {
                known
                    .check(&probe, &run_queries(snapshot.query(), &probe))
                    .unwrap_or_else(|what| panic!("frame {frame}: {what}"));
            }
        }
    }
    assert!(world.report().cached_count > 1000);
}

#[test]
fn shrink_to_fit_keeps_the_cache_and_frees_memory() {
    let mut scene = Scene::new(SceneName::Sleepers, 3000, SEED + 12);
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    for frame in 0..12 {
        scene.advance();
        let columns = scene_columns(&scene);
        check.step(&format!("frame {frame}"), &columns, &[true; 3000], &[]);
        if frame % 3 == 2 {
            check.worlds.each(|world| {
                let before = world.report();
                world.shrink_to_fit();
                let after = world.report();
                assert!(after.body_bytes < before.body_bytes && after.cached_count == before.cached_count);
            });
            check.query(&format!("frame {frame}"), &columns, &[], 1);
        }
    }
    // A step without the column drops the cache.
    check.worlds.each(|world| {
        world.step(scene_columns(&scene).bodies()).unwrap();
        assert_eq!(world.report().cached_count, 0);
        world.shrink_to_fit();
        let mut other = sequential();
        other.step(scene_columns(&scene).bodies()).unwrap();
        other.shrink_to_fit();
        assert_eq!(world.report().pair_bytes, other.report().pair_bytes);
    });
}

#[test]
fn rows_that_are_gone_stay_gone_if_memory_is_given_back() {
    let mut random = SplitMix64::new(SEED + 13);
    let mut rows: Vec<_> = (0..8300).map(|_| (random.point(0.0, 300.0), [0.4, 0.4])).collect();
    let mut asleep = vec![true; rows.len()];
    let mut check = SleepCheck::new(WorldConfig::new(), &[]);
    for frame in 0..6 {
        // The last 300 rows are few enough for the cache to stay, and lie across a multiple of
        // 4,096.
        if frame == 3 {
            rows.truncate(8000);
        }
        if frame == 5 {
            rows[7] = ([150.0, 150.0], [90.0, 90.0]);
            asleep[7] = false;
        }
        let (label, columns) = (format!("frame {frame}"), Columns::from_rows(&rows));
        check.step(&label, &columns, &asleep[..rows.len()], &[]);
        check.query(&label, &columns, &[], 3);
        if frame == 3 {
            check.worlds.each(|world| world.shrink_to_fit());
        }
    }
    assert!(check.cached_count() > 7000);
}
