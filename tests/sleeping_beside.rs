//! Sleepers beside all else that a world does with pairs: contacts from step to step, lists, streams, solvers, discs, another
//! origin.

mod common;

use common::{Fleet, Found, Lullaby, Truth, hits, sequential, world};
use std::collections::BTreeSet;
use std::sync::Mutex;
use triphase::stream::{Streamed, channel};
use triphase::{Bodies, BodyShape, Contacts, Error, Hit, InvalidRows, PagePairs, World, WorldConfig};
use triphase_scenes::{Scene, SceneName};

const SEED: u64 = 0xbed;

/// Ascending.
fn sorted(mut found: Found) -> Found {
    found.body.sort_unstable();
    found.static_row.sort_unstable();
    found
}

/// By ids, ascending: what began, goes on and ended, of bodies and with statics.
fn events(contacts: Contacts<'_>) -> [BTreeSet<(u64, u64, u32)>; 6] {
    let id = |row: u32| contacts.body_id(row).expect("ids");
    let ids = |a: u64, b: u64, value: u32| (a.min(b), a.max(b), value);
    [
        contacts.started().map(|c| ids(id(c.pair.a), id(c.pair.b), c.value)).collect(),
        contacts.persisting().map(|c| ids(id(c.pair.a), id(c.pair.b), c.value)).collect(),
        contacts.ended().map(|ended| ids(ended.a, ended.b, ended.value)).collect(),
        contacts.started_statics().map(|c| (id(c.pair.body), c.pair.static_row.into(), c.value)).collect(),
        contacts.persisting_statics().map(|c| (id(c.pair.body), c.pair.static_row.into(), c.value)).collect(),
        contacts.ended_statics().map(|ended| (ended.body, ended.static_row, ended.value)).collect(),
    ]
}

/// Each pair once, by a solver that notes partners in the columns of both rows: as many as there are.
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

/// Values that tell contacts apart.
fn mark(world: &mut World) {
    world.started_mut().for_each(|(_, value)| *value = 7);
}

#[test]
fn all_that_is_done_with_pairs_sees_those_of_sleepers() {
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
        let mut fleet = Fleet::new(config.clone());
        let mut plain = world(config.with_parallel_threshold(None));
        let (mut scene, mut lullaby, mut slept) = (Scene::new(name, 2500, SEED), Lullaby::default(), 0);
        fleet.set_statics(&scene.statics).expect("good statics");
        plain.set_statics(&scene.statics).expect("good statics");
        for frame in 0..24 {
            scene.advance();
            let (columns, asleep) = lullaby.columns(&scene, 16, frame / 7);
            let bodies = columns.bodies().with_ids(&scene.ids);
            let truth = Truth::new(&columns.boxes(), &scene.statics, |_| true);
            let truth = if overlap == BodyShape::Circle { truth.of_discs() } else { truth };
            let expected = sorted(Found::new(plain.step(bodies).expect("a good step")));
            truth.compare(&expected).unwrap_or_else(|what| panic!("{name}, frame {frame}: {what}"));
            let expected_events = events(plain.contacts());
            mark(&mut plain);
            let given = fleet.each(|world| {
                let streamed = Mutex::new(Vec::new());
                let contacts = world.step_streamed(bodies.with_asleep(&asleep), |block| {
                    let pairs: Vec<(bool, u32, u32)> = match block.pairs() {
                        PagePairs::Bodies(pairs) => pairs.iter().map(|pair| (false, pair.a, pair.b)).collect(),
                        PagePairs::Static(pairs) => {
                            pairs.iter().map(|pair| (true, pair.body, pair.static_row)).collect()
                        }
                    };
                    streamed.lock().expect("no panic").push((block.sequence(), pairs));
                });
                let contacts = contacts.expect("a good step");
                let found = Found::new(contacts);
                assert_eq!(sorted(found.clone()), expected, "{name}, frame {frame}");
                assert_eq!(events(contacts), expected_events, "{name}, frame {frame}");
                let mut streamed = streamed.into_inner().expect("no panic");
                streamed.sort_unstable();
                let told: Vec<_> = streamed.into_iter().flat_map(|(_, pairs)| pairs).collect();
                let body = found.body.iter().map(|&(a, b)| (false, a, b));
                assert!(
                    told.into_iter()
                        .eq(body.chain(found.static_row.iter().map(|&(body, static_row)| (true, body, static_row))))
                );
                let given = partners(contacts);
                for (row, given) in given.iter().enumerate() {
                    let mut given = given.clone();
                    given.sort_unstable();
                    assert_eq!(contacts.partners(row as u32), given, "{name}, frame {frame}, row {row}");
                }
                mark(world);
                given
            });
            assert_eq!(given.iter().map(Vec::len).sum::<usize>(), 2 * expected.body.len());
            slept = slept.max(fleet.world().report().cached_count);
        }
        assert!(slept > 1500, "{name}: at most {slept} slept");
    }
}

