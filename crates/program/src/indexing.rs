//! How a function uses its parameters and what stands behind them: a pointer to one object or to several side by side, an integer
//! that may count them.
//!
//! Follows a parameter, or what is loaded from a member, through copies, address arithmetic, loops and calls, and looks at what is
//! read and written through it.
//!
//! Must hold: `One` is said only if every use is known; a use that is not understood is `Unknown`, never a guess. Values of a
//! member are given only if every load of it is known.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::callgraph::{CallGraph, CallSite};
use crate::function::{Function, Target};
use crate::id::{FuncId, ValueId};
use crate::inst::{Op, Terminator};
use crate::model::Program;
use crate::op::{BinOp, CastOp, ICmp};
use crate::operand::{Const, Operand};
use crate::types::Type;

/// What a pointer points to, as far as the code shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    /// The code reads and writes one object at most.
    One,
    /// It indexes the pointer, or steps over what it points to.
    Several,
    /// The pointer goes where the analysis does not follow.
    Unknown,
}

/// Values that are looked at, at most.
const MOST: usize = 4096;
/// Bytes of the largest object that is no record.
const LARGEST_NUMBER: i64 = 16;
/// Objects from the first one that offsets are followed over.
const FARTHEST: i64 = 4;

/// Values that start as one and the same: a parameter, or all loads of a member.
#[derive(Clone, Debug)]
pub struct Values {
    root: FuncId,
    starts: Vec<(FuncId, ValueId)>,
}

/// What comes of values.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    /// Each, and whether it has moved from where they pointed; empty where that is too much.
    all: BTreeMap<(FuncId, ValueId), bool>,
    /// Something is read or written there, or may be.
    pub is_accessed: bool,
}

/// The loads of an object's members.
#[derive(Clone, Debug)]
pub struct Members {
    root: FuncId,
    loads: Vec<Load>,
}

#[derive(Clone, Copy, Debug)]
struct Load {
    /// In bytes, from the start of the object.
    offset: i64,
    width: i64,
    at: (FuncId, ValueId),
}

impl Members {
    /// What is loaded from the member at an offset, of so many bytes; `None` if a load mixes it with something else.
    #[must_use]
    pub fn at(&self, offset: u64, width: u64) -> Option<Values> {
        let (offset, width) = (i64::try_from(offset).ok()?, i64::try_from(width).ok()?);
        let end = offset.checked_add(width)?;
        let touches =
            |load: &&Load| load.offset < end && load.offset.saturating_add(load.width) > offset;
        let mut starts = Vec::new();
        for load in self.loads.iter().filter(touches) {
            if (load.offset, load.width) != (offset, width) {
                return None;
            }
            starts.push(load.at);
        }
        let root = self.root;
        Some(Values { root, starts })
    }
}

impl Values {
    /// Whether there is one at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

/// Where each value of a function is used.
type Users<'p> = BTreeMap<ValueId, Vec<User<'p>>>;

/// The analysis of one program.
pub struct Indexing<'p> {
    program: &'p Program,
    calls: &'p CallGraph,
    users: RefCell<BTreeMap<FuncId, Rc<Users<'p>>>>,
}

