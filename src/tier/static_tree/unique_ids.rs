//! Whether the ids of statics are unique, as they must be if contacts are tracked.

use crate::error::Error;
use crate::input::duplicate_ids::first_duplicate;
use crate::tier::static_tree::tree::StaticTree;

/// As [`check_static_ids`], for a set of which only these rows changed.
pub(crate) fn check_changed_static_ids(tree: &StaticTree, rows: impl IntoIterator<Item = u32>) -> Result<(), Error> {
    let Some(ids) = tree.ids() else { return Ok(()) };
    let mut changed: Vec<_> = rows.into_iter().filter(|&row| !tree.is_vacant(row)).map(|row| (ids[row], row)).collect();
    changed.sort_unstable();
    changed.dedup();
    let (Some(&(low, _)), Some(&(high, _))) = (changed.first(), changed.last()) else { return Ok(()) };
    let other_has_id = |(row, &id): (u32, &u64)| {
        let is_changed = |at: usize| changed[at].1 == row;
        // New ids are often above all others.
        (low..=high).contains(&id)
            && changed.binary_search_by_key(&id, |&(id, _)| id).is_ok_and(|at| !is_changed(at))
            && !tree.is_vacant(row)
    };
    let are_shared = changed.windows(2).any(|two| two[0].0 == two[1].0) || (0..).zip(ids.iter()).any(other_has_id);
    if are_shared { check_static_ids(tree) } else { Ok(()) }
}

/// Checks that no two statics share an id.
///
/// # Errors
///
/// [`Error::DuplicateStaticId`] names two that do.
pub(crate) fn check_static_ids(tree: &StaticTree) -> Result<(), Error> {
    let Some(ids) = tree.ids() else { return Ok(()) };
    let ids: Vec<u64> = ids.iter().copied().collect();
    let vacant: Vec<u32> = (0..tree.len() as u32).filter(|&row| tree.is_vacant(row)).collect();
    check_unique(&ids, &vacant)
}

/// Checks that the ids of statics are unique, apart from the rows in `not_counted`, which ascend.
///
/// # Errors
///
/// [`Error::DuplicateStaticId`] names two rows with one id.
pub(crate) fn check_unique(ids: &[u64], not_counted: &[u32]) -> Result<(), Error> {
    match first_duplicate(ids, not_counted) {
        Some((first, second, id)) => Err(Error::DuplicateStaticId { first, second, id }),
        None => Ok(()),
    }
}
