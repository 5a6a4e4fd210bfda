//! What the plugin promises, one case each.

use crate::common::{Columns, HalfExtents, Position};
use bevy_app::{App, PostUpdate};
use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::entity::Entity;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::error::{BevyError, ErrorContext};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::{IntoScheduleConfigs, Res, Resource};
use bytemuck::{Pod, Zeroable};
use std::collections::BTreeSet;
use std::sync::Mutex;
use triphase::{Aabb, Bodies, Filter, WorldConfig};
use triphase_bevy::{
    BodyColumns, BroadPhase, BroadPhaseSystems, ContactEnded, Displacement, EntityFilter, StaticBox, TriphasePlugin,
};

fn app() -> App {
    let mut app = App::new();
    app.add_plugins(TriphasePlugin::<Columns>::default());
    app
}

fn spawn(app: &mut App, x: f32) -> Entity {
    app.world_mut().spawn((Position([x, 0.0]), HalfExtents([0.5, 0.5]))).id()
}

fn broad_phase(app: &App) -> &BroadPhase {
    app.world().resource()
}

/// All pairs, each with the smaller entity first.
fn pairs(app: &App) -> Vec<(Entity, Entity)> {
    broad_phase(app).body_pairs().map(|(a, b)| pair(a, b)).collect()
}

fn pair(a: Entity, b: Entity) -> (Entity, Entity) {
    (a.min(b), a.max(b))
}

#[test]
fn a_filter_counts_even_if_it_appears_and_disappears_in_the_same_row() {
    let mut app = app();
    let (a, b) = (spawn(&mut app, 0.0), spawn(&mut app, 0.5));
    // Many, so that one change is told.
    (0..100).for_each(|k| _ = spawn(&mut app, 10.0 + 2.0 * k as f32));
    for _ in 0..3 {
        app.update();
        assert_eq!(pairs(&app), [pair(a, b)]);
        app.world_mut().entity_mut(a).insert(EntityFilter(Filter::NONE));
        app.update();
        assert_eq!(pairs(&app), []);
        app.world_mut().entity_mut(a).remove::<EntityFilter>();
    }
}

#[test]
fn a_table_that_takes_the_place_of_another_has_its_filters_read() {
    let mut app = app();
    let (a, b) = (spawn(&mut app, 0.0), spawn(&mut app, 0.5));
    for entity in [a, b] {
        app.world_mut().entity_mut(entity).insert(EntityFilter(Filter::NONE));
    }
    // If the last filter disappeared, all rows would be stepped.
    let c = spawn(&mut app, 50.0);
    app.world_mut().entity_mut(c).insert((EntityFilter(Filter::ALL), Displacement::default()));
    app.update();
    assert_eq!(pairs(&app), []);
    // Both are in the same rows as before, and nothing was written, but in a table without filters.
    for entity in [a, b] {
        app.world_mut().entity_mut(entity).remove::<EntityFilter>();
    }
    app.update();
    assert_eq!(pairs(&app), [pair(a, b)]);
}

#[test]
fn messages_name_despawned_entities() {
    let mut app = app();
    let (a, b) = (spawn(&mut app, 0.0), spawn(&mut app, 0.5));
    app.update();
    app.world_mut().despawn(b);
    let c = spawn(&mut app, 0.5); // in the place of `b`
    app.update();
    let messages = app.world().resource::<Messages<ContactEnded>>();
    let ended: Vec<_> = messages.iter_current_update_messages().copied().collect();
    assert!(ended == [ContactEnded { a, b }] || ended == [ContactEnded { a: b, b: a }], "{ended:?}");
    assert_eq!(pairs(&app), [pair(a, c)]);
}

static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn keep_error(error: BevyError, _: ErrorContext) {
    ERRORS.lock().unwrap().push(error.to_string());
}

