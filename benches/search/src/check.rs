//! Compares the pairs of a layout with those of brute force.

use crate::columns::Columns;
use crate::layout::Layout;
use triphase::{Error, World, WorldConfig, reference};

/// Frames to compare.
const FRAMES: usize = 2;
/// Most pairs per body: layouts with more are not compared.
const PAIRS_MAX: usize = 1000;

/// Steps a layout with at most `bodies_max` bodies, and compares its pairs with the reference.
pub(crate) fn check(layout: &Layout, bodies_max: usize) -> Result<(), String> {
    let layout = Layout { bodies: layout.bodies.min(bodies_max), ..layout.clone() };
    let mut columns = Columns::new(&layout);
    let config = WorldConfig::new().with_pair_limit(PAIRS_MAX * layout.bodies).with_parallel_threshold(1);
    let mut world = World::new(config).map_err(|error| error.to_string())?;
    world.set_statics(&columns.statics).map_err(|error| error.to_string())?;
    for _ in 0..FRAMES {
        columns.advance();
        let contacts = match world.step(columns.bodies()) {
            Ok(contacts) => contacts,
            Err(Error::TooManyPairs { .. }) => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let mut of_bodies: Vec<_> = contacts.body_pairs().map(|pair| (pair.a, pair.b)).collect();
        let mut of_statics: Vec<_> = contacts.static_pairs().map(|pair| (pair.body, pair.static_row)).collect();
        of_bodies.sort_unstable();
        of_statics.sort_unstable();
        let boxes = columns.boxes();
        compare("pairs of bodies", &of_bodies, &reference::self_pairs(&boxes))?;
        compare("pairs with statics", &of_statics, &reference::cross_pairs(&boxes, &columns.statics))?;
    }
    Ok(())
}

/// Both lists are ascending.
fn compare(what: &str, found: &[(u32, u32)], expected: &[(u32, u32)]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let differ = found.iter().zip(expected).position(|(found, expected)| found != expected);
    let at = differ.unwrap_or(found.len().min(expected.len()));
    let (first, second) = (found.get(at), expected.get(at));
    Err(format!("{what}: {} found, {} expected; first {first:?} instead of {second:?}", found.len(), expected.len()))
}
