//! Eight boxes in columns, for lists of a few boxes each.

use crate::geometry::NO_BOX;
use crate::memory::body_record::BodyRecord;
use crate::memory::buffers::plain_buffers;
use crate::prefetch::prefetch;

/// Boxes of an octet.
pub(crate) const OCTET_LEN: usize = 8;

/// The edges of an octet: min x, min y, max x and max y, each a column.
pub(crate) type OctetEdges = [[f32; OCTET_LEN]; 4];

/// Up to eight boxes and their rows. Lanes without a box have [`NO_BOX`], which overlaps nothing.
///
/// Aligned so that it is in three cache lines, never in four.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct BoxOctet {
    edges: OctetEdges,
    rows: [u32; OCTET_LEN],
}

const _: () = assert!(size_of::<BoxOctet>() == 160);

plain_buffers!(BoxOctet);

impl BoxOctet {
    /// The first eight of some bodies.
    pub(crate) fn of(bodies: impl Iterator<Item = BodyRecord>) -> Self {
        let mut octet = Self { edges: NO_BOX.map(|edge| [edge; OCTET_LEN]), rows: [0; OCTET_LEN] };
        for (lane, BodyRecord { aabb, row }) in bodies.take(OCTET_LEN).enumerate() {
            for (column, edge) in octet.edges.iter_mut().zip(aabb) {
                column[lane] = edge;
            }
            octet.rows[lane] = row;
        }
        octet
    }

    #[inline(always)]
    pub(crate) fn edges(&self) -> &OctetEdges {
        &self.edges
    }

    /// Loads the octet.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch(self.edges.as_flattened());
        prefetch(&self.rows);
    }

    #[inline(always)]
    pub(crate) fn body(&self, lane: usize) -> BodyRecord {
        let [min_x, min_y, max_x, max_y] = &self.edges;
        BodyRecord { aabb: [min_x[lane], min_y[lane], max_x[lane], max_y[lane]], row: self.rows[lane] }
    }
}
