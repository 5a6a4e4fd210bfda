//! Nearly every query once, on a small world. Each function is independent and can be copied.
//!
//! `cargo run --release --example queries`

use std::error::Error;
use std::ops::ControlFlow;
use triphase::query::BatchResults;
use triphase::tier::DebugShape;
use triphase::{Aabb, AabbCast, Bodies, Circle, Filter, Hit, Point, Ray, Tier, World, WorldConfig};

type Outcome = Result<(), Box<dyn Error>>;

/// The row of a hit, among the bodies or among the statics.
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

/// Six people in a row at x = 2, 4 … 12 and a large cart; the ground and a wall at either end.
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

fn areas(world: &World) -> Outcome {
    let view = Aabb::new([3.0, 0.5], [9.0, 5.0])?;

    // An iterator; the search advances with it …
    let seen: Vec<Hit> = world.query_aabb(view).collect();
    println!("in view: {}", names(seen.iter().copied()));
    assert_eq!(seen.iter().map(|hit| row(*hit)).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(world.query_aabb(view).exists());

    // … or a visitor that may stop early …
    let mut left = 2;
    let end = world.query_aabb(view).try_for_each(|hit| {
        left -= 1;
        if left == 0 { ControlFlow::Break(hit) } else { ControlFlow::Continue(()) }
    });
    println!("visited up to the second: {}", end.break_value().map_or_else(String::new, name));

    // … or a buffer that is kept from frame to frame.
    let mut buffer = Vec::new();
    let count = world.query_aabb(view).append_to(&mut buffer);
    assert_eq!((count, buffer), (3, seen));
    Ok(())
}

fn inside_and_around(world: &World) -> Outcome {
    let query = world.query();
    let selection = Aabb::new([3.0, 0.0], [7.9, 2.0])?;
    let selected: Vec<Hit> = query.query_contained_in(selection).collect();
    println!("inside the selection: {}", names(selected.iter().copied()));
    assert_eq!(selected.len(), 2); // the one at x = 8 is only partly inside

    let click = Point::new([15.0, 3.0])?;
    println!("under the pointer: {}", names(query.query_point(click)));
    assert_eq!(query.query_point(click).first().map(row), Some(6));

    let cargo = Aabb::new([14.5, 1.0], [15.5, 2.0])?;
    println!("around the cargo: {}", names(query.query_containing(cargo)));
    assert!(query.query_containing(cargo).exists());

    // The cheapest query: boxes near the area, untested.
    println!("candidates for the selection: {}", names(query.query_candidates(selection)));
    Ok(())
}

fn circles_and_nearest(world: &World) -> Outcome {
    let blast = Circle::new([5.0, 1.0], 0.8)?;
    println!("in the blast: {}", names(world.query_circle(blast)));
    assert_eq!(world.query_circle(blast).count(), 2);

    // With distances, nearest first.
    let mut found = Vec::new();
    world.query().query_circle_sorted(blast, &mut found);
    for neighbor in &found {
        println!("  {} at {:.2}", name(neighbor.target), neighbor.distance);
    }

    // At any distance. At equal distances, bodies come before statics, then the lowest row.
    let here = Point::new([5.0, 6.0])?;
    let nearest = world.nearest(here).ok_or("an empty world")?;
    println!("nearest: {} at {:.2}", name(nearest.target), nearest.distance);

    // At most 3 away.
    assert!(world.query().nearest_within(Circle::new([5.0, 6.0], 3.0)?).is_none());

    // The contents of the buffer are replaced.
    world.query().k_nearest(here, 3, &mut found);
    println!("the 3 nearest: {}", names(found.iter().map(|neighbor| neighbor.target)));
    assert!(found.len() == 3 && found[0] == nearest);
    Ok(())
}

fn rays(world: &World) -> Outcome {
    // Along x at head height. Times of impact are multiples of the direction, of any length.
    let shot = Ray::new([3.0, 1.5], [1.0, 0.0], 50.0)?;
    let hit = world.cast_ray(shot).ok_or("nothing is hit")?;
    println!("shot: {} after {:.2}, normal {:?}", name(hit.target), hit.time_of_impact, hit.normal);
    assert_eq!(row(hit.target), 1);

    // Everything along the shot, in order.
    let mut pierced = Vec::new();
    world.query().cast_ray_all(shot, &mut pierced);
    println!("pierced: {}", names(pierced.iter().map(|hit| hit.target)));
    assert!(pierced[0] == hit && pierced.is_sorted_by_key(|hit| hit.time_of_impact));

    // Line of sight: whether anything is between an eye and a target.
    let (eye, target) = ([3.0f32, 1.5], [13.0f32, 5.0]);
    let sight = Ray::between(eye, target)?;
    println!("in sight: {}", !world.query().cast_ray_any(sight));
    Ok(())
}

fn moving_boxes(world: &World) -> Outcome {
    // How far can the box move? Times of impact are fractions of its displacement.
    let start = Aabb::from_half_extents([5.0, 6.0], [0.9, 0.5])?;
    let fall = AabbCast::new(start, [0.0, -8.0])?;
    let landing = world.query().cast_aabb(fall).ok_or("nothing is hit")?;
    println!("lands after {:.2} of its fall on {}", landing.time_of_impact, name(landing.target));
    assert_eq!(landing.normal, Some([0.0, 1.0]));

    let mut all = Vec::new();
    world.query().cast_aabb_all(fall, &mut all);
    println!("all in its path: {}", names(all.iter().map(|hit| hit.target)));
    assert!(all[0] == landing && world.query().cast_aabb_any(fall));
    Ok(())
}

fn restrictions(world: &World) -> Outcome {
    let everywhere = Aabb::new([-100.0, -100.0], [100.0, 100.0])?;
    let here = Point::new([4.0, 1.0])?;

    // By tier.
    assert_eq!(world.query().only_bodies().query_aabb(everywhere).count(), 7);
    assert_eq!(world.query().only_statics().query_aabb(everywhere).count(), 3);
    println!("oversized: {}", names(world.query().only_tiers(&[Tier::Oversized]).query_aabb(everywhere)));

    // By row: the querying body itself is excluded.
    let other = world.query().only_bodies().exclude_bodies(&[1]).nearest(here).ok_or("alone")?;
    println!("nearest to body 1: {}", name(other.target));
    assert!(row(other.target) != 1);
    let without_ground = world.query().exclude_statics(&[0]);
    assert!(!without_ground.query_aabb(Aabb::new([9.0, -1.0], [9.1, 0.0])?).exists());

    // By a predicate. A builder is `Copy`: restricted once, used for many queries.
    let hostile = [false, false, false, true, true, false, false];
    let is_hostile = |hit| hostile[row(hit) as usize];
    let foes = world.query().only_bodies().with_predicate(&is_hostile);
    println!("nearest foe: {}", foes.nearest(here).map_or_else(String::new, |neighbor| name(neighbor.target)));
    assert_eq!(foes.query_aabb(everywhere).count(), 2);
    Ok(())
}

fn layers() -> Outcome {
    const PEOPLE: u32 = 1 << 0;
    const MONSTERS: u32 = 1 << 1;
    let centers = [[0.0f32, 0.0], [3.0, 0.0], [5.0, 0.0]];
    let filters = [Filter::new(PEOPLE, MONSTERS), Filter::new(PEOPLE, MONSTERS), Filter::new(MONSTERS, PEOPLE)];
    let mut world = World::default();
    world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_filters(&filters))?;

    // By layer, or by a filter, with the same rule as between bodies.
    let here = Point::new([0.0, 0.0])?;
    let monster = world.query().in_layers(MONSTERS).nearest(here).ok_or("no monsters")?;
    println!("nearest monster: {} at {}", name(monster.target), monster.distance);
    let seen_by_0 = world.query().with_filter(filters[0]);
    assert_eq!(seen_by_0.nearest(here), Some(monster));
    Ok(())
}

