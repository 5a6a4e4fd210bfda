//! The boxes of all steps of a scene, recorded once, and what changed from one step to the next.

use crate::boxes::Box4;
use crate::scenes::Scene;
use boxdd::Result;

/// The boxes of a scene, step by step. Rows are the moving shapes.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Boxes of the shapes on static bodies.
    pub statics: Vec<Box4>,
    /// Margin of the leaf of each row in Box2D's tree; 0 if the boxes are those leaves.
    pub margins: Vec<f32>,
    boxes: Vec<Box4>,
    asleep: Vec<bool>,
    /// Changed rows of all steps; those of step `k` begin at `changed_starts[k]`.
    changed: Vec<u32>,
    changed_starts: Vec<usize>,
}

/// One step of a recording.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// The boxes by row.
    pub boxes: &'a [Box4],
    /// Whether the body of each row sleeps.
    pub asleep: &'a [bool],
    /// The rows whose boxes are not those of the step before; in the first step, all.
    pub changed: &'a [u32],
}

impl Recording {
    /// Simulates a scene for at most so many steps.
    ///
    /// # Errors
    ///
    /// Those of Box2D.
    pub fn of_scene(scene: Scene, step_count_max: usize) -> Result<Self> {
        let mut simulation = scene.build()?;
        let (mut boxes, mut asleep) = (Vec::new(), Vec::new());
        for _ in 0..scene.step_count.min(step_count_max) {
            simulation.step()?;
            simulation.append_boxes(&mut boxes, &mut asleep)?;
        }
        let margins = simulation.margins().to_vec();
        Ok(Self::new(simulation.static_boxes()?, margins, boxes, asleep))
    }

    /// A recording of these boxes, as many in each step as there are margins.
    pub fn new(statics: Vec<Box4>, margins: Vec<f32>, boxes: Vec<Box4>, asleep: Vec<bool>) -> Self {
        assert_eq!(boxes.len(), asleep.len(), "each box has a flag");
        let mut recording = Self { statics, margins, boxes, asleep, changed: Vec::new(), changed_starts: vec![0] };
        recording.list_changes();
        recording
    }

    fn list_changes(&mut self) {
        let row_count = self.margins.len();
        assert!(row_count > 0 && self.boxes.len().is_multiple_of(row_count), "each step has all rows");
        for (step, boxes) in self.boxes.chunks_exact(row_count).enumerate() {
            let before = step.checked_sub(1).map(|step| &self.boxes[step * row_count..][..row_count]);
            let is_changed = |row: usize| before.is_none_or(|before| before[row] != boxes[row]);
            self.changed.extend((0..row_count).filter(|&row| is_changed(row)).map(|row| row as u32));
            self.changed_starts.push(self.changed.len());
        }
    }

    /// The same steps with the leaves of Box2D's tree instead of the boxes: a leaf is its box with
    /// the margin, and changes when the box has left it.
    pub fn leaves(&self) -> Self {
        let row_count = self.margins.len();
        let mut leaves: Vec<Box4> = Vec::with_capacity(self.boxes.len());
        for (k, aabb) in self.boxes.iter().enumerate() {
            let before = k.checked_sub(row_count).map(|before| leaves[before]);
            let leaf = before.filter(|leaf| contains(leaf, aabb));
            leaves.push(leaf.unwrap_or_else(|| grown(aabb, self.margins[k % row_count])));
        }
        Self::new(self.statics.clone(), vec![0.0; row_count], leaves, self.asleep.clone())
    }

    /// Number of moving shapes.
    pub fn row_count(&self) -> usize {
        self.margins.len()
    }

    /// Number of steps.
    pub fn step_count(&self) -> usize {
        self.changed_starts.len() - 1
    }

    /// A step by its number.
    pub fn step(&self, number: usize) -> Step<'_> {
        let rows = number * self.row_count()..(number + 1) * self.row_count();
        let changed = self.changed_starts[number]..self.changed_starts[number + 1];
        Step { boxes: &self.boxes[rows.clone()], asleep: &self.asleep[rows], changed: &self.changed[changed] }
    }

    /// Whether any body sleeps in any step.
    pub fn has_sleepers(&self) -> bool {
        self.asleep.contains(&true)
    }
}

/// Whether one box is in another; Box2D keeps a leaf as long as it is.
pub fn contains(outer: &Box4, inner: &Box4) -> bool {
    outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]
}

/// The box with a margin on each side.
pub fn grown(&[min_x, min_y, max_x, max_y]: &Box4, margin: f32) -> Box4 {
    [min_x - margin, min_y - margin, max_x + margin, max_y + margin]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box at `x` with a side of 1.
    fn at(x: f32) -> Box4 {
        [x, 0.0, x + 1.0, 1.0]
    }

    #[test]
    fn a_step_lists_the_rows_whose_boxes_changed() {
        let boxes = vec![at(0.0), at(5.0), at(0.25), at(5.0), at(0.25), at(5.0)];
        let recording = Recording::new(Vec::new(), vec![0.5; 2], boxes, vec![false; 6]);
        assert_eq!(recording.step_count(), 3);
        assert_eq!(recording.step(0).changed, [0, 1], "all rows are new");
        assert_eq!(recording.step(1).changed, [0]);
        assert_eq!(recording.step(1).boxes, [at(0.25), at(5.0)]);
        assert!(recording.step(2).changed.is_empty());
    }

    #[test]
    fn a_leaf_changes_when_its_box_has_left_it() {
        let boxes = vec![at(0.0), at(0.5), at(0.75)];
        let leaves = Recording::new(Vec::new(), vec![0.5], boxes, vec![false; 3]).leaves();
        assert_eq!(leaves.step(0).boxes, [[-0.5, -0.5, 1.5, 1.5]]);
        assert!(leaves.step(1).changed.is_empty(), "the box touches the side of its leaf");
        assert_eq!((leaves.step(2).changed, leaves.step(2).boxes[0]), (&[0u32][..], [0.25, -0.5, 2.25, 1.5]));
    }
}
