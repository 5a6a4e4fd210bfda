//! The spans of a world, as a subscriber sees them: which there are, within which other ones, with
//! which fields. (Feature `tracing`.)

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, ThreadId};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::NoSubscriber;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};
use tracing_core::span::Current;
use triphase::query::BatchResults;
use triphase::{Aabb, Bodies, Error, World, WorldConfig};
use triphase_scenes::{Movers, Scene, SceneName};
use triphase_tests::{FoundPairs, scene_bodies};

/// A span that was opened.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: &'static str,
    metadata: Option<&'static Metadata<'static>>,
    parent: Option<&'static str>,
    fields: HashMap<&'static str, String>,
    is_closed: bool,
}

/// Keeps all spans up to a level.
#[derive(Clone)]
struct Collector {
    level: Level,
    spans: Arc<Mutex<Vec<Seen>>>,
    /// The spans that each thread has entered.
    stacks: Arc<Mutex<HashMap<ThreadId, Vec<Id>>>>,
}

impl Collector {
    fn new(level: Level) -> Self {
        // With one subscriber alone, `tracing` asks that of the thread which opens a span of a kind
        // first, and remembers the answer for all. Another test's thread has none.
        static ANOTHER: OnceLock<Dispatch> = OnceLock::new();
        ANOTHER.get_or_init(|| Dispatch::new(NoSubscriber::new()));
        Self { level, spans: Arc::default(), stacks: Arc::default() }
    }

    /// Two threads whose spans it sees too.
    fn pool(&self) -> rayon::ThreadPool {
        let collector = self.clone();
        // Until the thread ends.
        let watch = move |_| std::mem::forget(tracing::subscriber::set_default(collector.clone()));
        rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(watch).build().unwrap()
    }

    /// Runs a call and returns its spans.
    fn watch<T>(&self, call: impl FnOnce() -> T) -> (T, Vec<Seen>) {
        let result = tracing::subscriber::with_default(self.clone(), call);
        let spans = std::mem::take(&mut *self.spans.lock().unwrap());
        assert!(spans.iter().all(|span| span.is_closed), "{spans:?}");
        (result, spans)
    }
}

struct Fields<'f>(&'f mut HashMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "triphase" && *metadata.level() <= self.level
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut spans = self.spans.lock().unwrap();
        let name_of = |id: &Id| spans[id.into_u64() as usize - 1].name;
        let parent = match attributes.parent() {
            Some(parent) => Some(name_of(parent)),
            None => self.stacks.lock().unwrap().get(&thread::current().id()).and_then(|ids| ids.last()).map(name_of),
        };
        let metadata = attributes.metadata();
        let mut seen = Seen { name: metadata.name(), metadata: Some(metadata), parent, ..Seen::default() };
        attributes.record(&mut Fields(&mut seen.fields));
        spans.push(seen);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        values.record(&mut Fields(&mut self.spans.lock().unwrap()[id.into_u64() as usize - 1].fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        panic!("there are spans only: {event:?}");
    }

    fn enter(&self, id: &Id) {
        self.stacks.lock().unwrap().entry(thread::current().id()).or_default().push(id.clone());
    }

    fn exit(&self, id: &Id) {
        let mut stacks = self.stacks.lock().unwrap();
        assert_eq!(stacks.get_mut(&thread::current().id()).and_then(Vec::pop).as_ref(), Some(id), "spans are nested");
    }

    fn current_span(&self) -> Current {
        let id = self.stacks.lock().unwrap().get(&thread::current().id()).and_then(|ids| ids.last()).cloned();
        id.map_or_else(Current::none, |id| {
            let metadata = self.spans.lock().unwrap()[id.into_u64() as usize - 1].metadata.expect("noted when opened");
            Current::new(id, metadata)
        })
    }

    fn try_close(&self, id: Id) -> bool {
        self.spans.lock().unwrap()[id.into_u64() as usize - 1].is_closed = true;
        true
    }
}

fn names(spans: &[Seen]) -> Vec<&'static str> {
    spans.iter().map(|span| span.name).collect()
}

/// A field of the first span of a name, as text.
#[track_caller]
fn field<'s>(spans: &'s [Seen], name: &str, field: &str) -> &'s str {
    let span = spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("{name}: {spans:?}"));
    span.fields.get(field).unwrap_or_else(|| panic!("{field}: {span:?}"))
}

