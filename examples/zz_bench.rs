//! scene bodies level(s) -> ms per variant
use std::time::Instant;
use triphase::*;
use triphase_scenes::{Scene, SceneName};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bodies: usize = args[2].parse().unwrap();
    let frames: usize = args[3].parse().unwrap();
    let levels = [
        ("portable", SimdLevel::Portable),
        ("sse2", SimdLevel::Sse2),
        ("avx2", SimdLevel::Avx2),
        ("avx512", SimdLevel::Avx512),
    ];
    let want = &args[4];
    for name in args[1].split(',') {
        let name = *SceneName::ALL.iter().find(|n| n.to_string() == name).unwrap();
        let scene = Scene::new(name, bodies, 1);
        let filters: Vec<Filter> =
            (0..bodies).map(|k| Filter::new(1 << (k % 3), if k % 5 == 0 { 3 } else { 7 })).collect();
        let mut worlds = Vec::new();
        for (label, level) in levels.iter().filter(|(l, _)| want.contains(l)) {
            for (shape_label, shape) in [("box", BodyShape::Aabb), ("circle", BodyShape::Circle)] {
                for filtered in [false, true] {
                    let mut world = World::new(
                        WorldConfig::new().with_simd_max(*level).with_body_shape(shape).with_parallel_threshold(None),
                    )
                    .unwrap();
                    world.set_statics(&scene.statics).unwrap();
                    worlds.push((
                        format!("{label} {shape_label}{}", if filtered { " filt" } else { "" }),
                        filtered,
                        world,
                        Vec::new(),
                        0,
                    ));
                }
            }
        }
        for frame in 0..frames {
            for (_, filtered, world, times, pairs) in &mut worlds {
                let bodies = Bodies::new(&scene.centers, &scene.half_extents);
                let bodies = if *filtered { bodies.with_filters(&filters) } else { bodies };
                let start = Instant::now();
                let contacts = world.step(bodies).unwrap();
                *pairs = contacts.body_pairs().len() + contacts.static_pairs().len();
                if frame > 1 {
                    times.push(start.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        for (label, _, _, times, pairs) in &mut worlds {
            times.sort_by(f64::total_cmp);
            println!("{name} {label}: {:.3} {:.3} {pairs}", times[0], times[times.len() / 2]);
        }
    }
}
