//! Instruments one function: walks its blocks, cuts them into *segments*, and gives each segment one check.
//!
//! A segment is a run of instructions without a call. Its concrete code stays as it is; while it is emitted, the
//! shadow words of the memory that it touches are ORed up. At its end come the labels of the values that it
//! takes from outside, and one branch: everything 0 (the usual case), or the slow path, which replays the
//! segment's symbolic effects in order.
//!
//! Invariants:
//! - a label that is used outside its segment has a *slot*, a stack word that LLVM promotes to SSA again;
//! - shadow memory changes only in slow paths and in the runtime, so it may be read at any point of a segment;
//! - a segment never writes memory after a load or store through an address that may be symbolic: its slow path reads
//!   the object as it was then;
//! - the end of a segment (what consumes its labels) happens after its replay.

use super::abi::{Abi, EDGE_BASE, FUNCTION_BASE};
use super::class::{is_static_alloca, may_trap, writes_memory};
use super::events::Bases;
use super::intrinsics::{self, Handling};
use super::phis::phis;
use super::plain_clone::Cloning;
use super::symbolic::Symbolic;
use crate::ir::{Block, Opcode, Value};
use crate::number::{self, Numbering, SiteKind};
use crate::prepare;
use crate::types::leaves;
use std::collections::{HashMap, HashSet};

/// A function being instrumented.
pub(super) struct Fx<'a, 'm> {
    pub(super) abi: &'a Abi<'m>,
    pub(super) numbering: &'a Numbering,
    pub(super) function: Value,
    /// Local function id.
    pub(super) id: u32,
    pub(super) sym: Symbolic,
    pub(super) bases: Bases,
    /// Labels that the current slow path computed.
    pub(super) local: HashMap<Value, Vec<Value>>,
    pub(super) segment: Segment,
    pub(super) slots: HashMap<(Value, usize), Value>,
    /// New blocks that leave an original block for another.
    pub(super) edges: Vec<Edge>,
    /// Label phis: of which phi and leaf.
    pub(super) label_phis: Vec<(Value, usize, Value)>,
    /// The original block that is being rewritten.
    pub(super) origin: Option<Block>,
    /// Stack word of the event cursor; LLVM makes a register of it.
    pub(super) cursor: Value,
    /// Buffer for `va_start`.
    pub(super) token: Option<Value>,
    /// In a function that `longjmp` or an exception may lead to: a place in its frame.
    pub(super) frame: Option<Value>,
    segment_of: HashMap<Value, u32>,
    /// What stands in memory before a store through an address that may be symbolic.
    pub(super) olds: HashMap<Value, Value>,
    pub(super) cloning: Cloning<'a>,
}

/// An edge of the original graph in the new one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Block,
    pub(super) to: Block,
    /// Block that now ends with the jump.
    pub(super) last: Block,
}

/// The segment being emitted.
#[derive(Debug, Default)]
pub(super) struct Segment {
    instructions: Vec<Value>,
    /// OR of shadow words.
    shadow: Option<Value>,
}

/// What consumes the labels of a segment.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// Nothing: the segment was cut.
    Cut,
    /// Values whose labels the code after the replay needs: it is emitted by the caller in slow and fast form.
    Labels(Vec<Value>),
}

/// Ways on from the end of a segment: the slow path is open when `slow` is given.
pub(super) struct Ends {
    /// Block where the slow path stands, with its labels in `local`.
    pub(super) slow: Option<Block>,
    /// Block where the concrete path stands.
    pub(super) fast: Block,
}

/// How a function's blocks are cut: the number of each instruction's segment.
fn cut(function: Value, sym: &Symbolic) -> HashMap<Value, u32> {
    let mut numbers = HashMap::new();
    let mut current = 0;
    for block in function.blocks() {
        current += 1;
        let mut table_read = false;
        for instruction in block.instructions() {
            if starts_segment(instruction, table_read) {
                current += 1;
                table_read = false;
            }
            numbers.insert(instruction, current);
            if ends_segment(instruction) {
                current += 1;
                table_read = false;
            }
            table_read |= reads_object(instruction, sym);
        }
    }
    numbers
}

