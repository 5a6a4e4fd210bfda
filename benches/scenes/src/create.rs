//! Creates a scene from its name.

use crate::motion::Motion;
use crate::scene::Scene;
use crate::{SceneName, cities, crowds, extremes, lattices, lines, mixed, published, slow, thin};

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
}
