//! A recording that is played in the place of a scene.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use triphase::World;
use triphase::record::{RecordedCall, RecordedOutcome, Recording};

/// The calls of a recording that were not made yet.
pub(crate) struct Playback {
    recording: Recording<File>,
    /// What was made last, or why there is no more.
    state: String,
    is_over: bool,
    /// A box that covers what the first step had.
    extent: [f32; 4],
}

impl Playback {
    /// Opens a recording, and returns its world after the first step.
    ///
    /// # Errors
    ///
    /// If the file is no recording; the error names the file.
    pub(crate) fn open(path: &Path) -> Result<(Self, World), Box<dyn Error>> {
        let named = |error: &dyn Error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| named(&error))?;
        let recording = Recording::new(file).map_err(|error| named(&error))?;
        let mut world = recording.world(recording.config().clone()).map_err(|error| named(&error))?;
        let mut playback = Self { recording, state: String::new(), is_over: false, extent: [0.0; 4] };
        playback.advance(&mut world);
        playback.extent = extent(&world);
        Ok((playback, world))
    }

    /// Makes the calls up to the next step.
    pub(crate) fn advance(&mut self, world: &mut World) {
        if self.is_over {
            return;
        }
        self.state = loop {
            let entry = match self.recording.next() {
                Some(Ok(entry)) => entry,
                end => {
                    self.is_over = true;
                    break match end {
                        Some(Err(error)) => format!("the recording ends early: {error}"),
                        _ if self.recording.is_complete() => "the end of the recording".to_owned(),
                        _ => "the recording ends early, between two calls".to_owned(),
                    };
                }
            };
            if entry.outcome == Some(RecordedOutcome::Panicked) {
                continue;
            }
            let outcome = entry.call.replay(world);
            if let RecordedCall::Step(_) | RecordedCall::StepChanged(..) = entry.call {
                break match outcome {
                    RecordedOutcome::Failed { .. } => format!("recorded: a step after {} failed", world.step_number()),
                    _ => format!("recorded: step {}", world.step_number()),
                };
            }
        };
    }

    /// What was made last, or why there is no more.
    pub(crate) fn state(&self) -> &str {
        &self.state
    }

    /// Whether all calls were made that can be read.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// A box that covers what the first step had.
    pub(crate) fn extent(&self) -> [f32; 4] {
        self.extent
    }
}

fn extent(world: &World) -> [f32; 4] {
    let bodies = (0..world.contacts().body_count()).filter_map(|row| world.aabb(row as u32));
    let statics = world.statics().bounds().map(|aabb| aabb.to_array());
    let union = |a: [f32; 4], b: [f32; 4]| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])];
    bodies.chain(statics).reduce(union).unwrap_or([0.0, 0.0, 1.0, 1.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use triphase::Bodies;

    #[test]
    fn recorded_steps_are_made_again() -> Result<(), Box<dyn Error>> {
        let path = std::env::temp_dir().join(format!("triphase-live-{}.triphase", std::process::id()));
        let mut recorded = World::default();
        recorded.set_statics(&[[-1.0f32, -1.0, 9.0, 0.0]])?;
        recorded.record_to(File::create(&path)?)?;
        for x in [0.0f32, 0.5, 9.0] {
            recorded.step(Bodies::uniform(&[[0.0f32, 0.5], [x, 0.5]], [0.5, 0.5]))?;
        }
        recorded.stop_recording()?;

        let (mut playback, mut world) = Playback::open(&path)?;
        assert_eq!((playback.extent(), playback.state()), ([-1.0, -1.0, 9.0, 1.0], "recorded: step 1"));
        let counts = [2, 3].map(|step| {
            playback.advance(&mut world);
            assert_eq!(playback.state(), format!("recorded: step {step}"));
            world.contacts().body_pairs().len()
        });
        assert_eq!(counts, [1, 0]);
        playback.advance(&mut world);
        assert_eq!(playback.state(), "the end of the recording");

        std::fs::write(&path, "not a recording")?;
        let error = Playback::open(&path).err().map(|error| error.to_string()).unwrap_or_default();
        std::fs::remove_file(&path)?;
        assert!(error.contains("triphase-live"), "{error}");
        Ok(())
    }
}