/// Whether the slow path of an instruction looks at more of memory than the instruction itself.
fn reads_object(instruction: Value, sym: &Symbolic) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad => sym.may(instruction.operand(0), 0),
        Opcode::LLVMStore => sym.may(instruction.operand(1), 0),
        _ => false,
    }
}

fn starts_segment(instruction: Value, table_read: bool) -> bool {
    if instruction.is_call() {
        return is_barrier(instruction);
    }
    may_trap(instruction) || (table_read && writes_memory(instruction))
}

fn ends_segment(instruction: Value) -> bool {
    (instruction.is_call() && is_barrier(instruction))
        || instruction.is_opcode(Opcode::LLVMPHI)
        || number::select_condition(instruction).is_some()
}

/// Calls that are no part of a segment.
pub(super) fn is_barrier(call: Value) -> bool {
    match intrinsics::handling(call) {
        None => true,
        Some(handling) => {
            matches!(
                handling,
                Handling::Move | Handling::Set | Handling::VaStart | Handling::VaCopy
            )
        }
    }
}

impl<'a, 'm> Fx<'a, 'm> {
    /// Instruments the function with local id `id`.
    pub(super) fn run(abi: &'a Abi<'m>, numbering: &'a Numbering, id: u32, clone: Option<Value>) {
        let function = numbering.functions[id as usize];
        if prepare::resumes(function) {
            keep_in_memory(function);
        }
        let sym = Symbolic::new(function);
        let cloning = clone.map_or(Cloning::None, Cloning::Has);
        Self::run_with(abi, numbering, id, (function, sym, cloning));
    }

    /// Instruments the uninstrumented clone of the function with local id `id`.
    pub(super) fn run_concrete(
        abi: &'a Abi<'m>,
        numbering: &'a Numbering,
        id: u32,
        clone: &'a super::plain_clone::PlainClone,
    ) {
        let cloning = Cloning::Is(&clone.original);
        Self::run_with(
            abi,
            numbering,
            id,
            (clone.function, Symbolic::default(), cloning),
        );
    }

