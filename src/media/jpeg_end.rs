//! Ends JPEGs whose end marker is missing, as some cameras and broken transfers leave them.
//!
//! A decoder does not report whether all pixels were there. So a picture is decoded several times,
//! each time with other bytes after its own: only missing pixels can come from those.

/// The marker for the end of the image (ITU-T T.81, table B.1).
const END: [u8; 2] = [0xff, 0xd9];
/// Bytes that stand for missing ones, more than enough for some missing pixels.
const STAND_IN: usize = 4096;
/// How often a picture without an end marker is decoded, at most.
pub(super) const DECODED: u64 = 5;

/// The JPEG with an end marker.
pub(super) fn ended(jpeg: &[u8]) -> Vec<u8> {
    [without_half_a_marker(jpeg), &END].concat()
}

/// The JPEG with different bytes in place of missing ones, and an end marker. Any one of them may
/// mean the same pixels by chance, or no pixels at all.
pub(super) fn ended_otherwise(jpeg: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    // No byte is the first one of a marker.
    let mut state = 0x9e37_79b9_u32;
    let mut irregular = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8 & 0x7f
    };
    (1..DECODED).map(move |variant| {
        let mut ended = without_half_a_marker(jpeg).to_vec();
        ended.extend((0..STAND_IN).map(|_| match variant {
            1 => 0x55,
            2 => 0xaa,
            _ => irregular(),
        }));
        ended.extend_from_slice(&END);
        ended
    })
}

/// The JPEG without the first half of a marker at its end.
fn without_half_a_marker(jpeg: &[u8]) -> &[u8] {
    jpeg.strip_suffix(&[0xff]).unwrap_or(jpeg)
}
