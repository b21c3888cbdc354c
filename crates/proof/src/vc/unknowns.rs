//! What nothing near the place determines: variables, and what is known of them.

use std::collections::HashMap;

use program::{GlobalId, Program};
use semantics::{Gap, Open, Symbol};
use smt::{Assignment, Pool, Term, Var};

/// What is known of a variable.
#[derive(Clone, Copy)]
struct Fact {
    /// True whenever the variable has a value.
    term: Term,
    /// A value for which it is.
    value: u128,
}

/// The variables of one place.
pub struct Unknowns<'a> {
    program: &'a Program,
    symbols: HashMap<Symbol, Term>,
    facts: HashMap<Var, Fact>,
    variables: u32,
}

impl<'a> Unknowns<'a> {
    pub fn new(program: &'a Program) -> Unknowns<'a> {
        Unknowns {
            program,
            symbols: HashMap::new(),
            facts: HashMap::new(),
            variables: 0,
        }
    }

    /// The constant tables whose addresses were asked for, in order.
    pub fn tables(&self) -> Vec<(GlobalId, Term)> {
        let is_table = |global: &GlobalId| {
            let global = &self.program.globals[*global];
            global.constant && global.init.is_some()
        };
        let symbols = self
            .symbols
            .iter()
            .filter_map(|(symbol, term)| match symbol {
                Symbol::Global(global) => Some((*global, *term)),
                Symbol::Function(_) | Symbol::Extern(_) => None,
            });
        let mut tables: Vec<_> = symbols.filter(|(global, _)| is_table(global)).collect();
        tables.sort_unstable_by_key(|(global, _)| *global);
        tables
    }

    /// A variable of which nothing is known.
    pub fn variable(&mut self, pool: &mut Pool, bits: u16) -> Term {
        self.named(pool, bits).1
    }

    fn named(&mut self, pool: &mut Pool, bits: u16) -> (Var, Term) {
        let var = Var(self.variables);
        self.variables += 1;
        (var, pool.var(var, bits))
    }

    /// An address that is not 0.
    pub fn object(&mut self, pool: &mut Pool, bits: u16) -> Term {
        let (var, term) = self.named(pool, bits);
        let zero = pool.constant(bits, 0);
        let fact = pool.ne(term, zero);
        let value = 1 << 12;
        self.facts.insert(var, Fact { term: fact, value });
        term
    }

    /// A new variable that is one of these numbers.
    pub fn one_of(&mut self, pool: &mut Pool, bits: u16, choices: &[u128]) -> Term {
        let (var, term) = self.named(pool, bits);
        let mut any = pool.bool(false);
        for choice in choices {
            let choice = pool.constant(bits, *choice);
            let equal = pool.eq(term, choice);
            any = pool.or(any, equal);
        }
        let value = choices.first().copied().unwrap_or(0);
        self.facts.insert(var, Fact { term: any, value });
        term
    }

    /// Gives the variables of a term that nothing else spoke of before values for which their facts hold; returns the facts.
    pub fn facts(&self, pool: &Pool, term: Term, hint: &mut Assignment) -> Vec<Term> {
        let mut facts = Vec::new();
        for var in pool.vars(term) {
            if let Some(fact) = self.facts.get(&var) {
                if hint.entry(var).is_none() {
                    hint.set(var, fact.value);
                }
                facts.push(fact.term);
            }
        }
        facts
    }
}

impl Open for Unknowns<'_> {
    fn address(&mut self, pool: &mut Pool, symbol: Symbol, bits: u16) -> Result<Term, Gap> {
        if let Some(known) = self.symbols.get(&symbol) {
            return Ok(*known);
        }
        // What is defined elsewhere may be weak, and missing.
        let defined = match symbol {
            Symbol::Global(global) => self.program.globals[global].init.is_some(),
            Symbol::Function(_) => true,
            Symbol::Extern(_) => false,
        };
        let term = if defined {
            self.object(pool, bits)
        } else {
            self.variable(pool, bits)
        };
        self.symbols.insert(symbol, term);
        Ok(term)
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap> {
        Ok(self.variable(pool, bits))
    }
}
