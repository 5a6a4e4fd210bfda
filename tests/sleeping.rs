//! Bodies that say that they sleep: the pairs are those of all bodies, and questions find all of them, whatever they say and
//! whatever becomes of them.

mod common;

use common::questions::{Known, Probe, answers, check_frame};
use common::{Columns, Fleet, Found, Lullaby, Play, Random, Truth, plain, sequential, world};
use triphase::{Bodies, Column, Error, Filter, InvalidRows, Statics, WorldConfig};
use triphase_scenes::{Scene, SceneName};

const SEED: u64 = 0x51ee9;

#[test]
fn scenes_in_motion() {
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
        let mut scene = Scene::new(name, 2500, SEED);
        let mut play = Play::new(WorldConfig::new(), &scene.statics);
        let mut lullaby = Lullaby::default();
        for frame in 0..30 {
            scene.advance();
            // The same bodies for some frames, then others.
            let (columns, asleep) = lullaby.columns(&scene, 16, frame / 7);
            let label = format!("{name}, frame {frame}");
            play.step(&label, &columns, &asleep, &[]);
            if frame % 5 == 4 {
                play.ask(&label, &columns, &[], 4);
            }
        }
        assert!(play.most > 1500, "{name}: at most {} slept", play.most);
    }
}

#[test]
fn settings_change_nothing() {
    let configs = [
        WorldConfig::new().with_bounds([0.4, 0.5]),
        WorldConfig::new().with_bound(0.1),
        WorldConfig::new().with_cell_size(7.0),
    ];
    for (k, config) in configs.into_iter().enumerate() {
        let mut scene = Scene::new(SceneName::Castles, 1500, SEED + 1);
        let mut play = Play::new(config, &scene.statics);
        let mut lullaby = Lullaby::default();
        for frame in 0..12 {
            scene.advance();
            let (columns, asleep) = lullaby.columns(&scene, 12, frame / 6);
            let label = format!("settings {k}, frame {frame}");
            play.step(&label, &columns, &asleep, &[]);
            play.ask(&label, &columns, &[], 1);
        }
        // Where nearly all are oversized there is nobody to file.
        assert!(play.most > 1000 || k == 1, "settings {k}: at most {} slept", play.most);
    }
}

#[test]
fn bodies_may_say_what_they_like() {
    let mut random = Random::new(SEED);
    let mut scene = Scene::new(SceneName::Crowd, 2000, SEED + 2);
    let mut play = Play::new(WorldConfig::new(), &[]);
    let mut lullaby = Lullaby::default();
    for frame in 0..60 {
        scene.advance();
        let label = format!("frame {frame}");
        let (columns, mut asleep) = lullaby.columns(&scene, 20, frame / 9);
        match frame / 15 {
            // All of them, though some move.
            0 => asleep.fill(true),
            // Now and then one is awake and does not move.
            1 => (0..3).for_each(|_| asleep[random.index(2000)] = false),
            2 => asleep.iter_mut().for_each(|asleep| *asleep = random.index(9) != 0),
            _ => asleep.fill(frame % 2 == 0),
        }
        play.step(&label, &columns, &asleep, &[]);
        play.ask(&label, &columns, &[], 1);
    }
    assert!(play.most > 1500);
}

#[test]
fn a_body_that_wakes_leaves_nothing_behind() {
    // In a row, each over the next; one leaves, and comes back to where it was.
    let mut centers: Vec<[f32; 2]> = (0..40).map(|k| [k as f32, 0.0]).collect();
    let mut play = Play::new(WorldConfig::new(), &[[-9.0, -9.0, 99.0, -0.4]]);
    let mut asleep = [true; 40];
    for frame in 0..16 {
        let away = (6..10).contains(&frame) || frame == 13;
        centers[7][1] = if away { 5.0 + frame as f32 } else { 0.0 };
        asleep[7] = !away;
        let columns = Columns::uniform(centers.clone(), [0.6, 0.6]);
        play.step(&format!("frame {frame}"), &columns, &asleep, &[]);
        let pairs = play.fleet.world().contacts().body_pairs().len();
        let static_row = play.fleet.world().contacts().static_pairs().len();
        assert_eq!((pairs, static_row), if away { (37, 39) } else { (39, 40) });
        play.ask(&format!("frame {frame}"), &columns, &[], 3);
        if frame > 1 && away {
            assert_eq!(play.asleep(), 39, "frame {frame}");
        }
    }
    assert_eq!(play.most, 40);
}

