//! rapier's interaction groups as filters.

use rapier2d::geometry::{InteractionGroups, InteractionTestMode};
use triphase::Filter;

/// The filter of a collider. It lets all pairs through that rapier does, and only these if both
/// colliders have the mode `And`, which is the default.
///
/// A filter is rapier's mode `And`: each must accept the other. rapier uses the mode `Or`, in which
/// one side is enough, only between two colliders that both have it. No filter says that, so a
/// collider in that mode gets one that accepts all, and [`needs_test`] is true of it.
pub fn filter_of(groups: InteractionGroups) -> Filter {
    match groups.test_mode {
        InteractionTestMode::And => Filter::new(groups.memberships.bits(), groups.filter.bits()),
        InteractionTestMode::Or => Filter::ALL,
    }
}

/// Whether pairs of this collider have to be tested with [`InteractionGroups::test`].
pub fn needs_test(groups: InteractionGroups) -> bool {
    groups.test_mode == InteractionTestMode::Or
}

#[cfg(test)]
mod tests {
    use super::*;
    use rapier2d::geometry::Group;

    #[test]
    fn filters_and_tests_accept_the_pairs_that_rapier_accepts() {
        let bits = [0, 1, 2, 3, 1 << 31, u32::MAX];
        let modes = [InteractionTestMode::And, InteractionTestMode::Or];
        let mut all = Vec::new();
        for (members, accepted) in bits.iter().flat_map(|&members| bits.map(|accepted| (members, accepted))) {
            let groups = |mode| {
                InteractionGroups::new(Group::from_bits_retain(members), Group::from_bits_retain(accepted), mode)
            };
            all.extend(modes.map(groups));
        }
        for &a in &all {
            for &b in &all {
                let interact = filter_of(a).interacts_with(filter_of(b));
                let is_tested = needs_test(a) || needs_test(b);
                assert!(interact || !a.test(b), "the filter removes a pair of {a:?} and {b:?}");
                assert_eq!(interact && (!is_tested || a.test(b)), a.test(b), "{a:?} and {b:?}");
            }
        }
    }
}
