//! Files of earlier versions: the saved world and the recording in `tests/all/stored` can be read,
//! and a recording is still written as it was. (Features `serde` and `record`.)
//!
//! A change that makes these tests fail may make the files of users unreadable. If that is
//! intended, raise the version of the format and write the files anew: run the tests with
//! `UPDATE_STORED_FILES=1`, which still compares the old ones, and then without.

use triphase::{Bodies, Filter, Statics, World, WorldConfig};

const WALLS: [[f32; 4]; 3] = [[0.0, 0.0, 10.0, 1.0], [0.0, 0.0, 1.0, 10.0], [4.0, 4.0, 6.0, 6.0]];
const WALL_IDS: [u64; 3] = [u64::MAX, 7, 1 << 40];
const CENTERS: [[f32; 2]; 5] = [[0.5, 0.5], [1.25, 0.5], [5.0, 3.5], [5.0, 6.5], [20.0, 20.0]];
const IDS: [u64; 5] = [10, 20, 30, 40, u64::MAX - 1];

fn config() -> WorldConfig {
    let config = WorldConfig::new().with_contact_tracking(true).with_margin(0.125).with_bounds([0.5, 2.0]);
    config.with_parallel_threshold(8000).with_pair_limit(1 << 28) // also if defaults change
}

/// Writes a stored file anew if that is asked for.
fn update(name: &str, content: &[u8]) {
    if std::env::var_os("UPDATE_STORED_FILES").is_some() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/all/stored");
        std::fs::write(format!("{directory}/{name}"), content).unwrap();
    }
}

/// Sets statics of which some are disabled, and some changed after their tree was built.
fn set_statics(world: &mut World) {
    let filters = [Filter::new(1, u32::MAX), Filter::new(2, 1), Filter::new(4, 3)];
    world.set_statics(Statics::new(&WALLS).with_ids(&WALL_IDS).with_filters(&filters)).unwrap();
    world.insert_statics(Statics::new(&[[5.0f32, 5.0, 5.5, 8.0]]).with_ids(&[8]).with_filters(&[filters[0]])).unwrap();
    world.set_static_enabled(1, false).unwrap();
}

fn step(world: &mut World) {
    let filters: Vec<_> = (0..IDS.len() as u32).map(|row| Filter::new(1 << (row % 2), u32::MAX)).collect();
    let bodies = Bodies::uniform(&CENTERS, [0.5, 0.5]).with_ids(&IDS).with_filters(&filters);
    let contacts = world.step(bodies).unwrap();
    assert_eq!((contacts.body_pairs().len(), contacts.static_pairs().len()), (1, 5));
}

#[cfg(feature = "serde")]
#[test]
fn stored_world_is_restored() {
    let mut world = World::new(config()).unwrap();
    set_statics(&mut world);
    step(&mut world);
    let mut events = world.events_mut().unwrap();
    events.tracked().for_each(|(pair, value)| *value = 100 * pair.a + pair.b);
    events.tracked_static().for_each(|(pair, value)| *value = 100 * pair.body + pair.static_row);
    let saved = world.save();
    update("world_3.json", serde_json::to_string(&saved).unwrap().as_bytes());
    let stored: triphase::SavedWorld = serde_json::from_str(include_str!("stored/world_3.json")).unwrap();
    assert_eq!(stored, saved);
    let mut restored = World::restore(stored).unwrap();
    step(&mut restored);
    let events = restored.contacts().events().unwrap();
    assert_eq!((events.persisting().count(), events.persisting_static().count()), (1, 5), "values and ids are kept");
    assert_eq!((events.started().count(), events.ended().count()), (0, 0));
}

#[cfg(feature = "record")]
mod recording {
    use super::{CENTERS, IDS, WALLS, config, set_statics, step, update};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use triphase::record::Recording;
    use triphase::{Bodies, ChangedRows, Statics, World};

    #[derive(Clone, Default)]
    struct SharedFile(Arc<Mutex<Vec<u8>>>);

    impl Write for SharedFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A recording that begins with statics, and has each kind of call and column. No call fails:
    /// texts of errors may change.
    fn file() -> Vec<u8> {
        let mut world = World::new(config()).unwrap();
        set_statics(&mut world);
        let file = SharedFile::default();
        world.record_to(file.clone()).unwrap();
        step(&mut world);
        // Two rows change, and the others are the same.
        let (mut centers, boxes) = (CENTERS, [[0.0f32, 0.0, 1.0, 1.0], [0.5, 0.5, 3.0, 3.0]]);
        (centers[1], centers[4]) = ([9.5, 0.5], [5.0, 6.25]);
        let filters = [triphase::Filter::ALL; IDS.len()];
        let bodies = || Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&IDS).with_filters(&filters);
        world.step(bodies()).unwrap();
        centers[0] = [2.0, 2.0];
        let bodies = || Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&IDS).with_filters(&filters);
        world.step_changed(bodies(), ChangedRows::from(&[0])).unwrap();
        world.step_changed(bodies(), ChangedRows::from(&[true, false, false, false, true])).unwrap();
        world.step_changed(bodies(), ChangedRows::from_bits(&[0b10])).unwrap();
        let asleep = [false, true];
        world.step(Bodies::from_aabbs(&boxes).with_ids(&IDS[..2]).with_asleep(&asleep)).unwrap();
        let (halves, moves) = ([[0.5f32, 0.25]; IDS.len()], [[1.0f32, -2.0]; IDS.len()]);
        world.step(Bodies::new(&centers, &halves).with_ids(&IDS).with_displacements(&moves)).unwrap();
        world.set_statics(Statics::new(&WALLS).with_ids(&IDS[..3])).unwrap();
        world.insert_statics(Statics::new(&WALLS[..1]).with_ids(&[60])).unwrap();
        world.set_static_enabled(1, false).unwrap();
        world.replace_statics(&[2], Statics::new(&WALLS[..1]).with_ids(&[9])).unwrap();
        world.remove_statics(&[0]).unwrap();
        world.shift_origin([4.0, -2.0]).unwrap();
        world.shrink_to_fit();
        world.stop_recording().unwrap();
        Arc::try_unwrap(file.0).unwrap().into_inner().unwrap()
    }

    #[test]
    fn stored_recording_is_replayed_and_written_again() {
        let (now, stored) = (file(), include_bytes!("stored/recording_1"));
        update("recording_1", &now);
        let mut recording = Recording::new(&stored[..]).unwrap();
        let mut world = recording.world(recording.config().clone()).unwrap();
        let mut calls = 0;
        for entry in recording.by_ref() {
            let entry = entry.unwrap();
            assert_eq!(Some(entry.call.replay(&mut world)), entry.outcome, "{:?}", entry.call);
            calls += 1;
        }
        assert!(recording.is_complete() && calls == 14, "{calls}");
        assert!(now == stored, "recordings are written in another way than they were");
    }
}
