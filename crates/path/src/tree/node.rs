//! How a node lies in memory.
//!
//! Must hold: what is packed here leaves this file as `Option`s and enums only.

use smt::Term;

use super::NodeId;
use super::segment::SegmentId;
use crate::run::Class;

/// Bytes of a node, its share of a switch's sides not counted (4 for each side).
pub const NODE_BYTES: usize = size_of::<Node>();

/// What a decision is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A conditional branch: sides false, true.
    Branch,
    /// A conditional expression without a branch: sides false, true.
    Select,
    /// One side for each case, in order, then the default.
    Switch,
    /// A pinned value. Of constraints, side 1 is where the term holds as it was first recorded.
    Pin,
    /// Something that would trap.
    Check,
    /// A decision in a modelled library function.
    Library,
    /// An assumption of the program.
    Assume,
    /// The end of a path.
    End,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Branch,
        Kind::Select,
        Kind::Switch,
        Kind::Pin,
        Kind::Check,
        Kind::Library,
        Kind::Assume,
        Kind::End,
    ];

    /// The kind of a constraint of this class.
    #[must_use]
    pub const fn of_class(class: Class) -> Kind {
        match class {
            Class::Pin => Kind::Pin,
            Class::Check => Kind::Check,
            Class::Library => Kind::Library,
            Class::Assume => Kind::Assume,
        }
    }

    /// Does the source decide here, so that sides are edges?
    #[must_use]
    pub const fn is_branch(self) -> bool {
        matches!(self, Kind::Branch | Kind::Select | Kind::Switch)
    }

    /// Is it there for a reason that is no branch of the source?
    #[must_use]
    pub const fn is_constraint(self) -> bool {
        matches!(self, Kind::Pin | Kind::Check | Kind::Library | Kind::Assume)
    }

    /// Do strategies choose among its sides? The rest has lanes of its own, see `explore::agenda`.
    #[must_use]
    pub const fn for_strategies(self) -> bool {
        self.is_branch() || matches!(self, Kind::Library)
    }
}

/// State of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Not tried.
    Open,
    /// A job is looking into it.
    Selected,
    /// No input takes it after this prefix.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// An input was found, but its run went elsewhere.
    Diverged,
    /// Not to be taken: the other side of an assumption.
    Closed,
    /// Dropped by path filtering: what lies behind covers nothing new, see `explore::relevant`.
    Irrelevant,
    /// Put off: its path is long and has many like it, see `explore::campaign`. It is as good as open, but nobody is offered it.
    Deferred,
    /// A run took it; the first node behind it.
    Taken(NodeId),
}

/// A [`Side`] in one word, or the start of a switch's sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(u32);

const FIRST_STATE: u32 = 0xffff_fff0;
const STATES: [Side; 8] = [
    Side::Open,
    Side::Selected,
    Side::Unsat,
    Side::Unknown,
    Side::Diverged,
    Side::Closed,
    Side::Irrelevant,
    Side::Deferred,
];

impl Slot {
    pub(super) fn of(side: Side) -> Slot {
        let state = |index: u32| Slot(FIRST_STATE + index);
        match side {
            Side::Open => state(0),
            Side::Selected => state(1),
            Side::Unsat => state(2),
            Side::Unknown => state(3),
            Side::Diverged => state(4),
            Side::Closed => state(5),
            Side::Irrelevant => state(6),
            Side::Deferred => state(7),
            Side::Taken(node) => {
                assert!(
                    node.as_u32() < FIRST_STATE,
                    "a tree has fewer than 2^32 - 16 nodes"
                );
                Slot(node.as_u32())
            }
        }
    }

    pub(super) fn side(self) -> Side {
        match self.0.checked_sub(FIRST_STATE) {
            Some(state) => STATES[state as usize],
            None => Side::Taken(NodeId::from_u32(self.0)),
        }
    }

    pub(super) fn child(self) -> Option<NodeId> {
        (self.0 < FIRST_STATE).then(|| NodeId::from_u32(self.0))
    }

    /// A slot that holds a position in the table of switch sides.
    pub(super) const fn position(raw: u32) -> Slot {
        Slot(raw)
    }

    pub(super) const fn raw(self) -> u32 {
        self.0
    }
}

/// A node as it lies in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    parent: u32,
    /// Of an end, any term.
    pub(super) term: Term,
    pub(super) segment: SegmentId,
    /// First edge of a branch, spot of a constraint, run of an end.
    pub(super) place: u32,
    /// Decisions before this one.
    pub(super) depth: u32,
    /// Two sides; of a switch, where its sides start and how many there are.
    pub(super) slots: [Slot; 2],
    /// Kind in the low 3 bits, then one bit: it has alternatives; the rest is the side of the parent.
    meta: u32,
}

const KIND_BITS: u32 = 3;
const OTHERS: u32 = 1 << KIND_BITS;
const SIDE_SHIFT: u32 = KIND_BITS + 1;
const NO_PARENT: u32 = u32::MAX;

impl Node {
    pub(super) fn new(kind: Kind, term: Term, parent: Option<(NodeId, u32)>, depth: u32) -> Node {
        let side = parent.map_or(0, |(_, side)| side);
        assert!(
            side < 1 << (32 - SIDE_SHIFT),
            "a switch has fewer than 2^28 cases"
        );
        Node {
            parent: parent.map_or(NO_PARENT, |(node, _)| node.as_u32()),
            term,
            segment: SegmentId::from_u32(0),
            place: 0,
            depth,
            slots: [Slot::of(Side::Closed); 2],
            meta: (side << SIDE_SHIFT) | kind as u32,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        Kind::ALL[(self.meta & ((1 << KIND_BITS) - 1)) as usize]
    }

    pub(super) fn parent(&self) -> Option<NodeId> {
        (self.parent != NO_PARENT).then(|| NodeId::from_u32(self.parent))
    }

    pub(super) const fn parent_side(&self) -> u32 {
        self.meta >> SIDE_SHIFT
    }

    pub(super) const fn has_others(&self) -> bool {
        self.meta & OTHERS != 0
    }

    pub(super) const fn set_has_others(&mut self) {
        self.meta |= OTHERS;
    }

    pub(super) fn sides(&self) -> u32 {
        match self.kind() {
            Kind::End => 0,
            Kind::Switch => self.slots[1].raw(),
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_small() {
        assert_eq!(NODE_BYTES, 32);
    }

    #[test]
    fn slots_unpack() {
        for side in STATES.into_iter().chain([
            Side::Taken(NodeId::from_u32(0)),
            Side::Taken(NodeId::from_u32(77)),
        ]) {
            assert_eq!(Slot::of(side).side(), side);
        }
    }

    #[test]
    fn meta_unpacks() {
        let term = smt::Pool::new().constant(1, 1);
        for kind in Kind::ALL {
            let mut node = Node::new(kind, term, Some((NodeId::from_u32(3), 12_345)), 9);
            node.set_has_others();
            assert_eq!(
                (node.kind(), node.parent_side(), node.has_others()),
                (kind, 12_345, true)
            );
        }
    }
}
