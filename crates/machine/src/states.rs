//! States on demand: what every variable and every byte was, as a value and as an expression, at a place of a run.
//!
//! A [`States`] makes the run of one input once and keeps *snapshots* of it. [`States::before`] goes back to the nearest one and
//! runs on to the place that is asked for. A place is the number of a step of the path ([`path::Run::steps`]): the state is that in
//! which the instruction that records this step is about to run, so for a branch its condition is computed and neither side is
//! taken.
//!
//! Must hold: the state is that of the run, whatever was asked before; all terms are of one pool, so equal expressions of two places
//! are the same term; snapshots are no more than [`MOST_SNAPSHOTS`], and share what did not change between them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use path::{InputVector, Outcome, RunFlags};
use program::{FuncId, Type, ValueId};
use semantics::{Symbol, Value};
use smt::{Pool, Term};

use crate::code::{Ins, Source};
use crate::fail::Decided;
use crate::fault::Fault;
use crate::files::Files;
use crate::fixed::Fixed;
use crate::jump::Mark;
use crate::memory::Memory;
use crate::record::{Inputs, Record};
use crate::register::Register;
use crate::signals::Signals;
use crate::state::{End, Frame, State};
use crate::target::Machine;

/// Snapshots that are kept. Where there would be more, every second one goes and the distance doubles.
pub const MOST_SNAPSHOTS: usize = 64;
/// Instructions between the first snapshots.
const DISTANCE: u64 = 1024;

/// All of a run that goes on to change.
#[derive(Clone)]
struct Snapshot {
    memory: Memory,
    frames: Vec<Frame>,
    inputs: Inputs,
    steps: u64,
    calls: u64,
    errno: Option<u64>,
    files: Files,
    tables: BTreeMap<String, u64>,
    variables: Rc<BTreeMap<Vec<u8>, u64>>,
    at_exit: Vec<FuncId>,
    leaving: Option<i32>,
    marks: Vec<Mark>,
    decided: Decided,
    fixed: Fixed,
    signals: Signals,
    starting: Vec<FuncId>,
}

impl Snapshot {
    fn of(state: &State<'_>) -> Snapshot {
        Snapshot {
            memory: state.memory.clone(),
            frames: state.frames.clone(),
            inputs: state.inputs.clone(),
            steps: state.steps,
            calls: state.calls,
            errno: state.errno,
            files: state.files.clone(),
            tables: state.tables.clone(),
            variables: state.variables.clone(),
            at_exit: state.at_exit.clone(),
            leaving: state.leaving,
            marks: state.marks.clone(),
            decided: state.decided.clone(),
            fixed: state.fixed.clone(),
            signals: state.signals.clone(),
            starting: state.starting.clone(),
        }
    }

    fn put_into(self, state: &mut State<'_>) {
        let Snapshot {
            memory,
            frames,
            inputs,
            steps,
            calls,
            errno,
            files,
            tables,
            variables,
            at_exit,
            leaving,
            marks,
            decided,
            fixed,
            signals,
            starting,
        } = self;
        (state.memory, state.frames, state.inputs) = (memory, frames, inputs);
        (state.steps, state.calls, state.errno) = (steps, calls, errno);
        (state.files, state.tables, state.variables) = (files, tables, variables);
        (state.at_exit, state.leaving, state.marks) = (at_exit, leaving, marks);
        (state.decided, state.fixed) = (decided, fixed);
        (state.signals, state.starting) = (signals, starting);
    }
}

/// Why there are no states of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStates {
    #[error("the program has no main, or there is no room for its arguments")]
    Start,
    #[error("the path of the run is longer than what is kept of it")]
    Cut,
}

/// The states of one run.
pub struct States<'m, 'p> {
    machine: &'m mut Machine<'p>,
    pool: &'m mut Pool,
    course: Course,
}

/// How a run went, to be kept while its machine does something else.
pub struct Course {
    input: InputVector,
    /// For each step of the path, the instructions that were run before the one that records it.
    places: Vec<u64>,
    /// In the order of the run; the first is the start.
    snapshots: Vec<Snapshot>,
    distance: u64,
    outcome: Outcome,
}