impl<'p> Indexing<'p> {
    #[must_use]
    pub fn new(program: &'p Program, calls: &'p CallGraph) -> Indexing<'p> {
        let users = RefCell::default();
        Indexing {
            program,
            calls,
            users,
        }
    }

    /// Parameter `param` (from 0) of a function.
    #[must_use]
    pub fn parameter(&self, function: FuncId, param: usize) -> Option<Values> {
        let start = self.program.functions[function].params.get(param)?;
        Some(Values {
            root: function,
            starts: vec![(function, *start)],
        })
    }

    /// What pointers point to, if one object has `size` bytes.
    #[must_use]
    pub fn pointed(&self, values: &Values, size: u64) -> Pointed {
        let Ok(size) = i64::try_from(size.max(1)) else {
            return Pointed::Unknown;
        };
        let mut walk = Walk::new(self, values);
        let mut found = Pointed::One;
        while let Some((function, value, offset)) = walk.list.pop() {
            if walk.seen.len() > MOST {
                return Pointed::Unknown;
            }
            let body = &self.program.functions[function];
            for &user in self.users(function).get(&value).into_iter().flatten() {
                match walk.pointer_use(function, body, user, value, offset, size) {
                    Pointed::Several => return Pointed::Several,
                    Pointed::Unknown => found = Pointed::Unknown,
                    Pointed::One => {}
                }
            }
        }
        found
    }

    /// Whether integers may say how many of something there are: the code does more with them than to test them against constants
    /// for equality, or bit by bit.
    #[must_use]
    pub fn may_count(&self, values: &Values) -> bool {
        let mut walk = Walk::new(self, values);
        while let Some((function, value, _)) = walk.list.pop() {
            let users = self.users(function);
            let mut users = users.get(&value).into_iter().flatten();
            if walk.seen.len() > MOST || users.any(|&user| walk.counts(function, user, value)) {
                return true;
            }
        }
        false
    }

    /// The loads from objects of `size` bytes that pointers point to; `None` unless all are known: where a pointer is stored, copied
    /// from, or passed to an unknown function, members may be read unseen.
    #[must_use]
    pub fn members(&self, values: &Values, size: u64) -> Option<Members> {
        let size = i64::try_from(size).ok().filter(|size| *size > 0)?;
        let mut walk = Walk::new(self, values);
        let mut loads = Vec::new();
        while let Some((function, value, offset)) = walk.list.pop() {
            if walk.seen.len() > MOST {
                return None;
            }
            for &user in self.users(function).get(&value).into_iter().flatten() {
                loads.extend(walk.member_use(function, user, (value, offset), size)?);
            }
        }
        let root = values.root;
        Some(Members { root, loads })
    }

    /// What comes of values: copies, and addresses computed from them, in this function and in those that it calls.
    #[must_use]
    pub fn derived(&self, values: &Values) -> Derived {
        let mut all = BTreeMap::new();
        let mut is_accessed = false;
        let mut list: Vec<_> = values.starts.iter().map(|start| (*start, false)).collect();
        while let Some((item, is_moved)) = list.pop() {
            match all.get(&item) {
                Some(true) => continue,
                Some(false) if !is_moved => continue,
                _ => all.insert(item, is_moved),
            };
            if all.len() > MOST {
                return Derived {
                    all: BTreeMap::new(),
                    is_accessed: true,
                };
            }
            let (function, value) = item;
            for &user in self.users(function).get(&value).into_iter().flatten() {
                let User::Inst(id, op) = user else { continue };
                match op {
                    Op::Phi { .. } | Op::Select { .. } | Op::Freeze { .. } => {
                        list.push(((function, id), is_moved));
                    }
                    Op::Cast {
                        op: CastOp::Bitcast | CastOp::PtrToInt,
                        ..
                    } => list.push(((function, id), is_moved)),
                    Op::Gep { base, .. } if base.value() == Some(value) => {
                        list.push(((function, id), true));
                    }
                    Op::Call { args, .. } => {
                        let sites = self.calls.calls(function);
                        let site = sites.iter().find(|site| site.inst == id);
                        let given = (0..args.len()).filter(|at| args[*at].value() == Some(value));
                        let mut externs = site.into_iter().flat_map(CallSite::externs);
                        is_accessed |= site.is_none() || externs.next().is_some();
                        for index in given {
                            for callee in site.into_iter().flat_map(CallSite::functions) {
                                let param = self.program.functions[callee].params.get(index);
                                list.extend(param.map(|param| ((callee, *param), is_moved)));
                            }
                        }
                    }
                    Op::ICmp { .. } | Op::Bin { .. } | Op::Count { .. } => {}
                    _ => is_accessed = true,
                }
            }
        }
        Derived { all, is_accessed }
    }

    /// Whether the code takes pointers for places in one array: it compares them by order, subtracts them, or asks whether they are
    /// equal when one of them has moved. `plain`: to no records, in which addresses of members are no moves.
    #[must_use]
    pub fn share_an_array(&self, ones: &Derived, others: &Derived, plain: bool) -> bool {
        let mut all = ones.all.values().chain(others.all.values());
        let any_moves = plain && all.any(|is_moved| *is_moved);
        ones.all.iter().any(|(item, is_moved)| {
            if others.all.contains_key(item) {
                return false;
            }
            let (function, value) = *item;
            let other = |lhs: &Operand, rhs: &Operand| {
                let other = [lhs, rhs]
                    .into_iter()
                    .find_map(|operand| operand.value().filter(|operand| *operand != value))?;
                let item = (function, other);
                others
                    .all
                    .get(&item)
                    .copied()
                    .filter(|_| !ones.all.contains_key(&item))
            };
            let users = self.users(function);
            users
                .get(&value)
                .into_iter()
                .flatten()
                .any(|user| match user {
                    User::Inst(_, Op::ICmp { pred, lhs, rhs }) => {
                        let is_order = !matches!(pred, ICmp::Eq | ICmp::Ne);
                        other(lhs, rhs)
                            .is_some_and(|moved| is_order || any_moves || *is_moved || moved)
                    }
                    User::Inst(
                        _,
                        Op::Bin {
                            op: BinOp::Sub,
                            lhs,
                            rhs,
                        },
                    ) => other(lhs, rhs).is_some(),
                    _ => false,
                })
        })
    }

    fn users(&self, function: FuncId) -> Rc<Users<'p>> {
        let mut known = self.users.borrow_mut();
        let users = known
            .entry(function)
            .or_insert_with(|| Rc::new(users(&self.program.functions[function])));
        Rc::clone(users)
    }
}

