//! Steps from arrays of structs: the same results, in the same order, as from contiguous columns.

use triphase::{Bodies, Column, Error, Filter, InvalidRows, StridedColumn, WorldConfig};
use triphase_scenes::{Scene, SceneName, SplitMix64};
use triphase_tests::{Columns, FoundPairs, Shape, random_filters, sequential, world};

const SEED: u64 = 0x57de;

/// Every column of a step, and fields that none reads.
#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Entity {
    asleep: bool,
    kind: [u8; 3],
    center: [f32; 2],
    half_extents: [f32; 2],
    displacement: [f32; 2],
    aabb: [f32; 4],
    filter: Filter,
    health: f32,
    id: u64,
}

/// Which of the optional columns a step has.
#[derive(Clone, Copy, Debug)]
struct Optional {
    displacements: bool,
    ids: bool,
    filters: bool,
    asleep: bool,
}

const NONE: Optional = Optional { displacements: false, ids: false, filters: false, asleep: false };
const ALL: Optional = Optional { displacements: true, ids: true, filters: true, asleep: true };

/// The same bodies as columns and as structs.
struct Twins {
    columns: Columns,
    asleep: Vec<bool>,
    entities: Vec<Entity>,
}

impl Twins {
    /// The bodies of a scene in one of the three shapes: 0 centers, 1 uniform, 2 boxes.
    fn new(scene: &Scene, shape: usize) -> Self {
        let mut random = SplitMix64::new(SEED);
        let count = scene.centers.len();
        let (filters, boxes) = (random_filters(count, &mut random), scene.boxes());
        let displacements: Vec<_> = (0..count).map(|_| random.point(-0.2, 0.2)).collect();
        let asleep: Vec<bool> = (0..count).map(|row| row % 20 != 3).collect();
        let entities = (0..count).map(|row| Entity {
            asleep: asleep[row],
            kind: [0xff; 3],
            center: scene.centers[row],
            half_extents: scene.half_extents[row],
            displacement: displacements[row],
            aabb: boxes[row],
            filter: filters[row],
            health: f32::NAN,
            id: scene.ids[row],
        });
        let entities = entities.collect();
        let columns = match shape {
            0 => Columns::new(scene.centers.clone(), scene.half_extents.clone()),
            1 => Columns::uniform(scene.centers.clone(), [0.5, 0.4]),
            _ => Columns::aabbs(boxes),
        };
        let columns = Columns {
            displacements: Some(displacements),
            ids: Some(scene.ids.clone()),
            filters: Some(filters),
            ..columns
        };
        Self { columns, asleep, entities }
    }

    fn contiguous(&self, from: usize, to: usize, optional: Optional) -> Bodies<'_> {
        let mut bodies = match &self.columns.shape {
            Shape::Centers { centers, half_extents } => Bodies::new(&centers[from..to], &half_extents[from..to]),
            Shape::Uniform { centers, half_extents } => Bodies::uniform(&centers[from..to], *half_extents),
            Shape::Aabbs(aabbs) => Bodies::from_aabbs(&aabbs[from..to]),
        };
        if let Some(column) = self.columns.displacements.as_ref().filter(|_| optional.displacements) {
            bodies = bodies.with_displacements(&column[from..to]);
        }
        if let Some(column) = self.columns.ids.as_ref().filter(|_| optional.ids) {
            bodies = bodies.with_ids(&column[from..to]);
        }
        if let Some(column) = self.columns.filters.as_ref().filter(|_| optional.filters) {
            bodies = bodies.with_filters(&column[from..to]);
        }
        if optional.asleep {
            bodies = bodies.with_asleep(&self.asleep[from..to]);
        }
        bodies
    }

    fn strided(&self, from: usize, to: usize, optional: Optional) -> Bodies<'_> {
        let entities = &self.entities[from..to];
        let centers = StridedColumn::of(entities, |entity| &entity.center);
        let mut bodies = match &self.columns.shape {
            Shape::Centers { .. } => {
                Bodies::from_strided(centers, StridedColumn::of(entities, |entity| &entity.half_extents))
            }
            Shape::Uniform { half_extents, .. } => Bodies::uniform_strided(centers, *half_extents),
            Shape::Aabbs(_) => Bodies::from_strided_aabbs(StridedColumn::of(entities, |entity| &entity.aabb)),
        };
        if optional.displacements {
            bodies = bodies.with_strided_displacements(StridedColumn::of(entities, |entity| &entity.displacement));
        }
        if optional.ids {
            bodies = bodies.with_strided_ids(StridedColumn::of(entities, |entity| &entity.id));
        }
        if optional.filters {
            bodies = bodies.with_strided_filters(StridedColumn::of(entities, |entity| &entity.filter));
        }
        if optional.asleep {
            bodies = bodies.with_strided_asleep(StridedColumn::of(entities, |entity| &entity.asleep));
        }
        bodies
    }
}