#[test]
fn step_has_a_span_for_each_phase() {
    let scene = Scene::new(SceneName::Castles, 5_000, 7);
    let config = WorldConfig::new().with_parallel_threshold(None);
    let mut world = World::new(config.with_contact_tracking(true).with_partner_lists(true)).unwrap();
    let collector = Collector::new(Level::DEBUG);
    let (_, spans) = collector.watch(|| world.set_statics(&scene.statics).unwrap());
    assert_eq!((names(&spans), field(&spans, "build_statics", "statics")), (vec!["build_statics"], "1000"));
    let (counts, spans) = collector.watch(|| {
        let contacts = world.step(scene_bodies(&scene)).unwrap();
        [contacts.body_pairs().len(), contacts.static_pairs().len()].map(|count| count.to_string())
    });
    let phases = ["plan", "partition", "layout", "find_pairs", "gather", "track_contacts", "list_partners"];
    assert_eq!(names(&spans), [&["step"], &phases[..]].concat());
    assert!(spans[1..].iter().all(|phase| phase.parent == Some("step")), "{spans:?}");
    for span in ["step", "gather"] {
        assert_eq!(["body_pairs", "static_pairs"].map(|name| field(&spans, span, name)), counts);
    }
    assert_eq!((field(&spans, "step", "bodies"), field(&spans, "step", "statics")), ("5000", "1000"));
    let bands = world.report().grids.iter().map(|grid| grid.band_count).sum::<usize>().to_string();
    assert_eq!((field(&spans, "find_pairs", "bands"), field(&spans, "layout", "oversized")), (&*bands, "5"));

    let (outcome, spans) = collector.watch(|| world.step(Bodies::uniform(&[[f32::NAN, 0.0]], [0.5, 0.5])).map(drop));
    assert!(matches!(outcome, Err(Error::InvalidBody(_))));
    assert_eq!(field(&spans, "step", "error"), "body row 0: center.x is NaN; must be finite");
}

#[test]
fn tasks_are_within_their_phase_on_any_thread() {
    let scene = Scene::new(SceneName::Castles, 20_000, 7);
    let mut world = World::default();
    world.set_statics(&scene.statics).unwrap();
    let collector = Collector::new(Level::TRACE);
    let (_, spans) = collector.watch(|| {
        collector.pool().install(|| world.step(scene_bodies(&scene)).unwrap().body_pairs().len());
    });
    let bands: Vec<&Seen> = spans.iter().filter(|span| span.name == "band").collect();
    let band_count: usize = world.report().grids.iter().map(|grid| grid.band_count).sum();
    assert_eq!(bands.len(), band_count);
    assert!(bands.len() > 1 && bands.iter().all(|band| band.parent == Some("find_pairs")), "{bands:?}");
    assert!(bands.iter().all(|band| band.fields["bodies"] != "0"), "{bands:?}");
}

#[test]
fn phases_are_within_their_step_if_it_enters_the_pool() {
    let scene = Scene::new(SceneName::Castles, 20_000, 7);
    let mut world = World::new(WorldConfig::new().with_contact_tracking(true)).unwrap();
    let collector = Collector::new(Level::DEBUG);
    // This thread is in no pool, and the subscriber is its own.
    let (_, spans) = collector.watch(|| world.step(scene_bodies(&scene)).unwrap().body_pairs().len());
    assert_eq!(names(&spans), ["step", "plan", "partition", "layout", "find_pairs", "gather", "track_contacts"]);
    assert!(spans[1..].iter().all(|phase| phase.parent == Some("step")), "{spans:?}");
}

#[test]
fn told_steps_and_edits_and_batches_have_spans() {
    let mut scene = Scene::new(SceneName::Castles, 5_000, 7);
    let mut movers = Movers::new(&scene, 20, false);
    let mut world = World::default();
    world.set_statics(&scene.statics).unwrap();
    world.step_changed(scene_bodies(&scene), &movers.rows).unwrap();
    movers.advance(&mut scene);
    let collector = Collector::new(Level::DEBUG);
    let (_, spans) = collector.watch(|| _ = world.step_changed(scene_bodies(&scene), &movers.rows).unwrap());
    let phases: Vec<_> =
        spans.iter().filter(|span| span.parent == Some("step_changed")).map(|span| span.name).collect();
    assert_eq!(phases, ["read_changed", "find_changed_pairs", "move_rows", "edit_pairs"]);
    assert_eq!((field(&spans, "step_changed", "changed"), field(&spans, "step_changed", "bodies")), ("20", "5000"));

    let (_, spans) = collector.watch(|| world.remove_statics(&[3, 4]).unwrap());
    assert_eq!((names(&spans), field(&spans, "edit_statics", "changed")), (vec!["edit_statics"], "2"));
    let areas = [Aabb::new([0.0, 0.0], [50.0, 50.0]).unwrap(); 3];
    let mut results = BatchResults::new();
    let (_, spans) = collector.watch(|| world.query().par_query_aabb(&areas, &mut results));
    let total = results.iter().map(<[_]>::len).sum::<usize>().to_string();
    let found = ["kind", "queries", "results"].map(|name| field(&spans, "query_batch", name));
    assert_eq!(found, ["\"boxes\"", "3", &*total]);
}

#[test]
fn spans_change_no_result() {
    let mut scene = Scene::new(SceneName::Dragons, 10_000, 7);
    let [mut watched, mut unwatched] = [World::default(), World::default()];
    let collector = Collector::new(Level::TRACE);
    for _ in 0..4 {
        let (found, spans) = collector
            .watch(|| collector.pool().install(|| FoundPairs::new(watched.step(scene_bodies(&scene)).unwrap())));
        assert!(spans.iter().any(|span| span.name == "band"), "{spans:?}");
        assert_eq!(found, FoundPairs::new(unwatched.step(scene_bodies(&scene)).unwrap()));
        scene.advance();
    }
}
