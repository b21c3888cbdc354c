//! The slow path of a segment: the symbolic effects of its instructions, in program order, from their concrete
//! values.

use super::function::Fx;
use super::intrinsics::{self, Handling};
use crate::ir::{Opcode, Type, Value};
use crate::types::{bits, has_label, leaf_offset, leaves};
use wire::abi::name;
use wire::node::Op;
use wire::segment::Loss;

impl Fx<'_, '_> {
    /// Whether an instruction has to be replayed when a segment is symbolic.
    pub(super) fn has_effect(&self, instruction: Value) -> bool {
        if self.touches_memory(instruction) || self.sym.may_any(instruction) {
            return true;
        }
        self.loses(instruction)
            && instruction
                .operands()
                .into_iter()
                .any(|operand| self.sym.may_any(operand))
    }

    /// Loads and stores whose memory may have shadow.
    pub(super) fn touches_memory(&self, instruction: Value) -> bool {
        match instruction.opcode() {
            Opcode::LLVMLoad => !super::class::constant_memory(instruction.operand(0)),
            Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
            _ => false,
        }
    }

    /// Whether symbolic operands of an instruction have no expression.
    pub(super) fn loses(&self, instruction: Value) -> bool {
        use Opcode::*;
        match instruction.opcode() {
            LLVMCall | LLVMInvoke | LLVMCallBr => match intrinsics::handling(instruction) {
                None => instruction.callee().is_inline_assembly(),
                Some(handling) => handling == Handling::Lost,
            },
            LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMVAArg => true,
            LLVMLoad | LLVMStore | LLVMPHI | LLVMBr | LLVMSwitch | LLVMRet | LLVMUnreachable
            | LLVMIndirectBr | LLVMExtractValue | LLVMInsertValue | LLVMFreeze | LLVMAlloca
            | LLVMFence => false,
            _ => !super::class::is_computed(instruction),
        }
    }

    /// Emits the symbolic effect of one instruction and remembers its labels. Slow path.
    pub(super) fn replay(&mut self, instruction: Value) {
        self.abi.b.set_location(instruction.debug_location());
        let labels = self.labels_of(instruction);
        if labels.is_empty() {
            return;
        }
        for leaf in self.sym.marked(instruction) {
            self.set_slot(instruction, leaf, labels[leaf]);
        }
        self.local.insert(instruction, labels);
    }

    fn labels_of(&mut self, instruction: Value) -> Vec<Value> {
        use Opcode::*;
        if self.loses(instruction) {
            self.lose(instruction);
            return vec![self.abi.zero(); leaves(instruction.ty()).len()];
        }
        match instruction.opcode() {
            LLVMLoad => self.replay_load(instruction),
            LLVMStore => {
                self.replay_store(instruction);
                Vec::new()
            }
            LLVMFreeze => self.all_labels(instruction.operand(0)),
            LLVMExtractValue => {
                let source = instruction.operand(0);
                let (first, inner) = leaf_offset(source.ty(), &instruction.indices());
                (0..leaves(inner).len())
                    .map(|leaf| self.label(source, first + leaf))
                    .collect()
            }
            LLVMInsertValue => {
                let mut labels = self.all_labels(instruction.operand(0));
                let (first, inner) = leaf_offset(instruction.ty(), &instruction.indices());
                for leaf in 0..leaves(inner).len() {
                    labels[first + leaf] = self.label(instruction.operand(1), leaf);
                }
                labels
            }
            LLVMCall => match intrinsics::handling(instruction) {
                Some(Handling::Same) => self.all_labels(instruction.operand(0)),
                Some(Handling::Computed) => self.replay_intrinsic(instruction),
                _ => Vec::new(),
            },
            LLVMSelect => self.replay_select(instruction),
            LLVMGetElementPtr => vec![self.replay_address(instruction)],
            _ if super::class::is_computed(instruction) => vec![self.replay_scalar(instruction)],
            _ => Vec::new(),
        }
    }

    fn all_labels(&self, value: Value) -> Vec<Value> {
        (0..leaves(value.ty()).len())
            .map(|leaf| self.label(value, leaf))
            .collect()
    }

