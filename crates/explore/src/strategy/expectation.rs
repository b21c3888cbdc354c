//! Expectation: the side behind which the most untaken branches are to be expected.
//!
//! The weight of a branch approximates how many untaken branches a run through it covers, if each way on is equally likely
//! (`papers/expectation.txt`, II):
//!
//! - A branch without a subsequent branch weighs 1 if no run has taken it, else 0.
//! - A branch with subsequent branches weighs their average, plus 1 if no run has taken it.
//! - A taken branch whose subsequent branches all weigh the same weighs alpha = 0.75 of the average.
//!
//! On a cycle, a branch that is waiting for its own weight counts as 1 or 0 (III, Figure 1). When a run takes a new branch,
//! only the weights that change are computed again.
//!
//! Candidates are sorted by weight, the heaviest first. A branch that stands several times among them is penalised: its
//! sides are numbered at random from 1, and the weight of each is divided by its number (III).
//!
//! The paper leaves some points open. The wait queue is a depth-first search from the branches in the order of their numbers. Decisions of
//! library functions have the weight of the branch before them.
//!
//! **Parameters.** `pool` (default `local`): `local` is the paper's search. Its candidates are those of the last path: the
//! best one that has an input is run, and the others are discarded. Where none is left the search restarts with the path of
//! a run drawn at random (the paper: CREST's restart with random inputs). `global` keeps the candidates of all paths. The
//! authors name this as what their search lacks (IV). The following are for `local`, and the paper's search is
//! `expectation:graph=copies,infeasible=zero,restart=random`:
//!
//! - `graph` (default `shared`): the graph knows no contexts; behind the end of a function come the branches behind all of its
//!   calls. With `copies` it has a copy of the function for each call (II), and a side has the weight of the copy that its
//!   path is in. A branch counts as taken in all copies when a run took it anywhere. Recursion is a cycle. Beyond 200,000
//!   branches, calls share copies.
//! - `infeasible` (default `stays`): with `zero`, a branch whose path condition has no input weighs 0 (III), also for the
//!   branches before it, until a run takes it.
//! - `restart`: with `random`, as in CREST, sides that other runs took are candidates as well, and where nothing is left, the
//!   search goes on with a new input drawn at random.
//!
//! **Cost.** A pick: O(log l) with `local`, O(log g) with `global`. Memory beyond the tree: a path, or n candidates.
//!
//! **When to choose it.** When there are few runs to spend: it goes for paths that cover much at once. Choose `global` for
//! longer budgets.

use program::{EdgeId, SecondaryMap};

use super::{
    Entry, INFEASIBLE, NewPath, Param, Pick, RESTART, Sources, Strategy, Verdict, View, side_of,
};
use crate::guide::{
    Copies, Group, Occurrence, PricedQueue, Rule, Runs, Weighing, sides_of_path, wish,
};
use crate::rng::Rng;
use path::hash::HashTable;
use path::{Candidate, NodeId, RunId};

pub(super) const ENTRY: Entry = Entry {
    name: "expectation",
    summary: "Expectation: the side behind which the most untaken branches are to be expected.",
    source: include_str!("expectation.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "pool",
            summary: "candidates of the last path, or of all",
            default: 0,
            min: 0,
            max: 1,
            words: &["local", "global"],
        },
        Param {
            name: "graph",
            summary: "each function once, or a copy for each call",
            default: 0,
            min: 0,
            max: 1,
            words: &["shared", "copies"],
        },
        INFEASIBLE,
        RESTART,
    ],
    make: |program, values| {
        let rule = Rule::Expectation { alpha: ALPHA };
        if values[0] == 0 {
            let (weights, copies) = match values[1] {
                0 => (Weighing::new(program, rule), None),
                _ => {
                    let (copies, branches) = Copies::new(program);
                    (Weighing::over(program, rule, branches), Some(copies))
                }
            };
            Box::new(Local {
                weights,
                copies,
                refutes: values[2] == 1,
                draws: values[3] == 1,
                drawn: true,
                run: None,
                runs: Runs::default(),
                path: None,
                queue: Vec::new(),
                picked: None,
                restarts: 0,
            })
        } else {
            Box::new(Global {
                weights: Weighing::new(program, rule),
                news: Vec::new(),
                taken: SecondaryMap::for_map(&program.edges, false),
                queue: PricedQueue::default(),
                groups: SecondaryMap::for_map(&program.edges, Vec::new()),
                known: 0,
            })
        }
    },
};

const ALPHA: f64 = 0.75;
/// Runs that a restart may draw before it gives up: the tree may have candidates elsewhere only.
const DRAWS: usize = 64;

/// The branch that gives a side its weight.
fn branch_of(view: &View<'_>, side: Candidate) -> Option<EdgeId> {
    let own = view.tree.edge(side);
    own.or_else(|| view.tree.edge_back(&mut view.tree.cursor(side.node)))
}

