//! triphase as a user has it: a world that was stepped, or a tree of statics alone.
//!
//! Areas only as yet; the other questions follow.

use crate::boxes::Box4;
use crate::queries::engine::{Engine, Way};
use crate::queries::lists::{List, Questions};
use crate::queries::subject::Subject;
use triphase::tier::static_tree::StaticTree;
use triphase::{Aabb, Bodies, Hit, World, WorldConfig};

/// The subject as it is: what never moves in a tree alone, all else in a world.
pub(super) fn make(subject: &Subject) -> Box<dyn Engine> {
    if !subject.fixed {
        return make_as_bodies(subject);
    }
    let tree = StaticTree::new(subject.boxes.as_slice()).expect("boxes of a subject are good");
    Box::new(Tree { tree, rows: Vec::new() })
}

/// The subject in a world, as bodies even if it never moves.
pub(super) fn make_as_bodies(subject: &Subject) -> Box<dyn Engine> {
    let config = subject.cell_size.map_or(WorldConfig::new(), |side| WorldConfig::new().cell_size(side));
    let mut world = World::new(config).expect("a good size of cells");
    world.set_statics(&subject.statics).expect("statics of a subject are good");
    world.step(Bodies::new(&subject.centers, &subject.half_extents)).expect("bodies of a subject are good");
    let (name, bodies) = (if subject.fixed { "triphase_bodies" } else { "triphase" }, subject.centers.len() as u32);
    Box::new(Stepped { name, world, bodies, rows: Vec::new() })
}

struct Stepped {
    name: &'static str,
    world: World,
    /// How many, which is the number of the first static.
    bodies: u32,
    rows: Vec<Hit>,
}

impl Engine for Stepped {
    fn name(&self) -> &'static str {
        self.name
    }

    fn way(&self, list: &List) -> Way {
        if matches!(list.questions, Questions::Boxes(_)) { Way::Own } else { Way::Not }
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn boxes(&mut self, area: &Box4) -> usize {
        self.rows.clear();
        self.rows.extend(self.world.query_aabb(checked(area)));
        self.rows.len()
    }

    fn rows(&self) -> Vec<u32> {
        let number = |&hit: &Hit| match hit {
            Hit::Body { row, .. } => row,
            Hit::Fixed { row, .. } => self.bodies + row,
        };
        self.rows.iter().map(number).collect()
    }
}

struct Tree {
    tree: StaticTree,
    rows: Vec<u32>,
}

impl Engine for Tree {
    fn name(&self) -> &'static str {
        "triphase"
    }

    fn way(&self, list: &List) -> Way {
        if matches!(list.questions, Questions::Boxes(_)) { Way::Own } else { Way::Not }
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn boxes(&mut self, area: &Box4) -> usize {
        self.rows.clear();
        self.rows.extend(self.tree.query_aabb(checked(area)));
        self.rows.len()
    }

    fn rows(&self) -> Vec<u32> {
        self.rows.clone()
    }
}

fn checked(&[min_x, min_y, max_x, max_y]: &Box4) -> Aabb {
    Aabb::new([min_x, min_y], [max_x, max_y]).expect("areas are good boxes")
}
