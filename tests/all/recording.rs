//! Recordings: a world that is recorded, read back and replayed has the same pairs in the same
//! order, call by call, and the same errors; damaged files are errors. (Feature `record`.)

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use triphase::record::{RecordedBoxes, RecordedCall, RecordedEntry, RecordedOutcome, Recording, RecordingError};
use triphase::{
    Bodies, BodyShape, ChangedRows, Error, Filter, InvalidRows, Statics, StridedColumn, World, WorldConfig,
};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::FoundPairs;

/// A file in memory.
#[derive(Clone, Default)]
struct SharedFile(Arc<Mutex<Vec<u8>>>);

impl SharedFile {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }

    fn read(&self) -> Vec<RecordedEntry> {
        let bytes = self.bytes();
        let mut recording = Recording::new(&bytes[..]).unwrap();
        let entries = (&mut recording).collect::<Result<_, _>>().unwrap();
        assert!(recording.is_complete());
        entries
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A world with random calls.
struct RandomWorld {
    random: SplitMix64,
    scene: Scene,
    world: World,
    /// What each call returned, with the pairs after it.
    outcomes: Vec<(Result<(), String>, FoundPairs)>,
    /// Whether the columns of the last step are known, so that changes can be named.
    is_told: bool,
}

impl RandomWorld {
    fn new(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let names = [SceneName::Crowd, SceneName::Castles, SceneName::Bullets, SceneName::PowerLaw];
        let scene = Scene::new(names[random.below(4)], random.below(400), seed);
        let is_circle = random.below(3) == 0;
        let config = WorldConfig::new()
            .with_contact_tracking(random.below(2) == 0)
            .with_partner_lists(random.below(2) == 0)
            .with_invalid_rows(if random.below(2) == 0 { InvalidRows::Skip } else { InvalidRows::Reject })
            .with_body_shape(if is_circle { BodyShape::Circle } else { BodyShape::Aabb })
            .with_bounds((random.below(3) == 0).then_some(0.45))
            .with_cell_size((random.below(3) == 0).then_some(3.0))
            .with_parallel_threshold((random.below(2) == 0).then_some(0));
        Self { random, scene, world: World::new(config).unwrap(), outcomes: Vec::new(), is_told: false }
    }

    fn did<T>(&mut self, outcome: Result<T, Error>) {
        let pairs = FoundPairs::new(self.world.contacts());
        self.outcomes.push((outcome.map(drop).map_err(|error| error.to_string()), pairs));
    }

    fn call(&mut self) {
        let count = self.world.statics().len();
        match self.random.below(12) {
            0 => {
                let shown = self.random.below(self.scene.statics.len() + 1);
                let ids: Vec<u64> = (0..shown as u64).map(|row| row * 7).collect();
                let filters: Vec<_> = ids.iter().map(|&id| Filter::new(id as u32 | 1, u32::MAX)).collect();
                let statics = Statics::new(&self.scene.statics[..shown]).with_ids(&ids).with_filters(&filters);
                let outcome = self.world.set_statics(statics);
                self.did(outcome);
            }
            1 => {
                // With ids or without, as the set has them or not: half of these calls fail.
                let ids = [self.random.next_u64(), self.random.next_u64()];
                let boxes = [[0.0f32, 0.0, 5.0, 1.0], [3.0, 3.0, 4.0, 9.0]];
                let statics = Statics::new(&boxes);
                let statics = if self.random.below(2) == 0 { statics.with_ids(&ids) } else { statics };
                let outcome = self.world.insert_statics(statics);
                self.did(outcome);
            }
            2 => {
                let rows = [self.random.below(count + 2) as u32];
                let outcome =
                    self.world.replace_statics(&rows, Statics::new(&[[1.0f32, 1.0, 9.0, 2.0]]).with_ids(&[5]));
                self.did(outcome);
            }
            3 => {
                let rows = [self.random.below(count + 2) as u32];
                let outcome = self.world.remove_statics(&rows);
                self.did(outcome);
            }
            4 => {
                let (row, enabled) = (self.random.below(count + 2) as u32, self.random.below(2) == 0);
                let outcome = self.world.set_static_enabled(row, enabled);
                self.did(outcome);
            }
            5 => {
                let by = [8.0, if self.random.below(3) == 0 { f32::NAN } else { -2.0 }];
                let outcome = self.world.shift_origin(by);
                self.is_told = false;
                self.did(outcome);
            }
            6 => {
                self.world.shrink_to_fit();
                self.did(Ok(()));
            }
            _ => self.step(),
        }
    }

    fn step(&mut self) {
        let moves = self.random.below(4);
        if moves == 0 {
            self.scene.advance();
        }
        let Self { random, scene, world, .. } = self;
        let len = scene.centers.len();
        let mut changed = Vec::new();
        if moves == 1 && len > 0 {
            let row = random.below(len);
            scene.centers[row] = [random.below(20) as f32, if random.below(4) == 0 { f32::NAN } else { 1.0 }];
            changed.push(row as u32);
        }
        let filters: Vec<_> = scene.ids.iter().map(|&id| Filter::new(1 << (id % 3), 3)).collect();
        let (cut, ids) = (random.below(len + 1), &scene.ids);
        let asleep: Vec<bool> = ids.iter().map(|id| id % 16 != 0).collect();
        let id_of = |row: usize| ids[row];
        let bodies = |from: usize, to: usize| Bodies::new(&scene.centers[from..to], &scene.half_extents[from..to]);
        let kind = random.below(8);
        let outcome = match kind {
            // Columns of different lengths.
            0 if len > 0 => world.step(Bodies::new(&scene.centers, &scene.half_extents[1..])).map(drop),
            1 => world.step(bodies(0, len).with_ids(ids).with_filters(&filters)).map(drop),
            2 => world.step(bodies(0, len).with_ids_by(&id_of).with_asleep(&asleep)).map(drop),
            3 => world.step([bodies(0, cut), bodies(cut, len).with_filters(&filters[cut..])]).map(drop),
            4 => world.step_streamed(Bodies::from_aabbs(&scene.boxes()), |_| {}).map(drop),
            5 => {
                let rows: Vec<[f32; 4]> = scene.centers.iter().map(|&[x, y]| [x, 9.0, y, 9.0]).collect();
                let gapped: Vec<[f32; 2]> = rows.iter().map(|row| [row[0], row[2]]).collect();
                let centers = StridedColumn::of(&gapped, |row| row);
                let bodies = Bodies::uniform_strided(centers, [0.4, 0.3]);
                match &scene.displacements {
                    Some(moves) => world.step(bodies.with_displacements(moves)).map(drop),
                    None => world.step(bodies).map(drop),
                }
            }
            _ => {
                // All rows, if it is not known what changed.
                let all: Vec<bool> =
                    (0..len as u32).map(|row| !self.is_told || moves == 0 || changed.contains(&row)).collect();
                let mut bits = vec![0u64; len.div_ceil(64)];
                (0..len).filter(|&row| all[row]).for_each(|row| bits[row / 64] |= 1 << (row % 64));
                let rows = match random.below(4) {
                    0 => ChangedRows::from(&all),
                    1 => ChangedRows::from_bits(&bits),
                    2 if self.is_told && moves != 0 => ChangedRows::from(&changed),
                    2 => ChangedRows::from(&all),
                    _ => ChangedRows::from(&[u32::MAX]),
                };
                world.step_changed(bodies(0, len), rows).map(drop)
            }
        };
        let is_told = outcome.is_ok() && kind >= 6;
        self.is_told = is_told;
        self.did(outcome);
    }
}

fn outcome_of(world: &World, outcome: &RecordedOutcome) -> (Result<(), String>, FoundPairs) {
    let outcome = match outcome {
        RecordedOutcome::Failed { message } => Err(message.clone()),
        _ => Ok(()),
    };
    (outcome, FoundPairs::new(world.contacts()))
}

#[test]
fn replayed_worlds_have_the_same_pairs_and_errors() {
    let mut failed = 0;
    for seed in 0..150 {
        let mut recorded = RandomWorld::new(seed);
        let file = SharedFile::default();
        recorded.world.record_to(file.clone()).unwrap();
        (0..40).for_each(|_| recorded.call());
        let summary = recorded.world.stop_recording().unwrap();
        assert_eq!((summary.call_count, summary.byte_count as usize), (40, file.bytes().len()));
        // What is not recorded any more.
        recorded.world.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5])).unwrap();

        let bytes = file.bytes();
        let mut recording = Recording::new(&bytes[..]).unwrap();
        assert_eq!(recording.config(), recorded.world.config());
        let mut world = recording.world(recording.config().clone()).unwrap();
        // On other threads and kernels too.
        let other = recording.config().clone().with_parallel_threshold(0).with_simd_max(triphase::SimdLevel::Portable);
        let mut other = recording.world(other).unwrap();
        for (k, entry) in recording.by_ref().enumerate() {
            let entry = entry.unwrap();
            let outcome = entry.call.replay(&mut world);
            assert_eq!(outcome_of(&world, &outcome), recorded.outcomes[k], "seed {seed}, call {k}: {:?}", entry.call);
            assert_eq!(Some(&outcome), entry.outcome.as_ref(), "seed {seed}, call {k}");
            assert_eq!(entry.call.replay(&mut other), outcome, "seed {seed}, call {k}, with other settings");
            failed += usize::from(matches!(outcome, RecordedOutcome::Failed { .. }));
        }
        assert!(recording.is_complete() && recorded.outcomes.len() == 40);
    }
    assert!(failed > 300, "errors are compared too: {failed}");
}

