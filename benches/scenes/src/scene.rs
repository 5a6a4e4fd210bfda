//! A scene: its columns, and how it moves.

use crate::motion::Motion;
use crate::pile::Pile;
use crate::{SceneName, SplitMix64, cities, crowds, extremes, lattices, lines, mixed, published, slow, thin};

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
    /// Creates a scene. `empty` and `one` have a fixed number of bodies.
    ///
    /// # Cost
    ///
    /// About 0.1 s per million bodies.
    pub fn new(name: SceneName, bodies: usize, seed: u64) -> Self {
        let mut scene = Self::blank(name, bodies, seed);
        match name {
            SceneName::Crowd => crowds::crowd(&mut scene, bodies),
            SceneName::Dragons => crowds::dragons(&mut scene, bodies),
            SceneName::Castles => crowds::castles(&mut scene, bodies),
            SceneName::FewAmongMany => crowds::few_among_many(&mut scene, bodies),
            SceneName::Forest => crowds::forest(&mut scene, bodies),
            SceneName::TileMap => crowds::tile_map(&mut scene, bodies),
            SceneName::Sleepers => crowds::sleepers(&mut scene, bodies),
            SceneName::Brownian => crowds::moving_by(&mut scene, bodies, Motion::Brownian),
            SceneName::Gravity => crowds::moving_by(&mut scene, bodies, Motion::Fall),
            SceneName::Churn => crowds::moving_by(&mut scene, bodies, Motion::Churn),
            SceneName::PowerLaw => crowds::power_law(&mut scene, bodies),
            SceneName::NegativeCoordinates => crowds::negative_coordinates(&mut scene, bodies),
            SceneName::Cities => cities::cities(&mut scene, bodies),
            SceneName::TwoCities => cities::two_cities(&mut scene, bodies),
            SceneName::FarOutlier => cities::far_outlier(&mut scene, bodies),
            SceneName::Lattice1 => lattices::lattice(&mut scene, bodies, 1.0),
            SceneName::Lattice64 => lattices::lattice(&mut scene, bodies, 64.0),
            SceneName::Lattice1024 => lattices::lattice(&mut scene, bodies, 1024.0),
            SceneName::Lattice4096 => lattices::lattice(&mut scene, bodies, 4096.0),
            SceneName::Touching => lattices::touching(&mut scene, bodies),
            SceneName::Swarm => crowds::swarm(&mut scene, bodies),
            SceneName::Coincident => lattices::coincident(&mut scene, bodies),
            SceneName::SparseCrowdedCell => lattices::sparse_crowded_cell(&mut scene, bodies),
            SceneName::LineX => lines::line(&mut scene, bodies, [1.0, 0.0]),
            SceneName::LineY => lines::line(&mut scene, bodies, [0.0, 1.0]),
            SceneName::Diagonal => lines::line(&mut scene, bodies, [1.0, 1.0]),
            SceneName::Beams => thin::beams(&mut scene, bodies, 0),
            SceneName::BeamsUpright => thin::beams(&mut scene, bodies, 1),
            SceneName::BeamsStatic => thin::beams_static(&mut scene, bodies),
            SceneName::WideAndTall => mixed::wide_and_tall(&mut scene, bodies),
            SceneName::NestedClusters => mixed::nested_clusters(&mut scene, bodies),
            SceneName::Harp => mixed::harp(&mut scene, bodies),
            SceneName::BoxPruning => published::box_pruning(&mut scene, bodies),
            SceneName::Bepu => published::bepu(&mut scene, bodies),
            SceneName::Shaft => slow::shaft(&mut scene, bodies, false),
            SceneName::ShaftClustered => slow::shaft(&mut scene, bodies, true),
            SceneName::Staircase => slow::staircase(&mut scene, bodies),
            SceneName::LinesAndSquares => slow::lines_and_squares(&mut scene, bodies),
            SceneName::Cross => mixed::cross(&mut scene, bodies),
            SceneName::Corridors => mixed::corridors(&mut scene, bodies),
            SceneName::ThinDiagonal => thin::thin_diagonal(&mut scene, bodies),
            SceneName::TinyAndHuge => extremes::tiny_and_huge(&mut scene, bodies),
            SceneName::Bullets => extremes::bullets(&mut scene, bodies),
            SceneName::Ulp => extremes::ulp(&mut scene, bodies),
            SceneName::ZeroSize => extremes::zero_size(&mut scene, bodies),
            SceneName::Empty => {}
            SceneName::One => crowds::crowd(&mut scene, 1),
        }
        scene.shuffle();
        scene
    }

    /// Creates squares at random places, with sizes spread evenly over the logarithms of a range.
    ///
    /// The largest is `size_ratio` times as large as the smallest, of half-extent 0.35. The sum of
    /// their areas is `area_fraction` times that of the world. They move like those of
    /// [`Crowd`](SceneName::Crowd), whose name the scene has.
    pub fn with_spread(bodies: usize, size_ratio: f64, area_fraction: f64, seed: u64) -> Self {
        let mut scene = Self::blank(SceneName::Crowd, bodies, seed);
        crowds::spread(&mut scene, bodies, size_ratio, area_fraction);
        scene.shuffle();
        scene
    }

    /// Moves all bodies by one frame.
    pub fn advance(&mut self) {
        self.frame += 1;
        match self.motion {
            Motion::Bounce => self.bounce(),
            Motion::March => self.march(),
            Motion::Brownian => self.wander(),
            Motion::Churn => self.churn(),
            Motion::AabbCast => self.sweep(),
            Motion::Fall => self.fall(),
        }
    }

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

    fn blank(name: SceneName, bodies: usize, seed: u64) -> Self {
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
    fn shuffle(&mut self) {
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
