//! Columns that may be a field of an array of structs.
//!
//! STRIDED-1: where a value lies is checked when a column is created. A column whose values are
//! contiguous and aligned is a slice from then on, whatever it was made from, so loops over
//! contiguous columns never see a stride.

use crate::error::Error;
use crate::prefetch::prefetch;
use bytemuck::{AnyBitPattern, NoUninit, Pod};
use std::fmt;
use std::ops::Range;

/// A column whose values are a fixed number of bytes apart, such as a field of an array of structs.
///
/// For engines that store one struct per entity.
/// [`Bodies::from_strided`](crate::Bodies::from_strided) and the methods beside it take such
/// columns, and the step reads the fields where they are. `T` is what the column contains:
/// `[f32; 2]` for vectors, `[f32; 4]` for boxes, `u64` for ids, [`Filter`](crate::Filter), or `u8`
/// for flags.
///
/// ```
/// use triphase::{Bodies, StridedColumn, World};
///
/// #[derive(Clone, Copy, bytemuck::NoUninit)] // needs a struct without padding
/// #[repr(C)]
/// struct Unit {
///     center: [f32; 2],
///     velocity: [f32; 2],
///     half_extents: [f32; 2],
///     id: u64,
/// }
///
/// let half_extents = [0.5, 0.5];
/// let unit = |x, id| Unit { center: [x, 0.0], velocity: [1.0, 0.0], half_extents, id };
/// let units = vec![unit(0.0, 70), unit(0.9, 71), unit(5.0, 72)];
///
/// let centers = StridedColumn::of(&units, |unit| &unit.center);
/// let half_extents = StridedColumn::of(&units, |unit| &unit.half_extents);
/// let ids = StridedColumn::of(&units, |unit| &unit.id);
/// let mut world = World::default();
/// let contacts = world.step(Bodies::from_strided(centers, half_extents).with_strided_ids(ids))?;
/// let pair = contacts.body_pairs().next().unwrap();
/// assert_eq!((pair.a, pair.b), (0, 1));
/// assert_eq!(contacts.body_id(pair.b), Some(71));
/// # Ok::<(), triphase::Error>(())
/// ```
///
/// # Cost
///
/// A full step reads each row, and with it the cache lines that contain the fields. On one thread
/// of an AMD EPYC (Zen 4), a step over 100,000 structs of 64 bytes takes 1.13 times as long as one
/// over columns. If the fields are packed into columns first, both together take 1.1 times as long
/// (`cargo bench` in `bindings/c`).
/// [`World::step_changed`](crate::World::step_changed) reads the changed rows only.
#[derive(Clone, Copy)]
pub struct StridedColumn<'a, T> {
    len: usize,
    values: Values<'a, T>,
}

#[derive(Clone, Copy)]
enum Values<'a, T> {
    Contiguous(&'a [T]),
    /// Value `k` is at byte `k * stride`; `bytes` ends with or after the last value.
    Strided {
        bytes: &'a [u8],
        stride: usize,
    },
    /// The same value in each row.
    Repeated(T),
}

impl<'a, T: AnyBitPattern> StridedColumn<'a, T> {
    /// Creates the column of one field of an array of structs.
    ///
    /// The field has the size and alignment of `T`, which is checked when the code is compiled: for
    /// a column of vectors it is `[f32; 2]`, `glam::Vec2`, or a type of yours of two `f32`. A field
    /// may also be less aligned, or as a vector register is.
    ///
    /// ```compile_fail
    /// # use triphase::StridedColumn;
    /// let ids = [7u64, 8];
    /// let centers = StridedColumn::<[f32; 2]>::of(&ids, |id| id); // 8 bytes, but not two f32
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if `field` returns a reference to something outside of the struct.
    pub fn of<S: NoUninit, F: NoUninit>(structs: &'a [S], field: impl FnOnce(&S) -> &F) -> Self {
        const {
            let (align, expected) = (align_of::<F>(), align_of::<T>());
            assert!(
                size_of::<F>() == size_of::<T>() && (align <= expected || align == 16),
                "expected a field of the size and alignment of the column's values, such as [f32; 2] for vectors"
            );
        };
        let Some(first) = structs.first() else { return Self::from(&[][..]) };
        let offset = (&raw const *field(first)).addr().wrapping_sub((&raw const *first).addr());
        let bytes: &[u8] = bytemuck::cast_slice(structs);
        assert!(
            offset <= size_of::<S>() && size_of::<F>() <= size_of::<S>() - offset,
            "the field must be a part of the struct"
        );
        Self::new(&bytes[offset..], size_of::<S>(), structs.len())
    }

