//! A strip chart of the times of the last steps, phase by phase.

use crate::canvas::Canvas;
use crate::color::{Color, DIM, PANEL, TEXT};
use crate::text;
use std::collections::VecDeque;
use triphase::{PassTimes, PhaseTimes};

/// Steps that are shown, and the pixels of each.
const SAMPLES: usize = 320;
const SAMPLE_WIDTH: f64 = 2.0;
/// Height of the bars in pixels.
const BAR_HEIGHT: f64 = 84.0;
/// Height of the chart with one line of text.
pub(crate) const HEIGHT: f64 = BAR_HEIGHT + text::LINE + 12.0;
/// One step in this many may be higher than the chart.
const OUTLIERS: usize = 25;
/// Steps that the printed times are a mean of.
const MEAN_OF: usize = 30;
/// Share of the time above which a phase is printed.
const PRINTED: f64 = 0.01;

/// The parts of a step, in the order in which they are stacked. Passes are parts of `find_pairs`:
/// its time is divided as theirs are, which are sums over threads.
const PARTS: [(&str, Color); 12] = [
    ("move", Color::rgb(70, 76, 90)),
    ("plan", Color::rgb(124, 132, 150)),
    ("partition", Color::rgb(86, 140, 220)),
    ("layout", Color::rgb(60, 180, 190)),
    ("sort", Color::rgb(90, 200, 120)),
    ("common", Color::rgb(200, 220, 90)),
    ("ghosts", Color::rgb(255, 92, 220)),
    ("oversized", Color::rgb(240, 132, 52)),
    ("statics", Color::rgb(232, 80, 80)),
    ("gather", Color::rgb(150, 110, 230)),
    ("events", Color::rgb(255, 220, 160)),
    ("rest", Color::rgb(180, 186, 198)),
];

/// The part that is not one of the step: it is printed, but not drawn.
const MOVE: usize = 0;

/// The times of the last steps in milliseconds, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    samples: VecDeque<[f64; PARTS.len()]>,
}

impl Chart {
    /// Adds a step: the time that moving the bodies took, and the whole step, in milliseconds.
    ///
    /// The rest is mostly the time until the threads are awake; where the library has no clock, it
    /// is the whole step.
    pub(crate) fn add(&mut self, advance: f64, step: f64, phases: &PhaseTimes) {
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(parts(advance, step, phases));
    }

    /// The number of steps that are shown.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    /// The mean of the last steps, without moving the bodies.
    pub(crate) fn mean_step(&self) -> f64 {
        self.mean()[MOVE + 1..].iter().sum()
    }

    fn mean(&self) -> [f64; PARTS.len()] {
        let last = self.samples.iter().rev().take(MEAN_OF);
        let count = last.len().max(1) as f64;
        let mut mean = [0.0; PARTS.len()];
        last.for_each(|sample| mean.iter_mut().zip(sample).for_each(|(sum, time)| *sum += time / count));
        mean
    }

    /// Draws the chart along the lower edge. Returns its upper edge.
    pub(crate) fn draw(&self, canvas: &mut Canvas) -> f64 {
        let (width, bottom) = (canvas.width() as f64, canvas.height() as f64);
        let lines = self.legend(width);
        let top = bottom - HEIGHT - text::LINE * (lines.len() - 1) as f64;
        canvas.blend([0.0, top, width, bottom], PANEL, 225);
        for (line, items) in lines.iter().enumerate() {
            let mut x = 8.0;
            for (label, color) in items {
                x = canvas.text([x, top + 4.0 + text::LINE * line as f64], label, *color) + text::WIDTH;
            }
        }
        let scale = scale_above(self.usual_maximum());
        let base = bottom - 4.0;
        for (k, sample) in self.samples.iter().rev().enumerate() {
            let right = width - SAMPLE_WIDTH * k as f64;
            let mut y = base;
            for (time, (_, color)) in sample.iter().zip(PARTS).skip(MOVE + 1) {
                let height = (BAR_HEIGHT * time / scale).min(y - (base - BAR_HEIGHT));
                if height > 0.0 {
                    canvas.fill([right - SAMPLE_WIDTH, y - height, right, y], color);
                }
                y -= height;
            }
        }
        for share in [0.5, 1.0] {
            let y = base - BAR_HEIGHT * share;
            canvas.blend([0.0, y, width, y], DIM, 90);
            canvas.text([8.0, y], &format!("{} ms", scale * share), DIM);
        }
        top
    }

