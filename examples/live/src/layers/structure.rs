//! The structures of the three tiers.

use crate::color::{Color, GHOST, LOOSE_CELL, THREADS, TIGHT_CELL, TREE};
use crate::layers::View;
use crate::overlay::{Overlay, Overlays};
use triphase::World;
use triphase::tier::DebugShape;

/// How many parts the structures have.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartCounts {
    pub(crate) bands: usize,
    pub(crate) cells: usize,
    pub(crate) ghosts: usize,
    pub(crate) loose: usize,
    pub(crate) tight: usize,
    pub(crate) leaves: usize,
    /// Bands and bodies by thread.
    pub(crate) threads: Vec<[usize; 2]>,
}

/// Draws the cells of the point grids, under everything else, if they are on.
pub(crate) fn draw_cells(view: &mut View<'_>, world: &World, overlays: Overlays) {
    if overlays.has(Overlay::Cells) {
        world.visit_debug_shapes(|shape| {
            if let DebugShape::Cell { aabb, population } = shape {
                view.tint(aabb, Color::of_population(population), 220);
            }
        });
    }
}

/// Draws the other overlays that are on. Returns how many parts there are, drawn or not, for this
/// many threads.
pub(crate) fn draw(view: &mut View<'_>, world: &World, overlays: Overlays, threads: usize) -> PartCounts {
    let mut counts = PartCounts { threads: vec![[0; 2]; threads], ..PartCounts::default() };
    world.visit_debug_shapes(|shape| {
        count(&mut counts, shape);
        draw_shape(view, overlays, shape);
    });
    counts
}

/// The color of a thread.
pub(crate) fn thread_color(thread: usize) -> Color {
    THREADS[thread % THREADS.len()]
}

fn count(counts: &mut PartCounts, shape: DebugShape) {
    match shape {
        DebugShape::Band { population, ghosts, thread, .. } => {
            counts.bands += 1;
            counts.ghosts += ghosts;
            if counts.threads.len() <= thread {
                counts.threads.resize(thread + 1, [0; 2]);
            }
            counts.threads[thread][0] += 1;
            counts.threads[thread][1] += population;
        }
        DebugShape::Cell { .. } => counts.cells += 1,
        DebugShape::LooseCell { .. } => counts.loose += 1,
        DebugShape::TightCell { .. } => counts.tight += 1,
        DebugShape::Leaf { .. } => counts.leaves += 1,
        _ => {}
    }
}

fn draw_shape(view: &mut View<'_>, overlays: Overlays, shape: DebugShape) {
    match shape {
        DebugShape::Band { aabb, thread, .. } if overlays.has(Overlay::Bands) => {
            view.tint(aabb, thread_color(thread), 56);
            view.outline(aabb, thread_color(thread));
        }
        DebugShape::Ghost { aabb, .. } if overlays.has(Overlay::Ghosts) => view.solid(aabb, GHOST),
        DebugShape::LooseCell { aabb, .. } if overlays.has(Overlay::Loose) => {
            view.tint(aabb, LOOSE_CELL, 26);
            view.outline(aabb, LOOSE_CELL);
        }
        DebugShape::TightCell { aabb, listed } if overlays.has(Overlay::Tight) => {
            view.tint(aabb, TIGHT_CELL, (10 * listed).min(120) as u8);
            view.outline(aabb, TIGHT_CELL);
        }
        DebugShape::Node { aabb, .. } if overlays.has(Overlay::Tree) => view.outline(aabb, TREE),
        DebugShape::Leaf { aabb, population, .. } if overlays.has(Overlay::Tree) => {
            view.tint(aabb, TREE, (4 * population).min(80) as u8);
            view.outline(aabb, TREE);
        }
        _ => {}
    }
}