    /// Creates a column from memory: value `k` is at byte `k * stride`, at any alignment.
    ///
    /// To begin at an offset, pass `&bytes[offset..]`. Bytes after the last value are ignored.
    ///
    /// ```
    /// use triphase::StridedColumn;
    /// let rows = [0.5f32, 1.5, 9.0, 2.5, 3.5, 9.0];
    /// let column = StridedColumn::<[f32; 2]>::from_bytes(bytemuck::cast_slice(&rows), 12, 2)?;
    /// assert_eq!(column.get(1), Some([2.5, 3.5]));
    /// assert!(StridedColumn::<[f32; 2]>::from_bytes(&[0; 8], 4, 1).is_err());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::StrideTooSmall`] if `stride` is less than the size of `T`, and
    /// [`Error::TooFewBytes`] if the last value does not end within `bytes`.
    pub fn from_bytes(bytes: &'a [u8], stride: usize, len: usize) -> Result<Self, Error> {
        let size = size_of::<T>();
        if stride < size {
            return Err(Error::StrideTooSmall { stride, size });
        }
        let needed = len.checked_sub(1).map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size));
        match needed {
            Some(needed) if needed <= bytes.len() => Ok(Self::new(bytes, stride, len)),
            _ => Err(Error::TooFewBytes { expected: needed.unwrap_or(usize::MAX), found: bytes.len() }),
        }
    }

    /// A column with the same value in each row.
    pub(crate) fn repeated(value: T, len: usize) -> Self {
        Self { len, values: Values::Repeated(value) }
    }

    /// A column whose values all lie within `bytes` (STRIDED-1).
    fn new(bytes: &'a [u8], stride: usize, len: usize) -> Self {
        const { assert!(size_of::<T>() > 0, "values of a column have a size") };
        if stride == size_of::<T>()
            && let Ok(column) = bytemuck::try_cast_slice(&bytes[..len * stride])
        {
            return Self::from(column);
        }
        Self { len, values: Values::Strided { bytes, stride } }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row, or `None` if there is no such row.
    pub fn get(&self, row: usize) -> Option<T> {
        (row < self.len()).then(|| self.at(row))
    }

    /// The value of a row, which exists.
    #[inline(always)]
    pub(crate) fn at(&self, row: usize) -> T {
        match self.values {
            Values::Contiguous(column) => column[row],
            Values::Strided { bytes, stride, .. } => {
                bytemuck::pod_read_unaligned(&bytes[row * stride..][..size_of::<T>()])
            }
            Values::Repeated(value) => value,
        }
    }

    /// The column as a slice, if it is contiguous.
    #[inline(always)]
    pub(crate) fn contiguous(&self) -> Option<&'a [T]> {
        match self.values {
            Values::Contiguous(column) => Some(column),
            Values::Strided { .. } | Values::Repeated(_) => None,
        }
    }

    /// Copies a range of rows, which exist, to a slice of the same length.
    #[inline(always)]
    pub(crate) fn copy_rows(&self, rows: Range<usize>, to: &mut [T]) {
        match self.values {
            Values::Contiguous(column) => to.copy_from_slice(&column[rows]),
            Values::Strided { bytes, stride, .. } => {
                let from = bytes.get(rows.start * stride..).unwrap_or_default().chunks(stride);
                for (slot, value) in to.iter_mut().zip(from) {
                    *slot = bytemuck::pod_read_unaligned(&value[..size_of::<T>()]);
                }
            }
            Values::Repeated(value) => to.fill(value),
        }
    }

    /// Copies some rows, which exist, to a slice of the same length.
    #[inline(always)]
    pub(crate) fn copy_listed(&self, rows: impl Iterator<Item = usize>, to: &mut [T]) {
        match self.values {
            Values::Contiguous(column) => to.iter_mut().zip(rows).for_each(|(slot, row)| *slot = column[row]),
            Values::Strided { .. } => to.iter_mut().zip(rows).for_each(|(slot, row)| *slot = self.at(row)),
            Values::Repeated(value) => to.fill(value),
        }
    }

    /// Loads the value of a row that will be read soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, row: usize) {
        match self.values {
            Values::Contiguous(column) => prefetch(&column[row..=row]),
            Values::Strided { bytes, stride, .. } => prefetch(&bytes[row * stride..][..size_of::<T>()]),
            Values::Repeated(_) => {}
        }
    }
}

impl<T: AnyBitPattern> StridedColumn<'_, T> {
    /// Appends all rows to a buffer.
    pub(crate) fn append_to(&self, buffer: &mut Vec<T>) {
        match self.contiguous() {
            Some(column) => buffer.extend_from_slice(column),
            None => buffer.extend((0..self.len()).map(|row| self.at(row))),
        }
    }
}

