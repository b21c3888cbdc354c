//! A copy of each function for each of its calls, as the papers' ICFG has it (`papers/expectation.txt`, II: the occurrences of a
//! branch "are treated as different branches").
//!
//! A call of a function that is active already leads into the active copy: recursion is a cycle. When there are
//! [`MOST`] branches and copies, calls lead into the first copy of what they call, if there is one.
//!
//! Must hold: the copy that a path is in is found by its call stack; nothing recurses.

use std::collections::BTreeMap;

use program::callgraph::CallGraph;
use program::flow::{Node, NodeId as Position};
use program::icfg::{FlowKind, Icfg};
use program::{EdgeId, FuncId, PrimaryMap, Program, SecondaryMap};

use super::branches::{Branches, Occurrence};
use crate::view::View;
use path::Candidate;

program::entity!(
    /// A copy of a function.
    CopyId, "copy"
);

/// Branches and copies after which calls share copies.
const MOST: usize = 200_000;
/// Callers of a path that are looked at.
const CALLERS: usize = 1000;

/// A copy of a function, made for a call.
#[derive(Clone, Copy, Debug)]
struct Copy {
    function: FuncId,
    /// Its caller, and where that goes on.
    back: Option<(CopyId, Position)>,
    /// Number of the first of its branches.
    first: u32,
}

/// All copies, and the branches of each.
#[derive(Debug)]
pub(crate) struct Copies {
    copies: PrimaryMap<CopyId, Copy>,
    /// By caller, position behind the call, and what is called.
    called: BTreeMap<(CopyId, Position, FuncId), CopyId>,
    /// The first copy of each function.
    of_function: SecondaryMap<FuncId, Option<CopyId>>,
    /// Place of each edge among those of its function.
    rank: SecondaryMap<EdgeId, u32>,
    icfg: Icfg,
}

impl Copies {
    /// The copies of a program's functions, and the graph of their branches.
    pub(crate) fn new(program: &Program) -> (Copies, Branches) {
        let calls = CallGraph::new(program);
        let icfg = Icfg::new(program, &calls);
        let mut edges: SecondaryMap<FuncId, Vec<EdgeId>> =
            SecondaryMap::for_map(&program.functions, Vec::new());
        let mut rank = SecondaryMap::for_map(&program.edges, 0);
        for edge in program.edges.keys() {
            let own = &mut edges[program.function_of(edge)];
            rank[edge] = own.len() as u32;
            own.push(edge);
        }
        let mut next = vec![Vec::new(); icfg.nodes().len()];
        for flow in icfg.flows() {
            next[flow.from.index()].push((flow.to, flow.kind));
        }
        let mut copies = Copies {
            copies: PrimaryMap::new(),
            called: BTreeMap::new(),
            of_function: SecondaryMap::for_map(&program.functions, None),
            rank,
            icfg,
        };
        copies.make(program, &edges, &next);
        let branches = copies.join(&edges, &next);
        (copies, branches)
    }

    /// Copies from `main` on; then of what is not called from there.
    fn make(
        &mut self,
        program: &Program,
        edges: &SecondaryMap<FuncId, Vec<EdgeId>>,
        next: &[Vec<(Position, FlowKind)>],
    ) {
        let mut calls: SecondaryMap<FuncId, Vec<(Position, FuncId)>> =
            SecondaryMap::for_map(&program.functions, Vec::new());
        let mut is_called = SecondaryMap::for_map(&program.functions, false);
        for (from, nexts) in self.icfg.nodes().keys().zip(next) {
            for &(to, _) in nexts.iter().filter(|(_, kind)| *kind == FlowKind::Call) {
                let (Some(caller), Some(callee)) = (self.function(from), self.function(to)) else {
                    continue;
                };
                if let Some(behind) = self.icfg.behind(from) {
                    calls[caller].push((behind, callee));
                    is_called[callee] = true;
                }
            }
        }
        let mut total = 0;
        let is_main = |function: &FuncId| program.functions[*function].name == "main";
        let main = program.functions.keys().filter(is_main);
        let uncalled = program
            .functions
            .keys()
            .filter(|&function| !is_called[function]);
        let roots: Vec<FuncId> = main
            .chain(uncalled)
            .chain(program.functions.keys())
            .collect();
        for root in roots {
            if self.of_function[root].is_some() {
                continue;
            }
            let mut done = self.copies.len();
            self.add(root, None, edges, &mut total);
            while done < self.copies.len() {
                let id = CopyId::from_u32(done as u32);
                done += 1;
                for &(behind, callee) in &calls[self.copies[id].function] {
                    let known = self.active(id, callee);
                    let shared = (total + self.copies.len() >= MOST)
                        .then(|| self.of_function[callee])
                        .flatten();
                    let copy = known
                        .or(shared)
                        .unwrap_or_else(|| self.add(callee, Some((id, behind)), edges, &mut total));
                    self.called.insert((id, behind, callee), copy);
                }
            }
        }
    }

