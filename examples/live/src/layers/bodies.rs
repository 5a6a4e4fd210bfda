//! Bodies and statics in the colors of their tiers: those that a query of the view finds.

use crate::color::{BACKGROUND, COMMON, OVERSIZED, STATIC};
use crate::layers::View;
use triphase::{Aabb, GridReport, Hit, Tier, World};

/// Strength of colors under overlays, and without, from 0 to 255.
pub(crate) const DIMMED: u8 = 120;
pub(crate) const FULL: u8 = 255;

/// Draws what is in view, in colors of some strength. `hits` is a buffer.
pub(crate) fn draw(view: &mut View<'_>, world: &World, grids: &[GridReport], strength: u8, hits: &mut Vec<Hit>) {
    let [min_x, min_y, max_x, max_y] = view.camera.view();
    let Ok(area) = Aabb::new([min_x, min_y], [max_x, max_y]) else { return };
    // Large ones first, so that they do not hide the others.
    for tier in [Tier::Static, Tier::Oversized, Tier::Common] {
        hits.clear();
        world.query().only_tiers(&[tier]).query_aabb(area).append_to(hits);
        for hit in hits.iter() {
            let Some(aabb) = aabb_of(world, *hit) else { continue };
            let color = match tier {
                Tier::Common => COMMON[class_of(aabb, grids) % COMMON.len()],
                Tier::Oversized => OVERSIZED,
                Tier::Static => STATIC,
            };
            view.solid(aabb, BACKGROUND.under(color, strength));
        }
    }
}

/// The box of a hit.
pub(crate) fn aabb_of(world: &World, hit: Hit) -> Option<[f32; 4]> {
    match hit {
        Hit::Body { row, .. } => world.aabb(row),
        Hit::Static { row, .. } => world.statics().aabb(row).map(Aabb::to_array),
    }
}

/// The number of the grid that takes boxes of this size.
fn class_of([min_x, min_y, max_x, max_y]: [f32; 4], grids: &[GridReport]) -> usize {
    let [half_x, half_y] = [0.5 * (max_x - min_x), 0.5 * (max_y - min_y)];
    let takes = |&GridReport { half_extents_max: [x, y], .. }: &GridReport| half_x <= x && half_y <= y;
    grids.iter().position(takes).unwrap_or_default()
}
