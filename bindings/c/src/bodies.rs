//! Bodies: columns that are fields of an array of structs, or arrays of their own.

use crate::caller::Caller;
use crate::error::{Failure, tp_column_kind, tp_error};
use crate::shapes::tp_vec2;
use crate::status::tp_status::*;
use broad_phase::{Bodies, Filter, StridedColumn};
use bytemuck::{AnyBitPattern, Pod, Zeroable};

/// A column: value `k` is at `(const char *)data + k * stride`.
///
/// For a field of an array of structs, `data` is the address of the field in the first struct, and
/// `stride` the size of the struct. For an array of its own, `stride` is the size of a value.
/// Values may have any alignment; arrays that are aligned and without gaps are read fastest. A
/// column with null as `data` is absent. Values are read in place and never written. Their types
/// are not checked: coordinates are `float`, ids `uint64_t`; a `uint32_t` would be read together
/// with what follows it, and a `double` as two floats.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_column {
    /// The first value, or null.
    pub data: *const std::ffi::c_void,
    /// Bytes from a value to the next, at least the size of a value.
    pub stride: usize,
}

/// The layers of an entity and the layers that it accepts, 32 bits each.
///
/// Two entities interact only if each accepts the other: `a.layers & b.mask` and
/// `b.layers & a.mask` are both not 0. Entities without a filter have all bits set.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct tp_filter {
    /// The layers that the entity is in.
    pub layers: u32,
    /// The layers that the entity accepts.
    pub mask: u32,
}

impl From<tp_filter> for Filter {
    fn from(filter: tp_filter) -> Self {
        Filter::new(filter.layers, filter.mask)
    }
}

/// How the boxes of bodies are given.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tp_body_form {
    /// `centers` and `half_extents`: boxes from `center - half` to `center + half`, in f32.
    TP_BODIES_CENTERS = 0,
    /// `centers`, and `uniform_half_extents` for all of them.
    TP_BODIES_UNIFORM = 1,
    /// `boxes`, taken bit for bit.
    TP_BODIES_BOXES = 2,
}

/// The bodies of a step, or one chunk of them, such as an archetype of an ECS.
///
/// Initialize it with zeros and set what you have. Columns that the form does not use are ignored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tp_bodies {
    /// Number of rows: each column has as many values. May be 0.
    pub count: usize,
    /// A tp_body_form.
    pub form: u32,
    /// Always 0.
    pub reserved: u32,
    /// Half of the width and of the height of all bodies, in world units, for TP_BODIES_UNIFORM. If
    /// it is 0, bodies are points.
    pub uniform_half_extents: tp_vec2,
    /// tp_vec2 each: centers, in world units.
    pub centers: tp_column,
    /// tp_vec2 each: half of the width and of the height, in world units, not negative.
    pub half_extents: tp_column,
    /// tp_box each.
    pub boxes: tp_column,
    /// Optional, tp_vec2 each: the motion during the step. Boxes then cover the whole motion, so
    /// that fast bodies do not tunnel.
    pub displacements: tp_column,
    /// Optional, uint64_t each: ids. They identify bodies if contacts are tracked, and must then be
    /// unique. Either all chunks of a step have ids or none.
    pub ids: tp_column,
    /// Optional, tp_filter each.
    pub filters: tp_column,
    /// Optional, uint8_t or bool each: not 0 for bodies that rest, whose pairs are reused while they
    /// do not move. A wrong mark costs time, never correctness.
    pub asleep: tp_column,
}