#[test]
fn bodies_that_fell_asleep_are_filed_in_the_end() {
    let mut scene = Scene::new(SceneName::Crowd, 2000, SEED + 13);
    let mut play = Play::new(WorldConfig::new(), &[]);
    let mut lullaby = Lullaby::default();
    let mut slept = Vec::new();
    for frame in 0..60 {
        scene.advance();
        // Twenty frames each; those that were awake before sleep in places that no one knew.
        let (columns, asleep) = lullaby.columns(&scene, 20, frame / 20);
        play.step(&format!("frame {frame}"), &columns, &asleep, &[]);
        slept.push(play.asleep());
    }
    for last in [19, 39, 59] {
        assert_eq!(slept[last], 1900, "frame {last}: {slept:?}");
    }
    // Not at once: it has to be worth it.
    assert!(slept[21] < 1900 && slept[22] < 1900, "{slept:?}");
}

#[test]
fn filters_that_change() {
    let mut random = Random::new(SEED + 3);
    let mut scene = Scene::new(SceneName::Sleepers, 2000, SEED + 3);
    let mut play = Play::new(WorldConfig::new(), &[]);
    let mut filters: Vec<Filter> = (0..2000).map(|row| Filter::new(1 << (row % 3), 0b111 ^ (1 << (row % 2)))).collect();
    for frame in 0..30 {
        scene.advance();
        if frame % 4 == 3 {
            (0..5).for_each(|_| filters[random.index(2000)] = Filter::new(random.bits() as u32, random.bits() as u32));
        }
        // With and without, for some frames each.
        let columns = plain(&scene);
        let columns = if frame / 8 % 2 == 0 { Columns { filters: Some(filters.clone()), ..columns } } else { columns };
        play.step(&format!("frame {frame}"), &columns, &[true; 2000], &[]);
    }
    assert!(play.most > 1500);
}

#[test]
fn statics_that_change() {
    let mut scene = Scene::new(SceneName::Castles, 1500, SEED + 4);
    let walls = scene.statics.clone();
    let mut play = Play::new(WorldConfig::new(), &walls);
    let mut lullaby = Lullaby::default();
    for frame in 0..30u64 {
        scene.advance();
        match frame {
            6 => play.switch(3),
            9..12 => (0..walls.len()).step_by(3).for_each(|row| play.switch(row)),
            15 => play.set_statics(&walls[..walls.len() / 2]),
            20 => play.set_statics(&[]),
            25 => play.set_statics(&walls),
            _ => {}
        }
        if matches!(frame, 15 | 20 | 25) {
            assert_eq!(play.fleet.world().contacts().static_pairs().len(), 0, "until the next step");
        }
        let (columns, asleep) = lullaby.columns(&scene, 16, 0);
        play.step(&format!("frame {frame}"), &columns, &asleep, &[]);
        play.ask(&format!("frame {frame}"), &columns, &[], 1);
        if matches!(frame, 5 | 8 | 14 | 19 | 24 | 29) {
            assert!(play.asleep() > 1300, "frame {frame}: statics are as they were");
        }
    }
}

#[test]
fn filters_of_statics() {
    let scene = Scene::new(SceneName::Castles, 800, SEED + 5);
    let filters: Vec<Filter> = (0..scene.statics.len()).map(|row| Filter::new(1 << (row % 4), 3)).collect();
    let bodies: Vec<Filter> = (0..800).map(|row| Filter::new(1 << (row % 3), 5)).collect();
    let mut fleet = Fleet::new(WorldConfig::new());
    fleet.each(|world| world.set_statics(Statics::new(&scene.statics).with_filters(&filters))).unwrap();
    let columns = Columns { filters: Some(bodies.clone()), ..plain(&scene) };
    let truth = Truth::new(&columns.boxes(), &scene.statics, |_| true).filtered(Some(&bodies), Some(&filters));
    for _ in 0..4 {
        let asleep = vec![true; 800];
        let found = fleet.each(|world| Found::new(world.step(columns.bodies().with_asleep(&asleep)).unwrap()));
        truth.compare(&found).unwrap();
    }
    assert!(fleet.world().report().cached_count > 700 && !truth.static_row.is_empty());
}

