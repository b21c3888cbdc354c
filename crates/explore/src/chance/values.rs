//! Random changes of single values.

use super::dictionary::Dictionary;
use crate::rng::Rng;
use path::ValueType;

/// Another value of the same kind; `donor` is the value of another test in its place.
pub(super) fn change(
    rng: &mut Rng,
    words: &Dictionary,
    (kind, bits): (ValueType, u128),
    donor: Option<u128>,
) -> u128 {
    let changed = match (kind, donor) {
        (_, Some(donor)) if rng.below(8) == 0 => donor,
        (ValueType::Bool, _) => bits ^ 1,
        (ValueType::F32, _) => {
            let old = f64::from(f32::from_bits(bits as u32));
            u128::from((float(rng, words, old) as f32).to_bits())
        }
        (ValueType::F64, _) => u128::from(float(rng, words, f64::from_bits(bits as u64)).to_bits()),
        _ => integer(rng, words, u32::from(kind.bits()), bits),
    };
    changed & (u128::MAX >> (128 - u32::from(kind.bits())))
}

fn integer(rng: &mut Rng, words: &Dictionary, width: u32, old: u128) -> u128 {
    let small = rng.below(17) as u128;
    match rng.below(9) {
        0..=2 => words.integer(rng).unwrap_or(small),
        3 => words
            .integer(rng)
            .unwrap_or(0)
            .wrapping_add(small)
            .wrapping_sub(8),
        4 => old.wrapping_add(small).wrapping_sub(8),
        5 => old ^ (1 << rng.below(width as usize)),
        6 => {
            // Ends of the ranges of all widths, signed and unsigned.
            let end = u128::MAX >> (127 - rng.below(width as usize));
            if rng.below(2) == 0 {
                end
            } else {
                end.wrapping_add(1)
            }
        }
        7 => u128::from(rng.bits()) >> rng.below(64),
        // The program compares with the end of a range: tokens, and other numbers that choose from a table.
        _ => {
            let end = words.integer(rng).and_then(|end| usize::try_from(end).ok());
            end.map_or(small, |end| rng.below(end.saturating_add(1)) as u128)
        }
    }
}

fn float(rng: &mut Rng, words: &Dictionary, old: f64) -> f64 {
    let unit = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let sided = 2.0 * unit - 1.0;
    match rng.below(10) {
        0..=1 => words.float(rng).unwrap_or(sided),
        2 => words.float(rng).unwrap_or(1.0) * (1.0 + sided),
        3 => sided,
        4 => 10.0 * sided,
        5 => 1000.0 * sided,
        6 => (100.0 * sided).round(),
        7 => -old,
        8 => old * 10_f64.powi(rng.below(7) as i32 - 3),
        _ => f64::from_bits(rng.bits()),
    }
}

const ALPHANUMERIC: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A byte that is near another one.
pub(super) fn near(rng: &mut Rng, old: u8) -> u8 {
    match rng.below(2) {
        0 => old ^ (1 << rng.below(8)),
        _ => old.wrapping_add(rng.below(17) as u8).wrapping_sub(8),
    }
}

/// Any byte, characters more often.
pub(super) fn byte(rng: &mut Rng) -> u8 {
    match rng.below(3) {
        0 => ALPHANUMERIC[rng.below(ALPHANUMERIC.len())],
        1 => b' ' + rng.below(95) as u8,
        _ => rng.bits() as u8,
    }
}
