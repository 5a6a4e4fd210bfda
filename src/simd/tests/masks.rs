//! The overlap masks of blocks against the scalar predicate.

use super::*;
use crate::geometry::overlaps;
use crate::memory::blocks::{SOA_BLOCK_LEN, SOA_BLOCK_WORDS, SoaBlocks, block_words, fill_blocks_from};
use crate::memory::box_group::{BoxGroup, GROUP_MAX};
use crate::memory::box_octet::{BoxOctet, OCTET_LEN};
use crate::simd::{OverlapIter, run_mask};

/// Edges that touch, or that differ by a bit, and extreme values.
const EDGES: [f32; 12] =
    [-INF, f32::MIN, -1.0, -1e-40, -0.0, 0.0, f32::MIN_POSITIVE, 1.0, 1.0000001, 2.0, f32::MAX, INF];

fn random_box(random: &mut Random) -> RawAabb {
    let mut edge = || EDGES[(random.next() % EDGES.len() as u64) as usize];
    let [a, b, c, d] = [edge(), edge(), edge(), edge()];
    [a.min(b), c.min(d), a.max(b), c.max(d)]
}

#[test]
fn masks_agree_with_the_predicate_in_every_lane() {
    let mut random = Random::new(11);
    for _ in 0..2000 {
        let records: Vec<BodyRecord> =
            (0..SOA_BLOCK_LEN as u32).map(|row| BodyRecord { aabb: random_box(&mut random), row }).collect();
        let mut words = vec![0; block_words(SOA_BLOCK_LEN)];
        fill_blocks_from(&mut words, &records);
        let blocks = SoaBlocks::of(&words, SOA_BLOCK_LEN);
        let area = random_box(&mut random);
        let expected =
            records.iter().fold(0, |mask, record| mask | u32::from(overlaps(&record.aabb, &area)) << record.row);
        for &level in levels() {
            let block = blocks.block(0);
            assert_eq!(level.overlap_mask(block, &area), expected, "{level:?}: {area:?}");
            let (nothing, both) = (&[f32::NAN.to_bits(); SOA_BLOCK_WORDS], expected | expected << SOA_BLOCK_LEN);
            assert_eq!(level.overlap_masks([block, block], &area), both, "{level:?}: {area:?}");
            assert_eq!(level.overlap_masks([nothing, block], &area), expected << SOA_BLOCK_LEN, "{level:?}: {area:?}");
        }
    }
}

#[test]
fn masks_of_groups_agree_with_the_predicate() {
    let mut random = Random::new(12);
    for len in (1..=GROUP_MAX).cycle().take(1000) {
        let boxes: Vec<RawAabb> = (0..len).map(|_| random_box(&mut random)).collect();
        let mut group = BoxGroup::new();
        boxes.iter().for_each(|aabb| group.extend(aabb.each_ref().map(std::slice::from_ref), &[0]));
        let area = random_box(&mut random);
        let expected = boxes.iter().rev().fold(0, |mask, aabb| mask << 1 | u64::from(overlaps(aabb, &area)));
        for &level in levels() {
            assert_eq!(level.group_mask(group.edges(), &area) & group.all(), expected, "{level:?}: {area:?}");
        }
    }
}

#[test]
fn masks_of_octets_agree_with_the_predicate() {
    let mut random = Random::new(13);
    for len in (0..=OCTET_LEN).cycle().take(1000) {
        let bodies: Vec<BodyRecord> =
            (0..len as u32).map(|row| BodyRecord { aabb: random_box(&mut random), row }).collect();
        let octet = BoxOctet::of(bodies.iter().copied());
        assert!((0..len).all(|lane| octet.body(lane) == bodies[lane]));
        for area in [random_box(&mut random), EVERYTHING] {
            let expected =
                bodies.iter().fold(0, |mask, body| mask | u32::from(overlaps(&body.aabb, &area)) << body.row);
            for &level in levels() {
                assert_eq!(level.octet_mask(octet.edges(), &area), expected, "{level:?}: {area:?}");
            }
        }
    }
}

#[test]
fn padding_never_counts() {
    for population in [1, 15, 16, 17, 40] {
        let records: Vec<BodyRecord> =
            (0..population).map(|row| BodyRecord { aabb: [0.0, 0.0, 1.0, 1.0], row }).collect();
        for padding in [EVERYTHING.map(f32::to_bits)[0], f32::NAN.to_bits(), u32::MAX, 0] {
            let mut words = vec![padding; block_words(records.len())];
            fill_blocks_from(&mut words, &records);
            let blocks = SoaBlocks::of(&words, records.len());
            for &level in levels() {
                assert!(OverlapIter::new(level, blocks, EVERYTHING).eq(0..records.len()), "{level:?}");
                assert_eq!(OverlapIter::new(level, blocks, [2.0, 0.0, 3.0, 1.0]).count(), 0, "{level:?}");
            }
        }
    }
}

#[test]
fn bits_of_a_run_are_those_in_the_block() {
    let bits = |run: Range<usize>, block: usize| run_mask(&run, block);
    assert_eq!(bits(0..16, 0), 0xFFFF);
    assert_eq!(bits(3..5, 0), 0b11000);
    assert_eq!(bits(3..50, 0), 0xFFF8);
    assert_eq!(bits(3..50, 1), 0xFFFF);
    assert_eq!(bits(3..50, 3), 0b11);
    assert_eq!(bits(16..17, 1), 1);
}
