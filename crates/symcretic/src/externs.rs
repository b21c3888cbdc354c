//! Functions without a body whose meaning is known: assumptions, ends of runs, inputs, functions of the math library.

use program::{Operand, ValueId};
use semantics::{Access, Write};
use smt::{Op as TermOp, Term};

use crate::atom::Atom;
use crate::cross::{Cross, Crossed, everything};
use crate::facts::{is_assumption, is_end};
use crate::image::Language;
use crate::inputs::{self, Given};
use crate::state::{Asked, Condition, State};

/// Functions that make an object, and return its address, or `NULL`.
pub const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "strdup",
    "strndup",
];

impl Cross<'_, '_> {
    /// A function whose meaning is known here.
    pub fn known_extern(
        &mut self,
        state: &mut State,
        value: ValueId,
        (name, args): (&str, &[Operand]),
    ) -> Option<Crossed> {
        if is_end(name) {
            return Some(Crossed::Never);
        }
        let function = &self.facts.program.functions[state.place.function];
        let height = state.height();
        let arg = |cross: &mut Self, index: usize| {
            let operand = args.get(index)?;
            cross.operand(height, function, operand)?.scalar()
        };
        if self.facts.lucky && ALLOCATORS.contains(&name) {
            self.not_null(state, value);
            return None;
        }
        if is_assumption(name) {
            let term = arg(self, 0)?;
            let pool = &mut self.language.pool;
            let zero = pool.constant(pool.width(term), 0);
            let holds = pool.ne(term, zero);
            state.live = None;
            state.conditions.push(Condition {
                term: holds,
                edge: None,
            });
            return Some(Crossed::On);
        }
        if descent::External::new(name).is_known() {
            if self.is_live(state, value) {
                let args = (0..args.len()).map(|index| arg(self, index));
                let args: Option<Vec<Term>> = args.collect();
                let ty = &function.values[value].ty;
                let bits = semantics::width(&self.facts.program.layout, ty)?;
                let atom = Atom::Called {
                    name: name.into(),
                    args: args?,
                };
                let Language { pool, atoms } = &mut *self.language;
                let made = atoms.term(pool, atom, bits);
                self.replace(state, value, &made.into());
            }
            self.forget_memory(state, &self.facts.kept_by_library(name));
            return Some(Crossed::On);
        }
        if inputs::is_character(name) {
            self.character(state, value);
            self.forget_memory(state, &self.facts.kept_by_library(name));
            return Some(Crossed::On);
        }
        match inputs::single(name)? {
            Given::Result(kind) => {
                let made = self.input(state, (kind, None), name);
                let bits = self.language.pool.width(made);
                let ty = &function.values[value].ty;
                let wanted = semantics::width(&self.facts.program.layout, ty)?;
                let pool = &mut self.language.pool;
                let made = match bits < wanted {
                    true => pool.zext(made, wanted),
                    false => pool.extract(made, 0, wanted),
                };
                self.replace(state, value, &made.into());
            }
            Given::Written(kind) => {
                let address = arg(self, 0)?;
                let made = self.input(state, (kind, None), name);
                let pool = &mut self.language.pool;
                let size = kind.bits().div_ceil(8);
                let whole = pool.zext(made, size * 8);
                let bytes = (0..size).map(|index| Some(pool.extract(whole, index * 8, 8)));
                let write = Write {
                    bytes: bytes.collect(),
                    access: Access {
                        address,
                        bytes: u64::from(size),
                        align: u32::from(size),
                        volatile: false,
                    },
                };
                self.write(state, &write);
            }
            Given::Bytes => {
                let (address, count) = (arg(self, 0)?, arg(self, 1)?);
                let count = self
                    .language
                    .pool
                    .as_const(count)
                    .filter(|count| *count <= 4096);
                let Some(count) = count else {
                    self.forget_memory(state, &everything());
                    state.vague = true;
                    return Some(Crossed::On);
                };
                let mut bytes = Vec::new();
                for index in (0..count as u32).rev() {
                    bytes.push(Some(self.input(
                        state,
                        (path::ValueType::U8, Some(index)),
                        name,
                    )));
                }
                bytes.reverse();
                let write = Write {
                    bytes,
                    access: Access {
                        address,
                        bytes: count as u64,
                        align: 1,
                        volatile: false,
                    },
                };
                self.write(state, &write);
            }
        }
        Some(Crossed::On)
    }

    /// A call gave an address: what it is, is not known here.
    fn not_null(&mut self, state: &mut State, value: ValueId) {
        if !self.is_live(state, value) {
            return;
        }
        let bits = self.facts.program.layout.pointer_bits as u16;
        let Language { pool, atoms } = &mut *self.language;
        let (made, zero) = (atoms.any(pool, bits), pool.constant(bits, 0));
        let term = pool.ne(made, zero);
        self.replace(state, value, &made.into());
        state.live = None;
        state.conditions.push(Condition { term, edge: None });
    }

    /// The next character of standard input, going backward, or its end.
    fn character(&mut self, state: &mut State, value: ValueId) {
        let later = state.read;
        state.read += 1;
        if !self.is_live(state, value) {
            return;
        }
        let Language { pool, atoms } = &mut *self.language;
        let read = atoms.term(pool, Atom::Character { later }, 32);
        self.replace(state, value, &read.into());
        let pool = &mut self.language.pool;
        let (end, last) = (pool.constant(32, u128::MAX), pool.constant(32, 255));
        let (least, most) = (
            pool.cmp(TermOp::Sle, end, read),
            pool.cmp(TermOp::Sle, read, last),
        );
        state.live = None;
        for term in [least, most] {
            state.conditions.push(Condition { term, edge: None });
        }
    }

    /// The next input, going backward.
    fn input(
        &mut self,
        state: &mut State,
        (kind, element): (path::ValueType, Option<u32>),
        name: &str,
    ) -> Term {
        let later = state.asked.len() as u32;
        state.asked.push(Asked {
            kind,
            name: name.to_owned(),
            element,
        });
        let Language { pool, atoms } = &mut *self.language;
        let atom = Atom::Input {
            later,
            kind,
            element: element.unwrap_or(u32::MAX),
        };
        atoms.term(pool, atom, kind.bits())
    }
}
