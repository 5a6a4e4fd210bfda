//! Layouts that are chosen against the way broad phases are built: lanes that are half full, cells with everything in
//! them, counts around powers of two, sizes at the bound, walls upon walls. A bug that was fixed becomes a test here.

mod common;

use common::{Columns, Fleet, Random, Truth, check_once};
use triphase::WorldConfig;

/// Steps it in worlds of all thread counts and instruction sets, and under a few other settings.
fn check(label: &str, columns: &Columns, statics: &[[f32; 4]]) -> Truth {
    let mut fleet = Fleet::new(WorldConfig::new());
    fleet.set_statics(statics).unwrap();
    let truth = Truth::new(&columns.boxes(), statics, |_| true);
    let found = fleet.step(&[columns.bodies()], statics).unwrap_or_else(|what| panic!("{label}: {what}"));
    truth.compare(&found.unwrap()).unwrap_or_else(|what| panic!("{label}: {what}"));
    let new = || WorldConfig::new().with_parallel_threshold(None);
    let configs = [
        ("bound of 0", new().with_bound(0.0)),
        ("bound of 0.5", new().with_bound(0.5)),
        ("bounds of 0.1, 0.5 and 2", new().with_bounds([0.1, 0.5, 2.0])),
        ("large bound", new().with_bound(1e6)),
        ("cells of 1", new().with_cell_size(1.0)),
        ("cells of 64", new().with_cell_size(64.0)),
    ];
    check_once(label, &configs, columns, statics)
}

fn boxes_of(rows: impl IntoIterator<Item = ([f32; 2], [f32; 2])>) -> Vec<[f32; 4]> {
    rows.into_iter().map(|([x, y], [w, h])| [x - w, y - h, x + w, y + h]).collect()
}

#[test]
fn runs_of_every_length_up_to_several_lanes() {
    // Groups far apart of 0, 1, 2 … bodies: in one spot, in a row, in a column, across a border, so that a run of
    // candidates ends at every place of a lane.
    let mut rows = Vec::new();
    for count in 0..70 {
        for k in 0..count {
            let along = k as f32 * 0.02;
            let base = count as f32 * 10.0;
            rows.push(([base, 0.0], [0.5, 0.5]));
            rows.push(([base + along, 20.0], [0.5, 0.1]));
            rows.push(([base, 40.0 + along], [0.1, 0.5]));
            rows.push(([base + (k % 2) as f32, 60.0 + (k % 3) as f32], [0.5, 0.5]));
        }
    }
    Random::new(41).shuffle(&mut rows);
    check("runs", &Columns::of(&rows), &[[0.0, -1.0, 700.0, 1.0]]);
    for count in 0..70 {
        let group = Columns::uniform((0..count).map(|k| [k as f32 * 0.25, 3.0]).collect(), [0.5, 0.5]);
        let truth = check("one run", &group, &[]);
        assert_eq!(truth.body.len(), (0..count).map(|k| k.min(4)).sum::<usize>());
    }
}

#[test]
fn hits_at_every_place_of_a_lane_and_at_no_other() {
    // One body at the left meets exactly one of those at the right, which meet each other or not.
    for place in 0..40 {
        for apart in [0.0f32, 0.3] {
            let mut boxes = vec![[0.0, 0.0, 1.0, 1.0]];
            for k in 0..40 {
                let y = 0.1 + apart * k as f32;
                boxes.push(if k == place { [1.0, 0.5, 1.2, 0.5] } else { [1.0f32.next_up(), y, 1.2, y] });
            }
            let truth = check(&format!("hit at {place}, {apart} apart"), &Columns::aabbs(boxes), &[]);
            assert_eq!(truth.body[0], (0, place as u32 + 1));
            assert!(truth.body.get(1).is_none_or(|pair| pair.0 > 0));
        }
    }
}