/// The scene after each of some frames, in each shape.
fn for_each_frame(mut check: impl FnMut(&str, usize, &Twins)) {
    for shape in 0..3 {
        for (name, bodies) in [(SceneName::Crowd, 1100), (SceneName::Dragons, 700), (SceneName::Castles, 131)] {
            let mut scene = Scene::new(name, bodies, SEED);
            for frame in 0..4 {
                scene.advance();
                check(&format!("{name}, shape {shape}"), frame, &Twins::new(&scene, shape));
            }
        }
    }
}

#[test]
fn structs_have_the_pairs_of_columns_in_the_same_order() {
    let mut pair_count = 0;
    for optional in [
        NONE,
        Optional { displacements: true, ..NONE },
        Optional { ids: true, ..NONE },
        Optional { filters: true, ..NONE },
        Optional { asleep: true, ..NONE },
        ALL,
    ] {
        let (mut expected, mut found) = (sequential(), sequential());
        for_each_frame(|label, frame, twins| {
            let count = twins.entities.len();
            let expected = expected.step(twins.contiguous(0, count, optional)).unwrap();
            let found = found.step(twins.strided(0, count, optional)).unwrap();
            let label = format!("{label}, frame {frame}, {optional:?}");
            assert_eq!(FoundPairs::new(found), FoundPairs::new(expected), "{label}");
            assert!((0..count as u32).all(|row| found.body_id(row) == expected.body_id(row)), "{label}");
            pair_count += found.body_pairs().len();
        });
    }
    assert!(pair_count > 10_000, "{pair_count}");
}

#[test]
fn chunks_may_be_contiguous_strided_or_both() {
    let tracked = || world(WorldConfig::new().with_contact_tracking(true).with_parallel_threshold(0));
    let (mut expected, mut found) = (tracked(), tracked());
    for_each_frame(|label, frame, twins| {
        let ends = [0, 1, 64, 64, 100, twins.entities.len()];
        let contiguous: Vec<_> = ends.windows(2).map(|end| twins.contiguous(end[0], end[1], ALL)).collect();
        let mixed: Vec<_> = ends
            .windows(2)
            .enumerate()
            .map(|(k, end)| match k % 3 {
                0 => twins.strided(end[0], end[1], ALL),
                1 => twins.contiguous(end[0], end[1], ALL),
                // Some columns of each kind.
                _ => twins
                    .strided(end[0], end[1], NONE)
                    .with_displacements(&twins.columns.displacements.as_ref().unwrap()[end[0]..end[1]])
                    .with_strided_ids(StridedColumn::of(&twins.entities[end[0]..end[1]], |entity| &entity.id))
                    .with_filters(&twins.columns.filters.as_ref().unwrap()[end[0]..end[1]])
                    .with_asleep(&twins.asleep[end[0]..end[1]]),
            })
            .collect();
        let expected = expected.step(&contiguous).unwrap();
        let found = found.step(&mixed).unwrap();
        assert_eq!(FoundPairs::new(found), FoundPairs::new(expected), "{label}, frame {frame}");
        let (expected, found) = (expected.events().unwrap(), found.events().unwrap());
        assert!(found.started().eq(expected.started()), "{label}, frame {frame}");
    });
}