struct Local {
    weights: Weighing,
    /// Copies of functions, if the graph has them.
    copies: Option<Copies>,
    /// What has no input weighs nothing.
    refutes: bool,
    /// Restarts with an input that is drawn; the next path is that of one.
    draws: bool,
    drawn: bool,
    /// The run whose path is sorted.
    run: Option<RunId>,
    runs: Runs,
    /// A path whose candidates are to be sorted.
    path: Option<Vec<NodeId>>,
    /// The next candidate is last.
    queue: Vec<Candidate>,
    picked: Option<Candidate>,
    restarts: u64,
}

impl Local {
    fn branch(&self, view: &View<'_>, side: Candidate) -> Option<Occurrence> {
        let edge = branch_of(view, side)?;
        match &self.copies {
            Some(copies) => copies.branch(view, edge, side),
            None => self.weights.first(edge),
        }
    }

    fn sort(&mut self, view: &View<'_>, nodes: &[NodeId], rng: &mut Rng) {
        let mut sides = sides_of_path(view, nodes, self.draws);
        rng.shuffle(&mut sides);
        let mut numbers: HashTable<u32> = HashTable::default();
        let mut weighed: Vec<(f64, Candidate)> = Vec::with_capacity(sides.len());
        for side in sides {
            let weight = self.branch(view, side).map_or(0.0, |branch| {
                let number = numbers.entry(u64::from(branch.as_u32())).or_insert(0);
                *number += 1;
                self.weights.at(branch) / f64::from(*number)
            });
            weighed.push((weight, side));
        }
        weighed.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.queue = weighed.into_iter().map(|(_, side)| side).collect();
    }
}

impl Strategy for Local {
    fn on_path(&mut self, _view: &View<'_>, path: &NewPath<'_>) {
        self.weights.take(path.edges.iter().map(|&(edge, _)| edge));
        self.runs.add(path);
        // The rest of the queue is discarded; the first run of all has no pick before it.
        if self.picked.take().is_some() || std::mem::take(&mut self.drawn) {
            self.path = Some(path.nodes.to_vec());
            self.run = Some(path.run);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        side_of(self.next(view, rng)?)
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        // What was taken before is not told of, unless its run has come.
        self.picked = None;
        for _ in 0..DRAWS {
            if let Some(path) = self.path.take() {
                self.sort(view, &path, rng);
            }
            while let Some(side) = self.queue.pop() {
                let pick = wish(view, side, self.run);
                if let Some(pick) = pick.filter(|pick| self.draws || *pick == Pick::Side(side)) {
                    self.picked = Some(side);
                    return Some(pick);
                }
            }
            self.restarts += 1;
            if self.draws {
                self.drawn = true;
                return Some(Pick::Draw);
            }
            self.path = Some(self.runs.random_path(view.tree, rng));
            self.run = None;
        }
        None
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        self.weights.on_dead(edges);
    }

    fn on_result(&mut self, view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        if self.picked == Some(candidate) {
            self.picked = None;
        }
        if self.refutes
            && verdict == Verdict::Unsat
            && let Some(branch) = self.branch(view, candidate)
        {
            self.weights.refute(branch);
        }
    }

    fn phase(&self) -> String {
        format!(
            "{} on the path, {} restarts",
            self.queue.len(),
            self.restarts
        )
    }

    fn bytes(&self) -> usize {
        self.weights.bytes() + self.runs.bytes() + self.queue.capacity() * size_of::<Candidate>()
    }
}

struct Global {
    weights: Weighing,
    /// Edges that runs have taken since the last pick: weights are for picks, and most runs come between two of them.
    news: Vec<EdgeId>,
    /// Edges that were ever among these.
    taken: SecondaryMap<EdgeId, bool>,
    queue: PricedQueue,
    /// The groups of the queue that have the weight of an edge.
    groups: SecondaryMap<EdgeId, Vec<u32>>,
    /// Groups that are in `groups`.
    known: usize,
}

impl Global {
    /// Edges have another weight.
    fn reconsider(&mut self, changed: &[EdgeId]) {
        for &edge in changed {
            for &group in &self.groups[edge] {
                self.queue.reconsider(group as usize);
            }
        }
    }
}

impl Strategy for Global {
    fn on_dead(&mut self, edges: &[EdgeId]) {
        let changed = self.weights.on_dead(edges);
        self.reconsider(&changed);
    }

    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        for &(edge, _) in path.edges {
            if !std::mem::replace(&mut self.taken[edge], true) {
                self.news.push(edge);
            }
        }
        for &node in path.new_nodes() {
            for side in view.tree.candidates(node) {
                let index = self.queue.add_by_edge(view, side, 0);
                if index == self.known {
                    self.known += 1;
                    if let Some(edge) = self.queue.group(index).edge {
                        self.groups[edge].push(index as u32);
                    }
                }
            }
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let news = std::mem::take(&mut self.news);
        let changed = self.weights.take(news);
        self.reconsider(&changed);
        let weights = &self.weights;
        let price = |_: usize, group: &Group| {
            let weight = group.edge.map_or(0.0, |edge| weights.of(edge));
            // The next side of the group has the number after those that were tried.
            u64::MAX / 2 - (weight / f64::from(group.tries + 1) * f64::from(1 << 20)) as u64
        };
        self.queue.pick(view, rng, price).map(|(side, _)| side)
    }

