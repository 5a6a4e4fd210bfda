//! Queries at the pointer, drawn with their hits and with what they had to look at.

use crate::color::{CONTACT, WHITE};
use crate::layers::View;
use crate::layers::bodies::aabb_of;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use triphase::{Aabb, CastHit, Circle, Hit, InvalidShape, Neighbor, Point, Ray, World};

/// Half the width of a box or the radius of a circle, in pixels: at first, smallest and largest.
const SIZES: [f64; 3] = [60.0, 4.0, 2000.0];
/// Entities that a search for the nearest asks for.
const NEAREST: usize = 8;

/// The kinds of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProbeKind {
    /// No query.
    #[default]
    Off,
    /// Everything that overlaps a box around the pointer.
    Box,
    /// Everything that overlaps a circle around the pointer.
    Circle,
    /// The entities nearest to the pointer.
    Nearest,
    /// A ray from the middle of the screen through the pointer.
    Ray,
}

impl ProbeKind {
    /// All kinds, in the order in which a key goes through them.
    pub const ALL: &[Self] = &[Self::Off, Self::Box, Self::Circle, Self::Nearest, Self::Ray];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Box => "box",
            Self::Circle => "circle",
            Self::Nearest => "nearest",
            Self::Ray => "ray",
        }
    }

    /// The next kind, or the one before.
    #[must_use]
    pub fn next(self, forward: bool) -> Self {
        let step = if forward { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(self as usize + step) % Self::ALL.len()]
    }
}

/// A query that follows the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// What is asked.
    pub kind: ProbeKind,
    /// Half the width of the box, or the radius of the circle, in pixels.
    size: f64,
}

impl Default for Probe {
    fn default() -> Self {
        Self { kind: ProbeKind::Off, size: SIZES[0] }
    }
}

/// What a query found, and what it looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    hits: Vec<Hit>,
    /// Entries in the cells and leaves that it touched, or that were offered to its predicate.
    visited: usize,
    /// Where a ray ends.
    end: Option<[f32; 2]>,
}

impl Probe {
    /// Changes the size by a factor.
    pub fn resize(&mut self, factor: f64) {
        let size = self.size * factor;
        if !size.is_nan() {
            self.size = size.clamp(SIZES[1], SIZES[2]);
        }
    }

    /// Asks, draws the answer, and returns a line of text about it. `now` is a clock.
    pub(crate) fn draw(&self, view: &mut View<'_>, world: &World, pointer: [f64; 2], now: impl Fn() -> f64) -> String {
        let begin = now();
        let answer = match self.ask(view, world, pointer) {
            Ok(answer) => answer,
            Err(error) => return format!("{}: {error}", self.kind.name()),
        };
        let micros = (now() - begin) * 1e3;
        for hit in &answer.hits {
            if let Some(aabb) = aabb_of(world, *hit) {
                view.mark(aabb, WHITE);
            }
        }
        self.draw_shape(view, world, pointer, &answer);
        self.describe(&answer, micros)
    }

    fn ask(&self, view: &View<'_>, world: &World, pointer: [f64; 2]) -> Result<Answer, InvalidShape> {
        let at = view.camera.to_world(pointer).map(|coordinate| coordinate as f32);
        let radius = (self.size / view.camera.scale()) as f32;
        let around = |radius: f32| Aabb::from_half_extents(at, [radius; 2]);
        match self.kind {
            ProbeKind::Off => Ok(Answer::default()),
            ProbeKind::Box => {
                let area = around(radius)?;
                let visited = world.query().query_candidates(area).count();
                Ok(Answer { hits: world.query_aabb(area).collect(), visited, end: None })
            }
            ProbeKind::Circle => {
                let visited = world.query().query_candidates(around(radius)?).count();
                Ok(Answer { hits: world.query_circle(Circle::new(at, radius)?).collect(), visited, end: None })
            }
            ProbeKind::Nearest => nearest(world, Point::new(at)?),
            ProbeKind::Ray => {
                let from = view.camera.center().map(|coordinate| coordinate as f32);
                cast(world, from, at)
            }
        }
    }

    fn draw_shape(&self, view: &mut View<'_>, world: &World, pointer: [f64; 2], answer: &Answer) {
        let ([x, y], size) = (pointer, self.size);
        match self.kind {
            ProbeKind::Off => {}
            ProbeKind::Box => view.canvas.outline([x - size, y - size, x + size, y + size], CONTACT),
            ProbeKind::Circle => view.canvas.circle(pointer, size, CONTACT),
            ProbeKind::Nearest => {
                for aabb in answer.hits.iter().filter_map(|hit| aabb_of(world, *hit)) {
                    let at = view.camera.to_world(pointer);
                    let nearest = [0, 1].map(|axis| at[axis].clamp(f64::from(aabb[axis]), f64::from(aabb[axis + 2])));
                    let end = view.camera.to_screen(nearest);
                    view.canvas.line(pointer, end, CONTACT);
                }
            }
            ProbeKind::Ray => {
                let from = view.camera.to_screen(view.camera.center());
                let end = answer.end.map_or(pointer, |end| view.camera.to_screen(end.map(f64::from)));
                view.canvas.line(from, end, CONTACT);
                view.canvas.circle(end, 4.0, CONTACT);
            }
        }
    }

