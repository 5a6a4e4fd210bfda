//! Writes a recording.

use crate::call::Call;
use crate::error::Error;
use crate::geometry::RawAabb;
use crate::input::bodies::{Bodies, BoxColumns, Ids};
use crate::input::changed_rows::{ChangedRows, Form};
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::record::columns::ColumnWriter;
use crate::record::entry::RecordedOutcome;
use crate::record::format::{AABBS, BITS, CENTERS, FLAGS, LIST, MAGIC, RecordBuffer, Tag, UNIFORM, VERSION};
use crate::record::settings::write_settings;
use crate::state::WorldState;
use crate::tier::static_tree::restore::StaticColumns;
use crate::tier::static_tree::tree::StaticTree;
use parking_lot::Mutex;
use std::io;

/// What a recording has written, see [`World::stop_recording`](crate::World::stop_recording).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordingSummary {
    /// Calls that were recorded.
    pub call_count: u64,
    /// Bytes that were written.
    pub byte_count: u64,
}

/// The recording of a world, if there is one.
#[derive(Default)]
pub(crate) struct Recorder(Option<Box<ActiveRecorder>>);

struct ActiveRecorder {
    /// Locked never: it makes the world `Sync`, whatever the writer is.
    writer: Mutex<Box<dyn io::Write + Send>>,
    /// The first error of the writer. Nothing is written after it.
    error: Option<io::Error>,
    summary: RecordingSummary,
    record: RecordBuffer,
    chunks: Vec<ChunkWriter>,
    statics: StaticsWriter,
}

/// The columns of a chunk.
#[derive(Default)]
struct ChunkWriter {
    centers: ColumnWriter<[f32; 2]>,
    half_extents: ColumnWriter<[f32; 2]>,
    aabbs: ColumnWriter<RawAabb>,
    displacements: ColumnWriter<[f32; 2]>,
    ids: ColumnWriter<u64>,
    filters: ColumnWriter<Filter>,
    asleep: ColumnWriter<u8>,
    computed_ids: Vec<u64>,
}

#[derive(Default)]
struct StaticsWriter {
    aabbs: ColumnWriter<RawAabb>,
    ids: ColumnWriter<u64>,
    filters: ColumnWriter<Filter>,
}

impl Recorder {
    /// Begins a recording with the settings, the number of the last step, and the statics of a
    /// world.
    pub(crate) fn begin(writer: Box<dyn io::Write + Send>, state: &WorldState) -> io::Result<Self> {
        let mut active = ActiveRecorder {
            writer: Mutex::new(writer),
            error: None,
            summary: RecordingSummary::default(),
            record: RecordBuffer::default(),
            chunks: Vec::new(),
            statics: StaticsWriter::default(),
        };
        let head = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        active.writer.get_mut().write_all(&head)?;
        active.summary.byte_count = head.len() as u64;
        let record = active.record.begin();
        write_settings(&state.config, record);
        record.u64(state.frames.front().step);
        write_static_set(&state.statics.tree, record);
        active.write(Tag::Begin);
        match active.error.take() {
            Some(error) => Err(error),
            None => Ok(Self(Some(Box::new(active)))),
        }
    }

    /// Ends the recording, if there is one. Returns the first error of its writer.
    pub(crate) fn end(&mut self) -> io::Result<RecordingSummary> {
        let Some(mut active) = self.0.take() else { return Ok(RecordingSummary::default()) };
        active.record.begin();
        active.write(Tag::End);
        match active.error.take() {
            Some(error) => Err(error),
            None => active.writer.get_mut().flush().map(|()| active.summary),
        }
    }

    /// The first error of the writer.
    pub(crate) fn error(&self) -> Option<&io::Error> {
        self.0.as_ref()?.error.as_ref()
    }

    /// Writes a call that is about to run (RECORD-2).
    pub(crate) fn call(&mut self, call: Call<'_>) {
        if let Some(active) = self.0.as_mut().filter(|active| active.error.is_none()) {
            active.call(call);
        }
    }

    /// Writes what the last call returned: for a step that succeeded, its number and its pairs.
    pub(crate) fn outcome<T>(&mut self, outcome: &Result<T, Error>, is_step: bool, state: &WorldState) {
        let Some(active) = self.0.as_mut().filter(|active| active.error.is_none()) else { return };
        let outcome = if is_step {
            RecordedOutcome::of_step(outcome, state.frames.front().step, state.contacts())
        } else {
            RecordedOutcome::of(outcome)
        };
        outcome.write(active.record.begin());
        active.write(Tag::Outcome);
    }
}

