//! Ids that several rows share.

/// The two rows that share an id, and the id. If there are several such pairs, the one whose higher
/// row is lowest.
pub(crate) fn first_duplicate(ids: &[u64], skipped: &[u32]) -> Option<(u32, u32, u64)> {
    let present = (0..ids.len() as u32).filter(|row| skipped.binary_search(row).is_err());
    let mut by_id: Vec<(u64, u32)> = present.map(|row| (ids[row as usize], row)).collect();
    by_id.sort_unstable();
    let duplicates = by_id.windows(2).filter(|two| two[0].0 == two[1].0);
    duplicates.map(|two| (two[0].1, two[1].1, two[0].0)).min_by_key(|&(first, second, _)| (second, first))
}
