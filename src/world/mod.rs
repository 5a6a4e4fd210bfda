//! The world: all three tiers behind one call.

mod contacts;
mod frame;
mod report;

pub use contacts::{Contacts, Pairs};
pub use report::{Phases, Report};

use crate::bodies::{Bodies, Shape, Statics};
use crate::config::WorldConfig;
use crate::error::{BadRow, Column, Error};
use crate::geometry::{Aabb, RawBox, overlaps};
use crate::pair::Hit;
use crate::reference;
use crate::storage::pages::{Block, PAGE_LEN, PagePool};
use frame::Frame;

/// Bodies of every size and statics, and the pairs of them that overlap.
#[derive(Default)]
pub struct World {
    config: WorldConfig,
    frame: Frame,
    pool: PagePool,
    boxes: Vec<RawBox>,
    statics: Vec<RawBox>,
    static_ids: Vec<u64>,
    enabled: Vec<bool>,
    skipped: Vec<BadRow>,
    report: Report,
}

impl World {
    /// A world with settings; `World::default()` has none.
    ///
    /// # Errors
    ///
    /// [`Error::BadSetting`] names the setting and its value.
    pub fn new(config: WorldConfig) -> Result<Self, Error> {
        config.validate()?;
        Ok(Self { config, ..Self::default() })
    }

    /// One frame: finds every pair of bodies, and of a body and a static, whose closed boxes overlap.
    ///
    /// # Errors
    ///
    /// A refused step changes nothing.
    pub fn step(&mut self, bodies: Bodies<'_>) -> Result<Contacts<'_>, Error> {
        self.step_chunks(&[bodies])
    }

    /// Like [`step`](Self::step), for bodies that are held in several columns: rows are numbered through.
    ///
    /// # Errors
    ///
    /// As [`step`](Self::step).
    pub fn step_chunks(&mut self, chunks: &[Bodies<'_>]) -> Result<Contacts<'_>, Error> {
        let mut boxes = Vec::new();
        for (k, chunk) in chunks.iter().enumerate() {
            chunk.check_lengths(k)?;
            for i in 0..chunk.len() {
                let d = chunk.displacements.map(|d| d[i]);
                boxes.push(match chunk.shape {
                    Shape::Centers { centers, half_extents } => reference::body_box(centers[i], half_extents[i], d),
                    Shape::Uniform { centers, half_extents } => reference::body_box(centers[i], half_extents, d),
                    Shape::Aabbs(aabbs) => aabbs[i],
                });
            }
        }
        for (row, b) in boxes.iter().enumerate() {
            if b.iter().any(|v| v.is_nan()) {
                return Err(Error::BadBody(BadRow::new(row as u32, Column::Center, 0, b[0])));
            }
        }
        self.boxes = boxes;
        self.pool.recycle(&mut self.frame.body_blocks);
        self.pool.recycle(&mut self.frame.static_blocks);
        let body = reference::self_pairs(&self.boxes);
        let fixed = reference::cross_pairs(&self.boxes, &self.statics);
        self.frame.row_count = self.boxes.len();
        self.frame.ids = chunks.iter().filter_map(|c| c.ids).flatten().copied().collect();
        self.frame.body_pair_count = body.len();
        self.frame.static_pair_count = fixed.len();
        let fill = |pairs: &[(u32, u32)], blocks: &mut Vec<Block>| {
            for part in pairs.chunks(PAGE_LEN) {
                let mut page = self.pool.take();
                for (slot, &(a, b)) in page.iter_mut().zip(part) {
                    *slot = [a, b];
                }
                blocks.push(PagePool::block(page, part.len()));
            }
        };
        fill(&body, &mut self.frame.body_blocks);
        fill(&fixed, &mut self.frame.static_blocks);
        Ok(self.contacts())
    }

    /// Replaces the static set.
    ///
    /// # Errors
    ///
    /// On an error the old set stays.
    pub fn set_statics<'s>(&mut self, statics: impl Into<Statics<'s>>) -> Result<(), Error> {
        let statics = statics.into();
        self.statics = statics.aabbs.to_vec();
        self.static_ids = statics.ids.unwrap_or_default().to_vec();
        self.enabled = vec![true; self.statics.len()];
        self.pool.recycle(&mut self.frame.static_blocks);
        self.frame.static_pair_count = 0;
        Ok(())
    }

    /// Switches a static on or off (a door, a destroyed wall) from the next step and query on. Returns what it was.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchStatic`].
    pub fn set_static_enabled(&mut self, row: u32, enabled: bool) -> Result<bool, Error> {
        let count = self.enabled.len();
        let slot = self.enabled.get_mut(row as usize).ok_or(Error::NoSuchStatic { row, count })?;
        Ok(std::mem::replace(slot, enabled))
    }

    /// The contacts of the last good step again, by a shared borrow.
    pub fn contacts(&self) -> Contacts<'_> {
        Contacts::new(&self.frame)
    }

    /// Everything whose closed box overlaps `area`, each once: bodies as of the last good step, statics as of now.
    pub fn query_aabb(&self, area: Aabb) -> impl Iterator<Item = Hit> + '_ {
        let area = area.to_array();
        let bodies = self.boxes.iter().enumerate().filter(move |(_, b)| overlaps(b, &area));
        let statics = self.statics.iter().enumerate().filter(move |(_, b)| overlaps(b, &area));
        bodies
            .map(|(row, _)| Hit::Body { row: row as u32, id: self.frame.ids.get(row).copied() })
            .chain(statics.map(|(row, _)| Hit::Fixed { row: row as u32, id: self.static_ids.get(row).copied() }))
    }

    /// Rows that the last good step left out, under [`BadRows::Skip`](crate::BadRows::Skip), in ascending order.
    pub fn skipped(&self) -> &[BadRow] {
        &self.skipped
    }

    /// What the last good step found, what is held, and where the time went.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Gives back memory that the present contents do not need.
    pub fn shrink_to_fit(&mut self) {}

    /// The settings it was made with.
    pub fn config(&self) -> &WorldConfig {
        &self.config
    }
}
