//! Where the number that an address is decides something: a hash of a pointer, a test of its low bits.
//!
//! No input decides where objects are, and every run and every machine may place them elsewhere. A tree that has seen both
//! sides of everything that inputs decide has not seen those.
//!
//! What must hold: `None` is said only if no number of an address comes to a condition, an index, a length or memory. Not
//! counted: whether two addresses are equal or null, how far two are apart, and the order of two pointers, which C gives a
//! meaning within one object only. Addresses that become numbers by way of memory (a `union`) are not seen.

use std::collections::BTreeSet;

use crate::callgraph::CallGraph;
use crate::entity::SecondaryMap;
use crate::function::Function;
use crate::id::{FuncId, ValueId};
use crate::inst::{Op, Terminator};
use crate::model::Program;
use crate::op::{BinOp, CastOp, ICmp};
use crate::operand::{Const, Operand};
use crate::types::Type;

/// The first function of the program's own code, of those that `roots` may reach, in which an address decides as a number.
#[must_use]
pub fn deciding(program: &Program, calls: &CallGraph, roots: &[FuncId]) -> Option<FuncId> {
    let functions = calls.reachable_from(roots).into_iter();
    let functions: Vec<FuncId> = functions
        .filter(|&id| !program.functions[id].library)
        .collect();
    let mut known = Known::default();
    loop {
        let before = known.size;
        for &id in &functions {
            Walk::new(program, calls, id, &mut known).all();
        }
        if known.size == before {
            break;
        }
    }
    known.deciding.first().copied()
}

/// Which values are numbers made of addresses.
#[derive(Default)]
struct Known {
    numbers: BTreeSet<(FuncId, ValueId)>,
    returned: BTreeSet<FuncId>,
    deciding: BTreeSet<FuncId>,
    /// Grows with each of them.
    size: usize,
}

struct Walk<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    id: FuncId,
    function: &'a Function,
    known: &'a mut Known,
    /// Of this function.
    numbers: SecondaryMap<ValueId, bool>,
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        id: FuncId,
        known: &'a mut Known,
    ) -> Walk<'a> {
        let mut numbers = SecondaryMap::new();
        let own = (id, ValueId::from_u32(0))..=(id, ValueId::from_u32(u32::MAX));
        for &(_, value) in known.numbers.range(own) {
            numbers[value] = true;
        }
        Walk {
            program,
            calls,
            id,
            function: &program.functions[id],
            known,
            numbers,
        }
    }

    fn all(&mut self) {
        loop {
            let before = self.known.size;
            for block in self.function.blocks.keys() {
                for (value, inst) in self.function.insts(block) {
                    if self.results_in_number(value, &inst.op) {
                        self.mark(self.id, value);
                    }
                }
                self.terminator(&self.function.blocks[block].terminator);
            }
            if self.known.size == before {
                return;
            }
        }
    }

    fn is_number(&self, operand: &Operand) -> bool {
        operand.value().is_some_and(|value| self.numbers[value])
    }

    fn mark(&mut self, function: FuncId, value: ValueId) {
        if self.known.numbers.insert((function, value)) {
            self.known.size += 1;
        }
        if function == self.id {
            self.numbers[value] = true;
        }
    }

    fn decides(&mut self, operand: &Operand) {
        if self.is_number(operand) && self.known.deciding.insert(self.id) {
            self.known.size += 1;
        }
    }

    /// Notes what the operation decides, and says whether its result is a number made of an address.
    fn results_in_number(&mut self, value: ValueId, op: &Op) -> bool {
        match op {
            Op::Cast {
                op: CastOp::PtrToInt,
                value,
            } => self.is_address(value),
            // An address again: what it is made of is asked where it becomes a number.
            Op::Cast {
                op: CastOp::IntToPtr,
                ..
            } => false,
            Op::Bin {
                op: BinOp::Sub,
                lhs,
                rhs,
            } => self.is_number(lhs) != self.is_number(rhs),
            Op::ICmp { pred, lhs, rhs } => self.compares_number(*pred, lhs, rhs),
            Op::Select {
                cond,
                then_value,
                else_value,
            } => {
                self.decides(cond);
                let is_pointer = self.function.operand_type(then_value) == Type::Ptr;
                !is_pointer && (self.is_number(then_value) || self.is_number(else_value))
            }
            Op::Load { .. } => false,
            Op::Store { value, .. } => {
                self.decides(value);
                false
            }
            Op::Gep { indices, .. } => {
                indices.iter().for_each(|(index, _)| self.decides(index));
                false
            }
            Op::Alloca { count, .. } => {
                self.decides(count);
                false
            }
            Op::Mem { args, .. } => {
                args[1..].iter().for_each(|arg| self.decides(arg));
                false
            }
            Op::Call { args, .. } => self.call(value, args),
            _ => {
                let mut any = false;
                op.for_each_operand(|operand| any |= self.is_number(operand));
                any
            }
        }
    }

    /// Is what becomes a number here the address of something? A number that was made an address before is what it was.
    fn is_address(&self, operand: &Operand) -> bool {
        let inst = match operand {
            Operand::Const(Const::Null) => return false,
            Operand::Const(_) => return true,
            Operand::Value(value) => self.function.inst(*value),
        };
        match inst.map(|inst| &inst.op) {
            Some(Op::Cast {
                op: CastOp::IntToPtr,
                value,
            }) => self.is_number(value),
            _ => true,
        }
    }

    fn compares_number(&self, pred: ICmp, lhs: &Operand, rhs: &Operand) -> bool {
        let identity = matches!(pred, ICmp::Eq | ICmp::Ne);
        match (self.is_number(lhs), self.is_number(rhs)) {
            (false, false) => false,
            (true, true) => !(identity && self.is_whole(lhs) && self.is_whole(rhs)),
            (true, false) => !(identity && self.is_whole(lhs) && is_zero(rhs)),
            (false, true) => !(identity && self.is_whole(rhs) && is_zero(lhs)),
        }
    }

    /// Is it an address as a number, with nothing done to it?
    fn is_whole(&self, operand: &Operand) -> bool {
        let inst = operand.value().and_then(|value| self.function.inst(value));
        matches!(
            inst.map(|inst| &inst.op),
            Some(Op::Cast {
                op: CastOp::PtrToInt,
                ..
            })
        )
    }

    /// What is passed is a number in the callee as well; its result may be one.
    fn call(&mut self, value: ValueId, args: &[Operand]) -> bool {
        let site = self.calls.calls(self.id).iter();
        let site = site.clone().find(|site| site.inst == value);
        let callees: Vec<FuncId> = site.map_or_else(Vec::new, |site| site.functions().collect());
        for &callee in &callees {
            let params = &self.program.functions[callee].params;
            for (arg, &param) in args.iter().zip(params) {
                if self.is_number(arg) {
                    self.mark(callee, param);
                }
            }
        }
        callees
            .iter()
            .any(|callee| self.known.returned.contains(callee))
    }

    fn terminator(&mut self, terminator: &Terminator) {
        match terminator {
            Terminator::Ret { value: Some(value) } => {
                if self.is_number(value) && self.known.returned.insert(self.id) {
                    self.known.size += 1;
                }
            }
            Terminator::IndirectBr { .. } => {}
            other => other.for_each_operand(|operand| self.decides(operand)),
        }
    }
}

