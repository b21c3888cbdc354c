//! What conditions speak of: the variables of their terms.
//!
//! A condition holds at a place of a path. Its variables are values of functions that are active there, what memory holds there,
//! addresses of globals, and what the rest of the path brings: inputs, results that nobody knows.
//!
//! Must hold: nothing is nested deeper than [`DEEPEST`], so that who follows atoms may recurse; one variable for one atom, so that equal conditions are the same term; variables are of a stream of their own, so
//! that they and the inputs of runs (`path::vars`) can stand in one term.

use std::collections::HashMap;
use std::rc::Rc;

use path::ValueType;
use program::ValueId;
use semantics::{Gap, Open, Symbol};
use smt::{Pool, Term, Var};

/// The stream of these variables: the last that can be named.
const STREAM: u32 = path::vars::STREAMS - 1;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A scalar of a value of an active function: of the one with so many known callers.
    Value {
        height: u32,
        value: ValueId,
        scalar: u32,
    },
    /// Where a global or a function stands.
    Symbol(Symbol),
    /// What memory holds from an address on, as a number of so many bytes.
    Cell { address: Term, bytes: u8 },
    /// A value that the program asks for on the rest of the path: so many are asked for after it.
    Input {
        later: u32,
        kind: ValueType,
        element: u32,
    },
    /// What `getchar` returns on the rest of the path: so many characters are read after it.
    Character { later: u32 },
    /// What a function outside of the program returns, which depends on these arguments alone (`sin`).
    Called { name: Rc<str>, args: Vec<Term> },
    /// A value of an extracted loop: what it is in a turn, and at the end.
    Turn { extracted: u32, value: ValueId },
    /// A value that an extracted loop reads and does not change: so many were found before it.
    Outer { extracted: u32, index: u32 },
    /// Nothing is known of it.
    Any(u32),
}

impl Atom {
    /// The terms that it is made from.
    #[must_use]
    pub fn parts(&self) -> &[Term] {
        match self {
            Atom::Cell { address, .. } => std::slice::from_ref(address),
            Atom::Called { args, .. } => args,
            _ => &[],
        }
    }
}

/// The atoms that there are.
#[derive(Default)]
pub struct Atoms {
    list: Vec<(Atom, u16)>,
    numbers: HashMap<(Atom, u16), u32>,
    /// For each: how many atoms it is nested in one another, itself included.
    depths: Vec<u32>,
    anys: u32,
    extracted: u32,
    /// Of variables that nothing determines in front of an instruction: what each stands for behind it.
    origins: HashMap<Var, Vec<Var>>,
}

/// Atoms that may be nested in one another: memory at addresses in memory, and so on.
pub const DEEPEST: u32 = 32;

/// What one variable may have stood for, at most.
const ORIGINS: usize = 3;

impl Atoms {
    /// How deep atoms would be nested in one that is made from these terms.
    #[must_use]
    pub fn depth_of(&self, pool: &Pool, parts: &[Term]) -> u32 {
        let vars = parts.iter().flat_map(|part| pool.vars(*part));
        let depths = vars.filter_map(|var| {
            let (stream, number) = path::vars::input_of(var);
            (stream == STREAM)
                .then(|| self.depths.get(number as usize).copied())
                .flatten()
        });
        1 + depths.max().unwrap_or(0)
    }

    /// The number of a loop that is extracted now.
    pub fn extract(&mut self) -> u32 {
        self.extracted += 1;
        self.extracted
    }

    /// The variable of an atom as a term.
    pub fn term(&mut self, pool: &mut Pool, atom: Atom, bits: u16) -> Term {
        let next = self.list.len() as u32;
        let key = (atom, bits);
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.depths.push(self.depth_of(pool, key.0.parts()));
            self.list.push(key);
        }
        pool.var(path::vars::var_of(STREAM, number), bits)
    }

    /// Whether nothing at its place determines a variable: there is a number for which the conditions hold.
    #[must_use]
    pub fn is_open(&self, var: Var) -> bool {
        !matches!(
            self.get(var),
            Some((Atom::Value { .. } | Atom::Symbol(_) | Atom::Cell { .. }, _))
        )
    }

    /// A term took the place of a variable: what is open in it may be what the variable is.
    pub fn replaced(&mut self, pool: &Pool, var: Var, by: Term) {
        for open in pool.vars(by) {
            if open != var && self.is_open(open) {
                let known = self.origins.entry(open).or_default();
                if known.len() < ORIGINS && !known.contains(&var) {
                    known.push(var);
                }
            }
        }
    }

    /// What an open variable may be behind the instruction in front of which it came up.
    #[must_use]
    pub fn origins(&self, var: Var) -> &[Var] {
        self.origins.get(&var).map_or(&[], Vec::as_slice)
    }

    /// A new unknown.
    pub fn any(&mut self, pool: &mut Pool, bits: u16) -> Term {
        self.anys += 1;
        self.term(pool, Atom::Any(self.anys), bits)
    }

    /// What a variable stands for, and its width; `None` for inputs of runs.
    pub fn get(&self, var: Var) -> Option<&(Atom, u16)> {
        let (stream, number) = path::vars::input_of(var);
        (stream == STREAM)
            .then(|| self.list.get(number as usize))
            .flatten()
    }
}

/// Makes of constants what atoms say.
pub struct Constants<'a>(pub &'a mut Atoms);

impl Open for Constants<'_> {
    fn address(&mut self, pool: &mut Pool, symbol: Symbol, bits: u16) -> Result<Term, Gap> {
        Ok(self.0.term(pool, Atom::Symbol(symbol), bits))
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap> {
        Ok(self.0.any(pool, bits))
    }
}
