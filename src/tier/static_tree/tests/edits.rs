//! Trees whose statics are inserted, replaced, removed, enabled and disabled, against a list.

use crate::error::Error;
use crate::geometry::RawAabb;
use crate::input::filter::Filter;
use crate::input::statics::Statics;
use crate::tier::static_tree::tests::queries::check_all;
use crate::tier::static_tree::tests::scenes::{areas, at, boxes, scenes, walls};
use crate::tier::static_tree::tests::tree::check;
use crate::tier::static_tree::tree::StaticTree;
use triphase_scenes::SplitMix64;

/// A tree, and for each row its box and whether it is enabled; `None` if it was removed.
struct Edited {
    tree: StaticTree,
    rows: Vec<Option<(RawAabb, bool)>>,
}

impl Edited {
    fn new(boxes: &[RawAabb]) -> Self {
        Self { tree: StaticTree::new(boxes).unwrap(), rows: boxes.iter().map(|&aabb| Some((aabb, true))).collect() }
    }

    /// Makes a random change with boxes from `new`.
    fn change(&mut self, random: &mut SplitMix64, mut new: impl FnMut() -> RawAabb) {
        let count = [0, 1, 2, 20][random.below(4)];
        let boxes = boxes(count, |_| new());
        let row_count = self.rows.len();
        let rows: Vec<u32> =
            if row_count == 0 { vec![] } else { (0..count).map(|_| random.below(row_count) as u32).collect() };
        match random.below(4) {
            0 => {
                let added = self.tree.insert(&boxes).unwrap();
                assert_eq!(added, row_count as u32..(row_count + count) as u32);
                self.rows.extend(boxes.iter().map(|&aabb| Some((aabb, true))));
            }
            1 => {
                self.tree.replace(&rows, &boxes[..rows.len()]).unwrap();
                rows.iter().zip(boxes).for_each(|(&row, aabb)| self.rows[row as usize] = Some((aabb, true)));
            }
            2 => {
                self.tree.remove(&rows).unwrap();
                rows.iter().for_each(|&row| self.rows[row as usize] = None);
            }
            _ => {
                for &row in &rows {
                    let enabled = random.below(2) == 0;
                    let outcome = self.tree.set_enabled(row, enabled);
                    match &mut self.rows[row as usize] {
                        Some((_, before)) => assert_eq!(outcome, Ok(std::mem::replace(before, enabled))),
                        None => assert_eq!(outcome, Err(Error::StaticRemoved { row })),
                    }
                }
            }
        }
    }

    fn assert_same(&self, tree: &StaticTree) {
        tree.assert_well_formed();
        assert_eq!(tree.len(), self.rows.len());
        for (row, expected) in (0..).zip(&self.rows) {
            assert_eq!(tree.aabb(row).map(|aabb| aabb.to_array()), expected.map(|(aabb, _)| aabb), "row {row}");
            assert_eq!(tree.is_enabled(row), expected.map(|(_, enabled)| enabled), "row {row}");
        }
    }
}

#[test]
fn searches_after_any_changes_are_exact() {
    for (seed, (name, boxes)) in scenes().into_iter().enumerate() {
        let mut random = SplitMix64::new(seed as u64);
        // The second half comes later, between changes.
        let (first, later) = boxes.split_at(boxes.len() / 2);
        let mut edited = Edited::new(first);
        let mut later = later.iter().copied().cycle();
        let mut largest_change = 0;
        for round in 0..3 {
            for _ in 0..40 {
                edited.change(&mut random, || later.next().unwrap_or([0.0; 4]));
                largest_change = largest_change.max(edited.tree.changed_count());
            }
            edited.assert_same(&edited.tree);
            let mut areas = areas(&boxes, &edited.tree, seed as u64);
            areas.truncate(40);
            check(&format!("{name}, round {round}"), &edited.tree, &areas);
            check_all(name, &edited.tree, &areas[..areas.len().min(12)], &mut random, 12);
            assert_eq!(edited.tree.clone().bounds(), edited.tree.bounds());
        }
        assert!(largest_change > 0 && largest_change <= 64.max(edited.rows.len() / 16), "{name}: {largest_change}");
    }
}

#[test]
fn clones_and_copies_do_not_change_with_the_tree() {
    let walls = walls(3000, 5, [0.0, 0.0]);
    let (mut edited, mut random) = (Edited::new(&walls), SplitMix64::new(5));
    let mut copy = StaticTree::default();
    for _ in 0..60 {
        let (clone, rows) = (edited.tree.clone(), edited.rows.clone());
        copy.copy_from(&edited.tree);
        edited.change(&mut random, || at(7.0, 7.0, 30.0, 1.0));
        let before = Edited { tree: clone, rows };
        before.assert_same(&before.tree);
        before.assert_same(&copy);
        let all_bytes = edited.tree.memory_bytes();
        assert!(edited.tree.bytes_beside(&copy) <= all_bytes);
    }
    copy.copy_from(&edited.tree);
    assert!(edited.tree.bytes_beside(&copy) * 10 < edited.tree.memory_bytes(), "most memory is shared");
}

