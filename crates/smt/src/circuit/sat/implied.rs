//! What the known bits of a gate imply of its other bits.

/// What a bit is known to be; two bits of a [`State`].
pub(super) const OPEN: u8 = 0;
pub(super) const TRUE: u8 = 1;
pub(super) const FALSE: u8 = 2;

/// How a gate's first bit follows from its others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Input,
    And,
    Xor,
    Choice,
    Majority,
}

const KINDS: [Kind; 5] = [
    Kind::Input,
    Kind::And,
    Kind::Xor,
    Kind::Choice,
    Kind::Majority,
];

/// Bits of a gate: its own, then those of its operands.
pub(super) const PINS: usize = 4;

/// What is known of all bits of a gate, two bits for each, its own the lowest.
pub(super) type State = u8;

/// The bits that a state implies to be 1, and above them those that it implies to be 0.
pub(super) type Implied = u8;

/// No bits are as the state has them.
pub(super) const CONFLICT: Implied = 0xff;

/// For each kind and state.
pub(super) static IMPLIED: [[Implied; 256]; KINDS.len()] = {
    let mut all = [[0; 256]; KINDS.len()];
    let mut kind = 0;
    while kind < KINDS.len() {
        let mut state = 0;
        while state < 256 {
            all[kind][state] = implied(KINDS[kind], state as State);
            state += 1;
        }
        kind += 1;
    }
    all
};

/// Tries all bits.
const fn implied(kind: Kind, state: State) -> Implied {
    let (mut can_be_1, mut can_be_0, mut bits) = (0, 0, 0_u8);
    while bits < 1 << PINS {
        if computes(kind, bits) && agrees(state, bits) {
            can_be_1 |= bits;
            can_be_0 |= !bits & 0xf;
        }
        bits += 1;
    }
    if can_be_1 | can_be_0 == 0 {
        return CONFLICT;
    }
    let (mut open, mut pin) = (0, 0);
    while pin < PINS {
        if state >> (2 * pin) & 3 == OPEN {
            open |= 1 << pin;
        }
        pin += 1;
    }
    (open & can_be_1 & !can_be_0) | (open & can_be_0 & !can_be_1) << 4
}

const fn computes(kind: Kind, bits: u8) -> bool {
    let (z, a, b, c) = (bits & 1 == 1, bits & 2 == 2, bits & 4 == 4, bits & 8 == 8);
    z == match kind {
        Kind::Input => return true,
        Kind::And => a & b,
        Kind::Xor => a ^ b,
        Kind::Choice => (a & b) | (!a & c),
        Kind::Majority => (a & b) | (a & c) | (b & c),
    }
}

const fn agrees(state: State, bits: u8) -> bool {
    let mut pin = 0;
    while pin < PINS {
        let is_set = bits >> pin & 1 == 1;
        match state >> (2 * pin) & 3 {
            OPEN => {}
            TRUE if is_set => {}
            FALSE if !is_set => {}
            _ => return false,
        }
        pin += 1;
    }
    true
}
