//! Records as bytes: heads, checksums and numbers (RECORD-1).

use crate::input::filter::Filter;
use crate::record::error::RecordingError;
use bytemuck::Pod;

/// The first bytes of a file. The first is no letter, so that nobody takes it for text.
pub(super) const MAGIC: [u8; 8] = *b"\x89triphas";
pub(super) const VERSION: u32 = 1;

/// Bytes of the head of a record.
pub(super) const HEAD_LEN: usize = 16;

/// The forms of [`BoxColumns`](crate::input::bodies::BoxColumns) in files.
pub(super) const CENTERS: u8 = 0;
pub(super) const UNIFORM: u8 = 1;
pub(super) const AABBS: u8 = 2;

/// The forms of [`ChangedRows`](crate::input::changed_rows::ChangedRows) in files.
pub(super) const LIST: u8 = 0;
pub(super) const FLAGS: u8 = 1;
pub(super) const BITS: u8 = 2;

/// The forms of [`RecordedOutcome`](crate::record::RecordedOutcome) in files.
pub(super) const FAILED: u8 = 0;
pub(super) const DONE: u8 = 1;
pub(super) const STEPPED: u8 = 2;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Begin,
    Step,
    StepChanged,
    SetStatics,
    InsertStatics,
    ReplaceStatics,
    RemoveStatics,
    SetStaticEnabled,
    ShiftOrigin,
    ShrinkToFit,
    Outcome,
    End,
}

impl Tag {
    const ALL: [(Self, [u8; 4]); 12] = [
        (Self::Begin, *b"BGIN"),
        (Self::Step, *b"STEP"),
        (Self::StepChanged, *b"CHNG"),
        (Self::SetStatics, *b"STAT"),
        (Self::InsertStatics, *b"INSR"),
        (Self::ReplaceStatics, *b"REPL"),
        (Self::RemoveStatics, *b"REMV"),
        (Self::SetStaticEnabled, *b"ENAB"),
        (Self::ShiftOrigin, *b"ORIG"),
        (Self::ShrinkToFit, *b"SHRK"),
        (Self::Outcome, *b"DONE"),
        (Self::End, *b"ENDR"),
    ];

    fn letters(self) -> [u8; 4] {
        Self::ALL[self as usize].1
    }

    pub(super) fn of(letters: [u8; 4]) -> Option<Self> {
        Self::ALL.into_iter().find_map(|(tag, of_tag)| (of_tag == letters).then_some(tag))
    }
}

/// The checksum of a record: of its letters, the length and bytes of its content.
///
/// Each word changes the sum of all before it by a map that can be inverted, so a single word that
/// is wrong is always noticed, up to the last step, which halves the sum.
pub(super) fn checksum(letters: [u8; 4], content: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let add = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let head = add(u64::from(u32::from_le_bytes(letters)), content.len() as u64);
    let (words, rest) = content.as_chunks::<8>();
    let sum = words.iter().fold(head, |sum, word| add(sum, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = add(sum, u64::from_le_bytes(last));
    (sum ^ sum >> 32) as u32
}

/// A record that is being written.
#[derive(Debug, Default)]
pub(super) struct RecordBuffer {
    /// With room for the head.
    bytes: Vec<u8>,
}

impl RecordBuffer {
    pub(super) fn begin(&mut self) -> &mut Self {
        self.bytes.clear();
        self.bytes.resize(HEAD_LEN, 0);
        self
    }

    /// Writes the head, and returns the whole record.
    pub(super) fn finish(&mut self, tag: Tag) -> &[u8] {
        let (head, content) = self.bytes.split_at_mut(HEAD_LEN);
        head[..4].copy_from_slice(&tag.letters());
        head[4..8].copy_from_slice(&checksum(tag.letters(), content).to_le_bytes());
        head[8..].copy_from_slice(&(content.len() as u64).to_le_bytes());
        &self.bytes
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn len(&mut self, value: usize) {
        self.u64(value as u64);
    }

    pub(super) fn f32(&mut self, value: f32) {
        self.u32(value.to_bits());
    }

    /// Rows without their number.
    pub(super) fn rows<T: Row>(&mut self, rows: &[T]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytemuck::cast_slice(rows));
        swap_words::<T>(&mut self.bytes[start..]);
    }

    /// The number of rows, and the rows.
    pub(super) fn column<T: Row>(&mut self, rows: &[T]) {
        self.len(rows.len());
        self.rows(rows);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.column(text.as_bytes());
    }
}

/// A row of a column in a file: words of equal size.
pub(super) trait Row: Pod {
    const WORD: usize;
}

impl Row for u8 {
    const WORD: usize = 1;
}
impl Row for f32 {
    const WORD: usize = 4;
}
impl Row for u32 {
    const WORD: usize = 4;
}
impl Row for u64 {
    const WORD: usize = 8;
}
impl Row for [f32; 2] {
    const WORD: usize = 4;
}
impl Row for [f32; 4] {
    const WORD: usize = 4;
}
impl Row for Filter {
    const WORD: usize = 4;
}

/// Turns the words of rows from the order of this machine to that of files, or back.
fn swap_words<T: Row>(bytes: &mut [u8]) {
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(T::WORD).for_each(<[u8]>::reverse);
    }
}

/// The content of a record that is being read.
#[derive(Clone, Debug)]
pub(super) struct Content<'b> {
    bytes: &'b [u8],
    /// Where the rest begins in the file.
    offset: u64,
}

