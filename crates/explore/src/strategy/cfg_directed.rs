//! CFG-directed: the decision of the last path from which the way to an uncovered branch is shortest, with backtracking.
//!
//! This is CREST's heuristic search (Burnim and Sen, *Heuristics for Scalable Dynamic Test Generation*, ASE 2008, section
//! 3.2; its `CfgHeuristicSearch`; `papers/cgs.txt`, 2.3.4). The score of a side is its distance plus the number of times
//! that the same branch stands before it in the list. The distance is the number of branches from the side to one that no
//! run has taken. The sides of a path are tried in the order of their scores.
//!
//! - A run that covers a new branch is a success: the search starts over on its path, with 250 runs to spend.
//! - A run that goes where it was sent but finds nothing new may be on the way. The search then looks at its path *behind
//!   the side*, for sides that are nearer than the one before. It has 5 runs to spend there, and goes up to 5 levels deep.
//!   Then it comes back to the path before (*backtracking*).
//! - When a path's runs are spent or nothing is left, the search *restarts*.
//!
//! The paper and its code leave some points open. CREST restarts with random inputs and forgets what was covered; coverage is
//! always kept here.
//!
//! **Parameters.** `restart` (default `known`): only sides that were never tried are tried, and a restart is on the path of a run
//! drawn at random. With `random`, as in CREST, sides that other runs took are tried as well, and a restart is on the path of
//! a new input drawn at random. `calls` (default `across`): distances go over calls and returns; with `inside` they end with
//! the function, and calls are stepped over. The papers measured the latter in CREST: branches of called functions are not
//! seen from the caller (`papers/expectation.txt`, IV, on *Shortest*). `goals` (default `edges`): with `criterion`, distances
//! lead to the edges where an open goal of `--criterion` is to be gained, and what covers one is a success, as the rivals of
//! `papers/caut-pps.txt` (V-A, "uncovered goals"); for MC/DC pairs, edges that runs took may be such.
//!
//! **Cost.** A pick: O(log l). Memory beyond the tree: the paths that it is on, r runs.
//!
//! **When to choose it.** For short budgets. In the CGS paper it is the second best on `grep`, `replace` and `expat`
//! (Table 2).

use program::{EdgeId, SecondaryMap};

use super::{
    Entry, GOALS, NewPath, Param, Pick, RESTART, Sources, Strategy, Verdict, View, side_of,
};
use crate::guide::{Aim, Reach, Runs, Targets, sides_of_path, wish};
use crate::rng::Rng;
use path::{Candidate, NodeId, RunId};

pub(super) const ENTRY: Entry = Entry {
    name: "cfg-directed",
    summary: "CFG-directed: the decision of the last path from which the way to an uncovered branch is shortest, with backtracking.",
    source: include_str!("cfg_directed.rs"),
    sources: Sources::Plain,
    params: &[
        RESTART,
        Param {
            name: "calls",
            summary: "distances over calls and returns, or inside one function",
            default: 0,
            min: 0,
            max: 1,
            words: &["across", "inside"],
        },
        GOALS,
    ],
    make: |program, values| {
        let reach = [Reach::Any, Reach::Inside][values[1] as usize];
        let aim = [Aim::Edges, Aim::Goals][values[2] as usize];
        Box::new(CfgDirected {
            targets: Targets::new(program, reach, aim),
            aim,
            draws: values[0] == 1,
            runs: Runs::default(),
            frames: Vec::new(),
            drawn: true,
            sent: None,
            again: false,
            arrived: None,
            restarts: 0,
        })
    },
};

/// Runs on a path, and on the paths behind it.
const RUNS: u32 = 250;
const RUNS_BEHIND: u32 = 5;
/// Paths behind paths.
const DEPTH: usize = 5;
/// Paths that a restart may draw before it gives up: the tree may have sides elsewhere only.
const DRAWS: usize = 64;

/// A path that is being searched.
struct Frame {
    /// Sides by score, the best last.
    sides: Vec<(u32, Candidate)>,
    /// Runs left.
    left: u32,
    /// Whose path it is.
    run: Option<RunId>,
}

/// Where a run got to that was sent by a frame.
struct Arrival {
    run: Option<RunId>,
    nodes: Vec<NodeId>,
    /// It took a branch that no run had taken.
    new: bool,
    /// It took the side, whose score this was.
    as_sent: Option<(u32, Candidate)>,
}

struct CfgDirected {
    targets: Targets,
    aim: Aim,
    /// Restarts with an input that is drawn; the next path is that of one.
    draws: bool,
    drawn: bool,
    runs: Runs,
    frames: Vec<Frame>,
    /// The last pick, its score and how far coverage was before it.
    sent: Option<(Candidate, u32, u64)>,
    /// The last pick was taken before: nobody is told what becomes of it, but for the path.
    again: bool,
    arrived: Option<Arrival>,
    restarts: u64,
}

