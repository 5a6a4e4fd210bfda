//! The smallest complete use: bodies move, are pushed apart and out of walls, and a query finds
//! those in view.
//!
//! `cargo run --release --example embed`

use triphase::glam::{Vec2, vec2};
use triphase::{Aabb, Bodies, Hit, World};

/// The shortest motion of box `a` after which it only touches box `b`.
fn separation(a: Vec2, half_a: Vec2, b: Vec2, half_b: Vec2) -> Vec2 {
    let apart = a - b;
    let depth = (half_a + half_b - apart.abs()).max(Vec2::ZERO);
    if depth.x < depth.y { vec2(depth.x.copysign(apart.x), 0.0) } else { vec2(0.0, depth.y.copysign(apart.y)) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Columns, as in a game: a row is one body. Here 40 x 25 bodies in a walled yard.
    let mut centers: Vec<Vec2> = (0..1000).map(|row| vec2((row % 40) as f32, (row / 40) as f32)).collect();
    let velocities: Vec<Vec2> = (0..1000).map(|row| 0.1 * Vec2::from_angle(row as f32)).collect();
    let half_extents = vec![vec2(0.4, 0.4); 1000];
    let walls = [
        Aabb::new([-2.0, -2.0], [-1.0, 27.0])?,
        Aabb::new([40.0, -2.0], [41.0, 27.0])?,
        Aabb::new([-2.0, -2.0], [41.0, -1.0])?,
        Aabb::new([-2.0, 26.0], [41.0, 27.0])?,
    ];

    let mut world = World::default();
    world.set_statics(&walls)?;
    for _frame in 0..120 {
        centers.iter_mut().zip(&velocities).for_each(|(center, velocity)| *center += *velocity);

        let contacts = world.step(Bodies::new(&centers, &half_extents))?;
        for pair in contacts.body_pairs() {
            let (a, b) = (pair.a as usize, pair.b as usize);
            let push = 0.5 * separation(centers[a], half_extents[a], centers[b], half_extents[b]);
            centers[a] += push;
            centers[b] -= push;
        }
        for pair in contacts.static_pairs() {
            let (body, wall) = (pair.body as usize, walls[pair.static_row as usize]);
            let (min, max) = (Vec2::from(wall.min()), Vec2::from(wall.max()));
            let push = separation(centers[body], half_extents[body], 0.5 * (min + max), 0.5 * (max - min));
            centers[body] += push;
        }
    }

    // Queries between steps find the bodies of the last step.
    let view = Aabb::new([10.0, 10.0], [20.0, 15.0])?;
    let seen = world.query_aabb(view).filter(|hit| matches!(hit, Hit::Body { .. })).count();
    let contacts = world.contacts();
    println!("{} pairs of bodies and {} with walls", contacts.body_pairs().len(), contacts.static_pairs().len());
    println!("{seen} of {} bodies in view", centers.len());
    Ok(())
}
