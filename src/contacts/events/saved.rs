//! Tracked contacts as a value that can be serialized, and back.
//!
//! Saved data is not trusted: no number is used as a row before it is validated. If the last step
//! had no ids, its number of rows is unknown, so a contact of a high row makes room for the spans
//! of all rows before it: a tenth of a byte per row.

use crate::contacts::events::contact_set::ContactSet;
use crate::contacts::events::contact_slots::Contact;
use crate::contacts::events::ids::StepIds;
use crate::contacts::events::tracker::ContactTracker;
use crate::error::Error;
use crate::frame::statics::StaticSet;
use crate::frame::statics_version::StaticsVersion;
use crate::input::rows::ROWS_MAX;
use crate::memory::shared_column::SharedColumn;
use crate::pair::{entry, row_and_partner};
use crate::tier::static_tree::unique_ids::check_unique;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The contacts of the last successful step, and the ids of its rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedTracked {
    rows: usize,
    /// The id of each row, if the step had ids.
    ids: Option<Vec<u64>>,
    /// Rows that were skipped, ascending.
    absent: Vec<u32>,
    /// Both rows and the value, in ascending order.
    bodies: Vec<[u32; 3]>,
    statics: Vec<[u32; 3]>,
    /// If that step had other statics than the world has now: their ids, empty if they had none.
    /// (Not a nested option, because text formats write both kinds of `None` alike.)
    other_statics: Option<Vec<u64>>,
}

impl ContactTracker {
    /// Returns the contacts as a value; `statics` is the present static set.
    pub(crate) fn save(&self, statics: &StaticSet) -> SavedTracked {
        let has_other_statics = !self.statics_version.is_same_set(statics.version);
        SavedTracked {
            rows: self.identities.row_count(),
            ids: self.identities.ids().map(<[u64]>::to_vec),
            absent: self.identities.skipped().to_vec(),
            bodies: self.bodies.save(),
            statics: self.statics.save(),
            other_statics: has_other_statics
                .then(|| self.static_ids.iter().flat_map(SharedColumn::iter).copied().collect()),
        }
    }

    /// Restores a tracker; `statics` is the present static set.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyRows`], [`Error::DuplicateBodyId`], [`Error::DuplicateStaticId`], or
    /// [`Error::InvalidConfig`] with the invalid value.
    pub(crate) fn restore(saved: &SavedTracked, statics: &StaticSet) -> Result<Self, Error> {
        let SavedTracked { rows: row_count, ids, absent: skipped, other_statics, .. } = saved;
        saved.check_rows()?;
        let mut tracker = Self::default();
        let step = StepIds { column: ids.as_deref(), row_count: *row_count, skipped };
        tracker.identities.compare(step, false)?;
        tracker.identities.commit(step);
        let is_present = |row: u32| (row as usize) < *row_count && skipped.binary_search(&row).is_err();
        let static_count = match other_statics {
            None => statics.tree.len(),
            Some(ids) if ids.is_empty() => ROWS_MAX,
            Some(ids) => ids.len(),
        };
        check_contacts(&saved.bodies, |[a, b]| a < b && is_present(a) && is_present(b))?;
        check_contacts(&saved.statics, |[body, static_row]| is_present(body) && (static_row as usize) < static_count)?;
        tracker.bodies.restore(&saved.bodies);
        tracker.statics.restore(&saved.statics);
        match other_statics {
            None => {
                tracker.static_ids = statics.tree.ids().cloned();
                tracker.statics_version = statics.version;
            }
            Some(ids) => {
                // Two statics with one id would become one, and so would their contacts. Rows
                // without contacts may have been vacant.
                let touched: BTreeSet<u32> = saved.statics.iter().map(|&[_, row, _]| row).collect();
                let untouched: Vec<u32> = (0..ids.len() as u32).filter(|row| !touched.contains(row)).collect();
                check_unique(ids, &untouched)?;
                tracker.static_ids = (!ids.is_empty()).then(|| SharedColumn::of(ids));
                tracker.statics_version = StaticsVersion::default();
            }
        }
        Ok(tracker)
    }
}

impl SavedTracked {
    /// Checks that ids and skipped rows are consistent with the number of rows.
    fn check_rows(&self) -> Result<(), Error> {
        let rows = self.rows;
        if rows > ROWS_MAX {
            return Err(Error::TooManyRows { rows, rows_max: ROWS_MAX });
        }
        if let Some(ids) = &self.ids
            && ids.len() != rows
        {
            return Err(invalid("number of ids", ids.len(), "the number of rows"));
        }
        let ascending = self.absent.windows(2).all(|two| two[0] < two[1]);
        match self.absent.last() {
            Some(&row) if !ascending || row as usize >= rows => {
                Err(invalid("skipped row", row as usize, "a row of the step, in ascending order"))
            }
            _ => Ok(()),
        }
    }
}

impl ContactSet {
    fn save(&self) -> Vec<[u32; 3]> {
        let contacts = self.live().iter().flat_map(|span| span.contacts.iter());
        let saved = contacts.map(|Contact { entry, value }| {
            let [row, partner] = row_and_partner(entry);
            [row, partner, value]
        });
        saved.collect()
    }

    fn restore(&mut self, saved: &[[u32; 3]]) {
        let contacts = saved.iter().map(|&[row, partner, value]| Contact { entry: entry(row, partner), value });
        self.fill(&contacts.collect::<Vec<_>>());
    }
}

/// Checks that contacts ascend and that their rows exist.
fn check_contacts(saved: &[[u32; 3]], rows_exist: impl Fn([u32; 2]) -> bool) -> Result<(), Error> {
    let ascending = |two: &[[u32; 3]]| (two[0][0], two[0][1]) < (two[1][0], two[1][1]);
    let missing = saved.iter().position(|&[row, partner, _]| !rows_exist([row, partner]));
    match missing.or_else(|| saved.windows(2).position(|two| !ascending(two))) {
        Some(place) => Err(invalid("contact", place, "of existing rows, in ascending order")),
        None => Ok(()),
    }
}

fn invalid(setting: &'static str, value: usize, expected: &'static str) -> Error {
    Error::InvalidConfig { setting, value: (value as u64).into(), expected }
}
