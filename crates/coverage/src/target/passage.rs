//! Whether control came past the calls that stand in front of a place.
//!
//! `llvm-cov` counts code behind a call with the code in front of it: where a run ends in the call (it calls `exit`, or jumps out),
//! what stands behind is counted and was never reached. The calls of a path that do not return tell.
//!
//! What stands behind an instruction that may crash (a read through a pointer, a division) is counted in the same way where it does.
//! The path of a crash says in which stretch it was; it was at the first such instruction behind the last call, or later.
//!
//! Must hold: a place is said not to be passed only where each call of its function that came to the stretch in front of it is known
//! to have ended in a call there. Where a path says too little, it was passed.

use std::collections::{BTreeMap, BTreeSet};

use program::cfg::Cfg;
use program::dom::Dominators;
use program::stops::may_divide_wrongly;
use program::{
    BlockId, Callee, Const, EdgeId, FuncId, Function, Op, Operand, Program, Terminator, Type,
};

use super::place::Place;

program::entity!(
    /// Places of a target, of which one is enough.
    PassageId, "passage"
);

/// What is asked of the paths of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passages {
    known: Vec<(FuncId, Vec<Place>)>,
    stretches: Vec<Stretch>,
    of_entry: BTreeMap<FuncId, usize>,
    of_edge: BTreeMap<EdgeId, usize>,
}

/// The code from the start of a function, or the end of an edge, to the next decision.
#[derive(Clone, Debug, Default)]
struct Stretch {
    /// In order, with the instructions that may crash in between.
    calls: Vec<Called>,
    /// Each with how many of the calls stand in front of it.
    places: Vec<(usize, PassageId)>,
}

/// What a call whose start and end a path has may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    Function(FuncId),
    Anything,
    /// A function outside of the program that has the handler of a signal called.
    Signal,
    /// Nothing is called, but the run may crash here.
    Crash,
}

/// Functions that have the handler of a signal called before they return.
const RAISE: &[&str] = &[
    "raise",
    "kill",
    "pthread_kill",
    "killpg",
    "sigqueue",
    "pause",
];

impl Called {
    fn may_be(self, function: FuncId) -> bool {
        match self {
            Called::Function(own) => own == function,
            Called::Anything | Called::Signal => true,
            Called::Crash => false,
        }
    }
}

