//! The machine as a [`Target`].

use std::collections::BTreeMap;

use path::{InputVector, Outcome, Run, Target, TargetError, Visits};
use program::Program;
use smt::Pool;

use crate::memory::Memory;
use crate::record::{Inputs, Record};
use crate::register::Register;
use crate::state::{Addresses, Codes, State, load};

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

/// Runs a program by its model.
pub struct Machine<'p> {
    program: &'p Program,
    limits: Limits,
    /// Memory as it is at the start.
    memory: Memory,
    addresses: Addresses,
    codes: Codes,
    scratch: Pool,
    /// Where a run ended because it came to what is not modelled: how often, by name.
    pub unmodelled: BTreeMap<String, u32>,
    /// Instructions of all runs.
    pub steps: u64,
    /// What the last run printed, as far as it is kept.
    pub output: Vec<u8>,
}

impl<'p> Machine<'p> {
    /// A machine for this program.
    ///
    /// # Errors
    /// The program has no `main`, or its data do not fit into the address space.
    pub fn new(program: &'p Program, limits: Limits) -> Result<Machine<'p>, TargetError> {
        if program.function_named("main").is_none() {
            return Err(TargetError::Start("the program has no main".to_owned()));
        }
        let Some((memory, addresses)) = load(program) else {
            let text = "the program's data do not fit into its address space";
            return Err(TargetError::Start(text.to_owned()));
        };
        Ok(Machine {
            program,
            limits,
            memory,
            addresses,
            codes: program.functions.keys().map(|_| None).collect(),
            scratch: Pool::new(),
            unmodelled: BTreeMap::new(),
            steps: 0,
            output: Vec::new(),
        })
    }

    fn state<'a>(&'a mut self, pool: &'a mut Pool, input: &InputVector) -> State<'a> {
        State {
            program: self.program,
            addresses: &self.addresses,
            codes: &mut self.codes,
            pool,
            scratch: &mut self.scratch,
            limits: self.limits,
            memory: self.memory.clone(),
            frames: Vec::new(),
            record: Record::new(self.limits.path),
            inputs: Inputs::new(input),
            steps: 0,
            errno: None,
            end_seen: false,
            tables: BTreeMap::new(),
            unmodelled: None,
            output: Vec::new(),
        }
    }
}

impl Target for Machine<'_> {
    fn run(&mut self, pool: &mut Pool, input: &InputVector) -> Result<Run, TargetError> {
        let main = self.program.function_named("main");
        let main = main.ok_or_else(|| TargetError::Start("the program has no main".to_owned()))?;
        let mut state = self.state(pool, input);
        let outcome = match state
            .arguments()
            .and_then(|args| state.enter(main, args, Vec::new(), 0))
        {
            Ok(()) => state.run(),
            Err(_) => Outcome::Memory,
        };
        let (steps, unmodelled) = (state.steps, state.unmodelled.take());
        let output = std::mem::take(&mut state.output);
        let run = state.finish(outcome);
        self.steps += steps;
        self.output = output;
        if let Some(what) = unmodelled {
            *self.unmodelled.entry(what).or_default() += 1;
        }
        Ok(run)
    }

    fn run_concrete(
        &mut self,
        _input: &InputVector,
        _visits: &mut Visits,
    ) -> Result<Option<Outcome>, TargetError> {
        Ok(None)
    }
}

impl State<'_> {
    /// `argc`, `argv` and the environment: the program's name alone.
    fn arguments(&mut self) -> crate::state::Made<Vec<Register>> {
        use crate::memory::Kind;
        let full = || crate::state::End::Outcome(Outcome::Memory);
        let pointer = u64::from(self.program.layout.pointer_bits / 8);
        let name = self.memory.add(Kind::Global, 8).ok_or_else(full)?;
        self.memory.initialise(name, 0, b"program");
        let list = self
            .memory
            .add(Kind::Global, 2 * pointer)
            .ok_or_else(full)?;
        let bytes = name.to_le_bytes();
        self.memory.initialise(list, 0, &bytes[..pointer as usize]);
        let environment = self.memory.add(Kind::Global, pointer).ok_or_else(full)?;
        Ok(vec![
            Register::Word(1),
            Register::Word(list),
            Register::Word(environment),
        ])
    }
}