#[test]
fn a_step_of_motions_among_steps_of_discs_is_decided_by_boxes() {
    let mut fleet = Fleet::new(WorldConfig::new().with_body_shape(BodyShape::Circle));
    let (mut scene, mut lullaby) = (Scene::new(SceneName::Sleepers, 2000, SEED), Lullaby::default());
    let still = vec![[0.0f32; 2]; scene.centers.len()];
    for frame in 0..16 {
        scene.advance();
        let (columns, asleep) = lullaby.columns(&scene, 16, 0);
        let bodies = columns.bodies().with_asleep(&asleep);
        let truth = Truth::new(&columns.boxes(), &[], |_| true);
        let (bodies, truth) = match frame % 5 {
            4 => (bodies.with_displacements(&still), truth),
            _ => (bodies, truth.of_discs()),
        };
        let found = fleet.each(|world| world.step(bodies).map(Found::new)).expect("a good step");
        truth.compare(&found).unwrap_or_else(|what| panic!("frame {frame}: {what}"));
    }
    assert!(fleet.world().report().cached_count > 1500);
}

#[test]
fn sleepers_move_with_the_origin() {
    let mut fleet = Fleet::new(WorldConfig::new());
    let (mut scene, mut lullaby) = (Scene::new(SceneName::Castles, 2000, SEED), Lullaby::default());
    fleet.set_statics(&scene.statics).expect("good statics");
    for frame in 0..12 {
        scene.advance();
        let (mut columns, asleep) = lullaby.columns(&scene, 16, 0);
        let by = [f32::from(u8::from(frame > 5)) * 7.25; 2];
        let shift = |center: &mut [f32; 2]| *center = [center[0] - by[0], center[1] - by[1]];
        if let common::Shape::Centers { centers, .. } = &mut columns.shape {
            centers.iter_mut().for_each(shift);
        }
        if frame == 6 {
            let area = [3.0, 3.0, 40.0, 40.0];
            let before = hits(fleet.world(), area);
            fleet.each(|world| world.shift_origin(by)).expect("a good origin");
            let moved = area.map(|edge| edge - by[0]);
            // Whole eighths, which f32 subtracts exactly; coordinates may round.
            let after = hits(fleet.world(), moved);
            assert!(before.len().abs_diff(after.len()) < 5 && before.len() > 100, "{} {}", before.len(), after.len());
            assert_eq!(fleet.world().report().cached_count, 0, "filed among all others until a step");
        }
        let statics: Vec<[f32; 4]> = (0..scene.statics.len() as u32)
            .filter_map(|row| fleet.world().statics().aabb(row))
            .map(|b| b.to_array())
            .collect();
        let truth = Truth::new(&columns.boxes(), &statics, |_| true);
        let found = fleet.each(|world| world.step(columns.bodies().with_asleep(&asleep)).map(Found::new));
        truth.compare(&found.expect("a good step")).unwrap_or_else(|what| panic!("frame {frame}: {what}"));
    }
    assert!(fleet.world().report().cached_count > 1500, "they are filed again");
}

#[test]
fn ids_that_are_not_unique_leave_sleepers_as_they_were() {
    let mut world = sequential();
    let mut tracked = common::world(WorldConfig::new().with_contact_tracking(true).with_parallel_threshold(None));
    let (mut scene, mut lullaby) = (Scene::new(SceneName::Sleepers, 1500, SEED), Lullaby::default());
    for frame in 0..14 {
        scene.advance();
        let (columns, asleep) = lullaby.columns(&scene, 16, 0);
        let bodies = columns.bodies().with_asleep(&asleep);
        if frame % 3 == 2 {
            let mut twice = scene.ids.clone();
            twice[1] = twice[0];
            let error = tracked.step(bodies.with_ids(&twice)).err();
            assert_eq!(error, Some(Error::DuplicateBodyId { first: 0, second: 1, id: twice[0] }));
        }
        let expected = sorted(Found::new(world.step(columns.bodies()).expect("a good step")));
        assert_eq!(sorted(Found::new(tracked.step(bodies.with_ids(&scene.ids)).expect("a good step"))), expected);
    }
    assert!(tracked.report().cached_count > 1000);
}

