//! Calls: the handshake that passes labels of arguments and results (see `wire::abi`).

use super::abi::FUNCTION_BASE;
use super::function::{End, Fx};
use crate::ir::{Attribute, Kind, Type, Value};
use crate::prepare::{self, assembly};
use crate::types::{bits, is_scalar, leaves};
use wire::abi::name;
use wire::fail;
use wire::libc::{MODEL_PREFIX, Treatment, WRAPPED_PREFIX};
use wire::segment::{
    ARGS, HOT_ARGS, HOT_CALLEE, HOT_LIBRARY_CALL, HOT_RESULTS, HOT_RETURNED, Loss, RESULTS,
};

/// The kind that says of a variable argument in memory where it is; see `wire::abi`.
const VARIABLE_OBJECT: u32 = 3;

/// Whether a call takes part in the handshake: it is no intrinsic and no assembly.
pub(super) fn passes_labels(call: Value) -> bool {
    call.intrinsic_name().is_none() && !call.callee().is_inline_assembly()
}

/// Whether symbolic arguments that the callee does not take are no loss. (It does take them if the program has a function of
/// that name in another module.)
fn is_harmless(call: Value) -> bool {
    call.called_function().is_some_and(|callee| {
        let name = callee.name();
        callee.is_declaration()
            && matches!(
                wire::libc::treatment(name.strip_prefix(fail::PREFIX).unwrap_or(&name)),
                Some(Treatment::Harmless | Treatment::Output)
            )
    })
}

/// Argument slots of a list of types: the first slot of each.
fn slots(types: impl Iterator<Item = Type>) -> Vec<usize> {
    let mut next = 0;
    types
        .map(|ty| {
            let first = next;
            next += leaves(ty).len();
            first
        })
        .collect()
}

/// General and floating registers that parameters of these types take.
fn registers(types: impl Iterator<Item = (Type, bool)>) -> (u32, u32) {
    let (mut general, mut float) = (0, 0);
    for (ty, memory) in types {
        for leaf in leaves(ty) {
            match leaf.kind() {
                _ if memory => {}
                Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind | Kind::LLVMVectorTypeKind => {
                    float += 1
                }
                Kind::LLVMX86_FP80TypeKind => {}
                _ => {
                    general += if is_scalar(leaf) && bits(leaf) > 64 {
                        2
                    } else {
                        1
                    }
                }
            }
        }
    }
    (general.min(6), float.min(8))
}

impl Fx<'_, '_> {
    // The called side.

    /// Labels of the parameters, at entry.
    pub(super) fn receive_arguments(&mut self) {
        let abi = self.abi;
        let params = self.function.params();
        let first = slots(params.iter().map(|param| param.ty()));
        let memory = self.byval_params();
        for &param in &params {
            for leaf in self.sym.marked(param) {
                self.set_slot(param, leaf, abi.zero());
            }
        }
        let wanted = params
            .iter()
            .any(|&param| self.sym.may_any(param) && !param.users().is_empty());
        if self.concrete() {
            return;
        }
        let (ask, next) = (self.block("called"), self.block("next"));
        let start = abi.b.position();
        // A result that nobody took went to code that we do not know, which now calls back.
        let pending = abi.b.or(
            abi.load_hot(abi.i64, HOT_CALLEE),
            abi.load_hot(abi.i64, HOT_RETURNED),
        );
        abi.unlikely(abi.b.not_zero(pending), ask, next);
        abi.b.at_end(ask);
        // Also by a function that has no use for its arguments: what nobody takes passes for lost.
        let accepted = abi.call(name::__bw_enter, &[self.function]);
        if !wanted && memory.is_empty() && self.token.is_none() {
            abi.b.br(next);
            abi.b.at_end(next);
            return;
        }
        let take = self.block("take");
        abi.b.cond_br(abi.b.not_zero(accepted), take, next);
        abi.b.at_end(take);
        for (&param, &first) in params.iter().zip(&first) {
            for leaf in self.sym.marked(param) {
                if first + leaf < ARGS && self.slots.contains_key(&(param, leaf)) {
                    let label = abi.load_hot(abi.i32, HOT_ARGS + 4 * (first + leaf) as u64);
                    self.set_slot(param, leaf, label);
                }
            }
        }
        abi.b.br(next);
        abi.b.at_end(next);
        if memory.is_empty() && self.token.is_none() {
            return;
        }
        let entered = abi.b.phi(abi.i32);
        for (value, block) in [(abi.zero(), start), (abi.zero(), ask), (abi.u32(1), take)] {
            entered.add_incoming(value, block);
        }
        for (index, ty) in memory {
            let size = abi.u64(abi.module.alloc_size(ty));
            let slot = abi.u32(first[index] as u32);
            abi.call(name::__bw_byval_in, &[slot, params[index], size, entered]);
        }
        if let Some(token) = self.token {
            let types = params.iter().enumerate().map(|(index, param)| {
                (
                    param.ty(),
                    self.function.has(Attribute::Param(index as u32), "byval"),
                )
            });
            let (general, float) = registers(types);
            abi.call(
                name::__bw_va_enter,
                &[entered, abi.u32(general), abi.u32(float), token],
            );
        }
    }