impl<T: Pod + PartialEq> StridedColumn<'_, T> {
    /// Whether a range of rows, which exist, has these values.
    pub(crate) fn rows_equal(&self, rows: Range<usize>, expected: &[T]) -> bool {
        match self.contiguous() {
            Some(column) => column[rows] == *expected,
            None => rows.map(|row| self.at(row)).eq(expected.iter().copied()),
        }
    }
}

/// A contiguous column, to be passed beside strided ones.
impl<'a, T> From<&'a [T]> for StridedColumn<'a, T> {
    fn from(column: &'a [T]) -> Self {
        Self { len: column.len(), values: Values::Contiguous(column) }
    }
}

impl<T: AnyBitPattern> fmt::Debug for StridedColumn<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stride = match self.values {
            Values::Contiguous(_) => size_of::<T>(),
            Values::Strided { stride, .. } => stride,
            Values::Repeated(_) => 0,
        };
        f.debug_struct("StridedColumn").field("len", &self.len()).field("stride", &stride).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::filter::Filter;

    #[test]
    fn values_are_read_at_any_offset_stride_and_alignment() {
        let bytes: Vec<u8> = (0..200).collect();
        for (offset, stride, len) in [(0, 8, 25), (0, 8, 3), (1, 8, 24), (3, 9, 21), (5, 64, 3), (0, 193, 1), (0, 8, 0)]
        {
            let column = StridedColumn::<u64>::from_bytes(&bytes[offset..], stride, len).unwrap();
            let expected = |row: usize| u64::from_ne_bytes(std::array::from_fn(|k| bytes[offset + row * stride + k]));
            assert_eq!(column.len(), len);
            assert_eq!(column.get(len), None);
            for from in 0..=len {
                for to in from..=len {
                    let mut copy = vec![0; to - from];
                    column.copy_rows(from..to, &mut copy);
                    assert!(copy.iter().copied().eq((from..to).map(expected)), "{offset} {stride} {from}..{to}");
                    assert!(column.rows_equal(from..to, &copy));
                    column.copy_listed((from..to).rev(), &mut copy);
                    assert!(copy.iter().copied().eq((from..to).rev().map(expected)), "{offset} {stride} {from}..{to}");
                }
            }
            assert!((0..len).all(|row| column.get(row) == Some(expected(row))));
        }
    }

    #[test]
    fn a_repeated_value_is_in_each_row() {
        let column = StridedColumn::repeated(7u64, 3);
        assert_eq!((column.len(), column.get(2), column.get(3)), (3, Some(7), None));
        let mut copy = [0; 2];
        column.copy_rows(1..3, &mut copy);
        assert!(copy == [7; 2]);
        column.copy_listed([2, 0].into_iter(), &mut copy);
        assert!(copy == [7; 2] && column.rows_equal(0..2, &copy) && !column.rows_equal(0..2, &[7, 8]));
        let mut all = vec![1];
        column.append_to(&mut all);
        assert_eq!(all, [1, 7, 7, 7]);
        assert_eq!(format!("{column:?}"), "StridedColumn { len: 3, stride: 0 }");
    }

    #[test]
    fn packed_and_aligned_values_are_a_slice() {
        let words = [1u64, 2, 3];
        let column = StridedColumn::<u64>::from_bytes(bytemuck::cast_slice(&words), 8, 3).unwrap();
        assert_eq!(column.contiguous(), Some(&words[..]));
        let column = StridedColumn::<u64>::of(&words, |word| word);
        assert_eq!(column.contiguous(), Some(&words[..]));
    }

    #[test]
    fn wrong_layouts_are_errors() {
        let from = |bytes: usize, stride, len| {
            StridedColumn::<Filter>::from_bytes(&[0; 64][..bytes], stride, len).err().map(|error| error.to_string())
        };
        assert_eq!(from(0, 8, 0), None);
        assert_eq!(from(20, 12, 2), None, "the last struct may end after its field");
        assert_eq!(from(64, 0, 1).as_deref(), Some("the stride is 0 bytes, but the values of the column have 8"));
        assert_eq!(from(64, 7, 0).as_deref(), Some("the stride is 7 bytes, but the values of the column have 8"));
        assert_eq!(from(19, 12, 2).as_deref(), Some("the column has 19 bytes, but its rows need 20"));
        assert_eq!(
            StridedColumn::<u8>::from_bytes(&[], usize::MAX, 3).err(),
            Some(Error::TooFewBytes { expected: usize::MAX, found: 0 })
        );
    }

    #[test]
    #[should_panic(expected = "the field must be a part of the struct")]
    fn a_field_of_another_struct_panics() {
        static ELSEWHERE: u64 = 0;
        StridedColumn::<u64>::of(&[1u64, 2], |_| &ELSEWHERE);
    }
}
