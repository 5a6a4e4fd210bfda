//! Batches: many queries at once.
//!
//! BATCH-1: queries are sorted by place, so that successive ones read memory that is in the cache,
//! and cut into blocks of equal length that depend on the input alone, never on the number of
//! threads.
//!
//! BATCH-2: the results of a block are contiguous in its own buffer, to which no other block
//! writes, and spans give the results of each query. So results are the same on any number of
//! threads.

use crate::geometry::{Aabb, AabbCast, Circle, Ray};
use crate::memory::radix::{self, Numbered};
use crate::pair::Hit;
use crate::parallel;
use crate::query::builder::QueryBuilder;
use crate::query::cast_hit::CastHit;
use crate::query::neighbor::Neighbor;
use crate::trace::span;
use std::ops::Index;

/// Queries in a block: enough to outweigh the overhead of a task, few enough to distribute evenly.
const BLOCK_LEN: usize = 256;

/// The results of a batch of queries: a slice for each query, indexed like the queries.
///
/// Keep the value for the next batch, which reuses its memory.
///
/// ```
/// use triphase::{Aabb, Bodies, World, query::BatchResults};
/// let mut world = World::default();
/// world.step(Bodies::uniform(&[[0.0f32, 0.0], [3.0, 0.0], [9.0, 0.0]], [0.5, 0.5]))?;
/// let areas = [Aabb::new([8.0, 0.0], [9.0, 1.0])?, Aabb::new([0.0, 0.0], [4.0, 1.0])?];
/// let mut results = BatchResults::new();
/// world.query().par_query_aabb(&areas, &mut results);
/// assert_eq!((results[0].len(), results[1].len()), (1, 2));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchResults<T = Hit> {
    /// By query.
    spans: Vec<ResultSpan>,
    /// As many as the largest batch had; blocks that the last batch did not use contain old
    /// results.
    blocks: Vec<BatchBlock<T>>,
    /// Sort key and index of each query, in the order in which they run.
    order: Vec<Numbered>,
    spare: Vec<Numbered>,
}

/// The place of a query's results.
#[derive(Clone, Copy, Debug, Default)]
struct ResultSpan {
    block: u32,
    start: u32,
    end: u32,
}

/// The results of a block (BATCH-2).
#[derive(Clone, Debug)]
struct BatchBlock<T> {
    items: Vec<T>,
    /// The end of the results of each of its queries.
    ends: Vec<u32>,
}

impl<T> BatchResults<T> {
    /// Creates an empty value without heap memory.
    pub const fn new() -> Self {
        Self { spans: Vec::new(), blocks: Vec::new(), order: Vec::new(), spare: Vec::new() }
    }

    /// Iterates over the results of each query, in the order of the queries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|query| &self[query])
    }

    /// Returns the number of queries in the batch.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether the batch had no queries.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the heap memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let of_block =
            |block: &BatchBlock<T>| block.items.capacity() * size_of::<T>() + block.ends.capacity() * size_of::<u32>();
        self.spans.capacity() * size_of::<ResultSpan>()
            + self.blocks.capacity() * size_of::<BatchBlock<T>>()
            + (self.order.capacity() + self.spare.capacity()) * size_of::<Numbered>()
            + self.blocks.iter().map(of_block).sum::<usize>()
    }
}

/// The results of a query, by its index in the batch.
///
/// # Panics
///
/// Panics if the batch had no such query.
impl<T> Index<usize> for BatchResults<T> {
    type Output = [T];

    fn index(&self, query: usize) -> &[T] {
        let ResultSpan { block, start, end } = self.spans[query];
        &self.blocks[block as usize].items[start as usize..end as usize]
    }
}

