//! Every question once, on a small world: what lies in an area, what is near, what a ray or a moving box meets, and how to
//! ask of some only. Each function stands alone, to be copied from.
//!
//! `cargo run --release --example queries`

use std::error::Error;
use std::ops::ControlFlow;
use triphase::query::{BatchResults, Part};
use triphase::{Aabb, AabbCast, Bodies, Circle, Filter, Hit, Point, Ray, Tier, World, WorldConfig};

type Done = Result<(), Box<dyn Error>>;

/// A row of a hit's own: of the bodies or of the statics.
fn row(hit: Hit) -> u32 {
    match hit {
        Hit::Body { row, .. } | Hit::Static { row, .. } => row,
    }
}

fn name(hit: Hit) -> String {
    match hit {
        Hit::Body { row, .. } => format!("body {row}"),
        Hit::Static { row, .. } => format!("wall {row}"),
    }
}

fn names(hits: impl IntoIterator<Item = Hit>) -> String {
    hits.into_iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Six people in a row at x = 2, 4 … 12, and a cart that is much larger; the ground, and a wall at either end.
fn yard() -> Result<World, Box<dyn Error>> {
    let mut world = World::new(WorldConfig::new().with_bound(1.0))?;
    world.set_statics(&[
        Aabb::new([-1.0, -1.0], [21.0, 0.0])?,
        Aabb::new([-1.0, 0.0], [0.0, 8.0])?,
        Aabb::new([20.0, 0.0], [21.0, 8.0])?,
    ])?;
    let mut centers: Vec<[f32; 2]> = (1..=6).map(|k| [2.0 * k as f32, 1.0]).collect();
    let mut half_extents = vec![[0.4f32, 0.9]; 6];
    centers.push([16.0, 2.5]);
    half_extents.push([2.0, 2.0]);
    world.step(Bodies::new(&centers, &half_extents))?;
    Ok(world)
}

fn areas(world: &World) -> Done {
    let view = Aabb::new([3.0, 0.5], [9.0, 5.0])?;

    // An iterator, which looks no further than it is drawn …
    let seen: Vec<Hit> = world.query_aabb(view).collect();
    println!("in view: {}", names(seen.iter().copied()));
    assert_eq!(seen.iter().map(|hit| row(*hit)).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(world.query_aabb(view).exists());

    // … or a visitor, which may break off …
    let mut left = 2;
    let end = world.query_aabb(view).visit(|hit| {
        left -= 1;
        if left == 0 { ControlFlow::Break(hit) } else { ControlFlow::Continue(()) }
    });
    println!("visited until the second: {}", end.break_value().map_or_else(String::new, name));

    // … or a buffer, which is used again in the next frame.
    let mut buffer = Vec::new();
    let count = world.query_aabb(view).append_to(&mut buffer);
    assert_eq!((count, buffer), (3, seen));
    Ok(())
}

fn inside_and_around(world: &World) -> Done {
    let selection = Aabb::new([3.0, 0.0], [7.9, 2.0])?;
    let selected: Vec<Hit> = world.query_contained_in(selection).collect();
    println!("wholly in the selection: {}", names(selected.iter().copied()));
    assert_eq!(selected.len(), 2); // the one at x = 8 reaches out

    let click = Point::new([15.0, 3.0])?;
    println!("under the pointer: {}", names(world.query_containing(click)));
    assert_eq!(world.query_containing(click).first().map(row), Some(6));
    let crate_in_cart = Aabb::new([14.5, 1.0], [15.5, 2.0])?;
    assert!(world.query_containing(crate_in_cart).exists());

    // The cheapest, for who tests anyway: at least what overlaps, and some that lie near.
    println!("filed near the selection: {}", names(world.query_candidates(selection)));
    Ok(())
}

fn circles_and_the_nearest(world: &World) -> Done {
    let blast = Circle::new([5.0, 1.0], 0.8)?;
    println!("in the blast: {}", names(world.query_circle(blast)));
    assert_eq!(world.query_circle(blast).count(), 2);

    // With distances, the nearest first.
    let mut found = Vec::new();
    world.within(blast, &mut found);
    for near in &found {
        println!("  {} at {:.2}", name(near.hit), near.distance);
    }

    // However far; of equally near ones bodies come before statics, then the lower row.
    let here = Point::new([5.0, 6.0])?;
    let nearest = world.nearest(here).ok_or("an empty world")?;
    println!("nearest: {} at {:.2}", name(nearest.hit), nearest.distance);
    assert!(world.query().nearest_within(Circle::new([5.0, 6.0], 3.0)?).is_none()); // not as near as that

    // The buffer is replaced.
    world.k_nearest(here, 3, &mut found);
    println!("the 3 nearest: {}", names(found.iter().map(|near| near.hit)));
    assert!(found.len() == 3 && found[0] == nearest);
    Ok(())
}

fn rays(world: &World) -> Done {
    // Along x at the height of heads; distances are multiples of the direction, which need not be of length 1.
    let shot = Ray::new([3.0, 1.5], [1.0, 0.0], 50.0)?;
    let hit = world.cast_ray(shot).ok_or("nothing is hit")?;
    println!("shot: {} at {:?}, normal {:?}", name(hit.hit), shot.point_at(hit.distance), hit.normal);
    assert_eq!(row(hit.hit), 1);

    // All that it would go through, in that order.
    let mut pierced = Vec::new();
    world.query().cast_ray_all(shot, &mut pierced);
    println!("pierced: {}", names(pierced.iter().map(|hit| hit.hit)));
    assert!(pierced[0] == hit && pierced.is_sorted_by_key(|hit| hit.distance));

    // Line of sight: from an eye to a target, with a max of 1, and whether anything is in between.
    let (eye, target) = ([3.0f32, 1.5], [13.0f32, 5.0]);
    let sight = Ray::new(eye, [target[0] - eye[0], target[1] - eye[1]], 1.0)?;
    println!("in sight: {}", !world.query().cast_ray_any(sight));
    Ok(())
}

fn moving_boxes(world: &World) -> Done {
    // How far can the box go? Distances are fractions of its displacement.
    let start = Aabb::from_half_extents([5.0, 6.0], [0.9, 0.5])?;
    let fall = AabbCast::new(start, [0.0, -8.0])?;
    let met = world.cast_aabb(fall).ok_or("nothing is met")?;
    println!("falls {:.2} of its way, onto {}, normal {:?}", met.distance, name(met.hit), met.normal);
    assert_eq!(met.normal.map(|normal| normal.y), Some(1.0));

    let mut all = Vec::new();
    world.query().cast_aabb_all(fall, &mut all);
    println!("all on its way: {}", names(all.iter().map(|met| met.hit)));
    assert!(all[0] == met && world.query().cast_aabb_any(fall));
    Ok(())
}

fn restrictions(world: &World) -> Done {
    let everywhere = Aabb::new([-100.0, -100.0], [100.0, 100.0])?;
    let here = Point::new([4.0, 1.0])?;

    // By tier.
    assert_eq!(world.query().only_bodies().query_aabb(everywhere).count(), 7);
    assert_eq!(world.query().only_statics().query_aabb(everywhere).count(), 3);
    println!("oversized: {}", names(world.query().only_tiers(&[Tier::Oversized]).query_aabb(everywhere)));

    // By row: whoever asks is not the answer.
    let me = [1];
    let other = world.query().only_bodies().exclude_bodies(&me).nearest(here).ok_or("alone")?;
    println!("nearest to body 1: {}", name(other.hit));
    assert!(row(other.hit) != 1);
    let without_ground = world.query().exclude_statics(&[0]);
    assert!(!without_ground.query_aabb(Aabb::new([9.0, -1.0], [9.1, 0.0])?).exists());

    // By a predicate of the game's own. Queries are `Copy`: narrowed once, asked often.
    let hostile = [false, false, false, true, true, false, false];
    let foes = world.query().only_bodies().with_predicate(|hit| hostile[row(hit) as usize]);
    println!("nearest foe: {}", foes.nearest(here).map_or_else(String::new, |near| name(near.hit)));
    assert_eq!(foes.query_aabb(everywhere).count(), 2);
    Ok(())
}

fn layers() -> Done {
    const PEOPLE: u32 = 1 << 0;
    const MONSTERS: u32 = 1 << 1;
    let centers = [[0.0f32, 0.0], [3.0, 0.0], [5.0, 0.0]];
    let filters = [Filter::new(PEOPLE, MONSTERS), Filter::new(PEOPLE, MONSTERS), Filter::new(MONSTERS, PEOPLE)];
    let mut world = World::default();
    world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_filters(&filters))?;

    // By layer, or as a body with that filter would see them.
    let here = Point::new([0.0, 0.0])?;
    let monster = world.query().in_layers(MONSTERS).nearest(here).ok_or("no monsters")?;
    println!("nearest monster: {} at {}", name(monster.hit), monster.distance);
    let seen_by_0 = world.query().filtered(filters[0]);
    assert_eq!(seen_by_0.nearest(here), Some(monster));
    Ok(())
}

fn batches(world: &World) -> Done {
    // Many questions at once: asked in the order of places, in parallel; answers by the number of the question.
    let areas: Vec<Aabb> =
        (0..100).map(|k| Aabb::from_half_extents([0.2 * k as f32, 1.0], [0.5, 0.5])).collect::<Result<_, _>>()?;
    let mut answers = BatchResults::new(); // kept from frame to frame
    world.query().only_bodies().par_query_aabb(&areas, &mut answers);
    let fullest = (0..areas.len()).max_by_key(|&k| answers.of(k).len()).ok_or("no areas")?;
    println!("{} areas, the fullest holds {}", answers.len(), names(answers.of(fullest).iter().copied()));
    assert!(
        areas
            .iter()
            .zip(answers.iter())
            .all(|(area, answer)| { world.query().only_bodies().query_aabb(*area).eq(answer.iter().copied()) })
    );

    // The same for discs (`par_query_circle`), neighbours and rays.
    let around: Vec<Circle> = areas.iter().map(|area| Circle::from(Point::from(*area))).collect();
    let mut neighbors = BatchResults::new();
    world.query().only_bodies().par_k_nearest_within(&around, 2, &mut neighbors);
    let rays = [Ray::new([1.0, 1.0], [1.0, 0.0], 50.0)?, Ray::new([1.0, 5.0], [0.0, -1.0], 50.0)?];
    let mut hits = BatchResults::new();
    world.query().par_cast_ray(&rays, &mut hits);
    println!("rays hit {}", names(hits.iter().flatten().map(|hit| hit.hit)));
    assert!(neighbors.iter().all(|found| found.len() == 2) && hits.of(0).len() == 1);
    Ok(())
}

fn other_threads(world: &mut World) -> Done {
    // A reader sees the last good step as a whole, while the next one runs.
    let reader = world.reader();
    let view = Aabb::new([0.0, 0.5], [30.0, 10.0])?;
    std::thread::scope(|scope| {
        let drawn = scope.spawn(|| {
            let frame = reader.latest(); // stays the step that it is of
            (frame.step_number(), frame.query().only_bodies().query_aabb(view).count())
        });
        let stepped = world.step(Bodies::uniform(&[[2.0f32, 1.0], [4.0, 1.0]], [0.4, 0.9])).map(|_| ());
        let (step, count) = drawn.join().map_err(|_| "the thread panicked")?;
        println!("another thread saw step {step} with {count} bodies in view");
        assert!(count == if step == 1 { 7 } else { 2 });
        stepped.map_err(Into::into)
    })
}

fn parts(world: &World) {
    // What the tiers are made of, for drawing.
    let [mut bands, mut cells, mut leaves] = [0; 3];
    world.visit_debug_shapes(|part| match part {
        Part::Band { .. } => bands += 1,
        Part::Cell { .. } | Part::LooseCell { .. } | Part::TightCell { .. } => cells += 1,
        Part::Leaf { .. } => leaves += 1,
        _ => {}
    });
    println!("made of {bands} bands, {cells} cells, {leaves} leaves");
    assert!(bands > 0 && cells > 0 && leaves > 0);
}

fn main() -> Done {
    let mut world = yard()?;
    areas(&world)?;
    inside_and_around(&world)?;
    circles_and_the_nearest(&world)?;
    rays(&world)?;
    moving_boxes(&world)?;
    restrictions(&world)?;
    layers()?;
    batches(&world)?;
    parts(&world);
    other_threads(&mut world)
}

#[cfg(test)]
#[test]
fn it_runs() -> Done {
    main()
}