    fn describe(&self, answer: &Answer, micros: f64) -> String {
        let (count, visited) = (answer.hits.len(), answer.visited);
        let what = match self.kind {
            ProbeKind::Off => return String::new(),
            ProbeKind::Box | ProbeKind::Circle => {
                format!("{count} hits of {visited} boxes in touched cells and leaves")
            }
            ProbeKind::Nearest => format!("{count} nearest, boxes considered: {visited}"),
            ProbeKind::Ray => format!("{count} hit, boxes considered: {visited}"),
        };
        // Some browsers have coarse clocks.
        let time = if micros >= 1.0 { format!(", {micros:.0} us") } else { String::new() };
        format!("{}: {what}{time}", self.kind.name())
    }
}

/// The nearest entities. A predicate is offered each entity that may be among them.
fn nearest(world: &World, point: Point) -> Result<Answer, InvalidShape> {
    let (visited, mut found) = (AtomicUsize::new(0), Vec::<Neighbor>::new());
    let count = |_| {
        visited.fetch_add(1, Relaxed);
        true
    };
    world.query().with_predicate(&count).k_nearest(point, NEAREST, &mut found);
    Ok(Answer {
        hits: found.iter().map(|neighbor| neighbor.target).collect(),
        visited: visited.into_inner(),
        end: None,
    })
}

/// The first entity on the way from one point through another, as far as the world goes.
fn cast(world: &World, from: [f32; 2], through: [f32; 2]) -> Result<Answer, InvalidShape> {
    let direction = [through[0] - from[0], through[1] - from[1]];
    if direction == [0.0; 2] {
        return Ok(Answer::default());
    }
    let ray = Ray::new(from, direction, f32::INFINITY)?;
    let visited = AtomicUsize::new(0);
    // The body under the middle of the screen is not on the way.
    let here = Point::new(from)?;
    let count = |hit| {
        visited.fetch_add(1, Relaxed);
        !aabb_of(world, hit).is_some_and(|aabb| contains(aabb, here.to_array()))
    };
    let first = world.query().with_predicate(&count).cast_ray(ray);
    let end = first.map_or_else(|| ray.point_at(1e3), |CastHit { time_of_impact, .. }| ray.point_at(time_of_impact));
    Ok(Answer { hits: first.iter().map(|hit| hit.target).collect(), visited: visited.into_inner(), end: Some(end) })
}

fn contains(aabb: [f32; 4], point: [f32; 2]) -> bool {
    (0..2).all(|axis| (aabb[axis]..=aabb[axis + 2]).contains(&point[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::canvas::Canvas;
    use triphase::Bodies;

    /// Three bodies in a row, and a view of 100 pixels a unit whose middle is at (2, 0).
    fn ask(kind: ProbeKind, pointer: [f64; 2]) -> Answer {
        let mut world = World::default();
        world.step(Bodies::uniform(&[[0.0f32, 0.0], [2.0, 0.0], [4.0, 0.0]], [0.25, 0.25])).expect("valid bodies");
        let mut camera = Camera::new(1000, 1000);
        camera.fit([-3.0, -5.0, 7.0, 5.0], camera.screen());
        let mut canvas = Canvas::new(1000, 1000);
        let probe = Probe { kind, ..Probe::default() };
        let mut view = View { canvas: &mut canvas, camera: &camera };
        probe.draw(&mut view, &world, pointer, || 0.0);
        probe.ask(&view, &world, pointer).expect("a valid query")
    }

    fn rows(answer: &Answer) -> Vec<u32> {
        let row = |hit: &Hit| match hit {
            Hit::Body { row, .. } | Hit::Static { row, .. } => *row,
        };
        answer.hits.iter().map(row).collect()
    }

    #[test]
    fn queries_follow_the_pointer() {
        let right = [690.0, 500.0]; // near the body at x = 4
        assert_eq!(rows(&ask(ProbeKind::Off, right)), [] as [u32; 0]);
        assert_eq!(rows(&ask(ProbeKind::Box, right)), [2]);
        assert_eq!(rows(&ask(ProbeKind::Circle, right)), [2]);
        assert_eq!(rows(&ask(ProbeKind::Nearest, right)), [2, 1, 0]);
        let ray = ask(ProbeKind::Ray, right);
        assert_eq!(rows(&ray), [2], "not the body in the middle");
        assert_eq!(ray.end, Some([3.75, 0.0]));
        assert!(ask(ProbeKind::Box, right).visited >= 1);
    }

    #[test]
    fn no_pointer_is_an_error() {
        for kind in ProbeKind::ALL {
            for pointer in [[500.0, 500.0], [1e300, -1e300], [f64::NAN; 2]] {
                let mut canvas = Canvas::new(10, 10);
                let mut view = View { canvas: &mut canvas, camera: &Camera::new(10, 10) };
                Probe { kind: *kind, ..Probe::default() }.draw(&mut view, &World::default(), pointer, || 0.0);
            }
        }
        let mut probe = Probe::default();
        [0.0, f64::INFINITY, f64::NAN, -1.0].into_iter().for_each(|factor| probe.resize(factor));
        assert_eq!(probe.size, SIZES[1]);
    }

    #[test]
    fn kinds_go_round() {
        for kind in ProbeKind::ALL {
            assert_eq!(kind.next(true).next(false), *kind);
        }
    }
}
