//! Columns of statics, borrowed from the caller.

use crate::geometry::RawAabb;
use crate::input::bodies::boxes;
use crate::input::filter::Filter;
use bytemuck::NoUninit;

/// Statics: boxes that rarely change, in world units, with optional ids and filters. Their pairs
/// are with bodies, never with each other.
///
/// They are the whole static set of [`World::set_statics`](crate::World::set_statics), or a few for
/// [`World::insert_statics`](crate::World::insert_statics) and
/// [`World::replace_statics`](crate::World::replace_statics).
///
/// A reference to a slice, an array or a `Vec` of boxes converts into it, so
/// `world.set_statics(&walls)` is enough. Boxes are stored bit for bit as given.
/// `Statics::default()` is the empty set.
///
/// ```
/// use triphase::{Aabb, Bodies, Statics, World};
///
/// let walls = [Aabb::new([0.0, -1.0], [100.0, 0.0])?, Aabb::new([0.0, 0.0], [1.0, 9.0])?];
/// let mut world = World::default();
/// world.set_statics(Statics::new(&walls).with_ids(&[900, 901]))?;
/// let contacts = world.step(Bodies::uniform(&[[50.0f32, 0.4]], [0.5, 0.5]))?;
/// let pair = contacts.static_pairs().next().unwrap();
/// assert_eq!(contacts.static_id(pair.static_row), Some(900));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Statics<'a> {
    pub(crate) aabbs: &'a [RawAabb],
    pub(crate) ids: Option<&'a [u64]>,
    pub(crate) filters: Option<&'a [Filter]>,
}

impl<'a> Statics<'a> {
    /// Creates statics from boxes.
    ///
    /// A box is `[min_x, min_y, max_x, max_y]`, an [`Aabb`](crate::Aabb), or any type of four `f32`
    /// in this order that `bytemuck` can cast.
    pub fn new<T: NoUninit>(aabbs: &'a [T]) -> Self {
        Self { aabbs: boxes!(aabbs, T), ids: None, filters: None }
    }

    /// Adds a column of ids, one per box. The world copies them.
    pub fn with_ids(mut self, ids: &'a [u64]) -> Self {
        self.ids = Some(ids);
        self
    }

    /// Adds a column of filters, one per box. Without it, every static has [`Filter::ALL`].
    pub fn with_filters(mut self, filters: &'a [Filter]) -> Self {
        self.filters = Some(filters);
        self
    }
}

impl<'a, T: NoUninit> From<&'a [T]> for Statics<'a> {
    fn from(aabbs: &'a [T]) -> Self {
        Self::new(aabbs)
    }
}

impl<'a, T: NoUninit> From<&'a Vec<T>> for Statics<'a> {
    fn from(aabbs: &'a Vec<T>) -> Self {
        Self::new(aabbs)
    }
}

impl<'a, T: NoUninit, const N: usize> From<&'a [T; N]> for Statics<'a> {
    fn from(aabbs: &'a [T; N]) -> Self {
        Self::new(aabbs)
    }
}
