//! PPS: predictive path search, the candidate that is likely to cover the most open goals at once.
//!
//! *Must-relevant* candidates come first: their flipped side itself covers an open goal of the criterion. Then come those
//! that may only lead to one. Within both groups, the candidate with the greatest *potential contribution* comes first: the
//! number of open goals on the edges at most `s` decisions below its side, its own included. The walk down goes into calls,
//! and at the end of a function back to the callers that the candidate's path has on its stack. Of equal candidates the one
//! with the shorter path comes first, then one is drawn at random (Su et al., *Automated Coverage-Driven Test Data
//! Generation Using Dynamic Symbolic Execution*, `papers/caut-pps.txt`, IV-C).
//!
//! No strategy is offered candidates that can reach no open goal (path filtering; `--no-path-filter` turns it off). The
//! paper computes every contribution anew after each run. This implementation does it for the candidates that come up, and
//! once for all that have the same side, callers and progress in their decision.
//!
//! A candidate that promises much may never keep its promise: the first rounds of a loop are offered again at each of its
//! rounds, and the shortest path of the best side comes first for ever. So a contribution is divided by one more than the
//! number of times that the side was tried, from the same callers, since something new was evaluated after it. The paper
//! has nothing of the kind.
//!
//! **Parameters.** `s` (default 3, the paper's best): levels of the walk. 0 counts the side alone; a great number counts
//! everything that can be reached. `levels` (default `decisions`): what is a level. With `nodes`, every node of the coverage
//! structure is one, as in the paper ("a level corresponds to the level where a CS node (it could be an instruction or a
//! conditional statement) locates at"): each straight run of statements and each condition that the walk goes through; a
//! condition brings both of its sides. `tries` (default `counted`): with `ignored`, tries do not count. The paper's search is
//! `levels=nodes,tries=ignored`. Its rivals in RQ2 ran without path filtering: `--no-path-filter`.
//!
//! **Cost.** A pick: O(log n), and a short walk for each new class. Memory beyond the tree: n candidates.
//!
//! **When to choose it.** To cover the most goals in few runs: for units, and for criteria beyond branches (its goals are
//! those of `--criterion`). When a goal depends on many decisions together (a loop that must count to 6), no candidate is
//! nearer by its measure; then take turns with [`fitness`](super::fitness): `pps+fitness`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use coverage::relevance::WHOLE;

use super::{Entry, NewPath, Param, Sources, Strategy, View};
use crate::relevant::{Class, Levels};
use crate::rng::Rng;
use path::{Candidate, NodeId};

pub(super) const ENTRY: Entry = Entry {
    name: "pps",
    summary: "PPS: predictive path search, the candidate that is likely to cover the most open goals at once.",
    source: include_str!("pps.rs"),
    sources: Sources::Plain,
    params: &[
        Param {
            name: "s",
            summary: "levels of decisions below a side whose goals count",
            default: 3,
            min: 0,
            max: 1000,
            words: &[],
        },
        Param {
            name: "tries",
            summary: "whether a side that was tried in vain promises less",
            default: 0,
            min: 0,
            max: 1,
            words: &["counted", "ignored"],
        },
        Param {
            name: "levels",
            summary: "what is a level of the walk: a decision, or every node of the coverage structure",
            default: 0,
            min: 0,
            max: 1,
            words: &["decisions", "nodes"],
        },
    ],
    make: |_, values| {
        Box::new(Pps {
            levels: Levels {
                most: values[0],
                nodes: values[2] == 1,
            },
            ignores_tries: values[1] == 1,
            ..Pps::default()
        })
    },
};

/// What a candidate promises; more is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    must: bool,
    /// Potential contribution, in parts of [`ONE`].
    potential: u64,
}

/// One goal, divided by the tries.
const ONE: u64 = 1 << 16;

/// Candidates of one class.
#[derive(Debug)]
struct Group {
    class: Class,
    /// Shallowest first, then in the order of random numbers; may hold some that are not open any more.
    sides: BinaryHeap<Reverse<(u32, u32, Candidate)>>,
    worth: Worth,
    /// Picks of it since something new was evaluated after one.
    tries: u64,
    /// When the worth was computed.
    epoch: Option<u64>,
    /// In the queue with this worth and depth.
    queued: Option<(Worth, u32)>,
}

#[derive(Debug, Default)]
struct Pps {
    levels: Levels,
    ignores_tries: bool,
    /// The group of the last pick, and when it was picked.
    last: Option<(u32, u64)>,
    groups: Vec<Group>,
    by_class: BTreeMap<Class, u32>,
    /// Worth, shallowest, a random number against patterns, group.
    queue: BinaryHeap<(Worth, Reverse<u32>, u32, u32)>,
    /// Sides that are not in their groups yet.
    new: Vec<(u32, Candidate)>,
    /// When groups whose worth may rise were entered, and when all were.
    epoch: u64,
    rises: u64,
    waiting: usize,
    computed: u64,
}

