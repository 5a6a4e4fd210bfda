//! The calls of a recording, as they are read, and their outcomes.

use crate::contacts::contacts::Contacts;
use crate::error::Error;
use crate::geometry::RawAabb;
use crate::input::bodies::Bodies;
use crate::input::changed_rows::{ChangedRows, Form};
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::record::columns::ColumnReader;
use crate::record::digest::PairDigest;
use crate::record::error::RecordingError;
use crate::record::format::{
    AABBS, BITS, CENTERS, Content, DONE, FAILED, FLAGS, LIST, RecordBuffer, STEPPED, Tag, UNIFORM,
};
use std::sync::Arc;

/// A call of a recording, and what it returned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedEntry {
    /// Where its record begins, in bytes from the begin of the file.
    pub offset: u64,
    /// The call.
    pub call: RecordedCall,
    /// What it returned; `None` if the recording ends before that.
    pub outcome: Option<RecordedOutcome>,
}

/// A call that changed the recorded world; [`replay`](Self::replay) makes it again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordedCall {
    /// A step of all rows, by any of the methods for it.
    Step(Vec<RecordedBodies>),
    /// [`World::step_changed`](crate::World::step_changed).
    StepChanged(Vec<RecordedBodies>, RecordedRows),
    /// [`World::set_statics`](crate::World::set_statics).
    SetStatics(RecordedStatics),
    /// [`World::insert_statics`](crate::World::insert_statics).
    InsertStatics(RecordedStatics),
    /// [`World::replace_statics`](crate::World::replace_statics).
    ReplaceStatics(Vec<u32>, RecordedStatics),
    /// [`World::remove_statics`](crate::World::remove_statics).
    RemoveStatics(Vec<u32>),
    /// [`World::set_static_enabled`](crate::World::set_static_enabled).
    SetStaticEnabled(u32, bool),
    /// [`World::shift_origin`](crate::World::shift_origin).
    ShiftOrigin([f32; 2]),
    /// [`World::shrink_to_fit`](crate::World::shrink_to_fit).
    ShrinkToFit,
}

/// The columns of a chunk of a step, as the caller passed them. Columns that did not change from
/// step to step share memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedBodies {
    /// What boxes are computed from.
    pub boxes: RecordedBoxes,
    /// See [`Bodies::with_displacements`].
    pub displacements: Option<Arc<Vec<[f32; 2]>>>,
    /// See [`Bodies::with_ids`].
    pub ids: Option<Arc<Vec<u64>>>,
    /// See [`Bodies::with_filters`].
    pub filters: Option<Arc<Vec<Filter>>>,
    /// See [`Bodies::with_asleep`]: not 0 if asleep.
    pub asleep: Option<Arc<Vec<u8>>>,
}

/// What boxes are computed from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordedBoxes {
    /// See [`Bodies::new`].
    Centers {
        /// Centers of the bodies.
        centers: Arc<Vec<[f32; 2]>>,
        /// Half-extents of the bodies.
        half_extents: Arc<Vec<[f32; 2]>>,
    },
    /// See [`Bodies::uniform`].
    Uniform {
        /// Centers of the bodies.
        centers: Arc<Vec<[f32; 2]>>,
        /// The half-extents of each body.
        half_extents: [f32; 2],
    },
    /// See [`Bodies::from_aabbs`].
    Aabbs(Arc<Vec<RawAabb>>),
}

/// Which rows a step was told had changed; see [`ChangedRows`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordedRows {
    /// Their numbers.
    List(Vec<u32>),
    /// A flag for each row.
    Flags(Vec<bool>),
    /// A bit for each row.
    Bits(Vec<u64>),
}

/// Columns of statics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedStatics {
    /// See [`Statics::new`].
    pub aabbs: Arc<Vec<RawAabb>>,
    /// See [`Statics::with_ids`].
    pub ids: Option<Arc<Vec<u64>>>,
    /// See [`Statics::with_filters`].
    pub filters: Option<Arc<Vec<Filter>>>,
}

/// What a call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedOutcome {
    /// A step succeeded.
    Stepped {
        /// [`World::step_number`](crate::World::step_number) after it.
        step_number: u64,
        /// Its pairs.
        pairs: PairDigest,
    },
    /// Another call succeeded.
    Done,
    /// The call failed.
    Failed {
        /// The text of the error.
        message: String,
    },
    /// The call panicked, and others came after it. It left contacts and bodies as they were, so do
    /// not make it again to follow the recording. (With bodies marked as asleep, the order of later
    /// pairs may differ.)
    Panicked,
}

