//! An answer that is looked for as it is drawn on.

use std::ops::ControlFlow;

/// What a question of an area met, each once: an iterator that looks no further than it is drawn. All in one go, by
/// [`append_to`](Self::append_to) or `for_each`, is faster than one by one.
#[derive(Clone, Debug)]
#[must_use = "nothing is looked for until it is asked for"]
pub struct Hits<I>(pub(super) I);

impl<I: Iterator> Hits<I> {
    /// Calls `visitor` with each hit until it breaks off; what it broke off with.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use triphase::{Aabb, World};
    /// let mut world = World::default();
    /// world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 2.0]])?;
    /// let mut seen = 0;
    /// let end = world.query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?).visit(|_| {
    ///     seen += 1;
    ///     if seen == 1 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    /// });
    /// assert_eq!((seen, end), (1, ControlFlow::Break("enough")));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn visit<B>(mut self, visitor: impl FnMut(I::Item) -> ControlFlow<B>) -> ControlFlow<B> {
        self.0.try_for_each(visitor)
    }

    /// Appends all hits to a buffer and says how many. Allocates only what the buffer grows by.
    pub fn append_to(self, buffer: &mut Vec<I::Item>) -> usize {
        let before = buffer.len();
        self.0.for_each(|hit| buffer.push(hit));
        buffer.len() - before
    }

    /// The first hit; nothing behind it is looked at.
    pub fn first(mut self) -> Option<I::Item> {
        self.0.next()
    }

    /// Whether there is any; nothing behind the first is looked at.
    pub fn exists(self) -> bool {
        self.first().is_some()
    }
}

impl<I: Iterator> Iterator for Hits<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn fold<B, F: FnMut(B, I::Item) -> B>(self, init: B, f: F) -> B {
        self.0.fold(init, f)
    }
}

impl<I: std::iter::FusedIterator> std::iter::FusedIterator for Hits<I> {}
