//! The boxes that a box query finds, one by one.

use crate::geometry::RawAabb;
use crate::pair::Hit;
use crate::query::source::{BATCH_LEN, BoxSearch, HitBatch, HitSink, Scope, Source};
use crate::tier::box_test::BoxTest;
use std::fmt;
use std::iter::FusedIterator;

/// How many hits are found before the first of them is returned.
const FIRST_BATCH_LEN: usize = 4;

/// An iterator over the hits of a box query, each once.
///
/// The search is lazy: it runs only a few hits ahead of the iterator. The fastest way to fill a
/// buffer is [`append_to`](Self::append_to).
///
/// ```
/// use std::ops::ControlFlow;
/// use triphase::{Aabb, World};
/// let mut world = World::default();
/// world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0], [0.5, 0.5, 2.0, 2.0]])?;
/// let area = Aabb::new([0.0, 0.0], [9.0, 9.0])?;
/// assert_eq!(world.query_aabb(area).count(), 2);
///
/// // A visitor that can stop the search: `try_for_each`, as of any iterator.
/// let mut seen = 0;
/// let end = world.query_aabb(area).try_for_each(|_| {
///     seen += 1;
///     if seen == 1 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
/// });
/// assert_eq!((seen, end), (1, ControlFlow::Break("enough")));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "hits are searched for when the iterator is advanced"]
pub struct Hits<'w, H: Copy = Hit> {
    source: &'w dyn Source<H>,
    scope: Scope<'w, H>,
    search: BoxSearch<'w>,
    found: HitBatch<H>,
    /// Number of elements of `found` that were returned.
    returned: usize,
    /// Number of hits to find next. It grows, so that few hits are found if few are taken.
    limit: usize,
}

impl<'w, H: Copy> Hits<'w, H> {
    pub(super) fn new(source: &'w dyn Source<H>, scope: Scope<'w, H>, area: RawAabb, test: BoxTest) -> Self {
        let search = BoxSearch::new(area, test);
        Self { source, scope, search, found: HitBatch::new(), returned: 0, limit: FIRST_BATCH_LEN }
    }

    /// Appends all remaining hits to a buffer and returns their number.
    ///
    /// Allocates only if the buffer has too little capacity.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, Hit, World};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[0.0f32, 0.0], [3.0, 0.0]], [0.5, 0.5]))?;
    /// let mut buffer: Vec<Hit> = Vec::new(); // kept from frame to frame
    /// buffer.clear();
    /// assert_eq!(world.query_aabb(Aabb::new([0.0, 0.0], [9.0, 9.0])?).append_to(&mut buffer), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn append_to(self, buffer: &mut Vec<H>) -> usize {
        let before = buffer.len();
        if self.search.is_new() {
            self.find_all(&mut |hits| buffer.extend_from_slice(hits));
        } else {
            buffer.extend(self);
        }
        buffer.len() - before
    }

    /// Returns the first of the remaining hits, and searches no further.
    pub fn first(mut self) -> Option<H> {
        if self.search.is_new() {
            return self.source.find_first(&self.scope, &self.search.area, self.search.test);
        }
        self.next()
    }

    /// Returns whether there is any hit left, and searches no further than the first.
    pub fn exists(self) -> bool {
        self.first().is_some()
    }

    /// Passes all hits on, in batches. None were returned before.
    fn find_all(&self, take: &mut dyn FnMut(&[H])) {
        let mut sink = HitSink::new(take);
        self.source.find_hits(&self.scope, &self.search.area, self.search.test, &mut sink);
        sink.flush();
    }

    /// Replaces the returned hits by the next ones. Returns whether there are any.
    #[inline(never)]
    fn find_more(&mut self) -> bool {
        self.found.clear();
        self.returned = 0;
        self.source.next_hits(&self.scope, &mut self.search, self.limit, &mut self.found);
        self.limit = (self.limit * 4).min(BATCH_LEN);
        !self.found.is_empty()
    }
}

impl<H: Copy> Iterator for Hits<'_, H> {
    type Item = H;

    #[inline]
    fn next(&mut self) -> Option<H> {
        if self.returned == self.found.len() && !self.find_more() {
            return None;
        }
        let hit = self.found[self.returned];
        self.returned += 1;
        Some(hit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.found.len() - self.returned, None)
    }

    fn fold<B, F: FnMut(B, H) -> B>(mut self, init: B, mut f: F) -> B {
        if self.search.is_new() {
            let mut folded = Some(init);
            self.find_all(&mut |hits| {
                folded = folded.take().map(|before| hits.iter().fold(before, |folded, &hit| f(folded, hit)));
            });
            match folded {
                Some(folded) => return folded,
                None => unreachable!("it is put back wherever it is taken"),
            }
        }
        let mut folded = init;
        loop {
            folded = self.found[self.returned..].iter().fold(folded, |folded, &hit| f(folded, hit));
            self.limit = BATCH_LEN;
            if !self.find_more() {
                return folded;
            }
        }
    }
}

impl<H: Copy> FusedIterator for Hits<'_, H> {}

impl<H: Copy> fmt::Debug for Hits<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hits").field("area", &self.search.area).field("test", &self.search.test).finish_non_exhaustive()
    }
}