    fn replay_scalar(&self, instruction: Value) -> Value {
        use Opcode::*;
        let (a, width) = (instruction.operand(0), bits(instruction.operand(0).ty()));
        let binary =
            |op: Op| self.build_bin(op as u32, width, a, instruction.operand(1), instruction);
        match instruction.opcode() {
            LLVMAdd => binary(Op::Add),
            LLVMSub => binary(Op::Sub),
            LLVMMul => binary(Op::Mul),
            LLVMUDiv => binary(Op::UDiv),
            LLVMSDiv => binary(Op::SDiv),
            LLVMURem => binary(Op::URem),
            LLVMSRem => binary(Op::SRem),
            LLVMAnd => binary(Op::And),
            LLVMOr => binary(Op::Or),
            LLVMXor => binary(Op::Xor),
            LLVMShl => binary(Op::Shl),
            LLVMLShr => binary(Op::LShr),
            LLVMAShr => binary(Op::AShr),
            LLVMFAdd => binary(Op::FAdd),
            LLVMFSub => binary(Op::FSub),
            LLVMFMul => binary(Op::FMul),
            LLVMFDiv => binary(Op::FDiv),
            LLVMFRem => binary(Op::FRem),
            LLVMFNeg => self.unary_label(Op::FNeg as u32, a, instruction),
            LLVMICmp => self.compare(
                [name::__bw_icmp, name::__bw_icmp_wide],
                instruction.int_predicate(),
                instruction,
            ),
            LLVMFCmp => self.compare(
                [name::__bw_fcmp, name::__bw_fcmp_wide],
                instruction.float_predicate(),
                instruction,
            ),
            LLVMTrunc => self.convert(Op::Extract, instruction),
            LLVMZExt => self.convert(Op::ZExt, instruction),
            LLVMSExt => self.convert(Op::SExt, instruction),
            LLVMFPTrunc | LLVMFPExt => self.convert(Op::FToF, instruction),
            LLVMFPToSI => self.convert(Op::FToS, instruction),
            LLVMFPToUI => self.convert(Op::FToU, instruction),
            LLVMSIToFP => self.convert(Op::SToF, instruction),
            LLVMUIToFP => self.convert(Op::UToF, instruction),
            LLVMExtractElement => self.extract_element(instruction),
            LLVMInsertElement => self.insert_element(instruction),
            _ => {
                // Pointer and bit casts: the same bits, unless the widths differ.
                let to = bits(instruction.ty());
                match to.cmp(&width) {
                    std::cmp::Ordering::Less => self.convert(Op::Extract, instruction),
                    std::cmp::Ordering::Equal => self.label(a, 0),
                    std::cmp::Ordering::Greater => self.convert(Op::ZExt, instruction),
                }
            }
        }
    }

    /// Element of a packed vector: shifted down, cut off.
    fn extract_element(&self, instruction: Value) -> Value {
        let abi = self.abi;
        let vector = instruction.operand(0);
        let (whole, width) = (abi.integer(vector), bits(vector.ty()));
        let element = bits(instruction.ty());
        let at = instruction.operand(1).as_int().unwrap_or(0) * u64::from(element);
        let distance = whole.ty().constant(at);
        let shifted = abi.b.lshr(whole, distance);
        let mut label = self.label(vector, 0);
        if at != 0 {
            let operands = ((label, whole), (abi.zero(), distance));
            label = self.binary_label(Op::LShr as u32, width, operands, shifted);
        }
        self.cast_label(Op::Extract, width, element, label, shifted, instruction)
    }

    /// Packed vector with one element replaced: the others masked, the new one shifted up.
    fn insert_element(&self, instruction: Value) -> Value {
        let abi = self.abi;
        let (vector, scalar) = (instruction.operand(0), instruction.operand(1));
        let (width, element) = (bits(vector.ty()), bits(scalar.ty()));
        let at = instruction.operand(2).as_int().unwrap_or(0) * u64::from(element);
        let ty = abi.module.int(width);
        let bin = |op: Op, opcode: Opcode, a: (Value, Value), b: (Value, Value)| {
            let result = abi.b.bin(opcode, a.1, b.1);
            (self.binary_label(op as u32, width, (a, b), result), result)
        };
        let concrete = |value: Value| (abi.zero(), value);
        let distance = ty.constant(at);
        // The new element, as wide as the vector.
        let narrow = abi.integer(scalar);
        let wide = abi.b.resize(narrow, ty);
        let label = self.cast_label(
            Op::ZExt,
            element,
            width,
            self.label(scalar, 0),
            narrow,
            wide,
        );
        let placed = bin(Op::Shl, Opcode::LLVMShl, (label, wide), concrete(distance));
        // The others.
        let ones = abi.b.resize(abi.module.int(element).ones(), ty);
        let mask = abi.b.bin(
            Opcode::LLVMXor,
            abi.b.bin(Opcode::LLVMShl, ones, distance),
            ty.ones(),
        );
        let old = (self.label(vector, 0), abi.integer(vector));
        let kept = bin(Op::And, Opcode::LLVMAnd, old, concrete(mask));
        bin(Op::Or, Opcode::LLVMOr, kept, placed).0
    }

