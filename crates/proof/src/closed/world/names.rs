//! Names of what nothing determines, and what is known of them: which object's address one is, and where it may lead.

use std::collections::{BTreeMap, HashMap};

use program::regions::Region;
use program::{FuncId, ValueId};
use semantics::{Gap, Open, Symbol, Value};
use smt::{Pool, Term, Var};

use crate::closed::Effects;

/// The object that an address is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    Symbol(Symbol),
    /// A local object; each time that it is made is another one.
    Object {
        function: FuncId,
        value: ValueId,
        number: u32,
    },
}

/// Names of what nothing determines.
pub(super) struct Names<'a> {
    pub(super) effects: &'a Effects<'a>,
    pub(super) next: u32,
    pub(super) symbols: BTreeMap<Symbol, Term>,
    pub(super) roots: HashMap<Var, Root>,
    /// The object from whose name a value was computed in front of the stretch.
    pub(super) derived: HashMap<Var, Root>,
    /// Where addresses lead that are made of a number: nowhere, or into a region. Of others nothing is known.
    pub(super) regions: HashMap<Var, Option<Region>>,
    pub(super) objects: u32,
}

impl Names<'_> {
    pub(super) fn any(&mut self, pool: &mut Pool, bits: u16) -> Term {
        self.next += 1;
        pool.var(Var(self.next), bits)
    }

    pub(super) fn object(
        &mut self,
        pool: &mut Pool,
        (function, value): (FuncId, ValueId),
        bits: u16,
    ) -> Term {
        let term = self.any(pool, bits);
        self.objects += 1;
        let root = Root::Object {
            function,
            value,
            number: self.objects,
        };
        self.roots.insert(Var(self.next), root);
        let regions = self.effects.regions.as_deref();
        if let Some(region) = regions.and_then(|known| known.stack(function, value)) {
            self.regions.insert(Var(self.next), Some(region));
        }
        term
    }

    /// What a value of a function may be, as far as that is known.
    pub(super) fn note(
        &mut self,
        pool: &Pool,
        (function, value): (FuncId, ValueId),
        made: Option<&Value>,
    ) {
        let regions = self.effects.regions.as_deref();
        let Some(known) = regions.filter(|known| known.is_entered(function)) else {
            return;
        };
        let region = known.value(function, value);
        let wide = self.effects.program.layout.pointer_bits;
        for term in made.into_iter().flat_map(Value::scalars) {
            // A narrow one may be a part of an address.
            let var = pool.as_var(term);
            if let Some(var) = var.filter(|_| u32::from(pool.width(term)) >= wide) {
                self.regions.insert(var, region.clone());
            }
        }
    }
}

impl Open for Names<'_> {
    fn address(&mut self, pool: &mut Pool, symbol: Symbol, bits: u16) -> Result<Term, Gap> {
        if let Some(known) = self.symbols.get(&symbol) {
            return Ok(*known);
        }
        let term = self.any(pool, bits);
        self.symbols.insert(symbol, term);
        if let Some(regions) = &self.effects.regions {
            let region = match symbol {
                Symbol::Global(global) => Some(regions.global(self.effects.program, global)),
                Symbol::Function(_) | Symbol::Extern(_) => None,
            };
            self.regions.insert(Var(self.next), region);
        }
        // What the program does not define may be a part of something else, and missing.
        let is_defined = match symbol {
            Symbol::Global(global) => self.effects.program.globals[global].init.is_some(),
            Symbol::Function(_) => true,
            Symbol::Extern(_) => false,
        };
        if is_defined {
            self.roots.insert(Var(self.next), Root::Symbol(symbol));
        }
        Ok(term)
    }

    fn undefined(&mut self, pool: &mut Pool, bits: u16) -> Result<Term, Gap> {
        Ok(self.any(pool, bits))
    }
}
