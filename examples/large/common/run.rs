//! Steps a world frame by frame, measures the steps, verifies some of them and shows the progress.

use super::check::{self, Box4};
use super::figures::Figures;
use super::options::{Options, print_line};
use super::{Failure, allocations};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Instant;
use triphase::{Bodies, Contacts, World};

/// About this many frames of a run are verified, the first and the last among them.
const CHECKED_FRAMES: usize = 12;

/// Frames for which figures reserve memory.
const FRAMES_RESERVED: usize = 1 << 16;

/// A world and the figures of its steps.
pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) figures: Figures,
    /// Scene and seed, or the file: begins each failure.
    name: String,
    statics: Vec<Box4>,
    frames: usize,
    check: bool,
    bar: ProgressBar,
}

impl Run {
    pub(crate) fn new(name: String, statics: &[Box4], frames: usize, options: &Options) -> Result<Self, Failure> {
        let mut world = World::default();
        world.set_statics(statics)?;
        let figures = Figures::with_capacity(frames.min(FRAMES_RESERVED));
        // Hidden if standard error is not a terminal.
        let bar = ProgressBar::new(frames as u64);
        bar.set_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} frames, {eta} left")?);
        Ok(Self { world, figures, name, statics: statics.to_vec(), frames, check: options.check, bar })
    }

    /// Steps one frame. `box_of` computes the box of a row, to verify the frame.
    pub(crate) fn step(&mut self, bodies: Bodies<'_>, box_of: impl Fn(usize) -> Box4) -> Result<Contacts<'_>, Failure> {
        let frame = self.figures.frames();
        let allocations_before = allocations::count();
        let begin = Instant::now();
        self.world.step(bodies).map_err(|error| format!("{}, frame {frame}: {error}", self.name))?;
        let time = begin.elapsed();
        let allocations = allocations::count() - allocations_before;
        let contacts = self.world.contacts();
        self.figures.add(contacts, &self.world.report(), self.statics.len(), time, allocations);
        if self.is_checked(frame) {
            let boxes: Vec<Box4> = (0..bodies.len()).map(box_of).collect();
            let compared = check::compare(contacts, &boxes, &self.statics);
            compared.map_err(|mismatch| format!("{}, frame {frame}: {mismatch}", self.name))?;
            self.figures.checked_frames += 1;
        }
        self.bar.inc(1);
        Ok(contacts)
    }

    fn is_checked(&self, frame: usize) -> bool {
        let every = self.frames.div_ceil(CHECKED_FRAMES);
        self.check && (frame.is_multiple_of(every) || frame + 1 == self.frames)
    }

    /// Prints the summary for people.
    pub(crate) fn finish(&self, options: &Options) {
        self.bar.finish_and_clear();
        let (last, all) = (self.world.report(), self.figures.summary());
        options.say(&format!("{}\n\nlast frame\n{last}\n\n{all}", self.name));
    }

    /// Prints the line of JSON, if requested. It must be the last output.
    pub(crate) fn print_json(&self, example: &str, scene: &str, options: &Options) {
        if options.json {
            print_line(&self.figures.json(example, scene));
        }
    }
}