    fn add(
        &mut self,
        function: FuncId,
        back: Option<(CopyId, Position)>,
        edges: &SecondaryMap<FuncId, Vec<EdgeId>>,
        total: &mut usize,
    ) -> CopyId {
        let id = self.copies.push(Copy {
            function,
            back,
            first: *total as u32,
        });
        *total += edges[function].len();
        self.of_function[function].get_or_insert(id);
        id
    }

    /// The copy of a function that is active in a copy.
    fn active(&self, copy: CopyId, function: FuncId) -> Option<CopyId> {
        let up = |copy: &CopyId| self.copies[*copy].back.map(|(caller, _)| caller);
        std::iter::successors(Some(copy), up).find(|&copy| self.copies[copy].function == function)
    }

    fn function(&self, position: Position) -> Option<FuncId> {
        match self.icfg.nodes()[position] {
            Node::Part { function, .. } => Some(function),
            Node::Edge(_) => None,
        }
    }

    fn occurrence(&self, copy: CopyId, edge: EdgeId) -> Occurrence {
        Occurrence::from_u32(self.copies[copy].first + self.rank[edge])
    }

    /// The graph: in the order of copies, what comes right behind each branch.
    fn join(
        &self,
        edges: &SecondaryMap<FuncId, Vec<EdgeId>>,
        next: &[Vec<(Position, FlowKind)>],
    ) -> Branches {
        let mut branches = Branches::empty();
        for (copy, known) in self.copies.iter() {
            for &edge in &edges[known.function] {
                branches.push(edge, self.first_behind(copy, edge, next));
            }
        }
        branches
    }

