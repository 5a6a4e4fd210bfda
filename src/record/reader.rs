//! Reads a recording.

use crate::config::WorldConfig;
use crate::error::Error;
use crate::frame::frames::STEP_MAX;
use crate::geometry::RawAabb;
use crate::record::entry::{CallReader, RecordedEntry, RecordedOutcome, RecordedStatics, StaticsReader};
use crate::record::error::RecordingError;
use crate::record::format::{Content, HEAD_LEN, MAGIC, Tag, VERSION, checksum};
use crate::record::settings::read_settings;
use crate::tier::static_tree::tree::StaticTree;
use std::io::{self, Read};

/// A recording that is being read: an iterator over its calls.
///
/// Made by [`World::record_to`](crate::World::record_to); see the [module](crate::record) for an
/// example. A recording that is damaged, or ends early because the program crashed, yields the
/// calls before that, then an error, and then nothing more. If it ends between two records there is
/// no error, but it is not [complete](Self::is_complete).
///
/// # Cost
///
/// Memory: the columns of a step, and those of the entries that you keep.
#[derive(Debug)]
pub struct Recording<R> {
    reader: io::BufReader<R>,
    /// Where the next record begins.
    offset: u64,
    config: WorldConfig,
    start: StartOfWorld,
    calls: CallReader,
    /// A record that was read, as it might have been an outcome.
    next: Option<Result<Record, RecordingError>>,
    state: State,
}

/// The world when its recording began.
#[derive(Debug)]
struct StartOfWorld {
    step: u64,
    statics: RecordedStatics,
    disabled: Vec<u32>,
    changed: Vec<u32>,
    built_boxes: Vec<RawAabb>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// The last record was read.
    Complete,
    /// There was an error, or the file ended.
    Ended,
}

#[derive(Debug)]
struct Record {
    offset: u64,
    tag: Tag,
    content: Vec<u8>,
}

impl Record {
    fn content(&self) -> Content<'_> {
        Content::new(&self.content, self.offset + HEAD_LEN as u64)
    }
}

impl<R: Read> Recording<R> {
    /// Reads the beginning of a recording: the settings and statics of its world.
    ///
    /// # Errors
    ///
    /// [`RecordingError::Foreign`] if it is something else, [`RecordingError::UnknownVersion`],
    /// and those of damaged files.
    pub fn new(reader: R) -> Result<Self, RecordingError> {
        let mut reader = io::BufReader::new(reader);
        let mut head = Vec::new();
        let head_len = MAGIC.len() + size_of_val(&VERSION);
        let read = reader.by_ref().take(head_len as u64).read_to_end(&mut head);
        read.map_err(|source| RecordingError::Io { offset: 0, source })?;
        let Some(version) = head.strip_prefix(&MAGIC) else {
            head.truncate(MAGIC.len());
            return Err(RecordingError::Foreign { found: head });
        };
        let Ok(version) = version.try_into().map(u32::from_le_bytes) else {
            return Err(RecordingError::Truncated { offset: 0, expected: head_len as u64, found: head.len() as u64 });
        };
        if version != VERSION {
            return Err(RecordingError::UnknownVersion { found: version, expected: VERSION });
        }
        let offset = head_len as u64;
        let record = read_record(&mut reader, offset)?.filter(|record| record.tag == Tag::Begin);
        let expected = "the record of a world's settings";
        let record = record.ok_or(RecordingError::Damaged { offset, expected })?;
        let (config, start) = read_start(&mut record.content())?;
        let offset = offset + (HEAD_LEN + record.content.len()) as u64;
        let calls = CallReader::default();
        Ok(Self { reader, offset, config, start, calls, next: None, state: State::Reading })
    }

    /// The settings of the recorded world.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }

    /// The [`World::step_number`](crate::World::step_number) when the recording began.
    ///
    /// If it is not 0, the recording lacks what the world knew of earlier steps: events of the
    /// first step, and the order of pairs of steps with sleepers or of
    /// [`step_changed`](crate::World::step_changed), may differ from those of the recorded world.
    pub fn start_step(&self) -> u64 {
        self.start.step
    }

    /// Whether all has been read, up to the end that
    /// [`World::stop_recording`](crate::World::stop_recording) writes.
    pub fn is_complete(&self) -> bool {
        self.state == State::Complete
    }

    /// The static set when the recording began.
    pub(crate) fn start_statics(&self, parallel: bool) -> Result<StaticTree, Error> {
        let StartOfWorld { statics, disabled, changed, built_boxes, .. } = &self.start;
        let changed = changed.iter().copied().zip(built_boxes.iter().copied());
        StaticTree::restore(statics.statics(), disabled, changed, parallel)
    }