impl Passages {
    /// The function whose calls a passage asks about.
    pub(crate) fn function(&self, passage: PassageId) -> FuncId {
        self.known[passage.index()].0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Asks for places of one function, of which one is enough. `None`: coming to their region is coming to one of them, or a path
    /// does not tell.
    pub(super) fn ask(
        &mut self,
        program: &Program,
        function: FuncId,
        places: &[Place],
    ) -> Option<PassageId> {
        let places = &firsts(&program.functions[function], places)[..];
        let known = self.known.iter();
        let same = |known: &(FuncId, Vec<Place>)| known.0 == function && known.1 == places;
        if let Some(at) = known.clone().position(same) {
            return Some(PassageId::from_u32(at as u32));
        }
        if places.is_empty() || !is_followed(&program.functions[function]) {
            return None;
        }
        let is_behind = |place: &Place| {
            let one = std::slice::from_ref(place);
            let found = stretches(program, function, one, PassageId::from_u32(0));
            let mut all = found.iter().flat_map(|(_, stretch)| &stretch.places);
            all.clone().next().is_some() && all.any(|(calls, _)| *calls > 0)
        };
        if !places.iter().all(is_behind) {
            return None;
        }
        let id = PassageId::from_u32(self.known.len() as u32);
        for (start, found) in stretches(program, function, places, id) {
            let next = self.stretches.len();
            let number = match start {
                None => *self.of_entry.entry(function).or_insert(next),
                Some(edge) => *self.of_edge.entry(edge).or_insert(next),
            };
            match self.stretches.get_mut(number) {
                Some(stretch) => stretch.places.extend(found.places),
                None => self.stretches.push(found),
            }
        }
        self.known.push((function, places.to_vec()));
        Some(id)
    }
}

/// The places that no other one stands in front of on every way: who comes to any comes to one of these first.
fn firsts(function: &Function, places: &[Place]) -> Vec<Place> {
    let dominators = Dominators::new(&Cfg::new(function));
    let at = |place: &Place| match *place {
        Place::Entry(_) => Some((Function::ENTRY, None)),
        Place::Block { block, .. } => Some((block, None)),
        Place::Inst { inst, .. } => {
            let block = function.inst(inst)?.block;
            let mut insts = function.insts(block);
            Some((block, insts.position(|(value, _)| value == inst)))
        }
        Place::Edge(_) => None,
    };
    let is_first = |place: &&Place| {
        let mut others = places.iter().filter(|other| other != place);
        !others.any(|other| match (at(other), at(place)) {
            (Some((block, number)), Some((own, own_number))) if block == own => number < own_number,
            (Some((block, _)), Some((own, _))) => dominators.dominates(block, own),
            _ => false,
        })
    };
    places.iter().filter(is_first).copied().collect()
}

/// Whether each way that control goes in a function is an edge, or the only one.
fn is_followed(function: &Function) -> bool {
    function.blocks.values().all(|block| {
        let terminator = &block.terminator;
        terminator.site().is_some() || terminator.successors().count() <= 1
    })
}

/// All stretches of a function, each with the edge that it is behind; `None`: it is the start.
fn stretches(
    program: &Program,
    function: FuncId,
    places: &[Place],
    id: PassageId,
) -> Vec<(Option<EdgeId>, Stretch)> {
    let body = &program.functions[function];
    let sites = body.blocks.values();
    let sites = sites.filter_map(|block| block.terminator.site());
    let edges = sites.flat_map(|site| program.edges_of(site));
    let starts = edges.filter_map(|edge| Some((Some(edge), program.edges[edge].target?)));
    std::iter::once((None, Function::ENTRY))
        .chain(starts)
        .map(|(edge, block)| (edge, stretch(program, (function, block), places, id)))
        .collect()
}

fn stretch(
    program: &Program,
    (function, start): (FuncId, BlockId),
    places: &[Place],
    id: PassageId,
) -> Stretch {
    let body = &program.functions[function];
    let mut found = Stretch::default();
    let mut gone = BTreeSet::new();
    let mut at = start;
    while gone.insert(at) {
        let is_block = |place: &Place| match place {
            Place::Entry(own) => *own == function && at == Function::ENTRY,
            Place::Block { block, .. } => *block == at,
            Place::Inst { .. } | Place::Edge(_) => false,
        };
        if places.iter().any(is_block) {
            found.places.push((found.calls.len(), id));
        }
        for (value, inst) in body.insts(at) {
            let is_it = |place: &Place| matches!(place, Place::Inst { inst, .. } if *inst == value);
            if places.iter().any(is_it) {
                found.places.push((found.calls.len(), id));
            }
            match &inst.op {
                Op::Call {
                    callee: Callee::Direct(callee),
                    ..
                } if !program.functions[*callee].library => {
                    found.calls.push(Called::Function(*callee));
                }
                Op::Call {
                    callee: Callee::Indirect(_),
                    ..
                } => found.calls.push(Called::Anything),
                Op::Call {
                    callee: Callee::Extern(id),
                    ..
                } if RAISE.contains(&&*program.externs[*id].name) => {
                    found.calls.push(Called::Signal);
                }
                op if may_crash(body, op) => found.calls.push(Called::Crash),
                _ => {}
            }
        }
        match body.blocks[at].terminator {
            Terminator::Br { target } => at = target,
            _ => break,
        }
    }
    found
}

/// May an instruction end the run by a signal: by an address that it computes, or by a division?
fn may_crash(body: &Function, op: &Op) -> bool {
    let is_sure = |address: &Operand| {
        let mut at = address;
        // As far as accesses with constant offsets go.
        while let Operand::Value(value) = at {
            match body.inst(*value).map(|inst| &inst.op) {
                Some(Op::Alloca { .. }) => return true,
                Some(Op::Gep { base, indices, .. })
                    if indices.iter().all(|(index, _)| index.constant().is_some()) =>
                {
                    at = base;
                }
                _ => return false,
            }
        }
        matches!(at, Operand::Const(Const::Global { .. }))
    };
    match op {
        Op::Load { address, .. } | Op::Store { address, .. } => !is_sure(address),
        Op::Mem { args, .. } => !is_sure(&args[0]) || !is_sure(&args[1]),
        Op::Bin { .. } => may_divide_wrongly(op),
        // What the library is given may be no address.
        Op::Call {
            callee: Callee::Extern(_),
            args,
            ..
        } => args
            .iter()
            .filter(|arg| arg.constant().is_none())
            .any(|arg| body.operand_type(arg) == Type::Ptr && !is_sure(arg)),
        _ => false,
    }
}

/// Follows one run after the other past the places. To be used again for each run.
#[derive(Clone, Debug)]
pub(crate) struct Passing {
    passages: Passages,
    /// Of each edge its function, and whether it leads to a block.
    edges: Vec<(FuncId, bool)>,
    frames: Vec<Frame>,
    passed: BTreeSet<PassageId>,
}

/// A call under way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    function: FuncId,
    /// The stretch that control is in, if something is asked of it or its function.
    stretch: Option<usize>,
    /// How many of its calls have ended at least.
    ended: usize,
    /// The call that control is in.
    within: Option<usize>,
}

