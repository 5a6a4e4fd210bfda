//! Using pairs while the step runs, against using them after the step.
//!
//! The work is a sum over the rows of all pairs.

use crate::Options;
use crate::alternate::{Candidate, alternate};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use triphase::stream::{self, StreamMessage};
use triphase::{Bodies, Pair, World};
use triphase_scenes::{Scene, SceneName};

/// Capacity of the channel, in messages.
const CAPACITY: usize = 64;

fn sum(pairs: &[Pair]) -> u64 {
    pairs.iter().map(|pair| u64::from(pair.a) + u64::from(pair.b)).sum()
}

/// A candidate with a world of its own that steps the present frame; measures `step`.
fn turn<'c>(
    pool: &'c ThreadPool,
    scene: &'c RefCell<Scene>,
    mut step: impl FnMut(&mut World, Bodies<'_>) -> u64 + Send + 'c,
) -> Box<dyn FnMut() -> Duration + 'c> {
    let mut world = World::default();
    Box::new(move || {
        let scene = scene.borrow();
        let columns = Bodies::new(&scene.centers, &scene.half_extents);
        let start = Instant::now();
        let found = pool.install(|| step(&mut world, columns));
        let time = start.elapsed();
        assert!(found > 0);
        time
    })
}

/// Starts a consumer on a thread of its own; returns its sender and the sums, one for each step.
fn consumer() -> (stream::Sender, mpsc::Receiver<u64>) {
    let (sender, receiver) = stream::channel(CAPACITY);
    let (report, sums) = mpsc::channel();
    std::thread::spawn(move || {
        let mut rows = 0;
        for message in receiver {
            match message {
                StreamMessage::Page(page) => rows += sum(page.body_pairs()),
                // The receiver of sums may be gone.
                _ => _ = report.send(std::mem::take(&mut rows)),
            }
        }
    });
    (sender, sums)
}

pub(crate) fn run(options: &Options) {
    for bodies in options.sizes(&[100_000, 1_000_000]) {
        let pool = ThreadPoolBuilder::new().num_threads(options.threads).build().expect("a pool of threads");
        let scene = RefCell::new(Scene::new(SceneName::Crowd, bodies, 1));
        let rows = AtomicU64::new(0);
        let (sender, sums) = consumer();
        let (late_sender, late_sums) = consumer();
        let mut plain =
            turn(&pool, &scene, |world, bodies| world.step(bodies).expect("valid bodies").body_pairs().len() as u64);
        let mut candidates: Vec<Candidate<'_>> = vec![
            (
                "step",
                Box::new(|| {
                    // Moves the bodies for all candidates.
                    scene.borrow_mut().advance();
                    plain()
                }),
            ),
            (
                "step, pages counted meanwhile",
                turn(&pool, &scene, |world, bodies| {
                    let count = AtomicU64::new(0);
                    world.step_streamed(bodies, |_| _ = count.fetch_add(1, Relaxed)).expect("valid bodies");
                    count.into_inner()
                }),
            ),
            (
                "step, then rows summed",
                turn(&pool, &scene, |world, bodies| {
                    world.step(bodies).expect("valid bodies").body_pages().map(sum).sum()
                }),
            ),
            (
                "step, rows summed meanwhile",
                turn(&pool, &scene, |world, bodies| {
                    rows.store(0, Relaxed);
                    let on_page = |page: triphase::StreamedPage<'_>| {
                        rows.fetch_add(sum(page.body_pairs()), Relaxed);
                    };
                    world.step_streamed(bodies, on_page).expect("valid bodies");
                    rows.load(Relaxed)
                }),
            ),
            (
                "step to a channel, until it returns",
                turn(&pool, &scene, move |world, bodies| {
                    let pairs = world.step_to_channel(bodies, &sender).expect("valid bodies").body_pairs().len() as u64;
                    // The sums of earlier steps.
                    sums.try_iter().for_each(drop);
                    pairs
                }),
            ),
            (
                "step to a channel, until rows are summed",
                turn(&pool, &scene, move |world, bodies| {
                    world.step_to_channel(bodies, &late_sender).expect("valid bodies");
                    late_sums.recv().expect("a consumer")
                }),
            ),
        ];
        for _ in 0..3 {
            candidates.iter_mut().for_each(|(_, turn)| _ = turn());
        }
        let title = format!("stream: crowd of {bodies}, {} threads and a consumer", options.threads);
        alternate(&title, options.rounds, &mut candidates);
    }
}
