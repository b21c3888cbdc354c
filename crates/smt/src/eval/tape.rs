//! Some terms compiled for many evaluations: a list of steps in topological order.
//!
//! Step numbers are places in the tape; operands come before their users. Building a tape visits each term that
//! the roots need once, with an explicit stack.

use super::compute;
use crate::pool::Tag;
use crate::{Pool, Term, Var};

/// One step of a tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) tag: Tag,
    pub(crate) aux: u8,
    pub(crate) bits: u16,
    /// Width of the first operand.
    pub(crate) width: u16,
    /// Places of operands; for a variable, its place in [`Tape::vars`]; for a table, the index and the table.
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

/// A compiled set of terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub(crate) steps: Vec<Step>,
    pub(crate) vars: Vec<(Var, u16)>,
    pub(crate) constants: Vec<(u32, u128)>,
    pub(crate) tables: Vec<Box<[u32]>>,
    /// Places of the roots, in their order.
    pub(crate) roots: Vec<u32>,
}

/// Space for building tapes: where each term of the pool is on the current tape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    place: Vec<(u32, u32)>,
    epoch: u32,
    stack: Vec<Term>,
}

impl Scratch {
    /// Forgets the marks; every term of `pool` has room.
    pub(crate) fn begin(&mut self, pool: &Pool) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.place.clear();
            self.epoch = 1;
        }
        if self.place.len() < pool.len() {
            self.place.resize(pool.len() + pool.len() / 4, (0, 0));
        }
    }

    pub(crate) fn get(&self, term: Term) -> Option<u32> {
        let (epoch, place) = self.place[term.index()];
        (epoch == self.epoch).then_some(place)
    }

    pub(crate) fn put(&mut self, term: Term, place: u32) {
        self.place[term.index()] = (self.epoch, place);
    }

    /// The terms that `roots` are built of, operands first; each gets its place in the list as its mark.
    pub(crate) fn topological(&mut self, pool: &Pool, roots: &[Term]) -> Vec<Term> {
        self.begin(pool);
        let mut order = Vec::new();
        let mut stack = std::mem::take(&mut self.stack);
        for &root in roots {
            stack.push(root);
            while let Some(&top) = stack.last() {
                if self.get(top).is_some() {
                    stack.pop();
                    continue;
                }
                let before = stack.len();
                pool.for_each_operand(pool.node(top), |t| {
                    if self.get(t).is_none() {
                        stack.push(t);
                    }
                });
                if stack.len() == before {
                    stack.pop();
                    self.put(top, order.len() as u32);
                    order.push(top);
                }
            }
        }
        self.stack = stack;
        order
    }
}

impl Tape {
    /// Compiles `roots`.
    pub(crate) fn new(pool: &Pool, roots: &[Term], scratch: &mut Scratch) -> Self {
        let order = scratch.topological(pool, roots);
        let place = |t: u32| scratch.get(Term(t)).expect("operands come first");
        let mut tape = Tape {
            steps: Vec::with_capacity(order.len()),
            ..Tape::default()
        };
        for term in order {
            let node = pool.node(term);
            let here = tape.steps.len() as u32;
            let mut step = Step {
                tag: node.tag,
                aux: node.aux,
                bits: node.bits,
                width: node.bits,
                a: 0,
                b: 0,
                c: 0,
            };
            match node.tag {
                Tag::Const | Tag::Wide => {
                    tape.constants
                        .push((here, pool.as_const(term).expect("a constant")));
                }
                Tag::Var => {
                    step.a = tape.vars.len() as u32;
                    tape.vars.push((Var(node.a), node.bits));
                }
                Tag::Table => {
                    (step.a, step.b) = (place(node.a), tape.tables.len() as u32);
                    tape.tables.push(
                        pool.table_entries(node)
                            .iter()
                            .map(|t| place(t.0))
                            .collect(),
                    );
                }
                Tag::Op(op) => {
                    let mut places = [0; 3];
                    for (p, operand) in places
                        .iter_mut()
                        .zip([node.a, node.b, node.c])
                        .take(op.arity())
                    {
                        *p = place(operand);
                    }
                    [step.a, step.b, step.c] = places;
                    step.width = pool.width(Term(node.a));
                }
            }
            tape.steps.push(step);
        }
        tape.roots = roots.iter().map(|&r| place(r.0)).collect();
        tape
    }

    /// A value for each step: constants in place, the rest 0.
    pub(crate) fn blank(&self) -> Vec<u128> {
        let mut values = vec![0; self.steps.len()];
        for &(place, value) in &self.constants {
            values[place as usize] = value;
        }
        values
    }

    /// Computes all steps into `values` (from [`Tape::blank`]); `var` gives the value of each place in `vars`.
    pub(crate) fn run(&self, values: &mut [u128], var: impl Fn(u32) -> u128) {
        self.run_until(self.steps.len(), values, var);
    }

    /// The first `count` steps of [`Tape::run`].
    pub(crate) fn run_until(&self, count: usize, values: &mut [u128], var: impl Fn(u32) -> u128) {
        for (i, step) in self.steps[..count].iter().enumerate() {
            values[i] = match step.tag {
                Tag::Const | Tag::Wide => continue,
                Tag::Var => var(step.a) & super::mask(step.bits),
                _ => self.step(step, values),
            };
        }
    }

    /// Whether all roots are 1 under a value for each of the variables.
    pub(crate) fn holds(&self, vars: &[u128]) -> bool {
        let mut values = self.blank();
        self.run(&mut values, |var| vars[var as usize]);
        self.roots.iter().all(|&root| values[root as usize] == 1)
    }

    /// Whether any operation takes floats.
    pub(crate) fn has_floats(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.any(|step| matches!(step.tag, Tag::Op(op) if op.takes_floats()))
    }

    /// The places of a step's operands.
    pub(crate) fn operands(&self, step: &Step) -> impl Iterator<Item = u32> + '_ {
        let (own, entries): ([Option<u32>; 3], &[u32]) = match step.tag {
            Tag::Op(op) => {
                let at = |index, place| (op.arity() > index).then_some(place);
                ([Some(step.a), at(1, step.b), at(2, step.c)], &[])
            }
            Tag::Table => ([Some(step.a), None, None], &self.tables[step.b as usize]),
            _ => ([None; 3], &[]),
        };
        own.into_iter().flatten().chain(entries.iter().copied())
    }

    /// Computes the step at `place`, which is no constant, anew; `vars` has a value for each of the tape's variables.
    pub(crate) fn update(&self, place: u32, values: &mut [u128], vars: &[u128]) {
        let step = &self.steps[place as usize];
        values[place as usize] = match step.tag {
            Tag::Var => vars[step.a as usize] & super::mask(step.bits),
            _ => self.step(step, values),
        };
    }

    /// The value of one step that is no constant and no variable.
    #[inline]
    pub(crate) fn step(&self, step: &Step, values: &[u128]) -> u128 {
        let at = |i: u32| values[i as usize];
        match step.tag {
            Tag::Table => {
                let table = &self.tables[step.b as usize];
                let last = table.len() - 1;
                at(table[usize::try_from(at(step.a)).map_or(last, |i| i.min(last))])
            }
            Tag::Op(op) => {
                let x = match op.arity() {
                    1 => [at(step.a), 0, 0],
                    2 => [at(step.a), at(step.b), 0],
                    _ => [at(step.a), at(step.b), at(step.c)],
                };
                compute(op, step.bits, step.aux, step.width, x)
            }
            _ => unreachable!("constants and variables are given"),
        }
    }
}
