//! The beginning of a run, as far as the words of the command line decide it: options that are not given, and what only they lead to.
//!
//! A run is followed from `main` on, with words that are known and everything else unknown. Where something that is not known decides,
//! both ways are followed, a few times; then the run is *handed over*: whatever its functions lead to from there may happen. Edges that
//! are neither taken before that nor can be reached from there are taken by no run with such words.
//!
//! It is a reading of the model, as private cells are: who searches and the checker ask it alike.
//!
//! Must hold:
//! - what is not known is never guessed: a value that may differ between runs has none here, and an address that is not known may lead
//!   anywhere;
//! - a call that may run functions of the program at a time that no call shows, or of which nothing is known, hands over;
//! - accesses to memory stay in the objects that their addresses are derived from, as everywhere.

mod library;
mod memory;
mod options;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use program::callgraph::CallGraph;
use program::following;
use program::getopt::{self, Results, Word};
use program::outside::{Effect as OutsideEffect, Outside};
use program::{
    BlockId, Callee, EdgeId, FuncId, Function, ICmp, Intrinsic, MemOp, Op, Operand, Program,
    Terminator, Type, ValueId,
};
use semantics::{Builder, Open, Symbol, Value};
use smt::{Pool, Term, Var};

use memory::{Kind, Memory};

/// Instructions that are followed, of all ways together.
const STEPS: u64 = 400_000;
/// Decisions that are not known, on one way.
const FORKS: u32 = 10;
/// Ways.
const WAYS: usize = 400;
/// Calls that wait for one another.
const DEPTH: usize = 48;
/// The variable of what nothing determines; those of objects are below.
const UNKNOWN: u32 = 1 << 30;

/// What the words of the command line say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What calls of `getopt` return.
    pub results: Results,
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
}

impl Said {
    /// By these words. `foreign`: the program is linked with code that is not in the model.
    #[must_use]
    pub fn by(words: &[Word], program: &Program, foreign: bool) -> Said {
        Said {
            results: getopt::results(program, words),
            never: beginning(program, foreign, words).never,
        }
    }

    /// Do they say nothing?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.never.is_empty()
    }
}

/// What is known of how runs begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// Edges that no run takes.
    pub never: BTreeSet<EdgeId>,
    /// Where what comes next is not known, and where functions wait then that do not know it.
    pub over: BTreeSet<At>,
}

/// In front of an instruction of a block, by its number, or of the block's end.
pub type At = (FuncId, BlockId, usize);

/// How runs begin with these words of the command line. `foreign`: the program is linked with code that is not in the model.
#[must_use]
pub fn beginning(program: &Program, foreign: bool, words: &[Word]) -> Beginning {
    Opening::of(program, foreign, words)
        .map(Opening::run)
        .unwrap_or_default()
}

/// A function that waits or runs.
#[derive(Clone)]
struct Frame {
    function: FuncId,
    block: BlockId,
    at: usize,
    /// What is known.
    values: BTreeMap<ValueId, Value>,
}

/// A way that runs may take.
#[derive(Clone)]
struct State {
    frames: Vec<Frame>,
    memory: Memory,
    forks: u32,
}

/// How a way goes on.
enum Next {
    On,
    /// Nobody knows where.
    Over,
    /// The run ends.
    End,
    /// In one of these blocks, by these edges.
    Fork(Vec<(Option<EdgeId>, BlockId)>),
}

struct Opening<'a> {
    program: &'a Program,
    words: &'a [Word],
    graph: CallGraph,
    outside: Outside,
    /// Functions that may be entered at a time that no call shows.
    anytime: Vec<FuncId>,
    /// Output functions may write to memory.
    counts_output: bool,
    /// Classes of characters are those of every system.
    is_plain_locale: bool,
    pool: Pool,
    objects: Vec<Kind>,
    symbols: BTreeMap<Symbol, u32>,
    taken: BTreeSet<EdgeId>,
    /// Where ways are handed over.
    over: BTreeSet<At>,
    ways: VecDeque<State>,
    count: usize,
    steps: u64,
}