#[test]
fn the_tree_is_built_anew_after_many_changes() {
    let mut tree = StaticTree::new(&walls(4000, 6, [0.0, 0.0])).unwrap();
    let rows: Vec<u32> = (0..250).collect();
    tree.remove(&rows).unwrap();
    assert_eq!(tree.changed_count(), 250);
    tree.remove(&rows).unwrap();
    assert_eq!(tree.changed_count(), 250, "they were removed before");
    let entries = tree.entry_count();
    tree.insert(&[[0.0f32, 0.0, 1.0, 1.0]]).unwrap();
    assert_eq!(tree.changed_count(), 0, "251 of 4001 are more than a sixteenth");
    assert!(tree.entry_count() < entries, "removed statics are in no leaf");
    tree.assert_well_formed();
}

#[test]
fn all_statics_are_changed_in_one_call() {
    let boxes = walls(200_000, 7, [0.0, 0.0]);
    let mut tree = StaticTree::new(&boxes).unwrap();
    // Every row twice, from the last one on.
    let rows: Vec<u32> = (0..200_000).rev().flat_map(|row| [row, row]).collect();
    tree.remove(&rows).unwrap();
    assert_eq!((tree.bounds(), tree.entry_count(), tree.len()), (None, 0, 200_000));
    tree.replace(&rows, &rows.iter().map(|&row| boxes[row as usize]).collect::<Vec<_>>()).unwrap();
    tree.assert_well_formed();
    assert_eq!(tree.entry_count(), StaticTree::new(&boxes).unwrap().entry_count());
}

#[test]
fn ids_and_filters_change_with_their_rows() {
    let (wall, layer) = ([0.0f32, 0.0, 1.0, 1.0], Filter::new(2, 4));
    let mut tree = StaticTree::new(Statics::new(&[wall, wall]).with_ids(&[70, 71])).unwrap();
    tree.insert(Statics::new(&[wall]).with_ids(&[72]).with_filters(&[layer])).unwrap();
    tree.replace(&[0], Statics::new(&[wall]).with_ids(&[80])).unwrap();
    assert_eq!([0, 1, 2, 3].map(|row| tree.id(row)), [Some(80), Some(71), Some(72), None]);
    assert_eq!([0, 1, 2, 3].map(|row| tree.filter(row)), [Some(Filter::ALL), Some(Filter::ALL), Some(layer), None]);
    tree.replace(&[2, 1], Statics::new(&[wall, wall]).with_ids(&[90, 91]).with_filters(&[Filter::ALL, layer])).unwrap();
    assert_eq!([0, 1, 2].map(|row| tree.id(row)), [Some(80), Some(91), Some(90)]);
    assert_eq!([1, 2].map(|row| tree.filter(row)), [Some(layer), Some(Filter::ALL)]);
}

#[test]
fn a_change_with_an_error_changes_nothing() {
    let (wall, bad) = ([0.0f32, 0.0, 1.0, 1.0], [0.0, f32::NAN, 1.0, 1.0]);
    let mut edited = Edited::new(&[wall; 3]);
    let before = Edited::new(&[wall; 3]);
    let invalid = |outcome: Error| matches!(outcome, Error::InvalidStatic(row) if row.row == 1);
    assert!(invalid(edited.tree.insert(&[wall, bad]).unwrap_err()));
    assert!(invalid(edited.tree.replace(&[2, 0], &[wall, bad]).unwrap_err()));
    let out_of_range = Err(Error::StaticOutOfRange { row: 3, count: 3 });
    assert_eq!(edited.tree.replace(&[0, 3], &[wall, wall]), out_of_range);
    assert_eq!(edited.tree.remove(&[0, 3]), out_of_range);
    let mismatch = Error::StaticCountMismatch { row_count: 1, static_count: 2 };
    assert_eq!(edited.tree.replace(&[0], &[wall, wall]), Err(mismatch));
    let with_ids = || Statics::new(std::slice::from_ref(&wall)).with_ids(&[5]);
    let no_ids = Error::InconsistentStaticIds { set_has_ids: false };
    assert_eq!(edited.tree.insert(with_ids()), Err(no_ids.clone()));
    assert_eq!(edited.tree.replace(&[0], with_ids()), Err(no_ids));
    before.assert_same(&edited.tree);
    assert_eq!(edited.tree.changed_count(), 0);
    let mut empty = StaticTree::default();
    assert_eq!(empty.insert(with_ids()), Ok(0..1), "an empty tree takes either");
    assert_eq!(empty.insert(&[wall]), Err(Error::InconsistentStaticIds { set_has_ids: true }));
}