impl ActiveRecorder {
    fn call(&mut self, call: Call<'_>) {
        let Self { record, chunks, statics, .. } = self;
        record.begin();
        let tag = match call {
            Call::Step(bodies) => {
                write_chunks(bodies, chunks, record);
                Tag::Step
            }
            Call::StepChanged(bodies, changed) => {
                write_chunks(bodies, chunks, record);
                write_changed(changed, record);
                Tag::StepChanged
            }
            Call::SetStatics(given) => {
                statics.write(given, record);
                Tag::SetStatics
            }
            // A few statics have nothing to do with the set before.
            Call::InsertStatics(given) => {
                StaticsWriter::default().write(given, record);
                Tag::InsertStatics
            }
            Call::ReplaceStatics(rows, given) => {
                record.column(rows);
                StaticsWriter::default().write(given, record);
                Tag::ReplaceStatics
            }
            Call::RemoveStatics(rows) => {
                record.column(rows);
                Tag::RemoveStatics
            }
            Call::SetStaticEnabled(row, enabled) => {
                record.u32(row);
                record.u8(enabled.into());
                Tag::SetStaticEnabled
            }
            Call::ShiftOrigin([x, y]) => {
                record.f32(x);
                record.f32(y);
                Tag::ShiftOrigin
            }
            Call::ShrinkToFit => Tag::ShrinkToFit,
        };
        self.summary.call_count += 1;
        self.write(tag);
    }

    /// Writes the record in the buffer. After an error, nothing is written any more.
    fn write(&mut self, tag: Tag) {
        if self.error.is_some() {
            return;
        }
        let record = self.record.finish(tag);
        let unless_written = FailedByPanic(&mut self.error);
        let written = self.writer.get_mut().write_all(record);
        std::mem::forget(unless_written);
        match written {
            Ok(()) => self.summary.byte_count += record.len() as u64,
            Err(error) => self.error = Some(error),
        }
    }
}

/// Sets an error when it is dropped: a writer that panicked may have written a part of a record.
struct FailedByPanic<'r>(&'r mut Option<io::Error>);

impl Drop for FailedByPanic<'_> {
    fn drop(&mut self) {
        *self.0 = Some(io::Error::other("the writer of the recording panicked"));
    }
}

fn write_chunks(bodies: &[Bodies<'_>], chunks: &mut Vec<ChunkWriter>, record: &mut RecordBuffer) {
    if chunks.len() < bodies.len() {
        chunks.resize_with(bodies.len(), ChunkWriter::default);
    }
    // Before any column: the function may panic, and then no record is written that a later one
    // would be a difference to.
    for (bodies, chunk) in bodies.iter().zip(&mut *chunks) {
        if let Some(Ids::By(id_of_row)) = bodies.ids {
            chunk.computed_ids.clear();
            chunk.computed_ids.extend((0..bodies.len()).map(id_of_row));
        }
    }
    record.len(bodies.len());
    bodies.iter().zip(chunks).for_each(|(bodies, chunk)| chunk.write(bodies, record));
}

impl ChunkWriter {
    fn write(&mut self, bodies: &Bodies<'_>, record: &mut RecordBuffer) {
        match bodies.boxes {
            BoxColumns::Centers { centers, half_extents } => {
                record.u8(CENTERS);
                self.centers.write_strided(Some(centers), record);
                self.half_extents.write_strided(Some(half_extents), record);
            }
            BoxColumns::Uniform { centers, half_extents: [x, y] } => {
                record.u8(UNIFORM);
                self.centers.write_strided(Some(centers), record);
                record.f32(x);
                record.f32(y);
            }
            BoxColumns::Aabbs(aabbs) => {
                record.u8(AABBS);
                self.aabbs.write_strided(Some(aabbs), record);
            }
        }
        self.displacements.write_strided(bodies.displacements, record);
        match bodies.ids {
            None => self.ids.write(None, record),
            Some(Ids::Column(ids)) => self.ids.write_strided(Some(ids), record),
            Some(Ids::By(_)) => self.ids.write(Some(&self.computed_ids), record),
        }
        self.filters.write_strided(bodies.filters, record);
        self.asleep.write_strided(bodies.asleep, record);
    }
}

fn write_changed(changed: ChangedRows<'_>, record: &mut RecordBuffer) {
    match changed.0 {
        Form::List(rows) => {
            record.u8(LIST);
            record.column(rows);
        }
        Form::Flags(flags) => {
            record.u8(FLAGS);
            record.len(flags.len());
            for flags in flags.chunks(u8::BITS as usize) {
                record.u8(flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u8::from(flag)));
            }
        }
        Form::Bits(words) => {
            record.u8(BITS);
            record.column(words);
        }
    }
}

impl StaticsWriter {
    fn write(&mut self, Statics { aabbs, ids, filters }: Statics<'_>, record: &mut RecordBuffer) {
        self.aabbs.write(Some(aabbs), record);
        self.ids.write(ids, record);
        self.filters.write(filters, record);
    }
}

/// Writes a whole static set: what later steps depend on, the order of pairs included.
fn write_static_set(tree: &StaticTree, record: &mut RecordBuffer) {
    let StaticColumns { aabbs, ids, filters, disabled, changed, built_boxes } = tree.columns();
    let statics = Statics { aabbs: &aabbs, ids: ids.as_deref(), filters: filters.as_deref() };
    StaticsWriter::default().write(statics, record);
    record.column(&disabled);
    record.column(&changed);
    record.rows(&built_boxes);
}
