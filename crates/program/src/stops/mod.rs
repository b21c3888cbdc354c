//! Where a run may stop for good in the middle of a function: by itself, at instructions that may trap and calls that need not come
//! back, or by a time limit, in loops that nothing bounds.
//!
//! What a function counted up to there stays counted, so who says that a difference of counters stays 0 must look at each such place.
//!
//! A run may ask for a limited number of inputs, one value each, and is ended where it asks for more: there it stops by itself, unless
//! the program never asks for that many.
//!
//! Must hold: a run that stops where [`Stops::may_stop`] says no was ended from outside; one that stops where [`Stops::may_last`] says no
//! as well was so after [`MOST_COST`] instructions or fewer or after it had asked for more than [`MOST_ASKED`] inputs.

mod loops;

use std::collections::{BTreeMap, BTreeSet};

use crate::callgraph::CallGraph;
use crate::cfg::Cfg;
use crate::entity::SecondaryMap;
use crate::flow::Node;
use crate::function::{Function, Target};
use crate::graph::Graph;
use crate::id::{BlockId, FuncId, ValueId};
use crate::inst::{Callee, Op, Terminator};
use crate::model::Program;
use crate::op::{BinOp, Intrinsic};
use crate::operand::{Const, Operand};
use crate::types::Type;
use loops::Loops;

/// Instructions that run before any time limit.
const MOST_COST: u64 = 200_000_000;
/// Inputs that a run may have asked for when a time limit ends it. Whoever runs programs makes a run that asked for more once more, and
/// ends it where it asks for the next.
pub const MOST_ASKED: u64 = 4096;
/// Inputs that every run may ask for: no run is ended where it asks for fewer.
pub const LEAST_ASKED: u64 = 256;

/// What others know of a program.
#[derive(Clone, Debug, Default)]
pub struct Sure {
    /// Memory accesses, divisions and calls of functions without a body that do not trap and come back, on every run.
    pub harmless: BTreeSet<(FuncId, ValueId)>,
    /// Blocks that some run may enter; all, if nobody knows.
    pub entered: Option<BTreeSet<(FuncId, BlockId)>>,
}

impl Sure {
    fn is_entered(&self, function: FuncId, block: BlockId) -> bool {
        let entered = self.entered.as_ref();
        entered.is_none_or(|entered| entered.contains(&(function, block)))
    }
}

/// Where the runs of a program may stop in the middle of a function.
#[derive(Clone, Debug)]
pub struct Stops<'a> {
    program: &'a Program,
    sure: Sure,
    /// Every run ends before it has asked for too many inputs.
    asks_few: bool,
    /// Every call comes back, unless a time limit ends it.
    comes_back: SecondaryMap<FuncId, bool>,
    /// Every call comes back before any time limit.
    in_time: SecondaryMap<FuncId, bool>,
    /// Blocks in which a time limit may end a run.
    slow: BTreeSet<(FuncId, BlockId)>,
}

/// What one function does by itself, and whom it calls.
#[derive(Default)]
struct Own {
    blocks: Vec<Run>,
    /// Some instruction, or the way that a block ends, may end a run.
    leaves: bool,
    /// It calls what a pointer says.
    is_blind: bool,
}

/// What was found in a part of a block.
enum Part {
    /// What was looked for.
    Found,
    /// The part ends at a call or a site, without it.
    Left,
    /// So does the block.
    Ends,
}

/// A block that some run may enter.
struct Run {
    block: BlockId,
    /// How often it runs in one call; `None` where nothing bounds it.
    times: Option<u64>,
    /// Functions with a body that it calls.
    calls: Vec<FuncId>,
    /// Inputs that it asks for.
    asks: u64,
    instructions: u64,
}

/// By function; nothing of those without a body.
type All = BTreeMap<FuncId, Own>;

