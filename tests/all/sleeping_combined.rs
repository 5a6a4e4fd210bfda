//! Sleepers combined with events, partner lists, streams, mutable access, circles and a shifted
//! origin.

use std::collections::BTreeSet;
use std::sync::Mutex;
use triphase::stream::{StreamMessage, channel};
use triphase::{Bodies, BodyShape, Contacts, Error, Hit, InvalidRows, PagePairs, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};
use triphase_tests::{ExpectedPairs, FoundPairs, SleepSchedule, WorldSet, hits, sequential, world};

const SEED: u64 = 0xbed;

/// Ascending.
fn sorted(mut found: FoundPairs) -> FoundPairs {
    found.bodies.sort_unstable();
    found.statics.sort_unstable();
    found
}

/// The contact events by ids, ascending, of bodies and with statics.
fn events(contacts: Contacts<'_>) -> [BTreeSet<(u64, u64, u32)>; 6] {
    let id = |row: u32| contacts.body_id(row).expect("ids");
    let ids = |a: u64, b: u64, value: u32| (a.min(b), a.max(b), value);
    let events = contacts.events().unwrap();
    [
        events.started().map(|c| ids(id(c.pair.a), id(c.pair.b), c.value)).collect(),
        events.persisting().map(|c| ids(id(c.pair.a), id(c.pair.b), c.value)).collect(),
        events.ended().map(|ended| ids(ended.a_id, ended.b_id, ended.value)).collect(),
        events.started_static().map(|c| (id(c.pair.body), c.pair.static_row.into(), c.value)).collect(),
        events.persisting_static().map(|c| (id(c.pair.body), c.pair.static_row.into(), c.value)).collect(),
        events.ended_static().map(|ended| (ended.body_id, ended.static_id, ended.value)).collect(),
    ]
}

/// The partners of each row, by mutable access to both rows of each pair.
fn partners(contacts: Contacts<'_>) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); contacts.body_count()];
    contacts
        .par_for_each_pair_mut(&mut rows, |pair, a: &mut Vec<u32>, b: &mut Vec<u32>| {
            a.push(pair.b);
            b.push(pair.a);
        })
        .expect("a column of the step");
    let mut touched = vec![0u32; contacts.body_count()];
    contacts.par_for_each_static_pair_mut(&mut touched, |_, count| *count += 1).expect("a column of the step");
    assert_eq!(touched.iter().sum::<u32>() as usize, contacts.static_pairs().len());
    rows
}

/// Gives contacts that started a value.
fn mark(world: &mut World) {
    world.events_mut().unwrap().started().for_each(|(_, value)| *value = 7);
}

#[test]
fn contact_features_see_pairs_of_sleepers() {
    for (name, overlap) in [
        (SceneName::Sleepers, BodyShape::Aabb),
        (SceneName::Sleepers, BodyShape::Circle),
        (SceneName::Castles, BodyShape::Circle),
        (SceneName::Churn, BodyShape::Aabb),
        (SceneName::Dragons, BodyShape::Circle),
    ] {
        let config = WorldConfig::new()
            .with_contact_tracking(true)
            .with_partner_lists(true)
            .with_body_shape(overlap)
            .with_margin(0.05);
        let mut worlds = WorldSet::new(config.clone());
        let mut plain = world(config.with_parallel_threshold(None));
        let (mut scene, mut schedule, mut slept) = (Scene::new(name, 2500, SEED), SleepSchedule::default(), 0);
        worlds.set_statics(&scene.statics).expect("valid statics");
        plain.set_statics(&scene.statics).expect("valid statics");
        for frame in 0..24 {
            scene.advance();
            let (columns, asleep) = schedule.columns(&scene, 16, frame / 7);
            let bodies = columns.bodies().with_ids(&scene.ids);
            let expected_pairs = ExpectedPairs::new(&columns.boxes(), &scene.statics);
            let expected_pairs = if overlap == BodyShape::Circle { expected_pairs.circles() } else { expected_pairs };
            let expected = sorted(FoundPairs::new(plain.step(bodies).expect("a valid step")));
            expected_pairs.compare(&expected).unwrap_or_else(|what| panic!("{name}, frame {frame}: {what}"));
            let expected_events = events(plain.contacts());
            mark(&mut plain);
            let given = worlds.each(|world| {
                let streamed = Mutex::new(Vec::new());
                let contacts = world.step_streamed(bodies.with_asleep(&asleep), |page| {
                    let pairs: Vec<(bool, u32, u32)> = match page.pairs() {
                        PagePairs::Body(pairs) => pairs.iter().map(|pair| (false, pair.a, pair.b)).collect(),
                        PagePairs::Static(pairs) => {
                            pairs.iter().map(|pair| (true, pair.body, pair.static_row)).collect()
                        }
                    };
                    streamed.lock().expect("no panic").push((page.sequence(), pairs));
                });
                let contacts = contacts.expect("a valid step");
                let found = FoundPairs::new(contacts);
                assert_eq!(sorted(found.clone()), expected, "{name}, frame {frame}");
                assert_eq!(events(contacts), expected_events, "{name}, frame {frame}");
                let mut streamed = streamed.into_inner().expect("no panic");
                streamed.sort_unstable();
                let pairs: Vec<_> = streamed.into_iter().flat_map(|(_, pairs)| pairs).collect();
                let body = found.bodies.iter().map(|&(a, b)| (false, a, b));
                assert!(
                    pairs
                        .into_iter()
                        .eq(body.chain(found.statics.iter().map(|&(body, static_row)| (true, body, static_row))))
                );
                let given = partners(contacts);
                for (row, given) in given.iter().enumerate() {
                    let mut given = given.clone();
                    given.sort_unstable();
                    assert_eq!(contacts.partners(row as u32).unwrap(), given, "{name}, frame {frame}, row {row}");
                }
                mark(world);
                given
            });
            assert_eq!(given.iter().map(Vec::len).sum::<usize>(), 2 * expected.bodies.len());
            slept = slept.max(worlds.world().report().cached_count);
        }
        assert!(slept > 1500, "{name}: at most {slept} slept");
    }
}

