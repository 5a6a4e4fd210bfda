//! Rounding: boxes that touch exactly or miss by one ulp, at every magnitude, on the borders of cells, and at the
//! ends of what f32 holds. Each input is stepped under settings that are good, bad and absurd: none may matter.

mod common;

use common::{Columns, Random, check_once};
use triphase::WorldConfig;

/// Settings that change where a body is filed and must not change what is found.
fn configs() -> Vec<(&'static str, WorldConfig)> {
    let new = || WorldConfig::new().with_parallel_threshold(None);
    vec![
        ("no settings", new()),
        ("bound of 0", new().with_bound(0.0)),
        ("bound of 0.5", new().with_bound(0.5)),
        ("bound of 1e30", new().with_bound(1e30)),
        ("the largest bound", new().with_bound(f32::MAX)),
        ("smallest bound", new().with_bound(f32::from_bits(1))),
        ("eight bounds", new().with_bounds([0.0, 1e-6, 1e-3, 0.5, 0.5, 2.0, 1e6, 1e38])),
        ("cells of 2.1", new().with_cell_size(2.1)),
        ("cells of 1e-6", new().with_cell_size(1e-6)),
        ("smallest cells", new().with_cell_size(f32::from_bits(1))),
        ("cells of 1e6", new().with_cell_size(1e6)),
        ("the largest cells", new().with_cell_size(f32::MAX)),
        ("small cells, large bound", new().with_cell_size(1e-3).with_bound(1e4)),
        ("large cells, small bound", new().with_cell_size(1e9).with_bound(1e-4)),
    ]
}

/// Rows of a crowd of about one pair per body around `center`, sizes about `scale`.
fn crowd(random: &mut Random, count: usize, center: [f32; 2], scale: f32) -> Vec<([f32; 2], [f32; 2])> {
    let side = scale * 1.2 * (count as f32).sqrt();
    let row = |random: &mut Random| {
        let [x, y] = random.point(-0.5, 0.5);
        let [half_x, half_y] = random.point(0.35, 0.5);
        ([center[0] + x * side, center[1] + y * side], [half_x * scale, half_y * scale])
    };
    (0..count).map(|_| row(random)).collect()
}

/// The magnitudes at which everything is tried: 1e-6 to 1e7, beyond on both sides, and powers of two.
fn magnitudes() -> Vec<f32> {
    let decades = (-12..=12).map(|k| 10f32.powi(k));
    let binades = [-126, -100, -24, 0, 10, 23, 24, 25, 31, 32, 33, 64, 100, 126].map(|k| 2f32.powi(k));
    decades.chain(binades).flat_map(|m| [m, -m]).collect()
}

/// The distance from `|x|` to the next larger f32.
fn ulp(x: f32) -> f32 {
    x.abs().next_up() - x.abs()
}

#[test]
fn partners_that_touch_exactly_are_found_at_every_magnitude() {
    for base in magnitudes() {
        let mut random = Random::new(1);
        for steps in [1.0, 3.0, 1000.0] {
            // Multiples of one ulp of the larger neighbour: sums are exact, so edges meet exactly.
            let half = ulp(base * 2.0) * steps;
            let (x, y) = (base, -base);
            let mut rows = vec![
                ([x, y], [half, half]),
                ([x + 2.0 * half, y], [half, half]),              // right, touching
                ([x, y + 2.0 * half], [half, half]),              // above, touching
                ([x - 2.0 * half, y - 2.0 * half], [half, half]), // corner to corner
                ([x + 2.0 * half, y + 4.0 * half], [half, half]), // touches the one above at a corner
                ([x + 5.0 * half, y + 5.0 * half], [half / 2., 0.]), // touches nothing
            ];
            rows.extend(crowd(&mut random, 400, [x, y], half));
            let truth = check_once(&format!("touching at {base}, half {half}"), &configs(), &Columns::of(&rows), &[]);
            for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (2, 4)] {
                assert!(truth.body.contains(&pair), "{pair:?} touch at {base}");
            }
        }
    }
}

