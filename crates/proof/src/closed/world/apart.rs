//! Which addresses are apart, and what calls, handlers and others may write to.
//!
//! Must hold: two addresses are apart only if they are derived from different objects, or from one by constants, or lead into regions that
//! do not meet.

use program::regions::Region;
use program::{GlobalId, Op};
use semantics::Symbol;
use smt::{Op as TermOp, Term, Var};

use super::memory::Done;
use super::names::{Names, Root};
use super::{LONG, World};
use crate::closed::writes::Writes;

pub(super) enum Alias {
    Apart,
    /// The first begins so many bytes behind the second.
    At(i128),
    Maybe,
}

impl World<'_> {
    /// Where an address may lead, if that is known.
    pub(super) fn region(&self, address: Term) -> Option<Region> {
        let mut all: Option<Region> = None;
        for var in semantics::bases(&self.pool, address) {
            if let Some(found) = self.names.regions.get(&var)?.clone() {
                all = Some(found.and(all));
            }
        }
        let by = semantics::moved_by(&self.pool, address);
        all.map(|region| match by {
            Some(by) => region.moved(by),
            None => region.spread(),
        })
    }

    /// The object that an address is derived from, if it is one that has a name.
    pub(super) fn root(&self, address: Term) -> Option<Root> {
        let (parts, _) = self.pool.summands(address);
        let Names { roots, derived, .. } = &self.names;
        let known = |var: Var| roots.get(&var).or_else(|| derived.get(&var)).copied();
        let mut found = None;
        for part in parts {
            // A difference of addresses may lead from one object into another.
            let own = self.pool.as_var(part).and_then(known);
            let named = match own {
                Some(_) => 1,
                None => self.pool.vars(part).into_iter().filter_map(known).count(),
            };
            match (own, found) {
                (Some(_), None) => found = own,
                _ if named > 0 => return None,
                _ => {}
            }
        }
        found
    }

    /// Can no pointer that is not derived from the object's own name point into it?
    pub(super) fn is_hidden(&self, root: Root) -> bool {
        let effects = self.names.effects;
        match root {
            Root::Symbol(Symbol::Global(global)) => effects.is_private(global),
            Root::Symbol(_) => true,
            Root::Object {
                function, value, ..
            } => effects.is_private_object(function, value),
        }
    }

    pub(super) fn alias(&self, (a, a_bytes): (Term, u64), (b, b_bytes): (Term, u64)) -> Alias {
        let ((mut left, a_constant), (mut right, b_constant)) =
            (self.pool.summands(a), self.pool.summands(b));
        left.retain(|part| match right.iter().position(|other| other == part) {
            Some(at) => {
                right.remove(at);
                false
            }
            None => true,
        });
        if left.is_empty() && right.is_empty() {
            let unused = 128 - u32::from(self.pool.width(a));
            let offset = (a_constant.wrapping_sub(b_constant) << unused).cast_signed() >> unused;
            let apart = offset >= i128::from(b_bytes) || -offset >= i128::from(a_bytes);
            return match apart {
                true => Alias::Apart,
                false => Alias::At(offset),
            };
        }
        match (self.root(a), self.root(b)) {
            (Some(a), Some(b)) if a != b => Alias::Apart,
            (Some(root), None) if self.is_hidden(root) && !self.is_lost(b) => Alias::Apart,
            (None, Some(root)) if self.is_hidden(root) && !self.is_lost(a) => Alias::Apart,
            _ => match (
                self.region(a).map(|a| a.sized(a_bytes)),
                self.region(b).map(|b| b.sized(b_bytes)),
                &self.names.effects.regions,
            ) {
                (Some(a), Some(b), Some(regions)) if !regions.meet(&a, &b) => Alias::Apart,
                _ => Alias::Maybe,
            },
        }
    }

    /// Is an address made of a number that there is? That may be derived from any object's own name.
    pub(super) fn is_lost(&self, address: Term) -> bool {
        let mut some = self.some.values();
        let vars = self.pool.vars(address);
        some.any(|term| {
            let var = self.pool.as_var(*term);
            var.is_some_and(|var| vars.contains(&var))
        })
    }

    /// May memory at an address change at any time, whatever the stretch does?
    pub(super) fn is_unsteady(&self, address: Term) -> bool {
        let effects = self.names.effects;
        effects.is_mapped() && self.root(address).is_none()
            || self.is_written(effects.interrupts(), (address, LONG))
    }

    /// May a call have changed what memory holds at an address?
    pub(super) fn may_change(&self, at: usize, cell: (Term, u64)) -> bool {
        match &self.done[at] {
            Done::Called(writes) => self.is_written(writes, cell),
            _ => true,
        }
    }

    pub(super) fn is_written(&self, writes: &Writes, (address, bytes): (Term, u64)) -> bool {
        match self.root(address) {
            Some(Root::Symbol(Symbol::Global(global))) => {
                let is_constant = self.names.effects.program.globals[global].constant;
                let named = writes.globals.contains(&global);
                let pointed = || self.is_through(writes, (address, bytes));
                !is_constant && (named || !self.names.effects.is_private(global) && pointed())
            }
            Some(root @ Root::Object { .. }) => {
                !self.is_hidden(root) && self.is_through(writes, (address, bytes))
            }
            Some(Root::Symbol(_)) => false,
            None => self.is_through(writes, (address, bytes)) || self.may_name(address, writes),
        }
    }

    /// May what is written through pointers be in a region?
    pub(super) fn is_through(&self, writes: &Writes, (address, bytes): (Term, u64)) -> bool {
        let (Some(regions), Some(through)) = (&self.names.effects.regions, &writes.through) else {
            return writes.pointers;
        };
        let region = self.region(address).map(|region| region.sized(bytes));
        writes.pointers || region.is_none_or(|region| regions.meet(through, &region))
    }

    /// May an address of which no object is known be one of these globals? No pointer leads to some of them: it would have to name one.
    pub(super) fn may_name(&self, address: Term, writes: &Writes) -> bool {
        let is_named = |global: &GlobalId| {
            let mut vars = self.pool.vars(address).into_iter();
            vars.any(|var| {
                let root = self.names.roots.get(&var);
                matches!(root, Some(Root::Symbol(Symbol::Global(known))) if known == global)
            })
        };
        let mut globals = writes.globals.iter();
        let effects = self.names.effects;
        if let (Some(region), Some(regions)) = (self.region(address), &effects.regions) {
            let region = region.spread();
            return globals.any(|it| regions.meet(&region, &regions.global(effects.program, *it)));
        }
        globals.any(|global| !self.names.effects.is_private(*global) || is_named(global))
    }

    /// What holds of the addresses of objects: they are behind the first page, in the lower half, and apart.
    pub fn known_of_objects(&mut self) -> Vec<Term> {
        let mut objects: Vec<(Var, Root)> = self
            .names
            .roots
            .iter()
            .map(|(var, root)| (*var, *root))
            .collect();
        objects.sort_by_key(|(var, _)| *var);
        let program = self.names.effects.program;
        let bits = program.layout.pointer_bits as u16;
        let size = |root: Root| match root {
            // Linkers merge constants.
            Root::Symbol(Symbol::Global(global)) => match program.globals[global].constant {
                true => 0,
                false => program.globals[global].size,
            },
            Root::Symbol(_) => 1,
            Root::Object {
                function, value, ..
            } => match program.functions[function].inst(value).map(|inst| &inst.op) {
                Some(Op::Alloca { size, count, .. }) => match count.constant() {
                    Some(program::Const::Int { value, .. }) => {
                        let count = u64::try_from(*value).unwrap_or(u64::MAX);
                        size.saturating_mul(count).min(1 << 32)
                    }
                    _ => 0,
                },
                _ => 0,
            },
        };
        let mut known = Vec::new();
        for (index, (var, root)) in objects.iter().enumerate() {
            let pool = &mut self.pool;
            let object = pool.var(*var, bits);
            let low = pool.constant(bits, 4096);
            known.push(pool.cmp(TermOp::Ule, low, object));
            if bits == 64 {
                let high = pool.constant(bits, 1 << 47);
                known.push(pool.cmp(TermOp::Ult, object, high));
            }
            for (other, other_root) in &objects[index.saturating_sub(16)..index] {
                let sizes = (size(*root), size(*other_root));
                if sizes.0 > 0 && sizes.1 > 0 {
                    let other = pool.var(*other, bits);
                    known.push(semantics::apart(pool, (object, sizes.0), (other, sizes.1)));
                }
            }
        }
        known
    }
}
