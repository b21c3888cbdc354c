//! What a term is made of, for those who compile it.
//!
//! A pool keeps its nodes to itself. [`Shapes`] is the view that the compiler needs: each term as one operation over terms.
//! A [`Recorder`] has it by writing down how each term was asked for. The pool may have rewritten the term; a rewritten term
//! evaluates as the plain one, so the note is right whatever the pool made of it.
//!
//! Must hold: shapes have no cycles; a shape evaluates to the value that [`smt::Evaluator`] gives the term.

use smt::{Op, Pool, Term, Var};

pub use smt::Shape;

/// A pool whose terms can be taken apart.
pub trait Shapes {
    /// The pool that owns the terms.
    fn pool(&self) -> &Pool;

    /// What `term` is made of; `None` if that is not known.
    fn shape(&self, term: Term) -> Option<Shape<'_>>;
}

impl Shapes for Pool {
    fn pool(&self) -> &Pool {
        self
    }

    fn shape(&self, term: Term) -> Option<Shape<'_>> {
        Some(Pool::shape(self, term))
    }
}

#[derive(Clone, Debug)]
enum Note {
    Var(Var),
    Table {
        index: Term,
        entries: Box<[Term]>,
    },
    Op {
        op: Op,
        aux: u8,
        operands: [Term; 3],
    },
}

/// A pool that notes how its terms were asked for.
#[derive(Debug, Default)]
pub struct Recorder {
    pool: Pool,
    notes: Vec<Option<Note>>,
}

impl Recorder {
    /// An empty pool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The first note about a term stays: its operands were there before it.
    fn note(&mut self, term: Term, note: Note) -> Term {
        if self.notes.len() <= term.index() {
            self.notes.resize(self.pool.len(), None);
        }
        self.notes[term.index()].get_or_insert(note);
        term
    }

    /// [`Pool::constant`].
    pub fn constant(&mut self, bits: u16, value: u128) -> Term {
        self.pool.constant(bits, value)
    }

    /// The constant float of `bits` bits.
    pub fn number(&mut self, bits: u16, value: f64) -> Term {
        self.pool.constant(bits, smt::float(bits, value))
    }

    /// [`Pool::var`].
    pub fn var(&mut self, var: Var, bits: u16) -> Term {
        let term = self.pool.var(var, bits);
        self.note(term, Note::Var(var))
    }

    /// [`Pool::table`].
    pub fn table(&mut self, index: Term, entries: Box<[Term]>) -> Term {
        let term = self.pool.table(index, entries.clone());
        self.note(term, Note::Table { index, entries })
    }

    /// [`Pool::apply`].
    ///
    /// # Panics
    /// If the widths do not fit.
    pub fn apply(&mut self, op: Op, bits: u16, aux: u8, operands: &[Term]) -> Term {
        let term = self.pool.apply(op, bits, u32::from(aux), operands);
        let mut all = [operands[0]; 3];
        all[..operands.len()].copy_from_slice(operands);
        let operands = all;
        self.note(term, Note::Op { op, aux, operands })
    }

    /// A binary operation that is not a cast.
    pub fn bin(&mut self, op: Op, a: Term, b: Term) -> Term {
        let bits = match op {
            Op::Concat => self.pool.width(a) + self.pool.width(b),
            _ if op.is_predicate() => 1,
            _ => self.pool.width(a),
        };
        self.apply(op, bits, 0, &[a, b])
    }

    /// A unary operation that keeps the width.
    pub fn un(&mut self, op: Op, a: Term) -> Term {
        self.apply(op, self.pool.width(a), 0, &[a])
    }

    /// A conversion to `bits` bits.
    pub fn cast(&mut self, op: Op, bits: u16, a: Term) -> Term {
        self.apply(op, bits, 0, &[a])
    }

    /// `condition` ? `then` : `otherwise`.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let bits = self.pool.width(then);
        self.apply(Op::Ite, bits, 0, &[condition, then, otherwise])
    }
}

impl Shapes for Recorder {
    fn pool(&self) -> &Pool {
        &self.pool
    }

    fn shape(&self, term: Term) -> Option<Shape<'_>> {
        if let Some(value) = self.pool.as_const(term) {
            return Some(Shape::Constant(value));
        }
        Some(match self.notes.get(term.index())?.as_ref()? {
            Note::Var(var) => Shape::Var(*var),
            Note::Table { index, entries } => Shape::Table {
                index: *index,
                entries,
            },
            &Note::Op { op, aux, operands } => Shape::Op { op, aux, operands },
        })
    }
}
