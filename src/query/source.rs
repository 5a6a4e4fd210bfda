//! What a structure offers for questions to be asked of it.

use crate::geometry::{Impact, PreparedCast, RawAabb, overlaps};

/// The three walks.
pub trait Search: Copy {
    /// What a structure calls a box. Ascending is the order of what is equally near.
    type Hit: Copy + Ord + Send;

    /// Every box that overlaps `area` and satisfies `test`, each once; `test` must refuse what does not overlap the area,
    /// which may or may not have been found out before. Looked for as the iterator is drawn on. Edges of the area may be
    /// infinite.
    fn search<T: Fn(&RawAabb) -> bool + Copy>(self, area: RawAabb, test: T) -> impl Iterator<Item = Self::Hit>;

    /// Every box that overlaps `area`, each once.
    fn overlapping(self, area: RawAabb) -> impl Iterator<Item = Self::Hit> {
        self.search(area, move |aabb| overlaps(aabb, &area))
    }

    /// Every box filed in the cells or leaves that `area` touches, each once: at least all those that overlap it. Where a
    /// search finds out nothing before its test, that is one without a test.
    fn filed_near(self, area: RawAabb) -> impl Iterator<Item = Self::Hit> {
        self.search(area, |_| true)
    }

    /// Visits boxes whose squared distance (G3) from `point` is at most `within`, each once, by and by nearer ones first.
    /// `visit` is given the hit and the squared distance, and returns what the distance has to be within from then on;
    /// what it is in the end is returned. `count` is about how many are asked for.
    fn visit_near(
        self,
        point: [f32; 2],
        count: usize,
        within: f64,
        visit: &mut impl FnMut(Self::Hit, f64) -> f64,
    ) -> f64;

    /// Visits boxes that are met not after the distance `until`, by and by earlier ones first, some perhaps more than
    /// once. `visit` is given the hit and where the box is met, and returns until where it goes on; what it is in the end
    /// is returned. A negative distance ends the walk.
    fn visit_met(self, cast: &PreparedCast, until: f64, visit: &mut impl FnMut(Self::Hit, Impact) -> f64) -> f64;

    /// A number by which questions near a point are sorted, so that those that follow each other look at memory that lies
    /// close together. Changes what a batch costs, never what it finds.
    fn place(self, point: [f32; 2]) -> u64;

    /// Whether no other thread may be used.
    fn is_sequential(self) -> bool {
        false
    }
}
