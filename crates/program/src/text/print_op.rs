//! The printer of instructions, terminators and operands.

use std::fmt::Display;

use super::lex::{quote, quote_name};
use super::print::{Printer, at, counters, flag, indices, plus, print_type, signed};
use super::range;
use crate::function::Function;
use crate::id::{ExternId, FuncId, GlobalId, SiteId};
use crate::inst::SiteKind;
use crate::inst::{Callee, Op, Terminator};
use crate::operand::{Const, Operand};
use crate::types::Type;

impl Printer<'_> {
    pub(super) fn op(&self, op: &Op) -> String {
        match op {
            Op::Bin { op, lhs, rhs } => {
                format!("{op} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::FBin { op, lhs, rhs } => {
                format!("{op} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::FNeg { value } => format!("fneg {}", self.operand(value)),
            Op::ICmp { pred, lhs, rhs } => {
                format!("icmp {pred} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::FCmp { pred, lhs, rhs } => {
                format!("fcmp {pred} {}, {}", self.operand(lhs), self.operand(rhs))
            }
            Op::Cast { op, value } => format!("{op} {}", self.operand(value)),
            Op::Select {
                cond,
                then_value,
                else_value,
            } => {
                format!(
                    "select {}, {}, {}",
                    self.operand(cond),
                    self.operand(then_value),
                    self.operand(else_value)
                )
            }
            Op::Phi { incoming } => {
                let incoming: Vec<_> = incoming
                    .iter()
                    .map(|(block, value)| format!("{block}: {}", self.operand(value)))
                    .collect();
                format!("phi [{}]", incoming.join(", "))
            }
            Op::Freeze { value } => format!("freeze {}", self.operand(value)),
            Op::Load {
                address,
                align,
                volatile,
            } => {
                format!(
                    "load {} align {align}{}",
                    self.operand(address),
                    flag(*volatile, "volatile")
                )
            }
            Op::Store {
                address,
                value,
                align,
                volatile,
            } => {
                let (value, address) = (self.operand(value), self.operand(address));
                format!(
                    "store {value}, {address} align {align}{}",
                    flag(*volatile, "volatile")
                )
            }
            Op::Gep {
                base,
                indices,
                offset,
            } => self.gep(base, indices, *offset),
            Op::Alloca { size, align, count } => {
                format!("alloca {size} x {} align {align}", self.operand(count))
            }
            Op::Mem { op, args, volatile } => {
                format!("{op} {}{}", self.list(args), flag(*volatile, "volatile"))
            }
            Op::Intrinsic { op, args } => format!("{op}({})", self.list(args)),
            Op::Call {
                callee,
                args,
                variadic,
            } => {
                let callee = match callee {
                    Callee::Direct(id) => self.function_name(*id),
                    Callee::Extern(id) => self.extern_name(*id),
                    Callee::Indirect(target) => format!("*{}", self.operand(target)),
                    Callee::Asm(text) => format!("asm {}", quote(text)),
                };
                format!(
                    "call{} {callee}({})",
                    flag(*variadic, "variadic"),
                    self.list(args)
                )
            }
            Op::ExtractValue { aggregate, path } => {
                format!("extractvalue {} {}", self.operand(aggregate), indices(path))
            }
            Op::InsertValue {
                aggregate,
                value,
                path,
            } => {
                format!(
                    "insertvalue {}, {} {}",
                    self.operand(aggregate),
                    self.operand(value),
                    indices(path)
                )
            }
            Op::Count {
                counter,
                step,
                site,
            } => {
                let step = step
                    .as_ref()
                    .map(|step| format!(" step {}", self.operand(step)))
                    .unwrap_or_default();
                let site = site
                    .map(|site| format!(" {}", self.site(site)))
                    .unwrap_or_default();
                format!("count {counter}{step}{site}")
            }
            Op::Opaque { what, args } => format!("opaque {}({})", quote(what), self.list(args)),
        }
    }

    pub(super) fn gep(&self, base: &Operand, indices: &[(Operand, i64)], offset: i64) -> String {
        let indices: Vec<_> = indices
            .iter()
            .map(|(index, scale)| format!("{} * {scale}", self.operand(index)))
            .collect();
        let indices = if indices.is_empty() {
            String::new()
        } else {
            format!(" [{}]", indices.join(", "))
        };
        format!("gep {}{indices}{}", self.operand(base), plus(offset))
    }

    pub(super) fn terminator(&self, function: &Function, terminator: &Terminator) -> String {
        match terminator {
            Terminator::Br { target } => format!("br {target}"),
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => {
                format!(
                    "br {}, {then}, {els} {}",
                    self.operand(cond),
                    self.site(*site)
                )
            }
            Terminator::Switch {
                value,
                cases,
                default,
                site,
            } => {
                let bits = match function.operand_type(value) {
                    Type::Int(bits) => bits,
                    _ => 128,
                };
                let cases: String = cases
                    .iter()
                    .map(|(case, block)| format!("{}: {block}, ", signed(bits, *case)))
                    .collect();
                format!(
                    "switch {} [{cases}default: {default}] {}",
                    self.operand(value),
                    self.site(*site)
                )
            }
            Terminator::Ret { value: None } => "ret".to_owned(),
            Terminator::Ret { value: Some(value) } => format!("ret {}", self.operand(value)),
            Terminator::Unreachable => "unreachable".to_owned(),
            Terminator::IndirectBr { address, targets } => {
                format!("indirectbr {} {}", self.operand(address), indices(targets))
            }
            Terminator::Opaque {
                what,
                args,
                targets,
            } => {
                format!(
                    "leave {}({}) {}",
                    quote(what),
                    self.list(args),
                    indices(targets)
                )
            }
        }
    }

    pub(super) fn site(&self, id: SiteId) -> String {
        let Some(site) = self.program.sites.get(id) else {
            return format!("[{id}]");
        };
        let range = site
            .range
            .map(|range| format!(" in {}", range::print(range)))
            .unwrap_or_default();
        let edges: Vec<_> = self
            .program
            .edges_of(id)
            .map(|edge| {
                let data = &self.program.edges[edge];
                let label = match &site.kind {
                    SiteKind::Branch | SiteKind::Select => {
                        if data.side == 0 { " false" } else { " true" }.to_owned()
                    }
                    SiteKind::Switch { bits, cases } => match cases.get(data.side as usize) {
                        Some(case) => format!(" {}", signed(*bits, *case)),
                        None => " default".to_owned(),
                    },
                    SiteKind::Probe => String::new(),
                };
                format!("{edge}{label}{}", counters(&data.counters))
            })
            .collect();
        format!("[{id}{}{range}: {}]", at(site.loc), edges.join(", "))
    }

    pub(super) fn list(&self, operands: &[Operand]) -> String {
        operands
            .iter()
            .map(|operand| self.operand(operand))
            .collect::<Vec<_>>()
            .join(", ")
    }

    pub(super) fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Value(value) => value.to_string(),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    pub(super) fn constant(&self, constant: &Const) -> String {
        match constant {
            Const::Int { bits: 1, value } => if *value == 0 { "false" } else { "true" }.to_owned(),
            Const::Int { bits, value } => format!("i{bits} {}", signed(*bits, *value)),
            Const::F32(bits) if f32::from_bits(*bits).is_finite() => {
                format!("f32 {:?}", f32::from_bits(*bits))
            }
            Const::F32(bits) => format!("f32 0x{bits:x}"),
            Const::F64(bits) if f64::from_bits(*bits).is_finite() => {
                format!("f64 {:?}", f64::from_bits(*bits))
            }
            Const::F64(bits) => format!("f64 0x{bits:x}"),
            Const::Null => "null".to_owned(),
            Const::Undef(ty) => format!("undef {}", print_type(ty)),
            Const::Poison(ty) => format!("poison {}", print_type(ty)),
            Const::Zero(ty) => format!("zero {}", print_type(ty)),
            Const::Aggregate(aggregate) => {
                let members: Vec<_> = aggregate
                    .members
                    .iter()
                    .map(|member| self.constant(member))
                    .collect();
                format!("{} [{}]", print_type(&aggregate.ty), members.join(", "))
            }
            Const::Global { global, offset: 0 } => self.global_name(*global),
            Const::Global { global, offset } => {
                format!("({}{})", self.global_name(*global), plus(*offset))
            }
            Const::Function(id) => self.function_name(*id),
            Const::Extern(id) => self.extern_name(*id),
            Const::Opaque { ty, what } => format!("opaque {} {}", print_type(ty), quote(what)),
        }
    }

    pub(super) fn function_name(&self, id: FuncId) -> String {
        self.name(
            self.program
                .functions
                .get(id)
                .map(|function| function.name.as_str()),
            id,
        )
    }

    pub(super) fn extern_name(&self, id: ExternId) -> String {
        self.name(
            self.program
                .externs
                .get(id)
                .map(|function| function.name.as_str()),
            id,
        )
    }

    pub(super) fn global_name(&self, id: GlobalId) -> String {
        self.name(
            self.program
                .globals
                .get(id)
                .map(|global| global.name.as_str()),
            id,
        )
    }

    pub(super) fn name(&self, name: Option<&str>, id: impl Display) -> String {
        match name.filter(|name| self.names[name] == 1) {
            Some(name) => quote_name(name),
            None => id.to_string(),
        }
    }
}