    fn run_with(
        abi: &'a Abi<'m>,
        numbering: &'a Numbering,
        id: u32,
        (function, sym, cloning): (Value, Symbolic, Cloning<'a>),
    ) {
        let blocks = function.blocks();
        let segment_of = cut(function, &sym);
        let zero = abi.zero();
        let mut fx = Fx {
            abi,
            numbering,
            function,
            id,
            sym,
            bases: Bases {
                edge: zero,
                function: zero,
            },
            local: HashMap::new(),
            segment: Segment::default(),
            slots: HashMap::new(),
            edges: Vec::new(),
            label_phis: Vec::new(),
            origin: None,
            cursor: zero,
            token: None,
            frame: None,
            segment_of,
            olds: HashMap::new(),
            cloning,
        };
        fx.rewrite(&blocks);
    }

    fn rewrite(&mut self, blocks: &[Block]) {
        let phis: Vec<(Block, Vec<Value>)> =
            blocks.iter().map(|&block| (block, phis(block))).collect();
        let bodies: Vec<Vec<Value>> = blocks
            .iter()
            .map(|&block| {
                block
                    .instructions()
                    .into_iter()
                    .filter(|&inst| !inst.is_opcode(Opcode::LLVMPHI))
                    .collect()
            })
            .collect();
        for &instruction in bodies.iter().flatten() {
            instruction.detach();
        }
        for (index, &block) in blocks.iter().enumerate() {
            self.abi.b.at_end(block);
            self.abi.b.set_location(std::ptr::null_mut());
            self.origin = Some(block);
            let pad = bodies[index]
                .first()
                .copied()
                .filter(|first| first.is_opcode(Opcode::LLVMLandingPad));
            if index == 0 {
                self.prologue(&bodies);
            } else {
                self.phi_labels(&phis[index].1, pad);
            }
            for &instruction in &bodies[index][usize::from(pad.is_some())..] {
                self.instruction(index == 0, instruction);
            }
        }
        self.abi.b.set_location(std::ptr::null_mut());
        self.finish_phis(&phis);
    }

    fn prologue(&mut self, bodies: &[Vec<Value>]) {
        let abi = self.abi;
        self.make_slots(bodies);
        for &instruction in &bodies[0] {
            if is_static_alloca(instruction) {
                abi.b.insert(instruction);
            }
        }
        let starts_variadic = bodies
            .iter()
            .flatten()
            .any(|&inst| intrinsics::handling_of(inst) == Some(Handling::VaStart));
        if starts_variadic {
            self.token = Some(
                abi.b
                    .alloca(abi.module.array_type(abi.module.int(8), 1024), 16),
            );
        }
        let is_led_to = bodies
            .iter()
            .flatten()
            .any(|&inst| prepare::returns_twice(inst) || inst.is_opcode(Opcode::LLVMLandingPad));
        if is_led_to {
            self.frame = Some(abi.b.alloca(abi.i64, 8));
        }
        self.cursor = abi.b.alloca(abi.ptr, 8);
        if let Cloning::Has(clone) = self.cloning {
            self.give_way(clone);
        }
        self.reload();
        self.bases = Bases {
            edge: abi.base(EDGE_BASE),
            function: abi.base(FUNCTION_BASE),
        };
        self.entered_event();
        self.receive_arguments();
    }

    /// A slot for each label that is used outside of its segment.
    fn make_slots(&mut self, bodies: &[Vec<Value>]) {
        let mut values = self.function.params();
        for block in self.function.blocks() {
            values.extend(phis(block));
        }
        values.extend(bodies.iter().flatten());
        for value in values {
            let marked = self.sym.marked(value);
            if marked.is_empty() || !self.leaves_segment(value) {
                continue;
            }
            for leaf in marked {
                let slot = self.abi.b.alloca(self.abi.i32, 4);
                self.slots.insert((value, leaf), slot);
            }
        }
    }

    fn leaves_segment(&self, value: Value) -> bool {
        let own = self.segment_of.get(&value).copied();
        if own.is_none()
            || value.is_opcode(Opcode::LLVMPHI)
            || (value.is_call() && is_barrier(value))
        {
            return true;
        }
        value.users().into_iter().any(|user| {
            // A call consumes labels at the end of the segment before it.
            let consumed_before = user.is_call() && intrinsics::handling(user).is_none();
            let number = self.segment_of.get(&user).copied();
            user.is_opcode(Opcode::LLVMPHI)
                || user.is_opcode(Opcode::LLVMAlloca)
                || (number != own && !(consumed_before && number == own.map(|own| own + 1)))
        })
    }

    fn instruction(&mut self, entry: bool, instruction: Value) {
        let abi = self.abi;
        abi.b.set_location(instruction.debug_location());
        if entry && is_static_alloca(instruction) {
            return;
        }
        if let Some(name) = instruction.intrinsic_name()
            && name.starts_with("llvm.instrprof.")
        {
            self.profile_site(instruction);
            return;
        }
        if instruction.is_terminator() {
            self.terminator(instruction);
            return;
        }
        if instruction.is_call() && is_barrier(instruction) {
            self.barrier(instruction);
            return;
        }
        let earlier = self.segment.instructions.iter();
        let table_read = earlier
            .copied()
            .any(|earlier| reads_object(earlier, &self.sym));
        if may_trap(instruction) {
            self.check_divisor(instruction);
        } else if table_read && writes_memory(instruction) {
            self.cut();
        }
        abi.b.set_location(instruction.debug_location());
        if !self.concrete() {
            self.keep_old(instruction);
        }
        abi.b.insert(instruction);
        self.note(instruction);
        if instruction.is_opcode(Opcode::LLVMAlloca) && self.sym.may_any(instruction.operand(0)) {
            let spot = self.spot(instruction);
            let count = instruction.operand(0);
            let label = self.slow_label_now(count);
            self.guarded(label, |abi| {
                self.flush();
                abi.call(wire::abi::name::__bw_pin, &[spot, label, abi.bits(count)]);
                self.reload();
            });
        }
    }

    /// Adds an emitted instruction to the segment.
    fn note(&mut self, instruction: Value) {
        if matches!(instruction.opcode(), Opcode::LLVMLoad | Opcode::LLVMStore) {
            self.abi.mark_program(instruction);
        }
        if self.concrete() || !self.has_effect(instruction) {
            return;
        }
        self.segment.instructions.push(instruction);
        if self.touches_memory(instruction)
            && let Some((address, bytes)) = super::memory::accessed(self.abi, instruction)
        {
            let word = self.abi.shadow_word(address, bytes);
            self.add_shadow(word);
        }
    }

    pub(super) fn add_shadow(&mut self, word: Value) {
        let shadow = self.segment.shadow;
        self.segment.shadow = Some(shadow.map_or(word, |shadow| self.abi.b.or(shadow, word)));
    }

    /// The label of an alloca's size, computed in this very segment: ends the segment first.
    fn slow_label_now(&mut self, value: Value) -> Value {
        self.cut();
        self.slot_label(value, 0)
    }

    /// Counters become events; the intrinsic goes away.
    fn profile_site(&mut self, call: Value) {
        let site = self
            .site_of(call)
            .map(|site| (site.kind.clone(), site.first_edge));
        match site {
            Some((SiteKind::Select, first)) => {
                if let Some(condition) = number::select_condition(call) {
                    self.select_site(condition, first);
                }
            }
            Some((_, first)) => {
                let word = self.edge_word(first);
                self.event(word);
            }
            None => {}
        }
        self.discard(call);
    }

    /// Erases an instruction that was taken out of its block.
    pub(super) fn discard(&mut self, instruction: Value) {
        self.abi.b.insert(instruction);
        instruction.erase();
    }

    // Segments.

    /// Ends the segment where nothing consumes labels.
    pub(super) fn cut(&mut self) {
        let ends = self.end(&End::Cut);
        self.join(&ends);
    }

    /// Ends the segment. The slow path, if there is one, has replayed everything; the builder stands at its end.
    pub(super) fn end(&mut self, end: &End) -> Ends {
        let abi = self.abi;
        let segment = std::mem::take(&mut self.segment);
        self.local.clear();
        let any = self.any(&segment, end);
        for &instruction in &segment.instructions {
            for leaf in self.sym.marked(instruction) {
                self.set_slot(instruction, leaf, abi.zero());
            }
        }
        let Some(any) = any else {
            return Ends {
                slow: None,
                fast: abi.b.position(),
            };
        };
        let (slow, fast) = (self.block("slow"), self.block("fast"));
        abi.unlikely(abi.b.not_zero(any), slow, fast);
        abi.b.at_end(slow);
        self.flush();
        for &instruction in &segment.instructions {
            self.replay(instruction);
        }
        Ends {
            slow: Some(abi.b.position()),
            fast,
        }
    }

    /// Continues on the concrete path, where the slow path joins it.
    pub(super) fn join(&mut self, ends: &Ends) {
        let abi = self.abi;
        if ends.slow.is_some() {
            self.leave_slow(ends.fast);
        }
        abi.b.at_end(ends.fast);
    }

    /// Ends the slow path with a jump.
    pub(super) fn leave_slow(&mut self, to: Block) {
        self.reload();
        self.abi.b.br(to);
        self.local.clear();
    }

    /// Everything that makes the segment symbolic, ORed.
    fn any(&self, segment: &Segment, end: &End) -> Option<Value> {
        let mut live: Vec<(Value, usize)> = Vec::new();
        let inside: HashSet<Value> = segment.instructions.iter().copied().collect();
        let mut seen = HashSet::new();
        let mut take = |value: Value| {
            if !inside.contains(&value) && seen.insert(value) {
                live.extend(self.sym.marked(value).into_iter().map(|leaf| (value, leaf)));
            }
        };
        for instruction in &segment.instructions {
            instruction.operands().into_iter().for_each(&mut take);
        }
        if let End::Labels(values) = end {
            values.iter().copied().for_each(&mut take);
        }
        let mut labels: Option<Value> = None;
        for (value, leaf) in live {
            let label = self.slot_label(value, leaf);
            labels = Some(labels.map_or(label, |labels| self.abi.b.or(labels, label)));
        }
        match (labels, segment.shadow) {
            (None, shadow) => shadow,
            (labels, None) => labels,
            (Some(labels), Some(shadow)) => Some(
                self.abi
                    .b
                    .or(self.abi.b.resize(labels, self.abi.i64), shadow),
            ),
        }
    }

    // Labels.

    /// Label of a leaf in the slow path.
    pub(super) fn label(&self, value: Value, leaf: usize) -> Value {
        if let Some(labels) = self.local.get(&value) {
            return labels[leaf];
        }
        self.slot_label(value, leaf)
    }

    /// Label of a leaf that was computed in an earlier segment.
    pub(super) fn slot_label(&self, value: Value, leaf: usize) -> Value {
        match self.slots.get(&(value, leaf)) {
            Some(&slot) => self.abi.b.load(self.abi.i32, slot, 4),
            None => self.abi.zero(),
        }
    }

    pub(super) fn set_slot(&self, value: Value, leaf: usize, label: Value) {
        if let Some(&slot) = self.slots.get(&(value, leaf)) {
            self.abi.b.store(label, slot, 4);
        }
    }

    /// Labels of all leaves of these values, in the slow path.
    pub(super) fn labels(&self, values: &[Value]) -> Vec<Value> {
        let all = values
            .iter()
            .flat_map(|&value| (0..leaves(value.ty()).len()).map(move |leaf| (value, leaf)));
        all.map(|(value, leaf)| {
            if self.sym.may(value, leaf) {
                self.label(value, leaf)
            } else {
                self.abi.zero()
            }
        })
        .collect()
    }

    /// The OR of labels.
    pub(super) fn or_all(&self, labels: &[Value]) -> Value {
        let zero = self.abi.zero();
        labels
            .iter()
            .filter(|&&label| label != zero)
            .fold(zero, |all, &label| {
                if all == zero {
                    label
                } else {
                    self.abi.b.or(all, label)
                }
            })
    }

    // Blocks.

    pub(super) fn block(&self, name: &str) -> Block {
        self.function.append_block(self.abi.module, name)
    }

    /// Emits code that runs only if a label is not 0.
    pub(super) fn guarded(&self, label: Value, code: impl FnOnce(&Abi<'m>)) {
        let abi = self.abi;
        if label == abi.zero() {
            return;
        }
        let (yes, next) = (self.block("symbolic"), self.block("next"));
        abi.b.cond_br(abi.b.not_zero(label), yes, next);
        abi.b.at_end(yes);
        code(abi);
        abi.b.br(next);
        abi.b.at_end(next);
    }
}

/// Variables of a function that may be resumed by `longjmp` stay in memory, as at `-O0`.
fn keep_in_memory(function: Value) {
    for instruction in function.instructions() {
        let address = match instruction.opcode() {
            Opcode::LLVMLoad => instruction.operand(0),
            Opcode::LLVMStore => instruction.operand(1),
            _ => continue,
        };
        if address.is_opcode(Opcode::LLVMAlloca) {
            instruction.set_volatile();
        }
    }
}