#[test]
fn sleepers_with_displacements_are_tested_as_boxes() {
    let mut worlds = WorldSet::new(WorldConfig::new().with_body_shape(BodyShape::Circle));
    let (mut scene, mut schedule) = (Scene::new(SceneName::Sleepers, 2000, SEED), SleepSchedule::default());
    let still = vec![[0.0f32; 2]; scene.centers.len()];
    for frame in 0..16 {
        scene.advance();
        let (columns, asleep) = schedule.columns(&scene, 16, 0);
        let bodies = columns.bodies().with_asleep(&asleep);
        let boxes = ExpectedPairs::new(&columns.boxes(), &[]);
        // Runs of four, because a cache that is dropped sooner does not repay its rebuild.
        let (bodies, expected_pairs) =
            if frame / 4 % 2 == 1 { (bodies.with_displacements(&still), boxes) } else { (bodies, boxes.circles()) };
        let found = worlds.each(|world| world.step(bodies).map(FoundPairs::new)).expect("a valid step");
        expected_pairs.compare(&found).unwrap_or_else(|what| panic!("frame {frame}: {what}"));
        let cached_count = worlds.world().report().cached_count;
        assert!(frame % 4 == 0 || cached_count > 1500, "frame {frame}: {cached_count} rows are cached");
    }
}

#[test]
fn sleepers_follow_a_shift_of_the_origin() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let (mut scene, mut schedule) = (Scene::new(SceneName::Castles, 2000, SEED), SleepSchedule::default());
    worlds.set_statics(&scene.statics).expect("valid statics");
    for frame in 0..12 {
        scene.advance();
        let (mut columns, asleep) = schedule.columns(&scene, 16, 0);
        let by = [f32::from(u8::from(frame > 5)) * 7.25; 2];
        let shift = |center: &mut [f32; 2]| *center = [center[0] - by[0], center[1] - by[1]];
        if let triphase_tests::Shape::Centers { centers, .. } = &mut columns.shape {
            centers.iter_mut().for_each(shift);
        }
        if frame == 6 {
            let area = [3.0, 3.0, 40.0, 40.0];
            let before = hits(worlds.world(), area);
            worlds.each(|world| world.shift_origin(by)).expect("a valid origin");
            let moved = area.map(|edge| edge - by[0]);
            // The area moves exactly; coordinates may round.
            let after = hits(worlds.world(), moved);
            assert!(before.len().abs_diff(after.len()) < 5 && before.len() > 100, "{} {}", before.len(), after.len());
            assert_eq!(worlds.world().report().cached_count, 0, "filed among all others until a step");
        }
        let statics: Vec<[f32; 4]> = (0..scene.statics.len() as u32)
            .filter_map(|row| worlds.world().statics().aabb(row))
            .map(|b| b.to_array())
            .collect();
        let expected_pairs = ExpectedPairs::new(&columns.boxes(), &statics);
        let found = worlds.each(|world| world.step(columns.bodies().with_asleep(&asleep)).map(FoundPairs::new));
        expected_pairs.compare(&found.expect("a valid step")).unwrap_or_else(|what| panic!("frame {frame}: {what}"));
    }
    assert!(worlds.world().report().cached_count > 1500, "they are filed again");
}

#[test]
fn duplicate_ids_leave_the_cache_intact() {
    let mut world = sequential();
    let mut tracked =
        triphase_tests::world(WorldConfig::new().with_contact_tracking(true).with_parallel_threshold(None));
    let (mut scene, mut schedule) = (Scene::new(SceneName::Sleepers, 1500, SEED), SleepSchedule::default());
    for frame in 0..14 {
        scene.advance();
        let (columns, asleep) = schedule.columns(&scene, 16, 0);
        let bodies = columns.bodies().with_asleep(&asleep);
        if frame % 3 == 2 {
            let mut twice = scene.ids.clone();
            twice[1] = twice[0];
            let error = tracked.step(bodies.with_ids(&twice)).err();
            assert_eq!(error, Some(Error::DuplicateBodyId { first: 0, second: 1, id: twice[0] }));
        }
        let expected = sorted(FoundPairs::new(world.step(columns.bodies()).expect("a valid step")));
        assert_eq!(sorted(FoundPairs::new(tracked.step(bodies.with_ids(&scene.ids)).expect("a valid step"))), expected);
    }
    assert!(tracked.report().cached_count > 1000);
}

