//! Values of library functions: a number with its term, so that expressions over the bytes of memory are built as in the native
//! runtime.
//!
//! Must hold: the term of a value has its width and, under the run's input, its number.

use path::{Class, LossReason};
use smt::{Op as TermOp, Pool, Term};

use crate::register::Register;
use crate::state::{Made, State};

/// A number with its term; a constant where it depends on no input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sym {
    pub value: u128,
    pub term: Term,
}

impl Sym {
    pub fn constant(pool: &mut Pool, bits: u16, value: u128) -> Sym {
        Sym {
            value,
            term: pool.constant(bits, value),
        }
    }

    pub fn truth(pool: &mut Pool, value: bool) -> Sym {
        Sym::constant(pool, 1, value.into())
    }

    pub fn holds(self) -> bool {
        self.value == 1
    }

    pub fn is_symbolic(self, pool: &Pool) -> bool {
        pool.is_symbolic(self.term)
    }

    pub fn eq(self, pool: &mut Pool, other: Sym) -> Sym {
        Sym {
            value: (self.value == other.value).into(),
            term: pool.eq(self.term, other.term),
        }
    }

    pub fn is(self, pool: &mut Pool, value: u8) -> Sym {
        let bits = pool.width(self.term);
        let constant = Sym::constant(pool, bits, value.into());
        self.eq(pool, constant)
    }

    pub fn below(self, pool: &mut Pool, other: Sym) -> Sym {
        Sym {
            value: (self.value < other.value).into(),
            term: pool.cmp(TermOp::Ult, self.term, other.term),
        }
    }

    pub fn not(self, pool: &mut Pool) -> Sym {
        Sym {
            value: 1 - self.value,
            term: pool.not(self.term),
        }
    }

    pub fn and(self, pool: &mut Pool, other: Sym) -> Sym {
        Sym {
            value: self.value & other.value,
            term: pool.bin(TermOp::And, self.term, other.term),
        }
    }

    pub fn or(self, pool: &mut Pool, other: Sym) -> Sym {
        Sym {
            value: self.value | other.value,
            term: pool.bin(TermOp::Or, self.term, other.term),
        }
    }

    fn wrapped(pool: &Pool, value: u128, term: Term) -> Sym {
        let bits = u32::from(pool.width(term));
        Sym {
            value: value & (u128::MAX >> (128 - bits)),
            term,
        }
    }

    pub fn add(self, pool: &mut Pool, other: Sym) -> Sym {
        let term = pool.bin(TermOp::Add, self.term, other.term);
        Sym::wrapped(pool, self.value.wrapping_add(other.value), term)
    }

    pub fn sub(self, pool: &mut Pool, other: Sym) -> Sym {
        let term = pool.bin(TermOp::Sub, self.term, other.term);
        Sym::wrapped(pool, self.value.wrapping_sub(other.value), term)
    }

    pub fn mul(self, pool: &mut Pool, other: Sym) -> Sym {
        let term = pool.bin(TermOp::Mul, self.term, other.term);
        Sym::wrapped(pool, self.value.wrapping_mul(other.value), term)
    }

    pub fn neg(self, pool: &mut Pool) -> Sym {
        let term = pool.un(TermOp::Neg, self.term);
        Sym::wrapped(pool, self.value.wrapping_neg(), term)
    }

    pub fn zext(self, pool: &mut Pool, bits: u16) -> Sym {
        Sym {
            value: self.value,
            term: pool.zext(self.term, bits),
        }
    }

    /// The low bits.
    pub fn low(self, pool: &mut Pool, bits: u16) -> Sym {
        let term = pool.extract(self.term, 0, bits);
        Sym::wrapped(pool, self.value, term)
    }

    pub fn ite(self, pool: &mut Pool, then: Sym, otherwise: Sym) -> Sym {
        Sym {
            value: if self.holds() {
                then.value
            } else {
                otherwise.value
            },
            term: pool.ite(self.term, then.term, otherwise.term),
        }
    }
}

impl State<'_> {
    /// A byte of memory.
    pub(super) fn sym_byte(&mut self, address: u64) -> Made<Sym> {
        let (byte, term) = self.byte(address)?;
        Ok(Sym {
            value: byte.into(),
            term,
        })
    }

    /// A register as a value of so many bits.
    pub(super) fn sym_of(&mut self, register: &Register, bits: u16) -> Sym {
        let value = u128::from(register.word()) & (u128::MAX >> (128 - u32::from(bits)));
        match register.term() {
            Some(term) if self.pool.width(term) >= bits => Sym {
                value,
                term: self.pool.extract(term, 0, bits),
            },
            Some(term) => Sym {
                value,
                term: self.pool.zext(term, bits),
            },
            None => Sym::constant(self.pool, bits, value),
        }
    }

    /// A value as a register.
    pub(super) fn given(&self, sym: Sym) -> Register {
        self.made_word(sym.value as u64, sym.term)
    }

    /// A pointer of the program.
    pub(super) fn pointer_sym(&mut self, address: u64) -> Sym {
        let bits = self.program.layout.pointer_bits as u16;
        Sym::constant(self.pool, bits, address.into())
    }

    /// Records a decision of the library.
    pub(super) fn decides(&mut self, condition: Sym) -> bool {
        self.decide(condition.term, condition.holds())
    }

    /// Records that a condition has the value that it has: no loss, since the other is a side that is tried.
    pub(super) fn pins(&mut self, condition: Sym) {
        let truth = match condition.holds() {
            true => condition.term,
            false => self.pool.not(condition.term),
        };
        let spot = self.spot();
        self.record.constraint(self.pool, Class::Pin, spot, truth);
    }

    /// Records that a symbolic value is what it is.
    pub(super) fn pin_sym(&mut self, sym: Sym, reason: LossReason) {
        let register = self.given(sym);
        self.pin(&register, reason);
    }
}