impl<'a> Stops<'a> {
    /// Looks at a whole verified program.
    #[must_use]
    pub fn new(program: &'a Program, sure: Sure) -> Stops<'a> {
        let mut stops = Stops {
            program,
            sure,
            asks_few: false,
            comes_back: SecondaryMap::for_map(&program.functions, false),
            in_time: SecondaryMap::for_map(&program.functions, false),
            slow: BTreeSet::new(),
        };
        let always = stops.always_ask();
        let bodies = program.functions.iter();
        let bodies = bodies.filter(|(_, body)| !body.blocks.is_empty());
        let all: All = bodies.map(|(id, _)| (id, stops.own(id, &always))).collect();
        let main = program.function_named("main");
        let asked = bounds(&all, |run| run.asks);
        let few = main.and_then(|main| asked.get(&main));
        stops.asks_few = few.is_some_and(|asked| *asked <= LEAST_ASKED);
        let mut costs = bounds(&all, |run| run.instructions);
        costs.retain(|_, cost| *cost <= MOST_COST);
        stops.comes_back = stops.returning(&all, &|_| true);
        stops.in_time = stops.returning(&all, &|id| costs.contains_key(&id));
        if main.is_none_or(|main| !costs.contains_key(&main)) {
            stops.find_slow(&all, &costs);
        }
        stops
    }

    /// Whether a run may stop by itself in a node of a flow graph, or leave the function there for a caller that is not next in line.
    #[must_use]
    pub fn may_stop(&self, node: &Node) -> bool {
        let Node::Part {
            function, block, ..
        } = *node
        else {
            return false;
        };
        let by_itself = |value, op: &Op| match called(op) {
            Some(callee) => !self.comes_back[callee],
            None if asks(self.program, op) && !self.asks_few => true,
            None => self.ends(function, value, op),
        };
        let terminator = &self.program.functions[function].blocks[block].terminator;
        match self.in_part(node, &by_itself) {
            Part::Found => true,
            Part::Left => false,
            Part::Ends => !goes_on(terminator),
        }
    }

    /// Whether a time limit may end a run in a node of a flow graph.
    #[must_use]
    pub fn may_last(&self, node: &Node) -> bool {
        let lasts = |_, op: &Op| called(op).is_some_and(|callee| !self.in_time[callee]);
        let Node::Part {
            function, block, ..
        } = *node
        else {
            return false;
        };
        self.slow.contains(&(function, block)) || matches!(self.in_part(node, &lasts), Part::Found)
    }

    /// Whether an instruction of a part of a block is such a one.
    fn in_part(&self, node: &Node, is_one: &dyn Fn(ValueId, &Op) -> bool) -> Part {
        let Node::Part {
            function,
            block,
            first,
            call,
        } = *node
        else {
            return Part::Left;
        };
        let body = &self.program.functions[function];
        for (value, inst) in body.insts(block).skip(first as usize) {
            if is_one(value, &inst.op) {
                return Part::Found;
            }
            if inst.op.site().is_some() || call == Some(value) {
                return Part::Left;
            }
        }
        Part::Ends
    }

    /// Whether an instruction that calls no function with a body may be the last of a run, however few inputs it asks for.
    fn ends(&self, function: FuncId, value: ValueId, op: &Op) -> bool {
        let body = &self.program.functions[function];
        !self.sure.harmless.contains(&(function, value)) && may_trap(self.program, body, op)
    }

    /// Functions that ask for an input on each way to their end.
    fn always_ask(&self) -> SecondaryMap<FuncId, bool> {
        let functions = &self.program.functions;
        let mut always = SecondaryMap::for_map(functions, false);
        loop {
            let mut grown = false;
            for (id, body) in functions.iter().filter(|(_, body)| !body.blocks.is_empty()) {
                if !always[id] && !ends_without(body, &self.asking(body, &always)) {
                    always[id] = true;
                    grown = true;
                }
            }
            if !grown {
                return always;
            }
        }
    }

    /// Blocks that ask for an input whenever they run to their end.
    fn asking(&self, body: &Function, always: &SecondaryMap<FuncId, bool>) -> BTreeSet<BlockId> {
        let asks = |op: &Op| match called(op) {
            Some(callee) => always[callee],
            None => asks(self.program, op),
        };
        let blocks = body.blocks.keys();
        blocks
            .filter(|block| body.insts(*block).any(|(_, inst)| asks(&inst.op)))
            .collect()
    }

    fn own(&self, id: FuncId, always: &SecondaryMap<FuncId, bool>) -> Own {
        let body = &self.program.functions[id];
        let cfg = Cfg::new(body);
        let entered = cfg
            .blocks()
            .filter(|&block| cfg.is_reachable(block) && self.sure.is_entered(id, block));
        let asking = self.asking(body, always);
        let mut own = Own::default();
        for (block, times) in Loops::new(body, &cfg).rounds(entered.collect(), &asking) {
            let mut run = Run {
                block,
                times,
                calls: Vec::new(),
                asks: 0,
                instructions: 1,
            };
            for (value, inst) in body.insts(block) {
                run.instructions += 1;
                if let Some(callee) = called(&inst.op) {
                    run.calls.push(callee);
                } else {
                    run.asks += u64::from(asks(self.program, &inst.op));
                    own.leaves |= self.ends(id, value, &inst.op);
                    own.is_blind |= is_blind(&inst.op);
                }
            }
            let terminator = &body.blocks[block].terminator;
            own.leaves |= !goes_on(terminator) && !matches!(terminator, Terminator::Ret { .. });
            own.blocks.push(run);
        }
        own
    }

    /// Which of some functions come back from every call, if those that they call are among them.
    fn returning(
        &self,
        all: &All,
        is_asked: &dyn Fn(FuncId) -> bool,
    ) -> SecondaryMap<FuncId, bool> {
        let mut found = SecondaryMap::for_map(&self.program.functions, false);
        loop {
            let mut grown = false;
            for (id, own) in all.iter().filter(|(id, _)| is_asked(**id)) {
                let mut blocks = own.blocks.iter();
                let comes_back = !own.leaves
                    && !own.is_blind
                    && blocks.all(|run| {
                        let mut calls = run.calls.iter();
                        (self.asks_few || run.asks == 0) && calls.all(|callee| found[*callee])
                    });
                if comes_back && !found[*id] {
                    found[*id] = true;
                    grown = true;
                }
            }
            if !grown {
                return found;
            }
        }
    }

    /// The blocks in which the time of a run may pass: those of loops that nothing bounds, of recursive functions, and of all that they call.
    fn find_slow(&mut self, all: &All, costs: &BTreeMap<FuncId, u64>) {
        let graph = CallGraph::new(self.program);
        let recursive = recursive(all);
        let mut work: Vec<FuncId> = Vec::new();
        let called_in = |id: FuncId, block: BlockId| {
            let sites = graph
                .calls(id)
                .iter()
                .filter(move |site| site.block == block);
            sites.flat_map(|site| {
                let targets = site.targets.iter().filter_map(|target| match target {
                    Target::Function(function) => Some(*function),
                    Target::Extern(_) => None,
                });
                targets.chain(site.callbacks.iter().copied())
            })
        };
        for (id, own) in all.iter().filter(|(id, _)| !costs.contains_key(id)) {
            let everywhere = own.is_blind || recursive.contains(id);
            for run in &own.blocks {
                if everywhere || run.times != Some(1) {
                    self.slow.insert((*id, run.block));
                    work.extend(called_in(*id, run.block));
                }
            }
        }
        let mut exposed: BTreeSet<FuncId> = BTreeSet::new();
        while let Some(id) = work.pop() {
            if exposed.insert(id) {
                for block in self.program.functions[id].blocks.keys() {
                    self.slow.insert((id, block));
                    work.extend(called_in(id, block));
                }
            }
        }
    }
}

/// What one call of each function does at most, of what `amount` counts; functions without a bound are missing.
fn bounds(all: &All, amount: impl Fn(&Run) -> u64) -> BTreeMap<FuncId, u64> {
    // Those that can do nothing of it are no trouble, whatever calls them how often.
    let mut may: BTreeSet<FuncId> = BTreeSet::new();
    loop {
        let before = may.len();
        for (id, own) in all {
            let mut blocks = own.blocks.iter();
            if own.is_blind
                || blocks.any(|run| {
                    amount(run) > 0 || run.calls.iter().any(|callee| may.contains(callee))
                })
            {
                may.insert(*id);
            }
        }
        if may.len() == before {
            break;
        }
    }
    let mut known: BTreeMap<FuncId, u64> = BTreeMap::new();
    known.extend(all.keys().filter(|id| !may.contains(id)).map(|id| (*id, 0)));
    // From the functions that call nothing upwards; what is recursive never gets a bound.
    loop {
        let before = known.len();
        for (id, own) in all.iter().filter(|(_, own)| !own.is_blind) {
            if known.contains_key(id) {
                continue;
            }
            let sum = own.blocks.iter().try_fold(0u64, |sum, run| {
                let calls = run.calls.iter();
                let once = calls
                    .map(|callee| known.get(callee).copied())
                    .try_fold(amount(run), |sum, cost| Some(sum.saturating_add(cost?)))?;
                let times = if once == 0 { 0 } else { run.times? };
                Some(sum.saturating_add(once.saturating_mul(times)))
            });
            known.extend(sum.map(|sum| (*id, sum)));
        }
        if known.len() == before {
            return known;
        }
    }
}

/// Functions that may be called while they run, by direct calls.
fn recursive(all: &All) -> BTreeSet<FuncId> {
    let list: Vec<FuncId> = all.keys().copied().collect();
    let mut edges = Vec::new();
    for (from, own) in (0u32..).zip(all.values()) {
        let calls = own.blocks.iter().flat_map(|run| &run.calls);
        let known = calls.filter_map(|callee| list.binary_search(callee).ok());
        edges.extend(known.map(|to| (from, to as u32)));
    }
    let (component, count) = Graph::new(list.len(), &edges).components();
    let mut sizes = vec![0; count as usize];
    for own in &component {
        sizes[*own as usize] += 1;
    }
    let itself: BTreeSet<u32> = edges
        .iter()
        .filter(|(a, b)| a == b)
        .map(|(a, _)| *a)
        .collect();
    let members = (0u32..).zip(list).zip(component);
    members
        .filter(|((at, _), own)| sizes[*own as usize] > 1 || itself.contains(at))
        .map(|((_, id), _)| id)
        .collect()
}

/// Whether a function may end without passing any of some blocks.
fn ends_without(body: &Function, blocks: &BTreeSet<BlockId>) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![Function::ENTRY];
    while let Some(block) = work.pop() {
        if blocks.contains(&block) || !seen.insert(block) {
            continue;
        }
        let terminator = &body.blocks[block].terminator;
        if !goes_on(terminator) {
            return true;
        }
        work.extend(terminator.successors());
    }
    false
}

