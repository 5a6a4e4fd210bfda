//! Settings: what was set can be read and unset, and what does not fit together is refused.

use triphase::{Bodies, BodyShape, Error, InvalidRows, SettingValue, SimdLevel, World, WorldConfig};

/// Every setting with a value other than its default.
fn all_changed() -> WorldConfig {
    WorldConfig::new()
        .with_bounds([0.25, 0.5])
        .with_cell_size(2.0)
        .with_pair_limit(1000)
        .with_invalid_rows(InvalidRows::Skip)
        .with_parallel_threshold(500)
        .with_simd_max(SimdLevel::Portable)
        .with_body_shape(BodyShape::Circle)
        .with_contact_tracking(true)
        .with_margin(0.125)
        .with_partner_lists(true)
}

#[test]
fn getters_return_what_was_set() {
    let config = all_changed();
    assert_eq!(config.bounds(), [0.25, 0.5]);
    assert_eq!((config.cell_size(), config.pair_limit()), (Some(2.0), 1000));
    assert_eq!((config.invalid_rows(), config.parallel_threshold()), (InvalidRows::Skip, Some(500)));
    assert_eq!((config.simd_max(), config.body_shape()), (Some(SimdLevel::Portable), BodyShape::Circle));
    assert_eq!((config.contact_tracking(), config.margin(), config.partner_lists()), (true, 0.125, true));
    assert_eq!(*World::new(config.clone()).unwrap().config(), config);
}

#[test]
fn settings_can_be_unset() {
    let unset = all_changed()
        .with_bounds([])
        .with_cell_size(None)
        .with_pair_limit(WorldConfig::new().pair_limit())
        .with_invalid_rows(InvalidRows::Reject)
        .with_parallel_threshold(WorldConfig::new().parallel_threshold())
        .with_simd_max(None)
        .with_body_shape(BodyShape::Aabb)
        .with_contact_tracking(false)
        .with_margin(0.0)
        .with_partner_lists(false);
    assert_eq!(unset, WorldConfig::new());
}

#[test]
fn margin_without_contact_tracking_is_refused() {
    let margin = WorldConfig::new().with_margin(0.5);
    let error = World::new(margin.clone()).map(|_| ()).unwrap_err();
    let Error::InvalidConfig { setting: "margin", value: SettingValue::Length(0.5), .. } = error else {
        panic!("{error}")
    };
    assert_eq!(error.to_string(), "margin is 0.5; must be 0 unless contact_tracking is on");
    assert!(World::new(margin.with_contact_tracking(true)).is_ok());
}

#[test]
fn messages_print_lengths_as_f32_and_counts_as_integers() {
    let message = |config| World::new(config).map(|_| ()).unwrap_err().to_string();
    assert_eq!(message(WorldConfig::new().with_cell_size(-0.1)), "cell_size is -0.1; must be finite and > 0");
    assert_eq!(message(WorldConfig::new().with_bounds([0.1; 9])), "number of bounds is 9; must be at most 8");
}

/// A feature that is off gives `None` even if bodies touch; one that is on gives `Some` even if
/// none do.
#[test]
fn features_that_are_off_are_not_empty_answers() {
    let touching = [[0.0f32, 0.0], [0.5, 0.0]];
    let mut plain = World::default();
    let contacts = plain.step(Bodies::uniform(&touching, [0.5, 0.5])).unwrap();
    assert_eq!(contacts.body_pairs().len(), 1);
    assert!(contacts.events().is_none() && contacts.partners(0).is_none() && contacts.static_partners(0).is_none());
    assert!(plain.events_mut().is_none());

    let config = WorldConfig::new().with_contact_tracking(true).with_partner_lists(true);
    let mut full = World::new(config).unwrap();
    let contacts = full.step(Bodies::uniform(&[[0.0f32, 0.0]], [0.5, 0.5])).unwrap();
    assert_eq!(contacts.events().unwrap().started().count(), 0);
    assert_eq!((contacts.partners(0), contacts.static_partners(0)), (Some(&[][..]), Some(&[][..])));
    assert_eq!(full.events_mut().unwrap().tracked().count(), 0);
}

#[cfg(feature = "serde")]
#[test]
fn unknown_settings_are_refused_and_missing_ones_have_defaults() {
    let read = |text: &str| serde_json::from_str::<WorldConfig>(text);
    assert_eq!(read("{}").unwrap(), WorldConfig::new());
    assert_eq!(read(r#"{"margin": 0.5, "contact_tracking": true}"#).unwrap().margin(), 0.5);
    let error = read(r#"{"magrin": 0.5}"#).unwrap_err().to_string();
    assert!(error.contains("unknown field `magrin`"), "{error}");
    let text = serde_json::to_string(&all_changed()).unwrap();
    assert_eq!(read(&text).unwrap(), all_changed());
}

/// Steps bodies that touch in a pool of eight threads, and returns whether tasks ran on more
/// than one of them.
///
/// The thread of the first page of pairs waits until another thread has one, so the result does
/// not depend on the scheduler: idle threads steal the tasks of the waiting one. The wait is short
/// where none is expected.
#[cfg(feature = "parallel")]
fn runs_on_several_threads(body_count: usize, config: WorldConfig, expected: bool) -> bool {
    use std::collections::HashSet;
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    let pool = &triphase_tests::pools()[2];
    let centers: Vec<[f32; 2]> = (0..body_count).map(|k| [(k % 100) as f32, (k / 100) as f32]).collect();
    let (threads, arrived) = (Mutex::new(HashSet::new()), Condvar::new());
    let patience = if expected { Duration::from_secs(60) } else { Duration::from_millis(300) };
    let on_page = |_: triphase::StreamedPage<'_>| {
        let mut threads = threads.lock().unwrap();
        let is_first = threads.is_empty();
        threads.insert(std::thread::current().id());
        arrived.notify_all();
        if is_first {
            drop(arrived.wait_timeout_while(threads, patience, |threads| threads.len() < 2).unwrap());
        }
    };
    let mut world = World::new(config).unwrap();
    let bodies = Bodies::uniform(&centers, [0.6, 0.6]);
    pool.install(|| world.step_streamed(bodies, on_page).map(|_| ())).unwrap();
    assert!(world.report().grids[0].band_count > 1, "several tasks have pairs");
    let threads = threads.into_inner().unwrap();
    assert!(!threads.is_empty());
    threads.len() > 1
}

#[cfg(feature = "parallel")]
#[test]
fn steps_use_several_threads_from_the_parallel_threshold_on() {
    let default = WorldConfig::new();
    assert_eq!(default.parallel_threshold(), Some(8_000));
    for (body_count, threshold, expected) in [
        (7_999, Some(8_000), false),
        (8_000, Some(8_000), true),
        (5_000, Some(5_000), true),
        (9_000, Some(9_001), false),
        (9_000, None, false),
        (9_000, Some(0), true),
    ] {
        let config = default.clone().with_parallel_threshold(threshold);
        let found = runs_on_several_threads(body_count, config, expected);
        assert_eq!(found, expected, "{body_count} bodies, threshold {threshold:?}");
    }
}
