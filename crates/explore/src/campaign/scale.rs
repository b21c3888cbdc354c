//! Campaigns over long paths and large trees, with made-up runs: no solver and no program take part.

use coverage::Goals;
use smt::{Op, Pool, Term};

use super::{Campaign, Config, JobResult, Next, NoClock, Task};
use crate::choice::Choice;
use crate::rng::Rng;
use crate::testing::{Block, Model, below};
use path::vars::{VALUES, var_of};
use path::{Cond, InputVector, Outcome, Run, RunFlags, Step};

/// A loop over `sites` branches; every `symbolic`th step of a path is a decision.
struct Maker {
    model: Model,
    pool: Pool,
    terms: Vec<Term>,
    rng: Rng,
    length: usize,
    symbolic: usize,
}

impl Maker {
    fn new(sites: usize, length: usize, symbolic: usize) -> Maker {
        let next = |index: usize| (index + 1) % sites;
        let blocks = (0..sites)
            .map(|index| Block::Branch(below(0, 1), next(index), next(index)))
            .collect();
        let mut pool = Pool::new();
        let terms = (0..length as u32)
            .map(|index| {
                let x = pool.var(var_of(VALUES, index % 64), 32);
                let bound = pool.constant(32, u128::from(index));
                pool.cmp(Op::Ult, x, bound)
            })
            .collect();
        Maker {
            model: Model::new(1, blocks),
            pool,
            terms,
            rng: Rng::new(5),
            length,
            symbolic,
        }
    }

    /// A path that shares the first `shared` steps with another, then differs.
    fn run(&mut self, other: &[Step], shared: usize) -> Run {
        let program = &self.model.program;
        let mut steps = other[..shared].to_vec();
        let mut at = steps.len();
        while at < self.length {
            let site = program
                .sites
                .keys()
                .nth(at % program.sites.len())
                .expect("a site");
            let decision = at.is_multiple_of(self.symbolic);
            let flipped = at == shared && !other.is_empty();
            let side = match other.get(at) {
                Some(Step::Edge { edge, .. }) if flipped => 1 - program.edges[*edge].side,
                _ if decision => self.rng.below(2) as u32,
                _ => at.is_multiple_of(3).into(),
            };
            let cond = decision.then(|| Cond {
                term: self.terms[at],
            });
            steps.push(Step::Edge {
                edge: program.edge(site, side),
                cond,
            });
            at += 1;
        }
        let input = InputVector::default();
        let flags = RunFlags::default();
        Run {
            steps,
            outcome: Outcome::Exited(0),
            input,
            flags,
            losses: Vec::new(),
            late_edges: Vec::new(),
            late_functions: Vec::new(),
            compared: Vec::new(),
            near: Vec::new(),
        }
    }
}

/// Nodes and bytes after `count` runs; of the picks, 3 of 10 have no input.
fn measure(strategy: &str, maker: &mut Maker, count: usize) -> (usize, usize) {
    let program = maker.model.program.clone();
    let goals = Goals::new(&program, coverage::criterion::CRITERIA[0]);
    let config = Config {
        past_coverage: true,
        ..Config::default()
    };
    let choice = Choice::parse(strategy).expect("a strategy");
    let mut campaign = Campaign::new(&program, &goals, choice.make(&program), config);
    let mut runs: Vec<Vec<Step>> = Vec::new();
    while runs.len() < count {
        let Next::Job(job) = campaign.next_job(&mut maker.pool, &NoClock) else {
            break;
        };
        let run = match &job.task {
            Task::Run(_) => maker.run(&[], 0),
            Task::Flip(_) if maker.rng.below(10) < 3 => {
                campaign.complete(&mut maker.pool, &job, JobResult::Unsat);
                continue;
            }
            Task::Flip(flip) => {
                let tree = campaign.tree();
                let parent = &runs[tree.maker(flip.candidate.node).index()];
                maker.run(
                    parent,
                    tree.depth(flip.candidate.node) as usize * maker.symbolic,
                )
            }
        };
        runs.push(run.steps.clone());
        let result = JobResult::Ran {
            supplied: InputVector::default(),
            run: Box::new(run),
        };
        campaign.complete(&mut maker.pool, &job, result);
    }
    (campaign.tree().len(), campaign.bytes())
}

#[test]
fn nodes_are_small() {
    // A path of 100,000 decisions; many short paths; long paths with a few decisions.
    for (sites, length, symbolic, count) in
        [(500, 100_000, 1, 3), (16, 30, 1, 500), (200, 4000, 8, 100)]
    {
        for (strategy, limit) in [
            ("dfs", 96),
            ("bfs", 96),
            ("random-branch", 128),
            ("cgs", 160),
            ("cgs:endless", 160),
            ("uniform-random", 96),
            ("random-path", 96),
            ("branch-residual", 96),
            ("cfg-directed", 96),
            ("expectation", 96),
            ("expectation:pool=global", 128),
            ("md2u", 128),
            ("target", 128),
            ("carfast", 128),
            ("generational", 128),
            ("subpath", 256),
            ("fitness", 256),
            ("portfolio", 640),
            ("pps", 128),
        ] {
            let mut maker = Maker::new(sites, length, symbolic);
            let (nodes, bytes) = measure(strategy, &mut maker, count);
            // Tables double when they grow, so up to half of them may be unused; a run's input has its share.
            assert!(
                bytes < limit * nodes,
                "{strategy}: {nodes} nodes, {bytes} bytes"
            );
        }
    }
}