    fn byval_params(&self) -> Vec<(usize, Type)> {
        let count = self.function.params().len();
        (0..count)
            .filter_map(|index| {
                Some((
                    index,
                    self.function
                        .type_attribute(Attribute::Param(index as u32), "byval")?,
                ))
            })
            .collect()
    }

    /// Labels of the result, before a return. Slow path.
    pub(super) fn send_results(&mut self, result: &[Value]) {
        let abi = self.abi;
        // The C library, which calls `main`, has no use for labels, and code that runs at exit must not take it for a loss.
        if self.function.name() == "main" && self.function.users().is_empty() {
            return;
        }
        let labels = self.labels(result);
        let any = self.or_all(&labels);
        self.guarded(any, |abi| {
            for (index, &label) in labels.iter().take(RESULTS).enumerate() {
                abi.store_hot(label, HOT_RESULTS + 4 * index as u64);
            }
            abi.store_hot(self.function, HOT_RETURNED);
        });
        debug_assert!(abi.b.position().terminator().is_none());
    }

    /// Whether the RETURN event was already written: a `musttail` call must stand right before the return.
    pub(super) fn returned_before(&self) -> bool {
        self.abi
            .b
            .position()
            .instructions()
            .last()
            .is_some_and(|last| last.is_must_tail())
    }

    // The calling side.

    pub(super) fn call(&mut self, call: Value) {
        let abi = self.abi;
        if call.callee().is_inline_assembly() {
            self.inline_assembly(call);
            return;
        }
        call.drop_tail();
        if self.concrete() || !passes_labels(call) {
            self.cut();
            self.flush();
            abi.b.set_location(call.debug_location());
            abi.b.insert(call);
            if !self.concrete() {
                self.returned_again(call);
            }
            self.reload();
            return;
        }
        let must_tail = call.is_must_tail();
        self.send_arguments(call);
        self.note_library_call(call);
        abi.b.set_location(call.debug_location());
        if must_tail {
            self.returned_event();
            self.flush();
            abi.b.insert(call);
            for leaf in self.sym.marked(call) {
                // Nothing but the return may follow: the result's labels stay 0.
                if let Some(slot) = self.slots.remove(&(call, leaf)) {
                    debug_assert!(slot.is_instruction());
                }
            }
            return;
        }
        self.flush();
        abi.b.insert(call);
        self.returned_again(call);
        self.receive_results(call);
        self.reload();
    }

    /// A call that an exception may leave by another edge. What follows a call stands in a block of its own on the
    /// normal edge; what follows an exception is [`Fx::landing`]'s.
    pub(super) fn invoke(&mut self, invoke: Value) {
        let abi = self.abi;
        let [normal, unwind] = invoke.successors()[..] else {
            unreachable!("an invoke has two successors");
        };
        let labelled = passes_labels(invoke);
        if labelled {
            self.send_arguments(invoke);
            self.note_library_call(invoke);
        } else {
            self.cut();
        }
        abi.b.set_location(invoke.debug_location());
        self.flush();
        abi.b.insert(invoke);
        self.add_edge(unwind);
        let returned = self.block("returned");
        invoke.set_successor(0, returned);
        abi.b.at_end(returned);
        if labelled {
            self.receive_results(invoke);
        }
        self.reload();
        abi.b.br(normal);
        self.add_edge(normal);
    }

    /// Where an exception is caught or cleaned up after: the frames between left no RETURN.
    pub(super) fn landing(&mut self, pad: Value) {
        let abi = self.abi;
        abi.b.set_location(pad.debug_location());
        abi.b.insert(pad);
        self.resumed();
        self.reload();
    }

    /// After a call that may return twice: the calls that were going on when it returned first are those that are going on now.
    fn returned_again(&self, call: Value) {
        if prepare::returns_twice(call) {
            self.resumed();
        }
    }

    fn resumed(&self) {
        let abi = self.abi;
        let id = abi.b.add(abi.base(FUNCTION_BASE), abi.u32(self.id));
        let frame = self.frame.unwrap_or(abi.ptr.zero());
        abi.call(name::__bw_resumed, &[id, frame]);
    }

