//! From terms to operations.
//!
//! Must hold: a word is written by one place alone, but for the words of loops' state variables.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use smt::{Op, Term, Var};

use super::{Bits, CallCode, Code, Input, Instr, Item, Program, Way, word};
use crate::distance::Gauge;
use crate::{BadTrace, Call, Kind, Shape, Shapes, Step, StepId, Trace};

/// Constants of a trace that searches try.
const CONSTANTS: usize = 256;

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) word: u32,
    pub(super) width: u16,
    /// It changes in the loop that is being compiled.
    pub(super) local: bool,
}

/// The compiler's state.
pub(crate) struct Compiler<'a> {
    pub(super) shapes: &'a dyn Shapes,
    pub(super) program: Program,
    pub(super) places: BTreeMap<Var, Place>,
    /// Words of terms that no loop changes, by the terms' numbers.
    fixed: Vec<Option<u32>>,
    /// Words of terms of the block that is being compiled.
    pub(super) local: BTreeMap<Term, u32>,
    /// For each word: the inputs it depends on.
    pub(super) depends: Vec<Bits>,
    /// Operands that are constants.
    constants: BTreeSet<(u16, u128)>,
    pub(super) step: StepId,
    /// Operations that an item has already.
    flushed: usize,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(shapes: &'a dyn Shapes, trace: &Trace) -> Result<Self, BadTrace> {
        let mut compiler = Compiler {
            shapes,
            program: Program::default(),
            places: BTreeMap::new(),
            fixed: vec![None; shapes.pool().len()],
            local: BTreeMap::new(),
            depends: Vec::new(),
            constants: BTreeSet::new(),
            step: StepId(0),
            flushed: 0,
        };
        for (index, &variable) in trace.variables.iter().enumerate() {
            let (var, width) = (variable.var, variable.width);
            let fits = match variable.kind {
                Kind::Float => matches!(width, 32 | 64 | x87::BITS),
                _ => (1..=128).contains(&width),
            };
            if !fits {
                return Err(BadTrace::Input { var, width });
            }
            let mut own = Bits::default();
            if variable.kind != Kind::Fixed {
                own.insert(index);
            }
            let word = compiler.define(var, width, own, false)?;
            compiler.program.inputs.push(Input { variable, word });
        }
        Ok(compiler)
    }

    pub(crate) fn compile(mut self, trace: &Trace) -> Result<Program, BadTrace> {
        for (index, step) in trace.steps.iter().enumerate() {
            self.step = StepId(index as u32);
            let influence = match step {
                Step::Call(call) => {
                    let call = self.call(call, false)?;
                    self.flush();
                    self.program.items.push(Item::Call {
                        step: self.step.0,
                        call,
                    });
                    self.argument_inputs(call)
                }
                Step::Loop(body) => {
                    let (index, influence) = self.extracted(body)?;
                    self.flush();
                    self.program.items.push(Item::Loop {
                        step: self.step.0,
                        index,
                    });
                    influence
                }
                &Step::Fit { condition } => {
                    let word = self.condition(condition)?;
                    let gauge = self.gauge(condition, true)?;
                    self.flush();
                    self.program.items.push(Item::Fit {
                        step: self.step.0,
                        condition: word,
                        gauge,
                    });
                    self.depends[word as usize].clone()
                }
            };
            self.program.influence.push(influence);
        }
        // One bit is no value to try, and with too many none is worth it.
        let constants = self.constants.into_iter().filter(|&(bits, _)| bits > 1);
        self.program.constants = constants.take(CONSTANTS).collect();
        Ok(self.program)
    }

    /// An item for the operations since the last one.
    fn flush(&mut self) {
        let (from, to) = (self.flushed as u32, self.program.code.len() as u32);
        if from < to {
            self.program.items.push(Item::Straight { from, to });
        }
        self.flushed = to as usize;
    }

    pub(crate) fn shape(&self, term: Term) -> Result<Shape<'a>, BadTrace> {
        self.shapes.shape(term).ok_or(BadTrace::Shapeless {
            step: self.step,
            term,
        })
    }

    pub(crate) fn width(&self, term: Term) -> u16 {
        self.shapes.pool().width(term)
    }

    /// The first word of a term that is compiled.
    pub(crate) fn slot(&self, term: Term) -> u32 {
        self.find(term)
            .expect("operands of a condition are compiled with it")
    }

    fn find(&self, term: Term) -> Option<u32> {
        self.local.get(&term).copied().or(self.fixed[term.index()])
    }

    /// Words for a value of this width.
    pub(super) fn allocate(&mut self, width: u16, depends: Bits) -> u32 {
        let first = self.program.words.len() as u32;
        for _ in 0..width.div_ceil(64) {
            self.program.words.push(0);
            self.depends.push(depends.clone());
        }
        first
    }

    /// A new variable, and its words.
    pub(super) fn define(
        &mut self,
        var: Var,
        width: u16,
        depends: Bits,
        local: bool,
    ) -> Result<u32, BadTrace> {
        let word = self.allocate(width, depends);
        match self.places.insert(var, Place { word, width, local }) {
            Some(_) => Err(BadTrace::Redefined { var }),
            None => Ok(word),
        }
    }

    /// Compiles a condition.
    pub(super) fn condition(&mut self, term: Term) -> Result<u32, BadTrace> {
        self.fits(self.width(term), 1)?;
        self.term(term)
    }

    pub(super) fn fits(&self, given: u16, wanted: u16) -> Result<(), BadTrace> {
        match given == wanted {
            true => Ok(()),
            false => Err(BadTrace::Width {
                step: self.step,
                given,
                wanted,
            }),
        }
    }

    /// The distance of a compiled condition from being as wanted.
    pub(super) fn gauge(&mut self, condition: Term, wanted: bool) -> Result<u32, BadTrace> {
        let gauge = Gauge::new(self, condition, wanted)?;
        self.program.gauges.push(gauge);
        Ok(self.program.gauges.len() as u32 - 1)
    }

    /// Compiles a term and what it is made of; the first of its words.
    pub(super) fn term(&mut self, term: Term) -> Result<u32, BadTrace> {
        let mut todo = vec![term];
        while let Some(&top) = todo.last() {
            if self.find(top).is_some() {
                todo.pop();
                continue;
            }
            let shape = self.shape(top)?;
            let before = todo.len();
            each_operand(shape, |operand| {
                if self.find(operand).is_none() {
                    todo.push(operand);
                }
            });
            if todo.len() == before {
                todo.pop();
                self.emit(top, shape)?;
            }
        }
        Ok(self.slot(term))
    }

    /// Code for a term whose operands are compiled.
    fn emit(&mut self, term: Term, shape: Shape<'a>) -> Result<(), BadTrace> {
        let bits = self.width(term);
        let mut local = false;
        let mut depends = Bits::default();
        each_operand(shape, |operand| {
            local |= self.local.contains_key(&operand);
            depends.join(&self.depends[self.slot(operand) as usize]);
        });
        let word = match shape {
            Shape::Constant(value) => self.constant(bits, value),
            Shape::Var(var) => {
                let place = self.places.get(&var).copied();
                let step = self.step;
                let place = place.ok_or(BadTrace::Undefined { step, var })?;
                local = place.local;
                self.read(place, bits)
            }
            Shape::Table { index, entries } => self.table(bits, index, entries, local, depends),
            Shape::Op { op, aux, operands } => {
                for &operand in &operands[..op.arity()] {
                    if let Some(value) = self.shapes.pool().as_const(operand) {
                        self.constants.insert((self.width(operand), value));
                    }
                }
                let width = self.width(operands[0]);
                let words = operands.map(|operand| self.slot(operand));
                self.operation(op, aux, bits, width, words, local, depends)
            }
        };
        if local {
            self.local.insert(term, word);
        } else {
            self.fixed[term.index()] = Some(word);
        }
        Ok(())
    }

    /// A variable as a value of `bits` bits.
    fn read(&mut self, place: Place, bits: u16) -> u32 {
        let Place { word, width, local } = place;
        let depends = self.depends[word as usize].clone();
        match bits.cmp(&width) {
            Ordering::Equal => word,
            Ordering::Less => {
                self.operation(Op::Extract, 0, bits, width, [word; 3], local, depends)
            }
            Ordering::Greater => {
                self.operation(Op::ZExt, 0, bits, width, [word; 3], local, depends)
            }
        }
    }

    fn table(
        &mut self,
        bits: u16,
        index: Term,
        entries: &[Term],
        local: bool,
        depends: Bits,
    ) -> u32 {
        let entries = entries.iter().map(|&entry| self.slot(entry)).collect();
        self.program.tables.push(entries);
        let (code, b) = (Code::Table, self.program.tables.len() as u32 - 1);
        let (a, width) = (self.slot(index), self.width(index));
        let out = self.allocate(bits, depends);
        self.push(
            Instr {
                code,
                aux: 0,
                bits,
                width,
                out,
                a,
                b,
                c: 0,
            },
            local,
        );
        out
    }

    fn constant(&mut self, bits: u16, value: u128) -> u32 {
        let word = self.allocate(bits, Bits::default());
        self.program.words[word as usize] = value as u64;
        if bits > 64 {
            self.program.words[word as usize + 1] = (value >> 64) as u64;
        }
        word
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one operation")]
    fn operation(
        &mut self,
        op: Op,
        aux: u8,
        bits: u16,
        width: u16,
        [a, b, c]: [u32; 3],
        local: bool,
        depends: Bits,
    ) -> u32 {
        let code = match (bits.max(width) <= 64, word::is_float(op)) {
            (true, false) => Code::Integer(op),
            (true, true) => Code::Float(op),
            (false, false) => Code::Wide(op),
            (false, true) => Code::WideFloat(op),
        };
        let out = self.allocate(bits, depends);
        self.push(
            Instr {
                code,
                aux,
                bits,
                width,
                out,
                a,
                b,
                c,
            },
            local,
        );
        out
    }

    fn push(&mut self, instr: Instr, local: bool) {
        if local {
            self.program.inner.push(instr);
        } else {
            self.program.code.push(instr);
        }
    }

    /// Compiles a call and defines its result; the number of the call.
    pub(super) fn call(&mut self, call: &Call, local: bool) -> Result<u32, BadTrace> {
        let mut args = Vec::with_capacity(call.args.len());
        let mut depends = Bits::default();
        for &arg in &call.args {
            let word = self.term(arg)?;
            args.push((word, self.width(arg)));
            depends.join(&self.depends[word as usize]);
        }
        let way = match call.function.known() {
            Some(known) => {
                let (width, arity) = known.signature();
                if args.len() != arity
                    || args.iter().any(|&(_, own)| own != width)
                    || call.width != width
                {
                    let function = call.function.name().to_owned();
                    return Err(BadTrace::Signature {
                        step: self.step,
                        function,
                    });
                }
                Way::Known(known)
            }
            None => {
                self.program.memos += 1;
                Way::Callback(call.function.name().to_owned(), self.program.memos - 1)
            }
        };
        if !(1..=128).contains(&call.width) {
            return Err(BadTrace::Input {
                var: call.result,
                width: call.width,
            });
        }
        let out = self.define(call.result, call.width, depends, local)?;
        self.program.calls.push(CallCode {
            way,
            args,
            out,
            width: call.width,
        });
        Ok(self.program.calls.len() as u32 - 1)
    }

    /// The inputs that the arguments of a call depend on.
    pub(super) fn argument_inputs(&self, call: u32) -> Bits {
        let mut inputs = Bits::default();
        for &(word, _) in &self.program.calls[call as usize].args {
            inputs.join(&self.depends[word as usize]);
        }
        inputs
    }
}

/// Visits the operands of a shape; some may be visited twice.
pub(crate) fn each_operand(shape: Shape<'_>, mut visit: impl FnMut(Term)) {
    match shape {
        Shape::Constant(_) | Shape::Var(_) => {}
        Shape::Table { index, entries } => {
            visit(index);
            entries.iter().copied().for_each(visit);
        }
        Shape::Op { op, operands, .. } => operands.iter().take(op.arity()).copied().for_each(visit),
    }
}