    /// Label of a binary operation.
    pub(super) fn build_bin(
        &self,
        op: u32,
        width: u32,
        a: Value,
        b: Value,
        result: Value,
    ) -> Value {
        let operands = ((self.label(a, 0), a), (self.label(b, 0), b));
        self.binary_label(op, width, operands, result)
    }

    /// Label of a binary operation on two operands, given with their labels.
    fn binary_label(
        &self,
        op: u32,
        width: u32,
        ((la, a), (lb, b)): ((Value, Value), (Value, Value)),
        result: Value,
    ) -> Value {
        let abi = self.abi;
        let op_bits = abi.u32(op | width << 16);
        if width <= 64 {
            return abi.call(
                name::__bw_bin,
                &[op_bits, la, abi.bits(a), lb, abi.bits(b), abi.bits(result)],
            );
        }
        let (a, b, r) = (abi.words(a), abi.words(b), abi.words(result));
        abi.call(
            name::__bw_bin_wide,
            &[op_bits, la, a.0, a.1, lb, b.0, b.1, r.0, r.1],
        )
    }

    /// Label of an operation of one operand; `op` with its mode.
    pub(super) fn unary_label(&self, op: u32, a: Value, result: Value) -> Value {
        let (abi, width, label) = (self.abi, bits(a.ty()), self.label(a, 0));
        let op_bits = abi.u32(op | width << 16);
        let (a, r) = (abi.words(a), abi.words(result));
        if width <= 64 {
            return abi.call(name::__bw_un, &[op_bits, label, a.0, r.0]);
        }
        abi.call(name::__bw_un_wide, &[op_bits, label, a.0, a.1, r.0, r.1])
    }