impl<'a> Opening<'a> {
    /// `None`: nothing is known of this program.
    fn of(program: &'a Program, foreign: bool, words: &'a [Word]) -> Option<Opening<'a>> {
        let graph = CallGraph::new(program);
        let outside = Outside::of(program);
        let anytime = following::entered_anytime(program, foreign);
        let main = program.function_named("main")?;
        let is_main = program.functions[main].params.len() >= 2
            && graph.callers(main).is_empty()
            && !graph.address_taken().contains(&main);
        // What the C library calls by its name may run within any call.
        let is_hidden = |function: &FuncId| {
            let name = &*program.functions[*function].name;
            let is_library = outside.effect(name) != OutsideEffect::Unknown;
            is_library
                || wire::libc::entry(name).is_some()
                || !graph.address_taken().contains(function)
        };
        let is_known = is_main
            && !foreign
            && program.constructors().is_empty()
            && !anytime.iter().any(is_hidden)
            && crate::closed::stays_in_frames(program).is_ok();
        let mut names = program.externs.values().map(|known| &*known.name);
        let is_plain_locale = !names.any(|name| name.contains("locale"));
        is_known.then(|| Opening {
            program,
            words,
            outside,
            anytime,
            counts_output: crate::closed::counts_output(program),
            is_plain_locale,
            graph,
            pool: Pool::new(),
            objects: Vec::new(),
            symbols: BTreeMap::new(),
            taken: BTreeSet::new(),
            over: BTreeSet::new(),
            ways: VecDeque::new(),
            count: 0,
            steps: 0,
        })
    }

    fn run(mut self) -> Beginning {
        if let Some(main) = self.program.function_named("main") {
            let first = self.start(main);
            self.ways.push_back(first);
        }
        while let Some(way) = self.ways.pop_front() {
            self.follow(way);
        }
        let alive = self.leads_to();
        let edges = self.program.edges.iter();
        let never = edges.filter(|(edge, data)| {
            let site = &self.program.sites[data.site];
            let body = &self.program.functions[site.function];
            let decides = body.blocks[site.block].terminator.site() == Some(data.site);
            decides
                && !body.library
                && !self.taken.contains(edge)
                && !alive.contains(&(site.function, site.block))
        });
        Beginning {
            never: never.map(|(edge, _)| edge).collect(),
            over: self.over,
        }
    }

    /// Where the program begins.
    fn start(&mut self, main: FuncId) -> State {
        let list = self.object(Kind::List);
        let count = self.pool.constant(32, self.words.len() as u128 + 1);
        let list = self.address(list);
        let body = &self.program.functions[main];
        let mut values = BTreeMap::new();
        let given = [(Type::Int(32), count), (Type::Ptr, list)];
        for (param, (ty, given)) in body.params.iter().zip(given) {
            if body.values[*param].ty == ty {
                values.insert(*param, Value::Scalar(given));
            }
        }
        State {
            frames: vec![Frame {
                function: main,
                block: Function::ENTRY,
                at: 0,
                values,
            }],
            memory: Memory::default(),
            forks: 0,
        }
    }

    /// Follows a way until it is over, or decided by something that is not known.
    fn follow(&mut self, mut way: State) {
        loop {
            self.steps += 1;
            let next = match self.steps > STEPS {
                true => Next::Over,
                false => self.step(&mut way),
            };
            match next {
                Next::On => {}
                Next::End => return,
                Next::Over => return self.hand_over(&way),
                Next::Fork(to) => {
                    way.forks += 1;
                    self.count += to.len();
                    if way.forks > FORKS || self.count > WAYS {
                        return self.hand_over(&way);
                    }
                    for (edge, block) in to {
                        let mut other = way.clone();
                        self.go(&mut other, edge, block);
                        self.ways.push_back(other);
                    }
                    return;
                }
            }
        }
    }

    /// What comes next is not known.
    fn hand_over(&mut self, way: &State) {
        let Some((last, waiting)) = way.frames.split_last() else {
            return;
        };
        self.over.insert((last.function, last.block, last.at));
        // Behind their calls.
        let waiting = waiting.iter();
        self.over
            .extend(waiting.map(|frame| (frame.function, frame.block, frame.at + 1)));
    }

    /// The blocks whose ends control may come to once a way is handed over, or at any time.
    fn leads_to(&self) -> BTreeSet<(FuncId, BlockId)> {
        let (mut seen, mut ends) = (BTreeSet::new(), BTreeSet::new());
        let mut work: Vec<(FuncId, BlockId)> = Vec::new();
        for &(function, block, at) in &self.over {
            ends.insert((function, block));
            self.behind((function, block, at), &mut work);
        }
        let taken = self.graph.address_taken().iter();
        let unseen = self.anytime.iter().chain(taken).copied();
        let unseen = unseen.chain(self.program.destructors());
        work.extend(unseen.map(|function| (function, Function::ENTRY)));
        while let Some((function, block)) = work.pop() {
            if seen.insert((function, block)) {
                self.behind((function, block, 0), &mut work);
            }
        }
        ends.extend(seen);
        ends
    }

    /// The blocks that control may come to next from a place, those of functions that are called on the way included.
    fn behind(&self, (function, block, from): At, work: &mut Vec<(FuncId, BlockId)>) {
        let body = &self.program.functions[function];
        let Some(data) = body.blocks.get(block) else {
            return;
        };
        work.extend(data.terminator.successors().map(|to| (function, to)));
        let sites = self.graph.calls(function).iter();
        let is_behind = |inst: ValueId| {
            let at = data.insts.iter().position(|own| *own == inst);
            at.is_none_or(|at| at >= from)
        };
        for site in sites.filter(|site| site.block == block && is_behind(site.inst)) {
            work.extend(site.functions().map(|callee| (callee, Function::ENTRY)));
            for id in site.externs() {
                // Calls of library functions go to their models.
                let name = &*self.program.externs[id].name;
                let model = format!("{}{name}", wire::libc::MODEL_PREFIX);
                let model = self.program.function_named(&model);
                work.extend(model.map(|callee| (callee, Function::ENTRY)));
            }
        }
    }

    /// One instruction, or the end of a block.
    fn step(&mut self, way: &mut State) -> Next {
        let Some(frame) = way.frames.last() else {
            return Next::End;
        };
        let program = self.program;
        let body = &program.functions[frame.function];
        let Some(data) = body.blocks.get(frame.block) else {
            return Next::Over;
        };
        let Some(value) = data.insts.get(frame.at).copied() else {
            return self.leave(way, &data.terminator);
        };
        let Some(inst) = body.inst(value) else {
            return Next::Over;
        };
        match &inst.op {
            Op::Call { callee, args, .. } => self.call(way, value, (callee, args)),
            Op::Phi { .. } | Op::Count { .. } => Self::on(way),
            op => {
                let next = self.plain(way, value, op);
                match next {
                    Next::On => Self::on(way),
                    other => other,
                }
            }
        }
    }

    fn on(way: &mut State) -> Next {
        if let Some(frame) = way.frames.last_mut() {
            frame.at += 1;
        }
        Next::On
    }

    /// What is known of a value is this.
    fn set(way: &mut State, value: ValueId, known: Option<Value>) {
        if let Some(frame) = way.frames.last_mut() {
            match known {
                Some(known) => frame.values.insert(value, known),
                None => frame.values.remove(&value),
            };
        }
    }

    /// An instruction that is no call.
    fn plain(&mut self, way: &mut State, value: ValueId, op: &Op) -> Next {
        let Some(frame) = way.frames.last() else {
            return Next::Over;
        };
        let function = frame.function;
        let body = &self.program.functions[function];
        let ty = &body.values[value].ty;
        match op {
            Op::Alloca { size, count, .. } => {
                let count = self.number(way, count);
                let size = count.and_then(|count| size.checked_mul(u64::try_from(count).ok()?));
                let made = self.object(Kind::Stack(size));
                let made = self.address(made);
                Self::set(way, value, Some(Value::Scalar(made)));
                Next::On
            }
            Op::Load {
                address, volatile, ..
            } => {
                let size = self.program.layout.store_size(ty);
                let at = self.place(way, address);
                let read = at.zip(size).filter(|_| !volatile);
                let read = read.and_then(|(at, size)| self.read(&way.memory, at, size));
                let layout = self.program.layout;
                let mut builder = Builder::new(&mut self.pool, layout);
                let known = read.and_then(|bytes| builder.read(ty, &bytes).ok());
                Self::set(way, value, known);
                Next::On
            }
            Op::Store {
                address,
                value: stored,
                ..
            } => {
                let ty = body.operand_type(stored);
                let size = self.program.layout.store_size(&ty);
                let known = self.operand(way, stored);
                let layout = self.program.layout;
                let mut builder = Builder::new(&mut self.pool, layout);
                let bytes = known.and_then(|known| builder.written(&ty, &known).ok());
                let (Some(size), at) = (size, self.place(way, address)) else {
                    return Next::Over;
                };
                let bytes = bytes.unwrap_or_else(|| vec![None; size as usize]);
                self.write(&mut way.memory, at, &bytes)
            }
            Op::Mem { op, args, .. } => {
                let [to, from, length] = args;
                let length = self.number(way, length);
                let to_place = self.place(way, to);
                let bytes = match (op, length.and_then(|it| usize::try_from(it).ok())) {
                    (_, None) => None,
                    (_, Some(length)) if length > memory::MOST => None,
                    (MemOp::Copy | MemOp::Move, Some(length)) => {
                        let from = self.place(way, from);
                        Some(self.bytes(&way.memory, from, length))
                    }
                    (MemOp::Set, Some(length)) => {
                        let byte = self.operand(way, from).and_then(|byte| byte.scalar());
                        Some(vec![byte; length])
                    }
                };
                let result = self.operand(way, to);
                Self::set(way, value, result);
                match bytes {
                    Some(bytes) => self.write(&mut way.memory, to_place, &bytes),
                    None => self.spoil(&mut way.memory, to_place),
                }
            }
            Op::Intrinsic {
                op: Intrinsic::VaStart | Intrinsic::VaEnd | Intrinsic::VaCopy,
                args,
            } => {
                let list = args.first().and_then(|list| self.place(way, list));
                Self::set(way, value, None);
                self.spoil(&mut way.memory, list)
            }
            Op::Intrinsic {
                op: Intrinsic::Trap,
                ..
            } => Next::End,
            Op::Select {
                cond,
                then_value,
                else_value,
            } => {
                let cond = self.number(way, cond);
                let known = match cond {
                    Some(0) => self.operand(way, else_value),
                    Some(_) => self.operand(way, then_value),
                    None => None,
                };
                Self::set(way, value, known);
                Next::On
            }
            op if semantics::is_computed(op) => {
                let known = self.computed(way, op, ty);
                Self::set(way, value, known);
                Next::On
            }
            op if semantics::may_write(op) => Next::Over,
            _ => {
                Self::set(way, value, None);
                Next::On
            }
        }
    }

    /// What is computed of operands that are known.
    fn computed(&mut self, way: &State, op: &Op, ty: &Type) -> Option<Value> {
        let mut operands = Vec::new();
        op.for_each_operand(|operand| operands.push(operand));
        let known: Option<Vec<Value>> = operands
            .into_iter()
            .map(|operand| self.operand(way, operand))
            .collect();
        let known = known?;
        if let (Op::ICmp { pred, .. }, [a, b]) = (op, &known[..])
            && let (Some(a), Some(b)) = (a.scalar(), b.scalar())
            && let Some(holds) = self.compared(*pred, a, b)
        {
            return Some(Value::Scalar(self.pool.bool(holds)));
        }
        let layout = self.program.layout;
        let mut any = |pool: &mut Pool, bits| pool.var(Var(UNKNOWN + u32::from(bits)), bits);
        let made = Builder::new(&mut self.pool, layout).sure_value(op, ty, &known, &mut any);
        let made = made.ok()?;
        let is_known = |term: &Term| self.pool.vars(*term).iter().all(|var| var.0 < UNKNOWN);
        made.scalars().iter().all(is_known).then_some(made)
    }

    /// How two addresses, or an address and a number, compare.
    fn compared(&self, pred: ICmp, a: Term, b: Term) -> Option<bool> {
        let (a_place, b_place) = (self.place_of(a), self.place_of(b));
        if let (Some((a, a_at)), Some((b, b_at))) = (a_place, b_place) {
            let is_inside = |at: i64| at >= 0 && self.size(a).is_none_or(|size| at as u64 <= size);
            let is_number = matches!(self.objects[a as usize], Kind::Sign(_));
            if a != b || is_number || !is_inside(a_at) || !is_inside(b_at) {
                return None;
            }
            return match pred {
                ICmp::Eq => Some(a_at == b_at),
                ICmp::Ne => Some(a_at != b_at),
                ICmp::Ult => Some(a_at < b_at),
                ICmp::Ule => Some(a_at <= b_at),
                ICmp::Ugt => Some(a_at > b_at),
                ICmp::Uge => Some(a_at >= b_at),
                _ => None,
            };
        }
        let ((object, at), number) = match (a_place, b_place) {
            (Some(place), None) => (place, self.pool.as_const(b)?),
            (None, Some(place)) if matches!(pred, ICmp::Eq | ICmp::Ne) => {
                (place, self.pool.as_const(a)?)
            }
            _ => return None,
        };
        if number != 0 {
            return None;
        }
        if let Kind::Sign(is_negative) = self.objects[object as usize] {
            return match pred {
                _ if at != 0 => None,
                ICmp::Eq => Some(false),
                ICmp::Ne => Some(true),
                ICmp::Slt | ICmp::Sle => Some(is_negative),
                ICmp::Sgt | ICmp::Sge => Some(!is_negative),
                _ => None,
            };
        }
        let is_inside = at >= 0 && self.size(object).is_none_or(|size| at as u64 <= size);
        let is_there = is_inside && self.is_there(object);
        match pred {
            ICmp::Eq if is_there => Some(false),
            ICmp::Ne if is_there => Some(true),
            _ => None,
        }
    }

    /// What a block ends in.
    fn leave(&mut self, way: &mut State, terminator: &Terminator) -> Next {
        match terminator {
            Terminator::Br { target } => {
                self.go(way, None, *target);
                Next::On
            }
            Terminator::CondBr {
                cond,
                then,
                els,
                site,
            } => {
                let edges = [(0, *els), (1, *then)];
                let edges = edges.map(|(side, to)| (Some(self.program.edge(*site, side)), to));
                match self.number(way, cond) {
                    Some(known) => {
                        let (edge, to) = edges[usize::from(known != 0)];
                        self.go(way, edge, to);
                        Next::On
                    }
                    None => Next::Fork(edges.to_vec()),
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                site,
            } => {
                let targets = cases.iter().map(|(_, to)| *to).chain([*default]);
                let edges = self.program.edges_of(*site).map(Some);
                let ways: Vec<_> = edges.zip(targets).collect();
                match self.number(way, value) {
                    Some(known) => {
                        let at = cases.iter().position(|(case, _)| *case == known);
                        let (edge, to) = ways[at.unwrap_or(cases.len())];
                        self.go(way, edge, to);
                        Next::On
                    }
                    None => Next::Fork(ways),
                }
            }
            Terminator::Ret { value } => {
                let known = value.as_ref().and_then(|value| self.operand(way, value));
                way.frames.pop();
                let Some(frame) = way.frames.last() else {
                    return Next::End;
                };
                let body = &self.program.functions[frame.function];
                let call = body.blocks[frame.block].insts[frame.at];
                // A call by another type than the function's.
                let is_same = value.as_ref().is_some_and(|_| known.is_some());
                let fits = known.filter(|_| is_same && body.values[call].ty != Type::Void);
                Self::set(way, call, fits);
                Self::on(way)
            }
            Terminator::Unreachable => Next::End,
            Terminator::IndirectBr { .. } | Terminator::Opaque { .. } => Next::Over,
        }
    }

    /// Control goes to a block of the same function.
    fn go(&mut self, way: &mut State, edge: Option<EdgeId>, to: BlockId) {
        self.taken.extend(edge);
        let Some(frame) = way.frames.last() else {
            return;
        };
        let (function, from) = (frame.function, frame.block);
        let body = &self.program.functions[function];
        let mut made = Vec::new();
        for (value, inst) in body.insts(to) {
            if !matches!(inst.op, Op::Phi { .. }) {
                break;
            }
            let operand = semantics::incoming(&inst.op, from);
            made.push((
                value,
                operand.and_then(|operand| self.operand(way, operand)),
            ));
        }
        for (value, known) in made {
            Self::set(way, value, known);
        }
        if let Some(frame) = way.frames.last_mut() {
            (frame.block, frame.at) = (to, 0);
        }
    }

    fn call(
        &mut self,
        way: &mut State,
        value: ValueId,
        (callee, args): (&Callee, &[Operand]),
    ) -> Next {
        let symbol = match callee {
            Callee::Direct(function) => Symbol::Function(*function),
            Callee::Extern(id) => Symbol::Extern(*id),
            Callee::Asm(_) => return Next::Over,
            Callee::Indirect(operand) => {
                let place = self.place(way, operand);
                let object = place.filter(|(_, at)| *at == 0).map(|(object, _)| object);
                match object.map(|object| &self.objects[object as usize]) {
                    Some(Kind::Symbol(symbol)) => *symbol,
                    _ => return Next::Over,
                }
            }
        };
        match symbol {
            Symbol::Function(function) => self.enter(way, function, args),
            Symbol::Extern(id) => {
                let name = self.program.externs[id].name.clone();
                match self.library(way, value, (&name, args)) {
                    Next::On => Self::on(way),
                    other => other,
                }
            }
            Symbol::Global(_) => Next::Over,
        }
    }

    fn enter(&mut self, way: &mut State, function: FuncId, args: &[Operand]) -> Next {
        let body = &self.program.functions[function];
        if way.frames.len() >= DEPTH || body.blocks.is_empty() {
            return Next::Over;
        }
        let Some(caller) = way.frames.last().map(|frame| frame.function) else {
            return Next::Over;
        };
        let caller = &self.program.functions[caller];
        let mut values = BTreeMap::new();
        for (param, arg) in body.params.iter().zip(args) {
            let is_same = caller.operand_type(arg) == body.values[*param].ty;
            if let Some(known) = self.operand(way, arg).filter(|_| is_same) {
                values.insert(*param, known);
            }
        }
        way.frames.push(Frame {
            function,
            block: Function::ENTRY,
            at: 0,
            values,
        });
        Next::On
    }

    /// What is known of an operand.
    fn operand(&mut self, way: &State, operand: &Operand) -> Option<Value> {
        match operand {
            Operand::Value(value) => way.frames.last()?.values.get(value).cloned(),
            Operand::Const(constant) => {
                let layout = self.program.layout;
                let mut open = Addresses {
                    objects: &mut self.objects,
                    symbols: &mut self.symbols,
                };
                let mut builder = Builder::new(&mut self.pool, layout);
                builder.constant(constant, &mut open).ok()
            }
        }
    }

    /// The number that an operand is.
    fn number(&mut self, way: &State, operand: &Operand) -> Option<u128> {
        let known = self.operand(way, operand)?.scalar()?;
        self.pool.as_const(known)
    }

    /// The place that an operand is the address of.
    fn place(&mut self, way: &State, operand: &Operand) -> Option<(u32, i64)> {
        let known = self.operand(way, operand)?.scalar()?;
        self.place_of(known)
    }

    /// The object that a term is the address of, and where in it.
    fn place_of(&self, term: Term) -> Option<(u32, i64)> {
        let (parts, constant) = self.pool.summands(term);
        let [only] = parts[..] else { return None };
        let object = self.pool.as_var(only)?.0;
        let unused = 128 - u32::from(self.pool.width(term));
        let at = (constant << unused).cast_signed() >> unused;
        let is_object = (object as usize) < self.objects.len();
        is_object.then_some((object, i64::try_from(at).ok()?))
    }

    /// A new object.
    fn object(&mut self, kind: Kind) -> u32 {
        self.objects.push(kind);
        (self.objects.len() - 1) as u32
    }

    /// The address of an object.
    fn address(&mut self, object: u32) -> Term {
        let bits = match self.objects[object as usize] {
            Kind::Sign(_) => 32,
            _ => 64,
        };
        self.pool.var(Var(object), bits)
    }
}

/// Where symbols stand.
struct Addresses<'o> {
    objects: &'o mut Vec<Kind>,
    symbols: &'o mut BTreeMap<Symbol, u32>,
}

impl Open for Addresses<'_> {
    fn address(
        &mut self,
        pool: &mut Pool,
        symbol: Symbol,
        bits: u16,
    ) -> Result<Term, semantics::Gap> {
        let objects = &mut *self.objects;
        let number = *self.symbols.entry(symbol).or_insert_with(|| {
            objects.push(Kind::Symbol(symbol));
            (objects.len() - 1) as u32
        });
        Ok(pool.var(Var(number), bits))
    }

    fn undefined(&mut self, _: &mut Pool, _: u16) -> Result<Term, semantics::Gap> {
        Err(semantics::Gap::Unmodelled)
    }
}
