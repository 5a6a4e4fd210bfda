//! A layout: the parameters that bodies and statics are placed by.
//!
//! Sizes and distances span many scales, so most parameters are exponents of two. Parameters are
//! rounded to thousandths: their decimal text is short and exact, so a printed layout makes the
//! same columns again.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Most groups of bodies, and of statics.
pub(crate) const GROUPS_MAX: usize = 4;
/// Most bodies of a layout.
pub(crate) const BODIES_MAX: usize = 10_000_000;
/// Parameters are multiples of one in this many.
const ROUNDING: f64 = 1000.0;

/// A mixture of groups of bodies, and one of statics, in one world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    /// Random seed of places, sizes and directions.
    pub(crate) seed: u64,
    /// Number of bodies.
    pub(crate) bodies: usize,
    /// Mean distance of bodies: the root of the world's area for each body. An exponent of two.
    pub(crate) spacing: f64,
    /// The world's width over its height, an exponent of two.
    pub(crate) aspect: f64,
    /// Distance of the world's lower corner from the origin on each axis, in sides of the world; an
    /// exponent of two. Far from the origin, f32 is coarse.
    pub(crate) offset: f64,
    /// Motion in a frame, as a share of a body's shorter side.
    pub(crate) speed: f64,
    /// Groups of bodies: at least one.
    pub(crate) groups: Vec<Group>,
    /// Statics for each body, at most one.
    pub(crate) statics: f64,
    /// Groups of statics: at least one, if there are statics.
    pub(crate) static_groups: Vec<Group>,
}

/// Boxes of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    /// Its part of the boxes, relative to the shares of the other groups.
    pub(crate) share: f64,
    /// Half of the longer side of a box, in units of `unit`.
    pub(crate) size: Size,
    pub(crate) unit: Unit,
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    pub(crate) window: Window,
}

/// The unit of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    /// A world unit.
    One,
    /// The distance of neighbors around the box: small boxes where places are close together.
    Spacing,
    /// The side of the group's window.
    Window,
}

/// How the sizes of a group are distributed. `low` is the exponent of the smallest size, and
/// `octaves` is how many times the largest one is twice as large.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Size {
    /// Points.
    Zero,
    /// All of one size.
    Fixed { low: f64 },
    /// Every size is equally likely.
    Uniform { low: f64, octaves: f64 },
    /// Every octave is equally likely.
    LogUniform { low: f64, octaves: f64 },
    /// The density at a size is the size to the power of minus `power`.
    PowerLaw { low: f64, octaves: f64, power: f64 },
}

/// The sides of a box. `long` is the exponent of the longer side over the shorter one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Shape {
    Square,
    Wide {
        long: f64,
    },
    Tall {
        long: f64,
    },
    /// Wide or tall, as often.
    Either {
        long: f64,
    },
    /// Wide or tall, with an exponent from 0 to `long`.
    Any {
        long: f64,
    },
}

/// How boxes are placed in the window of a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Place {
    Uniform,
    /// Gaussian clusters of about 2^`population` boxes. Their widths, in sides of the window, are
    /// log-uniform from the exponent `low` over so many octaves.
    Clusters {
        population: f64,
        low: f64,
        octaves: f64,
    },
    /// Squares at one corner, each 2^`ratio` times as wide as the next, all with about the same
    /// number of boxes; at 2^`sites` corners.
    Nested {
        sites: f64,
        levels: f64,
        ratio: f64,
    },
    /// Evenly along the diagonal, moved at random by up to `jitter` distances: a stair, or a row or
    /// a column if the window is thin.
    Diagonal {
        jitter: f64,
    },
    /// A lattice of square number, moved at random by up to `jitter` distances.
    Lattice {
        jitter: f64,
    },
    /// On points that about 2^`population` boxes share.
    Coincident {
        population: f64,
    },
}

/// A part of the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Window {
    /// Where it is, from 0 for the lower edges of the world to 1 for the upper ones.
    pub(crate) at: [f64; 2],
    /// Its width and height in those of the world, exponents of two.
    pub(crate) size: [f64; 2],
}

impl Window {
    /// The whole world.
    pub(crate) const ALL: Self = Self { at: [0.0; 2], size: [0.0; 2] };
}

/// A number of a layout, and the values that it may have.
pub(crate) struct Parameter<'a> {
    pub(crate) name: &'static str,
    pub(crate) value: &'a mut f64,
    pub(crate) range: RangeInclusive<f64>,
}

