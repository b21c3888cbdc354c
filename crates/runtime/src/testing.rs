//! For unit tests: a private segment, and a reader of expressions that shares nothing with the rewrites under test.
#![allow(unsafe_code, reason = "a zeroed control block")]

use crate::build::{Sym, input};
use crate::raw::{peek, reserve};
use crate::state::{Phase, STATE};
use crate::{attach, cons, eval, raw};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use wire::event::{kind, parts, words};
use wire::node::{Label, Op};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
static SHADOW: Once = Once::new();

const NODES: u32 = 1 << 20;
const EVENT_BYTES: u64 = 1 << 22;

/// A fresh state. Tests that hold it run one after the other.
pub(crate) fn session() -> MutexGuard<'static, ()> {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    SHADOW.call_once(attach::map_shadow);
    let area = |bytes: u64| reserve(bytes).expect("memory");
    STATE.control.set(area(4096));
    STATE.nodes.set(area(u64::from(NODES) * 32));
    STATE.node_capacity.set(NODES);
    STATE.node_count.set(1);
    STATE.events.set(area(EVENT_BYTES));
    STATE.events_end.set(STATE.events.get() + EVENT_BYTES - 16);
    STATE.events_full.set(STATE.events_end.get());
    crate::state::set_cursor(STATE.events.get());
    crate::state::set_limit(STATE.events_end.get());
    crate::state::set_callee(0);
    crate::state::set_returned(0);
    STATE.tables.set(area(1 << 22));
    STATE.table_capacity.set(1 << 20);
    STATE.table_words.set(0);
    STATE.table_bytes.set(4096);
    STATE.losses.set(area(1 << 16));
    STATE.loss_capacity.set(0);
    STATE.overflow.set(0);
    STATE.stale.set(0);
    STATE.check.set(true);
    STATE.first_thread.set(raw::thread_pointer());
    STATE.phase.set(Phase::Running);
    STATE.recording.set(true);
    assert!(cons::prepare(NODES));
    guard
}

/// Variable `index` of stream 0.
pub(crate) fn variable(index: u32, bits: u16, value: u128) -> Sym {
    input(0, index, bits, value)
}

/// Evaluates expressions under other inputs.
pub(crate) struct Evaluator<'a> {
    inputs: &'a dyn Fn(u32, u32) -> u128,
    known: HashMap<Label, u128>,
}

impl<'a> Evaluator<'a> {
    /// `inputs` gives the value of (stream, index).
    pub(crate) fn new(inputs: &'a dyn Fn(u32, u32) -> u128) -> Evaluator<'a> {
        Evaluator {
            inputs,
            known: HashMap::new(),
        }
    }

    /// The value of a concrete or symbolic value.
    pub(crate) fn value(&mut self, sym: Sym) -> u128 {
        if sym.symbolic() {
            self.label(sym.label)
        } else {
            sym.value
        }
    }

    /// The value of a node.
    pub(crate) fn label(&mut self, label: Label) -> u128 {
        if let Some(value) = self.known.get(&label) {
            return *value;
        }
        let node = cons::node(label);
        let op = Op::from_u8(node.op).expect("a known operation");
        let value = match op {
            Op::Const => node.concrete(),
            Op::Input => (self.inputs)(node.b, node.a) & eval::mask(node.bits),
            Op::Ite => {
                if self.label(node.a) == 1 {
                    self.label(node.b)
                } else {
                    self.label(node.c)
                }
            }
            Op::Concat => self.label(node.a) << cons::node(node.b).bits | self.label(node.b),
            Op::Table => self.element(node.a, node.b),
            _ if node.b != 0 && op != Op::Extract => {
                let bits = cons::node(node.a).bits;
                assert_eq!(
                    bits,
                    cons::node(node.b).bits,
                    "{op:?}: operands of one width"
                );
                eval::binary(op, bits, self.label(node.a), self.label(node.b))
            }
            _ => eval::unary(
                op,
                cons::node(node.a).bits,
                node.bits,
                self.label(node.a),
                node.aux,
                node.b,
            ),
        };
        assert_eq!(
            value & !eval::mask(node.bits),
            0,
            "{op:?} of {} bits: {value:#x}",
            node.bits
        );
        self.known.insert(label, value);
        value
    }

    fn element(&mut self, index: Label, offset: u32) -> u128 {
        let index = self.label(index);
        let at = |word: u32| peek::<u32>(STATE.tables.get() + 4 * u64::from(offset + word));
        let element = u32::try_from(index).unwrap_or(u32::MAX).min(at(0) - 1);
        match at(2 + 3 * element) {
            0 => u128::from(at(3 + 3 * element)) | u128::from(at(4 + 3 * element)) << 32,
            label => self.label(label),
        }
    }
}

/// Labels of the constraints recorded so far.
pub(crate) fn constraints() -> Vec<Label> {
    let mut at = STATE.events.get();
    let mut found = Vec::new();
    while at < crate::state::cursor() {
        let (kind, _) = parts(peek(at));
        if kind == kind::CONSTRAINT {
            found.push(peek(at + 8));
        }
        at += 4 * words(kind) as u64;
    }
    found
}