fn called(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call {
            callee: Callee::Direct(callee),
            ..
        } => Some(*callee),
        _ => None,
    }
}

fn is_blind(op: &Op) -> bool {
    let Op::Call { callee, .. } = op else {
        return false;
    };
    matches!(callee, Callee::Indirect(_))
}

/// Input functions that store one value where their argument points to.
const STORE_ONE: &[&str] = &[
    "bw_bool",
    "bw_char",
    "bw_schar",
    "bw_uchar",
    "bw_short",
    "bw_ushort",
    "bw_int",
    "bw_uint",
    "bw_long",
    "bw_ulong",
    "bw_longlong",
    "bw_ulonglong",
    "bw_float",
    "bw_double",
];

/// Whether a call asks for one value of input: it comes back unless too many were asked for before.
fn asks(program: &Program, op: &Op) -> bool {
    let Op::Call {
        callee: Callee::Extern(known),
        args,
        ..
    } = op
    else {
        return false;
    };
    let name = program.externs[*known].name.as_str();
    name.starts_with("__VERIFIER_nondet_") && args.is_empty() || STORE_ONE.contains(&name)
}

fn goes_on(terminator: &Terminator) -> bool {
    matches!(
        terminator,
        Terminator::Br { .. } | Terminator::CondBr { .. } | Terminator::Switch { .. }
    )
}

