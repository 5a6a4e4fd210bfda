//! Measures what it costs to take columns from archetypes, beside the step itself.

use crate::columns::step;
use crate::components::*;
use crate::game::Game;
use hecs::Entity;
use std::time::{Duration, Instant};
use triphase::glam::Vec2;
use triphase::{Bodies, Filter, World};

/// The bodies of one archetype, in vectors.
struct Vectors {
    centers: Vec<Vec2>,
    half_extents: Option<Vec<Vec2>>,
    displacements: Option<Vec<Vec2>>,
    filters: Vec<Filter>,
    ids: Vec<u64>,
}

/// Steps each of `frame_count` frames twice, in turn: from archetypes, and from vectors of the same
/// values. Prints the median times.
pub fn measure(game: &mut Game, frame_count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (mut from_archetypes, mut from_vectors) = (World::default(), World::default());
    let (mut archetype_times, mut vector_times, mut id_times) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 0..frame_count {
        game.move_and_step()?;
        let vectors = vectors_of(&game.ecs);
        let bodies: Vec<Bodies<'_>> = vectors.iter().map(Vectors::bodies).collect();
        // Who comes second finds more in the caches.
        for turn in 0..2 {
            let start = Instant::now();
            if (turn + frame) % 2 == 0 {
                step(&mut from_archetypes, &game.ecs)?;
                archetype_times.push(start.elapsed());
            } else {
                from_vectors.step(&bodies)?;
                vector_times.push(start.elapsed());
            }
        }
        let start = Instant::now();
        let mut query = game.ecs.query::<(Entity, &Position)>();
        let ids: Vec<u64> = query.iter().map(|(entity, _)| entity.to_bits().get()).collect();
        id_times.push(start.elapsed());
        drop(query);
        if ids.len() != from_archetypes.contacts().body_count() {
            return Err(format!("frame {frame} has {} ids", ids.len()).into());
        }
        let pair_count = |world: &World| world.contacts().body_pairs().len();
        if pair_count(&from_archetypes) != pair_count(&from_vectors) {
            return Err(format!("frame {frame} has different pairs").into());
        }
        game.respond()?;
    }
    let rows = from_vectors.contacts().body_count();
    let (archetypes, vectors) = (median(archetype_times), median(vector_times));
    println!("{rows} bodies, medians of {frame_count} frames, without contact tracking");
    println!("step from archetypes of hecs: {archetypes:?}");
    println!("ids alone, by a query into a vector: {:?}", median(id_times));
    println!("step from vectors of the same values, with a column of ids: {vectors:?}");
    Ok(())
}

fn vectors_of(ecs: &hecs::World) -> Vec<Vectors> {
    let archetypes = ecs.archetypes();
    archetypes
        .filter_map(|archetype| {
            let centers = archetype.get::<&Position>()?;
            let displacements = archetype.get::<&Displacement>();
            Some(Vectors {
                centers: bytemuck::cast_slice(&centers).to_vec(),
                half_extents: archetype.get::<&HalfExtents>().map(|column| bytemuck::cast_slice(&column).to_vec()),
                displacements: displacements.map(|column| bytemuck::cast_slice(&column).to_vec()),
                filters: archetype.get::<&Filter>()?.to_vec(),
                ids: archetype.ids().iter().map(|&id| u64::from(id)).collect(),
            })
        })
        .collect()
}

impl Vectors {
    fn bodies(&self) -> Bodies<'_> {
        let mut bodies = match &self.half_extents {
            Some(half_extents) => Bodies::new(&self.centers, half_extents),
            None => Bodies::uniform(&self.centers, BULLET_HALF_EXTENTS),
        };
        if let Some(displacements) = &self.displacements {
            bodies = bodies.with_displacements(displacements);
        }
        bodies.with_filters(&self.filters).with_ids(&self.ids)
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