impl Pps {
    fn add(&mut self, view: &View<'_>, side: Candidate) {
        let Some(relevant) = view.relevant else {
            return;
        };
        let class = relevant.class(view.tree, side);
        let next = self.groups.len() as u32;
        let index = *self.by_class.entry(class).or_insert(next);
        if index == next {
            self.groups.push(Group {
                class,
                sides: BinaryHeap::new(),
                worth: Worth::default(),
                tries: 0,
                epoch: None,
                queued: None,
            });
        }
        self.waiting += 1;
        self.new.push((index, side));
    }

    /// Enters a group with its worth and depth of now, unless it has nothing left.
    fn enqueue(&mut self, view: &View<'_>, index: u32, rng: &mut Rng) {
        let Some(relevant) = view.relevant else {
            return;
        };
        let group = &mut self.groups[index as usize];
        while let Some(Reverse((depth, _, side))) = group.sides.peek().copied() {
            if !view.tree.is_open(side) {
                group.sides.pop();
                self.waiting -= 1;
                continue;
            }
            if group.epoch != Some(relevant.epoch()) {
                group.epoch = Some(relevant.epoch());
                group.worth = Worth {
                    must: relevant.is_must(view.tree, side),
                    potential: relevant.potential(group.class, self.levels)
                        * (ONE / u64::from(WHOLE))
                        / (1 + group.tries),
                };
                self.computed += 1;
            }
            if group.queued != Some((group.worth, depth)) {
                group.queued = Some((group.worth, depth));
                let luck = rng.below(1 << 20) as u32;
                self.queue.push((group.worth, Reverse(depth), luck, index));
            }
            return;
        }
        group.queued = None;
    }
}

impl Strategy for Pps {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        let sides = |node: &NodeId| view.tree.candidates(*node).collect::<Vec<_>>();
        for side in path.new_nodes().iter().flat_map(sides) {
            self.add(view, side);
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        let new = std::mem::take(&mut self.new);
        for &(index, side) in &new {
            let luck = rng.below(1 << 20) as u32;
            let depth = view.tree.depth(side.node);
            let sides = &mut self.groups[index as usize].sides;
            sides.push(Reverse((depth, luck, side)));
        }
        for (index, _) in new {
            self.enqueue(view, index, rng);
        }
        let epoch = view.relevant?.epoch();
        if let Some((last, picked)) = self.last.take()
            && !self.ignores_tries
        {
            let group = &mut self.groups[last as usize];
            group.tries = if picked == epoch { group.tries + 1 } else { 0 };
            group.epoch = None;
            self.enqueue(view, last, rng);
        }
        if std::mem::replace(&mut self.epoch, epoch) != epoch {
            let rises = view.relevant?.rises();
            let all = std::mem::replace(&mut self.rises, rises) != rises;
            for index in 0..self.groups.len() as u32 {
                if all || self.groups[index as usize].class.may_rise() {
                    self.enqueue(view, index, rng);
                }
            }
        }
        while let Some((worth, Reverse(depth), _, index)) = self.queue.pop() {
            let group = &mut self.groups[index as usize];
            if group.queued != Some((worth, depth)) {
                continue;
            }
            group.queued = None;
            let known = group.epoch == Some(epoch);
            let first = group.sides.peek().map(|Reverse(first)| *first);
            if let Some((_, _, side)) = first.filter(|first| known && first.0 == depth)
                && view.tree.is_open(side)
            {
                group.sides.pop();
                self.waiting -= 1;
                self.enqueue(view, index, rng);
                self.last = Some((index, epoch));
                return Some(side);
            }
            self.enqueue(view, index, rng);
        }
        None
    }

    fn phase(&self) -> String {
        let best = self.queue.peek().map(|(worth, ..)| *worth);
        let Worth { must, potential } = best.unwrap_or_default();
        let kind = if must { "must" } else { "may" };
        let potential = potential as f64 / ONE as f64;
        format!("{} classes, best {kind} {potential}", self.groups.len())
    }

    fn bytes(&self) -> usize {
        // Heaps grow by doubling, so on average a quarter of them is empty.
        (self.waiting + self.waiting / 3) * size_of::<(u32, u32, Candidate)>()
            + self.groups.capacity() * size_of::<Group>()
            + self.by_class.len() * 40
            + self.queue.capacity() * 32
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace, trace_filtered};

    /// A condition that leads to the end, one that leads to two more in a row, and one that leads to nothing new.
    fn blocks() -> Vec<Block> {
        vec![
            Block::Branch(on(0, Op::Eq, 7), 5, 1),
            Block::Branch(on(1, Op::Eq, 7), 3, 2),
            Block::Branch(below(2, 10), 5, 5),
            Block::Branch(on(3, Op::Eq, 1), 4, 5),
            Block::Branch(on(4, Op::Eq, 2), 5, 5),
            Block::Exit,
        ]
    }

