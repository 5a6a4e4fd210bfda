//! The table by which instruction sets with a shuffle of sixteen bytes compress the hits of four
//! lanes.

/// For each mask of four lanes: the bytes of its set lanes, first to last, as the indices of a byte
/// shuffle. The bytes after them are unspecified.
pub(super) static COMPRESS_FOUR: [[u8; 16]; 16] = compress_four();

const fn compress_four() -> [[u8; 16]; 16] {
    let mut table = [[0; 16]; 16];
    let mut mask = 0;
    while mask < 16 {
        let (mut lane, mut count) = (0, 0);
        while lane < 4 {
            if mask >> lane & 1 == 1 {
                let mut byte = 0;
                while byte < 4 {
                    table[mask][4 * count + byte] = (4 * lane + byte) as u8;
                    byte += 1;
                }
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}
