//! The text of each error, compared whole. Other tests compare the fields of errors.

use triphase::{Aabb, AabbCast, Bodies, Circle, Error, Filter, Point, Ray, StaticPair, Statics, World, WorldConfig};
use triphase_tests::{sequential, world};

const NAN: f32 = f32::NAN;

#[track_caller]
fn check<T>(result: Result<T, impl std::error::Error>, text: &str) {
    match result {
        Ok(_) => panic!("accepted, expected {text:?}"),
        Err(error) => assert_eq!(error.to_string(), text),
    }
}

#[test]
fn shape_errors_name_shape_part_and_value() {
    check(Point::new([NAN, 0.0]), "point: x is NaN; must be finite");
    check(Circle::new([0.0, f32::INFINITY], 1.0), "circle: center.y is inf; must be finite");
    check(Circle::new([0.0, 0.0], -1.5), "circle: radius is -1.5; must be >= 0");
    check(Ray::new([NAN, 0.0], [1.0, 0.0], 1.0), "ray: origin.x is NaN; must be finite");
    check(Ray::new([0.0, 0.0], [1.0, NAN], 1.0), "ray: direction.y is NaN; must be finite");
    check(Ray::new([0.0, 0.0], [1.0, 0.0], NAN), "ray: max_time_of_impact is NaN; must be >= 0");
    let aabb = Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap();
    check(AabbCast::new(aabb, [NAN, 0.0]), "AABB cast: displacement.x is NaN; must be finite");
    let inverted = || Aabb::new([0.0, 1.0], [0.25, -1.0]);
    let text = "AABB: max.y is -1; must be >= min.y, which is 1";
    check(inverted(), text);
    check(inverted().map_err(Error::from), text);
    check(Point::new([NAN, 0.0]).map_err(Error::from), "point: x is NaN; must be finite");
}

#[test]
fn row_errors_name_row_column_axis_and_value() {
    let centers = [[0.0f32, 0.0], [0.0, NAN]];
    let mut world = sequential();
    let text = "body row 1: center.y is NaN; must be finite";
    check(world.step(Bodies::uniform(&centers, [0.5, 0.5])), text);
    let text = "body row 0: half-extent.x is -1; must be finite and >= 0";
    check(world.step(Bodies::uniform(&centers[..1], [-1.0, 0.5])), text);
    let text = "body row 0: displacement.x is inf; must be finite";
    let bodies = Bodies::uniform(&centers[..1], [0.5, 0.5]);
    check(world.step(bodies.with_displacements(&[[f32::INFINITY, 0.0]])), text);
    let chunks = [Bodies::uniform(&centers[..1], [0.5, 0.5]), Bodies::uniform(&centers, [0.5, 0.5])];
    check(world.step(chunks), "body row 2 (chunk 1, row 1): center.y is NaN; must be finite");
    let text = "static row 1: max.x (0) is below min.x (1)";
    check(world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]]), text);
    let text = "static row 0: min.y is NaN; must be finite";
    check(world.set_statics(&[[0.0f32, NAN, 1.0, 1.0]]), text);
    check(world.set_static_enabled(7, true), "static row 7 does not exist; the set has 0 rows");
    world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0]; 2]).unwrap();
    world.remove_statics(&[1]).unwrap();
    check(world.set_static_enabled(1, true), "the static of row 1 was removed");
    check(world.remove_statics(&[0, 2]), "static row 2 does not exist; the set has 2 rows");
    let text = "static row 0: min.y is NaN; must be finite";
    check(world.insert_statics(&[[0.0f32, NAN, 1.0, 1.0]]), text);
    let text = "2 rows were named, but 1 statics were given";
    check(world.replace_statics(&[0, 1], &[[0.0f32; 4]]), text);
    let with_id = || Statics::new(&[[0.0f32; 4]]).with_ids(&[7]);
    check(world.insert_statics(with_id()), "the given statics have ids, but the static set has none");
    world.set_statics(with_id()).unwrap();
    let text = "the static set has ids, but the given statics have none";
    check(world.replace_statics(&[0], &[[0.0f32; 4]]), text);
    let bodies = Bodies::uniform(&centers[..1], [0.5, 0.5]);
    check(world.step_changed(bodies, &[3]), "changed row 3 does not exist; the step has 1 rows");
    check(
        world.step_changed(bodies, &[false, true]),
        "the changed rows have 2 flags or words of bits, but 1 rows need 1",
    );
}