fn batches(world: &World) -> Outcome {
    // Many queries at once, in parallel; results are indexed by query.
    let areas: Vec<Aabb> =
        (0..100).map(|k| Aabb::from_half_extents([0.2 * k as f32, 1.0], [0.5, 0.5])).collect::<Result<_, _>>()?;
    let bodies = world.query().only_bodies();
    let mut results = BatchResults::new(); // kept from frame to frame
    bodies.par_query_aabb(&areas, &mut results);
    let fullest = (0..areas.len()).max_by_key(|&k| results[k].len()).ok_or("no areas")?;
    println!("{} areas, the fullest contains {}", results.len(), names(results[fullest].iter().copied()));
    for (area, result) in areas.iter().zip(results.iter()) {
        assert!(bodies.query_aabb(*area).eq(result.iter().copied()));
    }

    // The same for circles (`par_query_circle`), neighbors and rays.
    let around: Vec<Circle> = areas.iter().map(|area| Circle::from(Point::from(*area))).collect();
    let mut neighbors = BatchResults::new();
    bodies.par_k_nearest_within(&around, 2, &mut neighbors);
    let rays = [Ray::new([1.0, 1.0], [1.0, 0.0], 50.0)?, Ray::new([1.0, 5.0], [0.0, -1.0], 50.0)?];
    let mut hits = BatchResults::new();
    world.query().par_cast_ray(&rays, &mut hits);
    println!("rays hit {}", names(hits.iter().flatten().map(|hit| hit.target)));
    assert!(neighbors.iter().all(|found| found.len() == 2) && hits[0].len() == 1);
    Ok(())
}