#[test]
fn boxes_one_ulp_apart_are_not_found() {
    for base in magnitudes().into_iter().filter(|m| *m > 0.0) {
        let edge = base.next_up();
        let size = base / 4.0;
        let boxes = vec![
            [base - size, 0.0, base, size],
            [edge, 0.0, edge + size, size],         // one ulp to the right of the first
            [base, size, edge, size * 2.0],         // above both, touching both
            [base - size, -size, edge, -1e-45],     // just below the first two
            [base - size, -size, base - size, 0.0], // touches the first at a corner
        ];
        let mut random = Random::new(2);
        let noise = crowd(&mut random, 300, [base, 0.0], size);
        let noise = noise.iter().map(|(c, h)| [c[0] - h[0], c[1] - h[1], c[0] + h[0], c[1] + h[1]]);
        let noise = noise.map(|edges| edges.map(|edge| edge.clamp(-f32::MAX, f32::MAX)));
        let label = format!("an ulp apart at {base}");
        let columns = Columns::aabbs(boxes.iter().copied().chain(noise).collect());
        let truth = check_once(&label, &configs(), &columns, &boxes);
        assert!(!truth.body.contains(&(0, 1)) && truth.body.contains(&(0, 2)), "{label}");
        assert!(truth.body.contains(&(0, 4)) && truth.static_row.contains(&(1, 2)), "{label}");
    }
}

#[test]
fn a_rounded_box_reaches_up_to_twice_its_half_extent() {
    let mut random = Random::new(3);
    for center in [[0.0, 0.0], [2e7, 0.0], [2e7, 2e7]] {
        // Both trapped pairs, and thousands of others near by, near the origin, or all on the lattice of f32.
        let mut rows = vec![
            ([20_000_000.0, 7.0], [1.001, 1.001]),
            ([20_000_004.0, 7.0], [1.001, 1.001]),
            ([7.0, -20_000_000.0], [1.001, 1.001]),
            ([7.0, -20_000_004.0], [1.001, 1.001]),
        ];
        rows.extend(crowd(&mut random, 3000, center, 2.002));
        for (_, half) in &mut rows[4..] {
            *half = [1.001; 2];
        }
        let mut configs = configs();
        configs.push(("cells of 2.003", WorldConfig::new().with_parallel_threshold(None).with_cell_size(2.003)));
        configs.push(("bound of 1.001", WorldConfig::new().with_parallel_threshold(None).with_bound(1.001)));
        configs.push(("both", WorldConfig::new().with_parallel_threshold(None).with_bound(1.001).with_cell_size(2.1)));
        let label = format!("rounded reach, others about {center:?}");
        let truth = check_once(&label, &configs, &Columns::of(&rows), &[]);
        assert!(truth.body.contains(&(0, 1)) && truth.body.contains(&(2, 3)), "{label}");

        let centers = rows.iter().map(|(c, _)| *c).collect();
        check_once(&label, &configs, &Columns::uniform(centers, [1.001; 2]), &[]);
    }
}

#[test]
fn a_rounded_box_reaches_too_far_in_every_binade() {
    for exponent in [0, 5, 13, 23, 24, 25, 31, 40, 63, 100, 120] {
        let base = 2f32.powi(exponent) * 1.25;
        let unit = ulp(base);
        for share in [0.3, 0.4999, 0.5, 0.5001, 0.75, 1.0, 1.25, 1.5001, 2.5001] {
            // Rows of neighbours 1, 2, 3 and 4 ulp apart; every half-extent rounds up or down to the lattice.
            let mut random = Random::new(4);
            let at = |random: &mut Random| base + unit * random.index(150) as f32;
            let centers = (0..2000).map(|_| [at(&mut random), -at(&mut random)]).collect();
            let columns = Columns::uniform(centers, [unit * share; 2]);
            check_once(&format!("reach at {base}, half {share} ulp"), &configs()[..8], &columns, &[]);
        }
    }
}

