//! The state of a run: frames, memory, what was recorded. And where everything of the program stands.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::jump::Mark;
use path::{Outcome, Run, RunFlags, Step};
use program::{EdgeId, ExternId, FuncId, PrimaryMap, Program, RelocationTarget, SpotId};
use semantics::Symbol;
use smt::{Pool, Term};

use crate::code::{Code, Source};
use crate::compile::compile;
use crate::externs::{Externs, character, is_modelled};
use crate::fail::Decided;
use crate::fault::{Error, Fault};
use crate::files::Files;
use crate::fixed::Fixed;
use crate::leaks::Leaks;
use crate::memo::Memo;
use crate::memory::{Kind, Memory};
use crate::record::{Inputs, Record};
use crate::register::Register;
use crate::signals::Signals;
use crate::target::Config;
use crate::variadic::Variable;
use crate::world::Begun;

/// Addresses of what the model names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses {
    globals: Vec<u64>,
    functions: Vec<u64>,
    externs: Vec<u64>,
    /// Where `stdin`, `stdout` and `stderr` point to.
    standard: [u64; 3],
    /// What is called before `main`, in order, and behind it, the last one first.
    pub constructors: Vec<FuncId>,
    pub destructors: Vec<FuncId>,
    /// Where the pointers to tables of `<ctype.h>` are, by the function that says so.
    tables: BTreeMap<String, u64>,
}

impl Addresses {
    pub fn of(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Global(global) => self.globals[global.index()],
            Symbol::Function(function) => self.functions[function.index()],
            Symbol::Extern(function) => self.externs[function.index()],
        }
    }

    /// What a function of `<ctype.h>` returns that says where a table is.
    pub fn table(&self, function: &str) -> Option<u64> {
        self.tables.get(function).copied()
    }

    /// What `stdin`, `stdout` and `stderr` point to.
    pub fn standard(&self) -> [u64; 3] {
        self.standard
    }
}

/// Files that every program has.
const STANDARD: [&str; 3] = ["stdin", "stdout", "stderr"];

/// Memory as it is when the program starts; `None` when it does not fit into the address space.
pub(crate) fn load(program: &Program) -> Option<(Memory, Addresses)> {
    let mut memory = Memory::new(program.layout);
    let mut addresses = Addresses::default();
    for global in program.globals.values() {
        let kind = if global.constant && global.init.is_some() {
            Kind::Constant
        } else {
            Kind::Global
        };
        // The program knows no size of what is defined outside of it; a pointer is the most that it can be.
        let size = if global.init.is_none() {
            global.size.max(8)
        } else {
            global.size
        };
        addresses.globals.push(memory.add(kind, size)?);
    }
    for function in program.functions.keys() {
        addresses
            .functions
            .push(memory.add_code(Kind::Function(function))?);
    }
    for (id, function) in program.externs.iter() {
        let missing = function.weak && !is_modelled(program, &function.name);
        addresses.externs.push(match missing {
            true => 0,
            false => memory.add_code(Kind::Extern(id))?,
        });
    }
    for (id, global) in program.globals.iter() {
        let value: u32 = match &*global.name {
            "optind" | "opterr" => 1,
            "optopt" => u32::from(b'?'),
            _ => continue,
        };
        if global.init.is_none() {
            memory.initialise(addresses.globals[id.index()], 0, &value.to_le_bytes());
        }
    }
    for file in &mut addresses.standard {
        *file = memory.add_code(Kind::Global)?;
    }
    let pointer = (program.layout.pointer_bits / 8) as usize;
    for (id, global) in program.globals.iter() {
        if global.init.is_some() || !STANDARD.contains(&&*global.name) {
            continue;
        }
        let place = STANDARD.iter().position(|name| **name == *global.name);
        let file = addresses.standard[place.unwrap_or(0)];
        let bytes = &file.to_le_bytes()[..pointer];
        memory.initialise(addresses.globals[id.index()], 0, bytes);
    }
    for (id, global) in program.globals.iter() {
        let (Some(init), base) = (&global.init, addresses.globals[id.index()]) else {
            continue;
        };
        memory.initialise(base, 0, &init.bytes);
        for relocation in &init.relocations {
            let symbol = match relocation.to {
                RelocationTarget::Global(global) => Symbol::Global(global),
                RelocationTarget::Function(function) => Symbol::Function(function),
                RelocationTarget::Extern(function) => Symbol::Extern(function),
            };
            let address = addresses.of(symbol).wrapping_add_signed(relocation.addend);
            memory.initialise(base, relocation.offset, &address.to_le_bytes()[..pointer]);
        }
    }
    addresses.tables = character::lay(program, &mut memory)?;
    memory.start();
    addresses.constructors = program.constructors();
    addresses.destructors = program.destructors();
    Some((memory, addresses))
}