#[test]
fn counts_around_powers_of_two() {
    // Of bodies, and of pairs: bodies in couples, so that there are half as many pairs.
    let couples: Vec<[f32; 2]> = (0..65_540).map(|k| [(k / 2 % 250) as f32 * 3.0, (k / 500) as f32 * 3.0]).collect();
    let mut fleet = Fleet::new(WorldConfig::new());
    for power in [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 65_536] {
        for count in [power - 1, power, power + 1] {
            let columns = Columns::uniform(couples[..count].to_vec(), [0.5, 0.5]);
            let found = fleet.step(&[columns.bodies()], &[]).unwrap().unwrap();
            assert_eq!(found.body.len(), count / 2, "{count} bodies");
            Truth::new(&columns.boxes(), &[], |_| true).compare(&found).unwrap();
        }
    }
}

#[test]
fn one_cell_may_hold_everything() {
    // 70,000 points between two others that are far away: more than 16 bits count, in one cell of any equal grid.
    for turned in [false, true] {
        let point = |k: usize| if turned { [0.5, k as f32 * 1e-6] } else { [k as f32 * 1e-6, 0.5] };
        let mut centers: Vec<_> = (0..70_000).map(point).collect();
        centers.extend([[1e7, 1e7], [-1e7, -1e7]]);
        let mut fleet = Fleet::new(WorldConfig::new());
        let columns = Columns::uniform(centers, [0.0, 0.0]);
        let truth = Truth::new(&columns.boxes(), &[], |_| true);
        truth.compare(&fleet.step(&[columns.bodies()], &[]).unwrap().unwrap()).unwrap();
    }
}

#[test]
fn clusters_within_clusters() {
    // A hundredth as wide at each level: no one cell size suits two levels.
    let mut random = Random::new(42);
    let mut rows = Vec::new();
    for _ in 0..3000 {
        let level = random.index(5) as i32;
        let scale = 100f32.powi(-level);
        let [x, y] = random.point(0.0, 30.0 * scale);
        let half = random.point(0.2 * scale, 0.6 * scale);
        rows.push(([x + 7.0 * scale, y + 3.0 * scale], half));
    }
    check("clusters within clusters", &Columns::of(&rows), &boxes_of(rows[..300].iter().copied()));
}

#[test]
fn rows_in_order_of_place_or_against_it() {
    let mut rows: Vec<_> = (0..4000).map(|k| ([(k % 64) as f32 * 0.9, (k / 64) as f32 * 0.9], [0.45, 0.45])).collect();
    check("ascending", &Columns::of(&rows), &[]);
    rows.reverse();
    check("descending", &Columns::of(&rows), &[]);
    rows.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    check("by column", &Columns::of(&rows), &[]);
}

#[test]
fn sizes_at_the_bound_and_one_ulp_beside() {
    let mut random = Random::new(43);
    let bound = 0.5f32;
    let sizes = [bound, bound.next_up(), bound.next_down(), 0.1, 0.1f32.next_up(), 2.0, 2.0f32.next_up()];
    let rows: Vec<_> =
        (0..3000).map(|_| (random.point(-30.0, 30.0), [random.pick(&sizes), random.pick(&sizes)])).collect();
    check("sizes at the bound", &Columns::of(&rows), &boxes_of(rows[..100].iter().copied()));
}

#[test]
fn all_are_oversized() {
    let mut random = Random::new(44);
    let rows: Vec<_> = (0..1500).map(|_| (random.point(0.0, 4000.0), random.point(1.0, 90.0))).collect();
    check("all oversized", &Columns::of(&rows), &boxes_of(rows[..200].iter().copied()));
    // Each around all others; and each thin and as long as the world, both ways.
    let nested: Vec<_> = (0..400).map(|k| ([0.0, 0.0], [1.0 + k as f32, 400.0 - k as f32])).collect();
    let truth = check("nested", &Columns::of(&nested), &[[0.0, 0.0, 0.0, 0.0]]);
    assert_eq!((truth.body.len(), truth.static_row.len()), (400 * 399 / 2, 400));
    let cross = |k: usize| {
        if k.is_multiple_of(2) { ([0.0, k as f32], [500.0, 0.1]) } else { ([k as f32 - 200.0, 200.0], [0.1, 500.0]) }
    };
    check("a grid of beams", &Columns::of(&(0..400).map(cross).collect::<Vec<_>>()), &[]);
}