#[test]
fn an_error_names_the_entity_and_the_next_step_has_all_changes() {
    let mut app = app();
    app.set_error_handler(keep_error);
    let (a, b) = (spawn(&mut app, 0.0), spawn(&mut app, 5.0));
    (0..100).for_each(|k| _ = spawn(&mut app, 10.0 + 2.0 * k as f32));
    app.update();
    assert_eq!(pairs(&app), []);

    let (c, d) = (spawn(&mut app, 20.0), spawn(&mut app, -7.0));
    app.world_mut().entity_mut(a).insert(Position([f32::NAN, 0.0]));
    app.world_mut().entity_mut(b).insert(Position([-7.5, 0.0])); // next to `d`
    app.update();
    assert_eq!(pairs(&app), [], "the contacts are those of the last good step");
    let errors = ERRORS.lock().unwrap().join("; ");
    assert!(errors.contains(&format!("entity {a}: ")) && errors.contains("NaN"), "{errors}");

    app.world_mut().despawn(a);
    app.world_mut().despawn(c);
    app.update();
    assert_eq!(pairs(&app), [pair(b, d)]);
}

#[test]
fn steps_by_others_are_noticed() {
    let mut app = app();
    let entities: Vec<Entity> = (0..100).map(|k| spawn(&mut app, 0.8 * k as f32)).collect();
    app.update();
    assert_eq!(pairs(&app).len(), 99);
    // Told, so that the next step could be told too.
    let mut centers: Vec<[f32; 2]> = (0..100).map(|k| [0.8 * k as f32, 0.0]).collect();
    centers[7] = [0.0, 9.0];
    let ids: Vec<u64> = entities.iter().map(|entity| entity.to_bits()).collect();
    let mut broad_phase = app.world_mut().resource_mut::<BroadPhase>();
    let bodies = Bodies::uniform(&centers, [0.5, 0.5]).with_ids(&ids);
    assert_eq!(broad_phase.world_mut().step_changed(bodies, &[7]).unwrap().body_pairs().len(), 97);
    app.update();
    assert_eq!(pairs(&app).len(), 99);
}

/// Writes a component of `a` in each frame, in place, so that it touches `b` in every other one.
fn write<C: Component<Mutability = Mutable> + Copy>(b_x: f32, apart: C, together: C) {
    let mut app = app();
    let (a, b) = (spawn(&mut app, 0.0), spawn(&mut app, b_x));
    (0..100).for_each(|k| _ = spawn(&mut app, 10.0 + 2.0 * k as f32));
    for entity in [a, b] {
        app.world_mut().entity_mut(entity).insert((Displacement::default(), EntityFilter(Filter::ALL)));
    }
    app.world_mut().entity_mut(a).insert(apart);
    app.update();
    for frame in 0..6 {
        let touches = frame % 2 == 0;
        *app.world_mut().get_mut::<C>(a).unwrap() = if touches { together } else { apart };
        app.update();
        assert_eq!(pairs(&app).len(), usize::from(touches), "{} in frame {frame}", std::any::type_name::<C>());
    }
}

#[test]
fn each_component_that_is_written_counts() {
    write(1.0, Position([-0.5, 0.0]), Position([0.5, 0.0]));
    write(1.0, HalfExtents([0.1, 0.1]), HalfExtents([0.6, 0.6]));
    write(1.0, EntityFilter(Filter::NONE), EntityFilter(Filter::ALL));
    write(2.0, Displacement([-3.0, 0.0]), Displacement([3.0, 0.0]));
}

#[test]
fn a_small_table_that_grows_does_not_shift_a_large_one() {
    let mut app = app();
    let body = (Position([-50.0, 0.0]), HalfExtents([0.5, 0.5]), Displacement::default());
    let small = |app: &mut App| _ = app.world_mut().spawn(body);
    small(&mut app); // Bevy's first table
    (0..200).for_each(|k| _ = spawn(&mut app, 0.8 * k as f32));
    app.update();
    for added in 1..4 {
        small(&mut app);
        app.update();
        let contacts = broad_phase(&app).world().contacts();
        // The last one touches those before.
        assert_eq!(contacts.changed_pairs().len(), added);
    }
}

