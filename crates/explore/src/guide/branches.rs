//! The graph of branches that weights are computed on: which branches may come right after each.
//!
//! A branch is an *occurrence* of an edge. Where functions are not copied, each edge occurs once.
//!
//! Must hold: occurrences of [`Branches::over_calls`] and [`Branches::inside`] have the numbers of their edges.

use program::{EdgeId, PrimaryMap, Program};

use super::succession::Succession;

program::entity!(
    /// An edge in one copy of its function.
    Occurrence, "branch"
);

/// Branches and their immediate subsequent branches.
#[derive(Debug)]
pub(crate) struct Branches {
    edges: PrimaryMap<Occurrence, EdgeId>,
    /// Of branch `i`: `list[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    list: Vec<Occurrence>,
}

impl Branches {
    /// Each edge once, over calls and returns.
    pub(crate) fn over_calls(program: &Program) -> Branches {
        let succession = Succession::new(program);
        Branches::of(program, |edge| succession.after(edge))
    }

    /// Each edge once, inside its function.
    pub(crate) fn inside(program: &Program) -> Branches {
        let succession = Succession::new(program);
        Branches::of(program, |edge| succession.after_inside(edge))
    }

    fn of<'a>(program: &Program, after: impl Fn(EdgeId) -> &'a [EdgeId]) -> Branches {
        let mut branches = Branches::empty();
        for edge in program.edges.keys() {
            let behind = after(edge).iter();
            branches.push(edge, behind.map(|edge| Occurrence::from_u32(edge.as_u32())));
        }
        branches
    }

    pub(crate) fn empty() -> Branches {
        Branches {
            edges: PrimaryMap::new(),
            starts: vec![0],
            list: Vec::new(),
        }
    }

    /// The next branch, with those right behind it.
    pub(crate) fn push(&mut self, edge: EdgeId, behind: impl IntoIterator<Item = Occurrence>) {
        self.edges.push(edge);
        self.list.extend(behind);
        let end = u32::try_from(self.list.len()).expect("fewer than 2^32 successions");
        self.starts.push(end);
    }

    /// The edge of every branch.
    pub(crate) fn edges(&self) -> &PrimaryMap<Occurrence, EdgeId> {
        &self.edges
    }

    /// The branches that may come right after one.
    pub(crate) fn after(&self, branch: Occurrence) -> &[Occurrence] {
        let index = branch.index();
        &self.list[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.edges.len() + self.starts.capacity() + self.list.capacity()) * 4
    }
}
