//! Contacts that are followed, as a value that can be written down, and back.
//!
//! What is read is not trusted: a number is a row only once it was checked. Of a step without ids nothing else tells how many
//! rows it had, so a contact of a high row makes room for the spans of all rows before it: a tenth of a byte a row.

use crate::contacts::by_row::{entry, row_and_partner, span_count};
use crate::contacts::events::ids::Ids;
use crate::contacts::events::{StaticSet, Touching, Tracker};
use crate::error::Error;
use crate::input::rows::ROWS_MAX;
use serde::{Deserialize, Serialize};

/// The contacts of the last good step, and who is in which row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedTracked {
    rows: usize,
    /// Row by row, if the step had a column of them.
    ids: Option<Vec<u64>>,
    /// Rows that were skipped, ascending.
    absent: Vec<u32>,
    /// Both rows and the value, in ascending order.
    bodies: Vec<[u32; 3]>,
    statics: Vec<[u32; 3]>,
    /// If that step had other statics than the world has now, their ids: empty if they had none. (Not an option in an option:
    /// text formats write nothing for either.)
    other_statics: Option<Vec<u64>>,
}

impl Tracker {
    pub(crate) fn save(&self, set: StaticSet<'_>) -> SavedTracked {
        SavedTracked {
            rows: self.identities.rows(),
            ids: self.identities.column().map(<[u64]>::to_vec),
            absent: self.identities.absent().to_vec(),
            bodies: self.bodies.save(),
            statics: self.statics.save(),
            other_statics: (self.static_set != set.number).then(|| self.static_ids.clone().unwrap_or_default()),
        }
    }

    /// # Errors
    ///
    /// Names what cannot be.
    pub(crate) fn restore(saved: &SavedTracked, set: StaticSet<'_>) -> Result<Self, Error> {
        let SavedTracked { rows, ids, absent, bodies, statics, other_statics } = saved;
        let rows = *rows;
        if rows > ROWS_MAX {
            return Err(Error::TooManyRows { rows, rows_max: ROWS_MAX });
        }
        if let Some(ids) = ids
            && ids.len() != rows
        {
            return Err(bad("number of ids", ids.len(), "as many as rows"));
        }
        let ascending = absent.windows(2).all(|two| two[0] < two[1]);
        if let Some(&row) = absent.last().filter(|&&row| !ascending || row as usize >= rows) {
            return Err(bad("skipped row", row as usize, "rows of the step, ascending"));
        }
        let mut tracker = Self { static_set: set.number, ..Self::default() };
        let step = Ids { column: ids.as_deref(), rows, absent };
        tracker.identities.compare(step, false)?;
        tracker.identities.commit(step);
        let is_there = |row: u32| (row as usize) < rows && absent.binary_search(&row).is_err();
        tracker.bodies.restore(bodies, |[a, b]| a < b && is_there(a) && is_there(b))?;
        let fixed_end = match other_statics {
            None => set.tree.len(),
            Some(ids) if ids.is_empty() => ROWS_MAX,
            Some(ids) => ids.len(),
        };
        tracker.statics.restore(statics, |[body, static_row]| is_there(body) && (static_row as usize) < fixed_end)?;
        match other_statics {
            None => tracker.static_ids = set.tree.ids().map(<[u64]>::to_vec),
            Some(ids) => {
                tracker.static_ids = (!ids.is_empty()).then(|| ids.clone());
                tracker.static_set = set.number.wrapping_sub(1);
            }
        }
        Ok(tracker)
    }
}

impl Touching {
    fn save(&self) -> Vec<[u32; 3]> {
        let contacts = self.live().iter().flat_map(|span| span.entries().iter().zip(span.values()));
        contacts
            .map(|(&entry, &value)| {
                let [row, partner] = row_and_partner(entry);
                [row, partner, value]
            })
            .collect()
    }

    fn restore(&mut self, saved: &[[u32; 3]], good: impl Fn([u32; 2]) -> bool) -> Result<(), Error> {
        let ascending = |two: &[[u32; 3]]| (two[0][0], two[0][1]) < (two[1][0], two[1][1]);
        let bad_place = saved.iter().position(|&[row, partner, _]| !good([row, partner]));
        let bad_order = saved.windows(2).position(|two| !ascending(two));
        if let Some(place) = bad_place.or(bad_order) {
            return Err(bad("contact", place, "rows that there are, in ascending order"));
        }
        let moved: Vec<_> = saved.iter().map(|&[row, partner, value]| (entry(row, partner), value)).collect();
        let rows = saved.last().map_or(0, |last| last[0] as usize + 1);
        self.live = span_count(rows);
        self.spans.resize_with(self.live, Default::default);
        for (number, span) in self.spans.iter_mut().enumerate() {
            span.bring_in(crate::contacts::events::part_of(&moved, number));
        }
        Ok(())
    }
}

fn bad(setting: &'static str, value: usize, expected: &'static str) -> Error {
    Error::InvalidConfig { setting, value: (value as u64).into(), expected }
}
