//! The tree under scripted runs.

use program::{Program, SpotId};
use smt::{Op, Pool, Term, eval};

use super::{Candidate, Inserted, Kind, PathCondition, Side, Tree, condition};
use crate::ValueType;
use crate::input::{InputVector, Value};
use crate::run::{Class, Cond, Outcome, Run, RunFlags, Step};
use crate::script::{Block, Model, below};
use crate::vars::{VALUES, var_of};

/// A program with one branch (edges 0, 1), a switch over 3 and 5 (edges 2, 3, default 4) and a branch (edges 5, 6).
struct Bench {
    program: Program,
    pool: Pool,
    tree: Tree,
    x: Term,
    y: Term,
}

impl Bench {
    fn new() -> Bench {
        let value = Box::new(|pool: &mut Pool, _: &[Term], _| pool.constant(8, 0));
        let model = Model::new(
            2,
            vec![
                Block::Branch(below(0, 1), 1, 1),
                Block::Switch(value, vec![(3, 2), (5, 2)], 2),
                Block::Branch(below(0, 1), 3, 3),
                Block::Exit,
            ],
        );
        let mut pool = Pool::new();
        let x = pool.var(var_of(VALUES, 0), 8);
        let y = pool.var(var_of(VALUES, 1), 8);
        Bench {
            program: model.program,
            pool,
            tree: Tree::new(),
            x,
            y,
        }
    }

    fn is(&mut self, term: Term, value: u8) -> Term {
        let value = self.pool.constant(8, u128::from(value));
        self.pool.eq(term, value)
    }

    fn less(&mut self, term: Term, value: u8) -> Term {
        let value = self.pool.constant(8, u128::from(value));
        self.pool.cmp(Op::Ult, term, value)
    }

    fn decided(&self, edge: u32, term: Term) -> Step {
        Step::Edge {
            edge: self
                .program
                .edges
                .keys()
                .nth(edge as usize)
                .expect("an edge"),
            cond: Some(Cond { term }),
        }
    }

    fn concrete(&self, edge: u32) -> Step {
        Step::Edge {
            edge: self
                .program
                .edges
                .keys()
                .nth(edge as usize)
                .expect("an edge"),
            cond: None,
        }
    }

    /// Adds a run and checks that its path condition holds.
    fn run(&mut self, inputs: [u8; 2], steps: Vec<Step>, outcome: Outcome) -> Inserted {
        let value = |bits: u8| Value {
            kind: ValueType::U8,
            name: "x".into(),
            element: None,
            c_type: "".into(),
            bits: u128::from(bits),
        };
        let input = InputVector {
            values: inputs.map(value).to_vec(),
            streams: Vec::new(),
        };
        let flags = RunFlags::default();
        let run = Run {
            steps,
            outcome,
            input,
            flags,
            losses: Vec::new(),
            late_edges: Vec::new(),
            late_functions: Vec::new(),
            compared: Vec::new(),
            near: Vec::new(),
        };
        let added = self.tree.insert(&self.program, &mut self.pool, &run);
        let assignment = run.input.assignment();
        let mut conditions = PathCondition::default();
        for &term in conditions.of(&self.tree, &self.program, &mut self.pool, added.end) {
            assert_eq!(eval(&self.pool, term, &assignment), 1);
        }
        added
    }

    fn kinds(&self) -> Vec<Kind> {
        self.tree
            .last_path()
            .iter()
            .map(|&node| self.tree.kind(node))
            .collect()
    }

    fn candidate(&self, index: usize, side: u32) -> Candidate {
        Candidate {
            node: self.tree.last_path()[index],
            side,
        }
    }
}

const EXIT: Outcome = Outcome::Exited(0);

fn constraint(class: Class, term: Term) -> Step {
    Step::Constraint {
        class,
        spot: SpotId::from_u32(0),
        term,
    }
}