/// A use of a value.
#[derive(Clone, Copy)]
enum User<'p> {
    Inst(ValueId, &'p Op),
    End(&'p Terminator),
}

fn users(body: &Function) -> Users<'_> {
    let mut users = Users::new();
    for block in body.blocks.keys() {
        let mut note = |operand: &Operand, user| {
            if let Some(value) = operand.value() {
                users.entry(value).or_default().push(user);
            }
        };
        for (id, inst) in body.insts(block) {
            inst.op
                .for_each_operand(|it| note(it, User::Inst(id, &inst.op)));
        }
        let end = &body.blocks[block].terminator;
        end.for_each_operand(|it| note(it, User::End(end)));
    }
    users
}

struct Walk<'p> {
    program: &'p Program,
    calls: &'p CallGraph,
    root: FuncId,
    /// Values with their distance from what the pointer points to at first, in bytes.
    seen: BTreeSet<(FuncId, ValueId, i64)>,
    list: Vec<(FuncId, ValueId, i64)>,
}

impl<'p> Walk<'p> {
    fn new(of: &Indexing<'p>, values: &Values) -> Walk<'p> {
        let mut walk = Walk {
            program: of.program,
            calls: of.calls,
            root: values.root,
            seen: BTreeSet::new(),
            list: Vec::new(),
        };
        for &(function, value) in &values.starts {
            walk.go((function, value, 0));
        }
        walk
    }

    fn go(&mut self, item: (FuncId, ValueId, i64)) {
        if self.seen.insert(item) {
            self.list.push(item);
        }
    }

    fn pointer_use(
        &mut self,
        function: FuncId,
        body: &Function,
        user: User<'_>,
        value: ValueId,
        offset: i64,
        size: i64,
    ) -> Pointed {
        let is_value = |operand: &Operand| operand.value() == Some(value);
        let width = |ty: &Type| {
            let bytes = self.program.layout.store_size(ty).unwrap_or(1);
            i64::try_from(bytes).unwrap_or(i64::MAX)
        };
        let access = |bytes: i64| {
            if offset < 0 || offset.saturating_add(bytes) > size {
                Pointed::Several
            } else {
                Pointed::One
            }
        };
        let (id, op) = match user {
            // What a called function returns is not followed.
            User::End(Terminator::Ret { .. }) if function == self.root => return Pointed::One,
            User::End(_) => return Pointed::Unknown,
            User::Inst(id, op) => (id, op),
        };
        match op {
            Op::Load { .. } => access(width(&body.values[id].ty)),
            Op::Store { value: stored, .. } if is_value(stored) => Pointed::Unknown,
            Op::Store { value: stored, .. } => access(width(&body.operand_type(stored))),
            Op::ICmp { .. } | Op::Count { .. } => Pointed::One,
            Op::Phi { .. } | Op::Select { .. } | Op::Freeze { .. } => {
                self.go((function, id, offset));
                Pointed::One
            }
            Op::Cast {
                op: CastOp::Bitcast,
                ..
            } => {
                self.go((function, id, offset));
                Pointed::One
            }
            Op::Gep {
                base,
                indices,
                offset: by,
            } if is_value(base) => {
                let is_step = |(index, scale): &(Operand, i64)| {
                    index.constant().is_none() && *scale != 0 && scale % size == 0
                };
                if indices.iter().any(is_step) {
                    return Pointed::Several;
                }
                // A step within an object is one over a member's elements, unless the object has no room for any.
                let varies = indices.iter().any(|(index, _)| index.constant().is_none());
                if varies && size <= LARGEST_NUMBER {
                    return Pointed::Unknown;
                }
                let constant = indices.iter().filter_map(|(index, scale)| {
                    let index = signed(index.constant()?)?;
                    Some(index.saturating_mul(*scale))
                });
                let to = constant.fold(offset.saturating_add(*by), i64::saturating_add);
                if to.saturating_abs() <= size.saturating_mul(FARTHEST) {
                    self.go((function, id, to));
                }
                Pointed::One
            }
            Op::Mem { args, .. } => match args[2].constant().and_then(signed) {
                Some(bytes) => access(bytes),
                None => Pointed::Unknown,
            },
            Op::Call { args, .. } => {
                let inside = access(1);
                self.passed(function, body, id, args, (value, offset, inside))
            }
            Op::Opaque { .. } => access(1),
            _ => Pointed::Unknown,
        }
    }

    /// A call gets the value, with its offset and what a use at that offset says.
    fn passed(
        &mut self,
        function: FuncId,
        body: &Function,
        call: ValueId,
        args: &[Operand],
        (value, offset, inside): (ValueId, i64, Pointed),
    ) -> Pointed {
        // Who is told a number may know of more than one.
        let is_number = |operand: &Operand| {
            operand.constant().is_none() && matches!(body.operand_type(operand), Type::Int(_))
        };
        let sites = self.calls.calls(function);
        let Some(site) = sites.iter().find(|site| site.inst == call) else {
            return Pointed::Unknown;
        };
        if site.targets.is_empty() {
            return Pointed::Unknown;
        }
        let mut found = Pointed::One;
        for index in (0..args.len()).filter(|index| args[*index].value() == Some(value)) {
            for target in &site.targets {
                match target {
                    Target::Function(callee) => {
                        match self.program.functions[*callee].params.get(index) {
                            Some(&param) => self.go((*callee, param, offset)),
                            None => found = Pointed::Unknown,
                        }
                    }
                    Target::Extern(_) if inside != Pointed::One => return inside,
                    Target::Extern(_) if args.iter().any(is_number) => found = Pointed::Unknown,
                    Target::Extern(_) => {}
                }
            }
        }
        // The pointer is what is called.
        match args.iter().any(|arg| arg.value() == Some(value)) {
            true => found,
            false => Pointed::Unknown,
        }
    }

    /// What a use of a pointer to an object of so many bytes loads from it, whichever of several side by side it is; `None` if that
    /// is not known.
    fn member_use(
        &mut self,
        function: FuncId,
        user: User<'_>,
        (value, offset): (ValueId, i64),
        size: i64,
    ) -> Option<Option<Load>> {
        let is_value = |operand: &Operand| operand.value() == Some(value);
        let (id, op) = match user {
            User::End(Terminator::Ret { .. }) if function == self.root => return Some(None),
            User::End(_) => return None,
            User::Inst(id, op) => (id, op),
        };
        match op {
            Op::Load { .. } => {
                let ty = &self.program.functions[function].values[id].ty;
                let width = self.program.layout.store_size(ty)?;
                let width = i64::try_from(width).ok()?;
                let at = (function, id);
                return Some(Some(Load { offset, width, at }));
            }
            Op::Store { value: stored, .. } if is_value(stored) => return None,
            Op::Mem { args, .. } if is_value(&args[1]) => return None,
            Op::Store { .. } | Op::Mem { .. } | Op::ICmp { .. } | Op::Count { .. } => {}
            Op::Phi { .. }
            | Op::Select { .. }
            | Op::Freeze { .. }
            | Op::Cast {
                op: CastOp::Bitcast,
                ..
            } => self.go((function, id, offset)),
            Op::Gep {
                base,
                indices,
                offset: by,
            } if is_value(base) => {
                let mut to = offset.checked_add(*by)?;
                for (index, scale) in indices {
                    match index.constant() {
                        Some(index) => {
                            to = to.checked_add(signed(index)?.checked_mul(*scale)?)?;
                        }
                        None if scale % size == 0 => {}
                        None => return None,
                    }
                }
                self.go((function, id, to.rem_euclid(size)));
            }
            Op::Call { args, .. } => {
                let site = self.calls.calls(function);
                let site = site.iter().find(|site| site.inst == id)?;
                let mut given = (0..args.len())
                    .filter(|index| is_value(&args[*index]))
                    .peekable();
                // The pointer is what is called, or nobody knows what is.
                if given.peek().is_none() || site.targets.is_empty() {
                    return None;
                }
                for index in given {
                    for target in &site.targets {
                        let Target::Function(callee) = target else {
                            return None;
                        };
                        let param = self.program.functions[*callee].params.get(index)?;
                        self.go((*callee, *param, offset));
                    }
                }
            }
            _ => return None,
        }
        Some(None)
    }

    /// Whether a use of an integer is more than a test for equality or of bits.
    fn counts(&mut self, function: FuncId, user: User<'_>, value: ValueId) -> bool {
        let (id, op) = match user {
            User::End(Terminator::Switch { .. } | Terminator::CondBr { .. }) => return false,
            User::End(_) => return true,
            User::Inst(id, op) => (id, op),
        };
        match op {
            Op::ICmp { pred, lhs, rhs } => {
                let equality = matches!(pred, ICmp::Eq | ICmp::Ne);
                !equality || (lhs.constant().is_none() && rhs.constant().is_none())
            }
            Op::Bin {
                op: BinOp::And | BinOp::Or | BinOp::Xor | BinOp::LShr | BinOp::AShr,
                lhs,
                rhs,
            } if lhs.constant().is_some() || rhs.constant().is_some() => {
                self.go((function, id, 0));
                false
            }
            Op::Cast {
                op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt,
                ..
            }
            | Op::Freeze { .. } => {
                self.go((function, id, 0));
                false
            }
            Op::Count { .. } => false,
            Op::Call { args, .. } => {
                let sites = self.calls.calls(function);
                let Some(site) = sites.iter().find(|site| site.inst == id) else {
                    return true;
                };
                let at = args.iter().position(|arg| arg.value() == Some(value));
                site.targets.iter().any(|target| match (target, at) {
                    (Target::Function(callee), Some(at)) => {
                        let Some(&param) = self.program.functions[*callee].params.get(at) else {
                            return true;
                        };
                        self.go((*callee, param, 0));
                        false
                    }
                    _ => true,
                })
            }
            _ => true,
        }
    }
}

/// The value of an integer constant.
fn signed(constant: &Const) -> Option<i64> {
    match constant {
        Const::Int { bits, value } if (1..=64).contains(bits) => {
            let value = u64::try_from(*value).ok()?;
            let unused = 64 - bits;
            Some(((value << unused).cast_signed()) >> unused)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What parameter 0 of `@f`, a pointer to 24 bytes, points to.
    fn check(text: &str, expected: Pointed) {
        let program = crate::text::sample(text);
        let calls = CallGraph::new(&program);
        let analysis = Indexing::new(&program, &calls);
        let values = analysis.parameter(FuncId::from_u32(0), 0).expect("one");
        let found = analysis.pointed(&values, 24);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn members_of_one_object_are_no_array() {
        check(
            "fn @f(v0: ptr, v1: i64) {
               block0: v2: ptr = gep v0 [] + 8 v3: i32 = load v2 align 4 v4: ptr = gep v0 [v1 * 4] v5: i32 = load v4 align 4
                 v6: i1 = icmp eq v0, null ret }",
            Pointed::One,
        );
    }

    #[test]
    fn what_is_indexed_or_stepped_over_is_several() {
        check(
            "fn @f(v0: ptr, v1: i64) { block0: v2: ptr = gep v0 [v1 * 24] ret }",
            Pointed::Several,
        );
        check(
            "fn @f(v0: ptr) { block0: v1: ptr = gep v0 [i64 1 * 24] + 8 v2: i32 = load v1 align 4 ret }",
            Pointed::Several,
        );
        check(
            "fn @f(v0: ptr) { block0: br block1
               block1: v1: ptr = phi [block0: v0, block1: v2] v3: i32 = load v1 align 4 v2: ptr = gep v1 [] + 24 br block1 }",
            Pointed::Several,
        );
        // One past the end is no object.
        check(
            "fn @f(v0: ptr) { block0: v1: ptr = gep v0 [] + 24 v2: i1 = icmp eq v1, null ret }",
            Pointed::One,
        );
    }

    #[test]
    fn calls_are_followed_and_what_escapes_is_not_known() {
        check(
            "fn @f(v0: ptr, v1: i64) { block0: call fn1(v1, v0) ret }
             fn @g(v0: i64, v1: ptr) { block0: v2: ptr = gep v1 [v0 * 24] ret }",
            Pointed::Several,
        );
        // An unknown function reads beyond the first object.
        check(
            "extern0 @look(ptr) fn @f(v0: ptr) { block0: v1: ptr = gep v0 [] + 24 call @look(v1) ret }",
            Pointed::Several,
        );
        check(
            "fn @f(v0: ptr) { block0: v1: ptr = gep v0 [] + 20 v2: i64 = load v1 align 4 ret }",
            Pointed::Several,
        );
        check(
            "fn @f(v0: ptr, v1: ptr) { block0: store v0, v1 align 8 ret }",
            Pointed::Unknown,
        );
    }

    #[test]
    fn flags_are_no_counts() {
        let text = |body: &str| format!("fn @f(v0: i32) {{ block0: {body} ret }}");
        for (body, expected) in [
            ("v1: i1 = icmp eq v0, i32 3", false),
            ("v1: i32 = and v0, i32 4 v2: i1 = icmp ne v1, i32 0", false),
            ("v1: i1 = icmp slt v0, i32 3", true),
            ("v1: i32 = sub v0, i32 1", true),
        ] {
            let program = crate::text::sample(&text(body));
            let calls = CallGraph::new(&program);
            let analysis = Indexing::new(&program, &calls);
            let values = analysis.parameter(FuncId::from_u32(0), 0).expect("one");
            let found = analysis.may_count(&values);
            assert_eq!(found, expected, "{body}");
        }
    }

    /// What the member at offset 8 of parameter 0, a pointer to 24 bytes, points to, if that has 4 bytes; `None`: not every load
    /// of it is known.
    fn check_member(text: &str, expected: Option<Pointed>) {
        let program = crate::text::sample(text);
        let calls = CallGraph::new(&program);
        let analysis = Indexing::new(&program, &calls);
        let values = analysis.parameter(FuncId::from_u32(0), 0).expect("one");
        let member = analysis
            .members(&values, 24)
            .and_then(|members| members.at(8, 8));
        let found = member.map(|values| analysis.pointed(&values, 4));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn members_are_followed_from_their_loads() {
        check_member(
            "fn @f(v0: ptr) { block0: v1: ptr = gep v0 [] + 8 v2: ptr = load v1 align 8 v3: i32 = load v2 align 4 ret }",
            Some(Pointed::One),
        );
        check_member(
            "fn @f(v0: ptr, v1: i64) { block0: v2: ptr = gep v0 [] + 8 v3: ptr = load v2 align 8 v4: ptr = gep v3 [v1 * 4] ret }",
            Some(Pointed::Several),
        );
        // In any of several objects, by a function that is called.
        check_member(
            "fn @f(v0: ptr, v1: i64) { block0: v2: ptr = gep v0 [v1 * 24] + 8 call fn1(v2) ret }
             fn @g(v0: ptr) { block0: v1: ptr = load v0 align 8 v2: ptr = gep v1 [] + 4 v3: i32 = load v2 align 4 ret }",
            Some(Pointed::Several),
        );
        // Another member's loads say nothing of this one.
        check_member(
            "fn @f(v0: ptr, v1: i64) { block0: v2: ptr = load v0 align 8 v3: ptr = gep v2 [v1 * 4] ret }",
            Some(Pointed::One),
        );
    }

    #[test]
    fn members_that_may_be_read_unseen_are_not_known() {
        for text in [
            "extern0 @look(ptr) fn @f(v0: ptr) { block0: call @look(v0) ret }",
            "fn @f(v0: ptr, v1: ptr) { block0: store v0, v1 align 8 ret }",
            "fn @f(v0: ptr, v1: i64) { block0: v2: ptr = gep v0 [v1 * 8] v3: ptr = load v2 align 8 ret }",
            "fn @f(v0: ptr) { block0: v1: ptr = gep v0 [] + 4 v2: i64 = load v1 align 4 ret }",
        ] {
            check_member(text, None);
        }
    }
}
