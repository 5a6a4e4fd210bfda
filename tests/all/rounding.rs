//! Rounding: boxes that touch exactly or miss by one ulp, at every magnitude, on the borders of
//! cells, and at both ends of f32. Each input is stepped with suitable, unsuitable and absurd
//! settings, which must not change the pairs.

use triphase::WorldConfig;
use triphase_scenes::SplitMix64;
use triphase_tests::{Columns, check_once};

/// Settings that change where a body is filed, but not which pairs are found.
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

/// A crowd around `center` with sizes of about `scale` and about one pair a body.
fn crowd(random: &mut SplitMix64, count: usize, center: [f32; 2], scale: f32) -> Vec<([f32; 2], [f32; 2])> {
    let side = scale * 1.2 * (count as f32).sqrt();
    let row = |random: &mut SplitMix64| {
        let [x, y] = random.point(-0.5, 0.5);
        let [half_x, half_y] = random.point(0.35, 0.5);
        ([center[0] + x * side, center[1] + y * side], [half_x * scale, half_y * scale])
    };
    (0..count).map(|_| row(random)).collect()
}

/// Magnitudes from 1e-12 to 1e12, and powers of two, of both signs.
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
fn touching_boxes_of_every_magnitude_are_pairs() {
    for base in magnitudes() {
        let mut random = SplitMix64::new(1);
        for steps in [1.0, 3.0, 1000.0] {
            // Multiples of one ulp of the larger neighbour, so sums are exact, and edges touch.
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
            let expected_pairs =
                check_once(&format!("touching at {base}, half {half}"), &configs(), &Columns::from_rows(&rows), &[]);
            for pair in [(0, 1), (0, 2), (0, 3), (1, 2), (2, 4)] {
                assert!(expected_pairs.bodies.contains(&pair), "{pair:?} touch at {base}");
            }
        }
    }
}

#[test]
fn boxes_one_ulp_apart_are_no_pair() {
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
        let mut random = SplitMix64::new(2);
        let noise = crowd(&mut random, 300, [base, 0.0], size);
        let noise = noise.iter().map(|(c, h)| [c[0] - h[0], c[1] - h[1], c[0] + h[0], c[1] + h[1]]);
        let noise = noise.map(|edges| edges.map(|edge| edge.clamp(-f32::MAX, f32::MAX)));
        let label = format!("an ulp apart at {base}");
        let columns = Columns::aabbs(boxes.iter().copied().chain(noise).collect());
        let expected_pairs = check_once(&label, &configs(), &columns, &boxes);
        assert!(!expected_pairs.bodies.contains(&(0, 1)) && expected_pairs.bodies.contains(&(0, 2)), "{label}");
        assert!(expected_pairs.bodies.contains(&(0, 4)) && expected_pairs.statics.contains(&(1, 2)), "{label}");
    }
}

#[test]
fn box_rounded_to_twice_its_half_extent_finds_all_pairs() {
    let mut random = SplitMix64::new(3);
    for center in [[0.0, 0.0], [2e7, 0.0], [2e7, 2e7]] {
        // Two pairs that touch by rounding alone, and thousands of bodies near them or near the
        // origin.
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
        let expected_pairs = check_once(&label, &configs, &Columns::from_rows(&rows), &[]);
        assert!(expected_pairs.bodies.contains(&(0, 1)) && expected_pairs.bodies.contains(&(2, 3)), "{label}");

        let centers = rows.iter().map(|(c, _)| *c).collect();
        check_once(&label, &configs, &Columns::uniform(centers, [1.001; 2]), &[]);
    }
}

#[test]
fn rounded_boxes_of_every_binade_find_all_pairs() {
    for exponent in [0, 5, 13, 23, 24, 25, 31, 40, 63, 100, 120] {
        let base = 2f32.powi(exponent) * 1.25;
        let unit = ulp(base);
        for share in [0.3, 0.4999, 0.5, 0.5001, 0.75, 1.0, 1.25, 1.5001, 2.5001] {
            // Neighbours 1 to 4 ulp apart, so every half-extent rounds up or down.
            let mut random = SplitMix64::new(4);
            let at = |random: &mut SplitMix64| base + unit * random.below(150) as f32;
            let centers = (0..2000).map(|_| [at(&mut random), -at(&mut random)]).collect();
            let columns = Columns::uniform(centers, [unit * share; 2]);
            check_once(&format!("reach at {base}, half {share} ulp"), &configs()[..8], &columns, &[]);
        }
    }
}