impl Passing {
    pub(crate) fn new(program: &Program, passages: &Passages) -> Passing {
        let edge = |edge: &program::Edge| {
            let function = program.sites[edge.site].function;
            (function, edge.target.is_some())
        };
        Passing {
            passages: passages.clone(),
            edges: program.edges.values().map(edge).collect(),
            frames: Vec::new(),
            passed: BTreeSet::new(),
        }
    }

    /// A function was entered.
    pub(crate) fn enter(&mut self, function: FuncId) {
        if let Some(Frame {
            stretch: Some(number),
            ..
        }) = self.frames.last()
        {
            let calls = &self.passages.stretches[*number].calls;
            let top = self.frames.last_mut().expect("it was there");
            let rest = calls.iter().enumerate().skip(top.ended);
            let fit = rest.filter(|(_, call)| call.may_be(function));
            // The first of them; a handler is what no other call of the stretch is.
            match fit.min_by_key(|(_, call)| **call == Called::Signal) {
                Some((call, _)) => top.within = Some(call),
                // Called from where no call is: a handler, or out of a function that is not followed.
                None => self.pass(self.frames.len() - 1),
            }
        }
        self.frames.push(Frame {
            function,
            stretch: self.passages.of_entry.get(&function).copied(),
            ended: 0,
            within: None,
        });
    }

    /// An edge was taken.
    pub(crate) fn edge(&mut self, edge: EdgeId) {
        let (function, leads) = self.edges[edge.index()];
        self.come_back_to(function);
        if !leads {
            return;
        }
        let stretch = self.passages.of_edge.get(&edge).copied();
        match self.frames.len().checked_sub(1) {
            Some(top) if self.frames[top].function == function => {
                self.pass(top);
                self.frames[top] = Frame {
                    function,
                    stretch,
                    ended: 0,
                    within: None,
                };
            }
            _ => self.frames.push(Frame {
                function,
                stretch,
                ended: 0,
                within: None,
            }),
        }
    }

    /// A function returned.
    pub(crate) fn leave(&mut self, function: FuncId) {
        self.come_back_to(function);
        match self.frames.last() {
            Some(top) if top.function == function => {}
            _ => return,
        }
        self.pass(self.frames.len() - 1);
        self.frames.pop();
        let Some(below) = self.frames.last_mut() else {
            return;
        };
        let (Some(call), Some(stretch)) = (below.within.take(), below.stretch) else {
            return;
        };
        // What is called through a pointer may call several times, if it is no function that is followed.
        let once = self.passages.stretches[stretch].calls[call] != Called::Anything;
        below.ended = call + usize::from(once);
    }

    /// `setjmp` returned in a function: calls above it are gone.
    pub(crate) fn resume(&mut self, function: FuncId) {
        self.come_back_to(function);
        if let Some(top) = self.frames.len().checked_sub(1) {
            self.pass(top);
            self.frames[top].within = None;
        }
    }

    /// What was passed, in order; it starts again. `known`: the path has all calls that the run was in when it ended; `crashed`: it
    /// ended at an instruction that may crash.
    pub(crate) fn take(&mut self, known: bool, crashed: bool) -> Vec<PassageId> {
        if known && crashed {
            self.crash();
        }
        while let Some(at) = self.frames.len().checked_sub(1) {
            if !known {
                self.pass(at);
            }
            self.end(at);
        }
        std::mem::take(&mut self.passed).into_iter().collect()
    }

    /// The run ended in the last call under way, at an instruction that may crash, if there is one where control was.
    fn crash(&mut self) {
        let Some(top) = self.frames.last_mut() else {
            return;
        };
        let Some(stretch) = top.stretch.filter(|_| top.within.is_none()) else {
            return;
        };
        let mut rest = self.passages.stretches[stretch].calls.iter().enumerate();
        let at = rest.find(|(at, call)| *at >= top.ended && **call == Called::Crash);
        top.within = at.map(|(at, _)| at);
    }