    /// Label of a comparison by one of two functions: for values of up to 64 bits, and for wider ones.
    fn compare(&self, functions: [&'static str; 2], predicate: u32, instruction: Value) -> Value {
        let abi = self.abi;
        let (a, b) = (instruction.operand(0), instruction.operand(1));
        let width = bits(a.ty());
        let (la, lb) = (self.label(a, 0), self.label(b, 0));
        let (predicate, bit) = (
            abi.u32(predicate | width << 16),
            abi.b.resize(instruction, abi.i32),
        );
        if width <= 64 {
            return abi.call(
                functions[0],
                &[predicate, la, abi.bits(a), lb, abi.bits(b), bit],
            );
        }
        let (a, b) = (abi.words(a), abi.words(b));
        abi.call(functions[1], &[predicate, la, a.0, a.1, lb, b.0, b.1, bit])
    }

    fn convert(&self, op: Op, instruction: Value) -> Value {
        let a = instruction.operand(0);
        self.cast_label(
            op,
            bits(a.ty()),
            bits(instruction.ty()),
            self.label(a, 0),
            a,
            instruction,
        )
    }

    /// Label of a value converted from `from` to `to` bits.
    pub(super) fn cast_label(
        &self,
        op: Op,
        from: u32,
        to: u32,
        label: Value,
        a: Value,
        result: Value,
    ) -> Value {
        if from == to && matches!(op, Op::Extract | Op::ZExt | Op::SExt) {
            return label;
        }
        let abi = self.abi;
        let (op, widths) = (abi.u32(op as u32), abi.u32(from | to << 16));
        let (a, r) = (abi.words(a), abi.words(result));
        if from <= 64 && to <= 64 {
            return abi.call(name::__bw_cast, &[op, widths, label, a.0, r.0]);
        }
        abi.call(
            name::__bw_cast_wide,
            &[op, widths, label, a.0, a.1, r.0, r.1],
        )
    }

    fn replay_select(&self, instruction: Value) -> Vec<Value> {
        let abi = self.abi;
        let (condition, then, els) = (
            instruction.operand(0),
            instruction.operand(1),
            instruction.operand(2),
        );
        let (lc, c) = (self.label(condition, 0), abi.b.resize(condition, abi.i32));
        leaves(instruction.ty())
            .into_iter()
            .enumerate()
            .map(|(leaf, ty)| {
                if !self.sym.may(instruction, leaf) || !has_label(ty) {
                    return abi.zero();
                }
                let width = abi.u32(bits(ty));
                let (lt, lf) = (self.label(then, leaf), self.label(els, leaf));
                let (t, f) = (self.leaf_words(then, leaf), self.leaf_words(els, leaf));
                if bits(ty) <= 64 {
                    abi.call(name::__bw_select, &[width, lc, c, lt, t.0, lf, f.0])
                } else {
                    abi.call(
                        name::__bw_select_wide,
                        &[width, lc, c, lt, t.0, t.1, lf, f.0, f.1],
                    )
                }
            })
            .collect()
    }

    /// Value of leaf `leaf` of a value, as two words.
    pub(super) fn leaf_words(&self, value: Value, leaf: usize) -> (Value, Value) {
        self.abi.words(self.leaf_value(value, leaf))
    }

    /// Leaf `leaf` of a value, as a value.
    pub(super) fn leaf_value(&self, value: Value, leaf: usize) -> Value {
        let mut current = value;
        let mut rest = leaf;
        while current.ty().is_struct() || current.ty().is_array() {
            let ty = current.ty();
            let mut index = 0;
            loop {
                let inside = leaves(ty.member(index)).len();
                if rest < inside {
                    break;
                }
                rest -= inside;
                index += 1;
            }
            current = self.abi.b.extract(current, index as u32);
        }
        current
    }

    fn replay_address(&self, gep: Value) -> Value {
        let abi = self.abi;
        let base = gep.operand(0);
        let mut label = self.label(base, 0);
        let mut address = abi.bits(base);
        let mut constant = 0_u64;
        for (index, scale) in self.steps(gep, &mut constant) {
            label = self.add_constant(label, &mut address, &mut constant);
            let wide = if bits(index.ty()) < 64 {
                abi.b.cast(Opcode::LLVMSExt, index, abi.i64)
            } else {
                index
            };
            let scaled = abi.b.bin(Opcode::LLVMMul, wide, abi.u64(scale));
            let sum = abi.b.add(address, scaled);
            let width = abi.u32(bits(index.ty()));
            let operands = [
                width,
                label,
                address,
                self.label(index, 0),
                abi.bits(index),
                abi.u64(scale),
                sum,
            ];
            label = abi.call(name::__bw_index, &operands);
            address = sum;
        }
        self.add_constant(label, &mut address, &mut constant)
    }

    fn add_constant(&self, label: Value, address: &mut Value, constant: &mut u64) -> Value {
        let offset = std::mem::take(constant);
        if offset == 0 {
            return label;
        }
        let abi = self.abi;
        let sum = abi.b.add(*address, abi.u64(offset));
        let operands = [
            abi.u32(64),
            label,
            *address,
            abi.zero(),
            abi.u64(offset),
            abi.u64(1),
            sum,
        ];
        *address = sum;
        if label == abi.zero() {
            label
        } else {
            abi.call(name::__bw_index, &operands)
        }
    }

    /// The variable steps of a `getelementptr`; constant ones are added up in `constant` (in any order: sums commute).
    fn steps(&self, gep: Value, constant: &mut u64) -> Vec<(Value, u64)> {
        let module = self.abi.module;
        let mut steps = Vec::new();
        let mut ty: Option<Type> = None;
        for position in 1..gep.operand_count() {
            let index = gep.operand(position);
            let current = match ty {
                None => gep.gep_source(),
                Some(outer) if outer.is_struct() => {
                    let field = index.as_int().unwrap_or(0) as u32;
                    *constant = constant.wrapping_add(module.field_offset(outer, field));
                    ty = Some(outer.field(field));
                    continue;
                }
                Some(outer) => outer.element(),
            };
            let scale = module.alloc_size(current);
            match index.as_signed() {
                Some(known) => {
                    *constant = constant.wrapping_add((known as u64).wrapping_mul(scale))
                }
                None => steps.push((index, scale)),
            }
            ty = Some(current);
        }
        steps
    }

    /// Counts the symbolic operands of an instruction as lost, and clears the memory that it wrote.
    fn lose(&mut self, instruction: Value) {
        for operand in instruction.operands() {
            for leaf in self.sym.marked(operand) {
                let label = self.label(operand, leaf);
                self.lost(instruction, Loss::Instruction, label);
            }
        }
        let abi = self.abi;
        match instruction.opcode() {
            Opcode::LLVMAtomicRMW => {
                let size = abi.module.store_size(instruction.operand(1).ty());
                abi.call(name::__bw_clear, &[instruction.operand(0), abi.u64(size)]);
            }
            Opcode::LLVMAtomicCmpXchg => {
                let size = abi.module.store_size(instruction.operand(1).ty());
                abi.call(name::__bw_clear, &[instruction.operand(0), abi.u64(size)]);
            }
            _ => {}
        }
    }

    /// `__bw_lost`, if the label is not 0.
    pub(super) fn lost(&self, instruction: Value, reason: Loss, label: Value) {
        let spot = self.spot(instruction);
        let reason = self.abi.u32(reason as u32);
        self.guarded(label, |abi| {
            abi.call(name::__bw_lost, &[spot, reason, label]);
        });
    }
}