impl<'p> Machine<'p> {
    /// Makes the run of this input, so that its states can be asked for. It has the limits of other runs, but that on time.
    ///
    /// # Errors
    /// The program cannot be started, or the path is too long: see [`NoStates`].
    pub fn states<'m>(
        &'m mut self,
        pool: &'m mut Pool,
        input: &InputVector,
    ) -> Result<States<'m, 'p>, NoStates> {
        let (mut places, mut snapshots, mut distance) = (Vec::new(), Vec::new(), DISTANCE);
        let main = self.main().ok_or(NoStates::Start)?;
        self.end_by_steps();
        let mut state = self.state(pool, input);
        state.start(main).map_err(|_| NoStates::Start)?;
        places.resize(state.record.steps.len(), 0);
        let outcome = loop {
            let due = snapshots
                .last()
                .is_none_or(|last: &Snapshot| state.steps >= last.steps + distance);
            if due {
                snapshots.push(Snapshot::of(&state));
                if snapshots.len() > MOST_SNAPSHOTS {
                    distance *= 2;
                    let mut index = 0;
                    snapshots.retain(|_| {
                        index += 1;
                        index % 2 == 1
                    });
                }
            }
            let before = state.steps;
            let made = state.step();
            let recorded = state.record.steps.len();
            let cut = [RunFlags::FOLDED, RunFlags::EVENTS_TRUNCATED];
            if recorded < places.len() || cut.iter().any(|flag| state.record.flags.contains(*flag))
            {
                return Err(NoStates::Cut);
            }
            places.resize(recorded, before);
            match made {
                Ok(()) => {}
                Err(End::Outcome(outcome)) => break outcome,
                Err(End::Fault(fault)) => break Outcome::Signalled(fault.signal()),
                // As the run itself ends there.
                Err(End::Unmodelled(_)) => break Outcome::Exited(0),
            }
        };
        Ok(States {
            machine: self,
            pool,
            course: Course {
                input: input.clone(),
                places,
                snapshots,
                distance,
                outcome,
            },
        })
    }

    /// The states of a run that was made before, by a machine of the same program and configuration, with the same pool.
    pub fn again<'m>(&'m mut self, pool: &'m mut Pool, course: Course) -> States<'m, 'p> {
        self.end_by_steps();
        States {
            machine: self,
            pool,
            course,
        }
    }
}

impl States<'_, '_> {
    /// What is needed to ask for states of the run later: see [`Machine::again`].
    #[must_use]
    pub fn into_course(self) -> Course {
        self.course
    }

    /// Steps of the path.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.course.places.len()
    }

    /// How the run ends.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.course.outcome
    }

    /// Snapshots that are kept, and the instructions between two.
    #[must_use]
    pub fn snapshots(&self) -> (usize, u64) {
        (self.course.snapshots.len(), self.course.distance)
    }

    /// Bytes of objects that the snapshots hold: those that several share count once.
    #[must_use]
    pub fn snapshot_bytes(&self) -> usize {
        let mut seen = BTreeSet::new();
        let memories = self
            .course
            .snapshots
            .iter()
            .map(|snapshot| &snapshot.memory);
        memories.map(|memory| memory.unseen_bytes(&mut seen)).sum()
    }

    /// Looks at the states of several steps, in the order of the path: the run is gone through once. What follows a step that the path
    /// has not is left out.
    pub fn each(&mut self, steps: &[usize], mut look: impl FnMut(usize, &mut View<'_>)) {
        let places: Vec<Option<u64>> = steps
            .iter()
            .map(|step| self.course.places.get(*step).copied())
            .collect();
        let Some(mut view) = steps.first().and_then(|first| self.before(*first)) else {
            return;
        };
        for (step, place) in steps.iter().zip(places) {
            let Some(place) = place else { return };
            while view.state.steps < place {
                if view.state.step().is_err() {
                    return;
                }
            }
            look(*step, &mut view);
        }
    }

    /// The state in which the instruction that records this step is about to run; `None` if the path has no such step.
    pub fn before(&mut self, step: usize) -> Option<View<'_>> {
        let place = *self.course.places.get(step)?;
        let after = self
            .course
            .snapshots
            .partition_point(|snapshot| snapshot.steps <= place);
        let nearest = self.course.snapshots.get(after.checked_sub(1)?)?.clone();
        let mut state = self.machine.state(self.pool, &self.course.input);
        nearest.put_into(&mut state);
        // What is recorded is known.
        state.record = Record::new(0, 0);
        while state.steps < place {
            state.step().ok()?;
        }
        Some(View { state })
    }
}

/// An object of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub base: u64,
    pub bytes: u64,
    /// Its life has not ended.
    pub alive: bool,
}

/// A number of the run with its expression; a constant where it depends on no input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub value: u128,
    pub term: Term,
}

/// A state. Calls are counted from the innermost, 0.
pub struct View<'a> {
    state: State<'a>,
}

