//! Columns of moving bodies, borrowed from the caller.
//!
//! COLUMN-1: size and alignment of a column's element are checked when the generic code is
//! compiled, so no cast fails at run time, and columns of `f64` or `u64` do not compile (except on
//! 32-bit targets that align them to four bytes).

use crate::error::{Column, Error, InvalidRow};
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::input::strided::StridedColumn;
use bytemuck::NoUninit;
use std::fmt;

/// Reads a column of 2D vectors of type `$T` as `[f32; 2]`, without a copy.
///
/// A macro, so that the compiler's error for another type names the line that called the function
/// with the constant (COLUMN-1). For `Bodies`, that is the line of the user.
macro_rules! vectors {
    ($column:expr, $T:ty) => {{
        const {
            assert!(
                size_of::<$T>() == 8 && align_of::<$T>() == 4,
                "expected a column of vectors of two f32, as [f32; 2] or glam::Vec2; in literals write `[0.0f32, 0.0]`; radii \
                 become half-extents as `[r, r]`"
            );
        };
        let vectors: &[[f32; 2]] = bytemuck::cast_slice($column);
        vectors
    }};
}

/// Reads a column of boxes of type `$T` as `[min_x, min_y, max_x, max_y]`, likewise. A box may have
/// the alignment of a vector register.
macro_rules! boxes {
    ($column:expr, $T:ty) => {{
        const {
            assert!(
                size_of::<$T>() == 16 && (align_of::<$T>() == 4 || align_of::<$T>() == 16),
                "expected a column of boxes of four f32, as [f32; 4] or Aabb; in literals write `[0.0f32, 0.0, 1.0, 1.0]`"
            );
        };
        let boxes: &[crate::geometry::RawAabb] = bytemuck::cast_slice($column);
        boxes
    }};
}
pub(crate) use boxes;

/// Checks that a box is finite and not inverted, and names the first invalid edge if not.
pub(crate) fn check_box(row: u32, aabb: &RawAabb) -> Result<(), InvalidRow> {
    let finite = aabb.iter().fold(true, |all, edge| all & edge.is_finite());
    let valid = finite & (aabb[0] <= aabb[2]) & (aabb[1] <= aabb[3]);
    if valid { Ok(()) } else { first_invalid_edge(row, aabb).map_or(Ok(()), Err) }
}

#[cold]
#[inline(never)]
fn first_invalid_edge(row: u32, aabb: &RawAabb) -> Option<InvalidRow> {
    for (column, edges) in [(Column::Min, [0, 1]), (Column::Max, [2, 3])] {
        for (axis, edge) in edges.into_iter().enumerate() {
            let (value, min) = (aabb[edge], aabb[axis]);
            if !value.is_finite() {
                return Some(InvalidRow::new(row, column, axis, value));
            }
            if column == Column::Max && value < min {
                return Some(InvalidRow::below_min(row, axis, value, min));
            }
        }
    }
    None
}

/// The columns that the box of a body is computed from: of vectors `V` or boxes `B`.
#[derive(Clone, Copy)]
pub(crate) enum BoxColumns<V, B> {
    Centers { centers: V, half_extents: V },
    Uniform { centers: V, half_extents: [f32; 2] },
    Aabbs(B),
}

/// The columns of a chunk.
type ChunkColumns<'a> = BoxColumns<StridedColumn<'a, [f32; 2]>, StridedColumn<'a, RawAabb>>;

/// The ids of bodies: a column, or a function of the row within the chunk.
#[derive(Clone, Copy)]
pub(crate) enum Ids<'a> {
    Column(StridedColumn<'a, u64>),
    By(&'a (dyn Fn(usize) -> u64 + Sync)),
}

impl Ids<'_> {
    /// The id of a row of the chunk.
    pub(crate) fn at(&self, row: usize) -> u64 {
        match self {
            Self::Column(column) => column.at(row),
            Self::By(id_of_row) => id_of_row(row),
        }
    }
}