impl RecordedOutcome {
    /// What to say if the same call returns `now` instead; `None` if that is equal.
    ///
    /// Steps are compared by their number and by [`PairDigest`]. The text says whether the pairs
    /// differ or only their order.
    pub fn difference(&self, now: &Self) -> Option<String> {
        let text = |outcome: &Self| match outcome {
            Self::Failed { message } => format!("the error \"{message}\""),
            Self::Stepped { step_number, pairs } => format!(
                "step {step_number} with {} body pairs and {} static pairs, hash {:016x}",
                pairs.body_pair_count, pairs.static_pair_count, pairs.set
            ),
            Self::Done => "no error".to_owned(),
            Self::Panicked => "a panic".to_owned(),
        };
        match (self, now) {
            _ if self == now => None,
            (Self::Stepped { pairs: a, .. }, Self::Stepped { pairs: b, .. })
                if a.set == b.set && a.order != b.order =>
            {
                Some("the same pairs as recorded, in another order".to_owned())
            }
            _ => Some(format!("recorded {}, now {}", text(self), text(now))),
        }
    }
}

impl RecordedBodies {
    /// The columns, borrowed for a step.
    pub fn bodies(&self) -> Bodies<'_> {
        let mut bodies = match &self.boxes {
            RecordedBoxes::Centers { centers, half_extents } => Bodies::new(centers, half_extents),
            RecordedBoxes::Uniform { centers, half_extents } => Bodies::uniform(centers, *half_extents),
            RecordedBoxes::Aabbs(aabbs) => Bodies::from_aabbs(aabbs),
        };
        if let Some(displacements) = &self.displacements {
            bodies = bodies.with_displacements(displacements);
        }
        if let Some(ids) = &self.ids {
            bodies = bodies.with_ids(ids);
        }
        if let Some(filters) = &self.filters {
            bodies = bodies.with_filters(filters);
        }
        if let Some(asleep) = &self.asleep {
            bodies = bodies.with_strided_asleep(asleep[..].into());
        }
        bodies
    }
}

impl RecordedRows {
    /// The rows, borrowed for a step.
    pub fn rows(&self) -> ChangedRows<'_> {
        ChangedRows(match self {
            Self::List(rows) => Form::List(rows),
            Self::Flags(flags) => Form::Flags(flags),
            Self::Bits(words) => Form::Bits(words),
        })
    }
}

impl RecordedStatics {
    /// The columns, borrowed for a call.
    pub fn statics(&self) -> Statics<'_> {
        let ids = self.ids.as_deref().map(Vec::as_slice);
        Statics { aabbs: &self.aabbs, ids, filters: self.filters.as_deref().map(Vec::as_slice) }
    }
}

impl RecordedOutcome {
    /// What a call other than a step returned.
    pub(crate) fn of<T>(outcome: &Result<T, Error>) -> Self {
        match outcome {
            Ok(_) => Self::Done,
            Err(error) => Self::Failed { message: error.to_string() },
        }
    }

    /// What a step returned. `step_number` and `contacts` are those of the world after it.
    pub(crate) fn of_step<T>(outcome: &Result<T, Error>, step_number: u64, contacts: Contacts<'_>) -> Self {
        match outcome {
            Ok(_) => Self::Stepped { step_number, pairs: PairDigest::of(contacts) },
            Err(_) => Self::of(outcome),
        }
    }

    pub(super) fn write(&self, record: &mut RecordBuffer) {
        match self {
            Self::Failed { message } => {
                record.u8(FAILED);
                record.text(message);
            }
            Self::Done => record.u8(DONE),
            Self::Stepped { step_number, pairs } => {
                let &PairDigest { body_pair_count, static_pair_count, set, order } = pairs;
                record.u8(STEPPED);
                record.rows(&[*step_number, body_pair_count, static_pair_count, set, order]);
            }
            Self::Panicked => unreachable!("a call that panicked has no record of its outcome"),
        }
    }

    pub(super) fn read(content: &mut Content<'_>) -> Result<Self, RecordingError> {
        let expected = "the outcome of a call";
        Ok(match content.u8(expected)? {
            FAILED => Self::Failed { message: content.text(expected)? },
            DONE => Self::Done,
            STEPPED => {
                let step_number = content.u64(expected)?;
                let pairs = PairDigest {
                    body_pair_count: content.u64(expected)?,
                    static_pair_count: content.u64(expected)?,
                    set: content.u64(expected)?,
                    order: content.u64(expected)?,
                };
                Self::Stepped { step_number, pairs }
            }
            _ => return Err(content.damaged(expected)),
        })
    }
}

/// Reads calls; has the columns of the last ones.
#[derive(Debug, Default)]
pub(super) struct CallReader {
    chunks: Vec<ChunkReader>,
    statics: StaticsReader,
}