/// Code that was made already.
pub(crate) type Codes = PrimaryMap<FuncId, Option<Rc<Code>>>;

/// An active call.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub code: Rc<Code>,
    pub at: usize,
    pub registers: Vec<Register>,
    /// Objects that end with it.
    pub objects: Vec<u64>,
    /// Register of the caller that gets the result.
    pub result: u32,
    /// Variable arguments.
    pub variable: Vec<Variable>,
    /// How many calls there were before it.
    pub serial: u64,
}

/// How the run ended, or why it cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Outcome(Outcome),
    /// An error of the program.
    Fault(Fault),
    /// Something that the machine does not run, by name.
    Unmodelled(String),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        End::Fault(fault)
    }
}

/// What ends a run is an error to all that makes a step.
pub(crate) type Made<T = ()> = Result<T, End>;

/// Bytes of a memory that is kept for the next run, and steps for which the next run has room at the start.
const MOST_LEFT: u64 = 1 << 24;
const MOST_STEPS_LEFT: usize = 1 << 17;

/// What a run leaves to the next one, so that this one need not make it again.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Most of its objects are those that a run starts with.
    pub memory: Option<Memory>,
    /// Empty.
    pub frames: Vec<Frame>,
    /// Registers of its calls.
    pub spare: Vec<Vec<Register>>,
    /// Steps of its path.
    pub steps: usize,
}

/// A run in the making.
pub(crate) struct State<'a> {
    pub program: &'a Program,
    pub addresses: &'a Addresses,
    pub codes: &'a mut Codes,
    pub externs: &'a mut Externs,
    pub pool: &'a mut Pool,
    /// Constants that belong to no run.
    pub scratch: &'a mut Pool,
    pub memo: &'a mut Memo,
    pub begun: &'a mut Option<Begun>,
    pub config: &'a Config,
    pub memory: Memory,
    pub frames: Vec<Frame>,
    /// Registers of calls that are over.
    pub spare: Vec<Vec<Register>>,
    pub record: Record,
    pub inputs: Inputs,
    pub steps: u64,
    /// Calls of functions of the program.
    pub calls: u64,
    /// Where the error number is.
    pub errno: Option<u64>,
    /// What the program has open.
    pub files: Files,
    /// What functions made once and return again, by their names, and texts of `strerror`.
    pub tables: BTreeMap<String, u64>,
    /// Values of environment variables, by name.
    pub variables: Rc<BTreeMap<Vec<u8>, u64>>,
    /// What the run ended at because nothing models it.
    pub unmodelled: Option<String>,
    /// Functions to be called at the end, and the status with which the program ends.
    pub at_exit: Vec<FuncId>,
    pub leaving: Option<i32>,
    /// Calls of `setjmp` that may be returned to.
    pub marks: Vec<Mark>,
    /// What the program did that it must not do.
    pub error: Option<Error>,
    /// Bits that nothing has written decided something.
    pub undecided: bool,
    /// Heap objects, where leaks are looked for.
    pub leaks: Leaks,
    /// What was printed.
    pub output: Vec<u8>,
    /// Calls that might have failed.
    pub decided: Decided,
    /// Values that are pinned.
    pub fixed: Fixed,
    pub signals: Signals,
    /// Functions that are to be called before the program is over: constructors, then `main`, the next one last.
    pub starting: Vec<FuncId>,
    /// Their arguments.
    pub args: Vec<Register>,
}