impl Layout {
    /// Every number but the seed and the number of bodies.
    pub(crate) fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let Self { seed: _, bodies: _, spacing, aspect, offset, speed, groups, statics, static_groups } = self;
        let mut all = vec![
            parameter("spacing", spacing, -20.0..=20.0),
            parameter("aspect", aspect, -40.0..=40.0),
            parameter("offset", offset, -20.0..=22.0),
            parameter("speed", speed, 0.0..=1.0),
            parameter("statics", statics, 0.0..=1.0),
        ];
        groups.iter_mut().chain(static_groups).for_each(|group| group.add_parameters(&mut all));
        all
    }

    /// Every group: those of bodies, then those of statics.
    pub(crate) fn all_groups_mut(&mut self) -> impl Iterator<Item = &mut Group> {
        self.groups.iter_mut().chain(&mut self.static_groups)
    }

    /// Moves every parameter into its range, and rounds it.
    pub(crate) fn settle(&mut self) {
        if self.static_groups.is_empty() {
            self.statics = 0.0;
        }
        for Parameter { value, range, .. } in self.parameters() {
            let inside = value.clamp(*range.start(), *range.end());
            *value = (inside * ROUNDING).round() / ROUNDING;
        }
    }

    /// Halves all sizes, so that there are fewer pairs.
    pub(crate) fn shrink(&mut self) {
        for group in self.all_groups_mut() {
            match &mut group.size {
                Size::Zero => {}
                Size::Fixed { low }
                | Size::Uniform { low, .. }
                | Size::LogUniform { low, .. }
                | Size::PowerLaw { low, .. } => *low -= 1.0,
            }
        }
        self.settle();
    }

    /// Number of statics.
    pub(crate) fn static_count(&self) -> usize {
        (self.statics * self.bodies as f64).round() as usize
    }

    /// Checks the numbers of a layout that was read.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let Self { bodies, groups, static_groups, .. } = self;
        if !(1..=BODIES_MAX).contains(bodies) {
            return Err(format!("bodies is {bodies}, expected 1 to {BODIES_MAX}"));
        }
        if !(1..=GROUPS_MAX).contains(&groups.len()) {
            return Err(format!("{} groups of bodies, expected 1 to {GROUPS_MAX}", groups.len()));
        }
        if static_groups.len() > GROUPS_MAX || self.statics > 0.0 && static_groups.is_empty() {
            return Err(format!("{} groups of statics, expected 1 to {GROUPS_MAX}", static_groups.len()));
        }
        let mut copy = self.clone();
        let wrong = copy.parameters().into_iter().find(|parameter| !parameter.range.contains(parameter.value));
        wrong.map_or(Ok(()), |Parameter { name, value, range }| Err(format!("{name} is {value}, expected {range:?}")))
    }
}

impl Group {
    fn add_parameters<'a>(&'a mut self, all: &mut Vec<Parameter<'a>>) {
        let Self { share, size, unit: _, shape, place, window } = self;
        all.push(parameter("share", share, 0.001..=1000.0));
        let mut add_sizes = |low, octaves: Option<&'a mut f64>| {
            all.push(parameter("low", low, -60.0..=20.0));
            octaves.into_iter().for_each(|octaves| all.push(parameter("octaves", octaves, 0.0..=40.0)));
        };
        match size {
            Size::Zero => {}
            Size::Fixed { low } => add_sizes(low, None),
            Size::Uniform { low, octaves } | Size::LogUniform { low, octaves } => add_sizes(low, Some(octaves)),
            Size::PowerLaw { low, octaves, power } => {
                add_sizes(low, Some(octaves));
                all.push(parameter("power", power, -4.0..=6.0));
            }
        }
        match shape {
            Shape::Square => {}
            Shape::Wide { long } | Shape::Tall { long } | Shape::Either { long } | Shape::Any { long } => {
                all.push(parameter("long", long, 0.0..=40.0));
            }
        }
        match place {
            Place::Uniform => {}
            Place::Clusters { population, low, octaves } => {
                all.push(parameter("population", population, 0.0..=20.0));
                all.push(parameter("low", low, -40.0..=0.0));
                all.push(parameter("octaves", octaves, 0.0..=40.0));
            }
            Place::Nested { sites, levels, ratio } => {
                all.push(parameter("sites", sites, 0.0..=12.0));
                all.push(parameter("levels", levels, 1.0..=40.0));
                all.push(parameter("ratio", ratio, 0.0..=12.0));
            }
            Place::Diagonal { jitter } | Place::Lattice { jitter } => {
                all.push(parameter("jitter", jitter, 0.0..=2.0));
            }
            Place::Coincident { population } => all.push(parameter("population", population, 0.0..=20.0)),
        }
        let Window { at, size } = window;
        at.iter_mut().for_each(|at| all.push(parameter("window.at", at, 0.0..=1.0)));
        size.iter_mut().for_each(|size| all.push(parameter("window.size", size, -40.0..=0.0)));
    }
}

fn parameter<'a>(name: &'static str, value: &'a mut f64, range: RangeInclusive<f64>) -> Parameter<'a> {
    Parameter { name, value, range }
}
