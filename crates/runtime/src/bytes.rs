//! Where bytes are, sixteen at a time. A library for it is shared with crates that need `std`, and would bring that with it; the program
//! under test may define `memchr` and its like itself.
#![allow(unsafe_code, reason = "vector instructions")]

use core::arch::x86_64::{
    __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
};

const LANES: usize = size_of::<__m128i>();

/// The first place of the byte.
pub(crate) fn first(wanted: u8, bytes: &[u8]) -> Option<usize> {
    first_of_two(wanted, wanted, bytes)
}

/// The first place of one of two bytes.
pub(crate) fn first_of_two(one: u8, other: u8, bytes: &[u8]) -> Option<usize> {
    let chunks = bytes.chunks_exact(LANES);
    let rest = chunks.remainder();
    for (index, chunk) in chunks.enumerate() {
        // SAFETY: a chunk is as long as a vector; every processor of this kind has these instructions.
        let found = unsafe {
            let chunk = _mm_loadu_si128(chunk.as_ptr().cast());
            let one = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(one.cast_signed()));
            let other = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(other.cast_signed()));
            _mm_movemask_epi8(_mm_or_si128(one, other))
        };
        if found != 0 {
            return Some(index * LANES + found.trailing_zeros() as usize);
        }
    }
    let place = rest.iter().position(|&byte| byte == one || byte == other)?;
    Some(bytes.len() - rest.len() + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found() {
        for length in 0..70 {
            for place in 0..length {
                let mut bytes = [b'.'; 70];
                bytes[place] = b'x';
                let expected = Some(place);
                assert_eq!(first(b'x', &bytes[..length]), expected, "{length}");
                assert_eq!(first_of_two(0, b'x', &bytes[..length]), expected);
                bytes[length - 1] = 0;
                let expected = Some(place.min(length - 1));
                assert_eq!(first_of_two(b'x', 0, &bytes[..length]), expected);
            }
            assert_eq!(first(b'x', &[b'.'; 70][..length]), None);
        }
    }
}
