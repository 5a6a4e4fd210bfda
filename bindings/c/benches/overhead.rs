//! Steps through the C interface and through the library, from columns and from structs:
//! `cargo bench`. All step the same moving bodies in turn on one thread; the medians of all rounds.

use broad_phase::{Bodies, StridedColumn, World, WorldConfig};
use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::Instant;
use triphase::bodies::{tp_bodies, tp_column};
use triphase::config::tp_config;
use triphase::shapes::tp_vec2;
use triphase::status::tp_status;
use triphase::step::tp_step;
use triphase::world::{tp_counts, tp_world, tp_world_counts, tp_world_create, tp_world_destroy};

/// A struct of 64 bytes, of which a step reads 16.
#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Entity {
    id: u64,
    center: [f32; 2],
    half_extents: [f32; 2],
    velocity: [f32; 2],
    other: [f32; 8],
}

/// The same bodies in structs and in columns.
struct Input {
    entities: Vec<Entity>,
    centers: Vec<[f32; 2]>,
    half_extents: Vec<[f32; 2]>,
}

impl Input {
    fn new(count: usize) -> Self {
        let side = (count as f32).sqrt() * 1.2;
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let entities = (0..count as u64).map(|id| Entity {
            id,
            center: [random() * side, random() * side],
            half_extents: [0.3 + 0.2 * random(), 0.3 + 0.2 * random()],
            velocity: [random() - 0.5, random() - 0.5],
            other: [0.0; 8],
        });
        Self { entities: entities.collect(), centers: vec![[0.0; 2]; count], half_extents: vec![[0.0; 2]; count] }
    }

    /// Moves the structs.
    fn advance(&mut self) {
        for entity in &mut self.entities {
            entity.center[0] += 0.1 * entity.velocity[0];
            entity.center[1] += 0.1 * entity.velocity[1];
        }
    }

    /// Copies the structs into columns.
    fn pack(&mut self) {
        for (k, entity) in self.entities.iter().enumerate() {
            self.centers[k] = entity.center;
            self.half_extents[k] = entity.half_extents;
        }
    }

    fn strided(&self) -> Bodies<'_> {
        let half_extents = StridedColumn::of(&self.entities, |entity| &entity.half_extents);
        Bodies::from_strided(StridedColumn::of(&self.entities, |entity| &entity.center), half_extents)
    }

    fn c_bodies(&self, strided: bool) -> tp_bodies {
        let absent = tp_column { data: null(), stride: 0 };
        let first = self.entities.as_ptr().cast::<u8>();
        let field = |offset: usize| tp_column { data: first.wrapping_add(offset).cast(), stride: size_of::<Entity>() };
        let (centers, half_extents) = if strided {
            (field(std::mem::offset_of!(Entity, center)), field(std::mem::offset_of!(Entity, half_extents)))
        } else {
            let column = |column: &[[f32; 2]]| tp_column { data: column.as_ptr().cast(), stride: 8 };
            (column(&self.centers), column(&self.half_extents))
        };
        tp_bodies {
            count: self.entities.len(),
            form: 0,
            reserved: 0,
            uniform_half_extents: tp_vec2::default(),
            centers,
            half_extents,
            boxes: absent,
            displacements: absent,
            ids: absent,
            filters: absent,
            asleep: absent,
        }
    }
}

fn step_c(world: *mut tp_world, bodies: &tp_bodies) -> usize {
    let mut counts = tp_counts::default();
    // SAFETY: all pointers are to live values.
    unsafe {
        assert_eq!(tp_step(world, bodies, 1), tp_status::TP_STATUS_OK);
        assert_eq!(tp_world_counts(world, &mut counts), tp_status::TP_STATUS_OK);
    }
    counts.body_pair_count as usize
}

fn new_c_world() -> *mut tp_world {
    let (config, mut world) = (tp_config { thread_count: 1, ..tp_config::default() }, null_mut());
    // SAFETY: both pointers are to live values.
    assert_eq!(unsafe { tp_world_create(&config, &mut world) }, tp_status::TP_STATUS_OK);
    world
}

fn measure(count: usize, rounds: usize, steps: usize) {
    const NAMES: [&str; 5] =
        ["Rust, columns", "Rust, structs", "Rust, structs packed into columns", "C, columns", "C, structs"];
    let mut input = Input::new(count);
    let mut worlds: Vec<World> =
        (0..3).map(|_| World::new(WorldConfig::new().with_parallel_threshold(None)).expect("valid settings")).collect();
    let c_worlds = [new_c_world(), new_c_world()];
    let mut times = [const { Vec::new() }; 5];
    for round in 0..rounds {
        input.advance();
        input.pack();
        let mut pair_counts = [0; 5];
        for k in 0..5 {
            let variant = (k + round) % 5; // each goes first as often as the others
            let begin = Instant::now();
            for _ in 0..steps {
                pair_counts[variant] = black_box(match variant {
                    0 => step(&mut worlds[0], Bodies::new(&input.centers, &input.half_extents)),
                    1 => step(&mut worlds[1], input.strided()),
                    2 => {
                        input.pack();
                        step(&mut worlds[2], Bodies::new(&input.centers, &input.half_extents))
                    }
                    3 => step_c(c_worlds[0], &input.c_bodies(false)),
                    _ => step_c(c_worlds[1], &input.c_bodies(true)),
                });
            }
            times[variant].push(begin.elapsed().as_secs_f64() / steps as f64);
        }
        assert!(pair_counts.iter().all(|&pairs| pairs == pair_counts[0]), "{pair_counts:?}");
    }
    // SAFETY: the worlds are not used any more.
    c_worlds.into_iter().for_each(|world| _ = unsafe { tp_world_destroy(world) });
    println!("{count} bodies, median of {rounds} rounds");
    for (name, times) in NAMES.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!("  {name:34} {:10.2} microseconds a step", times[rounds / 2] * 1e6);
    }
}

fn step(world: &mut World, bodies: Bodies<'_>) -> usize {
    world.step(bodies).expect("valid bodies").body_pairs().len()
}

fn main() {
    // `cargo test --benches` passes no `--bench`.
    let is_short = !std::env::args().any(|arg| arg == "--bench");
    let rounds = if is_short { 3 } else { 201 };
    measure(20, rounds, 200);
    measure(100_000, rounds, 1);
}