#[test]
fn centres_on_the_borders_of_cells_lose_no_partner() {
    for side in [0.1, 0.3, 1.0 / 3.0, 0.7, 1.0, 2.1, 0.007, 1e5, 1.1e-5] {
        for first in [-40i32, 0, 1000, 99_990, 8_388_600, 16_777_200] {
            // Centres at multiples of the cell side and an ulp beside, sizes that make the edges meet there too.
            let mut rows = Vec::new();
            for k in 0..40 {
                let border = (first + k) as f32 * side;
                for x in [border, border.next_up(), border.next_down(), border + side * 0.5] {
                    for half in [side * 0.5, side * 0.25, (side * 0.5).next_up(), (side * 0.5).next_down()] {
                        rows.push(([x, (k % 7) as f32 * side], [half, half]));
                    }
                }
            }
            Random::new(5).shuffle(&mut rows);
            let new = || WorldConfig::new().with_parallel_threshold(None);
            let configs = [
                ("no settings", new()),
                ("cells as large as the boxes", new().with_cell_size(side)),
                ("cells half as large", new().with_cell_size(side * 0.5)),
                ("cells twice as large", new().with_cell_size(side * 2.0)),
                ("cells and a bound", new().with_cell_size(side).with_bound(side * 0.5)),
                ("a bound between", new().with_bound((side * 0.5).next_down())),
            ];
            check_once(&format!("borders of {side} from {first}"), &configs, &Columns::of(&rows), &[]);
        }
    }
}

#[test]
fn ulp_neighbours_are_told_apart_up_to_the_largest_numbers() {
    let mut rows = Vec::new();
    for exponent in 0..=127 {
        let mut x = 2f32.powi(exponent);
        for k in 0..6 {
            let half = ulp(x) * [0.0, 0.5, 1.0, 1.5, 2.0, 4.0][(exponent as usize + k) % 6];
            rows.push(([x, -x], [half, half]));
            rows.push(([x, 0.0], [half, 0.0]));
            x = x.next_up();
        }
    }
    Random::new(6).shuffle(&mut rows);
    let truth = check_once("ulp neighbours", &configs(), &Columns::of(&rows), &[]);
    assert!(truth.body.len() > 1000);
}

#[test]
fn edges_may_round_to_infinity_and_compare_as_such() {
    let big = f32::MAX;
    let mut rows = vec![
        ([big, 0.0], [big, 1.0]),             // to infinity on the right
        ([-big, 0.5], [big, 1.0]),            // to infinity on the left; meets the first at 0
        ([0.0, 0.0], [big, big]),             // everything finite
        ([big, big], [big, big]),             // a quadrant
        ([-big, -big], [1.0, 1.0]),           // the far corner
        ([3e38, 3e38], [3e38, 0.0]),          // thin and endless
        ([big, -big], [0.0, 0.0]),            // a point at another corner
        ([big, 3.0], [ulp(1e38) * 1e7, 0.5]), // rounds to infinity by a hair or not at all
    ];
    check_once("endless boxes alone", &configs(), &Columns::of(&rows), &[]);
    rows.extend(crowd(&mut Random::new(7), 2000, [0.0, 0.0], 1.0));
    let walls = [[-big, -big, big, -1e38], [1e38, 0.0, big, 2.0], [0.0, 0.0, 0.0, 0.0]];
    let truth = check_once("endless boxes among a crowd", &configs(), &Columns::of(&rows), &walls);
    assert!(truth.body.contains(&(0, 1)) && truth.body.contains(&(0, 3)) && truth.static_row.contains(&(2, 0)));
}

#[test]
fn displacements_may_round_to_infinity_too() {
    let big = f32::MAX;
    let rows = crowd(&mut Random::new(8), 1000, [0.0, 0.0], 1.0);
    let mut displacements = vec![[0.0; 2]; rows.len()];
    let mut random = Random::new(9);
    for k in 0..20 {
        displacements[k * 50] = [random.pick(&[big, -big, 0.0]), random.pick(&[big, -big, 1e30, 0.5])];
    }
    let mut columns = Columns::of(&rows).with_displacements(displacements);
    columns = match columns.shape {
        common::Shape::Centers { mut centers, half_extents } => {
            centers[0] = [big, big]; // and moves on from there: the far end is at infinity
            centers[50] = [-big, 3.0];
            Columns { shape: common::Shape::Centers { centers, half_extents }, ..columns }
        }
        _ => unreachable!("made of centres"),
    };
    columns.displacements.as_mut().expect("just given")[0] = [big, big];
    check_once("endless motion", &configs(), &columns, &[[1e38, 1e38, big, big], [0.0, 0.0, 1.0, 1.0]]);
}

#[test]
fn the_extent_of_a_world_may_overflow() {
    let corners = [-f32::MAX, 0.0, 1.0, f32::MAX];
    let mut rows = crowd(&mut Random::new(10), 500, [0.0, 0.0], 1.0);
    for x in corners {
        for y in corners {
            rows.push(([x, y], [1.0, 1.0]));
            rows.push(([x, y], [0.0, 1e30]));
        }
    }
    Random::new(11).shuffle(&mut rows);
    check_once("all of f32", &configs(), &Columns::of(&rows), &[[-f32::MAX, -f32::MAX, f32::MAX, f32::MAX]]);
}