/// Rows are those of the step: after bodies change rows in the columns, match hits by id.
fn ids() -> Outcome {
    let (mut ids, mut centers) = (vec![10u64, 11, 12], vec![[0.0f32, 0.0], [5.0, 0.0], [9.0, 0.0]]);
    let mut world = World::default();
    world.step(Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&ids))?;

    ids.swap_remove(0); // body 12 is now in row 0, where the last step had body 10
    centers.swap_remove(0);
    let far_right = world.nearest(Point::new([9.0, 0.0])?).ok_or("an empty world")?;
    let Hit::Body { row, id: Some(id) } = far_right.target else { return Err("not a body with an id".into()) };
    let present_row = ids.iter().position(|&other| other == id);
    println!("body {id} was in row {row}, and is now in row {present_row:?}");
    assert_eq!((row, id, present_row), (2, 12, Some(0)));
    Ok(())
}

fn other_threads(world: &mut World) -> Outcome {
    // A reader gets the last complete step while the next one runs.
    let reader = world.reader();
    let view = Aabb::new([0.0, 0.5], [30.0, 10.0])?;
    std::thread::scope(|scope| {
        let drawn = scope.spawn(|| {
            let frame = reader.latest(); // does not change during later steps
            (frame.step_number(), frame.query().only_bodies().query_aabb(view).count())
        });
        let stepped = world.step(Bodies::uniform(&[[2.0f32, 1.0], [4.0, 1.0]], [0.4, 0.9])).map(|_| ());
        let (step, count) = drawn.join().map_err(|_| "the thread panicked")?;
        println!("another thread saw step {step} with {count} bodies in view");
        assert!(count == if step == 1 { 7 } else { 2 });
        stepped.map_err(Into::into)
    })
}

fn debug_shapes(world: &World) {
    // The parts of the tiers' structures, for debug drawing.
    let [mut bands, mut cells, mut leaves] = [0; 3];
    world.visit_debug_shapes(|shape| match shape {
        DebugShape::Band { .. } => bands += 1,
        DebugShape::Cell { .. } | DebugShape::LooseCell { .. } | DebugShape::TightCell { .. } => cells += 1,
        DebugShape::Leaf { .. } => leaves += 1,
        _ => {}
    });
    println!("{bands} bands, {cells} cells, {leaves} leaves");
    assert!(bands > 0 && cells > 0 && leaves > 0);
}

fn main() -> Outcome {
    let mut world = yard()?;
    areas(&world)?;
    inside_and_around(&world)?;
    circles_and_nearest(&world)?;
    rays(&world)?;
    moving_boxes(&world)?;
    restrictions(&world)?;
    layers()?;
    batches(&world)?;
    ids()?;
    debug_shapes(&world);
    other_threads(&mut world)
}

#[cfg(test)]
#[test]
fn all_queries_succeed() -> Outcome {
    main()
}