    /// What a wrapper or a model loses is counted at the program's call.
    fn note_library_call(&self, call: Value) {
        let prefixes = [WRAPPED_PREFIX, MODEL_PREFIX, fail::PREFIX];
        let is_ours = |name: &str| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let callee = call.called_function();
        if !self.abi.library && callee.is_some_and(|callee| is_ours(&callee.name())) {
            let one = self.abi.u32(1);
            self.abi
                .store_hot(self.abi.b.add(self.spot(call), one), HOT_LIBRARY_CALL);
        }
    }

    fn send_arguments(&mut self, call: Value) {
        let abi = self.abi;
        let args = call.args();
        let memory: Vec<(usize, Type)> = (0..args.len())
            .filter_map(|index| {
                Some((
                    index,
                    call.call_type_attribute(Attribute::Param(index as u32), "byval")?,
                ))
            })
            .collect();
        let fixed = call.call_type().params().len();
        let variable_objects = memory.iter().any(|(index, _)| *index >= fixed);
        let mut consumed = args.clone();
        consumed.push(call.callee());
        let ends = self.end(&End::Labels(consumed));
        let next = self.block("call");
        if ends.slow.is_some() {
            self.pin_callee(call);
            self.pin_objects(call);
            let labels = self.labels(&args);
            if memory.is_empty() {
                let any = self.or_all(&labels);
                self.guarded(any, |abi| self.pass(abi, call, &labels, true));
            } else {
                self.pass(abi, call, &labels, false);
            }
            self.leave_slow(next);
        }
        abi.b.at_end(ends.fast);
        if !memory.is_empty() {
            for index in 0..args
                .iter()
                .map(|arg| leaves(arg.ty()).len())
                .sum::<usize>()
                .min(ARGS)
            {
                abi.store_hot(abi.zero(), HOT_ARGS + 4 * index as u64);
            }
        }
        if variable_objects {
            // Nothing says yet whether an object holds what is symbolic.
            self.list_variable(abi, call, |_| abi.zero());
        }
        abi.b.br(next);
        abi.b.at_end(next);
        if memory.is_empty() {
            return;
        }
        let first = slots(args.iter().map(|arg| arg.ty()));
        for (index, ty) in memory {
            let size = abi.u64(abi.module.alloc_size(ty));
            abi.call(
                name::__bw_byval_out,
                &[abi.u32(first[index] as u32), args[index], size],
            );
        }
        abi.store_hot(call.callee(), HOT_CALLEE);
    }

    fn pin_callee(&mut self, call: Value) {
        let callee = call.callee();
        if !self.sym.may_any(callee) {
            return;
        }
        let (spot, label) = (self.spot(call), self.label(callee, 0));
        self.guarded(label, |abi| {
            abi.call(name::__bw_pin, &[spot, label, abi.bits(callee)]);
        });
    }

    /// Addresses of objects that the call copies, or that it writes its result to: bytes move there without an expression that
    /// says which object they are of.
    fn pin_objects(&self, call: Value) {
        for (index, arg) in call.args().into_iter().enumerate() {
            let place = Attribute::Param(index as u32);
            let is_object = |attribute: &str| call.call_type_attribute(place, attribute).is_some();
            if !self.sym.may_any(arg) || !(is_object("byval") || is_object("sret")) {
                continue;
            }
            let (spot, label) = (self.spot(call), self.label(arg, 0));
            self.guarded(label, |abi| {
                abi.call(name::__bw_pin, &[spot, label, abi.bits(arg)]);
            });
        }
    }

    /// Stores the labels of the arguments; sets `callee` unless the caller does.
    fn pass(&self, abi: &super::abi::Abi<'_>, call: Value, labels: &[Value], set_callee: bool) {
        for (index, &label) in labels.iter().take(ARGS).enumerate() {
            abi.store_hot(label, HOT_ARGS + 4 * index as u64);
        }
        let beyond = self.or_all(&labels[ARGS.min(labels.len())..]);
        self.lost(call, Loss::Full, beyond);
        if call.call_type().is_variadic() {
            self.pass_variable(abi, call);
        }
        if set_callee {
            abi.store_hot(call.callee(), HOT_CALLEE);
        }
    }

    fn pass_variable(&self, abi: &super::abi::Abi<'_>, call: Value) {
        let fixed = call.call_type().params().len();
        let is_object = |index: usize| {
            let place = Attribute::Param(index as u32);
            call.call_type_attribute(place, "byval").is_some()
        };
        let mut variable = call.args().into_iter().enumerate().skip(fixed);
        if variable.any(|(index, arg)| self.sym.may_any(arg) || is_object(index)) {
            self.list_variable(abi, call, |arg| self.label(arg, 0));
        }
    }