#[test]
fn recording_may_begin_at_any_time() {
    for seed in 0..40 {
        let mut recorded = RandomWorld::new(seed);
        (0..30).for_each(|_| recorded.call());
        let file = SharedFile::default();
        recorded.world.record_to(file.clone()).unwrap();
        let start = recorded.world.step_number();
        let bodies = Bodies::new(&recorded.scene.centers, &recorded.scene.half_extents);
        let expected = recorded.world.step(bodies).map(FoundPairs::new);
        recorded.world.stop_recording().unwrap();

        let bytes = file.bytes();
        let mut recording = Recording::new(&bytes[..]).unwrap();
        assert_eq!(recording.start_step(), start);
        let mut world = recording.world(recording.config().clone()).unwrap();
        let entry = recording.next().unwrap().unwrap();
        assert_eq!(Some(entry.call.replay(&mut world)), entry.outcome, "seed {seed}");
        if let Ok(expected) = expected {
            assert_eq!((FoundPairs::new(world.contacts()), world.step_number()), (expected, start + 1), "seed {seed}");
        }
    }
}

/// What a world does with sleepers must not depend on whether it has set statics, which a replayed
/// one has.
#[test]
fn replay_reuses_the_pairs_of_the_same_sleepers() {
    let mut scene = Scene::new(SceneName::Crowd, 60, 1);
    scene.half_extents[10] = [0.5, 5.0];
    let asleep = [true; 60];
    let file = SharedFile::default();
    let mut world = World::default();
    world.record_to(file.clone()).unwrap();
    // The rows of a step that fails are those that the next one finds unchanged.
    let center = std::mem::replace(&mut scene.centers[3], [f32::NAN, 0.0]);
    world.step(Bodies::new(&scene.centers, &scene.half_extents).with_asleep(&asleep)).unwrap_err();
    scene.centers[3] = center;
    let contacts = world.step(Bodies::new(&scene.centers, &scene.half_extents).with_asleep(&asleep)).unwrap();
    let (expected, cached_count) = (FoundPairs::new(contacts), world.report().cached_count);
    world.stop_recording().unwrap();

    let bytes = file.bytes();
    let mut recording = Recording::new(&bytes[..]).unwrap();
    let mut replayed = recording.world(recording.config().clone()).unwrap();
    for entry in recording.by_ref() {
        let entry = entry.unwrap();
        assert_eq!(Some(entry.call.replay(&mut replayed)), entry.outcome);
    }
    assert_eq!((FoundPairs::new(replayed.contacts()), replayed.report().cached_count), (expected, cached_count));
}