#[test]
fn rows_that_were_skipped_among_sleepers_are_those_of_their_step() {
    let config = WorldConfig::new().with_invalid_rows(InvalidRows::Skip).with_contact_tracking(true);
    let mut fleet = Fleet::new(config);
    let mut centers: Vec<[f32; 2]> = (0..600).map(|k| [k as f32 * 0.8, 0.0]).collect();
    let (asleep, half) = ([true; 600], [0.5f32, 0.5]);
    let mut ids: Vec<u64> = (0..600).collect();
    let skipped = |world: &World| world.skipped_rows().iter().map(|bad| bad.row).collect::<Vec<_>>();
    for frame in 0..8 {
        centers[77][0] = if frame == 6 { f32::NAN } else { 61.6 };
        // A row that is not there may have the id of another.
        ids[77] = if frame == 6 { 5 } else { 77 };
        let bodies = Bodies::uniform(&centers, half).with_ids(&ids);
        let bodies = if frame == 7 { bodies } else { bodies.with_asleep(&asleep) };
        let began = fleet.each(|world| {
            let began = world.step(bodies).expect("a good step").started().count();
            (began, skipped(world), world.report().skipped_count)
        });
        let expected = match frame {
            0 => (599, vec![], 0),
            6 => (0, vec![77], 1),
            // Without a hint, and good again: its contacts begin.
            7 => (2, vec![], 0),
            _ => (0, vec![], 0),
        };
        assert_eq!(began, expected, "frame {frame}");
        assert!(frame != 6 || fleet.world().report().cached_count > 500);
    }
}

#[test]
fn a_committed_step_counts_the_blocks_of_sleepers() {
    let mut world = sequential();
    world.set_statics(&[[-1.0f32, -1.0, 5000.0, 0.0]]).expect("good statics");
    let centers: Vec<[f32; 2]> = (0..3000).map(|k| [k as f32 * 0.8, 0.0]).collect();
    let asleep = [true; 3000];
    let (sender, receiver) = channel(64);
    for _ in 0..6 {
        let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_asleep(&asleep);
        let contacts = world.step_to_channel(bodies, &sender).expect("a good step");
        let expected = (contacts.body_pages().len(), contacts.static_pages().len());
        let (mut sent, mut told) = ((0, 0), None);
        while let Some(message) = receiver.try_recv() {
            match message {
                Streamed::Block(block) if block.static_pairs().is_empty() => sent.0 += 1,
                Streamed::Block(_) => sent.1 += 1,
                Streamed::Committed(end) => told = Some((end.body_blocks, end.static_blocks)),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((sent, told), (expected, Some(expected)));
    }
    assert_eq!(world.report().cached_count, 3000);
}

#[test]
fn pairs_among_sleepers_are_worked_on_when_others_that_were_filed_are_gone() {
    let mut fleet = Fleet::new(WorldConfig::new());
    let centers: Vec<[f32; 2]> = (0..9000).map(|k| [(k % 3000) as f32 * 0.4, (k / 3000) as f32 * 0.9]).collect();
    let asleep = [true; 9000];
    for frame in 0..10 {
        // Fewer than one in four, so that those that are filed stay so.
        let rows = if frame < 5 { 9000 } else { 9000 - 200 * (frame - 4) };
        let bodies = Bodies::uniform(&centers[..rows], [0.5, 0.5]).with_asleep(&asleep[..rows]);
        let (given, pairs) = fleet.each(|world| {
            let contacts = world.step(bodies).expect("a good step");
            (partners(contacts), contacts.body_pairs().len())
        });
        assert_eq!((given.len(), given.iter().map(Vec::len).sum::<usize>()), (rows, 2 * pairs));
        assert!(pairs > rows && (frame < 3 || fleet.world().report().cached_count == rows), "frame {frame}");
    }
}

#[test]
fn bodies_that_left_their_sleep_are_shifted_from_where_they_are() {
    let mut fleet = Fleet::new(WorldConfig::new());
    let mut centers: Vec<[f32; 2]> = (0..600).map(|k| [k as f32 * 2.0, 0.0]).collect();
    let asleep = [true; 600];
    for frame in 0..6 {
        if frame == 5 {
            centers[7] = [14.0, 500.0];
        }
        let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_asleep(&asleep);
        fleet.each(|world| world.step(bodies).map(|_| ())).expect("a good step");
    }
    assert_eq!(fleet.world().report().cached_count, 599, "it is filed where it was, and is not there");
    fleet.each(|world| world.shift_origin([10.0, 0.0])).expect("a good origin");
    assert_eq!(hits(fleet.world(), [4.0, 0.0, 4.0, 1.0]), []);
    assert_eq!(hits(fleet.world(), [4.0, 500.0, 4.0, 500.0]), [Hit::Body { row: 7, id: None }]);
}
