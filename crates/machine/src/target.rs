//! The machine as a [`Target`].

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use path::{InputVector, Outcome, Run, Target, TargetError, Visits};
use program::{FuncId, Program};
use smt::Pool;

use crate::externs::Externs;
use crate::fail::Decided;
use crate::fault::Error;
use crate::files::Files;
use crate::fixed::Fixed;
use crate::leaks::Leaks;
use crate::memo::Memo;
use crate::memory::Memory;
use crate::record::{Inputs, Record};
use crate::signals::Signals;
use crate::state::{Addresses, Codes, Left, State, load};
use crate::world::{Begun, is_plain};

/// What one run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions: above it the run counts as one that does not end.
    pub steps: u64,
    /// Bytes of all living objects.
    pub memory: u64,
    /// Active calls.
    pub depth: usize,
    /// Values that a program may ask for.
    pub inputs: usize,
    /// Steps of a path that are kept.
    pub path: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 100_000_000,
            memory: 1 << 30,
            depth: 20_000,
            inputs: 1 << 16,
            path: 1 << 20,
        }
    }
}

/// Errors that end a run beyond those that memory has no way to go on after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finds {
    /// Bits that nothing has written decide something: a branch, an address, a length.
    pub uninitialised: bool,
    /// Memory that is not freed, and that nothing points to when the program ends.
    pub leaks: bool,
    /// A result of signed arithmetic that its type does not have, in a model that says which arithmetic is signed.
    pub overflow: bool,
}

/// How to run a program.
#[derive(Clone, Default)]
pub struct Config {
    pub limits: Limits,
    pub finds: Finds,
    /// Its arguments, without its name.
    pub args: Vec<Vec<u8>>,
    /// Its environment, without what is symbolic.
    pub variables: Vec<(Vec<u8>, Vec<u8>)>,
    /// Asked now and then during a run: false ends it, as one that does not end. (Steps on symbolic values take longer than others,
    /// and nothing here reads a clock.)
    pub goes_on: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// Single values after which a run ends, for programs that ask without end, unless its input gives more.
    pub calls: Option<u32>,
    /// Also if its input gives more.
    pub cuts: bool,
    /// Functions whose calls may fail.
    pub failing: wire::fail::Set,
}

/// Runs a program by its model.
pub struct Machine<'p> {
    program: &'p Program,
    config: Config,
    /// Memory as it is at the start.
    memory: Memory,
    addresses: Addresses,
    codes: Codes,
    externs: Externs,
    scratch: Pool,
    /// Terms that earlier runs made.
    memo: Memo,
    /// The world of runs without symbolic arguments and variables.
    begun: Option<Begun>,
    /// What the run before leaves to the next.
    left: Left,
    /// Where a run ended because it came to what is not modelled: how often, by name.
    pub unmodelled: BTreeMap<String, u32>,
    /// Instructions of all runs.
    pub steps: u64,
    /// The error that ended the last run, if one did.
    pub error: Option<Error>,
    /// What the last run printed, as far as it is kept.
    pub output: Vec<u8>,
}

impl<'p> Machine<'p> {
    /// A machine for this program.
    ///
    /// # Errors
    /// The program has no `main`, or its data do not fit into the address space.
    pub fn new(program: &'p Program, config: Config) -> Result<Machine<'p>, TargetError> {
        if program.function_named("main").is_none() {
            return Err(TargetError::Start("the program has no main".to_owned()));
        }
        let Some((memory, addresses)) = load(program) else {
            let text = "the program's data do not fit into its address space";
            return Err(TargetError::Start(text.to_owned()));
        };
        Ok(Machine {
            program,
            config,
            memory,
            addresses,
            codes: program.functions.keys().map(|_| None).collect(),
            externs: program.externs.keys().map(|_| None).collect(),
            scratch: Pool::new(),
            memo: Memo::default(),
            begun: None,
            left: Left::default(),
            unmodelled: BTreeMap::new(),
            steps: 0,
            error: None,
            output: Vec::new(),
        })
    }

    /// The next run has no limit on time.
    pub(crate) fn end_by_steps(&mut self) {
        self.config.goes_on = None;
    }

    /// Ends the next run as soon as this is false.
    pub fn end_unless(&mut self, goes_on: Arc<dyn Fn() -> bool + Send + Sync>) {
        self.config.goes_on = Some(goes_on);
    }

    pub(crate) fn main(&self) -> Option<FuncId> {
        self.program.function_named("main")
    }

    pub(crate) fn state<'a>(&'a mut self, pool: &'a mut Pool, input: &InputVector) -> State<'a> {
        self.memo.of(pool);
        // A pointer that is left in one would hide a leak.
        let mut left = std::mem::take(&mut self.left);
        if self.config.finds.leaks {
            left.spare = Vec::new();
        }
        let start = match &self.begun {
            Some(begun) if is_plain(input) => &begun.memory,
            _ => &self.memory,
        };
        let memory = match left.memory {
            Some(mut memory) => {
                memory.become_again(start);
                memory
            }
            None => start.clone(),
        };
        State {
            program: self.program,
            addresses: &self.addresses,
            codes: &mut self.codes,
            externs: &mut self.externs,
            pool,
            scratch: &mut self.scratch,
            memo: &mut self.memo,
            begun: &mut self.begun,
            config: &self.config,
            memory,
            frames: left.frames,
            spare: left.spare,
            record: Record::new(self.config.limits.path, left.steps),
            inputs: Inputs::new(input),
            steps: 0,
            calls: 0,
            errno: None,
            files: Files::new(&input.streams, self.addresses.standard()),
            tables: BTreeMap::new(),
            variables: Rc::default(),
            unmodelled: None,
            at_exit: Vec::new(),
            leaving: None,
            marks: Vec::new(),
            error: None,
            undecided: false,
            leaks: Leaks::default(),
            output: Vec::new(),
            decided: Decided::default(),
            fixed: Fixed::default(),
            signals: Signals::default(),
            starting: Vec::new(),
            args: Vec::new(),
        }
    }
}

impl Machine<'_> {
    /// Makes a run; with nothing symbolic if so.
    fn make(
        &mut self,
        pool: &mut Pool,
        input: &InputVector,
        concrete: bool,
    ) -> Result<Run, TargetError> {
        let main = self.main();
        let main = main.ok_or_else(|| TargetError::Start("the program has no main".to_owned()))?;
        let mut state = self.state(pool, input);
        state.inputs.concrete = concrete;
        let outcome = match state.start(main) {
            Ok(()) => state.run(),
            Err(_) => Outcome::Memory,
        };
        let (steps, unmodelled) = (state.steps, state.unmodelled.take());
        let output = std::mem::take(&mut state.output);
        let error = state.error.take();
        let left = state.left();
        let run = state.finish(outcome);
        self.left = left;
        self.steps += steps;
        self.output = output;
        self.error = error;
        if let Some(what) = unmodelled {
            *self.unmodelled.entry(what).or_default() += 1;
        }
        Ok(run)
    }
}

impl Target for Machine<'_> {
    fn run(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        self.make(pool, input, false)
    }

    fn run_concrete(
        &mut self,
        input: &InputVector,
        visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        // Nothing is made in it but a few constants.
        let mut pool = Pool::new();
        let run = self.make(&mut pool, input, true)?;
        visits.add_run(&run);
        Ok(Some(run.outcome))
    }
}