/// Whether an instruction may trap, or a call of a function without a body not come back.
fn may_trap(program: &Program, function: &Function, op: &Op) -> bool {
    match op {
        Op::Bin { .. } => may_divide_wrongly(op),
        Op::Load { .. } | Op::Store { .. } => !is_direct(program, function, op),
        Op::Mem { .. } => true,
        // One that grows the stack as it runs.
        Op::Alloca { count, .. } => constant(count).is_none(),
        Op::Call { args, .. } => {
            !(asks(program, op)
                && args
                    .first()
                    .is_none_or(|to| is_object(program, function, to)))
        }
        Op::Intrinsic { op, .. } => matches!(
            op,
            Intrinsic::Trap | Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy
        ),
        Op::Opaque { .. } => true,
        Op::FBin { .. }
        | Op::FNeg { .. }
        | Op::ICmp { .. }
        | Op::FCmp { .. }
        | Op::Cast { .. }
        | Op::Select { .. }
        | Op::Phi { .. }
        | Op::Freeze { .. }
        | Op::Gep { .. }
        | Op::ExtractValue { .. }
        | Op::InsertValue { .. }
        | Op::Count { .. } => false,
    }
}

/// Whether an instruction divides, and not by a constant that always can: by 0, or the least number by -1, it traps.
#[must_use]
pub fn may_divide_wrongly(op: &Op) -> bool {
    let Op::Bin { op, rhs, .. } = op else {
        return false;
    };
    match op {
        BinOp::UDiv | BinOp::URem => !matches!(constant(rhs), Some((_, value)) if value != 0),
        BinOp::SDiv | BinOp::SRem => {
            !matches!(constant(rhs), Some((bits, value)) if value != 0 && value != ones(bits))
        }
        _ => false,
    }
}