impl CfgDirected {
    /// Scores the sides of a path from a depth on; drops those that are farther than `limit`.
    fn frame(
        &mut self,
        view: &View<'_>,
        (run, nodes): (Option<RunId>, &[NodeId]),
        limit: u32,
        left: u32,
        rng: &mut Rng,
    ) {
        let mut sides = sides_of_path(view, nodes, self.draws);
        rng.shuffle(&mut sides);
        let mut seen: SecondaryMap<EdgeId, u32> = SecondaryMap::for_map(&view.program.edges, 0);
        let mut score = |side: Candidate| {
            let own = view.tree.edge(side);
            let edge = own.or_else(|| view.tree.edge_back(&mut view.tree.cursor(side.node)));
            let Some(edge) = edge else { return u32::MAX };
            let before = seen[edge];
            seen[edge] += 1;
            let distance = self.targets.distance(view, edge, None);
            distance.map_or(u32::MAX, |distance| distance.saturating_add(before))
        };
        let scored = sides.into_iter().map(|side| (score(side), side));
        let mut sides: Vec<(u32, Candidate)> =
            scored.filter(|(score, _)| *score <= limit).collect();
        sides.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        if !sides.is_empty() {
            self.frames.push(Frame { sides, left, run });
        }
    }

    fn go_on(&mut self, view: &View<'_>, rng: &mut Rng) {
        let Some(arrival) = self.arrived.take() else {
            return;
        };
        if arrival.new || self.frames.is_empty() {
            self.frames.clear();
            self.frame(view, (arrival.run, &arrival.nodes), u32::MAX, RUNS, rng);
        } else if let Some((score, side)) = arrival.as_sent
            && self.frames.len() <= DEPTH
            && score > 0
        {
            let behind = (view.tree.depth(side.node) as usize + 1).min(arrival.nodes.len());
            // What leads nowhere has the greatest score; what lies behind it is no nearer.
            let nodes = &arrival.nodes[behind..];
            self.frame(view, (arrival.run, nodes), score - 1, RUNS_BEHIND, rng);
        }
    }
}

impl Strategy for CfgDirected {
    fn on_path(&mut self, view: &View<'_>, path: &NewPath<'_>) {
        self.targets.on_path(view, path);
        self.runs.add(path);
        let first = std::mem::take(&mut self.drawn);
        if let Some((side, score, taken)) = self.sent.take() {
            if std::mem::take(&mut self.again)
                && let Some(frame) = self.frames.last_mut()
            {
                frame.left = frame.left.saturating_sub(1);
            }
            let depth = view.tree.depth(side.node) as usize;
            let next = path.nodes.get(depth + 1).copied();
            let took = next.and_then(|next| view.tree.parent(next)) == Some(side);
            self.arrived = Some(Arrival {
                run: Some(path.run),
                nodes: path.nodes.to_vec(),
                new: self.aim.progress(view) > taken,
                as_sent: took.then_some((score, side)),
            });
        } else if first {
            self.arrived = Some(Arrival {
                run: Some(path.run),
                nodes: path.nodes.to_vec(),
                new: true,
                as_sent: None,
            });
        }
    }