#[derive(Debug, Default)]
struct ChunkReader {
    centers: ColumnReader<[f32; 2]>,
    half_extents: ColumnReader<[f32; 2]>,
    aabbs: ColumnReader<RawAabb>,
    displacements: ColumnReader<[f32; 2]>,
    ids: ColumnReader<u64>,
    filters: ColumnReader<Filter>,
    asleep: ColumnReader<u8>,
}

#[derive(Debug, Default)]
pub(super) struct StaticsReader {
    aabbs: ColumnReader<RawAabb>,
    ids: ColumnReader<u64>,
    filters: ColumnReader<Filter>,
}

impl CallReader {
    /// Reads the content of a record; `None` if it is not one of a call.
    pub(super) fn read(&mut self, tag: Tag, content: &mut Content<'_>) -> Result<Option<RecordedCall>, RecordingError> {
        let rows = "a list of static rows";
        let call = match tag {
            Tag::Step => RecordedCall::Step(self.read_chunks(content)?),
            Tag::StepChanged => RecordedCall::StepChanged(self.read_chunks(content)?, read_changed(content)?),
            Tag::SetStatics => RecordedCall::SetStatics(self.statics.read(content)?),
            Tag::InsertStatics => RecordedCall::InsertStatics(StaticsReader::default().read(content)?),
            Tag::ReplaceStatics => {
                RecordedCall::ReplaceStatics(content.column(rows)?, StaticsReader::default().read(content)?)
            }
            Tag::RemoveStatics => RecordedCall::RemoveStatics(content.column(rows)?),
            Tag::SetStaticEnabled => {
                let expected = "a row and whether it is enabled";
                RecordedCall::SetStaticEnabled(content.u32(expected)?, content.bool(expected)?)
            }
            Tag::ShiftOrigin => {
                let expected = "a new origin";
                RecordedCall::ShiftOrigin([content.f32(expected)?, content.f32(expected)?])
            }
            Tag::ShrinkToFit => RecordedCall::ShrinkToFit,
            Tag::Begin | Tag::Outcome | Tag::End => return Ok(None),
        };
        content.finish()?;
        Ok(Some(call))
    }

    fn read_chunks(&mut self, content: &mut Content<'_>) -> Result<Vec<RecordedBodies>, RecordingError> {
        let count = content.u64("a number of chunks")?;
        let mut bodies = Vec::new();
        for k in 0.. {
            if k as u64 == count {
                break;
            }
            if k == self.chunks.len() {
                self.chunks.push(ChunkReader::default());
            }
            bodies.push(self.chunks[k].read(content)?);
        }
        Ok(bodies)
    }
}

impl ChunkReader {
    fn read(&mut self, content: &mut Content<'_>) -> Result<RecordedBodies, RecordingError> {
        let (centers, halves, expected) = ("a column of centers", "half-extents", "a column of boxes");
        let boxes = match content.u8(expected)? {
            CENTERS => RecordedBoxes::Centers {
                centers: self.centers.read_present(content, centers)?,
                half_extents: self.half_extents.read_present(content, halves)?,
            },
            UNIFORM => RecordedBoxes::Uniform {
                centers: self.centers.read_present(content, centers)?,
                half_extents: [content.f32(halves)?, content.f32(halves)?],
            },
            AABBS => RecordedBoxes::Aabbs(self.aabbs.read_present(content, expected)?),
            _ => return Err(content.damaged(expected)),
        };
        Ok(RecordedBodies {
            boxes,
            displacements: self.displacements.read(content, "a column of displacements")?,
            ids: self.ids.read(content, "a column of ids")?,
            filters: self.filters.read(content, "a column of filters")?,
            asleep: self.asleep.read(content, "a column of flags")?,
        })
    }
}

fn read_changed(content: &mut Content<'_>) -> Result<RecordedRows, RecordingError> {
    let expected = "changed rows";
    Ok(match content.u8(expected)? {
        LIST => RecordedRows::List(content.column(expected)?),
        FLAGS => {
            let count = content.u64(expected)?;
            let mut bytes: Vec<u8> = Vec::new();
            content.rows(count.div_ceil(u8::BITS.into()), &mut bytes, expected)?;
            let flags = bytes.iter().flat_map(|byte| (0..u8::BITS).map(move |bit| byte >> bit & 1 != 0));
            RecordedRows::Flags(flags.take(count as usize).collect())
        }
        BITS => RecordedRows::Bits(content.column(expected)?),
        _ => return Err(content.damaged(expected)),
    })
}

impl StaticsReader {
    pub(super) fn read(&mut self, content: &mut Content<'_>) -> Result<RecordedStatics, RecordingError> {
        Ok(RecordedStatics {
            aabbs: self.aabbs.read_present(content, "a column of static boxes")?,
            ids: self.ids.read(content, "a column of static ids")?,
            filters: self.filters.read(content, "a column of static filters")?,
        })
    }
}