/// The moving bodies of one step: borrowed columns with one row per body.
///
/// A column of vectors is a `&[T]` of `[f32; 2]`, [`glam::Vec2`] or any type of
/// two `f32` that `bytemuck` can cast (`NoUninit`), whatever your version of glam. Only size and
/// alignment are checked, so a column of two `i32` compiles too, and its bits are read as `f32`.
/// [`World::step`](crate::World::step) reads the columns without copying them first, and does not
/// borrow them once it returns.
///
/// Optional columns are added by the `with_` methods. All columns must have the same length;
/// otherwise the step returns an error.
///
/// The fields of an array of structs are columns too: pass them as [`StridedColumn`]s to the
/// functions whose names contain `strided`. A contiguous column is passed beside them as
/// `StridedColumn::from(&column[..])`.
///
/// ```
/// use triphase::{Bodies, World};
///
/// let centers = [[0.0f32, 0.0], [0.9, 0.0], [5.0, 5.0]];
/// let half_extents = [[0.5f32, 0.5]; 3];
/// let mut world = World::default();
/// let contacts = world.step(Bodies::new(&centers, &half_extents).with_ids(&[70, 71, 72]))?;
/// let pair = contacts.body_pairs().next().unwrap();
/// assert_eq!((pair.a, pair.b), (0, 1));
/// assert_eq!(contacts.body_id(pair.b), Some(71));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    pub(crate) boxes: ChunkColumns<'a>,
    pub(crate) displacements: Option<StridedColumn<'a, [f32; 2]>>,
    pub(crate) ids: Option<Ids<'a>>,
    pub(crate) filters: Option<StridedColumn<'a, Filter>>,
    /// Not 0: asleep.
    pub(crate) asleep: Option<StridedColumn<'a, u8>>,
}

impl<'a> Bodies<'a> {
    /// Creates bodies from centers and half-extents, in world units.
    ///
    /// The half-extents of a body are half of its width and half of its height. Its box is
    /// `center - half` to `center + half`, computed in f32. Half-extents must not be negative.
    pub fn new<C: NoUninit, H: NoUninit>(centers: &'a [C], half_extents: &'a [H]) -> Self {
        Self::from_strided(vectors!(centers, C).into(), vectors!(half_extents, H).into())
    }

    /// Creates bodies that all have the same half-extents, in world units.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let contacts = world.step(Bodies::uniform(&[[0.0f32, 0.0], [1.0, 0.0]], [0.5, 0.5]))?;
    /// assert_eq!(contacts.body_pairs().len(), 1); // they touch
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn uniform<C: NoUninit>(centers: &'a [C], half_extents: impl Into<[f32; 2]>) -> Self {
        Self::uniform_strided(vectors!(centers, C).into(), half_extents)
    }

