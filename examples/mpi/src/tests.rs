//! Runs all ranks in one process, without MPI, and compares each frame with one world and with
//! brute force.

use crate::balance::even_out;
use crate::check::{Check, Found};
use crate::part::Part;
use crate::run::random_strips;
use crate::scene::{Scene, SceneName};
use crate::strips::Strips;
use clap::ValueEnum;
use triphase::{Aabb, Hit};

/// Delivers the outboxes of all ranks: what `from` wrote for `to` is in inbox `from` of `to`.
fn deliver<T: Clone>(outboxes: &[Vec<Vec<T>>]) -> Vec<Vec<Vec<T>>> {
    (0..outboxes.len()).map(|to| outboxes.iter().map(|of_rank| of_rank[to].clone()).collect()).collect()
}

/// Calls `send` on each rank with outboxes for all, and `receive` with what came.
fn exchange<T: Clone>(
    parts: &mut [Part],
    mut send: impl FnMut(&mut Part, &mut [Vec<T>]),
    mut receive: impl FnMut(&mut Part, &[Vec<T>]),
) {
    let mut outboxes = vec![vec![Vec::new(); parts.len()]; parts.len()];
    parts.iter_mut().zip(&mut outboxes).for_each(|(part, outboxes)| send(part, outboxes));
    parts.iter_mut().zip(deliver(&outboxes)).for_each(|(part, inboxes)| receive(part, &inboxes));
}

/// Steps a scene on this many ranks; `strips_of` moves strips between frames. Returns the largest
/// number of ghosts of a frame.
fn check(
    scene: &Scene,
    ranks: usize,
    strips: &Strips,
    mut strips_of: impl FnMut(u32, &[Part]) -> Option<Strips>,
) -> usize {
    let mut parts: Vec<Part> = (0..ranks).map(|rank| Part::new(rank, strips.clone(), scene).expect("valid")).collect();
    let mut check = Check::new(scene, 0).expect("valid");
    let mut strips = strips.clone();
    let mut ghosts_max = 0;
    for frame in 0..12 {
        if frame > 0 {
            check.advance(scene);
            parts.iter_mut().for_each(|part| part.advance(scene));
        }
        exchange(&mut parts, Part::emigrate, Part::immigrate);
        for (rank, own) in parts.iter().map(Part::own).enumerate() {
            let owners = (0..own.len()).map(|row| strips.rank_of(own.extent_x(row)[0]));
            assert!(owners.into_iter().all(|owner| owner == rank), "frame {frame}: rank {rank} has bodies of others");
        }
        exchange(&mut parts, Part::send_ghosts, Part::receive_ghosts);
        for part in &mut parts {
            part.step().expect("valid bodies");
            part.count_contacts();
        }
        exchange(&mut parts, |part, outboxes| part.send_replies(outboxes), Part::receive_replies);
        check
            .compare(scene, &Found::merge(&parts))
            .unwrap_or_else(|failure| panic!("{ranks} ranks, frame {frame}: {failure}"));
        check_queries(scene, frame, &parts, &check);
        ghosts_max = ghosts_max.max(parts.iter().map(Part::ghost_count).sum());
        if let Some(moved) = strips_of(frame, &parts) {
            strips = moved;
            parts.iter_mut().for_each(|part| part.set_strips(strips.clone(), scene).expect("valid statics"));
        }
    }
    ghosts_max
}

/// Queries all ranks for some areas, and compares what they report with one world.
fn check_queries(scene: &Scene, frame: u32, parts: &[Part], check: &Check) {
    let [width, height] = scene.size;
    let key = |hit: Hit, id: Option<u64>| (matches!(hit, Hit::Static { .. }), id);
    for k in 0..4 {
        let mut random = scene.random(u64::from(frame * 4 + k) << 32);
        // On the lattice, half of the areas begin exactly on borders of cells.
        let round = |x: f32| if k % 2 == 0 { x.round() } else { x };
        let min = [round(random.range(-5.0, width)), round(random.range(-5.0, height))];
        let area = Aabb::new(min, [min[0] + random.range(0.0, width), min[1] + random.range(0.0, 9.0)]).expect("valid");
        let mut found: Vec<_> = (parts.iter().flat_map(|part| part.query_aabb(area)))
            .map(|hit| match hit {
                Hit::Body { id, .. } | Hit::Static { id, .. } => key(hit, id),
            })
            .collect();
        let mut expected: Vec<_> = (check.world.query_aabb(area))
            // In the one world, rows are ids.
            .map(|hit| match hit {
                Hit::Body { row, .. } | Hit::Static { row, .. } => key(hit, Some(u64::from(row))),
            })
            .collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "frame {frame}, area {area:?}");
    }
}

fn even(ranks: usize, scene: &Scene) -> Strips {
    Strips::even(ranks, [0.0, scene.size[0]])
}

#[test]
fn any_number_of_ranks_reports_each_pair_once() {
    for &name in SceneName::value_variants() {
        let scene = Scene::new(name, 700, 5);
        for ranks in [1, 2, 3, 4, 9] {
            let ghosts = check(&scene, ranks, &even(ranks, &scene), |_, _| None);
            assert!(ghosts > 0 || ranks == 1 || name == SceneName::Corner, "{name:?} has no ghosts");
        }
    }
}

#[test]
fn strips_may_move_anywhere_between_frames() {
    for &name in SceneName::value_variants() {
        for ranks in [2, 3, 5] {
            let scene = Scene::new(name, 500, ranks as u64);
            check(&scene, ranks, &even(ranks, &scene), |frame, _| Some(random_strips(frame, ranks, &scene)));
        }
    }
}

#[test]
fn balanced_strips_report_the_same_pairs() {
    for &name in SceneName::value_variants() {
        for ranks in [2, 4] {
            let scene = Scene::new(name, 600, 9);
            check(&scene, ranks, &even(ranks, &scene), |_, parts| {
                let loads: Vec<_> = parts.iter().map(|part| part.load(part.own().len() as f64)).collect();
                even_out(&loads)
            });
        }
    }
}

#[test]
fn all_bodies_may_be_in_any_one_strip() {
    let scene = Scene::new(SceneName::Castles, 500, 2);
    for borders in [[-1e9, -1e8, -1e7], [1e7, 1e8, 1e9], [-1e9, 1e8, 1e9], [7.0, 7.0, 7.0]] {
        check(&scene, 4, &Strips::new(borders.to_vec()), |_, _| None);
    }
}

#[test]
fn bodies_begin_and_end_exactly_on_borders() {
    let scene = Scene::new(SceneName::Lattice, 576, 1);
    let strips = even(4, &scene);
    assert_eq!(strips, Strips::new(vec![6.0, 12.0, 18.0]));
    // Each row of bodies touches each border from both sides.
    assert!(check(&scene, 4, &strips, |_, _| None) >= 3 * 24);
}

#[test]
fn strips_may_be_far_thinner_than_bodies() {
    let scene = Scene::new(SceneName::Beams, 300, 4);
    let ghosts = check(&scene, 40, &even(40, &scene), |_, _| None);
    assert!(ghosts > 300, "{ghosts} ghosts of 300 bodies");
}