/// Whether a load or a store is of a variable by its name.
fn is_direct(program: &Program, function: &Function, op: &Op) -> bool {
    let (address, ty) = match op {
        Op::Load { address, .. } => (address, None),
        Op::Store { address, value, .. } => (address, Some(function.operand_type(value))),
        _ => return false,
    };
    match address {
        Operand::Const(Const::Global { global, offset }) => {
            let known = &program.globals[*global];
            let is_own = known.init.is_some() && (ty.is_none() || !known.constant);
            // A load's width is not at hand here; 16 bytes are the widest that is no vector.
            let size = ty.map_or(Some(16), |ty| program.layout.store_size(&ty));
            let end = size.and_then(|size| u64::try_from(*offset).ok()?.checked_add(size));
            is_own && (*offset == 0 || end.is_some_and(|end| end <= known.size))
        }
        Operand::Value(value) => matches!(
            function.inst(*value).map(|inst| &inst.op),
            Some(Op::Alloca { .. })
        ),
        Operand::Const(_) => false,
    }
}

/// Whether an address is that of a local or global object.
fn is_object(program: &Program, function: &Function, address: &Operand) -> bool {
    match address {
        Operand::Const(Const::Global { global, offset }) => {
            let known = &program.globals[*global];
            *offset == 0 && known.init.is_some() && !known.constant
        }
        Operand::Value(value) => matches!(
            function.inst(*value).map(|inst| &inst.op),
            Some(Op::Alloca { .. })
        ),
        Operand::Const(_) => false,
    }
}

fn ones(bits: u32) -> u128 {
    u128::MAX >> (128 - bits.clamp(1, 128))
}