#[test]
fn one_body_around_everything() {
    let mut random = Random::new(45);
    let mut rows: Vec<_> = (0..3000).map(|_| (random.point(-50.0, 50.0), [0.4, 0.4])).collect();
    rows[1234] = ([0.0, 0.0], [1000.0, 1000.0]);
    let truth = check("one around everything", &Columns::of(&rows), &[[-50.0, -50.0, 50.0, 50.0]; 3]);
    assert!(truth.body.iter().filter(|pair| pair.0 == 1234 || pair.1 == 1234).count() == 2999);
    // And none but that one and a few more like it.
    rows.truncate(1);
    rows.extend([([0.0, 0.0], [1000.0, 1000.0]), ([1001.0, 0.0], [1.0, 1.0]), ([0.0, 1500.0], [9.0, 500.0])]);
    assert_eq!(check("four", &Columns::of(&rows), &[]).body, [(0, 1), (1, 2), (1, 3)]);
}

#[test]
fn long_in_one_direction_only() {
    let mut random = Random::new(46);
    for (wide, high) in [(40.0, 0.001), (0.001, 40.0), (5.0, 0.0), (0.0, 5.0)] {
        let rows: Vec<_> = (0..1500)
            .map(|_| (random.point(0.0, 100.0), [random.between(0.0, wide), random.between(0.0, high)]))
            .collect();
        check(&format!("{wide} by {high}"), &Columns::of(&rows), &boxes_of(rows[..300].iter().copied()));
    }
}

#[test]
fn motion_makes_small_bodies_large() {
    // Few fly far, the others stay: filed by where they are alone, they would be missed on their way.
    let mut random = Random::new(47);
    let centers: Vec<_> = (0..3000).map(|_| random.point(0.0, 60.0)).collect();
    let fly =
        |k: usize, random: &mut Random| if k.is_multiple_of(100) { random.point(-60.0, 60.0) } else { [0.0, 0.0] };
    let displacements = (0..3000).map(|k| fly(k, &mut random)).collect();
    let columns = Columns::uniform(centers, [0.3, 0.3]).with_displacements(displacements);
    check("a few fly", &columns, &[[30.0, 0.0, 31.0, 60.0], [-200.0, 30.0, 200.0, 30.0]]);
}

#[test]
fn walls_upon_walls() {
    let mut random = Random::new(48);
    let bodies: Vec<_> = (0..1000).map(|_| (random.point(-5.0, 105.0), [0.5, 0.5])).collect();
    let bodies = Columns::of(&bodies);
    let same = vec![[40.0, 40.0, 60.0, 60.0]; 300];
    let points = vec![[50.0, 50.0, 50.0, 50.0]; 300];
    let nested: Vec<_> = (0..300).map(|k| k as f32 / 6.0).map(|d| [d, d, 100.0 - d, 100.0 - d]).collect();
    let row: Vec<_> = (0..300).map(|k| k as f32 / 3.0).map(|x| [x, 50.0, x + 0.4, 50.0]).collect();
    let column: Vec<_> = row.iter().map(|b| [b[1], b[0], b[3], b[2]]).collect();
    let thin: Vec<_> = (0..300).map(|k| k as f32 / 3.0).map(|x| [x, -1e6, x, 1e6]).collect();
    let outlier = [&row[..], &[[1e30, 1e30, 1e31, 1e31], [-3e38, -3e38, -2e38, -2e38]]].concat();
    let whole: Vec<_> = (0..1024)
        .map(|k| [(k % 32) as f32 * 4.0, (k / 32) as f32 * 4.0])
        .map(|[x, y]| [x, y, x + 4.0, y + 4.0])
        .collect();
    let all = [&same[..], &points, &nested, &row, &column, &thin].concat();
    let one = vec![[50.0, 50.0, 50.5, 50.5]];
    for (label, walls) in [
        ("the same wall", same),
        ("the same point", points),
        ("nested walls", nested),
        ("a row", row),
        ("a column", column),
        ("thin and endless", thin),
        ("outliers", outlier),
        ("a tiled floor", whole),
        ("all of them", all),
        ("one", one),
    ] {
        let truth = check(label, &bodies, &walls);
        assert!(label == "one" || label == "the same point" || truth.static_row.len() > 20, "{label}");
    }
}