impl State<'_> {
    /// Enters a function.
    pub fn enter(
        &mut self,
        function: FuncId,
        args: Vec<Register>,
        variable: Vec<Variable>,
        result: u32,
    ) -> Made {
        if self.frames.len() >= self.config.limits.depth {
            return Err(Fault::StackOverflow.into());
        }
        let code = self.code(function);
        let mut registers = self.registers(&code);
        for (param, arg) in code.params.iter().zip(args) {
            registers[*param as usize] = arg;
        }
        self.push_frame((function, code), registers, variable, result);
        Ok(())
    }

    /// A function becomes the innermost one, its arguments in its registers.
    pub fn push_frame(
        &mut self,
        (function, code): (FuncId, Rc<Code>),
        registers: Vec<Register>,
        variable: Vec<Variable>,
        result: u32,
    ) {
        self.record.step(Step::Call(function));
        self.frames.push(Frame {
            code,
            at: 0,
            registers,
            objects: Vec::new(),
            result,
            variable,
            serial: self.calls,
        });
        self.calls += 1;
    }

    /// Registers for a call, those of one that is over if there are: each is written before it is read.
    pub fn registers(&mut self, code: &Code) -> Vec<Register> {
        let mut registers = self.spare.pop().unwrap_or_default();
        if registers.len() < code.registers as usize {
            registers.resize(code.registers as usize, Register::Word(0));
        }
        registers
    }

    fn code(&mut self, function: FuncId) -> Rc<Code> {
        if let Some(code) = &self.codes[function] {
            return Rc::clone(code);
        }
        let finds = self.config.finds;
        let code = compile(self.program, self.addresses, self.scratch, function, finds);
        let code = Rc::new(code);
        self.codes[function] = Some(Rc::clone(&code));
        code
    }

    /// Leaves the innermost function. An error is the end of the run: `main` returned.
    pub fn leave(&mut self, value: Option<Register>) -> Made {
        let Some(frame) = self.frames.pop() else {
            return Ok(());
        };
        for object in frame.objects {
            self.memory.remove(object);
        }
        self.record.step(Step::Return(frame.code.function));
        self.spare.push(frame.registers);
        match self.frames.last_mut() {
            Some(caller) => {
                if let Some(value) = value {
                    caller.registers[frame.result as usize] = value;
                }
                Ok(())
            }
            None if self.starting.is_empty() => {
                let status = value.map_or(0, |value| value.word() as i32 & 0xff);
                self.leave_program(self.leaving.unwrap_or(status))
            }
            None => self.start_next(),
        }
    }

    /// The program ends with this status, after the functions that `atexit` was told of, the last one first.
    pub fn leave_program(&mut self, status: i32) -> Made {
        self.leaving = Some(status);
        self.starting.clear();
        self.note_leaving();
        let Some(function) = self.at_exit.pop() else {
            self.check_leaks()?;
            return Err(End::Outcome(Outcome::Exited(status)));
        };
        // Nothing returns to the frames that are left.
        for frame in std::mem::take(&mut self.frames) {
            drop(frame);
        }
        self.enter(function, Vec::new(), Vec::new(), 0)
    }

    /// The frame that runs.
    pub fn frame(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("a run has a frame until it ends")
    }

    /// The value of an operand.
    #[inline]
    pub fn get(&self, source: Source) -> Register {
        match source {
            Source::Word(word) => Register::Word(word),
            Source::Register(register) => self.top().registers[register as usize].clone(),
            Source::Constant(constant) => self.top().code.constants[constant as usize].clone(),
        }
    }

    #[inline]
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a run has a frame until it ends")
    }

    #[inline]
    pub fn set(&mut self, register: u32, value: Register) {
        self.frame().registers[register as usize] = value;
    }

    /// The spot of the instruction that runs.
    pub fn spot(&self) -> SpotId {
        // What is decided before `main` has no place.
        self.frames.last().map_or(SpotId::from_u32(0), |frame| {
            frame.code.spot(self.program, frame.at.saturating_sub(1))
        })
    }

    /// Whether anything uses the result of the instruction that runs.
    pub fn result_is_used(&self) -> bool {
        let frame = self.top();
        let value = frame.code.origins[frame.at - 1];
        value.is_some_and(|value| frame.code.used[value.index()])
    }

    /// Records an edge.
    pub fn edge(&mut self, edge: EdgeId, term: Option<Term>) {
        self.record.edge(self.pool, edge, term);
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Outcome {
        loop {
            self.words(u64::MAX);
            let made = match self.step() {
                // Whatever it did, it did because of bits that nothing has written.
                _ if self.undecided => Err(Fault::Uninitialised.into()),
                made => made,
            };
            match made {
                Ok(()) => {}
                Err(End::Outcome(outcome)) => return outcome,
                Err(End::Fault(fault)) if self.signals.handles(fault.signal()) => {
                    return self.end_unmodelled("a signal of an error that has a handler".into());
                }
                Err(End::Fault(fault)) => {
                    if fault != Fault::Leak {
                        self.error = Some(Error::at(fault, self.program, &self.frames));
                    }
                    if fault.is_survivable() {
                        let unseen = RunFlags::BROKEN_OFF.union(RunFlags::UNCOUNTED);
                        self.record.flags.insert(unseen);
                    }
                    return Outcome::Signalled(fault.signal());
                }
                Err(End::Unmodelled(what)) => return self.end_unmodelled(what),
            }
        }
    }

    /// Ends the run at what is not modelled.
    fn end_unmodelled(&mut self, what: String) -> Outcome {
        self.unmodelled = Some(what);
        let unseen = RunFlags::EVENTS_TRUNCATED.union(RunFlags::UNCOUNTED);
        self.record.flags.insert(unseen.union(RunFlags::BROKEN_OFF));
        Outcome::Exited(0)
    }

    /// What the next run may use, at the end of this one.
    pub fn left(&mut self) -> Left {
        let mut spare = std::mem::take(&mut self.spare);
        spare.extend(self.frames.drain(..).map(|frame| frame.registers));
        let none = Memory::new(self.program.layout);
        let memory = std::mem::replace(&mut self.memory, none);
        Left {
            memory: Some(memory).filter(|memory| memory.used <= MOST_LEFT),
            frames: std::mem::take(&mut self.frames),
            spare,
            steps: self.record.steps.len().min(MOST_STEPS_LEFT),
        }
    }

    /// Everything that the run left.
    pub fn finish(self, outcome: Outcome) -> Run {
        let (edges, functions) = (
            self.record.late_edges.iter(),
            self.record.late_functions.iter(),
        );
        let losses = self.record.losses.into_iter();
        Run {
            steps: self.record.steps,
            outcome,
            input: self.inputs.finish(),
            flags: self.record.flags,
            losses: losses
                .map(|((spot, reason), count)| (spot, reason, count))
                .collect(),
            late_edges: edges
                .map(|(edge, count)| (EdgeId::from_u32(edge), count))
                .collect(),
            late_functions: functions
                .map(|(function, count)| (FuncId::from_u32(function), count))
                .collect(),
            compared: self.record.compared.into_iter().collect(),
            near: Vec::new(),
        }
    }
}

/// An extern by its number, for messages.
pub(crate) fn name_of(program: &Program, function: ExternId) -> &str {
    &program.externs[function].name
}
