//! The names of the scenes.

use std::fmt;
use std::str::FromStr;

macro_rules! scene_names {
    ($($variant:ident $name:literal $about:literal)*) => {
        /// The name of a scene; it can be parsed and printed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SceneName {
            $(#[doc = $about] $variant,)*
        }

        impl SceneName {
            /// All scenes, common ones first.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name as text.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// A short description.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

scene_names! {
    Crowd "crowd" "half-extents 0.35 to 0.5, area fraction 0.5: about one pair per body"
    Dragons "dragons" "`crowd`, with half-extents 5 to 25 for 0.1 % of the bodies"
    Castles "castles" "`dragons`, and a wall for every five bodies, 1 thick, 2 to 16 long, horizontal or vertical"
    FewAmongMany "few_among_many" "twenty walls for each body, as in `castles`, and no dragons: few body pairs"
    Forest "forest" "`crowd`, and a small static for each body: two static pairs for each three bodies"
    TileMap "tile_map" "bodies of `crowd` on a map of unit tiles, solid in two of three blocks of 4 x 4: four tiles for each body"
    Cities "cities" "`crowd` in a world 20 times as wide, 80 % of the bodies in 16 Gaussian clusters"
    PowerLaw "power_law" "log-uniform half-extents 0.05 to 50, area fraction 0.5"
    Sleepers "sleepers" "`crowd`, of which the same 5 % of the bodies move in every frame"
    Brownian "brownian" "`crowd`, with a new random direction in every frame"
    Gravity "gravity" "`crowd`, falling onto the floor and onto each other"
    Churn "churn" "`crowd`, in each frame 5 % of the rows are removed by swap-remove and as many added"
    FarOutlier "far_outlier" "`crowd`, with one body at (1e30, 1e30)"
    Lattice1 "lattice_1" "a lattice of spacing 1, marching in step"
    Lattice64 "lattice_64" "a lattice of spacing 64, marching in step"
    Lattice1024 "lattice_1024" "a lattice of spacing 1024, marching in step"
    Lattice4096 "lattice_4096" "a lattice of spacing 4096, marching in step"
    LineX "line_x" "all on one line along x, about one pair per body"
    LineY "line_y" "all on one line along y, about one pair per body"
    Diagonal "diagonal" "all on the line x = y, about one pair per body"
    Swarm "swarm" "`crowd`, but a twentieth of the bodies (at most 5,000) are a dense swarm around one point"
    Coincident "coincident" "groups of 1,000 at one point that move together: 500 pairs per body"
    TwoCities "two_cities" "two crowds of half the bodies each, 1e7 apart"
    Touching "touching" "unit squares side by side with exactly equal edges: four pairs per body"
    TinyAndHuge "tiny_and_huge" "half-extents 1e-6 and 1e6 mixed, the huge ones about as dense as `crowd`"
    Beams "beams" "thin boxes as long as the world is wide, each at a height of its own: no pairs"
    BeamsUpright "beams_upright" "`beams`, upright"
    BeamsStatic "beams_static" "a static beam for every five bodies, small bodies between them: no body pairs"
    ThinDiagonal "thin_diagonal" "long thin boxes in a staircase, each overlapping a thousand others on one axis: no pairs"
    SparseCrowdedCell "sparse_crowded_cell" "half of the bodies tiny and in one unit square, the others sparse: no pairs"
    Bullets "bullets" "small bodies with displacements of 50 widths: about one pair per body"
    Ulp "ulp" "centers at 2^0 to 2^127, half-extents of 0 to 4 ulps"
    ZeroSize "zero_size" "points and lines of zero width on whole coordinates: about one pair per body"
    NegativeCoordinates "negative_coordinates" "`crowd`, with all coordinates far below zero"
    WideAndTall "wide_and_tall" "half of the bodies 48 x 0.01 in the left half, half 0.01 x 48 in the right half"
    NestedClusters "nested_clusters" "20 sites with bodies of five nested scales, of proportional sizes"
    Harp "harp" "a tenth of the bodies are upright strings as long as the world, the others points between them: few pairs"
    Cross "cross" "half of the bodies on a line along x, half on a line along y: few pairs"
    Corridors "corridors" "half of the bodies in a corridor along x, half in one along y: fewer than one pair per body"
    Shaft "shaft" "a world ten thousand times as high as wide, with tall, wide and square bodies of five decades"
    ShaftClustered "shaft_clustered" "`shaft`, with half of the bodies in tight clusters"
    Staircase "staircase" "boxes on the steps of a stair, each tenth of them sixty steps long: no pairs"
    LinesAndSquares "lines_and_squares" "lines of all lengths along x, and one large square in a thousand"
    BoxPruning "box_pruning" "Terdiman's box pruning without z: rectangles of up to 254 in a world of 4096 by 4096"
    Bepu "bepu" "sides of 1 to 100, nearly all of them small, and most bodies slow, as in a benchmark of BEPUphysics"
    Empty "empty" "no bodies"
    One "one" "one body"
}

impl fmt::Display for SceneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for SceneName {
    type Err = UnknownScene;

    fn from_str(text: &str) -> Result<Self, UnknownScene> {
        let known = Self::ALL.iter().find(|name| name.as_str() == text);
        known.copied().ok_or_else(|| UnknownScene { text: text.to_owned() })
    }
}

/// The error of a name that no scene has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScene {
    /// The unknown name.
    pub text: String,
}

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown scene \"{}\"; scenes:", self.text)?;
        for (k, name) in SceneName::ALL.iter().enumerate() {
            write!(f, "{}{name}", if k == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownScene {}