#[test]
fn unchanged_columns_are_not_written_again() {
    let mut scene = Scene::new(SceneName::Crowd, 1_000, 7);
    let statics = vec![[0.0f32, 0.0, 1.0, 1.0]; 500];
    let file = SharedFile::default();
    let mut world = World::default();
    world.record_to(file.clone()).unwrap();
    let mut sizes = Vec::new();
    for frame in 0..5 {
        world.set_statics(&statics).unwrap();
        match frame {
            3 => scene.centers[500] = [1.0, 2.0],
            4 => scene.advance(),
            _ => {}
        }
        let before = file.bytes().len();
        if frame == 0 {
            assert!(before > 500 * 16);
        }
        world.step(Bodies::new(&scene.centers, &scene.half_extents).with_ids(&scene.ids)).unwrap();
        sizes.push((before, file.bytes().len() - before));
    }
    let [first, same, again, one, all] = [0, 1, 2, 3, 4].map(|k: usize| sizes[k].1);
    assert!(first > 1_000 * 24 && same == again && same < 120, "{sizes:?}");
    assert!(one < same + 40 && (8_000..8_200).contains(&all), "{sizes:?}");
    assert!(sizes[2].0 - sizes[1].0 < 300, "statics that are set again: {sizes:?}");
    world.stop_recording().unwrap();
    let entries = file.read();
    let centers: Vec<_> = entries
        .iter()
        .filter_map(|entry| match &entry.call {
            RecordedCall::Step(bodies) => match &bodies[0].boxes {
                RecordedBoxes::Centers { centers, .. } => Some(centers),
                _ => None,
            },
            _ => None,
        })
        .collect();
    assert!(Arc::ptr_eq(centers[0], centers[1]) && !Arc::ptr_eq(centers[2], centers[3]));
    assert_eq!((centers[3][500], &centers[4][..]), ([1.0, 2.0], &scene.centers[..]));
}