#[test]
fn told_steps_read_structs() {
    for shape in 0..3 {
        let (mut expected, mut found) = (sequential(), sequential());
        let mut scene = Scene::new(SceneName::Crowd, 1000, SEED);
        for frame in 0..6usize {
            let changed: Vec<u32> = (0..20).map(|k| (k * 47 + frame as u32 * 5) % 1000).collect();
            for &row in &changed {
                scene.centers[row as usize][0] += 0.7;
            }
            let mut twins = Twins::new(&scene, shape);
            let optional = Optional { asleep: false, ..ALL };
            let full = FoundPairs::new(expected.step(twins.contiguous(0, 1000, optional)).unwrap());
            let told = found.step_changed(twins.strided(0, 1000, optional), &changed).unwrap();
            assert_eq!(FoundPairs::new(told).sorted(), full.sorted(), "shape {shape}, frame {frame}");

            // An error names the row, and the next step is told the same rows again.
            twins.entities[changed[0] as usize].displacement[1] = f32::NAN;
            match found.step_changed(twins.strided(0, 1000, optional), &changed) {
                Err(Error::InvalidBody(invalid)) => {
                    assert_eq!((invalid.row, invalid.column, invalid.axis), (changed[0], Column::Displacement, 1));
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn invalid_fields_are_named_or_skipped() {
    for shape in 0..3 {
        let mut twins = Twins::new(&Scene::new(SceneName::Crowd, 300, SEED), shape);
        let column = if shape == 2 { Column::Max } else { Column::Center };
        twins.entities[217].center[1] = f32::INFINITY;
        twins.entities[217].aabb[3] = f32::INFINITY;
        match sequential().step(twins.strided(0, 300, ALL)) {
            Err(Error::InvalidBody(invalid)) => {
                assert_eq!((invalid.row, invalid.column, invalid.axis, invalid.value), (217, column, 1, f32::INFINITY));
            }
            other => panic!("{other:?}"),
        }
        match sequential().step([twins.contiguous(0, 200, ALL), twins.strided(200, 300, ALL)]) {
            Err(Error::InvalidBody(invalid)) => {
                assert!(invalid.chunk_row.is_some_and(|at| (at.chunk, at.row) == (1, 17)), "{invalid:?}");
            }
            other => panic!("{other:?}"),
        }
        let mut skipping = world(WorldConfig::new().with_invalid_rows(InvalidRows::Skip));
        skipping.step(twins.strided(0, 300, ALL)).unwrap();
        assert!(skipping.skipped_rows().iter().map(|skipped| skipped.row).eq([217]));
        assert!(skipping.aabb(216).is_some() && skipping.aabb(217).is_none());
    }
}

#[test]
fn strided_columns_of_other_lengths_are_errors() {
    let twins = Twins::new(&Scene::new(SceneName::Crowd, 30, SEED), 0);
    let (all, fewer) = (&twins.entities[..], &twins.entities[1..]);
    let centers = StridedColumn::of(all, |entity| &entity.center);
    let bodies = Bodies::uniform_strided(centers, [0.5, 0.5]);
    for (column, bodies) in [
        (Column::HalfExtent, Bodies::from_strided(centers, StridedColumn::of(fewer, |entity| &entity.half_extents))),
        (
            Column::Displacement,
            bodies.with_strided_displacements(StridedColumn::of(fewer, |entity| &entity.displacement)),
        ),
        (Column::Id, bodies.with_strided_ids(StridedColumn::of(fewer, |entity| &entity.id))),
        (Column::Filter, bodies.with_strided_filters(StridedColumn::of(fewer, |entity| &entity.filter))),
        (Column::Asleep, bodies.with_strided_asleep(StridedColumn::of(fewer, |entity| &entity.asleep))),
    ] {
        let error = Error::ColumnLengthMismatch { chunk: None, column, expected: 30, found: 29 };
        assert_eq!(sequential().step(bodies).err(), Some(error));
    }
}

#[test]
fn any_byte_but_zero_marks_a_body_as_asleep() {
    let centers: Vec<[f32; 2]> = (0..600).map(|row| [row as f32, 0.0]).collect();
    let flags: Vec<u8> = (0..600).map(|row| if row == 7 { 0 } else { row as u8 | 1 }).collect();
    for stride in [1, 3] {
        let mut spread = vec![0; 600 * stride];
        (0..600).for_each(|row| spread[row * stride] = flags[row]);
        let asleep = StridedColumn::from_bytes(&spread, stride, 600).unwrap();
        let mut world = sequential();
        for _ in 0..4 {
            world.step(Bodies::uniform(&centers, [0.6, 0.6]).with_strided_asleep(asleep)).unwrap();
        }
        assert_eq!(world.report().cached_count, 599, "stride {stride}");
    }
}