    fn read_entry(&mut self) -> Result<Option<RecordedEntry>, RecordingError> {
        let Some(record) = self.next_record()? else { return Ok(None) };
        let unexpected = RecordingError::Damaged { offset: record.offset, expected: "the record of a call" };
        if record.tag == Tag::End {
            record.content().finish()?;
            return match self.next_record()? {
                None => {
                    self.state = State::Complete;
                    Ok(None)
                }
                Some(record) => Err(RecordingError::Damaged { offset: record.offset, expected: "the end of the file" }),
            };
        }
        let call = self.calls.read(record.tag, &mut record.content())?.ok_or(unexpected)?;
        let outcome = match self.next_record() {
            Ok(Some(record)) if record.tag == Tag::Outcome => {
                let mut content = record.content();
                let outcome = RecordedOutcome::read(&mut content)?;
                content.finish()?;
                Some(outcome)
            }
            // Looked at when the next call is asked for.
            other => {
                let goes_on = matches!(other, Ok(Some(_)));
                self.next = other.transpose();
                goes_on.then_some(RecordedOutcome::Panicked)
            }
        };
        Ok(Some(RecordedEntry { offset: record.offset, call, outcome }))
    }

    fn next_record(&mut self) -> Result<Option<Record>, RecordingError> {
        if let Some(record) = self.next.take() {
            return record.map(Some);
        }
        let record = read_record(&mut self.reader, self.offset)?;
        self.offset += record.as_ref().map_or(0, |record| (HEAD_LEN + record.content.len()) as u64);
        Ok(record)
    }
}

impl<R: Read> Iterator for Recording<R> {
    type Item = Result<RecordedEntry, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state != State::Reading {
            return None;
        }
        let entry = self.read_entry().transpose();
        if !matches!(entry, Some(Ok(_))) && self.state == State::Reading {
            self.state = State::Ended;
        }
        entry
    }
}

impl<R: Read> std::iter::FusedIterator for Recording<R> {}

/// Reads the record at an offset; `None` at the end of the file.
fn read_record(reader: &mut impl Read, offset: u64) -> Result<Option<Record>, RecordingError> {
    let io_error = |source| RecordingError::Io { offset, source };
    let mut head = Vec::with_capacity(HEAD_LEN);
    reader.by_ref().take(HEAD_LEN as u64).read_to_end(&mut head).map_err(io_error)?;
    if head.is_empty() {
        return Ok(None);
    }
    let Some((letters, sum, len)) = split_head(&head) else {
        let found = head.len() as u64;
        return Err(RecordingError::Truncated { offset, expected: HEAD_LEN as u64, found });
    };
    let mut content = Vec::new();
    // Grows with what is there, whatever the length says (RECORD-4).
    reader.by_ref().take(len).read_to_end(&mut content).map_err(io_error)?;
    if content.len() as u64 != len {
        let [expected, found] = [len, content.len() as u64].map(|len| len.saturating_add(HEAD_LEN as u64));
        return Err(RecordingError::Truncated { offset, expected, found });
    }
    if checksum(letters, &content) != sum {
        return Err(RecordingError::Damaged { offset, expected: "a record with the checksum in its head" });
    }
    let tag = Tag::of(letters).ok_or(RecordingError::Damaged { offset, expected: "a known kind of record" })?;
    Ok(Some(Record { offset, tag, content }))
}

/// The letters, the checksum and the length of a record.
fn split_head(head: &[u8]) -> Option<([u8; 4], u32, u64)> {
    let (&letters, rest) = head.split_first_chunk()?;
    let (&sum, rest) = rest.split_first_chunk()?;
    Some((letters, u32::from_le_bytes(sum), u64::from_le_bytes(rest.try_into().ok()?)))
}

fn read_start(content: &mut Content<'_>) -> Result<(WorldConfig, StartOfWorld), RecordingError> {
    let config = read_settings(content)?;
    let step = content.u64("a step number")?;
    if step > STEP_MAX {
        return Err(content.damaged("a step number of at most 2^63"));
    }
    let statics = StaticsReader::default().read(content)?;
    let disabled = content.column("disabled static rows")?;
    let changed: Vec<u32> = content.column("changed static rows")?;
    let mut built_boxes = Vec::new();
    content.rows(changed.len() as u64, &mut built_boxes, "boxes of changed static rows")?;
    content.finish()?;
    Ok((config, StartOfWorld { step, statics, disabled, changed, built_boxes }))
}