impl tp_column {
    /// The column, which must not be absent unless it is empty.
    pub(crate) fn required<'c, T: AnyBitPattern>(
        &self,
        c: Caller<'c>,
        count: usize,
        kind: tp_column_kind,
        name: &str,
    ) -> Result<StridedColumn<'c, T>, Failure> {
        let failed = |failure: Failure| Failure {
            details: Box::new(tp_error { column: kind, ..*failure.details }),
            message: format!("{name}: {}", failure.message),
        };
        let bytes = match count.checked_sub(1) {
            None => &[][..],
            Some(last) => {
                let size = last.checked_mul(self.stride).and_then(|start| start.checked_add(size_of::<T>()));
                let size = size.filter(|&size| size <= isize::MAX as usize).ok_or_else(|| {
                    let message =
                        format!("{count} rows with a stride of {} bytes exceed the address space", self.stride);
                    let details = tp_error { found: self.stride as u64, ..tp_error::new(TP_STATUS_INVALID_STRIDE) };
                    failed(Failure::new(details, message))
                })?;
                c.slice(self.data.cast::<u8>(), size, "data").map_err(failed)?
            }
        };
        // The stride of no rows may be anything.
        let stride = if count == 0 { size_of::<T>() } else { self.stride };
        StridedColumn::from_bytes(bytes, stride, count).map_err(|error| failed(error.into()))
    }

    /// The column, if it is not absent.
    pub(crate) fn optional<'c, T: AnyBitPattern>(
        &self,
        c: Caller<'c>,
        count: usize,
        kind: tp_column_kind,
        name: &str,
    ) -> Result<Option<StridedColumn<'c, T>>, Failure> {
        if self.data.is_null() { Ok(None) } else { self.required(c, count, kind, name).map(Some) }
    }
}

impl tp_bodies {
    /// The bodies of this chunk.
    fn to_bodies<'c>(self, c: Caller<'c>) -> Result<Bodies<'c>, Failure> {
        use tp_column_kind::*;
        if self.reserved != 0 {
            return Err(Failure::argument("reserved of the bodies is not 0; begin with zeros"));
        }
        let centers = || self.centers.required(c, self.count, TP_COLUMN_CENTER, "centers");
        let mut bodies = match self.form {
            0 => {
                let half = self.half_extents.required(c, self.count, TP_COLUMN_HALF_EXTENT, "half_extents")?;
                Bodies::from_strided(centers()?, half)
            }
            1 => Bodies::uniform_strided(centers()?, self.uniform_half_extents),
            2 => Bodies::from_strided_aabbs(self.boxes.required(c, self.count, TP_COLUMN_BOX, "boxes")?),
            other => return Err(Failure::argument(format!("form is {other}, which is no tp_body_form"))),
        };
        if let Some(column) = self.displacements.optional(c, self.count, TP_COLUMN_DISPLACEMENT, "displacements")? {
            bodies = bodies.with_strided_displacements(column);
        }
        if let Some(column) = self.ids.optional(c, self.count, TP_COLUMN_ID, "ids")? {
            bodies = bodies.with_strided_ids(column);
        }
        if let Some(column) = self.filters.optional(c, self.count, TP_COLUMN_FILTER, "filters")? {
            bodies = bodies.with_strided_filters(column);
        }
        if let Some(column) = self.asleep.optional(c, self.count, TP_COLUMN_ASLEEP, "asleep")? {
            bodies = bodies.with_strided_asleep(column);
        }
        Ok(bodies)
    }
}

/// The bodies of all chunks. A step of one chunk allocates nothing.
#[expect(clippy::large_enum_variant, reason = "a box would be an allocation in each step")]
pub(crate) enum Chunks<'c> {
    One(Bodies<'c>),
    Many(Vec<Bodies<'c>>),
}

impl<'c> Chunks<'c> {
    pub(crate) fn read(c: Caller<'c>, chunks: *const tp_bodies, chunk_count: usize) -> Result<Self, Failure> {
        let in_chunk = |(k, chunk): (usize, &tp_bodies)| {
            chunk.to_bodies(c).map_err(|mut failure| {
                if chunk_count > 1 {
                    failure.message = format!("chunk {k}: {}", failure.message);
                    failure.details.chunk = u32::try_from(k).unwrap_or(u32::MAX);
                }
                failure
            })
        };
        match c.slice(chunks, chunk_count, "chunks")? {
            [one] => in_chunk((0, one)).map(Self::One),
            many => many.iter().enumerate().map(in_chunk).collect::<Result<_, _>>().map(Self::Many),
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.as_ref().iter().fold(0, |rows, chunk| rows.saturating_add(chunk.len()))
    }
}

impl<'c> AsRef<[Bodies<'c>]> for Chunks<'c> {
    fn as_ref(&self) -> &[Bodies<'c>] {
        match self {
            Self::One(bodies) => std::slice::from_ref(bodies),
            Self::Many(chunks) => chunks,
        }
    }
}