#[test]
fn exact_coincidence_of_bodies_and_walls() {
    let boxes: Vec<[f32; 4]> =
        (0..900).map(|k| [(k % 30) as f32, (k / 30) as f32]).map(|[x, y]| [x, y, x + 1.0, y + 1.0]).collect();
    let truth = check("a floor upon itself", &Columns::aabbs(boxes.clone()), &boxes);
    assert_eq!(truth.body.len(), 2 * 29 * 30 + 2 * 29 * 29);
    assert_eq!(truth.static_row.len(), 900 + 2 * truth.body.len());
}

#[test]
fn touching_partners_as_wide_as_a_cell_far_from_the_origin() {
    // Two clumps with a void between: cells as wide as a box, thousands of them, of which those of the far clump have
    // large numbers, where `(x - origin) / cell` is rounded most. Each box has a partner that begins where it ends.
    let mut random = Random::new(49);
    for apart in [30.0f32, 1000.0, 20_000.0, 32_000.0, 1e6] {
        for side in [1.0f32, 0.7, 1.0 / 3.0] {
            let mut boxes = Vec::new();
            for k in 0..3000u32 {
                let base = if k.is_multiple_of(8) { 0.0 } else { apart * side };
                let [x, y] = random.point(0.0, 28.0 * side).map(|v| v + base);
                boxes.push([x, y, x + side, y + side]);
                boxes.push(if k.is_multiple_of(2) {
                    [x + side, y, x + side + side, y + side]
                } else {
                    [x, y + side, x + side, y + side + side]
                });
            }
            check(&format!("clumps {apart} sides of {side} apart"), &Columns::aabbs(boxes), &[]);
        }
    }
}

#[test]
fn larger_bodies_touch_small_ones_across_every_border() {
    // Small ones exactly as large as the bound, on a fine lattice where sums are exact; each has one of the next class, or
    // an oversized one, that begins exactly where it ends, on one axis or the other.
    let mut random = Random::new(50);
    let mut rows = Vec::new();
    for k in 0..16_000 {
        let center = random.point(0.0, 150.0).map(|x| (x * 256.0).round() / 256.0);
        rows.push((center, [0.5, 0.5]));
        let half = if k % 16 == 0 { 5.0 } else { 0.75 };
        let mut partner = center;
        partner[random.index(2)] += 0.5 + half;
        rows.push((partner, [half, half]));
    }
    random.shuffle(&mut rows);
    check("larger ones beside small ones", &Columns::of(&rows), &boxes_of(rows[..500].iter().copied()));
}

#[test]
fn few_bodies_in_a_large_map() {
    // Many more walls than bodies: the map is cut until only the walls near bodies are looked at.
    let walls: Vec<[f32; 4]> = (0..20_000)
        .map(|k| [(k % 200) as f32 * 3.0, (k / 200) as f32 * 5.0])
        .map(|[x, y]| [x, y, x + 2.5, y + 0.5])
        .collect();
    let mut random = Random::new(55);
    for count in [1, 2, 9, 100, 2000, 6000] {
        let centers = (0..count).map(|_| [random.between(-5.0, 605.0), random.between(-5.0, 505.0)]).collect();
        let truth =
            check(&format!("{count} bodies among 20,000 walls"), &Columns::uniform(centers, [0.7, 0.4]), &walls);
        assert!(count < 100 || truth.static_row.len() > count / 4);
    }
}