    /// The time of the longest step, apart from a few outliers.
    fn usual_maximum(&self) -> f64 {
        let mut totals: Vec<f64> = self.samples.iter().map(|sample| sample[MOVE + 1..].iter().sum()).collect();
        totals.sort_by(f64::total_cmp);
        totals.iter().rev().nth(totals.len() / OUTLIERS).copied().unwrap_or_default()
    }

    /// The printed parts, in lines of at most this width.
    fn legend(&self, width: f64) -> Vec<Vec<(String, Color)>> {
        let (mean, mut lines, mut room) = (self.mean(), vec![Vec::new()], width - 16.0);
        let total = mean[MOVE + 1..].iter().sum::<f64>();
        let step = format!("step {:.2} ms =", mean[MOVE + 1..].iter().sum::<f64>());
        let printed = mean.iter().zip(PARTS).skip(MOVE + 1).filter(|(time, _)| **time > PRINTED * total);
        let parts = printed.map(|(time, (name, color))| (format!("{name} {time:.2}"), color));
        let moved = (format!("| move {:.2}", mean[MOVE]), DIM);
        for item in std::iter::once((step, TEXT)).chain(parts).chain([moved]) {
            let needed = text::width(&item.0) + text::WIDTH;
            if needed > room {
                lines.push(Vec::new());
                room = width - 16.0;
            }
            room -= needed;
            if let Some(line) = lines.last_mut() {
                line.push(item);
            }
        }
        lines
    }
}

/// The parts of a step, in the order of [`PARTS`].
fn parts(advance: f64, step: f64, phases: &PhaseTimes) -> [f64; PARTS.len()] {
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    let PassTimes { sort, common, ghosts, oversized, statics, .. } = phases.passes;
    let passes = [sort, common, ghosts, oversized, statics].map(ms);
    let sum = passes.iter().sum::<f64>();
    let share = if sum > 0.0 { ms(phases.find_pairs) / sum } else { 0.0 };
    let [sort, common, ghosts, oversized, statics] = passes.map(|time| time * share);
    let [plan, partition, layout] = [phases.plan, phases.partition, phases.layout].map(ms);
    let [gather, track] = [phases.gather, phases.track_contacts].map(ms);
    let known = plan + partition + layout + sort + common + ghosts + oversized + statics + gather + track;
    let rest = (step - known).max(0.0);
    [advance, plan, partition, layout, sort, common, ghosts, oversized, statics, gather, track, rest]
}

/// The smallest of 0.1, 0.2, 0.5, 1, 2, 5 … that is not below a time.
fn scale_above(time: f64) -> f64 {
    let mut scale = 0.1;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(20) {
        if scale >= time {
            break;
        }
        scale *= factor;
    }
    (scale * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn parts_add_up_to_the_step() {
        let mut phases = PhaseTimes::default();
        phases.plan = Duration::from_millis(1);
        phases.find_pairs = Duration::from_millis(4);
        // On two threads, so that the sum is larger than the phase.
        phases.passes.sort = Duration::from_millis(2);
        phases.passes.common = Duration::from_millis(6);
        let parts = parts(0.5, 7.0, &phases);
        assert!((parts[1..].iter().sum::<f64>() - 7.0).abs() < 1e-9);
        assert_eq!((parts[0], parts[1], parts[4], parts[5]), (0.5, 1.0, 1.0, 3.0));
        let without_clock = super::parts(0.5, 7.0, &PhaseTimes::default());
        assert_eq!((without_clock[0], without_clock[PARTS.len() - 1]), (0.5, 7.0));
    }

    #[test]
    fn one_slow_step_does_not_flatten_the_others() {
        let mut chart = Chart::default();
        (0..100).for_each(|k| chart.add(0.0, if k == 50 { 90.0 } else { 1.5 }, &PhaseTimes::default()));
        assert_eq!(chart.usual_maximum(), 1.5);
        assert_eq!(Chart::default().usual_maximum(), 0.0);
    }

    #[test]
    fn scales_are_round_numbers() {
        let scales = [0.0, 0.11, 0.3, 1.0, 1.1, 7.0, 130.0].map(scale_above);
        assert_eq!(scales, [0.1, 0.2, 0.5, 1.0, 2.0, 10.0, 200.0]);
        assert!(scale_above(f64::INFINITY).is_finite());
    }

    #[test]
    fn chart_fits_on_any_canvas() {
        let mut chart = Chart::default();
        for k in 0..1000 {
            chart.add(0.1, f64::from(k), &PhaseTimes::default());
            if k % 100 == 0 {
                chart.draw(&mut Canvas::new(1 + k as usize, 1 + k as usize));
            }
        }
        assert_eq!(chart.samples.len(), SAMPLES);
        assert!((chart.mean_step() - 984.5).abs() < 1e-6);
    }
}