/// A writer that fails, or panics, after some bytes.
struct Failing {
    file: SharedFile,
    limit: usize,
    by_panic: bool,
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.file.bytes().len() + bytes.len() > self.limit {
            assert!(!self.by_panic, "a panic of the writer");
            return Err(io::Error::other("the disk is full"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_of_the_writer_lose_no_step() {
    let scene = Scene::new(SceneName::Crowd, 300, 7);
    let expected = FoundPairs::new(World::default().step(Bodies::new(&scene.centers, &scene.half_extents)).unwrap());
    let mut readable = 0;
    for limit in (0..9_000).step_by(13) {
        let mut world = World::default();
        let file = SharedFile::default();
        match world.record_to(Failing { file: file.clone(), limit, by_panic: false }) {
            Err(error) => assert_eq!(error.to_string(), "the disk is full"),
            Ok(()) => assert!(world.recording_error().is_none()),
        }
        for _ in 0..3 {
            let contacts = world.step(Bodies::new(&scene.centers, &scene.half_extents)).unwrap();
            assert_eq!(FoundPairs::new(contacts), expected);
        }
        if let Some(error) = world.recording_error() {
            assert_eq!(error.to_string(), "the disk is full");
            assert!(world.stop_recording().is_err() && world.recording_error().is_none());
            let bytes = file.bytes();
            let entries: Vec<_> = Recording::new(&bytes[..]).unwrap().collect();
            assert!(entries.iter().all(Result::is_ok), "records are whole, the rest is missing");
            readable += entries.len();
        } else if let Err(error) = world.stop_recording() {
            assert_eq!(error.to_string(), "the disk is full", "for the end, or from the begin on");
        }
    }
    assert!(readable > 10, "{readable}");
    // Without a recording, there is nothing to end.
    assert_eq!(World::default().stop_recording().unwrap().call_count, 0);
}

#[test]
fn panics_of_the_caller_are_not_recorded_as_something_else() {
    let ids = |most: usize| {
        let calls = AtomicUsize::new(0);
        move |row: usize| {
            assert!(calls.fetch_add(1, Ordering::Relaxed) < most, "no more ids");
            row as u64
        }
    };
    let (file, mut world) = (SharedFile::default(), World::default());
    world.record_to(file.clone()).unwrap();
    // The recording asks for eight ids, and then the step does.
    for (x, most) in [(2.0, 99), (0.9, 5), (0.9, 8), (0.9, 99)] {
        let centers: Vec<[f32; 2]> = (0..8).map(|k| [x * k as f32, 0.0]).collect();
        let step = || _ = world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids_by(&ids(most))).unwrap();
        assert_eq!(catch_unwind(AssertUnwindSafe(step)).is_ok(), most == 99);
    }
    world.stop_recording().unwrap();
    let (panicked, made): (Vec<_>, Vec<_>) =
        file.read().into_iter().partition(|entry| entry.outcome == Some(RecordedOutcome::Panicked));
    assert_eq!((panicked.len(), made.len()), (1, 2), "a call whose ids are not known is not recorded");
    let mut replayed = World::default();
    for entry in made {
        assert_eq!(Some(entry.call.replay(&mut replayed)), entry.outcome);
    }
    assert_eq!(replayed.contacts().body_pairs().len(), 7);
}

#[test]
fn a_writer_that_panicked_is_not_written_to_again() {
    let file = SharedFile::default();
    let mut world = World::default();
    world.record_to(Failing { file: file.clone(), limit: 300, by_panic: true }).unwrap();
    let mut step = || _ = world.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5])).unwrap();
    let panics = (0..9).filter(|_| catch_unwind(AssertUnwindSafe(&mut step)).is_err()).count();
    assert_eq!(panics, 1);
    assert_eq!(world.recording_error().unwrap().to_string(), "the writer of the recording panicked");
    assert!(world.stop_recording().is_err());
    assert!(Recording::new(&file.bytes()[..]).unwrap().all(|entry| entry.is_ok()));
}

