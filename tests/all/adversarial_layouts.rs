//! Layouts that are hard on broad phases: half-full SIMD lanes, one cell with all bodies, counts
//! around powers of two, sizes at the bound, stacked statics. A bug that was fixed becomes a test
//! here.

use triphase::WorldConfig;
use triphase_scenes::SplitMix64;
use triphase_tests::{
    Columns, ExpectedPairs, WorldSet, check_once, has_grids_for_orientations, pile_and_row, wide_among_tall, world,
};

/// Compares with brute force at all thread counts and SIMD levels, and with a few other settings.
fn check(label: &str, columns: &Columns, statics: &[[f32; 4]]) -> ExpectedPairs {
    let mut worlds = WorldSet::new(WorldConfig::new());
    worlds.set_statics(statics).unwrap();
    let expected_pairs = ExpectedPairs::new(&columns.boxes(), statics);
    let found = worlds.step(&[columns.bodies()], statics).unwrap_or_else(|what| panic!("{label}: {what}"));
    expected_pairs.compare(&found.unwrap()).unwrap_or_else(|what| panic!("{label}: {what}"));
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
fn runs_of_every_length_find_all_pairs() {
    // Groups far apart of 0, 1, 2 … bodies: in one spot, in a row, in a column, across a cell
    // border, so that a run of candidates ends in every SIMD lane.
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
    SplitMix64::new(41).shuffle(&mut rows);
    check("runs", &Columns::from_rows(&rows), &[[0.0, -1.0, 700.0, 1.0]]);
    for count in 0..70 {
        let group = Columns::uniform((0..count).map(|k| [k as f32 * 0.25, 3.0]).collect(), [0.5, 0.5]);
        let expected_pairs = check("one run", &group, &[]);
        assert_eq!(expected_pairs.bodies.len(), (0..count).map(|k| k.min(4)).sum::<usize>());
    }
}

#[test]
fn hit_in_any_lane_is_found_alone() {
    // One body on the left overlaps exactly one of those on the right, which overlap each other or
    // not.
    for place in 0..40 {
        for apart in [0.0f32, 0.3] {
            let mut boxes = vec![[0.0, 0.0, 1.0, 1.0]];
            for k in 0..40 {
                let y = 0.1 + apart * k as f32;
                boxes.push(if k == place { [1.0, 0.5, 1.2, 0.5] } else { [1.0f32.next_up(), y, 1.2, y] });
            }
            let expected_pairs = check(&format!("hit at {place}, {apart} apart"), &Columns::aabbs(boxes), &[]);
            assert_eq!(expected_pairs.bodies[0], (0, place as u32 + 1));
            assert!(expected_pairs.bodies.get(1).is_none_or(|pair| pair.0 > 0));
        }
    }
}

#[test]
fn body_counts_around_powers_of_two_find_all_pairs() {
    // Bodies overlap in twos, so there are half as many pairs.
    let couples: Vec<[f32; 2]> = (0..65_540).map(|k| [(k / 2 % 250) as f32 * 3.0, (k / 500) as f32 * 3.0]).collect();
    let mut worlds = WorldSet::new(WorldConfig::new());
    for power in [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 65_536] {
        for count in [power - 1, power, power + 1] {
            let columns = Columns::uniform(couples[..count].to_vec(), [0.5, 0.5]);
            let found = worlds.step(&[columns.bodies()], &[]).unwrap().unwrap();
            assert_eq!(found.bodies.len(), count / 2, "{count} bodies");
            ExpectedPairs::new(&columns.boxes(), &[]).compare(&found).unwrap();
        }
    }
}

#[test]
fn cell_with_all_bodies_finds_all_pairs() {
    // 70,000 points between two others that are far away: more than 16 bits can count, in one cell
    // of any uniform grid.
    for turned in [false, true] {
        let point = |k: usize| if turned { [0.5, k as f32 * 1e-6] } else { [k as f32 * 1e-6, 0.5] };
        let mut centers: Vec<_> = (0..70_000).map(point).collect();
        centers.extend([[1e7, 1e7], [-1e7, -1e7]]);
        let mut worlds = WorldSet::new(WorldConfig::new());
        let columns = Columns::uniform(centers, [0.0, 0.0]);
        let expected_pairs = ExpectedPairs::new(&columns.boxes(), &[]);
        expected_pairs.compare(&worlds.step(&[columns.bodies()], &[]).unwrap().unwrap()).unwrap();
    }
}

#[test]
fn nested_clusters_find_all_pairs() {
    // Each level is a hundredth as wide as the one before: no cell size suits two levels.
    let mut random = SplitMix64::new(42);
    let mut rows = Vec::new();
    for _ in 0..3000 {
        let level = random.below(5) as i32;
        let scale = 100f32.powi(-level);
        let [x, y] = random.point(0.0, 30.0 * scale);
        let half = random.point(0.2 * scale, 0.6 * scale);
        rows.push(([x + 7.0 * scale, y + 3.0 * scale], half));
    }
    check("clusters within clusters", &Columns::from_rows(&rows), &boxes_of(rows[..300].iter().copied()));
}

#[test]
fn wide_bodies_among_tall_ones_find_all_pairs() {
    let mut random = SplitMix64::new(49);
    let columns = wide_among_tall(10_000, &mut random);
    let mut world = world(WorldConfig::new());
    world.step(columns.bodies()).expect("valid bodies");
    assert!(has_grids_for_orientations(&world), "{}", world.report());
    let statics = boxes_of((0..300).map(|k| (random.point(0.0, 95.0), [0.1 * (k % 9) as f32, 0.05 * (k % 40) as f32])));
    check("wide among tall", &columns, &statics);
}

#[test]
fn sorted_rows_find_all_pairs() {
    let mut rows: Vec<_> = (0..4000).map(|k| ([(k % 64) as f32 * 0.9, (k / 64) as f32 * 0.9], [0.45, 0.45])).collect();
    check("ascending", &Columns::from_rows(&rows), &[]);
    rows.reverse();
    check("descending", &Columns::from_rows(&rows), &[]);
    rows.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    check("by column", &Columns::from_rows(&rows), &[]);
}

#[test]
fn sizes_at_the_bound_find_all_pairs() {
    let mut random = SplitMix64::new(43);
    let bound = 0.5f32;
    let sizes = [bound, bound.next_up(), bound.next_down(), 0.1, 0.1f32.next_up(), 2.0, 2.0f32.next_up()];
    let rows: Vec<_> =
        (0..3000).map(|_| (random.point(-30.0, 30.0), [random.pick(&sizes), random.pick(&sizes)])).collect();
    check("sizes at the bound", &Columns::from_rows(&rows), &boxes_of(rows[..100].iter().copied()));
}

#[test]
fn oversized_bodies_alone_find_all_pairs() {
    let mut random = SplitMix64::new(44);
    let rows: Vec<_> = (0..1500).map(|_| (random.point(0.0, 4000.0), random.point(1.0, 90.0))).collect();
    check("all oversized", &Columns::from_rows(&rows), &boxes_of(rows[..200].iter().copied()));
    // Each around all others; then each thin and as long as the world, in both directions.
    let nested: Vec<_> = (0..400).map(|k| ([0.0, 0.0], [1.0 + k as f32, 400.0 - k as f32])).collect();
    let expected_pairs = check("nested", &Columns::from_rows(&nested), &[[0.0, 0.0, 0.0, 0.0]]);
    assert_eq!((expected_pairs.bodies.len(), expected_pairs.statics.len()), (400 * 399 / 2, 400));
    let cross = |k: usize| {
        if k.is_multiple_of(2) { ([0.0, k as f32], [500.0, 0.1]) } else { ([k as f32 - 200.0, 200.0], [0.1, 500.0]) }
    };
    check("a grid of beams", &Columns::from_rows(&(0..400).map(cross).collect::<Vec<_>>()), &[]);
    // So many beside each other that each searches the double grid.
    let expected_pairs = check("a pile and a row", &pile_and_row(14_000, &mut random), &[[0.0, 0.0, 9.0, 99.0]]);
    assert!(expected_pairs.bodies.len() > 5000, "{} pairs", expected_pairs.bodies.len());
}

#[test]
fn body_around_all_others_overlaps_each() {
    let mut random = SplitMix64::new(45);
    let mut rows: Vec<_> = (0..3000).map(|_| (random.point(-50.0, 50.0), [0.4, 0.4])).collect();
    rows[1234] = ([0.0, 0.0], [1000.0, 1000.0]);
    let expected_pairs = check("one around everything", &Columns::from_rows(&rows), &[[-50.0, -50.0, 50.0, 50.0]; 3]);
    assert!(expected_pairs.bodies.iter().filter(|pair| pair.0 == 1234 || pair.1 == 1234).count() == 2999);
    // That one and a few more like it alone.
    rows.truncate(1);
    rows.extend([([0.0, 0.0], [1000.0, 1000.0]), ([1001.0, 0.0], [1.0, 1.0]), ([0.0, 1500.0], [9.0, 500.0])]);
    assert_eq!(check("four", &Columns::from_rows(&rows), &[]).bodies, [(0, 1), (1, 2), (1, 3)]);
}

#[test]
fn long_thin_bodies_find_all_pairs() {
    let mut random = SplitMix64::new(46);
    for (wide, high) in [(40.0, 0.001), (0.001, 40.0), (5.0, 0.0), (0.0, 5.0)] {
        let rows: Vec<_> =
            (0..1500).map(|_| (random.point(0.0, 100.0), [random.range(0.0, wide), random.range(0.0, high)])).collect();
        check(&format!("{wide} by {high}"), &Columns::from_rows(&rows), &boxes_of(rows[..300].iter().copied()));
    }
}

#[test]
fn displaced_small_bodies_find_all_pairs() {
    // A few move far. Filed by their position alone, they would be missed along the way.
    let mut random = SplitMix64::new(47);
    let centers: Vec<_> = (0..3000).map(|_| random.point(0.0, 60.0)).collect();
    let fly =
        |k: usize, random: &mut SplitMix64| if k.is_multiple_of(100) { random.point(-60.0, 60.0) } else { [0.0, 0.0] };
    let displacements = (0..3000).map(|k| fly(k, &mut random)).collect();
    let columns = Columns::uniform(centers, [0.3, 0.3]).with_displacements(displacements);
    check("a few fly", &columns, &[[30.0, 0.0, 31.0, 60.0], [-200.0, 30.0, 200.0, 30.0]]);
}

#[test]
fn stacked_statics_are_found_once() {
    let mut random = SplitMix64::new(48);
    let bodies: Vec<_> = (0..1000).map(|_| (random.point(-5.0, 105.0), [0.5, 0.5])).collect();
    let bodies = Columns::from_rows(&bodies);
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
        let expected_pairs = check(label, &bodies, &walls);
        assert!(label == "one" || label == "the same point" || expected_pairs.statics.len() > 20, "{label}");
    }
}