#[test]
fn both_zeros_are_one_place() {
    let zeros = [0.0, -0.0];
    let mut rows = Vec::new();
    for x in zeros {
        for y in zeros {
            for half in zeros {
                rows.push(([x, y], [half, -half]));
                rows.push(([x - 1.0, y], [1.0, half])); // touches x = 0 with its edge
            }
        }
    }
    let count = rows.len();
    let truth = check_once("zeros", &configs(), &Columns::of(&rows), &[[-0.0, 0.0, 0.0, -0.0]]);
    assert_eq!(truth.body.len(), count * (count - 1) / 2);
    assert_eq!(truth.static_row.len(), count);

    // In boxes, where `0.0..-0.0` is not inverted; among others.
    let mut boxes =
        vec![[0.0, 0.0, -0.0, -0.0], [-0.0, -0.0, 0.0, 0.0], [-1.0, -1.0, -0.0, 0.0], [0.0, -0.0, 1.0, 1.0]];
    let noise = crowd(&mut Random::new(12), 500, [30.0, 0.0], 1.0);
    boxes.extend(noise.iter().map(|(c, h)| [c[0] - h[0], c[1] - h[1], c[0] + h[0], c[1] + h[1]]));
    let truth = check_once("zeros in boxes", &configs(), &Columns::aabbs(boxes), &[]);
    assert!([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].iter().all(|pair| truth.body.contains(pair)));
}

#[test]
fn denormals_are_numbers_like_others() {
    let tiny = |k: usize| f32::from_bits(k as u32);
    let mut random = Random::new(13);
    let mut at = || {
        let x = tiny(random.index(60));
        if random.index(2) == 0 { x } else { -x }
    };
    let mut rows: Vec<_> = (0..1500).map(|k| ([at(), at()], [tiny(k % 5), tiny(k % 3)])).collect();
    let truth = check_once("denormals alone", &configs(), &Columns::of(&rows), &[[0.0, 0.0, tiny(9), tiny(9)]]);
    assert!(truth.body.len() > 100 && !truth.static_row.is_empty());
    rows.extend(crowd(&mut random.clone(), 1500, [0.0, 0.0], 1.0));
    check_once("denormals in a crowd", &configs(), &Columns::of(&rows), &[]);

    // Boxes whose middle cannot be had exactly.
    let boxes = (0..900).map(|k| [tiny(k % 90), tiny(k / 90), tiny(k % 90 + 1), tiny(k / 90 + k % 2)]).collect();
    check_once("denormal boxes", &configs(), &Columns::aabbs(boxes), &[]);
}

#[test]
fn thin_boxes_far_from_their_middle_are_filed_safely() {
    // Boxes given as edges: their midpoint rounds, and their reach from it is uneven.
    for base in magnitudes().into_iter().filter(|m| m.abs() < 1e37) {
        let mut random = Random::new(14);
        let edge = |random: &mut Random| base + ulp(base) * random.index(60) as f32;
        let boxes = (0..1200)
            .map(|_| {
                let (x, y) = (edge(&mut random), edge(&mut random));
                let w = ulp(base) * random.index(6) as f32;
                [x, y, x + w, y + ulp(base)]
            })
            .collect();
        check_once(&format!("edges by the ulp at {base}"), &configs()[..10], &Columns::aabbs(boxes), &[]);
    }
}

#[test]
fn sizes_of_every_scale_meet() {
    let mut random = Random::new(15);
    for spread in [1.0, 1e3, 1e7, 1e12] {
        let size = |random: &mut Random| 10f32.powf(random.between(-8.0, 8.0));
        let rows: Vec<_> =
            (0..2000).map(|_| (random.point(-spread, spread), [size(&mut random), size(&mut random)])).collect();
        let walls: Vec<_> = (0..200)
            .map(|_| {
                let ([x, y], w, h) = (random.point(-spread, spread), size(&mut random), size(&mut random));
                [x, y, x + w, y + h]
            })
            .collect();
        check_once(&format!("every scale over {spread}"), &configs(), &Columns::of(&rows), &walls);
    }
}