    fn phase(&self) -> String {
        let best = self
            .queue
            .cheapest()
            .map_or(0, |price| u64::MAX / 2 - price);
        format!(
            "{} branches, best {:.2}",
            self.queue.len(),
            best as f64 / f64::from(1 << 20)
        )
    }

    fn bytes(&self) -> usize {
        self.weights.bytes() + self.queue.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use super::{ALPHA, Rule, Weighing};
    use crate::testing::{Block, Model, below, on, trace};

    /// Edges 0 and 1 of the first condition, 1 leads to the second (2, 3), whose 3 goes back to the first.
    fn with_a_cycle() -> Model {
        Model::new(
            2,
            vec![
                Block::Branch(on(0, Op::Eq, 7), 1, 2),
                Block::Branch(below(1, 10), 0, 2),
                Block::Exit,
            ],
        )
    }

    fn weights(model: &Model, taken: &[usize]) -> Vec<f64> {
        let edges: Vec<_> = model.program.edges.keys().collect();
        let mut weights = Weighing::new(&model.program, Rule::Expectation { alpha: ALPHA });
        weights.take(taken.iter().map(|&edge| edges[edge]));
        edges.iter().map(|&edge| weights.of(edge)).collect()
    }

    #[test]
    fn weights_by_hand() {
        let mut chain = vec![
            Block::Branch(on(0, Op::Eq, 7), 1, 3),
            Block::Branch(below(1, 10), 2, 3),
            Block::Branch(below(2, 10), 3, 3),
        ];
        chain.push(Block::Exit);
        let model = Model::new(3, chain);
        // Nothing taken: the last two have no subsequent branch, 1; the second's true side 1 + 1, and so on.
        assert_eq!(weights(&model, &[]), [1.0, 2.5, 1.0, 2.0, 1.0, 1.0]);
        // The last condition's sides differ: no alpha. Of edge 1, which is taken: (0 + 0.5) / 2.
        assert_eq!(
            weights(&model, &[0, 1, 2, 3, 4]),
            [0.0, 0.25, 0.0, 0.5, 0.0, 1.0]
        );
        // They are the same: alpha.
        assert_eq!(weights(&model, &[1, 3]), [1.0, 0.875, 1.0, 0.75, 1.0, 1.0]);
    }

    #[test]
    fn waits_on_cycles() {
        // Edge 1 waits for 2 and 3; 3 asks for 0, which is done, and 1, which waits and counts as 1.
        assert_eq!(weights(&with_a_cycle(), &[]), [1.0, 2.5, 1.0, 2.0]);
        // Taken, edge 1 counts as 0 while it waits: 3 = (1 + 0) / 2, 1 = (1 + 0.5) / 2.
        assert_eq!(weights(&with_a_cycle(), &[1, 3]), [1.0, 0.75, 1.0, 0.5]);
    }

    fn two_ways() -> Model {
        Model::new(
            4,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 4),
                Block::Branch(below(2, 10), 3, 3),
                Block::Branch(below(3, 10), 4, 4),
                Block::Exit,
            ],
        )
    }

    #[test]
    fn local() {
        expect![[r#"
            1 on the path, 0 restarts: [1] edge3 taken
            2 on the path, 0 restarts: [1 3] edge4 taken
            1 on the path, 0 restarts: [] edge0 taken
            0 on the path, 0 restarts: [0] edge3 taken
            1 on the path, 0 restarts: [0 3 5] edge6 taken
            0 on the path, 0 restarts: [0 3] edge4 taken
            0 on the path, 0 restarts: [0 3 4] edge6 taken
            0 on the path, 1 restarts: [1 3 5] edge6 taken
            0 on the path, 31 restarts: [1 3 4] edge6 taken
            exhausted, 10 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut two_ways(), "expectation", 1));
    }

    #[test]
    fn global() {
        expect![[r#"
            2 branches, best 2.50: [1] edge3 taken
            4 branches, best 1.50: [] edge0 taken
            4 branches, best 1.00: [1 3] edge4 taken
            4 branches, best 0.50: [1 3 4] edge6 taken
            4 branches, best 0.00: [1 3 5] edge6 taken
            4 branches, best 0.00: [0] edge3 taken
            4 branches, best 0.00: [0 3 5] edge6 taken
            4 branches, best 0.00: [0 3] edge4 taken
            4 branches, best 0.00: [0 3 4] edge6 taken
            exhausted, 10 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut two_ways(), "expectation:pool=global", 1));
    }
}