    #[test]
    fn goes_where_more_goals_are() {
        expect![[r#"
            3 classes, best must 1: [0] edge3 taken
            4 classes, best must 1: [0 3] edge7 taken
            5 classes, best must 1: [] edge1 taken
            5 classes, best must 1: [0 2] edge4 taken
            5 classes, best may 0: [0 3 7] edge9 taken
            exhausted, 6 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut Model::new(5, blocks()), "pps", 1));
    }

    #[test]
    fn the_side_alone_says_little() {
        expect![[r#"
            3 classes, best must 1: [] edge1 taken
            3 classes, best must 1: [0] edge3 taken
            4 classes, best must 1: [0 3] edge7 taken
            5 classes, best must 1: [0 2] edge4 taken
            5 classes, best may 0: [0 3 7] edge9 taken
            exhausted, 6 runs, gaps: 
        "#]]
        .assert_eq(&trace_filtered(&mut Model::new(5, blocks()), "pps:s=0", 1));
    }

    #[test]
    fn what_covers_nothing_is_dropped() {
        // Eight paths, of which three cover everything.
        let row = (0..3).map(|i| Block::Branch(below(i, 10), i + 1, i + 1));
        let mut model = Model::new(3, row.chain([Block::Exit]).collect());
        expect![[r#"
            3 classes, best must 2: [] edge0 taken
            3 classes, best must 2: [0] edge2 taken
            3 classes, best must 1: [0 3] edge4 taken
            exhausted, 4 runs, gaps: 
        "#]]
        .assert_eq(&trace_filtered(&mut model, "pps", 1));
    }

    /// `bubble` of the paper's Figure 1: `if (n >= 6) return; for (i = n; i > 1; i--) for (j = 1; j < i; j++) if (v[j] > v[j + 1])
    /// exchange`. Edges: 0 5F, 1 5T; 2 7F, 3 7T; 4 8F, 5 8T; 6 10F, 7 10T.
    fn bubble() -> Model {
        let next = |pool: &mut smt::Pool, inputs: &[smt::Term], visit: u32| {
            let round = pool.constant(8, u128::from(visit) + 1);
            pool.cmp(Op::Ult, round, inputs[0])
        };
        let order = |pool: &mut smt::Pool, inputs: &[smt::Term], _: u32| {
            pool.cmp(Op::Ult, inputs[2], inputs[1])
        };
        let small = |pool: &mut smt::Pool, inputs: &[smt::Term], _: u32| {
            let six = pool.constant(8, 6);
            let below = pool.cmp(Op::Ult, inputs[0], six);
            pool.not(below)
        };
        Model::new(
            3,
            vec![
                Block::Branch(Box::new(small), 9, 1),
                Block::Jump(2),
                Block::Branch(Box::new(next), 3, 9),
                Block::Jump(4),
                Block::Branch(Box::new(next), 5, 8),
                Block::Branch(Box::new(order), 6, 7),
                Block::Jump(7),
                Block::Jump(4),
                Block::Jump(2),
                Block::Exit,
            ],
        )
    }

    /// What candidates promise: the edge of each, by decisions and by nodes.
    type Promises = Vec<(String, [u64; 2])>;

    /// Notes what the candidates of the first path promise.
    struct Probe(std::sync::Arc<std::sync::Mutex<Promises>>);

    impl super::Strategy for Probe {
        fn on_path(&mut self, view: &super::View<'_>, path: &super::NewPath<'_>) {
            let relevant = view.relevant.expect("a campaign has it");
            for side in path
                .nodes
                .iter()
                .flat_map(|&node| view.tree.candidates(node))
            {
                let class = relevant.class(view.tree, side);
                let potential = [false, true].map(|nodes| {
                    let levels = super::Levels { most: 2, nodes };
                    relevant.potential(class, levels) / u64::from(super::WHOLE)
                });
                let edge = view.tree.edge(side).expect("branches have edges");
                self.0
                    .lock()
                    .expect("one thread")
                    .push((edge.to_string(), potential));
            }
        }

        fn pick(
            &mut self,
            _: &super::View<'_>,
            _: &mut crate::rng::Rng,
        ) -> Option<super::Candidate> {
            None
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    /// "(5F, 7T) has a higher priority than (5T) because the former can potentially hit at least 3 uncovered branches (7T, 8T and 8F)
    /// while the latter at most 1 (assume the walk down level s is 2)": from 7T, `j = 1` and `j < i`. Two *decisions* down lie 10T
    /// and 10F as well.
    #[test]
    fn levels_are_those_of_the_papers_example() {
        let seen = std::sync::Arc::default();
        let config = crate::campaign::Config {
            budget: crate::campaign::Budget {
                iterations: Some(1),
                ..crate::campaign::Budget::default()
            },
            ..crate::campaign::Config::default()
        };
        let probe = Probe(std::sync::Arc::clone(&seen));
        crate::testing::trace_of(&mut bubble(), Box::new(probe), config);
        let seen = seen.lock().expect("one thread");
        let expected = [("edge1".to_owned(), [1, 1]), ("edge3".to_owned(), [5, 3])];
        assert_eq!(*seen, expected);
    }
}
