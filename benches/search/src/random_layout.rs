//! Random layouts, and random changes of a layout.

use crate::layout::{GROUPS_MAX, Group, Layout, Parameter, Place, Shape, Size, Unit, Window};
use triphase_scenes::SplitMix64;

/// Seeds are below this, so that they are short to print.
const SEED_MAX: usize = 1_000_000;
/// Most changes at once.
const CHANGES_MAX: usize = 3;

/// Makes a random layout.
pub(crate) fn random_layout(bodies: usize, random: &mut SplitMix64) -> Layout {
    let mut layout = Layout {
        seed: random.below(SEED_MAX) as u64,
        bodies,
        spacing: between(random, -2.0, 3.0),
        aspect: if one_in(random, 2) { 0.0 } else { between(random, -30.0, 30.0) },
        offset: if one_in(random, 6) { between(random, 0.0, 22.0) } else { -20.0 },
        speed: between(random, 0.0, 0.2),
        groups: (0..1 + random.below(GROUPS_MAX)).map(|_| random_group(random)).collect(),
        statics: 0.0,
        static_groups: Vec::new(),
    };
    if one_in(random, 3) {
        add_statics(&mut layout, random);
    }
    layout.settle();
    layout
}

/// Makes a copy with one or more random changes.
pub(crate) fn mutated(layout: &Layout, random: &mut SplitMix64) -> Layout {
    let mut next = layout.clone();
    for _ in 0..1 + random.below(CHANGES_MAX) {
        match random.below(16) {
            0..=7 => nudge(&mut next, random),
            8..=12 => change_group(&mut next, random),
            13 => change_number_of_groups(&mut next, random),
            14 if next.static_groups.is_empty() => add_statics(&mut next, random),
            14 => (next.statics, next.static_groups) = (0.0, Vec::new()),
            _ => next.seed = random.below(SEED_MAX) as u64,
        }
    }
    next.settle();
    next
}

/// Changes one parameter, by a quarter of its range or by far less.
fn nudge(layout: &mut Layout, random: &mut SplitMix64) {
    let mut parameters = layout.parameters();
    let chosen = random.below(parameters.len());
    let Parameter { value, range, .. } = &mut parameters[chosen];
    let width = (range.end() - range.start()) * between(random, -9.0, -2.0).exp2();
    **value += width * random.normal_pair()[0];
}

/// Replaces a part of a group.
fn change_group(layout: &mut Layout, random: &mut SplitMix64) {
    let chosen = random.below(layout.groups.len() + layout.static_groups.len());
    let Some(group) = layout.all_groups_mut().nth(chosen) else { return };
    match random.below(7) {
        0 => *group = random_group(random),
        1 => group.share *= between(random, -4.0, 4.0).exp2(),
        2 => (group.size, group.unit) = random_size(random),
        3 => group.shape = random_shape(random),
        4 => group.place = random_place(random),
        5 => group.window = random_window(random),
        _ => group.size = of_same_low(group.size, random),
    }
}

/// Removes a group of bodies, adds one, or copies one with changes.
fn change_number_of_groups(layout: &mut Layout, random: &mut SplitMix64) {
    let chosen = random.below(layout.groups.len());
    let is_full = layout.groups.len() == GROUPS_MAX;
    match random.below(3) {
        0 if layout.groups.len() > 1 => _ = layout.groups.remove(chosen),
        1 if !is_full => layout.groups.push(random_group(random)),
        _ if !is_full => {
            let mut copy = layout.groups[chosen].clone();
            copy.share *= between(random, -4.0, 0.0).exp2();
            (copy.size, copy.unit) = random_size(random);
            layout.groups.push(copy);
        }
        _ => {}
    }
}

fn add_statics(layout: &mut Layout, random: &mut SplitMix64) {
    layout.statics = between(random, -10.0, 0.0).exp2();
    layout.static_groups = (0..1 + random.below(2)).map(|_| random_group(random)).collect();
}

fn random_group(random: &mut SplitMix64) -> Group {
    let (size, unit) = random_size(random);
    Group {
        share: between(random, -5.0, 0.0).exp2(),
        size,
        unit,
        shape: random_shape(random),
        place: random_place(random),
        window: random_window(random),
    }
}

fn random_size(random: &mut SplitMix64) -> (Size, Unit) {
    let unit = random.pick(&[Unit::One, Unit::One, Unit::Spacing, Unit::Spacing, Unit::Window]);
    let low = match unit {
        Unit::One => between(random, -12.0, 2.0),
        Unit::Spacing => between(random, -6.0, 1.0),
        Unit::Window => between(random, -16.0, 0.0),
    };
    let size = if one_in(random, 12) { Size::Zero } else { of_same_low(Size::Fixed { low }, random) };
    (size, unit)
}

/// A random distribution that begins at the same size.
fn of_same_low(size: Size, random: &mut SplitMix64) -> Size {
    let low = match size {
        Size::Zero => between(random, -12.0, 0.0),
        Size::Fixed { low } | Size::Uniform { low, .. } | Size::LogUniform { low, .. } | Size::PowerLaw { low, .. } => {
            low
        }
    };
    let octaves = if one_in(random, 3) { between(random, 0.0, 40.0) } else { between(random, 0.0, 10.0) };
    match random.below(4) {
        0 => Size::Fixed { low },
        1 => Size::Uniform { low, octaves },
        2 => Size::LogUniform { low, octaves },
        _ => Size::PowerLaw { low, octaves, power: between(random, 0.0, 4.0) },
    }
}

fn random_shape(random: &mut SplitMix64) -> Shape {
    let long = if one_in(random, 3) { between(random, 0.0, 40.0) } else { between(random, 0.0, 12.0) };
    match random.below(7) {
        0..=2 => Shape::Square,
        3 => Shape::Wide { long },
        4 => Shape::Tall { long },
        5 => Shape::Either { long },
        _ => Shape::Any { long },
    }
}

fn random_place(random: &mut SplitMix64) -> Place {
    let jitter = if one_in(random, 2) { 0.0 } else { between(random, 0.0, 2.0) };
    match random.below(7) {
        0 | 1 => Place::Uniform,
        2 => Place::Clusters {
            population: between(random, 0.0, 14.0),
            low: between(random, -20.0, 0.0),
            octaves: between(random, 0.0, 20.0),
        },
        3 => Place::Nested {
            sites: between(random, 0.0, 8.0),
            levels: between(random, 1.0, 16.0),
            ratio: between(random, 0.0, 5.0),
        },
        4 => Place::Diagonal { jitter },
        5 => Place::Lattice { jitter },
        _ => Place::Coincident { population: between(random, 0.0, 7.0) },
    }
}

/// Mostly the whole world; else a part of it, often a thin one.
fn random_window(random: &mut SplitMix64) -> Window {
    if !one_in(random, 3) {
        return Window::ALL;
    }
    let size = [(); 2].map(|()| if one_in(random, 2) { 0.0 } else { between(random, -20.0, 0.0) });
    Window { at: [random.unit(), random.unit()], size }
}

fn between(random: &mut SplitMix64, low: f64, high: f64) -> f64 {
    low + (high - low) * random.unit()
}

fn one_in(random: &mut SplitMix64, count: usize) -> bool {
    random.below(count) == 0
}