#[test]
fn common_prefixes_are_shared() {
    let mut bench = Bench::new();
    let (x, y) = (bench.x, bench.y);
    let (first, second) = (bench.less(x, 10), bench.less(y, 10));
    let path = |bench: &Bench, a, b| {
        vec![
            bench.decided(a, first),
            bench.concrete(2),
            bench.decided(b, second),
        ]
    };
    let steps = path(&bench, 1, 6);
    let one = bench.run([0, 0], steps.clone(), EXIT);
    assert_eq!(
        (one.known, bench.tree.len(), bench.tree.counts().open),
        (0, 3, 2)
    );
    let again = bench.run([1, 1], steps, EXIT);
    assert!(again.duplicate);
    assert_eq!((again.end, bench.tree.len()), (one.end, 3));
    let steps = path(&bench, 1, 5);
    let other = bench.run([0, 10], steps, EXIT);
    assert_eq!(
        (other.known, bench.tree.len(), bench.tree.counts().open),
        (2, 4, 1)
    );
    assert_eq!(bench.tree.maker(bench.tree.last_path()[1]), one.run);
    assert_eq!(bench.tree.maker(other.end), other.run);
    assert_eq!(bench.tree.forks(), 0);
}

#[test]
fn a_switch_has_a_candidate_for_each_label() {
    let mut bench = Bench::new();
    let x = bench.x;
    let steps = vec![bench.decided(4, x)];
    bench.run([0, 0], steps, EXIT);
    let node = bench.tree.last_path()[0];
    let sides: Vec<u32> = bench
        .tree
        .candidates(node)
        .map(|candidate| candidate.side)
        .collect();
    assert_eq!(sides, [0, 1]);
    let says = |bench: &mut Bench, side| {
        let Bench {
            tree,
            program,
            pool,
            ..
        } = bench;
        condition(tree, program, pool, Candidate { node, side })
    };
    let three = bench.is(x, 3);
    assert_eq!(says(&mut bench, 0), three);
    let default = says(&mut bench, 2);
    for value in 0..8 {
        let input = [(var_of(VALUES, 0), value)].into_iter().collect();
        assert_eq!(
            eval(&bench.pool, default, &input) == 1,
            value != 3 && value != 5
        );
    }
    let steps = vec![bench.decided(2, x)];
    bench.run([3, 0], steps, EXIT);
    assert_eq!(bench.tree.counts().open, 1);
}

#[test]
fn pins_of_one_place_form_a_chain() {
    let mut bench = Bench::new();
    let x = bench.x;
    for value in 0..5 {
        let pin = bench.is(x, value);
        bench.run([value, 0], vec![constraint(Class::Pin, pin)], EXIT);
        assert_eq!(bench.kinds().len(), usize::from(value) + 2);
        assert_eq!(bench.tree.counts().open_aside, 1);
    }
    assert_eq!(bench.tree.forks(), 0);
    let pin = bench.is(x, 2);
    let known = bench.run([2, 0], vec![constraint(Class::Pin, pin)], EXIT);
    assert!(known.duplicate);
}

#[test]
fn a_failed_check_need_not_be_recorded() {
    let mut bench = Bench::new();
    let (x, y) = (bench.x, bench.y);
    let zero = bench.is(x, 0);
    let check = bench.pool.not(zero);
    let after = bench.less(y, 10);
    let steps = vec![
        bench.concrete(3),
        constraint(Class::Check, check),
        bench.decided(1, after),
    ];
    bench.run([1, 0], steps, EXIT);
    let crash = bench.candidate(
        0,
        u32::from(bench.tree.side(bench.candidate(0, 1)) == Side::Open),
    );
    let steps = vec![bench.concrete(3)];
    bench.run([0, 0], steps, Outcome::Signalled(8));
    assert!(matches!(bench.tree.side(crash), Side::Taken(_)));
    assert_eq!(
        (bench.kinds(), bench.tree.forks()),
        (vec![Kind::Check, Kind::End], 0)
    );
}

#[test]
fn a_constraint_and_its_negation_are_one_decision() {
    let mut bench = Bench::new();
    let x = bench.x;
    let end_of_file = bench.less(x, 4);
    let more = bench.pool.not(end_of_file);
    bench.run([0, 0], vec![constraint(Class::Library, end_of_file)], EXIT);
    assert_eq!(bench.tree.counts().open, 1);
    bench.run([9, 0], vec![constraint(Class::Library, more)], EXIT);
    assert_eq!(
        (
            bench.tree.counts().open,
            bench.tree.len(),
            bench.tree.forks()
        ),
        (0, 3, 0)
    );
}

