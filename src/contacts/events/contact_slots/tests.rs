//! Slots compared with a sorted map.

use super::*;
use crate::memory::buffers::Buffers;
use crate::pair::entry;
use std::collections::BTreeMap;
use triphase_scenes::SplitMix64;

/// Checks all that can be asked of the slots.
fn check(slots: &ContactSlots, expected: &BTreeMap<u64, u32>) {
    assert_eq!(slots.count(), expected.len());
    assert!(slots.iter().eq(expected.iter().map(|(&entry, &value)| Contact { entry, value })));
    for row in 0..SPAN_ROWS as u32 {
        let wanted = entry(row, 3);
        let found = slots.find(wanted).map(|slot| slots.get(slot));
        assert_eq!(found, expected.get(&wanted).map(|&value| Contact { entry: wanted, value }));
    }
}

#[test]
fn edits_match_those_of_a_sorted_map() {
    for (rows, partners) in [(SPAN_ROWS, 4), (40, 4), (2, 500), (300, 40)] {
        let mut random = SplitMix64::new(rows as u64);
        let (mut slots, mut expected) = (ContactSlots::default(), BTreeMap::new());
        for round in 0..80 {
            // Values are 0 at first, then some are inserted, and later some are set.
            let value = |entry: u64| if round < 20 { 0 } else { entry as u32 + round };
            let removed: Vec<u64> = expected.keys().copied().filter(|_| random.below(8) == 0).collect();
            slots.remove(&removed, |contact| assert_eq!(expected.remove(&contact.entry), Some(contact.value)));
            check(&slots, &expected);

            let mut inserted: Vec<Insertion> = (0..random.below(200))
                .map(|_| entry(random.below(rows) as u32, random.below(partners) as u32))
                .filter(|entry| !expected.contains_key(entry))
                .map(|entry| Insertion { entry, value: value(entry), began: entry % 3 == 0 })
                .collect();
            inserted.sort_unstable_by_key(|new| new.entry);
            inserted.dedup_by_key(|new| new.entry);
            let mut started = Vec::new();
            slots.insert(&inserted, &mut started);
            expected.extend(inserted.iter().map(|new| (new.entry, new.value)));
            check(&slots, &expected);
            let began = inserted.iter().filter(|new| new.began).map(|new| new.entry);
            assert!(started.iter().map(|&slot| slots.get(slot as usize).entry).eq(began));

            if round >= 40 {
                for ((entry, value), expected) in slots.iter_mut().zip(expected.values_mut()) {
                    *value = value.wrapping_add(entry as u32 % 7);
                    *expected = *value;
                }
                check(&slots, &expected);
            }
            if random.below(10) == 0 {
                slots.pack();
                check(&slots, &expected);
                assert!(slots.packed_entries().iter().eq(expected.keys()));
                assert!(slots.padded_entries()[expected.len()..].iter().all(|&entry| entry == NO_ENTRY));
            }
        }
    }
}

#[test]
fn slots_of_removed_contacts_are_dropped() {
    let mut slots = ContactSlots::default();
    let inserted: Vec<Insertion> = (0..40_000).map(|k| Insertion::began(entry(k / 10, k))).collect();
    slots.insert(&inserted, &mut Vec::new());
    let entries: Vec<u64> = inserted.iter().map(|new| new.entry).collect();
    slots.remove(&entries[100..], |_| ());
    assert!(slots.iter().map(|contact| contact.entry).eq(entries[..100].iter().copied()));
    assert!(slots.slot_count() < 200);
    slots.remove(&entries[..100], |_| ());
    assert_eq!((slots.slot_count(), slots.count()), (0, 0));
    slots.shrink_to_fit();
    assert_eq!(slots.bytes(), 0);
}

#[test]
fn in_steady_motion_slots_stay_few() {
    let mut random = SplitMix64::new(5);
    let (mut slots, mut present) = (ContactSlots::default(), Vec::new());
    let mut most_bytes = [0; 2];
    for round in 0..3000 {
        let mut removed: Vec<u64> = Vec::new();
        while present.len() > SPAN_ROWS {
            removed.push(present.swap_remove(random.below(present.len())));
        }
        removed.sort_unstable();
        slots.remove(&removed, |_| ());
        let began = |_| Insertion::began(entry(random.below(SPAN_ROWS) as u32, random.next_u64() as u32));
        let mut inserted: Vec<Insertion> = (0..30).map(began).collect();
        inserted.sort_unstable_by_key(|new| new.entry);
        slots.insert(&inserted, &mut Vec::new());
        present.extend(inserted.iter().map(|new| new.entry));
        let most = &mut most_bytes[usize::from(round >= 1000)];
        *most = slots.bytes().max(*most);
    }
    let [first, later] = most_bytes;
    assert!(later <= first + first / 8, "{first} bytes, later {later}");
    assert!(slots.slot_count() < 2 * slots.count());
}
