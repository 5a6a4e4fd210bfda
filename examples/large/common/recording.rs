//! Recordings of people: text with a row for each person and frame, `id frame x y z`, in
//! centimeters.
//!
//! This is the format of the Pedestrian Dynamics Data Archive of Forschungszentrum Juelich. Rows
//! may come in any order; empty lines and lines that begin with `#` are skipped; z, the height of
//! the head, is not used.
//!
//! RECORDING-1: a person is present from the first to the last frame of its id, once in each. For a
//! missing frame, the last position is repeated.
//!
//! Frames are numbered from the first one of the file, and the people of a frame are in ascending
//! order of ids.

use super::{Failure, read_text};
use std::path::Path;

/// Most successive frames for which a person may be missing.
const GAP_MAX: u32 = 1000;
const CENTIMETERS_PER_METER: f64 = 100.0;

/// A person in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// The number of the person, from 0 in the order of ids.
    pub(crate) person: u32,
    /// Meters: centimeters over 100, in f64.
    pub(crate) at: [f64; 2],
}

/// A recording, frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    pub(crate) people: usize,
    /// `[min_x, min_y, max_x, max_y]` of all positions in meters.
    pub(crate) extent: [f64; 4],
    frames: Vec<Vec<Seen>>,
    /// The number of positions repeated for missing frames.
    pub(crate) repeated: usize,
}

/// A row of the file, and its line.
#[derive(Clone, Copy, Debug)]
struct Row {
    id: u32,
    frame: u32,
    at: [f64; 2],
    line: usize,
}

impl Recording {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        Self::parse(&read_text(path)?).map_err(|(line, reason)| format!("{}:{line}: {reason}", path.display()).into())
    }

    /// The number of frames.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The people in a frame.
    pub(crate) fn frame(&self, frame: usize) -> &[Seen] {
        &self.frames[frame]
    }

    /// As [`read`](Self::read). An error is the number of the line, from 1, and the reason.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut rows = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if !line.trim().is_empty() && !line.starts_with('#') {
                rows.push(parse_row(number, line).map_err(|reason| (number, reason))?);
            }
        }
        rows.sort_by_key(|row| (row.id, row.frame));
        let (Some(first), Some(last)) = (rows.iter().map(|r| r.frame).min(), rows.iter().map(|r| r.frame).max()) else {
            return Err((1, "expected rows of \"id frame x y z\", found none".to_owned()));
        };
        if let Some(gap) = empty_stretch(&rows) {
            return Err(gap);
        }
        let mut recording = Self {
            people: 0,
            extent: [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY],
            frames: vec![Vec::new(); (last - first) as usize + 1],
            repeated: 0,
        };
        for person in rows.chunk_by(|a, b| a.id == b.id) {
            recording.add(person, first)?;
        }
        Ok(recording)
    }

    /// Adds one person: all rows of an id in ascending order of frames (RECORDING-1).
    fn add(&mut self, rows: &[Row], first: u32) -> Result<(), (usize, String)> {
        let person = self.people as u32;
        for pair in rows.windows(2) {
            let [before, after] = [pair[0], pair[1]];
            let (id, frame, step) = (after.id, after.frame, after.frame - before.frame);
            if step == 0 {
                let line = before.line.max(after.line);
                return Err((line, format!("person {id} is in frame {frame} for the second time")));
            }
            if step > GAP_MAX {
                return Err((
                    after.line,
                    format!("person {id} is missing for {step} frames, at most {GAP_MAX} are allowed"),
                ));
            }
            for frame in before.frame..frame {
                self.frames[(frame - first) as usize].push(Seen { person, at: before.at });
            }
            self.repeated += step as usize - 1;
        }
        if let Some(last) = rows.last() {
            self.frames[(last.frame - first) as usize].push(Seen { person, at: last.at });
        }
        for [x, y] in rows.iter().map(|row| row.at) {
            let [min_x, min_y, max_x, max_y] = self.extent;
            self.extent = [min_x.min(x), min_y.min(y), max_x.max(x), max_y.max(y)];
        }
        self.people += 1;
        Ok(())
    }
}

/// Finds more than [`GAP_MAX`] successive frames without anybody: more likely a wrong number than a
/// recording.
fn empty_stretch(rows: &[Row]) -> Option<(usize, String)> {
    let mut frames: Vec<(u32, usize)> = rows.iter().map(|row| (row.frame, row.line)).collect();
    frames.sort_unstable();
    let gap = frames.windows(2).find(|pair| pair[1].0 - pair[0].0 > GAP_MAX)?;
    let [(before, _), (frame, line)] = [gap[0], gap[1]];
    Some((line, format!("frame {frame} follows frame {before}, at most {GAP_MAX} frames may be missing")))
}

fn parse_row(line: usize, text: &str) -> Result<Row, String> {
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let &[id, frame, x, y, z] = fields.as_slice() else {
        return Err(format!("expected \"id frame x y z\", found {} fields", fields.len()));
    };
    let whole = |name: &str, field: &str| {
        field.parse::<u32>().map_err(|_| format!("{name} is {field:?}, expected a whole number from 0"))
    };
    let number = |name: &str, field: &str| {
        // Ten thousand kilometers: more than in any recording, and finite in f32.
        let value = field.parse::<f64>().ok().filter(|value| value.abs() <= 1e9);
        value.ok_or_else(|| format!("{name} is {field:?}, expected a number of centimeters"))
    };
    let (id, frame) = (whole("id", id)?, whole("frame", frame)?);
    let at = [number("x", x)? / CENTIMETERS_PER_METER, number("y", y)? / CENTIMETERS_PER_METER];
    number("z", z)?;
    Ok(Row { id, frame, at, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_frames_repeat_the_position() {
        let recording = Recording::parse("# a comment\n7 5 100 200 170\n7 8 130 200 170\n3 6 -50 0 0\n\n").unwrap();
        assert_eq!((recording.people, recording.len(), recording.repeated), (2, 4, 2));
        let seen = |frame: usize| recording.frame(frame).iter().map(|s| (s.person, s.at[0])).collect::<Vec<_>>();
        assert_eq!(seen(0), [(1, 1.0)]);
        assert_eq!(seen(1), [(0, -0.5), (1, 1.0)]);
        assert_eq!(seen(2), [(1, 1.0)]);
        assert_eq!(seen(3), [(1, 1.3)]);
        assert_eq!(recording.extent, [-0.5, 0.0, 1.3, 2.0]);
    }

    #[test]
    fn invalid_recording_is_an_error_with_its_line() {
        let bad = [
            ("", 1),
            ("1 2 3 4\n", 1),
            ("1 2 3 4 5\n1 -3 3 4 5\n", 2),
            ("1 2 3 4 5\n\n1 3 inf 4 5\n", 3),
            ("1 2 3 4 5\n1 2 3 4 5\n", 2),
            ("1 1 0 0 0\n2 900 0 0 0\n1 1800 0 0 0\n", 3),
            ("1 1 0 0 0\n2 4000000000 0 0 0\n", 2),
        ];
        for (text, line) in bad {
            assert_eq!(Recording::parse(text).map(|_| ()).map_err(|(line, _)| line), Err(line), "{text:?}");
        }
    }
}
