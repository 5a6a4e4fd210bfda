//! Files rows: reads boxes from a source and writes the records of every band.
//!
//! Rows are filed here for a step, the changed rows of a told step, sleepers, a shifted origin,
//! statics and a [`PointGrid`](super::PointGrid). (A few bodies need no plan: see
//! [`Bands::file_in_one_band`].)

use crate::error::InvalidRow;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::buffers;
use crate::memory::columns::SOA_PAD;
use crate::simd::{DetectedSimd, SimdRows};
use crate::tier::point_grid::band::slot::BandSlot;
use crate::tier::point_grid::bands::Bands;
use crate::tier::point_grid::directory::ClassBands;
use crate::tier::point_grid::partition::{FileOptions, Partition};
use crate::tier::point_grid::planner::Planner;
use crate::tier::point_grid::size_classes::ClassOptions;

/// Plans bands and distributes rows to them, in buffers that are reused.
#[derive(Default)]
pub(crate) struct Filing {
    planner: Planner,
    pub(super) partition: Partition,
}

buffers!(Filing { leveled: planner, partition; own: ; plain: ; });

impl Filing {
    /// Plans size classes and bands for the rows that [`file`](Self::file) is called with next.
    pub(crate) fn plan(&mut self, rows: &dyn SimdRows, options: ClassOptions<'_>, level: DetectedSimd) {
        self.planner.rebuild(rows, options, level);
    }

    /// Distributes the rows to bands, which are then to be built.
    ///
    /// If an invalid row is an error, the lowest one is returned, and `bands` are empty.
    pub(crate) fn file(
        &mut self,
        rows: &dyn SimdRows,
        options: FileOptions,
        bands: &mut Bands,
    ) -> Result<(), InvalidRow> {
        let (plan, partition) = (self.planner.plan(), &mut self.partition);
        bands.clear();
        partition.rebuild(rows, plan, options, &mut bands.places)?;
        let rooms = &partition.rooms;
        let destinations = rooms.destinations();
        let oversized = destinations.oversized();
        bands.places.close_gaps(rooms.joined(oversized).start, rooms.pieces(oversized));
        bands.pieces.set(rooms);
        bands.level = options.level;
        for class in plan.classes() {
            for band in class.bands() {
                let own = rooms.joined(destinations.owned(band));
                let places = own.start..own.end + SOA_PAD;
                let ghosts = rooms.joined(destinations.ghosts(band));
                bands.slots.push(BandSlot::unbuilt(class.axes, places, ghosts));
            }
        }
        bands.directory.lay_out(plan.classes().iter().map(|class| ClassBands {
            slots: class.bands(),
            axes: class.axes,
            sides_max: class.sides_max,
            sampled_side: class.sampled_side,
            bounds: None,
        }));
        Ok(())
    }

    /// The bodies of the last filing that are too large for any size class.
    pub(crate) fn oversized<'b>(&self, bands: &'b Bands) -> &'b [BodyRecord] {
        let rooms = &self.partition.rooms;
        bands.places.records(rooms.joined(rooms.destinations().oversized()))
    }

    /// The rows that the last filing left out, ascending.
    pub(crate) fn invalid_rows(&self) -> impl Iterator<Item = InvalidRow> + '_ {
        self.partition.invalid_rows()
    }
}