impl View<'_> {
    /// Active calls.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.state.frames.len()
    }

    /// Single values that the run has asked for.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.state.inputs.asked()
    }

    /// What `getchar` will return after so many more calls of it, 32 bits; `None` where standard input is no input.
    pub fn character(&mut self, ahead: u32) -> Option<Term> {
        let stream = self.state.stream(path::Role::Stdin, None)?;
        let open = self.state.files.of_descriptor(0)?;
        let at = u32::try_from(self.state.files.get(open).position).ok()? + ahead;
        let (id, min, max) = {
            let stream = self.state.inputs.stream(stream);
            (stream.id, stream.min, stream.max)
        };
        let pool = &mut *self.state.pool;
        let end = pool.constant(32, u128::MAX);
        if at >= max {
            return Some(end);
        }
        let byte = pool.var(path::vars::var_of(id, at), 8);
        let byte = pool.zext(byte, 32);
        if min == max {
            return Some(byte);
        }
        let length = pool.var(path::vars::var_of(id, path::vars::LENGTH), 32);
        let place = pool.constant(32, at.into());
        let is_there = pool.cmp(smt::Op::Ult, place, length);
        Some(pool.ite(is_there, byte, end))
    }

    fn frame(&self, call: usize) -> Option<&Frame> {
        let frames = &self.state.frames;
        frames.get(frames.len().checked_sub(call + 1)?)
    }

    /// The function of an active call.
    #[must_use]
    pub fn function(&self, call: usize) -> Option<FuncId> {
        Some(self.frame(call)?.code.function)
    }

    /// The instruction that is about to run, or, in an outer call, that waits for its callee; `None` for a terminator.
    #[must_use]
    pub fn instruction(&self, call: usize) -> Option<ValueId> {
        let frame = self.frame(call)?;
        let at = frame.at.checked_sub(usize::from(call > 0))?;
        frame.code.origins.get(at).copied().flatten()
    }

    /// The condition of the branch, or the value of the `switch`, that is about to run.
    pub fn condition(&mut self) -> Option<Number> {
        let frame = self.frame(0)?;
        let (source, bits) = match &frame.code.instructions[frame.at] {
            Ins::Branch { cond, .. } => (*cond, Some(1)),
            Ins::Switch { value, .. } => (*value, None),
            _ => return None,
        };
        let register = self.state.get(source);
        let value = register.word();
        let term = match (register, source, bits) {
            (Register::Symbolic(_, term), ..) => term,
            (Register::Word(_), _, Some(bits)) => self.state.pool.constant(bits, value.into()),
            (Register::Word(_), Source::Register(register), None) => {
                return self.number(0, ValueId::from_u32(register));
            }
            _ => return None,
        };
        Some(Number {
            value: value.into(),
            term,
        })
    }

    /// The value of a parameter or an instruction of an active call: what it had when it was computed last. That it was computed is
    /// for the caller to know (its definition dominates the place).
    pub fn variable(&mut self, call: usize, variable: ValueId) -> Option<Value> {
        let frame = self.frame(call)?;
        let register = frame.registers.get(variable.index())?.clone();
        let ty = self.state.program.functions[frame.code.function].values[variable]
            .ty
            .clone();
        Some(match register {
            Register::Word(word) => {
                let bits = self.bits(&ty)?;
                Value::Scalar(self.state.pool.constant(bits, word.into()))
            }
            Register::Symbolic(_, term) => Value::Scalar(term),
            // The states of a run tell no bits without a value from others: nothing asks for them there.
            Register::Partial(_) => return None,
            Register::Wide(wide) => match &wide.symbolic {
                Some(value) => value.clone(),
                None => wide.concrete.value(self.state.pool),
            },
        })
    }

    /// The same of a variable of up to 64 bits, with its number.
    pub fn number(&mut self, call: usize, variable: ValueId) -> Option<Number> {
        let register = self.frame(call)?.registers.get(variable.index())?;
        let value = match register {
            Register::Word(word) | Register::Symbolic(word, _) => u128::from(*word),
            Register::Partial(_) | Register::Wide(_) => return None,
        };
        match self.variable(call, variable)? {
            Value::Scalar(term) => Some(Number { value, term }),
            Value::Members(_) => None,
        }
    }

    fn bits(&self, ty: &Type) -> Option<u16> {
        let bits = self.state.program.layout.bits_of(ty)?;
        u16::try_from(bits).ok()
    }

    /// Where a global or a function is.
    #[must_use]
    pub fn address(&self, symbol: Symbol) -> u64 {
        self.state.addresses.of(symbol)
    }

    /// The object that an address points into, or just behind; dead ones too.
    #[must_use]
    pub fn object(&self, address: u64) -> Option<Extent> {
        let object = self.state.memory.object(address)?;
        Some(Extent {
            base: object.base,
            bytes: object.bytes.len() as u64,
            alive: object.alive,
        })
    }

    /// Bytes of an object: each with its term, where it depends on an input.
    ///
    /// # Errors
    /// They are not all within a living object.
    pub fn bytes(&self, address: u64, count: u64) -> Result<Vec<(u8, Option<Term>)>, Fault> {
        self.state.memory.find(address, count)?;
        let places = (0..count).map(|index| address + index);
        places.map(|place| self.state.memory.byte(place)).collect()
    }

    /// A number in memory, as the program would load it: up to 16 bytes, little-endian.
    ///
    /// # Errors
    /// As of [`View::bytes`]. No or more than 16 bytes are out of bounds.
    pub fn load(&mut self, address: u64, count: u64) -> Result<Number, Fault> {
        if count == 0 || count > 16 {
            return Err(Fault::OutOfBounds);
        }
        let bytes = self.bytes(address, count)?;
        let pool = &mut *self.state.pool;
        let (mut value, mut whole) = (0, None);
        for (index, (byte, term)) in bytes.into_iter().enumerate() {
            value |= u128::from(byte) << (8 * index);
            let term = term.unwrap_or_else(|| pool.constant(8, byte.into()));
            whole = Some(match whole {
                Some(low) => pool.concat(term, low),
                None => term,
            });
        }
        let term = whole.ok_or(Fault::OutOfBounds)?;
        Ok(Number { value, term })
    }

    /// The pool of all terms.
    pub fn pool(&mut self) -> &mut Pool {
        self.state.pool
    }
}
