//! Damaged contents with checksums that fit: as if someone had made them.

use crate::record::format::{HEAD_LEN, checksum};
use crate::record::{PairDigest, RecordedEntry, RecordedOutcome, Recording, RecordingError};
use crate::{Bodies, ChangedRows, Filter, Statics, World};
use parking_lot::Mutex;
use std::io::{self, Write};
use std::sync::Arc;

#[derive(Clone, Default)]
struct SharedFile(Arc<Mutex<Vec<u8>>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn file() -> Vec<u8> {
    let file = SharedFile::default();
    let mut world = World::default();
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0], [3.0, 3.0, 4.0, 4.0]]).unwrap();
    world.remove_statics(&[1]).unwrap();
    world.record_to(file.clone()).unwrap();
    let mut centers: Vec<[f32; 2]> = (0..40).map(|k| [k as f32, 0.0]).collect();
    let ids: Vec<u64> = (0..40).collect();
    for frame in 0..3 {
        centers[7][1] += 1.0;
        centers.push([frame as f32, 9.0]);
        let bodies = Bodies::uniform(&centers[..40], [0.6, 0.6]).with_ids(&ids).with_filters(&[Filter::ALL; 40]);
        world.step([bodies, Bodies::from_aabbs(&[[0.0f32; 4]]).with_ids(&[99])]).unwrap();
        world.step_changed(Bodies::uniform(&centers, [0.6, 0.6]), &vec![true; centers.len()]).unwrap();
        world.step_changed(Bodies::uniform(&centers, [0.6, 0.6]), ChangedRows::NONE).unwrap();
    }
    world.replace_statics(&[0], Statics::new(&[[5.0f32, 5.0, 6.0, 6.0]])).unwrap();
    world.set_static_enabled(0, false).unwrap();
    world.shift_origin([1.0, 1.0]).unwrap();
    world.stop_recording().unwrap();
    file.0.lock().clone()
}

/// Where the records of a file begin and end.
fn records(file: &[u8]) -> Vec<(usize, usize)> {
    let (mut records, mut at) = (Vec::new(), 12);
    while at < file.len() {
        let len = u64::from_le_bytes(file[at + 8..at + HEAD_LEN].try_into().unwrap()) as usize;
        records.push((at, at + HEAD_LEN + len));
        at += HEAD_LEN + len;
    }
    records
}

/// Corrects the checksum of the record at some bytes of a file.
fn correct_sum(file: &mut [u8], (start, end): (usize, usize)) {
    let letters = file[start..start + 4].try_into().unwrap();
    let sum = checksum(letters, &file[start + HEAD_LEN..end]);
    file[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn step_numbers_have_a_limit() {
    let file = SharedFile::default();
    let mut world = World::default();
    for _ in 0..0x321 {
        world.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5])).unwrap();
    }
    world.record_to(file.clone()).unwrap();
    world.stop_recording().unwrap();
    let file = file.0.lock().clone();
    let at = file.windows(8).position(|bytes| bytes == 0x321u64.to_le_bytes()).unwrap();
    let with_step = |step: u64| {
        let mut changed = file.clone();
        changed[at..at + 8].copy_from_slice(&step.to_le_bytes());
        correct_sum(&mut changed, records(&file)[0]);
        let recording = Recording::new(&changed[..])?;
        Ok::<_, RecordingError>(recording.world(recording.config().clone()).unwrap())
    };
    let mut world = with_step(1 << 63).unwrap();
    assert_eq!(world.step_number(), 1 << 63);
    world.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5])).unwrap();
    let error = with_step((1 << 63) + 1).err();
    assert!(matches!(error, Some(RecordingError::Damaged { expected: "a step number of at most 2^63", .. })));
}

#[test]
fn contents_are_checked_even_if_checksums_fit() {
    let file = file();
    let whole: Vec<RecordedEntry> = Recording::new(&file[..]).unwrap().map(Result::unwrap).collect();
    assert_eq!(whole.len(), 12);
    let (mut errors, mut accepted) = (0, 0);
    for (start, end) in records(&file) {
        for at in start + HEAD_LEN..end {
            for value in [0, 1, 2, 3, 0x7F, 0xFF] {
                let mut damaged = file.clone();
                damaged[at] = value;
                correct_sum(&mut damaged, (start, end));
                let Ok(mut recording) = Recording::new(&damaged[..]) else {
                    errors += 1;
                    continue;
                };
                let is_damaged = recording.by_ref().any(|entry| entry.is_err());
                // Invalid settings or statics are errors of the world.
                let _ = recording.world(recording.config().clone());
                errors += usize::from(is_damaged);
                accepted += usize::from(!is_damaged);
            }
        }
    }
    assert!(errors > 1_000 && accepted > 1_000, "{errors} {accepted}");
}

#[test]
fn differences_of_outcomes_are_named() {
    let digest = |set, order| PairDigest { body_pair_count: 2, static_pair_count: 1, set, order };
    let stepped = |set, order| RecordedOutcome::Stepped { step_number: 7, pairs: digest(set, order) };
    let failed = RecordedOutcome::Failed { message: "row 3".to_owned() };
    assert_eq!(stepped(1, 1).difference(&stepped(1, 1)), None);
    assert!(stepped(1, 1).difference(&stepped(1, 2)).is_some_and(|text| text.contains("another order")));
    let text = stepped(1, 1).difference(&stepped(2, 2)).expect("other pairs");
    assert!(
        text.contains("recorded step 7 with 2 body pairs and 1 static pairs, hash 0000000000000001, now"),
        "{text}"
    );
    let text = RecordedOutcome::Done.difference(&failed).expect("an error");
    assert_eq!(text, "recorded no error, now the error \"row 3\"");
}
