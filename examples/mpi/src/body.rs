//! Bodies: as columns on the rank that owns them, and as plain data on the way to another.

use bytemuck::{Pod, Zeroable};

/// A body that moves to another rank: all that is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Body {
    /// Unique among all ranks, forever.
    pub(crate) id: u64,
    pub(crate) center: [f32; 2],
    pub(crate) half_extents: [f32; 2],
    pub(crate) velocity: [f32; 2],
}

/// A copy of a body for a rank that does not own it: what the broad phase needs, no more.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ghost {
    pub(crate) id: u64,
    pub(crate) center: [f32; 2],
    pub(crate) half_extents: [f32; 2],
}

// The model of the README counts these bytes.
const _: () = assert!(size_of::<Body>() == 32 && size_of::<Ghost>() == 24);

/// The least and greatest x of a box, by the f32 operations of the library (see `Bodies::new`).
///
/// All ranks must agree bit for bit on where a box begins and ends, with each other and with their
/// broad phases. So boxes travel as centers and half-extents, never as rounded edges.
#[inline]
pub(crate) fn extent_x(center: [f32; 2], half_extents: [f32; 2]) -> [f32; 2] {
    [center[0] - half_extents[0], center[0] + half_extents[0]]
}

/// The bodies that a rank owns. A row of all columns is one body.
#[derive(Default)]
pub(crate) struct OwnBodies {
    pub(crate) ids: Vec<u64>,
    pub(crate) centers: Vec<[f32; 2]>,
    pub(crate) half_extents: Vec<[f32; 2]>,
    pub(crate) velocities: Vec<[f32; 2]>,
}

impl OwnBodies {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn get(&self, row: usize) -> Body {
        let Self { ids, centers, half_extents, velocities } = self;
        Body { id: ids[row], center: centers[row], half_extents: half_extents[row], velocity: velocities[row] }
    }

    pub(crate) fn extent_x(&self, row: usize) -> [f32; 2] {
        extent_x(self.centers[row], self.half_extents[row])
    }

    pub(crate) fn push(&mut self, body: Body) {
        self.ids.push(body.id);
        self.centers.push(body.center);
        self.half_extents.push(body.half_extents);
        self.velocities.push(body.velocity);
    }

    /// Removes a body. The last one moves to its row.
    pub(crate) fn swap_remove(&mut self, row: usize) -> Body {
        Body {
            id: self.ids.swap_remove(row),
            center: self.centers.swap_remove(row),
            half_extents: self.half_extents.swap_remove(row),
            velocity: self.velocities.swap_remove(row),
        }
    }
}

/// The ghosts of a rank, in the order of the ranks that sent them.
#[derive(Default)]
pub(crate) struct Ghosts {
    pub(crate) ids: Vec<u64>,
    pub(crate) centers: Vec<[f32; 2]>,
    pub(crate) half_extents: Vec<[f32; 2]>,
}

impl Ghosts {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.centers.clear();
        self.half_extents.clear();
    }

    pub(crate) fn extend(&mut self, ghosts: &[Ghost]) {
        self.ids.extend(ghosts.iter().map(|ghost| ghost.id));
        self.centers.extend(ghosts.iter().map(|ghost| ghost.center));
        self.half_extents.extend(ghosts.iter().map(|ghost| ghost.half_extents));
    }
}
