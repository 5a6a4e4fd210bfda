//! The interface of an engine: columns in, pairs out, frame by frame.

/// The bodies of a frame, as every engine gets them.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// Centers of the bodies.
    pub centers: &'a [[f32; 2]],
    /// Half-extents (center to side) of the bodies, in the same rows.
    pub half_extents: &'a [[f32; 2]],
}

/// The pairs that an engine found; reused, so that their memory is allocated once.
#[derive(Default)]
pub struct Found {
    /// Pairs of bodies, the lower row first.
    pub bodies: Vec<[u32; 2]>,
    /// Pairs of a body and a static: the row of the body, then the row of the static.
    pub statics: Vec<[u32; 2]>,
}

impl Found {
    /// Removes the pairs and keeps their memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.statics.clear();
    }

    /// Bytes allocated for pairs.
    pub fn bytes(&self) -> usize {
        (self.bodies.capacity() + self.statics.capacity()) * size_of::<[u32; 2]>()
    }
}

/// An engine that finds all pairs of each frame.
///
/// It computes closed boxes itself, in f32: `center - half`, `center + half`. Its calls run inside
/// a rayon pool with the threads of the race.
pub trait Engine {
    /// Name, as in `--engines`.
    fn name(&self) -> &'static str;

    /// Sets the boxes that never move: [min x, min y, max x, max y]. Not timed.
    fn set_statics(&mut self, statics: &[[f32; 4]]);

    /// Replaces `found` by all pairs of the frame. This is what is timed.
    fn step(&mut self, frame: Frame<'_>, found: &mut Found);

    /// Copies the pairs of the last step to `found`, if the engine keeps them where they can be
    /// iterated. Not timed.
    fn collect(&mut self, found: &mut Found) {
        let _ = found;
    }

    /// Bytes that the engine holds for pairs, which are not counted as its memory.
    fn bytes_of_pairs(&self) -> usize {
        0
    }
}
