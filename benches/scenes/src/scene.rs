//! The columns of a scene.

use crate::motion::Motion;
use crate::pile::Pile;
use crate::{SceneName, SplitMix64};

/// Columns of bodies and statics. A row of `centers`, `half_extents`, `displacements` and `ids` is
/// one body.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the scene.
    pub name: SceneName,
    /// Random seed that the scene was created from.
    pub seed: u64,
    /// Number of frames that it has advanced.
    pub frame: u64,
    /// The box that all centers stay in, except the outlier of `far_outlier`: `[min_x, min_y,
    /// max_x, max_y]`.
    pub world: [f32; 4],
    /// Centers of the bodies.
    pub centers: Vec<[f32; 2]>,
    /// Half-extents of the bodies, in the same rows.
    pub half_extents: Vec<[f32; 2]>,
    /// Motion of each body in the next frame, in scenes of fast bodies (`bullets`).
    pub displacements: Option<Vec<[f32; 2]>>,
    /// Boxes that never move: `[min_x, min_y, max_x, max_y]`.
    pub statics: Vec<[f32; 4]>,
    /// A unique id for each body. The id of a removed body is never used again.
    pub ids: Vec<u64>,
    pub(crate) velocities: Vec<[f32; 2]>,
    pub(crate) motion: Motion,
    pub(crate) random: SplitMix64,
    pub(crate) pile: Pile,
    next_id: u64,
    /// Buffers to reorder columns with.
    spare: (Vec<[f32; 2]>, Vec<u64>),
}

impl Scene {
    /// The box of each body, in f32: from the center less the half-extents to the center plus the
    /// half-extents, united with that box displaced where there are displacements.
    pub fn boxes(&self) -> Vec<[f32; 4]> {
        let rows = self.centers.iter().zip(&self.half_extents).enumerate();
        rows.map(|(row, (&[x, y], &[w, h]))| {
            let here = [x - w, y - h, x + w, y + h];
            let Some(displacements) = &self.displacements else { return here };
            let [x, y] = [x + displacements[row][0], y + displacements[row][1]];
            let there = [x - w, y - h, x + w, y + h];
            [here[0].min(there[0]), here[1].min(there[1]), here[2].max(there[2]), here[3].max(there[3])]
        })
        .collect()
    }

    /// Reorders the rows of bodies: row `order[k]` becomes row `k`.
    ///
    /// # Panics
    ///
    /// If an entry of `order` is not a row.
    pub fn reorder(&mut self, order: &[u32]) {
        fn gather<T: Copy>(column: &mut Vec<T>, order: &[u32], spare: &mut Vec<T>) {
            spare.clear();
            spare.extend(order.iter().map(|&row| column[row as usize]));
            std::mem::swap(column, spare);
        }
        let (vectors, numbers) = &mut self.spare;
        gather(&mut self.centers, order, vectors);
        gather(&mut self.half_extents, order, vectors);
        gather(&mut self.velocities, order, vectors);
        gather(&mut self.ids, order, numbers);
        if let Some(displacements) = &mut self.displacements {
            gather(displacements, order, vectors);
        }
    }

    /// A scene without bodies, with room for some.
    pub(crate) fn blank(name: SceneName, bodies: usize, seed: u64) -> Self {
        Self {
            name,
            seed,
            frame: 0,
            world: [0.0; 4],
            centers: Vec::with_capacity(bodies),
            half_extents: Vec::with_capacity(bodies),
            displacements: None,
            statics: Vec::new(),
            ids: Vec::with_capacity(bodies),
            velocities: Vec::with_capacity(bodies),
            motion: Motion::Bounce,
            random: SplitMix64::new(seed),
            pile: Pile::default(),
            next_id: 1,
            spare: Default::default(),
        }
    }

    /// Adds a body.
    pub(crate) fn push(&mut self, center: [f32; 2], half_extent: [f32; 2], velocity: [f32; 2]) {
        self.centers.push(center);
        self.half_extents.push(half_extent);
        self.velocities.push(velocity);
        self.ids.push(self.next_id);
        self.next_id += 1;
    }

    /// Shuffles the rows of bodies and statics (SCENE-3).
    pub(crate) fn shuffle(&mut self) {
        let count = self.centers.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        for i in (1..count).rev() {
            order.swap(i, self.random.below(i + 1));
        }
        self.reorder(&order);
        for i in (1..self.statics.len()).rev() {
            self.statics.swap(i, self.random.below(i + 1));
        }
    }
}
