//! Moves the bodies of a scene.

use crate::crowds;
use crate::motion::{MARCH_FRAMES, Motion, inward, speed, velocity};
use crate::scene::Scene;

/// [`Motion::Churn`] replaces one row in this many per frame.
const CHURN: usize = 20;

impl Scene {
    /// Moves all bodies by one frame.
    pub fn advance(&mut self) {
        self.frame += 1;
        match self.motion {
            Motion::Bounce => self.bounce(),
            Motion::March => self.march(),
            Motion::Brownian => self.wander(),
            Motion::Churn => self.churn(),
            Motion::AabbCast => self.sweep(),
            Motion::Fall => self.pile.fall(self.world, &mut self.centers, &self.half_extents),
        }
    }

    fn bounce(&mut self) {
        let [min_x, min_y, max_x, max_y] = self.world;
        for (center, velocity) in self.centers.iter_mut().zip(&mut self.velocities) {
            // Sleeping bodies must not change by a bit, even if they are outside of the world.
            if *velocity != [0.0; 2] {
                bounced(&mut center[0], &mut velocity[0], min_x, max_x);
                bounced(&mut center[1], &mut velocity[1], min_y, max_y);
            }
        }
    }

    fn march(&mut self) {
        let sign = if ((self.frame - 1) / MARCH_FRAMES).is_multiple_of(2) { 1.0 } else { -1.0 };
        for (center, velocity) in self.centers.iter_mut().zip(&self.velocities) {
            *center = [center[0] + sign * velocity[0], center[1] + sign * velocity[1]];
        }
    }

    fn wander(&mut self) {
        for (v, half) in self.velocities.iter_mut().zip(&self.half_extents) {
            *v = velocity(&mut self.random, speed(half[0]));
        }
        self.bounce();
    }

    fn churn(&mut self) {
        self.bounce();
        let count = self.centers.len() / CHURN;
        for _ in 0..count {
            let row = self.random.below(self.centers.len());
            self.centers.swap_remove(row);
            self.half_extents.swap_remove(row);
            self.velocities.swap_remove(row);
            self.ids.swap_remove(row);
        }
        let side = f64::from(self.world[2]);
        for _ in 0..count {
            let half = crowds::half_extent(&mut self.random);
            crowds::push_square(self, side, half);
        }
    }

    fn sweep(&mut self) {
        let [min_x, min_y, max_x, max_y] = self.world;
        let Some(displacements) = &mut self.displacements else { return };
        for (center, d) in self.centers.iter_mut().zip(displacements) {
            *center = [center[0] + d[0], center[1] + d[1]];
            *d = inward(*center, *d, [min_x, min_y, max_x, max_y]);
        }
    }
}

/// Moves one coordinate by `v`, and reverses `v` at the ends of `min..=max`.
#[inline]
fn bounced(c: &mut f32, v: &mut f32, min: f32, max: f32) {
    *c += *v;
    if *c < min {
        (*c, *v) = (min, v.abs());
    } else if *c > max {
        (*c, *v) = (max, -v.abs());
    }
}
