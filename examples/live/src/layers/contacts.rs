//! What the boxes of each pair share: of two bodies, and of a body and a static.

use crate::color::{CONTACT, STATIC_CONTACT};
use crate::layers::{View, overlap, shared};
use triphase::World;

/// Draws the pairs of the last step that are in view.
pub(crate) fn draw(view: &mut View<'_>, world: &World) {
    let visible = view.camera.view();
    for pair in world.contacts().body_pairs() {
        let (Some(a), Some(b)) = (world.aabb(pair.a), world.aabb(pair.b)) else { continue };
        if overlap(a, visible) && overlap(b, visible) {
            view.mark(shared(a, b), CONTACT);
        }
    }
    for pair in world.contacts().static_pairs() {
        let (Some(body), Some(wall)) = (world.aabb(pair.body), world.statics().aabb(pair.static_row)) else { continue };
        if overlap(body, visible) {
            view.mark(shared(body, wall.to_array()), STATIC_CONTACT);
        }
    }
}
