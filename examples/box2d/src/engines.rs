//! What finds pairs: triphase, Box2D's tree and a uniform grid, each in one way per question.

#[path = "../../../benches/peers/src/engines/afternoon_grid.rs"]
pub mod afternoon_grid;
#[path = "../../../benches/peers/src/engines/box2d.rs"]
pub mod box2d_tree;

pub mod box2d;
pub mod triphase;

use crate::engine::{Engine, Found};
use crate::recording::{Recording, Step};
use afternoon_grid::AfternoonGrid;

/// Which pairs are to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// All pairs of the step; engines are not told what changed.
    All,
    /// The pairs with a box that changed; engines are told the rows.
    Changed,
}

/// An engine that steps through a recording.
pub trait Replay {
    /// The heading of its column.
    fn name(&self) -> &'static str;

    /// Finds the pairs of a step, and leaves them in memory. This is what is timed.
    fn step(&mut self, step: Step<'_>, found: &mut Found);

    /// Copies the pairs of the last step to `found`, if they are elsewhere. Not timed.
    fn collect(&mut self, found: &mut Found) {
        let _ = found;
    }
}

/// The engines that answer a question, triphase first.
///
/// # Errors
///
/// Those of triphase.
pub fn engines(question: Question, recording: &Recording) -> Result<Vec<Box<dyn Replay>>, ::triphase::Error> {
    let mut engines: Vec<Box<dyn Replay>> = Vec::new();
    match question {
        Question::All => {
            engines.push(Box::new(triphase::Full::new(recording)?));
            if recording.has_sleepers() {
                engines.push(Box::new(triphase::Sleepers::new(recording)?));
            }
            let mut grid = AfternoonGrid::default();
            grid.set_statics(&recording.statics);
            engines.push(Box::new(grid));
        }
        Question::Changed => engines.push(Box::new(triphase::Told::new(recording)?)),
    }
    engines.push(Box::new(box2d::Box2d::new(question, recording)));
    Ok(engines)
}

impl Replay for AfternoonGrid {
    fn name(&self) -> &'static str {
        "grid"
    }

    fn step(&mut self, step: Step<'_>, found: &mut Found) {
        self.step_boxes(step.boxes.iter().copied(), found);
    }
}