#[test]
fn an_app_without_bodies_steps() {
    let mut app = app();
    app.update();
    let a = spawn(&mut app, 0.0);
    app.update();
    app.world_mut().despawn(a);
    app.update();
    assert_eq!(broad_phase(&app).world().step_number(), 3);
}

fn spawn_static(app: &mut App, x: f32) -> Entity {
    app.world_mut().spawn(StaticBox(Aabb::new([x, -1.0], [x + 1.0, 1.0]).unwrap())).id()
}

fn static_pairs(app: &App) -> BTreeSet<(Entity, Entity)> {
    broad_phase(app).static_pairs().collect()
}

#[test]
fn changes_of_statics_are_kept_until_the_next_step_however_late() {
    #[derive(Resource)]
    struct Paused(bool);

    let mut app = app();
    app.insert_resource(Paused(false));
    app.configure_sets(PostUpdate, BroadPhaseSystems.run_if(|paused: Res<Paused>| !paused.0));
    let body = spawn(&mut app, 0.0);
    let [despawned, disabled, enabled, filtered] = [0; 4].map(|_| spawn_static(&mut app, 0.0));
    app.world_mut().entity_mut(enabled).insert(Disabled);
    app.world_mut().entity_mut(filtered).insert(EntityFilter(Filter::NONE));
    app.update();
    assert_eq!(static_pairs(&app), BTreeSet::from([(body, despawned), (body, disabled)]));

    app.insert_resource(Paused(true));
    app.world_mut().despawn(despawned);
    app.world_mut().entity_mut(disabled).insert(Disabled);
    app.world_mut().entity_mut(enabled).remove::<Disabled>();
    app.world_mut().entity_mut(filtered).remove::<EntityFilter>();
    // Bevy forgets removals after two frames.
    (0..3).for_each(|_| app.update());
    app.insert_resource(Paused(false));
    app.update();
    assert_eq!(static_pairs(&app), BTreeSet::from([(body, filtered), (body, enabled)]));
}

#[test]
fn after_a_failed_step_pairs_name_the_statics_that_they_were_found_with() {
    let mut app = app();
    app.set_error_handler(|_, _| {});
    let (body, other) = (spawn(&mut app, 0.0), spawn(&mut app, 9.0));
    let wall = spawn_static(&mut app, 0.0);
    app.update();
    app.world_mut().despawn(wall);
    for x in [50.0, 60.0] {
        spawn_static(&mut app, x);
        app.world_mut().entity_mut(other).insert(Position([f32::NAN, 0.0]));
        app.update();
        assert_eq!(static_pairs(&app), BTreeSet::from([(body, wall)]));
    }
    app.world_mut().despawn(other);
    app.update();
    assert_eq!(static_pairs(&app), BTreeSet::from([]));
}

/// Boxes, with a marker that is stored elsewhere.
#[derive(Clone, Copy, Component, Pod, Zeroable)]
#[repr(transparent)]
struct Corners([f32; 4]);

#[derive(Component)]
#[component(storage = "SparseSet")]
struct Sparse;

struct Boxes;

impl BodyColumns for Boxes {
    type Position = Corners;
    type Size = Sparse;

    fn bodies<'a>(corners: &'a [Corners], _: &'a [Sparse]) -> Bodies<'a> {
        Bodies::from_aabbs(corners)
    }
}

#[test]
#[should_panic(expected = "an app has one `TriphasePlugin`")]
fn a_second_plugin_is_refused() {
    app().add_plugins(TriphasePlugin::<Boxes>::default());
}

#[test]
#[should_panic(expected = "Sparse must have table storage")]
fn components_in_sparse_sets_are_an_error() {
    let mut app = App::new();
    app.add_plugins(TriphasePlugin::<Boxes>::new(WorldConfig::new()));
    app.world_mut().spawn((Corners([0.0, 0.0, 1.0, 1.0]), Sparse));
    app.update();
}
