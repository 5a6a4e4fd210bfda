//! The text of each error and of the report, compared whole. Other tests compare the fields of
//! errors.

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
    check(Point::new([NAN, 0.0]), "point: x is NaN, expected a finite number");
    check(Circle::new([0.0, f32::INFINITY], 1.0), "circle: center y is inf, expected a finite number");
    check(Circle::new([0.0, 0.0], -1.5), "circle: radius is -1.5, expected a number of at least 0");
    check(Ray::new([NAN, 0.0], [1.0, 0.0], 1.0), "ray: origin x is NaN, expected a finite number");
    check(Ray::new([0.0, 0.0], [1.0, NAN], 1.0), "ray: direction y is NaN, expected a finite number");
    check(Ray::new([0.0, 0.0], [1.0, 0.0], NAN), "ray: max is NaN, expected a number of at least 0");
    let aabb = Aabb::new([0.0, 0.0], [1.0, 1.0]).unwrap();
    check(AabbCast::new(aabb, [NAN, 0.0]), "sweep: displacement x is NaN, expected a finite number");
    let inverted = || Aabb::new([0.0, 1.0], [0.25, -1.0]);
    let text = "(0, 1) to (0.25, -1) is not a box: edges must be finite and min <= max";
    check(inverted(), text);
    check(inverted().map_err(Error::from), text);
    check(Point::new([NAN, 0.0]).map_err(Error::from), "point: x is NaN, expected a finite number");
}

#[test]
fn row_errors_name_row_column_axis_and_value() {
    let centers = [[0.0f32, 0.0], [0.0, NAN]];
    let mut world = sequential();
    let text = "bodies, row 1: center y is NaN, expected a finite number";
    check(world.step(Bodies::uniform(&centers, [0.5, 0.5])), text);
    let text = "bodies, row 0: half-extent x is -1, expected a finite number of at least 0";
    check(world.step(Bodies::uniform(&centers[..1], [-1.0, 0.5])), text);
    let text = "bodies, row 0: displacement x is inf, expected a finite number";
    let bodies = Bodies::uniform(&centers[..1], [0.5, 0.5]);
    check(world.step(bodies.with_displacements(&[[f32::INFINITY, 0.0]])), text);
    let text = "statics, row 1: max x is 0, expected a finite number of at least min";
    check(world.set_statics(&[[0.0f32, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]]), text);
    let text = "statics, row 0: min y is NaN, expected a finite number";
    check(world.set_statics(&[[0.0f32, NAN, 1.0, 1.0]]), text);
    check(world.set_static_enabled(7, true), "there is no static row 7: the set has 0 rows");
}

#[test]
fn column_errors_name_chunk_column_and_lengths() {
    let centers = [[0.0f32, 0.0]; 3];
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]);
    let text = |column: &str| format!("chunk 1: the {column} column has 2 rows, expected 3 like the first column");
    let step = |chunk: Bodies<'_>| sequential().step(&[bodies, chunk]).map(|_| ());
    check(step(Bodies::new(&centers, &centers[..2])), &text("half-extent"));
    check(step(bodies.with_displacements(&centers[..2])), &text("displacement"));
    check(step(bodies.with_ids(&[1, 2])), &text("id"));
    check(step(bodies.with_filters(&[Filter::ALL; 2])), &text("filter"));
    check(step(bodies.with_asleep(&[true; 2])), &text("asleep"));
    check(step(bodies.with_ids(&[1, 2, 3])), "chunk 1: ids must be given for every chunk or for none");
    let walls = [[0.0f32; 4]; 3];
    let text = "chunk 0: the id column has 1 rows, expected 3 like the first column";
    check(sequential().set_statics(Statics::new(&walls).with_ids(&[1])), text);

    let mut world = sequential();
    let contacts = world.step(bodies).unwrap();
    let (mut whole, mut short) = ([0u8; 3], [0u8; 2]);
    let text = "column 1 to be changed has 2 rows, expected at least the 3 of the step";
    check(contacts.par_for_each_pair_mut((&mut whole[..], &mut short[..]), |_, _, _| ()), text);
    let mut short = [0u8; 2];
    let text = "column 0 to be changed has 2 rows, expected at least the 3 of the step";
    check(contacts.par_for_each_static_pair_mut(&mut short[..], |_: StaticPair, _| ()), text);
}

#[test]
fn id_errors_name_both_rows() {
    let centers = [[0.0f32, 0.0]; 3];
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_contact_tracking(true));
    let text = "rows 0 and 2 have one id, 1, expected unique ids as contacts are tracked by them";
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&[1, 2, 1]);
    check(world.step(bodies), &format!("bodies, {text}"));
    let walls = [[0.0f32; 4]; 3];
    check(world.set_statics(Statics::new(&walls).with_ids(&[1, 2, 1])), &format!("statics, {text}"));
}

#[test]
fn limit_errors_name_the_limit() {
    let mut world = world(WorldConfig::new().with_parallel_threshold(None).with_pair_limit(2));
    let text = "the step has more than 2 pairs, the limit set by WorldConfig::pair_limit";
    check(world.step(Bodies::uniform(&[[0.0f32, 0.0]; 3], [0.5, 0.5])), text);
    let text = "5 rows are more than the 4 that can be numbered";
    assert_eq!(Error::TooManyRows { rows: 5, rows_max: 4 }.to_string(), text);
    let text = "the new origin's x is NaN, expected a finite number";
    check(world.shift_origin([NAN, 0.0]), text);
}

#[test]
fn config_errors_name_setting_value_and_range() {
    let new = |config: WorldConfig| World::new(config).map(|_| ());
    let config = WorldConfig::new;
    check(new(config().with_bound(-1.0)), "bound is -1, expected finite numbers of at least 0, ascending");
    check(new(config().with_bounds([0.5; 9])), "number of bounds is 9, expected at most 8");
    check(new(config().with_cell_size(0.0)), "cell_size is 0, expected a finite number above 0");
    check(new(config().with_margin(-1.0)), "margin is -1, expected a finite number of at least 0");
}