impl<T> Default for BatchResults<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Batches: many queries at once. Each query has the results that it has alone, in the same order.
impl<H: Copy + Ord + Send> QueryBuilder<'_, H> {
    /// Runs [`query_aabb`](Self::query_aabb) for each area, in parallel.
    ///
    /// # Panics
    ///
    /// Panics if there are 2^32 - 1 or more queries, or if 256 queries that run together have more
    /// than 2^32 - 1 hits.
    ///
    /// # Determinism
    ///
    /// The results and their order are those of the single queries, at any number of threads.
    ///
    /// # Cost
    ///
    /// That of the single queries, and of sorting the queries by place, so that successive ones
    /// read the same memory. On one thread, many queries of a world larger than the CPU caches are
    /// faster than one by one; otherwise there is little difference. Runs on the same threads as
    /// [`World::step`](crate::World::step), or on the calling thread alone if the world
    /// [uses no others](crate::WorldConfig::with_parallel_threshold); batches of a single
    /// [tier](crate::tier) always use several. Allocates only if `results` has too little
    /// capacity.
    ///
    /// ```
    /// use triphase::{Aabb, Bodies, World, query::BatchResults};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[0.0f32, 0.0], [3.0, 0.0]], [0.5, 0.5]))?;
    /// let views = [Aabb::new([0.0, 0.0], [1.0, 1.0])?, Aabb::new([0.0, 0.0], [4.0, 1.0])?];
    /// let mut results = BatchResults::new();
    /// world.query().par_query_aabb(&views, &mut results);
    /// assert!(results.iter().map(<[_]>::len).eq([1, 2]));
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn par_query_aabb(self, areas: &[Aabb], results: &mut BatchResults<H>) {
        let center = |k: usize| areas[k].center();
        self.run_batch("boxes", areas.len(), &center, results, &|k, found| {
            self.query_aabb(areas[k]).append_to(found);
        });
    }

    /// Runs [`query_circle`](Self::query_circle) for each circle, in parallel.
    ///
    /// Otherwise like [`par_query_aabb`](Self::par_query_aabb).
    ///
    /// ```
    /// use triphase::{Bodies, Circle, World, query::BatchResults};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[0.0f32, 0.0], [3.0, 0.0]], [0.5, 0.5]))?;
    /// let mut results = BatchResults::new();
    /// world.query().par_query_circle(&[Circle::new([1.5, 0.0], 1.0)?], &mut results);
    /// assert_eq!(results[0].len(), 2);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn par_query_circle(self, circles: &[Circle], results: &mut BatchResults<H>) {
        let center = |k: usize| circles[k].center();
        self.run_batch("circles", circles.len(), &center, results, &|k, found| {
            self.query_circle(circles[k]).append_to(found);
        });
    }

    /// Runs [`k_nearest_within`](Self::k_nearest_within) for each circle, in parallel.
    ///
    /// To search at any distance, convert points with `Circle::from`. Otherwise like
    /// [`par_query_aabb`](Self::par_query_aabb).
    ///
    /// ```
    /// use triphase::{Bodies, Circle, Point, World, query::BatchResults};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[0.0f32, 0.0], [3.0, 0.0]], [0.5, 0.5]))?;
    /// let around = [Circle::from(Point::new([2.0, 0.0])?)];
    /// let mut results = BatchResults::new();
    /// world.query().par_k_nearest_within(&around, 1, &mut results);
    /// assert_eq!(results[0][0].distance, 0.5);
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn par_k_nearest_within(self, circles: &[Circle], k: usize, results: &mut BatchResults<Neighbor<H>>) {
        let center = |query: usize| circles[query].center();
        self.run_batch("nearest", circles.len(), &center, results, &|query, found| {
            self.append_k_nearest(circles[query], k, found);
        });
    }

    /// Runs [`cast_ray`](Self::cast_ray) for each ray, in parallel.
    ///
    /// The results of a ray are its first hit, or an empty slice. Otherwise like
    /// [`par_query_aabb`](Self::par_query_aabb).
    ///
    /// ```
    /// use triphase::{Bodies, Ray, World, query::BatchResults};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[3.0f32, 0.0]], [0.5, 0.5]))?;
    /// let rays = [Ray::new([0.0, 0.0], [1.0, 0.0], 9.0)?, Ray::new([0.0, 0.0], [0.0, 1.0], 9.0)?];
    /// let mut results = BatchResults::new();
    /// world.query().par_cast_ray(&rays, &mut results);
    /// assert!(results[0][0].time_of_impact == 2.5 && results[1].is_empty());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn par_cast_ray(self, rays: &[Ray], results: &mut BatchResults<CastHit<H>>) {
        let origin = |k: usize| rays[k].origin();
        self.run_batch("rays", rays.len(), &origin, results, &|k, found| found.extend(self.cast_ray(rays[k])));
    }

    /// Runs [`cast_aabb`](Self::cast_aabb) for each moving box, in parallel.
    ///
    /// The results of a cast are its first hit, or an empty slice. Otherwise like
    /// [`par_query_aabb`](Self::par_query_aabb).
    ///
    /// ```
    /// use triphase::{Aabb, AabbCast, Bodies, World, query::BatchResults};
    /// let mut world = World::default();
    /// world.step(Bodies::uniform(&[[3.0f32, 0.0]], [0.5, 0.5]))?;
    /// let unit = Aabb::new([-0.5, -0.5], [0.5, 0.5])?;
    /// let casts = [AabbCast::new(unit, [4.0, 0.0])?, AabbCast::new(unit, [0.0, 4.0])?];
    /// let mut results = BatchResults::new();
    /// world.query().par_cast_aabb(&casts, &mut results);
    /// assert!(results[0][0].time_of_impact == 0.5 && results[1].is_empty());
    /// # Ok::<(), triphase::Error>(())
    /// ```
    pub fn par_cast_aabb(self, casts: &[AabbCast], results: &mut BatchResults<CastHit<H>>) {
        let center = |k: usize| casts[k].aabb().center();
        self.run_batch("casts", casts.len(), &center, results, &|k, found| found.extend(self.cast_aabb(casts[k])));
    }

    /// Runs `count` queries of a kind: `run` appends the results of one, `place` returns the point
    /// where it searches.
    fn run_batch<T: Send>(
        self,
        kind: &'static str,
        count: usize,
        place: &(dyn Fn(usize) -> [f32; 2] + Sync),
        results: &mut BatchResults<T>,
        run: &(dyn Fn(usize, &mut Vec<T>) + Sync),
    ) {
        let span = span!("query_batch", kind = kind, queries = count; results);
        assert!(count < u32::MAX as usize, "a batch has fewer than 2^32 - 1 queries");
        let BatchResults { spans, blocks, order, spare } = results;
        // The caller's function may panic: then there are no results.
        spans.clear();
        sort_queries(self.parallel, count, &|k| self.source.sort_key(&self.scope, place(k)), order, spare);
        let block_count = count.div_ceil(BLOCK_LEN);
        // A smaller batch keeps the memory of a larger one.
        let kept = blocks.len().max(block_count);
        blocks.resize_with(kept, || BatchBlock { items: Vec::new(), ends: Vec::new() });
        parallel::for_each_mut(self.parallel, &mut blocks[..block_count], |k, block| {
            block.items.clear();
            block.ends.clear();
            for &(_, query) in &order[k * BLOCK_LEN..count.min((k + 1) * BLOCK_LEN)] {
                run(query as usize, &mut block.items);
                block.ends.push(u32::try_from(block.items.len()).expect("a block has at most 2^32 - 1 hits"));
            }
        });
        spans.resize(count, ResultSpan::default());
        for ((k, block), queries) in (0..).zip(&*blocks).zip(order.chunks(BLOCK_LEN)) {
            let mut start = 0;
            for (&(_, query), &end) in queries.iter().zip(&block.ends) {
                spans[query as usize] = ResultSpan { block: k, start, end };
                start = end;
            }
        }
        span.record(|| [("results", blocks[..block_count].iter().map(|block| block.items.len()).sum())]);
    }
}

/// The queries of a batch in the order in which they run (BATCH-1).
fn sort_queries(
    parallel: bool,
    count: usize,
    sort_key: &(dyn Fn(usize) -> u64 + Sync),
    order: &mut Vec<Numbered>,
    spare: &mut Vec<Numbered>,
) {
    order.clear();
    order.resize(count, (0, 0));
    parallel::for_each_chunk(parallel, order, BLOCK_LEN, |chunk, order| {
        for (k, entry) in (chunk * BLOCK_LEN..).zip(order) {
            *entry = (sort_key(k), k as u32);
        }
    });
    radix::sort_by_key(order, spare);
}
