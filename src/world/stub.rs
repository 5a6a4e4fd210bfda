use crate::geometry::*;
use crate::storage::bitset::BitSet;
#[derive(Default)]
pub(crate) struct LooseGrid { boxes: Vec<RawBox> }
impl LooseGrid {
    pub(crate) fn rebuild(&mut self, boxes: &[RawBox]) { self.boxes.clear(); self.boxes.extend_from_slice(boxes); }
    pub(crate) fn block_count(&self) -> usize { 1 }
    pub(crate) fn loose_cell_count(&self) -> usize { 0 }
    pub(crate) fn find_block_pairs(&self, _: usize, _: &mut BitSet, emit: &mut impl FnMut(u32, u32)) {
        for (i, a) in self.boxes.iter().enumerate() { for (j, b) in self.boxes.iter().enumerate().skip(i+1) { if overlaps(a,b) { emit(i as u32,j as u32) } } }
    }
    pub(crate) fn collect(&self, area: &RawBox, _: &mut BitSet, found: &mut Vec<u32>) {
        found.extend((0..self.boxes.len() as u32).filter(|&i| overlaps(&self.boxes[i as usize], area)));
    }
    pub(crate) fn bytes(&self) -> usize { 0 }
    pub(crate) fn shrink_to_fit(&mut self) {}
}