#[test]
fn rows_that_come_and_go() {
    let full = Scene::new(SceneName::Dragons, 9000, SEED + 6);
    let mut play = Play::new(WorldConfig::new(), &[]);
    for (frame, len) in
        [9000, 9000, 9000, 8200, 8200, 9000, 9000, 10, 10, 9000, 9000, 0, 0, 8100, 8100, 9000].into_iter().enumerate()
    {
        let mut columns = plain(&full);
        let common::Shape::Centers { centers, half_extents } = &mut columns.shape else { unreachable!() };
        centers.truncate(len);
        half_extents.truncate(len);
        if let Some(ids) = &mut columns.ids {
            ids.truncate(len);
        }
        // Another body takes a row of one that sleeps.
        if frame % 3 == 2 && len > 100 {
            centers.swap(1, 50);
            half_extents.swap(1, 50);
        }
        let label = format!("frame {frame}, {len} rows");
        play.step(&label, &columns, &vec![true; len], &[]);
        play.ask(&label, &columns, &[], 2);
    }
    assert!(play.most > 8000);
}

#[test]
fn bad_rows_are_skipped_or_refuse_the_step() {
    let scene = Scene::new(SceneName::Crowd, 1000, SEED + 7);
    for skip in [true, false] {
        let policy = if skip { InvalidRows::Skip } else { InvalidRows::Reject };
        let mut play = Play::new(WorldConfig::new().with_invalid_rows(policy), &[]);
        let good = plain(&scene);
        let asleep = [true; 1000];
        for frame in 0..18 {
            let mut columns = good.clone();
            let common::Shape::Centers { centers, half_extents } = &mut columns.shape else { unreachable!() };
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
                play.fleet.each(|world| {
                    let rows: Vec<u32> = match world.step(columns.bodies().with_asleep(&asleep)) {
                        Ok(_) => world.skipped_rows().iter().map(|bad| bad.row).collect(),
                        Err(error) => panic!("{label}: {error}"),
                    };
                    assert_eq!(rows, bad, "{label}");
                });
                if bad.is_empty() {
                    play.step(label, &columns, &asleep, bad);
                    play.ask(label, &columns, bad, 1);
                } else {
                    let truth = Truth::new(&good.boxes(), &[], |_| true).without(bad);
                    truth.compare(&Found::new(play.fleet.world().contacts())).unwrap();
                    play.ask(label, &good, bad, 2);
                }
            } else {
                let error = play.fleet.each(|world| {
                    let error = world.step(columns.bodies().with_asleep(&asleep)).map(|_| ()).unwrap_err();
                    error.to_string()
                });
                assert!(error.contains("row 17"), "{error}");
                // The last good step stands.
                let truth = Truth::new(&good.boxes(), &[], |_| true);
                truth.compare(&Found::new(play.fleet.world().contacts())).unwrap();
                play.ask(&label, &good, &[], 2);
            }
        }
        assert!(play.asleep() > 900);
    }
}

#[test]
fn a_box_that_looks_as_it_was_but_may_not_be_is_refused() {
    // The box given is inverted; united with itself displaced it is the one that slept there.
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
fn pairs_that_stand_count_towards_the_limit() {
    let mut scene = Scene::new(SceneName::Sleepers, 1500, SEED + 8);
    let pairs = sequential().step(plain(&scene).bodies()).unwrap().body_pairs().len();
    let mut play = Play::new(WorldConfig::new().with_pair_limit(pairs + 100), &[]);
    let (mut before, mut refused) = (scene.clone(), 0);
    for frame in 0..30 {
        if frame > 3 {
            scene.advance();
        }
        let mut columns = plain(&scene);
        let common::Shape::Centers { centers, .. } = &mut columns.shape else { unreachable!() };
        let crowded = frame % 5 == 4;
        if crowded {
            // Some of them in one place: too many pairs, though most stand.
            (0..30).for_each(|row| centers[row] = centers[0]);
        }
        let asleep: Vec<bool> = centers.iter().zip(&before.centers).map(|(a, b)| a == b).collect();
        if crowded {
            let error =
                play.fleet.each(|world| world.step(columns.bodies().with_asleep(&asleep)).map(|_| ()).unwrap_err());
            assert_eq!(error, Error::TooManyPairs { limit: pairs + 100 });
            refused += 1;
            let columns = plain(&before);
            let truth = Truth::new(&columns.boxes(), &[], |_| true);
            truth.compare(&Found::new(play.fleet.world().contacts())).unwrap();
            play.ask(&format!("frame {frame}"), &columns, &[], 2);
            scene = before.clone();
        } else {
            play.step(&format!("frame {frame}"), &columns, &asleep, &[]);
            before = scene.clone();
        }
    }
    assert!(refused > 4 && play.most > 1000);
}

#[test]
fn a_column_of_another_length_is_refused() {
    let centers = [[0.0f32, 0.0]; 3];
    let bodies = Bodies::uniform(&centers, [1.0, 1.0]);
    let error = sequential().step(&[bodies, bodies.with_asleep(&[true; 2])]).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::ColumnLengthMismatch { chunk: Some(1), column: Column::Asleep, expected: 3, found: 2 });
    assert!(error.to_string().contains("asleep"), "{error}");
}

