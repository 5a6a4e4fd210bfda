//! Many questions at once.
//!
//! V1: questions are sorted by the place they ask about, so that those that follow each other look at memory that is in
//!     the cache, and cut into blocks of equal number: by the input alone, never by the number of threads.
//! V2: a block's answers stand one behind the other in a buffer of its own, which no other block writes to; where each
//!     question's answer is, is noted by its number. So answers are the same on any number of threads.

use crate::geometry::{Aabb, Circle, Ray};
use crate::memory::radix;
use crate::memory::radix::Numbered;
use crate::parallel;
use crate::query::{Accept, CastHit, Neighbor, QueryBuilder, Searchable};

/// Queries in a block: enough to outweigh handing it to a thread, few enough to share them out.
const BLOCK_LEN: usize = 256;

/// BatchResults to many questions, each a slice. Keep it: the next batch reuses its memory.
///
/// ```
/// use triphase::{query::BatchResults, Aabb, Bodies, World};
/// let mut world = World::default();
/// world.step(Bodies::uniform(&[[0.0f32, 0.0], [3.0, 0.0], [9.0, 0.0]], [0.5, 0.5]))?;
/// let areas = [Aabb::new([8.0, 0.0], [9.0, 1.0])?, Aabb::new([0.0, 0.0], [4.0, 1.0])?];
/// let mut answers = BatchResults::new();
/// world.query().par_query_aabb(&areas, &mut answers);
/// assert_eq!((answers.of(0).len(), answers.of(1).len()), (1, 2));
/// # Ok::<(), triphase::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchResults<T> {
    /// By question.
    spans: Vec<Span>,
    /// As many as the largest batch had; what is in those that the last one had not does not count.
    blocks: Vec<Block<T>>,
    /// Place and number of each question, in the order in which they are asked.
    order: Vec<Numbered>,
    spare: Vec<Numbered>,
}

/// Where an answer is.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    block: u32,
    start: u32,
    end: u32,
}

/// The answers of a block (V2).
#[derive(Clone, Debug)]
struct Block<T> {
    items: Vec<T>,
    /// Where the answer of each of its questions ends.
    ends: Vec<u32>,
}

impl<T> BatchResults<T> {
    /// No answers, and no memory.
    pub const fn new() -> Self {
        Self { spans: Vec::new(), blocks: Vec::new(), order: Vec::new(), spare: Vec::new() }
    }

    /// The answer to a question, by its number in the batch.
    ///
    /// # Panics
    ///
    /// When there was no such question.
    pub fn of(&self, question: usize) -> &[T] {
        let Span { block, start, end } = self.spans[question];
        &self.blocks[block as usize].items[start as usize..end as usize]
    }

    /// The answers, in the order of the questions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|question| self.of(question))
    }

    /// How many questions were asked.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether none was asked.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let of_block =
            |block: &Block<T>| block.items.capacity() * size_of::<T>() + block.ends.capacity() * size_of::<u32>();
        self.spans.capacity() * size_of::<Span>()
            + self.blocks.capacity() * size_of::<Block<T>>()
            + (self.order.capacity() + self.spare.capacity()) * size_of::<Numbered>()
            + self.blocks.iter().map(of_block).sum::<usize>()
    }
}

impl<T> Default for BatchResults<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Searchable + Sync, A: Accept<S::Hit> + Sync> QueryBuilder<S, A> {
    /// [`query_aabb`](Self::query_aabb) of each area.
    ///
    /// # Determinism
    ///
    /// The answers, and the order in each, are those of the single questions: the same on any number of threads.
    ///
    /// # Cost
    ///
    /// That of the single questions in the order in which boxes are filed, whatever order they are given in, and of sorting
    /// them: clearly less where a world outgrows the caches and questions are many, about the same where it does not. In
    /// parallel on the rayon pool of the caller, or not where a world's settings say so. Allocates only what `answers` lacks.
    ///
    /// # Panics
    ///
    /// With 2^32 - 1 questions or more, or more hits than that in a block of 256 questions.
    pub fn par_query_aabb(self, areas: &[Aabb], answers: &mut BatchResults<S::Hit>) {
        let center = |area: &Aabb| area.center();
        self.ask_all(areas, center, answers, |area, found| {
            self.query_aabb(*area).append_to(found);
        });
    }

    /// [`query_circle`](Self::query_circle) of each disc. As [`par_query_aabb`](Self::par_query_aabb).
    pub fn par_query_circle(self, circles: &[Circle], answers: &mut BatchResults<S::Hit>) {
        self.ask_all(
            circles,
            |circle| circle.center(),
            answers,
            |circle, found| {
                self.query_circle(*circle).append_to(found);
            },
        );
    }

    /// [`k_nearest_within`](Self::k_nearest_within) of each disc, nearest first; discs are made of points by `Circle::from`. As
    /// [`par_query_aabb`](Self::par_query_aabb).
    pub fn par_k_nearest_within(self, circles: &[Circle], k: usize, answers: &mut BatchResults<Neighbor<S::Hit>>) {
        self.ask_all(
            circles,
            |circle| circle.center(),
            answers,
            |circle, found| {
                self.append_k_nearest(*circle, k, found);
            },
        );
    }

    /// [`cast_ray`](Self::cast_ray) of each ray: the first hit, or an empty answer. As
    /// [`par_query_aabb`](Self::par_query_aabb).
    pub fn par_cast_ray(self, rays: &[Ray], answers: &mut BatchResults<CastHit<S::Hit>>) {
        self.ask_all(rays, |ray| ray.origin(), answers, |ray, found| found.extend(self.cast_ray(*ray)));
    }

    /// V1 and V2.
    fn ask_all<Q: Sync, T: Send>(
        self,
        questions: &[Q],
        place: impl Fn(&Q) -> [f32; 2] + Sync,
        answers: &mut BatchResults<T>,
        ask: impl Fn(&Q, &mut Vec<T>) + Sync,
    ) {
        assert!(questions.len() < u32::MAX as usize, "questions are numbered by u32");
        let BatchResults { spans, blocks, order, spare } = answers;
        let parallel = !self.source.is_sequential();
        let block_count = questions.len().div_ceil(BLOCK_LEN);
        order.clear();
        order.resize(questions.len(), (0, 0));
        parallel::for_each_chunk_and(parallel, order, BLOCK_LEN, &mut vec![(); block_count], |k, order, ()| {
            for ((at, slot), question) in order.iter_mut().enumerate().zip(&questions[k * BLOCK_LEN..]) {
                *slot = (self.source.place(place(question)), (k * BLOCK_LEN + at) as u32);
            }
        });
        radix::sort_by_key(order, spare);
        // A smaller batch leaves the others as they are: the next one may be larger again.
        let held = blocks.len().max(block_count);
        blocks.resize_with(held, || Block { items: Vec::new(), ends: Vec::new() });
        parallel::for_each_mut(parallel, &mut blocks[..block_count], |k, block| {
            let numbers = &order[k * BLOCK_LEN..questions.len().min((k + 1) * BLOCK_LEN)];
            block.items.clear();
            block.ends.clear();
            for &(_, number) in numbers {
                ask(&questions[number as usize], &mut block.items);
                block.ends.push(u32::try_from(block.items.len()).expect("as many hits as u32 can number"));
            }
        });
        spans.clear();
        spans.resize(questions.len(), Span::default());
        for ((k, block), numbers) in (0..).zip(&*blocks).zip(order.chunks(BLOCK_LEN)) {
            let mut start = 0;
            for (&(_, number), &end) in numbers.iter().zip(&block.ends) {
                spans[number as usize] = Span { block: k, start, end };
                start = end;
            }
        }
    }
}
