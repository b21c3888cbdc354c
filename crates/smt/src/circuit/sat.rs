//! Gates as clauses, and a SAT solver that finds bits for them.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};

use super::gates::{Bit, Gate, Gates};

/// Conflicts for one input more that is as under the hint.
const NEARER_CONFLICTS: u64 = 20;
/// Propagations for all of them, if the first model took no more.
const NEARER_PROPAGATIONS: u64 = 100_000;

/// What the SAT solver says.
pub(super) enum Answer {
    Sat(Model),
    Unsat,
    Spent,
}

/// Bits under which all roots hold.
pub(super) struct Model {
    /// Of each gate; `None`: the roots do not need it.
    bits: Vec<Option<bool>>,
}

impl Model {
    fn of(solver: &Solver<Limit<'_>>, vars: &[Option<Var>]) -> Model {
        let value = |var: &Option<Var>| var.map(|var| solver.value_var(var) == lbool::TRUE);
        Model {
            bits: vars.iter().map(value).collect(),
        }
    }

    /// The bit in the model; where the roots do not need it, as it is under the hint.
    pub(super) fn value(&self, gates: &Gates, bit: Bit) -> bool {
        match self.bits[bit.gate() as usize] {
            Some(value) => value ^ bit.is_complement(),
            None => gates.value(bit),
        }
    }
}

/// Ends a search after so many conflicts, or when told.
struct Limit<'a> {
    conflicts: u64,
    stopped: &'a dyn Fn() -> bool,
}

impl Callbacks for Limit<'_> {
    fn on_new_clause(&mut self, _clause: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts = self.conflicts.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.conflicts == 0 || (self.stopped)()
    }
}

/// The clauses of a circuit, in the making.
struct Clauses<'a> {
    gates: &'a Gates,
    solver: Solver<Limit<'a>>,
    vars: Vec<Option<Var>>,
    /// Gates that have a variable, but no clauses.
    open: Vec<u32>,
    clause: Vec<Lit>,
}

/// Whether all roots can be 1. Of `inputs`, as many as a short search can are as they are under the hint.
pub(super) fn solve(
    gates: &Gates,
    roots: &[Bit],
    inputs: &[&[Bit]],
    conflicts: u64,
    stopped: &dyn Fn() -> bool,
) -> Answer {
    let limit = Limit { conflicts, stopped };
    let mut clauses = Clauses {
        gates,
        solver: Solver::new(SolverOpts::default(), limit),
        vars: vec![None; gates.len()],
        open: Vec::new(),
        clause: Vec::new(),
    };
    for &root in roots {
        match root.known() {
            Some(false) => return Answer::Unsat,
            Some(true) => {}
            None => clauses.add(&[root]),
        }
    }
    while let Some(gate) = clauses.open.pop() {
        clauses.define(gate);
    }
    let mut solver = clauses.solver;
    let found = solver.solve_limited(&[]);
    if found == lbool::TRUE {
        let model = Model::of(&solver, &clauses.vars);
        return Answer::Sat(nearer(model, &mut solver, gates, &clauses.vars, inputs));
    }
    match found == lbool::FALSE {
        true => Answer::Unsat,
        false => Answer::Spent,
    }
}

/// A model in which no more inputs differ from the hint than need to, as far as a short search can tell. What keeps the values
/// of the run keeps what the run did behind this place, too: a solver's own model fills a field to its end as soon as not.
fn nearer(
    mut model: Model,
    solver: &mut Solver<Limit<'_>>,
    gates: &Gates,
    vars: &[Option<Var>],
    inputs: &[&[Bit]],
) -> Model {
    let as_hinted = |input: &[Bit]| -> Vec<Lit> {
        let own = input.iter().filter_map(|&bit| {
            let value = gates.value(Bit::of_gate(bit.gate()));
            vars[bit.gate() as usize].map(|var| Lit::new(var, value))
        });
        own.collect()
    };
    let is_kept = |lit: &Lit| solver.value_lit(*lit) == lbool::TRUE;
    let (kept, changed): (Vec<_>, Vec<_>) = (inputs.iter())
        .map(|input| as_hinted(input))
        .partition(|lits| lits.iter().all(is_kept));
    let mut kept = kept.concat();
    let began = solver.num_propagations();
    let most = began.max(NEARER_PROPAGATIONS);
    for input in changed {
        if solver.num_propagations() - began > most {
            break;
        }
        let before = kept.len();
        kept.extend(input);
        solver.cb_mut().conflicts = NEARER_CONFLICTS;
        if solver.solve_limited(&kept) == lbool::TRUE {
            model = Model::of(solver, vars);
        } else {
            kept.truncate(before);
        }
    }
    model
}

impl Clauses<'_> {
    fn literal(&mut self, bit: Bit) -> Lit {
        let gate = bit.gate();
        let var = match self.vars[gate as usize] {
            Some(var) => var,
            None => {
                // The search begins where the run was: most constraints hold there.
                let polarity = lbool::new(self.gates.value(Bit::of_gate(gate)));
                let var = self.solver.new_var(polarity, true);
                self.vars[gate as usize] = Some(var);
                self.open.push(gate);
                var
            }
        };
        Lit::new(var, !bit.is_complement())
    }

    /// One of these holds; none of them is constant.
    fn add(&mut self, bits: &[Bit]) {
        let mut clause = std::mem::take(&mut self.clause);
        clause.clear();
        clause.extend(bits.iter().map(|&bit| self.literal(bit)));
        self.solver.add_clause_reuse(&mut clause);
        self.clause = clause;
    }

    /// The clauses by which a gate has its meaning.
    fn define(&mut self, gate: u32) {
        let z = Bit::of_gate(gate);
        match self.gates.gate(gate) {
            Gate::Zero => self.add(&[!z]),
            Gate::Input => {}
            Gate::And(a, b) => {
                self.add(&[!z, a]);
                self.add(&[!z, b]);
                self.add(&[z, !a, !b]);
            }
            Gate::Xor(a, b) => {
                self.add(&[!z, a, b]);
                self.add(&[!z, !a, !b]);
                self.add(&[z, !a, b]);
                self.add(&[z, a, !b]);
            }
            Gate::Choice(s, a, b) => {
                self.add(&[!s, !a, z]);
                self.add(&[!s, a, !z]);
                self.add(&[s, !b, z]);
                self.add(&[s, b, !z]);
                // Implied; they let the result follow while the choice is open.
                self.add(&[!a, !b, z]);
                self.add(&[a, b, !z]);
            }
            Gate::Majority(a, b, c) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.add(&[!x, !y, z]);
                    self.add(&[x, y, !z]);
                }
            }
        }
    }
}
