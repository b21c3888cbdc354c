//! A closed set of states, as documents have it: lines of text.
//!
//! A term is a line over lines before it (`t4`): a number, something that the program has at the state's place, or an operation.
//!
//! | line | meaning |
//! |---|---|
//! | `const 32 0x10` | a number of 32 bits |
//! | `value 0 7 0 32` | scalar 0 of value 7 of the active function that 0 known calls wait for, of 32 bits |
//! | `global 3 64`, `function 3 64`, `extern 3 64` | where it stands |
//! | `cell t4 8` | the 8 bytes that memory holds at an address |
//! | `some 5 32 t6 t7` | a number that there is; what it may be in the states behind: one of these terms there |
//! | `Add 32 0 t1 t2` | an operation of the solver's, with its width and its extra operand |
//! | `table t1 t2 t3` | one of several terms, by an index |
//!
//! A state is `at 3:4:5 within 1:2:3 0:1:0 holds t4 t5 enters 2`: in front of instruction 5 of block 4 of function 3, called by
//! these calls, the outermost first; its conditions; the call in its block whose callee it comes from, if it comes from one.
//!
//! Must hold: what is parsed names only places that the program has.

use program::{BlockId, ExternId, FuncId, GlobalId, Op, Program, ValueId};
use semantics::Symbol;
use serde::{Deserialize, Serialize};

use crate::kinds::Refusal;

/// A closed set of states as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    pub terms: Vec<String>,
    pub states: Vec<String>,
}

/// In front of an instruction: as many as there are, in front of the terminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub function: FuncId,
    pub block: BlockId,
    pub at: usize,
}

/// A state: where, and what holds there.
#[derive(Clone, Debug)]
pub struct State {
    pub place: Place,
    pub waiting: Vec<Place>,
    /// Numbers of terms.
    pub conditions: Vec<usize>,
    /// The call of its block that is entered backward.
    pub enters: Option<usize>,
    /// All terms that the conditions are made of, in order.
    pub needs: Vec<usize>,
}

/// A term.
#[derive(Clone, Debug)]
pub enum Node {
    Const {
        bits: u16,
        value: u128,
    },
    Value {
        height: u32,
        value: ValueId,
        scalar: usize,
        bits: u16,
    },
    Symbol {
        symbol: Symbol,
        bits: u16,
    },
    Cell {
        address: usize,
        bytes: u8,
    },
    Some {
        name: u32,
        bits: u16,
        of: Vec<usize>,
    },
    Op {
        op: smt::Op,
        bits: u16,
        aux: u32,
        operands: Vec<usize>,
    },
    Table {
        index: usize,
        entries: Vec<usize>,
    },
}

impl Node {
    /// The terms that it is made of.
    pub fn parts(&self) -> &[usize] {
        match self {
            Node::Cell { address, .. } => std::slice::from_ref(address),
            Node::Op { operands, .. } => operands,
            Node::Table { entries, .. } => entries,
            Node::Const { .. } | Node::Value { .. } | Node::Symbol { .. } | Node::Some { .. } => {
                &[]
            }
        }
    }
}

/// A closed set of states as it was read.
pub struct Parsed {
    pub terms: Vec<Node>,
    pub states: Vec<State>,
}

fn bad(line: &str) -> Refusal {
    Refusal::Body(format!("`{line}` is no term or state of this program"))
}

/// Reads a closed set of states.
///
/// # Errors
/// A line is none, or names what the program does not have.
pub fn parse(program: &Program, closed: &Closed) -> Result<Parsed, Refusal> {
    let mut terms = Vec::new();
    for line in &closed.terms {
        let node = node(program, terms.len(), line).ok_or_else(|| bad(line))?;
        terms.push(node);
    }
    let mut states = Vec::new();
    for line in &closed.states {
        let mut state = state(program, terms.len(), line).ok_or_else(|| bad(line))?;
        state.needs = needs(&terms, &state.conditions);
        states.push(state);
    }
    Ok(Parsed { terms, states })
}

/// The terms that some are made of, in order.
pub fn needs(terms: &[Node], of: &[usize]) -> Vec<usize> {
    let mut found = std::collections::BTreeSet::new();
    let mut work = of.to_vec();
    while let Some(term) = work.pop() {
        if found.insert(term) {
            work.extend(terms[term].parts());
            if let Node::Table { index, .. } = &terms[term] {
                work.push(*index);
            }
        }
    }
    found.into_iter().collect()
}

fn number<T: std::str::FromStr>(word: Option<&str>) -> Option<T> {
    word?.parse().ok()
}

