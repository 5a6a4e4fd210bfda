//! Properties of layouts, and their pairs compared with brute force.

use crate::check::check;
use crate::columns::Columns;
use crate::layout::{Layout, Place};
use crate::measure::{Cost, Phase};
use crate::random_layout::{mutated, random_layout};
use crate::read_layouts;
use crate::search::{Found, Search};
use serde_json::json;
use triphase_scenes::SplitMix64;

/// Random layouts, and layouts that were changed some times.
fn layouts(count: usize, bodies: usize) -> Vec<Layout> {
    let mut random = SplitMix64::new(11);
    let mut layouts = Vec::new();
    while layouts.len() < count {
        let mut layout = random_layout(bodies, &mut random);
        layouts.push(layout.clone());
        for _ in 0..3 {
            for _ in 0..4 {
                layout = mutated(&layout, &mut random);
            }
            layouts.push(layout.clone());
        }
    }
    layouts
}

#[test]
fn layouts_are_valid() {
    for layout in layouts(2000, 400) {
        assert_eq!(layout.validate(), Ok(()), "{}", json!(layout));
        let mut shrunk = layout.clone();
        shrunk.shrink();
        assert_eq!(shrunk.validate(), Ok(()), "{}", json!(layout));
    }
}

#[test]
fn layout_out_of_range_is_rejected() {
    let layout = layouts(1, 400).remove(0);
    for (name, wrong) in [
        ("bodies", Layout { bodies: 0, ..layout.clone() }),
        ("aspect", Layout { aspect: 41.0, ..layout.clone() }),
        ("speed", Layout { speed: f64::NAN, ..layout.clone() }),
        ("0 groups of bodies", Layout { groups: Vec::new(), ..layout.clone() }),
        ("0 groups of statics", Layout { statics: 0.5, static_groups: Vec::new(), ..layout.clone() }),
    ] {
        let error = wrong.validate().unwrap_err();
        assert!(error.starts_with(name), "{error}");
    }
}

#[test]
fn layouts_round_trip_through_json() {
    let layouts = layouts(300, 400);
    for layout in &layouts {
        assert_eq!(read_layouts(&json!(layout).to_string()).unwrap(), std::slice::from_ref(layout));
    }
    let mut lines: Vec<_> = layouts.iter().map(|layout| json!({ "factor": 1.0, "layout": layout })).collect();
    lines.push(json!({ "tries": 300, "best": lines[0] }));
    let text: Vec<_> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(read_layouts(&text.join("\n")).unwrap(), layouts);
    assert!(read_layouts("{\"seed\": 1}").is_err());
}

#[test]
fn columns_are_a_function_of_the_layout() {
    for layout in layouts(100, 400) {
        let [mut first, mut second] = [Columns::new(&layout), Columns::new(&layout)];
        assert_eq!(first, second);
        first.advance();
        second.advance();
        assert_eq!(first, second);
    }
    let layout = layouts(1, 400).remove(0);
    let other = Layout { seed: layout.seed + 1, ..layout.clone() };
    assert_ne!(Columns::new(&layout), Columns::new(&other));
}

#[test]
fn boxes_are_finite_and_valid() {
    for layout in layouts(1000, 400) {
        let mut columns = Columns::new(&layout);
        assert_eq!((columns.centers.len(), columns.half_extents.len()), (400, 400));
        assert_eq!(columns.statics.len(), layout.static_count());
        for _ in 0..3 {
            columns.advance();
            for [min_x, min_y, max_x, max_y] in columns.boxes().into_iter().chain(columns.statics.iter().copied()) {
                let is_finite = [min_x, min_y, max_x, max_y].iter().all(|edge| edge.is_finite());
                assert!(is_finite && min_x <= max_x && min_y <= max_y, "{}", json!(layout));
            }
        }
    }
}

#[test]
fn bodies_move_and_return() {
    let layout = Layout { speed: 0.1, offset: -20.0, ..layouts(1, 400).remove(0) };
    let mut columns = Columns::new(&layout);
    let begin = columns.centers.clone();
    columns.advance();
    assert_ne!(columns.centers, begin);
    (0..15).for_each(|_| columns.advance());
    assert_eq!(columns.centers, begin);
}

#[test]
fn pairs_equal_those_of_brute_force() {
    let layouts = layouts(120, 400);
    let nested = |layout: &&Layout| layout.groups.iter().any(|group| matches!(group.place, Place::Nested { .. }));
    assert!(layouts.iter().any(|layout| nested(&layout)) && layouts.iter().any(|layout| layout.static_count() > 0));
    for layout in layouts {
        check(&layout, 400).unwrap_or_else(|difference| panic!("{difference}\n{}", json!(layout)));
    }
}

#[test]
fn pairs_have_their_price() {
    assert_eq!(cost("sort", 46.0, 2.0).factor(), 2.0);
    assert_eq!(cost("sort", 5.0, 2.0).factor(), 0.0);
    let least = cost("sort", 46.0, 2.0).least(&Cost { crowd_ns: 13.0, ..cost("sort", 50.0, 2.0) });
    assert_eq!(least.factor(), 4.0);
}

#[test]
fn slowest_layouts_of_each_phase_are_kept() {
    let mut search = Search::new(400, 1);
    for ns in 1..=8 {
        let layout = search.next();
        search.add(Found { cost: cost("sort", 20.0 * f64::from(ns), 0.0), layout });
    }
    assert!(!search.is_promising(&cost("sort", 99.0, 0.0)));
    assert!(search.is_promising(&cost("sort", 101.0, 0.0)) && search.is_promising(&cost("plan", 1.0, 0.0)));
    let layout = search.next();
    search.add(Found { cost: cost("plan", 170.0, 0.0), layout });
    let best: Vec<_> = search.best().iter().map(|found| (found.cost.slowest_phase(), found.cost.ns)).collect();
    assert_eq!(best, [("plan", 170.0), ("sort", 160.0)]);
}

/// A cost of this slowest phase, where `crowd` takes 20 ns and 3 more for its pair.
fn cost(phase: &'static str, ns: f64, pairs: f64) -> Cost {
    let mut phases = [Phase { name: "layout", ns: 0.0 }; 9];
    phases[0] = Phase { name: phase, ns };
    Cost { ns, crowd_ns: 23.0, pairs, crowd_pairs: 1.0, statics: 0, phases }
}
