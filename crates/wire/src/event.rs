//! The event stream: every branch, call and return of the run in order, as 32-bit words.
//!
//! The first word of an event is `kind << 29 | payload`. Ids in events are *run-time ids*: the id inside the
//! module plus the module's base, see [`crate::segment::ModuleRecord`].

/// Kinds, the top three bits of an event's first word.
pub mod kind {
    /// `[EDGE | edge]`: an edge of a site was taken; nothing symbolic decided it.
    pub const EDGE: u32 = 0;
    /// `[EDGE_SYM | edge] [label]`: the label is the branch condition (width 1, true = the `true` edge). It is
    /// non-zero, and its node's concrete value agrees with the edge.
    pub const EDGE_SYM: u32 = 1;
    /// `[SWITCH | 0] [label]`: the next EDGE belongs to a `switch` over this label.
    pub const SWITCH: u32 = 2;
    /// `[CALL | function]`: an instrumented function was entered.
    pub const CALL: u32 = 3;
    /// `[RETURN | function]`: it returned. After `longjmp`, MARK/RESUME tells where execution is.
    pub const RETURN: u32 = 4;
    /// `[CONSTRAINT | class] [spot] [label]`: the label (width 1) is true on this run for a reason that is no branch
    /// of the source; see [`super::class`].
    pub const CONSTRAINT: u32 = 5;
    /// `[INPUT | index]`: value `index` of the value stream was created here.
    pub const INPUT: u32 = 6;
    /// `[MARK | code] [argument]`: see [`super::mark`].
    pub const MARK: u32 = 7;
}

/// Classes of CONSTRAINT events.
pub mod class {
    /// An address or a length was pinned to its concrete value: `expression == value`. Other values may be tried.
    pub const PIN: u32 = 0;
    /// The program would trap otherwise (divisor not 0, index inside its object). Flipping it seeks a crash. When the
    /// program is about to trap, it is the negation that is recorded, so that the search can get past the trap.
    pub const CHECK: u32 = 1;
    /// A decision inside a modelled library function or an input model (end of file, short read).
    pub const LIBRARY: u32 = 2;
    /// The program assumed it (`bw_assume`, `__VERIFIER_assume`). Never flipped.
    pub const ASSUME: u32 = 3;
}

/// Codes of MARK events.
pub mod mark {
    /// `setjmp` returned in the function (argument: function id): frames above it are gone.
    pub const RESUME: u32 = 0;
    /// A second thread was started: what other threads do is not in the stream.
    pub const THREADS: u32 = 1;
    /// The process forked: the child's events are not in the stream.
    pub const FORKED: u32 = 2;
    /// `reach_error` was called.
    pub const REACH_ERROR: u32 = 3;
    /// `bw_assume` failed: the run stopped here and is not a test.
    pub const ASSUME_FAILED: u32 = 4;
    /// The program took over the process (`exec`).
    pub const EXEC: u32 = 5;
    /// Text of the input was compared with other text, and was not it (argument: word offset of a table that has the bytes of
    /// both, one after the other; those of the input have labels, the others none).
    pub const COMPARED: u32 = 6;
}

/// Spot of a constraint or a loss that no instruction of the program stands for (inside a library wrapper).
pub const NO_SPOT: u32 = u32::MAX;

/// What stands behind the last event, no event itself. Instrumented code keeps the cursor in a register between calls,
/// so a run that was killed may have written events beyond `Hot::cursor`: they go on up to the first `END`.
pub const END: u32 = u32::MAX;

/// Number of payload bits.
pub const PAYLOAD_BITS: u32 = 29;
/// Mask of the payload.
pub const PAYLOAD_MASK: u32 = (1 << PAYLOAD_BITS) - 1;

/// First word of an event.
#[must_use]
pub const fn word(kind: u32, payload: u32) -> u32 {
    (kind << PAYLOAD_BITS) | (payload & PAYLOAD_MASK)
}

/// Kind and payload of a first word.
#[must_use]
pub const fn parts(word: u32) -> (u32, u32) {
    (word >> PAYLOAD_BITS, word & PAYLOAD_MASK)
}

/// Words that an event of this kind has, the first included.
#[must_use]
pub const fn words(kind: u32) -> usize {
    match kind {
        kind::EDGE_SYM | kind::SWITCH | kind::MARK => 2,
        kind::CONSTRAINT => 3,
        _ => 1,
    }
}