/// A term's number, below the number of those before it.
fn reference(word: &str, before: usize) -> Option<usize> {
    let number: usize = word.strip_prefix('t')?.parse().ok()?;
    (number < before).then_some(number)
}

fn node(program: &Program, before: usize, line: &str) -> Option<Node> {
    let mut words = line.split(' ');
    let head = words.next()?;
    let width = |word: Option<&str>| number(word).filter(|bits: &u16| (1..=128).contains(bits));
    let made = match head {
        "const" => Node::Const {
            bits: width(words.next())?,
            value: u128::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?,
        },
        "value" => Node::Value {
            height: number(words.next())?,
            value: ValueId::from_u32(number(words.next())?),
            scalar: number(words.next())?,
            bits: width(words.next())?,
        },
        "global" | "function" | "extern" => {
            let id: u32 = number(words.next())?;
            let symbol = match head {
                "global" => Symbol::Global(GlobalId::from_u32(id)),
                "function" => Symbol::Function(FuncId::from_u32(id)),
                _ => Symbol::Extern(ExternId::from_u32(id)),
            };
            let is_there = match symbol {
                Symbol::Global(id) => program.globals.get(id).is_some(),
                Symbol::Function(id) => program.functions.get(id).is_some(),
                Symbol::Extern(id) => program.externs.get(id).is_some(),
            };
            let bits = width(words.next())?;
            is_there.then_some(Node::Symbol { symbol, bits })?
        }
        "cell" => Node::Cell {
            address: reference(words.next()?, before)?,
            bytes: number(words.next()).filter(|bytes: &u8| (1..=16).contains(bytes))?,
        },
        "some" => {
            let (name, bits) = (number(words.next())?, width(words.next())?);
            let of: Option<Vec<usize>> =
                words.by_ref().map(|word| reference(word, before)).collect();
            Node::Some {
                name,
                bits,
                of: of?,
            }
        }
        "table" => {
            let index = reference(words.next()?, before)?;
            let entries: Option<Vec<usize>> =
                words.by_ref().map(|word| reference(word, before)).collect();
            Node::Table {
                index,
                entries: entries.filter(|entries| !entries.is_empty())?,
            }
        }
        name => {
            let op = smt::Op::from_name(name)?;
            let (bits, aux) = (width(words.next())?, number(words.next())?);
            let operands: Option<Vec<usize>> =
                words.by_ref().map(|word| reference(word, before)).collect();
            Node::Op {
                op,
                bits,
                aux,
                operands: operands.filter(|operands| operands.len() == op.arity())?,
            }
        }
    };
    words.next().is_none().then_some(made)
}

fn place(program: &Program, word: &str) -> Option<Place> {
    let mut parts = word.split(':');
    let function = FuncId::from_u32(number(parts.next())?);
    let block = BlockId::from_u32(number(parts.next())?);
    let at: usize = number(parts.next())?;
    let body = program.functions.get(function)?;
    let insts = &body.blocks.get(block)?.insts;
    (parts.next().is_none() && at <= insts.len()).then_some(Place {
        function,
        block,
        at,
    })
}

/// Whether a call stands behind a place.
pub fn is_call(program: &Program, place: Place) -> bool {
    let body = &program.functions[place.function];
    let inst = body.blocks[place.block].insts.get(place.at);
    let inst = inst.and_then(|inst| body.inst(*inst));
    inst.is_some_and(|inst| matches!(inst.op, Op::Call { .. }))
}

fn state(program: &Program, terms: usize, line: &str) -> Option<State> {
    let mut words = line.split(' ').peekable();
    let place = match words.next()? {
        "at" => place(program, words.next()?)?,
        _ => return None,
    };
    let mut waiting = Vec::new();
    if words.next_if_eq(&"within").is_some() {
        while let Some(word) = words.next_if(|word| word.contains(':')) {
            let call = self::place(program, word)?;
            waiting.push(is_call(program, call).then_some(call)?);
        }
    }
    let mut conditions = Vec::new();
    if words.next_if_eq(&"holds").is_some() {
        while let Some(word) = words.next_if(|word| word.starts_with('t')) {
            conditions.push(reference(word, terms)?);
        }
    }
    let mut enters = None;
    if words.next_if_eq(&"enters").is_some() {
        let at: usize = number(words.next())?;
        let call = Place { at, ..place };
        enters = Some((at < place.at && is_call(program, call)).then_some(at)?);
    }
    words.next().is_none().then_some(State {
        place,
        waiting,
        conditions,
        enters,
        needs: Vec::new(),
    })
}