fn is_zero(operand: &Operand) -> bool {
    matches!(operand, Operand::Const(Const::Int { value: 0, .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions whose conditions addresses decide, from function 0 on.
    fn check(text: &str, expected: Option<u32>) {
        let program = crate::text::sample(text);
        let found = deciding(&program, &CallGraph::new(&program), &[FuncId::from_u32(0)]);
        assert_eq!(found, expected.map(FuncId::from_u32), "{text}");
    }

    /// One function that computes with parameters, two pointers and a number.
    fn check_body(body: &str, decides: bool) {
        let text = format!("fn @f(v0: ptr, v1: ptr, v2: i64) {{ block0: {body} ret }}");
        check(&text, decides.then_some(0));
    }

    #[test]
    fn low_bits_of_an_address_decide() {
        check_body(
            "v3: i64 = ptrtoint v0 v4: i64 = and v3, i64 15 v5: i1 = icmp eq v4, i64 0 v6: i64 = select v5, v2, v2",
            true,
        );
    }

    #[test]
    fn identity_and_distance_do_not() {
        check_body(
            "v3: i64 = ptrtoint v0 v4: i1 = icmp eq v3, i64 0 v5: i64 = select v4, v2, v2",
            false,
        );
        check_body(
            "v3: i64 = ptrtoint v0 v4: i64 = ptrtoint v1 v5: i1 = icmp ne v3, v4 v6: i64 = select v5, v2, v2",
            false,
        );
        check_body(
            "v3: i64 = ptrtoint v0 v4: i64 = ptrtoint v1 v5: i64 = sub v3, v4 v6: i1 = icmp slt v5, v2 v7: i64 = select v6, v2, v2",
            false,
        );
        check_body(
            "v3: i1 = icmp ult v0, v1 v4: i64 = select v3, v2, v2",
            false,
        );
    }

    #[test]
    fn a_number_in_a_pointer_is_no_address() {
        check_body(
            "v3: ptr = inttoptr v2 v4: i64 = ptrtoint v3 v5: i1 = icmp slt v4, i64 9 v6: i64 = select v5, v2, v2",
            false,
        );
    }

    #[test]
    fn what_indexes_or_is_stored_decides() {
        check_body("v3: i64 = ptrtoint v0 v4: ptr = gep v1 [v3 * 1]", true);
        check_body("v3: i64 = ptrtoint v0 store v3, v1 align 8", true);
        check_body("v3: i64 = ptrtoint v0", false);
    }

    #[test]
    fn numbers_go_through_calls() {
        let hash = "fn @hash(v0: i64) -> i64 { block0: v1: i64 = mul v0, i64 31 ret v1 }";
        let main = |rest: &str| {
            format!(
                "fn @main(v0: ptr, v1: i64) {{ block0: v2: i64 = ptrtoint v0 v3: i64 = call @hash(v2) {rest} ret }} {hash}"
            )
        };
        check(&main(""), None);
        check(
            &main("v4: i1 = icmp ugt v3, v1 v5: i64 = select v4, v1, v1"),
            Some(0),
        );
    }
}
