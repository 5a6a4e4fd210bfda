//! Memory that outlives a step, and how tasks share it.

pub(crate) mod bitset;
pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod disjoint;
pub(crate) mod pages;
pub(crate) mod record;

/// Makes `items` at least `len` long, with an eighth to spare when it has to grow: doubling, as vectors do, would
/// cost the largest buffers twice what they need, and less than a constant share would make growth frequent.
pub(crate) fn grow<T: Clone + Default>(items: &mut Vec<T>, len: usize) {
    if items.len() < len {
        if items.capacity() < len {
            // What is in there is scratch: nothing is worth a copy.
            items.clear();
            items.reserve_exact(len + len / 8);
        }
        items.resize(len, T::default());
    }
}

/// Gives `items` the capacity that `other` has.
pub(crate) fn reserve_like<T>(items: &mut Vec<T>, other: &Vec<T>) {
    items.reserve_exact(other.capacity().saturating_sub(items.len()));
}