    /// Creates bodies from boxes, taken bit for bit.
    ///
    /// A box is `[min_x, min_y, max_x, max_y]`, an [`Aabb`](crate::Aabb), or any type of four `f32`
    /// in this order that `bytemuck` can cast.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let boxes = [[0.0f32, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 2.0]];
    /// assert_eq!(world.step(Bodies::from_aabbs(&boxes))?.body_pairs().len(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn from_aabbs<T: NoUninit>(aabbs: &'a [T]) -> Self {
        Self::from_strided_aabbs(boxes!(aabbs, T).into())
    }

    /// Creates bodies from fields of structs: like [`new`](Self::new), with strided columns.
    ///
    /// See [`StridedColumn`] for an example.
    pub fn from_strided(centers: StridedColumn<'a, [f32; 2]>, half_extents: StridedColumn<'a, [f32; 2]>) -> Self {
        Self::of(BoxColumns::Centers { centers, half_extents })
    }

    /// Creates bodies of one size from fields of structs: like [`uniform`](Self::uniform), with a
    /// strided column.
    pub fn uniform_strided(centers: StridedColumn<'a, [f32; 2]>, half_extents: impl Into<[f32; 2]>) -> Self {
        Self::of(BoxColumns::Uniform { centers, half_extents: half_extents.into() })
    }

    /// Creates bodies from boxes in structs: like [`from_aabbs`](Self::from_aabbs), with a strided
    /// column.
    pub fn from_strided_aabbs(aabbs: StridedColumn<'a, RawAabb>) -> Self {
        Self::of(BoxColumns::Aabbs(aabbs))
    }

    fn of(boxes: ChunkColumns<'a>) -> Self {
        Self { boxes, displacements: None, ids: None, filters: None, asleep: None }
    }

    /// Adds the displacement of each body during this step, so that fast bodies do not tunnel.
    ///
    /// The box of a row then covers the whole motion: it is the smallest box around the box at
    /// `center` and the box at `center + displacement`, computed in f32. Where boxes are given as
    /// they are, the second one has the displacement added to each edge.
    ///
    /// If any chunk that has rows has this column, the step tests boxes only, even with
    /// [`BodyShape::Circle`](crate::BodyShape::Circle).
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let (bullet, target) = ([0.0f32, 0.0], [50.0, 0.0]);
    /// let centers = [bullet, target];
    /// let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    /// assert_eq!(world.step(bodies)?.body_pairs().len(), 0);
    /// let moving = bodies.with_displacements(&[[100.0f32, 0.0], [0.0, 0.0]]);
    /// assert_eq!(world.step(moving)?.body_pairs().len(), 1);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn with_displacements<D: NoUninit>(self, displacements: &'a [D]) -> Self {
        self.with_strided_displacements(vectors!(displacements, D).into())
    }

    /// Like [`with_displacements`](Self::with_displacements), with a strided column.
    pub fn with_strided_displacements(mut self, displacements: StridedColumn<'a, [f32; 2]>) -> Self {
        self.displacements = Some(displacements);
        self
    }

    /// Adds a column of ids, such as `Entity::to_bits` of an ECS.
    ///
    /// Ids come back from [`Contacts::body_id`](crate::Contacts::body_id) and in query hits, and
    /// they identify bodies if [contacts are tracked](crate::WorldConfig::with_contact_tracking).
    /// In the latter case they must be unique, and an entity that is respawned needs a new id. The
    /// step copies the ids. Either all chunks of a step have ids or none; a chunk without rows does
    /// not count. A column of a type of your own that `bytemuck` can cast is
    /// `bytemuck::cast_slice(&entities)`.
    pub fn with_ids(self, ids: &'a [u64]) -> Self {
        self.with_strided_ids(ids.into())
    }

    /// Like [`with_ids`](Self::with_ids), with a strided column.
    pub fn with_strided_ids(mut self, ids: StridedColumn<'a, u64>) -> Self {
        self.ids = Some(Ids::Column(ids));
        self
    }

    /// Adds ids computed by a function of the row, in place of a column.
    ///
    /// Rows are counted from 0 within these bodies, even if they are one chunk of several. The
    /// function is called once or a few times per row, from any thread, and must return the same id
    /// each time. [`step_changed`](crate::World::step_changed) calls it for changed rows.
    ///
    /// # Panics
    ///
    /// A step panics if the function does. The world then keeps its last successful step.
    ///
    /// # Example
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// struct Entity(u64);
    /// let entities = [Entity(70), Entity(71)];
    /// let mut world = World::default();
    /// let centers = [[0.0f32, 0.0], [0.9, 0.0]];
    /// let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    /// let contacts = world.step(bodies.with_ids_by(&|row| entities[row].0))?;
    /// assert_eq!(contacts.body_id(1), Some(71));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn with_ids_by(mut self, id_of_row: &'a (dyn Fn(usize) -> u64 + Sync)) -> Self {
        self.ids = Some(Ids::By(id_of_row));
        self
    }

    /// Adds a column of filters, which restrict the pairs of each body.
    ///
    /// A step may have chunks with and without filters: rows of the latter have [`Filter::ALL`].
    /// The step copies the filters. If all rows have the same one,
    /// [`with_filter`](Self::with_filter) needs no column.
    ///
    /// ```
    /// use triphase::{Bodies, Filter, World};
    /// let (soldier, bullet) = (Filter::new(0b01, 0b11), Filter::new(0b10, 0b01));
    /// let centers = [[0.0f32, 0.0], [0.1, 0.0], [0.2, 0.0]];
    /// let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    /// let mut world = World::default();
    /// // Bullets hit soldiers, but not each other.
    /// let contacts = world.step(bodies.with_filters(&[soldier, bullet, bullet]))?;
    /// assert_eq!(contacts.body_pairs().len(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn with_filters(self, filters: &'a [Filter]) -> Self {
        self.with_strided_filters(filters.into())
    }

    /// Gives each of these bodies the same filter, in place of a column: for a chunk that has one
    /// kind of entities.
    ///
    /// ```
    /// use triphase::{Bodies, Filter, World};
    /// let (soldiers, bullets) = ([[0.0f32, 0.0]], [[0.1f32, 0.0], [0.2, 0.0]]);
    /// let mut world = World::default();
    /// let contacts = world.step(&[
    ///     Bodies::uniform(&soldiers, [0.5, 0.5]).with_filter(Filter::new(0b01, 0b11)),
    ///     Bodies::uniform(&bullets, [0.5, 0.5]).with_filter(Filter::new(0b10, 0b01)),
    /// ])?;
    /// assert_eq!(contacts.body_pairs().len(), 2); // bullets hit the soldier, but not each other
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn with_filter(mut self, filter: Filter) -> Self {
        self.filters = Some(StridedColumn::repeated(filter, self.len()));
        self
    }

    /// Like [`with_filters`](Self::with_filters), with a strided column.
    pub fn with_strided_filters(mut self, filters: StridedColumn<'a, Filter>) -> Self {
        self.filters = Some(filters);
        self
    }

    /// Adds flags that mark bodies as asleep (`true`), so that their pairs can be reused.
    ///
    /// The flags are hints: a wrong hint costs time, never correctness. As long as the box and the
    /// filter of a marked row are bit for bit the same as in the step before, the world reuses its
    /// pairs with statics and with other such rows. Any other row is stepped as if it had no flag,
    /// and so are oversized bodies. Rows of chunks without this column are awake.
    ///
    /// ```
    /// use triphase::{Bodies, World};
    /// let mut world = World::default();
    /// let mut centers: Vec<[f32; 2]> = (0..1000).map(|k| [k as f32, 0.0]).collect();
    /// let asleep: Vec<bool> = (0..1000).map(|row| row != 7).collect();
    /// for frame in 0..5 {
    ///     centers[7][1] = frame as f32; // moves away from its neighbors
    ///     let contacts = world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_asleep(&asleep))?;
    ///     assert_eq!(contacts.body_pairs().len(), if frame < 2 { 999 } else { 997 });
    /// }
    /// assert_eq!(world.report().cached_count, 999);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    ///
    /// # Determinism
    ///
    /// The pairs and hits are the same as without this column. Their order may depend on which
    /// bodies slept in earlier steps; for the same sequence of steps, failed ones included, it is
    /// the same at any thread count and SIMD level.
    ///
    /// # Cost
    ///
    /// A body whose pairs are reused costs one comparison, an eighth of its usual cost. A body that
    /// moves costs one and a half times as much as usual among others that move, and four to seven
    /// times as much if it is alone among sleeping bodies. So hints save time as long as at most a
    /// tenth of the bodies move, or a fifth if these are close together. If more than a fifth move,
    /// hints are ignored.
    ///
    /// A step that stores the pairs of newly sleeping bodies, such as the second step with hints,
    /// takes about twice as long as one without hints, and up to 2.5 times while memory is
    /// allocated. If different bodies move in each step, storing pairs does not pay: the world
    /// detects this and ignores the hints for 8 to 128 steps. If a different twentieth of the
    /// bodies moves in each of 200 steps, hints cost 5 % in total.
    pub fn with_asleep(self, asleep: &'a [bool]) -> Self {
        self.with_strided_asleep(bytemuck::cast_slice(asleep).into())
    }

    /// Like [`with_asleep`](Self::with_asleep), with a strided column of bytes: `bool` fields, or
    /// numbers of which any but 0 means asleep.
    pub fn with_strided_asleep(mut self, asleep: StridedColumn<'a, u8>) -> Self {
        self.asleep = Some(asleep);
        self
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self.boxes {
            BoxColumns::Centers { centers, .. } | BoxColumns::Uniform { centers, .. } => centers.len(),
            BoxColumns::Aabbs(aabbs) => aabbs.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Checks that every column is as long as the first.
    pub(crate) fn check_lengths(&self, chunk: Option<usize>) -> Result<(), Error> {
        let expected = self.len();
        let half_extents = match self.boxes {
            BoxColumns::Centers { half_extents, .. } => Some(half_extents.len()),
            _ => None,
        };
        let ids = match self.ids {
            Some(Ids::Column(ids)) => Some(ids.len()),
            _ => None,
        };
        let columns = [
            (Column::HalfExtent, half_extents),
            (Column::Displacement, self.displacements.map(|column| column.len())),
            (Column::Id, ids),
            (Column::Filter, self.filters.map(|column| column.len())),
            (Column::Asleep, self.asleep.map(|column| column.len())),
        ];
        match columns.into_iter().find(|&(_, len)| len.is_some_and(|len| len != expected)) {
            Some((column, Some(found))) => Err(Error::ColumnLengthMismatch { chunk, column, expected, found }),
            _ => Ok(()),
        }
    }
}

/// One set of columns is one chunk, so that a step takes either.
impl<'a> AsRef<[Bodies<'a>]> for Bodies<'a> {
    fn as_ref(&self) -> &[Self] {
        std::slice::from_ref(self)
    }
}

impl fmt::Debug for Bodies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bodies").field("len", &self.len()).finish_non_exhaustive()
    }
}