#[test]
fn coincident_bodies_and_statics_find_all_pairs() {
    let boxes: Vec<[f32; 4]> =
        (0..900).map(|k| [(k % 30) as f32, (k / 30) as f32]).map(|[x, y]| [x, y, x + 1.0, y + 1.0]).collect();
    let expected_pairs = check("a floor upon itself", &Columns::aabbs(boxes.clone()), &boxes);
    assert_eq!(expected_pairs.bodies.len(), 2 * 29 * 30 + 2 * 29 * 29);
    assert_eq!(expected_pairs.statics.len(), 900 + 2 * expected_pairs.bodies.len());
}

#[test]
fn touching_boxes_far_from_the_origin_are_pairs() {
    // Two clusters with empty space between. Cells are as wide as a box, and those of the far
    // cluster have large numbers, where `(x - origin) / cell` rounds most. Each box has a partner
    // that begins where it ends.
    let mut random = SplitMix64::new(49);
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
fn touching_boxes_of_different_classes_are_pairs() {
    // Small bodies are exactly as large as the bound, on a fine lattice where sums are exact. Each
    // has a partner of the next class, or an oversized one, that begins exactly where it ends on
    // one of the axes.
    let mut random = SplitMix64::new(50);
    let mut rows = Vec::new();
    for k in 0..16_000 {
        let center = random.point(0.0, 150.0).map(|x| (x * 256.0).round() / 256.0);
        rows.push((center, [0.5, 0.5]));
        let half = if k % 16 == 0 { 5.0 } else { 0.75 };
        let mut partner = center;
        partner[random.below(2)] += 0.5 + half;
        rows.push((partner, [half, half]));
    }
    random.shuffle(&mut rows);
    check("larger ones beside small ones", &Columns::from_rows(&rows), &boxes_of(rows[..500].iter().copied()));
}

#[test]
fn few_bodies_among_many_statics_find_all_pairs() {
    // Many more statics than bodies: only those near bodies should be visited.
    let walls: Vec<[f32; 4]> = (0..20_000)
        .map(|k| [(k % 200) as f32 * 3.0, (k / 200) as f32 * 5.0])
        .map(|[x, y]| [x, y, x + 2.5, y + 0.5])
        .collect();
    let mut random = SplitMix64::new(55);
    for count in [1, 2, 9, 100, 2000, 6000] {
        let centers = (0..count).map(|_| [random.range(-5.0, 605.0), random.range(-5.0, 505.0)]).collect();
        let expected_pairs =
            check(&format!("{count} bodies among 20,000 walls"), &Columns::uniform(centers, [0.7, 0.4]), &walls);
        assert!(count < 100 || expected_pairs.statics.len() > count / 4);
    }
}

#[test]
fn bodies_in_strips_that_are_divided_across() {
    // So many at one height that their strip is divided, and boxes of several sizes around them
    // that reach into it from both sides and over the borders across.
    let mut random = SplitMix64::new(43);
    let mut rows: Vec<([f32; 2], [f32; 2])> = (0..30_000)
        .map(|k| match k % 4 {
            0 | 1 => ([random.range(0.0, 12_000.0), 0.0], [0.5, 0.5]),
            2 => ([6000.0, random.range(-6000.0, 6000.0)], [0.5, 0.5]),
            _ => {
                let half = [[0.5, 0.5], [30.0, 0.5], [0.5, 4.0], [3.0, 3.0]][k / 4 % 4];
                ([random.range(0.0, 12_000.0), random.range(-5.0, 5.0)], half)
            }
        })
        .collect();
    check("divided strips", &Columns::from_rows(&rows), &[[100.0, -1.0, 900.0, 1.0]]);
    rows.iter_mut().for_each(|(center, half)| (*center, *half) = ([center[1], center[0]], [half[1], half[0]]));
    check("divided strips upright", &Columns::from_rows(&rows), &[]);
}