    fn first_behind(
        &self,
        copy: CopyId,
        edge: EdgeId,
        next: &[Vec<(Position, FlowKind)>],
    ) -> Vec<Occurrence> {
        let mut seen = std::collections::BTreeSet::new();
        let mut found = Vec::new();
        let mut stack: Vec<(CopyId, Position)> = Vec::new();
        stack.extend(self.icfg.node_of(edge).map(|node| (copy, node)));
        while let Some((copy, at)) = stack.pop() {
            let calls = next[at.index()]
                .iter()
                .any(|(_, kind)| *kind == FlowKind::Call);
            let mut returns = false;
            for &(to, kind) in &next[at.index()] {
                let goal = match kind {
                    FlowKind::Step => (copy, to),
                    // What is called comes first; its returns lead behind the call.
                    FlowKind::Over if calls => continue,
                    FlowKind::Over => (copy, to),
                    FlowKind::Call => match self.callee(copy, at, to) {
                        Some(callee) => (callee, to),
                        None => continue,
                    },
                    FlowKind::Return if returns => continue,
                    FlowKind::Return => {
                        returns = true;
                        match self.copies[copy].back {
                            Some(back) => back,
                            None => continue,
                        }
                    }
                };
                if !seen.insert(goal) {
                    continue;
                }
                match self.icfg.nodes()[goal.1] {
                    Node::Edge(edge) => found.push(self.occurrence(goal.0, edge)),
                    Node::Part { .. } => stack.push(goal),
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn callee(&self, copy: CopyId, call: Position, entry: Position) -> Option<CopyId> {
        let key = (copy, self.icfg.behind(call)?, self.function(entry)?);
        self.called.get(&key).copied()
    }

    /// The branch of an edge in the copy that a decision's path is in; the first copy of its function where the stack is not known.
    pub(crate) fn branch(
        &self,
        view: &View<'_>,
        edge: EdgeId,
        side: Candidate,
    ) -> Option<Occurrence> {
        let function = view.program.function_of(edge);
        let found = self.by_stack(view, function, side);
        let copy = found.or(self.of_function[function])?;
        Some(self.occurrence(copy, edge))
    }

    fn by_stack(&self, view: &View<'_>, function: FuncId, side: Candidate) -> Option<CopyId> {
        let relevant = view.relevant?;
        let up = |&(_, below): &(Position, path::StackId)| relevant.top(below);
        let top = relevant.top(relevant.stack(side.node));
        let stack = std::iter::successors(top, up).take(CALLERS);
        let mut positions: Vec<Position> = stack.map(|(position, _)| position).collect();
        positions.reverse();
        let outermost = positions
            .first()
            .and_then(|&position| self.function(position));
        let mut copy = self.of_function[outermost.unwrap_or(function)]?;
        for (index, &position) in positions.iter().enumerate() {
            let callee = match positions.get(index + 1) {
                Some(&next) => self.function(next)?,
                None => function,
            };
            copy = *self.called.get(&(copy, position, callee))?;
        }
        (self.copies[copy].function == function).then_some(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guide::{Rule, Weighing};
    use crate::relevant::Relevant;
    use path::{Cond, InputVector, Outcome, Run, RunFlags, Step, Tree};
    use smt::{Pool, Var};

    /// Branches of `main`: edges 0 (past) and 1 (to the second call). Of `helper`: 2 and 3.
    const TWICE: &str = "
        fn @main() {
          block0: call @helper() br undef, block1, block2
          block1: call @helper() ret
          block2: ret
        }
        fn @helper() { block0: br undef, block1, block1 block1: ret }
    ";

    fn edge(number: u32) -> EdgeId {
        EdgeId::from_u32(number)
    }

    fn weights(weighing: &Weighing, branches: usize) -> Vec<f64> {
        let branches = 0..branches as u32;
        branches
            .map(|branch| weighing.at(Occurrence::from_u32(branch)))
            .collect()
    }

    /// By hand. Copies: `main` has branches 0 and 1, the first call 2 and 3, the second 4 and 5. Behind 2 and 3 come 0 and 1, behind
    /// 1 come 4 and 5, behind 0, 4 and 5 nothing.
    #[test]
    fn each_call_has_branches_of_its_own() {
        let program = program::text::sample(TWICE);
        let (_, branches) = Copies::new(&program);
        let rule = Rule::Expectation { alpha: 0.75 };
        let mut weighing = Weighing::over(&program, rule, branches);
        assert_eq!(weights(&weighing, 6), [1.0, 2.0, 2.5, 2.5, 1.0, 1.0]);
        // Taken in one call, it is taken in all: 4 is 0; 1 is (0 + 1) / 2 + 1; 2, taken, is (1 + 1.5) / 2.
        weighing.take([edge(2)]);
        assert_eq!(weights(&weighing, 6), [1.0, 1.5, 1.25, 2.25, 0.0, 1.0]);
        // No input for 1: it weighs nothing, before 2 and 3 as well.
        weighing.refute(Occurrence::from_u32(1));
        assert_eq!(weights(&weighing, 6), [1.0, 0.0, 0.5, 1.5, 0.0, 1.0]);
        // A run takes it after all: (0 + 1) / 2.
        weighing.take([edge(1)]);
        assert_eq!(weights(&weighing, 6), [1.0, 0.5, 0.75, 1.75, 0.0, 1.0]);
        // In a shared graph, the end of the second call looks like that of the first.
        let shared = Weighing::new(&program, rule);
        assert!(shared.of(edge(1)) > 2.0);
    }

    #[test]
    fn recursion_is_a_cycle() {
        let text = "fn @main() { block0: call @f() ret }
            fn @f() { block0: br undef, block1, block2 block1: call @f() ret block2: ret }";
        let program = program::text::sample(text);
        let (copies, branches) = Copies::new(&program);
        assert_eq!((copies.copies.len(), branches.edges().len()), (2, 2));
        let ways: Vec<String> = branches
            .edges()
            .keys()
            .map(|branch| format!("{:?}", branches.after(branch)))
            .collect();
        assert_eq!(ways, ["[]", "[branch0, branch1]"]);
    }

    /// A path through both calls: its second decision is in the copy of the first call, its last in that of the second.
    #[test]
    fn a_decision_is_in_the_copy_of_its_call() {
        let program = program::text::sample(TWICE);
        let (copies, _) = Copies::new(&program);
        let goals = coverage::Goals::new(&program, coverage::criterion::CRITERIA[0]);
        let mut relevant = Relevant::new(&program, &goals, false);
        let (mut pool, mut tree) = (Pool::new(), Tree::new());
        let mut step = |number, input| {
            let var = pool.var(Var(input), 1);
            Step::Edge {
                edge: edge(number),
                cond: Some(Cond { term: var }),
            }
        };
        let [main, helper] = [0, 1].map(FuncId::from_u32);
        let steps = vec![
            Step::Call(main),
            Step::Call(helper),
            step(3, 0),
            Step::Return(helper),
            step(1, 1),
            Step::Call(helper),
            step(3, 2),
            Step::Return(helper),
            Step::Return(main),
        ];
        let run = Run {
            steps,
            outcome: Outcome::Exited(0),
            input: InputVector::default(),
            flags: RunFlags::EMPTY,
            losses: Vec::new(),
            late_edges: Vec::new(),
            late_functions: Vec::new(),
            compared: Vec::new(),
            near: Vec::new(),
        };
        tree.insert(&program, &mut pool, &run);
        let nodes = tree.last_path().to_vec();
        relevant.on_path(&program, &run.steps, nodes.len());
        let hits = SecondaryMap::for_map(&program.edges, 0);
        let view = View {
            program: &program,
            tree: &tree,
            edge_hits: &hits,
            edges_taken: 0,
            relevant: Some(&relevant),
        };
        let branches: Vec<Option<u32>> = nodes[..3]
            .iter()
            .map(|&node| {
                let side = Candidate { node, side: 0 };
                let branch = copies.branch(&view, tree.edge(side)?, side)?;
                Some(branch.as_u32())
            })
            .collect();
        assert_eq!(branches, [Some(2), Some(0), Some(4)]);
    }
}