    /// Ends the calls above the last one of a function, if it is under way.
    fn come_back_to(&mut self, function: FuncId) {
        let own = |frame: &Frame| frame.function == function;
        if let Some(at) = self.frames.iter().rposition(own) {
            while self.frames.len() > at + 1 {
                self.end(self.frames.len() - 1);
            }
        }
    }

    /// The last call under way ends where it is.
    fn end(&mut self, at: usize) {
        let frame = self.frames[at];
        match (frame.stretch, frame.within) {
            (Some(stretch), Some(call)) => {
                let places = &self.passages.stretches[stretch].places;
                let passed = places.iter().filter(|(before, _)| *before <= call);
                self.passed.extend(passed.map(|(_, id)| *id));
            }
            _ => self.pass(at),
        }
        self.frames.pop();
    }

    /// Control came to the end of a stretch, or may have.
    fn pass(&mut self, at: usize) {
        if let Some(stretch) = self.frames[at].stretch.take() {
            let places = &self.passages.stretches[stretch].places;
            self.passed.extend(places.iter().map(|(_, id)| *id));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Builder;

    /// `f` calls `g`, `h` and through a pointer, with places 0 to 3 in front of, between and behind the calls; place 4 is behind edge 0,
    /// and another call of `g` in front of place 5.
    fn passing() -> Passing {
        let mut builder = Builder::new();
        let [f, g, h] = ["f", "g", "h"].map(|name| builder.function(name, 1, &["a.c"]));
        let id = PassageId::from_u32;
        let entry = Stretch {
            calls: vec![Called::Function(g), Called::Function(h), Called::Anything],
            places: (0..4).map(|at| (at as usize, id(at))).collect(),
        };
        let behind = Stretch {
            calls: vec![Called::Function(g)],
            places: vec![(0, id(4)), (1, id(5))],
        };
        let passages = Passages {
            known: (0..6).map(|_| (f, Vec::new())).collect(),
            stretches: vec![entry, behind],
            of_entry: BTreeMap::from([(f, 0)]),
            of_edge: BTreeMap::from([(EdgeId::from_u32(0), 1)]),
        };
        let mut passing = Passing::new(&builder.program, &passages);
        // Edge 1 leads nowhere; edge 2 is one of `g`.
        passing.edges = vec![(f, true), (f, false), (g, true)];
        assert_eq!(h.as_u32(), 2);
        passing
    }

    /// What a path passes: `f`, `g`, `h` enter, `)` returns from what is under way, `F` returns from `f`, `R` comes back to it by
    /// `setjmp`, digits are edges, `?` is cut off, `!` crashes.
    fn passed(path: &str) -> Vec<u32> {
        let mut passing = passing();
        let function = |name| FuncId::from_u32("fgh".find(name).expect("a name") as u32);
        let mut open: Vec<FuncId> = Vec::new();
        let (mut known, mut crashed) = (true, false);
        for step in path.chars() {
            match step {
                'f' | 'g' | 'h' => {
                    open.push(function(step));
                    passing.enter(function(step));
                }
                ')' => passing.leave(open.pop().expect("one is open")),
                'F' => passing.leave(function('f')),
                'R' => passing.resume(function('f')),
                '?' => known = false,
                '!' => crashed = true,
                digit => passing.edge(EdgeId::from_u32(digit.to_digit(10).expect("a digit"))),
            }
        }
        let passed = passing.take(known, crashed);
        assert!(passing.frames.is_empty());
        assert!(passing.take(true, false).is_empty(), "it starts again");
        passed.iter().map(|id| id.as_u32()).collect()
    }

    #[test]
    fn calls_that_do_not_come_back_keep_away_what_is_behind() {
        let table: &[(&str, &[u32])] = &[
            // It ended somewhere in f, or behind it.
            ("f", &[0, 1, 2, 3]),
            ("f)", &[0, 1, 2, 3]),
            // In a call of g, of h, through the pointer.
            ("fg", &[0]),
            ("fg2", &[0]),
            ("fg)h", &[0, 1]),
            ("fg)h)f", &[0, 1, 2, 3]),
            ("fg)h)g", &[0, 1, 2]),
            // The first call of h was not seen; that of g was over.
            ("fh", &[0, 1]),
            ("fg)g", &[0, 1, 2]),
            // Called through the pointer more than once.
            ("fg)h)g)g", &[0, 1, 2]),
            ("fg)h)g)", &[0, 1, 2, 3]),
            // An edge tells that all in front of it was passed; one that leads nowhere does not.
            ("f0", &[0, 1, 2, 3, 4, 5]),
            ("f0g", &[0, 1, 2, 3, 4]),
            ("f1g", &[0]),
            // Entered from where no call is.
            ("f0h", &[0, 1, 2, 3, 4, 5]),
            // `f` returns all the same: a call jumped back into it.
            ("fgF", &[0, 1, 2, 3]),
            // A call jumps over `f`, to what called it.
            ("gfh2", &[0, 1]),
            ("gf0g2", &[0, 1, 2, 3, 4]),
            // Control came back to it from a call, and where it is now is not known.
            ("fgR", &[0, 1, 2, 3]),
            // The path says too little.
            ("fg?", &[0, 1, 2, 3]),
            // A crash, with no instruction that may be it.
            ("f!", &[0, 1, 2, 3]),
            ("fg)!", &[0, 1, 2, 3]),
            // A call of f in another one.
            ("fg)h)ffg", &[0, 1, 2]),
            ("g", &[]),
        ];
        for (path, expected) in table {
            assert_eq!(passed(path), *expected, "{path}");
        }
    }

    const CRASHES: &str = "
        extern0 @strlen(ptr) -> i64
        global0 @known size 4 align 4 = x\"\"
        fn @f(v0: ptr, v1: i32) {
        block0:
          v2: i32 = load @known
          v3: i32 = sdiv v2, i32 3
          v4: i32 = load v0
          v5: i32 = add v4, v3
          v6: i32 = sdiv v5, v1
          br block1
        block1:
          call @g()
          v7: i64 = call @strlen(v0)
          store v5, v0
          ret
        }
        fn @g() { block0: ret }
    ";

    /// Where a run crashes, the path says which call was the last to end. It was at the first instruction behind it that may crash, or
    /// at a later one.
    #[test]
    fn a_crash_keeps_away_what_stands_behind_it() {
        let program = program::text::parse(CRASHES).unwrap_or_else(|error| panic!("{error}"));
        let function = |name: char| program.function_named(&name.to_string()).expect("there");
        let mut passages = Passages::default();
        for (name, expected) in [
            ("f0.0", None),
            ("f0.2", None),
            ("f0.3", Some(0)),
            ("f0.4", Some(1)),
            ("f1", Some(2)),
            ("f1.1", Some(3)),
            ("f1.2", Some(4)),
        ] {
            let (function, places) = places(&program, name);
            let asked = passages.ask(&program, function, &places);
            assert_eq!(asked.map(|id| id.as_u32()), expected, "{name}");
        }
        let mut passing = Passing::new(&program, &passages);
        for (path, crashed, expected) in [
            ("f", false, vec![0, 1, 2, 3, 4]),
            ("f", true, vec![]),
            ("fg", false, vec![0, 1, 2]),
            ("fg", true, vec![0, 1, 2]),
            ("fgG", true, vec![0, 1, 2, 3]),
            ("fgGF", true, vec![0, 1, 2, 3, 4]),
        ] {
            for step in path.chars() {
                match step.is_lowercase() {
                    true => passing.enter(function(step)),
                    false => passing.leave(function(step.to_ascii_lowercase())),
                }
            }
            let passed = passing.take(true, crashed);
            let passed: Vec<u32> = passed.iter().map(|id| id.as_u32()).collect();
            assert_eq!(passed, expected, "{path} {crashed}");
        }
    }

    /// The least number divided by -1 traps as well; a division by 3 never does.
    #[test]
    fn a_division_by_minus_one_may_crash() {
        let text = "
            fn @f(v0: i32) -> i32 {
            block0:
              v1: i32 = sdiv v0, i32 3
              v2: i32 = sdiv v1, i32 -1
              v3: i32 = sdiv v2, v1
              ret v3
            }
        ";
        let program = program::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let body = program.functions.values().next().expect("a function");
        let crashes = body.insts(Function::ENTRY);
        let crashes: Vec<bool> = crashes.map(|(_, inst)| may_crash(body, &inst.op)).collect();
        assert_eq!(crashes, [false, true, true]);
    }

    const CALLS: &str = "
        extern0 @puts(ptr)
        fn @f(v0: i1, v1: ptr) {
        block0: call @g() call @puts(null) call @h() br block1
        block1: call *v1() call @puts(null) br v0, block2, block3 [site0: edge0 false, edge1 true]
        block2: call @puts(null) call @g() call @puts(null) ret
        block3: call @puts(null) ret
        }
        fn @g() { block0: ret }
        fn @h() library { block0: ret }
        fn @loose(v0: i1) { block0: call @g() br v0, block1, block2 block1: call @g() ret block2: ret }
    ";

    fn calls() -> Program {
        program::text::parse(CALLS).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Places by name: `f1.0` is in front of the first instruction of block 1 of `f`, `f1` is the block, `f` the start.
    fn places(program: &Program, names: &str) -> (FuncId, Vec<Place>) {
        let mut all = Vec::new();
        let mut own = None;
        for name in names.split(' ') {
            let at = name.find(|c: char| c.is_ascii_digit());
            let (function, rest) = name.split_at(at.unwrap_or(name.len()));
            let function = program.function_named(function).expect("a function");
            let body = &program.functions[function];
            let number = |text: &str| text.parse::<u32>().expect("a number");
            all.push(match rest.split_once('.') {
                None if rest.is_empty() => Place::Entry(function),
                None => Place::Block {
                    function,
                    block: BlockId::from_u32(number(rest)),
                },
                Some((block, inst)) => {
                    let mut insts = body.insts(BlockId::from_u32(number(block)));
                    let (inst, _) = insts.nth(number(inst) as usize).expect("there");
                    Place::Inst { function, inst }
                }
            });
            own = Some(function);
        }
        (own.expect("a place"), all)
    }

    #[test]
    fn only_what_stands_behind_calls_is_asked_for() {
        let program = calls();
        let mut passages = Passages::default();
        assert!(passages.is_empty());
        let table = [
            ("f0.0", None),
            ("f0.1", Some(0)),
            ("f0.2", Some(1)),
            ("f1", Some(2)),
            ("f1.0", Some(3)),
            ("f1.1", Some(4)),
            ("f2.0", None),
            ("f2.1", None),
            ("f2.2", Some(5)),
            ("f3.0", None),
            ("f", None),
            ("f0", None),
            // The first of several; where none is first, each has to be behind calls.
            ("f0.1 f0.0", None),
            ("f0.1 f0.2", Some(0)),
            ("f0.1 f2.2 f1", Some(0)),
            ("f0.2 f", None),
            ("f2.2 f3.0", None),
            ("f2.2", Some(5)),
            // Ways that are no edges.
            ("loose1.0", None),
            ("g", None),
        ];
        for (names, expected) in table {
            let (function, places) = places(&program, names);
            let asked = passages.ask(&program, function, &places);
            assert_eq!(asked.map(|id| id.as_u32()), expected, "{names}");
            assert!(asked.is_none_or(|id| passages.function(id) == function));
        }
        let (function, _) = places(&program, "f");
        let edge = [Place::Edge(EdgeId::from_u32(1))];
        assert_eq!(passages.ask(&program, function, &edge), None);
        assert_eq!(passages.ask(&program, function, &[]), None);
        assert!(!passages.is_empty());
    }

    #[test]
    fn paths_are_followed_through_the_program() {
        let program = calls();
        let mut passages = Passages::default();
        for names in ["f0.1", "f1.1", "f2.2", "f1.0"] {
            let (function, places) = places(&program, names);
            passages.ask(&program, function, &places).expect("asked");
        }
        let mut passing = Passing::new(&program, &passages);
        let function = |name: char| program.function_named(&name.to_string()).expect("there");
        // Letters enter, capitals return, digits are edges.
        for (path, expected) in [
            ("fg", vec![]),
            ("fgG", vec![0, 1, 3]),
            // The call of `h`, one of ours, is in no path: this is the call through the pointer.
            ("fgGh", vec![0, 3]),
            ("fgGhH", vec![0, 1, 3]),
            ("fgGhH1g", vec![0, 1, 3]),
            ("fgGhH1gG", vec![0, 1, 2, 3]),
            ("fgGhH0", vec![0, 1, 3]),
            ("fgH", vec![]),
            ("1", vec![2]),
            ("g1", vec![2]),
            ("1g", vec![]),
        ] {
            for step in path.chars() {
                match step.to_digit(10) {
                    Some(edge) => passing.edge(EdgeId::from_u32(edge)),
                    None if step.is_lowercase() => passing.enter(function(step)),
                    None => passing.leave(function(step.to_ascii_lowercase())),
                }
            }
            let passed: Vec<u32> = passing
                .take(true, false)
                .iter()
                .map(|id| id.as_u32())
                .collect();
            assert_eq!(passed, expected, "{path}");
        }
    }
}