#[test]
fn statics_that_share_ids_are_refused_if_contacts_are_tracked() {
    let (file, mut world) = (SharedFile::default(), World::default());
    world.set_statics(Statics::new(&[[0.0f32, 0.0, 1.0, 1.0]; 2]).with_ids(&[5, 5])).unwrap();
    world.record_to(file.clone()).unwrap();
    world.stop_recording().unwrap();
    let bytes = file.bytes();
    let world =
        |tracking| Recording::new(&bytes[..]).unwrap().world(WorldConfig::new().with_contact_tracking(tracking));
    assert!(world(false).is_ok());
    assert_eq!(world(true).err(), Some(Error::DuplicateStaticId { first: 0, second: 1, id: 5 }));
}

/// A short recording with all kinds of records.
fn short_file() -> Vec<u8> {
    let mut recorded = RandomWorld::new(3);
    recorded.scene = Scene::new(SceneName::Castles, 9, 3);
    let file = SharedFile::default();
    recorded.world.record_to(file.clone()).unwrap();
    (0..25).for_each(|_| recorded.call());
    recorded.world.stop_recording().unwrap();
    file.bytes()
}

/// Reads as far as possible: the entries as text, the error, and whether all was read.
fn read(bytes: &[u8]) -> (Vec<String>, Option<RecordingError>, bool) {
    let mut recording = match Recording::new(bytes) {
        Ok(recording) => recording,
        Err(error) => return (Vec::new(), Some(error), false),
    };
    let (mut entries, mut last) = (Vec::new(), None);
    for entry in recording.by_ref() {
        match entry {
            Ok(entry) => entries.push(format!("{entry:?}")),
            Err(error) => last = Some(error),
        }
    }
    assert!(recording.next().is_none(), "an error ends it");
    (entries, last, recording.is_complete())
}

