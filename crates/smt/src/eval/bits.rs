//! Bit patterns of values: masks, signs.

/// All ones in the low `bits` bits.
#[must_use]
pub(crate) fn mask(bits: u16) -> u128 {
    if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    }
}

/// The value read as a two's complement number of `bits` bits.
#[must_use]
pub(crate) fn signed(value: u128, bits: u16) -> i128 {
    let unused = 128 - u32::from(bits);
    (value << unused).cast_signed() >> unused
}

/// The smallest signed number, as a bit pattern.
#[must_use]
pub(crate) fn sign_bit(bits: u16) -> u128 {
    1 << (bits - 1)
}