#[test]
fn column_errors_name_chunk_column_and_lengths() {
    let centers = [[0.0f32, 0.0]; 3];
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    let text = |column: &str| format!("chunk 1: the {column} column has 2 rows, but there are 3 bodies");
    let step = |chunk: Bodies<'_>| sequential().step([bodies, chunk]).map(|_| ());
    check(step(Bodies::new(&centers, &centers[..2])), &text("half-extent"));
    check(step(bodies.with_displacements(&centers[..2])), &text("displacement"));
    check(step(bodies.with_ids(&[1, 2])), &text("id"));
    check(step(bodies.with_filters(&[Filter::ALL; 2])), &text("filter"));
    check(step(bodies.with_asleep(&[true; 2])), &text("asleep"));
    check(step(bodies.with_ids(&[1, 2, 3])), "chunk 1: give ids for every chunk or for none");
    let walls = [[0.0f32; 4]; 3];
    let text = "the id column of statics has 1 rows, but there are 3 boxes";
    check(sequential().set_statics(Statics::new(&walls).with_ids(&[1])), text);

    let mut world = sequential();
    let contacts = world.step(bodies).unwrap();
    let (mut whole, mut short) = ([0u8; 3], [0u8; 2]);
    let text = "column 1 has 2 rows, but the step had 3";
    check(contacts.par_for_each_pair_mut((&mut whole[..], &mut short[..]), |_, _, _| ()), text);
    let mut short = [0u8; 2];
    let text = "column 0 has 2 rows, but the step had 3";
    check(contacts.par_for_each_static_pair_mut(&mut short[..], |_: StaticPair, _| ()), text);
}

#[test]
fn id_errors_name_both_rows() {
    let centers = [[0.0f32, 0.0]; 3];
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_contact_tracking(true));
    let text = "rows 0 and 2 share id 1; contact tracking needs unique ids";
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&[1, 2, 1]);
    check(world.step(bodies), &format!("body {text}"));
    let walls = [[0.0f32; 4]; 3];
    check(world.set_statics(Statics::new(&walls).with_ids(&[1, 2, 1])), &format!("static {text}"));
    world.set_statics(Statics::new(&walls[..2]).with_ids(&[1, 2])).unwrap();
    check(world.insert_statics(Statics::new(&walls[..1]).with_ids(&[1])), &format!("static {text}"));
    assert_eq!((world.statics().len(), world.report().static_changed_count), (2, 0));
}

#[test]
fn limit_errors_name_the_limit() {
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(2));
    let text = "the step has more than 2 pairs, the limit of WorldConfig::with_pair_limit; are many bodies at one point, or in the wrong unit?";
    check(world.step(Bodies::uniform(&[[0.0f32, 0.0]; 3], [0.5, 0.5])), text);
    let text = "5 rows exceed the maximum of 4";
    assert_eq!(Error::TooManyRows { rows: 5, rows_max: 4 }.to_string(), text);
    let text = "origin.x is NaN; must be finite";
    check(world.shift_origin([NAN, 0.0]), text);
}

#[test]
fn config_errors_name_setting_value_and_range() {
    let new = |config: WorldConfig| World::new(config).map(|_| ());
    let config = WorldConfig::new;
    check(new(config().with_bound(-1.0)), "bound is -1; must be finite, >= 0, and ascending");
    check(new(config().with_bounds([0.5; 9])), "number of bounds is 9; must be at most 8");
    check(new(config().with_cell_size(0.0)), "cell_size is 0; must be finite and > 0");
    check(new(config().with_margin(-1.0)), "margin is -1; must be finite and >= 0");
}
