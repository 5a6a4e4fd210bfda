//! Recorded people: text, a row for each person and frame, blank separated: `id frame x y z`, in
//! centimetres.
//!
//! This is the format of the Pedestrian Dynamics Data Archive of Forschungszentrum Juelich. Rows
//! may come in any order; empty lines and lines that begin with `#` are left out; z, the height of
//! the head, is not used.
//!
//! R1: a person is there from the first to the last frame of its id, in each frame once. Where a
//! frame in between is missing in the file, the person stays where it was last seen.
//! R2: frames are numbered from the first of the file, and who is in a frame comes in ascending
//! order of ids.

use super::{Failure, read_text};
use std::path::Path;

/// Most frames in a row for which a person may be missing.
const GAP_MAX: u32 = 1000;
const CENTIMETRES_IN_A_METRE: f64 = 100.0;

/// Who is where in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Persons are numbered from 0, in the order of their ids.
    pub(crate) person: u32,
    /// In metres: centimetres over 100, in f64.
    pub(crate) at: [f64; 2],
}

/// A recording, frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct Recording {
    pub(crate) people: usize,
    /// `[min_x, min_y, max_x, max_y]` of all positions, in metres.
    pub(crate) extent: [f64; 4],
    frames: Vec<Vec<Seen>>,
    /// How many positions were held because a frame was missing.
    pub(crate) held: usize,
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

    /// How many frames there are.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Who is there in a frame.
    pub(crate) fn frame(&self, frame: usize) -> &[Seen] {
        &self.frames[frame]
    }

    /// An error is the number of the line, from 1, and the reason.
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
            held: 0,
        };
        for person in rows.chunk_by(|a, b| a.id == b.id) {
            recording.add(person, first)?;
        }
        Ok(recording)
    }

    /// R1: one person, all rows of an id in ascending order of frames.
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
                    format!("person {id} was last seen {step} frames before, expected {GAP_MAX} at most"),
                ));
            }
            for frame in before.frame..frame {
                self.frames[(frame - first) as usize].push(Seen { person, at: before.at });
            }
            self.held += step as usize - 1;
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

/// A stretch of frames in which nobody is there, longer than [`GAP_MAX`]: rather a broken number
/// than a recording.
fn empty_stretch(rows: &[Row]) -> Option<(usize, String)> {
    let mut frames: Vec<(u32, usize)> = rows.iter().map(|row| (row.frame, row.line)).collect();
    frames.sort_unstable();
    let gap = frames.windows(2).find(|pair| pair[1].0 - pair[0].0 > GAP_MAX)?;
    let [(before, _), (frame, line)] = [gap[0], gap[1]];
    Some((line, format!("frame {frame} follows frame {before}, expected {GAP_MAX} frames later at most")))
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
        // Ten thousand kilometres: far beyond any recording, and everything stays finite in f32.
        let value = field.parse::<f64>().ok().filter(|value| value.abs() <= 1e9);
        value.ok_or_else(|| format!("{name} is {field:?}, expected a number of centimetres"))
    };
    let (id, frame) = (whole("id", id)?, whole("frame", frame)?);
    let at = [number("x", x)? / CENTIMETRES_IN_A_METRE, number("y", y)? / CENTIMETRES_IN_A_METRE];
    number("z", z)?;
    Ok(Row { id, frame, at, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_come_and_go_and_gaps_are_held() {
        let recording = Recording::parse("# a comment\n7 5 100 200 170\n7 8 130 200 170\n3 6 -50 0 0\n\n").unwrap();
        assert_eq!((recording.people, recording.len(), recording.held), (2, 4, 2));
        let seen = |frame: usize| recording.frame(frame).iter().map(|s| (s.person, s.at[0])).collect::<Vec<_>>();
        assert_eq!(seen(0), [(1, 1.0)]);
        assert_eq!(seen(1), [(0, -0.5), (1, 1.0)]);
        assert_eq!(seen(2), [(1, 1.0)]);
        assert_eq!(seen(3), [(1, 1.3)]);
        assert_eq!(recording.extent, [-0.5, 0.0, 1.3, 2.0]);
    }

    #[test]
    fn bad_recordings_are_refused_with_the_line() {
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