#[test]
fn centers_on_cell_borders_find_all_pairs() {
    for side in [0.1, 0.3, 1.0 / 3.0, 0.7, 1.0, 2.1, 0.007, 1e5, 1.1e-5] {
        for first in [-40i32, 0, 1000, 99_990, 8_388_600, 16_777_200] {
            // Centers at multiples of the cell side and one ulp beside, with edges at such places
            // too.
            let mut rows = Vec::new();
            for k in 0..40 {
                let border = (first + k) as f32 * side;
                for x in [border, border.next_up(), border.next_down(), border + side * 0.5] {
                    for half in [side * 0.5, side * 0.25, (side * 0.5).next_up(), (side * 0.5).next_down()] {
                        rows.push(([x, (k % 7) as f32 * side], [half, half]));
                    }
                }
            }
            SplitMix64::new(5).shuffle(&mut rows);
            let new = || WorldConfig::new().with_parallel_threshold(None);
            let configs = [
                ("no settings", new()),
                ("cells as large as the boxes", new().with_cell_size(side)),
                ("cells half as large", new().with_cell_size(side * 0.5)),
                ("cells twice as large", new().with_cell_size(side * 2.0)),
                ("cells and a bound", new().with_cell_size(side).with_bound(side * 0.5)),
                ("a bound between", new().with_bound((side * 0.5).next_down())),
            ];
            check_once(&format!("borders of {side} from {first}"), &configs, &Columns::from_rows(&rows), &[]);
        }
    }
}

#[test]
fn boxes_of_a_few_ulp_find_all_pairs_up_to_the_largest_numbers() {
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
    SplitMix64::new(6).shuffle(&mut rows);
    let expected_pairs = check_once("ulp neighbours", &configs(), &Columns::from_rows(&rows), &[]);
    assert!(expected_pairs.bodies.len() > 1000);
}

#[test]
fn edges_rounded_to_infinity_find_all_pairs() {
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
    check_once("endless boxes alone", &configs(), &Columns::from_rows(&rows), &[]);
    rows.extend(crowd(&mut SplitMix64::new(7), 2000, [0.0, 0.0], 1.0));
    let walls = [[-big, -big, big, -1e38], [1e38, 0.0, big, 2.0], [0.0, 0.0, 0.0, 0.0]];
    let expected_pairs = check_once("endless boxes among a crowd", &configs(), &Columns::from_rows(&rows), &walls);
    assert!(
        expected_pairs.bodies.contains(&(0, 1))
            && expected_pairs.bodies.contains(&(0, 3))
            && expected_pairs.statics.contains(&(2, 0))
    );
}

#[test]
fn displacements_rounded_to_infinity_find_all_pairs() {
    let big = f32::MAX;
    let rows = crowd(&mut SplitMix64::new(8), 1000, [0.0, 0.0], 1.0);
    let mut displacements = vec![[0.0; 2]; rows.len()];
    let mut random = SplitMix64::new(9);
    for k in 0..20 {
        displacements[k * 50] = [random.pick(&[big, -big, 0.0]), random.pick(&[big, -big, 1e30, 0.5])];
    }
    let mut columns = Columns::from_rows(&rows).with_displacements(displacements);
    columns = match columns.shape {
        triphase_tests::Shape::Centers { mut centers, half_extents } => {
            centers[0] = [big, big]; // and moves on from there: the far end is at infinity
            centers[50] = [-big, 3.0];
            Columns { shape: triphase_tests::Shape::Centers { centers, half_extents }, ..columns }
        }
        _ => unreachable!("made of centres"),
    };
    columns.displacements.as_mut().expect("just given")[0] = [big, big];
    check_once("endless motion", &configs(), &columns, &[[1e38, 1e38, big, big], [0.0, 0.0, 1.0, 1.0]]);
}