#[test]
fn skipped_rows_among_sleepers_are_those_of_their_step() {
    let config = WorldConfig::new().with_invalid_rows(InvalidRows::Skip).with_contact_tracking(true);
    let mut worlds = WorldSet::new(config);
    let mut centers: Vec<[f32; 2]> = (0..600).map(|k| [k as f32 * 0.8, 0.0]).collect();
    let (asleep, half) = ([true; 600], [0.5f32, 0.5]);
    let mut ids: Vec<u64> = (0..600).collect();
    let skipped = |world: &World| world.skipped_rows().iter().map(|bad| bad.row).collect::<Vec<_>>();
    for frame in 0..8 {
        centers[77][0] = if frame == 6 { f32::NAN } else { 61.6 };
        // A skipped row may have the id of another.
        ids[77] = if frame == 6 { 5 } else { 77 };
        let bodies = Bodies::uniform(&centers, half).with_ids(&ids);
        let bodies = if frame == 7 { bodies } else { bodies.with_asleep(&asleep) };
        let began = worlds.each(|world| {
            let began = world.step(bodies).expect("a valid step").events().unwrap().started().count();
            (began, skipped(world), world.report().skipped_count)
        });
        let expected = match frame {
            0 => (599, vec![], 0),
            6 => (0, vec![77], 1),
            // Valid again, without hints: its contacts start.
            7 => (2, vec![], 0),
            _ => (0, vec![], 0),
        };
        assert_eq!(began, expected, "frame {frame}");
        assert!(frame != 6 || worlds.world().report().cached_count > 500);
    }
}

#[test]
fn step_summary_counts_pages_of_sleepers() {
    let mut world = sequential();
    world.set_statics(&[[-1.0f32, -1.0, 5000.0, 0.0]]).expect("valid statics");
    let centers: Vec<[f32; 2]> = (0..3000).map(|k| [k as f32 * 0.8, 0.0]).collect();
    let asleep = [true; 3000];
    let (sender, receiver) = channel(64);
    for _ in 0..6 {
        let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_asleep(&asleep);
        let contacts = world.step_to_channel(bodies, &sender).expect("a valid step");
        let expected = (contacts.body_pages().len(), contacts.static_pages().len());
        let (mut sent, mut counted) = ((0, 0), None);
        while let Some(message) = receiver.try_recv() {
            match message {
                StreamMessage::Page(page) if page.static_pairs().is_empty() => sent.0 += 1,
                StreamMessage::Page(_) => sent.1 += 1,
                StreamMessage::Committed(end) => counted = Some((end.body_page_count, end.static_page_count)),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((sent, counted), (expected, Some(expected)));
    }
    assert_eq!(world.report().cached_count, 3000);
}

#[test]
fn pairs_of_sleepers_are_passed_after_others_were_removed() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let centers: Vec<[f32; 2]> = (0..9000).map(|k| [(k % 3000) as f32 * 0.4, (k / 3000) as f32 * 0.9]).collect();
    let asleep = [true; 9000];
    for frame in 0..10 {
        // Fewer than one in four, so that the others stay cached.
        let rows = if frame < 5 { 9000 } else { 9000 - 200 * (frame - 4) };
        let bodies = Bodies::uniform(&centers[..rows], [0.5, 0.5]).with_asleep(&asleep[..rows]);
        let (given, pairs) = worlds.each(|world| {
            let contacts = world.step(bodies).expect("a valid step");
            (partners(contacts), contacts.body_pairs().len())
        });
        assert_eq!((given.len(), given.iter().map(Vec::len).sum::<usize>()), (rows, 2 * pairs));
        assert!(pairs > rows && (frame < 3 || worlds.world().report().cached_count == rows), "frame {frame}");
    }
}

#[test]
fn woken_bodies_are_shifted_from_their_new_place() {
    let mut worlds = WorldSet::new(WorldConfig::new());
    let mut centers: Vec<[f32; 2]> = (0..600).map(|k| [k as f32 * 2.0, 0.0]).collect();
    let asleep = [true; 600];
    for frame in 0..6 {
        if frame == 5 {
            centers[7] = [14.0, 500.0];
        }
        let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_asleep(&asleep);
        worlds.each(|world| world.step(bodies).map(|_| ())).expect("a valid step");
    }
    assert_eq!(worlds.world().report().cached_count, 599, "it is filed where it was, and is not there");
    worlds.each(|world| world.shift_origin([10.0, 0.0])).expect("a valid origin");
    assert_eq!(hits(worlds.world(), [4.0, 0.0, 4.0, 1.0]), []);
    assert_eq!(hits(worlds.world(), [4.0, 500.0, 4.0, 500.0]), [Hit::Body { row: 7, id: None }]);
}