fn constant(operand: &Operand) -> Option<(u32, u128)> {
    match operand.constant()? {
        Const::Int { bits, value } => Some((*bits, *value)),
        Const::Zero(Type::Int(bits)) => Some((*bits, 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::FlowGraph;

    /// The blocks of `main` in which a run may stop.
    /// Blocks of `main` in which a run may stop by itself; with a star, those in which a time limit alone may end it.
    fn check(text: &str, expected: &str) {
        let program = crate::text::sample(text);
        let stops = Stops::new(&program, Sure::default());
        let main = program.function_named("main").expect("main");
        let flow = FlowGraph::new(&program, main);
        let mut found: Vec<String> = flow
            .nodes
            .values()
            .filter_map(|node| match node {
                Node::Part { block, .. } if stops.may_stop(node) => Some(block.to_string()),
                Node::Part { block, .. } if stops.may_last(node) => Some(format!("{block}*")),
                _ => None,
            })
            .collect();
        found.dedup();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn a_loop_that_a_counter_ends_is_no_stop() {
        check(
            r#"
            global @g size 4 align 4 = x"00000000"
            fn @main() -> i32 {
            block0:
              br block1
            block1:
              v0: i32 = phi [block0: i32 0, block2: v2]
              v1: i1 = icmp slt v0, i32 10
              br v1, block2, block3
            block2:
              store v0, @g
              v2: i32 = add v0, i32 3
              br block1
            block3:
              ret i32 0
            }
            "#,
            "block3",
        );
    }

    #[test]
    fn a_counter_that_misses_its_end_bounds_nothing() {
        check(
            r#"
            fn @main() -> i32 {
            block0:
              br block1
            block1:
              v0: i32 = phi [block0: i32 0, block2: v2]
              v1: i1 = icmp ne v0, i32 9
              br v1, block2, block3
            block2:
              v2: i32 = add v0, i32 4
              br block1
            block3:
              ret i32 0
            }
            "#,
            "block1* block2* block3",
        );
    }

    /// A run may ask for so many inputs only: it ends where it asks for one too many, and nowhere else in the loop.
    #[test]
    fn a_loop_that_asks_stops_where_it_asks() {
        check(
            r#"
            extern @__VERIFIER_nondet_int() -> i32
            fn @step(v0: i32) -> i32 {
            block0:
              v1: i32 = add v0, i32 1
              ret v1
            }
            fn @main() -> i32 {
            block0:
              br block1
            block1:
              v0: i32 = call @__VERIFIER_nondet_int()
              br block2
            block2:
              v1: i32 = call @step(v0)
              br block1
            }
            "#,
            "block1",
        );
    }

    /// A long round is over before time is up as well: a run that a time limit ends has asked for a few thousand inputs at most.
    #[test]
    fn a_loop_of_long_rounds_stops_where_it_asks() {
        let long: String = (1..=1000)
            .map(|at| format!("v{}: i32 = add v{at}, i32 1\n", at + 1))
            .collect();
        let text = format!(
            r#"
            extern @__VERIFIER_nondet_int() -> i32
            fn @main() -> i32 {{
            block0:
              br block1
            block1:
              v0: i32 = call @__VERIFIER_nondet_int()
              br block2
            block2:
              v1: i32 = add v0, i32 1
              {long}
              br block1
            }}
            "#
        );
        check(&text, "block1");
    }

    /// What an endless loop calls may be running when time is up.
    #[test]
    fn what_an_endless_loop_calls_is_a_stop_as_well() {
        let text = r#"
            fn @step(v0: i32) -> i32 {
            block0:
              v1: i32 = add v0, i32 1
              ret v1
            }
            fn @main() -> i32 {
            block0:
              br block1
            block1:
              v0: i32 = call @step(i32 1)
              br block1
            }
            "#;
        let program = crate::text::sample(text);
        let stops = Stops::new(&program, Sure::default());
        let step = program.function_named("step").expect("step");
        let flow = FlowGraph::new(&program, step);
        assert!(stops.may_stop(&flow.nodes[crate::flow::NodeId::from_u32(0)]));
    }

    #[test]
    fn calls_and_traps_are_stops_unless_they_come_back() {
        check(
            r#"
            extern @__VERIFIER_nondet_int() -> i32
            extern @exit(i32) -> void
            fn @plain(v0: i32) -> i32 {
            block0:
              v1: i32 = add v0, i32 1
              ret v1
            }
            fn @leaves(v0: i32) -> i32 {
            block0:
              call @exit(v0)
              unreachable
            }
            fn @recursive(v0: i32) -> i32 {
            block0:
              v1: i32 = call @recursive(v0)
              ret v1
            }
            fn @main() -> i32 {
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i32 = call @plain(v0)
              br block1
            block1:
              v2: i32 = call @leaves(v1)
              br block2
            block2:
              v3: i32 = sdiv v2, i32 4
              br block3
            block3:
              v4: i32 = sdiv v2, v3
              br block4
            block4:
              v5: i32 = call @recursive(v4)
              br block5
            block5:
              v6: ptr = inttoptr v5
              v7: i32 = load v6
              br block6
            block6:
              ret v7
            }
            "#,
            "block1 block3 block4 block5 block6",
        );
    }
}
