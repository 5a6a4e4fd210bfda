//! What the scenes are called.

use std::fmt;
use std::str::FromStr;

macro_rules! scene_names {
    ($($variant:ident $name:literal $about:literal)*) => {
        /// The name of a scene, as parsed from and printed to text.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SceneName {
            $(#[doc = $about] $variant,)*
        }

        impl SceneName {
            /// Every scene, the plain ones first.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As it is written.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// One line about it.
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

scene_names! {
    Crowd "crowd" "half-extents 0.35..0.5, area fraction 0.5: about one pair a body"
    Dragons "dragons" "`crowd`, 0.1 % of the bodies at half-extents 5..25"
    Castles "castles" "`dragons`, and a wall for every five bodies, 1 thick, 2..16 long, either way round"
    Cities "cities" "`crowd` bodies, 80 % in 16 gaussian clusters, in a world 20 times as wide"
    PowerLaw "power_law" "half-extents log-uniform in 0.05..50, area fraction 0.5"
    Sleepers "sleepers" "`crowd`, always the same 5 % of the bodies move"
    Brownian "brownian" "`crowd`, a new random direction every frame"
    Gravity "gravity" "`crowd`, falling onto the bottom edge and onto one another"
    Churn "churn" "`crowd`, each frame 5 % of the rows removed by swap-remove and as many added"
    FarOutlier "far_outlier" "`crowd`, one body at (1e30, 1e30)"
    Lattice1 "lattice_1" "a lattice of spacing 1, marching in step"
    Lattice64 "lattice_64" "a lattice of spacing 64, marching in step"
    Lattice1024 "lattice_1024" "a lattice of spacing 1024, marching in step"
    Lattice4096 "lattice_4096" "a lattice of spacing 4096, marching in step"
    LineX "line_x" "all on one line along x, about one pair a body"
    LineY "line_y" "all on one line along y, about one pair a body"
    Diagonal "diagonal" "all on the line x = y, about one pair a body"
    Coincident "coincident" "groups of 1,000 on one point that move as one: 500 pairs a body"
    TwoCities "two_cities" "two `crowd`s of half the bodies each, 1e7 apart"
    Touching "touching" "unit squares side by side, edges exactly equal: four pairs a body"
    TinyAndHuge "tiny_and_huge" "half-extents 1e-6 and 1e6 mixed, huge ones about as dense as `crowd`"
    Beams "beams" "thin boxes as long as the world is wide, each at its own height: no pairs"
    BeamsUpright "beams_upright" "`beams`, upright"
    BeamsStatic "beams_static" "a static beam for every five bodies, small bodies between them: no body pairs"
    ThinDiagonal "thin_diagonal" "long thin boxes in a staircase, each over a thousand others on one axis: no pairs"
    SparseCrowdedCell "sparse_crowded_cell" "half of the bodies tiny, within one unit square among sparse others: no pairs"
    Bullets "bullets" "small bodies, displaced 50 sides a step: about one pair a body"
    Ulp "ulp" "centres at 2^0..2^127, half-extents of 0..4 ulp"
    ZeroSize "zero_size" "points and lines without width on whole coordinates: about one pair a body"
    NegativeCoordinates "negative_coordinates" "`crowd`, every coordinate far below zero"
    WideAndTall "wide_and_tall" "half of the bodies 48 x 0.01 in the left half, half 0.01 x 48 in the right half"
    NestedClusters "nested_clusters" "20 sites with bodies of five scales inside each other, sizes in proportion"
    Harp "harp" "a tenth of the bodies upright strings as long as the world, points between them: hardly a pair"
    Cross "cross" "half of the bodies on a line along x, half along y: hardly a pair"
    Empty "empty" "nothing at all"
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

/// There is no scene of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScene {
    /// What was asked for.
    pub text: String,
}

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no scene \"{}\"; there are", self.text)?;
        for (k, name) in SceneName::ALL.iter().enumerate() {
            write!(f, "{}{name}", if k == 0 { " " } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownScene {}