#[test]
fn chunks_with_and_without_the_column() {
    let scene = Scene::new(SceneName::Crowd, 9000, SEED + 9);
    let mut moving = Scene::new(SceneName::Crowd, 300, SEED + 10);
    let mut fleet = Fleet::new(WorldConfig::new());
    for frame in 0..6 {
        moving.advance();
        let asleep = [true; 9000];
        let part = |from: usize, to: usize| {
            Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]).with_asleep(&asleep[from..to])
        };
        let chunks =
            [part(0, 4000), Bodies::new(&moving.centers, &moving.half_extents), part(4000, 4000), part(4000, 9000)];
        let found = fleet.each(|world| Found::new(world.step(&chunks).unwrap()));
        let mut boxes = Columns::new(scene.centers.clone(), scene.half_extents.clone()).boxes();
        let inserted = Columns::new(moving.centers.clone(), moving.half_extents.clone()).boxes();
        boxes.splice(4000..4000, inserted);
        Truth::new(&boxes, &[], |_| true).compare(&found).unwrap();
        if frame > 0 {
            assert_eq!(fleet.world().report().cached_count, 9000);
        }
    }
}

#[test]
fn snapshots_stay_what_they_were() {
    let mut scene = Scene::new(SceneName::Castles, 1500, SEED + 11);
    let mut world = world(WorldConfig::new());
    world.set_statics(&scene.statics).unwrap();
    let reader = world.reader();
    let (mut lullaby, mut random, mut held) = (Lullaby::default(), Random::new(SEED), Vec::new());
    for frame in 0..24 {
        scene.advance();
        let (columns, asleep) = lullaby.columns(&scene, 14, frame / 5);
        world.step(columns.bodies().with_asleep(&asleep)).unwrap();
        let snapshot = reader.latest();
        let known =
            Known::default().with_bodies(&columns.boxes(), columns.ids.as_deref()).with_statics(&scene.statics, None);
        for probe in Probe::some(known.boxes(), &mut random, 2) {
            check_frame(&snapshot, &world, &probe);
        }
        held.push((snapshot, known));
        // Frames of long ago as well as of late.
        if held.len() > 7 {
            held.remove(random.index(7));
        }
        for (snapshot, known) in &held {
            for probe in Probe::some(known.boxes(), &mut random, 1) {
                known
                    .check(&probe, &answers(snapshot.query(), &probe))
                    .unwrap_or_else(|what| panic!("frame {frame}: {what}"));
            }
        }
    }
    assert!(world.report().cached_count > 1000);
}

#[test]
fn what_is_not_needed_is_given_back() {
    let mut scene = Scene::new(SceneName::Sleepers, 3000, SEED + 12);
    let mut play = Play::new(WorldConfig::new(), &[]);
    for frame in 0..12 {
        scene.advance();
        let columns = plain(&scene);
        play.step(&format!("frame {frame}"), &columns, &[true; 3000], &[]);
        if frame % 3 == 2 {
            play.fleet.each(|world| {
                let before = world.report();
                world.shrink_to_fit();
                let after = world.report();
                assert!(after.body_bytes < before.body_bytes && after.cached_count == before.cached_count);
            });
            play.ask(&format!("frame {frame}"), &columns, &[], 1);
        }
    }
    // A step without the column, and nothing is kept of sleepers.
    play.fleet.each(|world| {
        world.step(plain(&scene).bodies()).unwrap();
        assert_eq!(world.report().cached_count, 0);
        world.shrink_to_fit();
        let mut other = sequential();
        other.step(plain(&scene).bodies()).unwrap();
        other.shrink_to_fit();
        assert_eq!(world.report().pair_bytes, other.report().pair_bytes);
    });
}
