//! What cells hold along a path: [parts](program::parts) of variables, by the addresses that instructions read and write.
//!
//! Must hold: an access that may be of a cell changes or reads it, or makes it unknown; nothing else does, as long as accesses stay in
//! their objects.

use std::rc::Rc;

use program::parts::Parts;
use program::private::Cell;
use program::{Const, FuncId, Inst, Op, Operand, Program, Type};
use semantics::Value;
use smt::Term;

use crate::vc::{Walk, initial};

/// The cells of a path through one function.
#[derive(Clone)]
pub(crate) struct Cells<'a> {
    program: &'a Program,
    parts: &'a Parts,
    function: FuncId,
    /// In order.
    all: Rc<[Cell]>,
    /// What each holds; `None`: a number of which nothing is known.
    held: Vec<Option<Term>>,
}

impl<'a> Cells<'a> {
    /// Nothing is known of any.
    pub(crate) fn new(
        (program, parts): (&'a Program, &'a Parts),
        function: FuncId,
        all: Rc<[Cell]>,
    ) -> Cells<'a> {
        let held = vec![None; all.len()];
        Cells {
            program,
            parts,
            function,
            all,
            held,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn cell(&self, at: usize) -> Cell {
        self.all[at]
    }

    pub(crate) fn bits(&self, at: usize) -> u32 {
        8 * u32::try_from(self.all[at].size).unwrap_or(8)
    }

    /// Nothing is known of any of them.
    pub(crate) fn forget(&mut self) {
        self.held = vec![None; self.all.len()];
    }

    pub(crate) fn set(&mut self, at: usize, held: Option<Term>) {
        self.held[at] = held;
    }

    /// What is known of one.
    pub(crate) fn known(&self, at: usize) -> Option<Term> {
        self.held[at]
    }

    /// What one holds, if only a number of which nothing is known.
    pub(crate) fn get(&mut self, walk: &mut Walk<'_, '_>, at: usize) -> Option<Term> {
        if self.held[at].is_none() && self.program.globals[self.all[at].global].constant {
            self.held[at] = initial(walk.frame, self.all[at]);
        }
        if self.held[at].is_none() {
            let bits = self.bits(at);
            self.held[at] = walk.frame.unknown(&Type::Int(bits))?.scalar();
        }
        self.held[at]
    }

    /// What an instruction reads if it is of cells, with the type of its result; what it writes is kept in mind.
    pub(crate) fn access(
        &mut self,
        walk: &mut Walk<'_, '_>,
        (inst, ty): (&Inst, &Type),
    ) -> Option<Option<Value>> {
        let layout = &self.program.layout;
        match &inst.op {
            Op::Load { address, .. } => {
                let cells = self.accessed(address, layout.store_size(ty));
                (!cells.is_empty()).then(|| self.read(walk, address, &cells, ty))
            }
            Op::Store {
                address,
                value: stored,
                ..
            } => {
                let ty = walk.frame.function.operand_type(stored);
                let cells = self.accessed(address, layout.store_size(&ty));
                self.write(walk, address, &cells, stored);
                None
            }
            _ => None,
        }
    }

    /// The cells that an access of so many bytes may be of.
    pub(crate) fn accessed(&self, address: &Operand, size: Option<u64>) -> Vec<usize> {
        let Some(size) = size else { return Vec::new() };
        let access = (address, size);
        let found = self
            .parts
            .accessed(self.program, self.function, access)
            .into_iter();
        found
            .filter_map(|cell| self.all.binary_search(&cell).ok())
            .collect()
    }

    /// Whether an access by this address is of a cell; `None`: nothing is known of that.
    fn is_at(&mut self, walk: &mut Walk<'_, '_>, address: &Operand, at: usize) -> Option<Term> {
        let Cell { global, offset, .. } = self.all[at];
        let base = Operand::Const(Const::Global { global, offset: 0 });
        let base = walk.operand(&base)?.scalar()?;
        let address = walk.operand(address)?.scalar()?;
        let pool = &mut *walk.frame.pool;
        let offset = pool.constant(pool.width(base), u128::from(offset));
        let distance = pool.bin(smt::Op::Sub, address, base);
        Some(pool.eq(distance, offset))
    }

    /// What one of these cells holds, as a value of this type.
    fn read(
        &mut self,
        walk: &mut Walk<'_, '_>,
        address: &Operand,
        cells: &[usize],
        ty: &Type,
    ) -> Option<Value> {
        let bits = semantics::width(&self.program.layout, ty);
        let is_plain = matches!(ty, Type::Int(_) | Type::Ptr | Type::F32 | Type::F64);
        let are_whole = |cell: &usize| bits.map(u32::from) == Some(self.bits(*cell));
        if !is_plain || !cells.iter().all(are_whole) {
            return walk.frame.unknown(ty);
        }
        // Of no cell that is told apart, perhaps.
        let mut found = walk.frame.unknown(ty)?.scalar()?;
        for &cell in cells {
            let (Some(is_at), Some(held)) = (self.is_at(walk, address, cell), self.get(walk, cell))
            else {
                return walk.frame.unknown(ty);
            };
            found = walk.frame.pool.ite(is_at, held, found);
        }
        Some(found.into())
    }

    /// One of these cells is written.
    fn write(
        &mut self,
        walk: &mut Walk<'_, '_>,
        address: &Operand,
        cells: &[usize],
        stored: &Operand,
    ) {
        let number = walk.operand(stored).and_then(|value| value.scalar());
        for &cell in cells {
            let bits = self.bits(cell);
            let number = number.filter(|term| u32::from(walk.frame.pool.width(*term)) == bits);
            let written = (
                number,
                self.is_at(walk, address, cell),
                self.get(walk, cell),
            );
            self.held[cell] = match written {
                (Some(number), Some(is_at), Some(held)) => {
                    Some(walk.frame.pool.ite(is_at, number, held))
                }
                _ => None,
            };
        }
    }
}