    /// Says what the variable arguments are, in their order: each takes a place, symbolic or not.
    fn list_variable(
        &self,
        abi: &super::abi::Abi<'_>,
        call: Value,
        label: impl Fn(Value) -> Value,
    ) {
        let fixed = call.call_type().params().len();
        for (index, &arg) in call.args().iter().enumerate().skip(fixed) {
            let place = Attribute::Param(index as u32);
            let byval = call.call_type_attribute(place, "byval");
            let size = abi.module.store_size(byval.unwrap_or(arg.ty()));
            let (kind, label, value) = match (byval, arg.ty().kind()) {
                (Some(_), _) => {
                    let align = call.call_number_attribute(place, "align");
                    (VARIABLE_OBJECT, abi.u32(align as u32), abi.bits(arg))
                }
                _ if !is_scalar(arg.ty()) => {
                    self.lost(call, Loss::Instruction, self.or_all(&self.labels(&[arg])));
                    (2, abi.zero(), abi.u64(0))
                }
                (_, Kind::LLVMFloatTypeKind | Kind::LLVMDoubleTypeKind) => {
                    (1, label(arg), abi.bits(arg))
                }
                // In memory, whatever registers are free.
                (_, Kind::LLVMX86_FP80TypeKind) => (2, label(arg), abi.u64(0)),
                _ => (0, label(arg), abi.bits(arg)),
            };
            abi.call(
                name::__bw_vararg,
                &[abi.u32(kind), abi.u32(size as u32), label, value],
            );
        }
    }

    /// Labels of the result, after the call; arguments that nobody took are lost.
    fn receive_results(&mut self, call: Value) {
        let abi = self.abi;
        for leaf in self.sym.marked(call) {
            self.set_slot(call, leaf, abi.zero());
        }
        let own = call
            .called_function()
            .is_some_and(|callee| !callee.is_declaration() && callee.is_local());
        if own && call.ty().is_void() {
            return;
        }
        let (ask, take, next) = (
            self.block("returned"),
            self.block("take"),
            self.block("next"),
        );
        let returned = abi.load_hot(abi.i64, HOT_RETURNED);
        let pending = if own {
            returned
        } else {
            abi.b.or(returned, abi.load_hot(abi.i64, HOT_CALLEE))
        };
        abi.unlikely(abi.b.not_zero(pending), ask, next);
        abi.b.at_end(ask);
        if !own {
            self.not_taken(call);
        }
        let some = abi.call(name::__bw_result, &[call.callee()]);
        abi.b.cond_br(abi.b.not_zero(some), take, next);
        abi.b.at_end(take);
        for leaf in self.sym.marked(call) {
            if leaf < RESULTS && self.slots.contains_key(&(call, leaf)) {
                let label = abi.load_hot(abi.i32, HOT_RESULTS + 4 * leaf as u64);
                self.set_slot(call, leaf, label);
            }
        }
        abi.b.br(next);
        abi.b.at_end(next);
    }

    /// `callee` is still set: an external function was given symbolic arguments.
    fn not_taken(&self, call: Value) {
        let abi = self.abi;
        let (yes, next) = (self.block("external"), self.block("next"));
        let callee = abi.load_hot(abi.ptr, HOT_CALLEE);
        abi.b.cond_br(abi.b.equal(callee, call.callee()), yes, next);
        abi.b.at_end(yes);
        abi.store_hot(abi.ptr.zero(), HOT_CALLEE);
        let passed: usize = if is_harmless(call) {
            0
        } else {
            call.args().iter().map(|arg| leaves(arg.ty()).len()).sum()
        };
        let mut label = abi.zero();
        for index in 0..passed.min(ARGS) {
            let other = abi.load_hot(abi.i32, HOT_ARGS + 4 * index as u64);
            label = if index == 0 {
                other
            } else {
                abi.b.select(abi.b.not_zero(label), label, other)
            };
        }
        abi.call(
            name::__bw_lost,
            &[self.spot(call), abi.u32(Loss::External as u32), label],
        );
        abi.b.br(next);
        abi.b.at_end(next);
    }

    /// Symbolic operands are lost; memory operands that it writes become concrete.
    fn inline_assembly(&mut self, call: Value) {
        let abi = self.abi;
        if assembly::is_barrier(call) {
            self.cut();
            self.flush();
            abi.b.set_location(call.debug_location());
            abi.b.insert(call);
            return;
        }
        let args = call.args();
        let ends = self.end(&End::Labels(args.clone()));
        if ends.slow.is_some() {
            for label in self.labels(&args) {
                self.lost(call, Loss::Instruction, label);
            }
        }
        self.join(&ends);
        self.flush();
        abi.b.set_location(call.debug_location());
        abi.b.insert(call);
        for (index, arg) in args.into_iter().enumerate() {
            if let Some(ty) =
                call.call_type_attribute(Attribute::Param(index as u32), "elementtype")
            {
                abi.call(name::__bw_clear, &[arg, abi.u64(abi.module.store_size(ty))]);
            }
        }
    }
}
