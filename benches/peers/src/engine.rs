//! What an engine is to the harness: columns in, pairs out, a frame at a time.

/// A frame as every engine gets it: centres, and half-extents (centre to side).
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// Centres, a row a body.
    pub centers: &'a [[f32; 2]],
    /// Half-extents in the same rows.
    pub half_extents: &'a [[f32; 2]],
}

/// Pairs of rows, cleared by the engine; kept from frame to frame so that their memory is taken once.
/// In `bodies` each pair has the lower row first. In `statics`: body row, then static row.
#[derive(Default)]
pub struct Found {
    /// Pairs of bodies.
    pub bodies: Vec<[u32; 2]>,
    /// Pairs of a body and a static.
    pub statics: Vec<[u32; 2]>,
}

impl Found {
    /// Forgets the pairs, keeps their memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.statics.clear();
    }

    /// Bytes that the pairs take, or may take without asking for more.
    pub fn bytes(&self) -> usize {
        (self.bodies.capacity() + self.statics.capacity()) * size_of::<[u32; 2]>()
    }
}

/// Finds all pairs of a frame. Computes the boxes itself, in f32: `center - half`, `center + half`, closed.
///
/// Steps are called inside a rayon pool of as many threads as the run is of.
pub trait Engine {
    /// As `--engines` takes it.
    fn name(&self) -> &'static str;

    /// What never moves: [min x, min y, max x, max y]. Not timed.
    fn set_statics(&mut self, statics: &[[f32; 4]]);

    /// One timed step: all pairs of the frame into `found`, which is cleared first.
    fn step(&mut self, frame: Frame<'_>, found: &mut Found);

    /// Copies the pairs of the last step into `found` where they can be iterated without that. Not timed.
    fn collect(&mut self, found: &mut Found) {
        let _ = found;
    }

    /// Bytes that the engine itself holds for pairs; they are not counted as its own.
    fn bytes_of_pairs(&self) -> usize {
        0
    }
}
