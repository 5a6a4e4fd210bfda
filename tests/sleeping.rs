//! Bodies that say that they sleep: the pairs are those of all bodies, whatever they say.

mod common;

use common::{Fleet, Found, Truth};
use triphase::{Bodies, WorldConfig};
use triphase_scenes::{Scene, SceneName};

/// The rows that did not move.
fn still(before: &Scene, now: &Scene) -> Vec<bool> {
    let row =
        |k: usize| before.centers.get(k) == now.centers.get(k) && before.half_extents.get(k) == now.half_extents.get(k);
    (0..now.centers.len()).map(row).collect()
}

#[test]
fn scenes_in_motion() {
    for name in [SceneName::Sleepers, SceneName::Churn, SceneName::Gravity, SceneName::Castles, SceneName::Dragons] {
        let mut scene = Scene::new(name, 3000, 5);
        let mut fleet = Fleet::new(WorldConfig::new());
        fleet.set_statics(&scene.statics).unwrap();
        let mut most = 0;
        for frame in 0..24 {
            let before = scene.clone();
            scene.advance();
            let asleep = still(&before, &scene);
            let bodies = Bodies::new(&scene.centers, &scene.half_extents).with_asleep(&asleep);
            let boxes = common::Columns::new(scene.centers.clone(), scene.half_extents.clone()).boxes();
            let truth = Truth::new(&boxes, &scene.statics, |_| true);
            let found = fleet.each(|world| Found::new(world.step(bodies).unwrap()));
            truth.compare(&found).unwrap_or_else(|what| panic!("{name}, frame {frame}: {what}"));
            most = most.max(fleet.world().report().asleep);
        }
        println!("{name}: {most}");
    }
}