    fn pick(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Candidate> {
        side_of(self.next(view, rng)?)
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<Pick> {
        (self.sent, self.again) = (None, false);
        self.go_on(view, rng);
        for _ in 0..DRAWS {
            while let Some(frame) = self.frames.last_mut() {
                let (run, draws) = (frame.run, self.draws);
                let mut next = || frame.sides.pop();
                let found = std::iter::from_fn(&mut next).find_map(|(score, side)| {
                    let pick = wish(view, side, run)?;
                    (draws || pick == Pick::Side(side)).then_some((score, side, pick))
                });
                let Some((score, side, pick)) = found.filter(|_| frame.left > 0) else {
                    self.frames.pop();
                    continue;
                };
                self.sent = Some((side, score, self.aim.progress(view)));
                self.again = pick != Pick::Side(side);
                return Some(pick);
            }
            self.restarts += 1;
            if self.draws {
                self.drawn = true;
                return Some(Pick::Draw);
            }
            let path = self.runs.random_path(view.tree, rng);
            self.frame(view, (None, &path), u32::MAX, RUNS, rng);
        }
        None
    }

    fn on_result(&mut self, _view: &View<'_>, candidate: Candidate, verdict: Verdict) {
        if self.sent.is_some_and(|(sent, ..)| sent == candidate) {
            self.sent = None;
        }
        // Only runs are counted, not queries without an answer.
        if matches!(verdict, Verdict::Taken | Verdict::Diverged)
            && let Some(frame) = self.frames.last_mut()
        {
            frame.left = frame.left.saturating_sub(1);
        }
    }

    fn on_dead(&mut self, edges: &[EdgeId]) {
        self.targets.on_dead(edges);
    }

    fn phase(&self) -> String {
        let sides = self.frames.last().map_or(0, |frame| frame.sides.len());
        let (deep, restarts) = (self.frames.len(), self.restarts);
        format!("{deep} paths deep, {sides} sides, {restarts} restarts")
    }

    fn bytes(&self) -> usize {
        let sides: usize = self.frames.iter().map(|frame| frame.sides.capacity()).sum();
        sides * size_of::<(u32, Candidate)>() + self.runs.bytes()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smt::Op;

    use crate::testing::{Block, Model, below, on, trace};

    #[test]
    fn the_nearest_side_first() {
        // Distances by hand, after the first run (edges 1, 2 and 8 of five conditions): side 0 of the first is
        // uncovered, 0; side 3 of the second, 0. Behind 3 lie two more conditions.
        let mut model = Model::new(
            5,
            vec![
                Block::Branch(below(0, 10), 1, 1),
                Block::Branch(on(1, Op::Eq, 7), 2, 4),
                Block::Branch(on(2, Op::Eq, 8), 3, 4),
                Block::Branch(on(3, Op::Eq, 9), 4, 4),
                Block::Branch(below(4, 10), 5, 5),
                Block::Exit,
            ],
        );
        expect![[r#"
            1 paths deep, 2 sides, 0 restarts: [1 2] edge8 taken
            1 paths deep, 1 sides, 0 restarts: [1] edge3 taken
            1 paths deep, 2 sides, 0 restarts: [1 3] edge5 taken
            1 paths deep, 2 sides, 0 restarts: [] edge0 taken
            1 paths deep, 1 sides, 0 restarts: [0] edge3 taken
            2 paths deep, 0 sides, 0 restarts: [0 3] edge5 taken
            3 paths deep, 0 sides, 0 restarts: [0 3 5] edge7 taken
            1 paths deep, 0 sides, 0 restarts: [0 3 5 7] edge8 taken
            1 paths deep, 0 sides, 4 restarts: [0 3 5 6] edge8 taken
            1 paths deep, 0 sides, 5 restarts: [0 3 4] edge8 taken
            1 paths deep, 1 sides, 14 restarts: [1 3 5] edge7 taken
            1 paths deep, 0 sides, 14 restarts: [1 3 5 6] edge8 taken
            1 paths deep, 0 sides, 15 restarts: [1 3 4] edge8 taken
            1 paths deep, 0 sides, 17 restarts: [1 3 5 7] edge8 taken
            1 paths deep, 0 sides, 34 restarts: [0 2] edge8 taken
            exhausted, 16 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "cfg-directed", 1));
    }

    /// Without it, all inputs are what the solver gives: its values are the lowest that fit.
    #[test]
    fn restarts_with_a_drawn_input() {
        let row = || (0..6).map(|index| Block::Branch(below(index, 128), index + 1, index + 1));
        let log = |strategy: &str| {
            let mut model = Model::new(6, row().chain([Block::Exit]).collect());
            trace(&mut model, strategy, 3);
            model.log
        };
        let solved = |input: &Vec<u8>| input.iter().all(|byte| [0, 128].contains(byte));
        let log_of_draws = log("cfg-directed:restart=random");
        assert!(
            log_of_draws.iter().any(|input| !solved(input)),
            "{log_of_draws:?}"
        );
        let without = log("cfg-directed");
        assert!(without.iter().all(solved), "{without:?}");
    }

    #[test]
    fn goes_back_to_the_path_before() {
        // The side that leads on is taken already by the first run's path; the way is two branches long.
        let mut model = Model::new(
            3,
            vec![
                Block::Branch(on(0, Op::Eq, 7), 1, 1),
                Block::Branch(on(1, Op::Eq, 8), 2, 3),
                Block::Branch(on(2, Op::Eq, 9), 3, 3),
                Block::Exit,
            ],
        );
        expect![[r#"
            1 paths deep, 1 sides, 0 restarts: [0] edge3 taken
            1 paths deep, 1 sides, 0 restarts: [0 3] edge5 taken
            1 paths deep, 0 sides, 0 restarts: [] edge1 taken
            1 paths deep, 0 sides, 0 restarts: [1] edge3 taken
            1 paths deep, 0 sides, 7 restarts: [1 3] edge5 taken
            exhausted, 6 runs, gaps: 
        "#]]
        .assert_eq(&trace(&mut model, "cfg-directed", 3));
    }
}