impl<'b> Content<'b> {
    pub(super) fn new(bytes: &'b [u8], offset: u64) -> Self {
        Self { bytes, offset }
    }

    /// The error that something else is expected here.
    pub(super) fn damaged(&self, expected: &'static str) -> RecordingError {
        RecordingError::Damaged { offset: self.offset, expected }
    }

    fn take(&mut self, len: usize, expected: &'static str) -> Result<&'b [u8], RecordingError> {
        let (taken, rest) = self.bytes.split_at_checked(len).ok_or_else(|| self.damaged(expected))?;
        self.bytes = rest;
        self.offset += len as u64;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], RecordingError> {
        let taken = self.take(N, expected)?;
        Ok(*taken.first_chunk().unwrap_or(&[0; N]))
    }

    pub(super) fn u8(&mut self, expected: &'static str) -> Result<u8, RecordingError> {
        self.array::<1>(expected).map(|[value]| value)
    }

    pub(super) fn bool(&mut self, expected: &'static str) -> Result<bool, RecordingError> {
        match self.u8(expected)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.damaged(expected)),
        }
    }

    pub(super) fn u32(&mut self, expected: &'static str) -> Result<u32, RecordingError> {
        self.array(expected).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, expected: &'static str) -> Result<u64, RecordingError> {
        self.array(expected).map(u64::from_le_bytes)
    }

    pub(super) fn f32(&mut self, expected: &'static str) -> Result<f32, RecordingError> {
        self.u32(expected).map(f32::from_bits)
    }

    /// Rows that follow, appended to `rows`; as many as there are bytes for (RECORD-4).
    pub(super) fn rows<T: Row>(
        &mut self,
        count: u64,
        rows: &mut Vec<T>,
        expected: &'static str,
    ) -> Result<(), RecordingError> {
        let len = usize::try_from(count).ok().and_then(|count| count.checked_mul(size_of::<T>()));
        let bytes = self.take(len.ok_or_else(|| self.damaged(expected))?, expected)?;
        rows.extend(bytes.chunks_exact(size_of::<T>()).map(|bytes| {
            let mut row = T::zeroed();
            let words = bytemuck::bytes_of_mut(&mut row);
            words.copy_from_slice(bytes);
            swap_words::<T>(words);
            row
        }));
        Ok(())
    }

    /// A number of rows, and the rows.
    pub(super) fn column<T: Row>(&mut self, expected: &'static str) -> Result<Vec<T>, RecordingError> {
        let count = self.u64(expected)?;
        let mut rows = Vec::new();
        self.rows(count, &mut rows, expected)?;
        Ok(rows)
    }

    pub(super) fn text(&mut self, expected: &'static str) -> Result<String, RecordingError> {
        String::from_utf8(self.column(expected)?).map_err(|_| self.damaged(expected))
    }

    /// Checks that nothing is left.
    pub(super) fn finish(&self) -> Result<(), RecordingError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(self.damaged("the end of the record")) }
    }
}