/// The entries of a damaged file are the first of those of the whole one. The last may lack its
/// outcome.
#[track_caller]
fn assert_prefix(part: &[String], whole: &[String], what: &str) {
    let same = part.iter().zip(whole).take_while(|(a, b)| a == b).count();
    let without_outcome = |entry: &String| entry.split(", outcome: ").next().map(str::to_owned);
    let rest = &part[same..];
    let is_last = rest.len() == 1 && without_outcome(&rest[0]) == without_outcome(&whole[same]);
    assert!(rest.is_empty() || is_last && rest[0].ends_with("outcome: None }"), "{what}: entry {same}: {}", rest[0]);
}

#[test]
fn cut_files_are_errors_or_shorter() {
    let file = short_file();
    let (whole, error, is_complete) = read(&file);
    assert!(whole.len() == 25 && error.is_none() && is_complete);
    let mut clean = 0;
    for len in 0..file.len() {
        let (entries, error, is_complete) = read(&file[..len]);
        assert_prefix(&entries, &whole, &format!("cut after {len} bytes"));
        assert!(!is_complete, "cut after {len} bytes");
        match error {
            None => clean += 1,
            Some(RecordingError::Truncated { offset, expected, found }) => {
                assert_eq!(offset + found, len as u64);
                assert!(expected > found);
            }
            Some(RecordingError::Foreign { found }) => assert!(len < 8 && found.len() == len),
            Some(RecordingError::Damaged { offset: 12, .. }) => assert_eq!(len, 12, "no first record"),
            Some(error) => panic!("cut after {len} bytes: {error}"),
        }
    }
    assert_eq!(clean, 2 * whole.len() + 1, "at the end of each record but the last");
    let more = [&file[..], b"x"].concat();
    let (entries, error, is_complete) = read(&more);
    assert!(entries == whole && matches!(error, Some(RecordingError::Truncated { .. })) && !is_complete);
}

#[test]
fn flipped_bytes_are_errors() {
    let file = short_file();
    let (whole, ..) = read(&file);
    for at in 0..file.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = file.clone();
            damaged[at] ^= flip;
            let (entries, error, is_complete) = read(&damaged);
            let what = format!("byte {at} ^ {flip:#x}");
            assert_prefix(&entries, &whole, &what);
            let error = error.unwrap_or_else(|| panic!("{what}: {entries:?}"));
            assert!(!is_complete && !error.to_string().is_empty(), "{what}");
        }
    }
}

#[test]
fn foreign_files_are_named() {
    let text = |bytes: &[u8]| read(bytes).1.unwrap().to_string();
    assert_eq!(text(b"{\"version\": 1}"), "not a recording: it begins with \"{\\\"versio\"");
    assert_eq!(text(b""), "not a recording: it begins with \"\"");
    let mut file = short_file();
    file[8] = 9;
    assert_eq!(text(&file), "the recording has format 9; this version of the library reads format 1");
    file[8] = 1;
    let len = file.len();
    let expected = "the file ends within the record at byte 12: 18 of ";
    assert!(text(&file[..30]).starts_with(expected), "{}", text(&file[..30]));
    // A length that lies.
    file[12 + 8..12 + 16].fill(0xFF);
    assert_eq!(
        text(&file),
        format!("the file ends within the record at byte 12: {} of {} bytes are there", len - 12, u64::MAX)
    );
}
