//! What hits have to satisfy beside the question.

/// Which hits a question is about: [`Anything`], or those that a predicate lets pass ([`Matching`]).
pub trait Accept<H>: Copy {
    /// Whether this one is.
    fn accepts(&self, hit: H) -> bool;
}

/// All hits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anything;

impl<H> Accept<H> for Anything {
    #[inline(always)]
    fn accepts(&self, _: H) -> bool {
        true
    }
}

/// The hits that a predicate lets pass, of those that passed what was asked for before.
#[derive(Clone, Copy, Debug)]
pub struct Matching<A, F> {
    pub(super) before: A,
    pub(super) predicate: F,
}

impl<H: Copy, A: Accept<H>, F: Fn(H) -> bool + Copy> Accept<H> for Matching<A, F> {
    #[inline(always)]
    fn accepts(&self, hit: H) -> bool {
        self.before.accepts(hit) && (self.predicate)(hit)
    }
}
