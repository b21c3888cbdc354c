//! MD5 (RFC 1321), for one purpose: the coverage mapping names a function by the low 64 bits of the MD5 of its
//! profile name, and a list of file names by that of its bytes. Not for security.

/// First 64 bits of the digest, little-endian: LLVM's `IndexedInstrProf::ComputeHash`.
#[must_use]
pub fn hash(data: &[u8]) -> u64 {
    let digest = digest(data);
    u64::from(digest[0]) | u64::from(digest[1]) << 32
}

const SHIFTS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

fn digest(data: &[u8]) -> [u32; 4] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = data.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((data.len() as u64).wrapping_mul(8).to_le_bytes());
    for chunk in padded.chunks_exact(64) {
        block(&mut state, chunk);
    }
    state
}

fn block(state: &mut [u32; 4], chunk: &[u8]) {
    let mut words = [0_u32; 16];
    for (word, bytes) in words.iter_mut().zip(chunk.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..64_usize {
        let (mix, index) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), (7 * step) % 16),
        };
        let sum = a
            .wrapping_add(mix)
            .wrapping_add(constant(step))
            .wrapping_add(words[index]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4]));
    }
    for (value, add) in state.iter_mut().zip([a, b, c, d]) {
        *value = value.wrapping_add(add);
    }
}

/// `floor(2^32 * |sin(step + 1)|)`, as the RFC defines its table.
fn constant(step: usize) -> u32 {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "the definition"
    )]
    let value = (((step + 1) as f64).sin().abs() * 4_294_967_296.0).floor() as u64 as u32;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_test_suite() {
        let hex = |data: &[u8]| {
            digest(data)
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>()
        };
        assert_eq!(hex(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        let long =
            b"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(hex(long), "57edf4a22be3c955ac49da2e2107b67a");
    }

    #[test]
    fn names_of_functions() {
        assert_eq!(hash(b"main"), 0xDB95_6436_E78D_D5FA);
    }
}