#[test]
fn assumptions_are_flipped_only_where_they_failed() {
    let mut bench = Bench::new();
    let x = bench.x;
    let assumed = bench.less(x, 4);
    let failed = bench.pool.not(assumed);
    bench.run(
        [9, 0],
        vec![constraint(Class::Assume, failed)],
        Outcome::AssumeFailed,
    );
    assert_eq!(bench.tree.counts().open_assume, 1);
    bench.run([0, 0], vec![constraint(Class::Assume, assumed)], EXIT);
    assert_eq!(bench.tree.counts().all_open(), 0);

    let mut bench = Bench::new();
    let x = bench.x;
    let assumed = bench.less(x, 4);
    bench.run([0, 0], vec![constraint(Class::Assume, assumed)], EXIT);
    assert_eq!(bench.tree.counts().all_open(), 0);
    let failed = bench.pool.not(assumed);
    bench.run(
        [9, 0],
        vec![constraint(Class::Assume, failed)],
        Outcome::AssumeFailed,
    );
    assert_eq!((bench.tree.counts().all_open(), bench.tree.forks()), (0, 0));
}

#[test]
fn runs_that_part_without_a_decision_are_alternatives() {
    let mut bench = Bench::new();
    let (x, y) = (bench.x, bench.y);
    let (first, second) = (bench.less(x, 10), bench.less(y, 10));
    for (edge, forks) in [(2, 0), (3, 1), (4, 2), (3, 2)] {
        let steps = vec![
            bench.decided(1, first),
            bench.concrete(edge),
            bench.decided(6, second),
        ];
        bench.run([0, 0], steps, EXIT);
        assert_eq!(bench.tree.forks(), forks);
    }
    let root = bench.tree.last_path()[0];
    assert_eq!(
        bench
            .tree
            .children(Candidate {
                node: root,
                side: 1
            })
            .count(),
        3
    );
    assert_eq!(bench.tree.counts().open, 4);
}

#[test]
fn a_run_may_contradict_the_solver() {
    let mut bench = Bench::new();
    let x = bench.x;
    let first = bench.less(x, 10);
    let steps = vec![bench.decided(1, first)];
    bench.run([0, 0], steps, EXIT);
    let other = bench.candidate(0, 0);
    bench.tree.set(other, Side::Unsat);
    assert_eq!(
        (bench.tree.counts().open, bench.tree.counts().unsat),
        (0, 1)
    );
    let steps = vec![bench.decided(0, first)];
    bench.run([10, 0], steps, EXIT);
    assert_eq!(
        (bench.tree.contradictions(), bench.tree.counts().unsat),
        (1, 0)
    );
}

#[test]
fn walking_back_gives_the_whole_path() {
    let mut bench = Bench::new();
    let (x, y) = (bench.x, bench.y);
    let (first, pin, second) = (bench.less(x, 10), bench.is(x, 0), bench.less(y, 10));
    let steps = vec![
        bench.concrete(2),
        bench.decided(1, first),
        constraint(Class::Pin, pin),
        bench.concrete(3),
        bench.concrete(4),
        bench.decided(6, second),
    ];
    let added = bench.run([0, 0], steps, EXIT);
    let mut cursor = bench.tree.cursor(added.end);
    let edges: Vec<u32> = std::iter::from_fn(|| bench.tree.edge_back(&mut cursor))
        .map(|edge| edge.as_u32())
        .collect();
    assert_eq!(edges, [6, 4, 3, 1, 2]);
}

#[test]
fn path_conditions_are_kept_for_the_next() {
    let mut bench = Bench::new();
    let (x, y) = (bench.x, bench.y);
    let terms: Vec<Term> = (1..20)
        .map(|value| {
            if value % 2 == 0 {
                bench.less(x, value)
            } else {
                bench.less(y, value)
            }
        })
        .collect();
    let steps: Vec<Step> = terms.iter().map(|&term| bench.decided(1, term)).collect();
    bench.run([0, 0], steps, EXIT);
    let nodes = bench.tree.last_path().to_vec();
    let mut kept = PathCondition::default();
    for &node in nodes.iter().rev().chain(&nodes) {
        let depth = bench.tree.depth(node) as usize;
        let Bench {
            tree,
            program,
            pool,
            ..
        } = &mut bench;
        assert_eq!(kept.of(tree, program, pool, node), &terms[..depth]);
    }
}
