//! Small worlds that are hard for a grid, by name, from a seeded generator.

use crate::geometry::RawAabb;
use triphase_scenes::{BoxLayout, SplitMix64};

pub(super) fn around(x: f32, y: f32, half_x: f32, half_y: f32) -> RawAabb {
    [x - half_x, y - half_y, x + half_x, y + half_y]
}

/// A crowd with about one overlapping pair a box.
pub(super) fn crowd(count: usize, rng: &mut SplitMix64) -> Vec<RawAabb> {
    BoxLayout::Crowd.boxes(count, rng.next_u64())
}

/// Worlds of finite boxes.
pub(super) fn scenes(rng: &mut SplitMix64) -> Vec<(String, Vec<RawAabb>)> {
    let mut scene = |layout: BoxLayout, count| (format!("{layout:?} of {count}"), layout.boxes(count, rng.next_u64()));
    let mut all: Vec<_> = BoxLayout::ALL.into_iter().map(|layout| scene(layout, 900)).collect();
    all.extend([0, 1, 2].map(|count| scene(BoxLayout::Touching, count)));
    all
}

/// Worlds in which some edges were rounded to infinity, as may happen in a step.
pub(super) fn infinite_scenes(rng: &mut SplitMix64) -> Vec<(String, Vec<RawAabb>)> {
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    let mut boxes = crowd(400, rng);
    boxes[3] = [low, low, high, high];
    boxes[50] = [3.0, low, 4.0, high];
    boxes[51] = [low, 5.0, high, 5.0];
    boxes[52] = [low, 5.0, 5.0, 7.0];
    boxes[53] = [high, high, high, high];
    boxes[54] = [low, low, low, low];
    boxes[55] = [f32::MAX, 0.0, high, 1.0];
    vec![("some infinite".to_owned(), boxes), ("all infinite".to_owned(), vec![[low, low, high, high]; 90])]
}