#[test]
fn world_of_overflowing_extent_finds_all_pairs() {
    let corners = [-f32::MAX, 0.0, 1.0, f32::MAX];
    let mut rows = crowd(&mut SplitMix64::new(10), 500, [0.0, 0.0], 1.0);
    for x in corners {
        for y in corners {
            rows.push(([x, y], [1.0, 1.0]));
            rows.push(([x, y], [0.0, 1e30]));
        }
    }
    SplitMix64::new(11).shuffle(&mut rows);
    check_once("all of f32", &configs(), &Columns::from_rows(&rows), &[[-f32::MAX, -f32::MAX, f32::MAX, f32::MAX]]);
}

#[test]
fn positive_and_negative_zero_are_equal() {
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
    let expected_pairs = check_once("zeros", &configs(), &Columns::from_rows(&rows), &[[-0.0, 0.0, 0.0, -0.0]]);
    assert_eq!(expected_pairs.bodies.len(), count * (count - 1) / 2);
    assert_eq!(expected_pairs.statics.len(), count);

    // As boxes, where `0.0..-0.0` is not inverted, among others.
    let mut boxes =
        vec![[0.0, 0.0, -0.0, -0.0], [-0.0, -0.0, 0.0, 0.0], [-1.0, -1.0, -0.0, 0.0], [0.0, -0.0, 1.0, 1.0]];
    let noise = crowd(&mut SplitMix64::new(12), 500, [30.0, 0.0], 1.0);
    boxes.extend(noise.iter().map(|(c, h)| [c[0] - h[0], c[1] - h[1], c[0] + h[0], c[1] + h[1]]));
    let expected_pairs = check_once("zeros in boxes", &configs(), &Columns::aabbs(boxes), &[]);
    assert!([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].iter().all(|pair| expected_pairs.bodies.contains(pair)));
}

#[test]
fn denormal_numbers_find_all_pairs() {
    let tiny = |k: usize| f32::from_bits(k as u32);
    let mut random = SplitMix64::new(13);
    let mut at = || {
        let x = tiny(random.below(60));
        if random.below(2) == 0 { x } else { -x }
    };
    let mut rows: Vec<_> = (0..1500).map(|k| ([at(), at()], [tiny(k % 5), tiny(k % 3)])).collect();
    let expected_pairs =
        check_once("denormals alone", &configs(), &Columns::from_rows(&rows), &[[0.0, 0.0, tiny(9), tiny(9)]]);
    assert!(expected_pairs.bodies.len() > 100 && !expected_pairs.statics.is_empty());
    rows.extend(crowd(&mut random.clone(), 1500, [0.0, 0.0], 1.0));
    check_once("denormals in a crowd", &configs(), &Columns::from_rows(&rows), &[]);

    // Boxes whose center is not exact.
    let boxes = (0..900).map(|k| [tiny(k % 90), tiny(k / 90), tiny(k % 90 + 1), tiny(k / 90 + k % 2)]).collect();
    check_once("denormal boxes", &configs(), &Columns::aabbs(boxes), &[]);
}

#[test]
fn boxes_with_inexact_centers_find_all_pairs() {
    // Boxes given by their edges: the center rounds, and the half-extents differ.
    for base in magnitudes().into_iter().filter(|m| m.abs() < 1e37) {
        let mut random = SplitMix64::new(14);
        let edge = |random: &mut SplitMix64| base + ulp(base) * random.below(60) as f32;
        let boxes = (0..1200)
            .map(|_| {
                let (x, y) = (edge(&mut random), edge(&mut random));
                let w = ulp(base) * random.below(6) as f32;
                [x, y, x + w, y + ulp(base)]
            })
            .collect();
        check_once(&format!("edges by the ulp at {base}"), &configs()[..10], &Columns::aabbs(boxes), &[]);
    }
}

#[test]
fn sizes_of_every_scale_find_all_pairs() {
    let mut random = SplitMix64::new(15);
    for spread in [1.0, 1e3, 1e7, 1e12] {
        let size = |random: &mut SplitMix64| 10f32.powf(random.range(-8.0, 8.0));
        let rows: Vec<_> =
            (0..2000).map(|_| (random.point(-spread, spread), [size(&mut random), size(&mut random)])).collect();
        let walls: Vec<_> = (0..200)
            .map(|_| {
                let ([x, y], w, h) = (random.point(-spread, spread), size(&mut random), size(&mut random));
                [x, y, x + w, y + h]
            })
            .collect();
        check_once(&format!("every scale over {spread}"), &configs(), &Columns::from_rows(&rows), &walls);
    }
}
