//! Lines between the bodies of each pair, and from bodies to the statics that they touch.

use crate::color::{CONTACT, STATIC_CONTACT};
use crate::layers::{View, center, overlap};
use triphase::World;

/// Draws the pairs of the last step that are in view.
pub(crate) fn draw(view: &mut View<'_>, world: &World) {
    let visible = view.camera.view();
    for pair in world.contacts().body_pairs() {
        let (Some(a), Some(b)) = (world.aabb(pair.a), world.aabb(pair.b)) else { continue };
        if overlap(a, visible) || overlap(b, visible) {
            view.line(center(a), center(b), CONTACT);
        }
    }
    for pair in world.contacts().static_pairs() {
        let (Some(body), Some(wall)) = (world.aabb(pair.body), world.statics().aabb(pair.static_row)) else { continue };
        if overlap(body, visible) {
            let (from, wall) = (center(body), wall.to_array());
            let nearest = [0, 1].map(|axis| from[axis].clamp(wall[axis], wall[axis + 2]));
            view.line(from, nearest, STATIC_CONTACT);
        }
    }
}
