//! What the program finds when it starts: its arguments and its environment, symbolic ones among them.
//!
//! Must hold: without symbolic arguments, `main` gets what the config says.

use std::collections::BTreeMap;
use std::rc::Rc;

use path::{InputVector, Outcome, Role};
use program::FuncId;
use semantics::Symbol;

use crate::memory::{Kind, Memory};
use crate::record::StreamId;
use crate::register::Register;
use crate::state::{End, Made, State};

/// The program's name, as it sees it.
const NAME: &[u8] = b"program";

/// A world that is laid out.
#[derive(Debug)]
pub(crate) struct Begun {
    pub memory: Memory,
    variables: Rc<BTreeMap<Vec<u8>, u64>>,
    args: Vec<Register>,
}

/// Whether a stream is an argument or a variable, or says whether one is there.
fn is_of_the_world(role: Role) -> bool {
    matches!(
        role,
        Role::Argument(_) | Role::Arguments(_) | Role::Variable | Role::VariableSet
    )
}

/// Whether nothing of the world is an input.
pub(crate) fn is_plain(input: &InputVector) -> bool {
    !input
        .streams
        .iter()
        .any(|stream| is_of_the_world(stream.role))
}

impl State<'_> {
    /// Enters `main`, with the world laid out. A world without inputs is laid out once: the next run begins with what is there then.
    pub fn start(&mut self, main: FuncId) -> Made {
        let is_plain = is_plain(&self.inputs.vector);
        if let (true, Some(begun)) = (is_plain, &*self.begun) {
            // The memory is this one's already: `Machine::state`.
            self.variables = Rc::clone(&begun.variables);
            self.args = begun.args.clone();
            return self.begin(main);
        }
        self.args = self.world()?;
        if is_plain {
            *self.begun = Some(Begun {
                memory: self.memory.clone(),
                variables: Rc::clone(&self.variables),
                args: self.args.clone(),
            });
        }
        self.begin(main)
    }

    /// Enters the first of the constructors, or `main`.
    fn begin(&mut self, main: FuncId) -> Made {
        self.at_exit = self.addresses.destructors.clone();
        self.starting = vec![main];
        let constructors = self.addresses.constructors.iter().rev();
        self.starting.extend(constructors);
        self.start_next()
    }

    /// Enters the next function of those that the program begins with.
    pub fn start_next(&mut self) -> Made {
        let Some(next) = self.starting.pop() else {
            return Ok(());
        };
        self.enter(next, self.args.clone(), Vec::new(), 0)
    }

    /// Lays out the world; the arguments of `main`.
    fn world(&mut self) -> Made<Vec<Register>> {
        let environment = self.environment()?;
        let arguments = self.arguments()?;
        let count = arguments.len() as u64;
        let list = self.list(&arguments)?;
        let environment = self.list(&environment)?;
        for (id, global) in self.program.globals.iter() {
            if global.init.is_none() && matches!(&*global.name, "environ" | "__environ") {
                let place = self.addresses.of(Symbol::Global(id));
                let width = (self.program.layout.pointer_bits / 8) as usize;
                self.memory
                    .initialise(place, 0, &environment.to_le_bytes()[..width]);
            }
        }
        Ok(vec![
            Register::Word(count),
            Register::Word(list),
            Register::Word(environment),
        ])
    }

    fn arguments(&mut self) -> Made<Vec<u64>> {
        let config = self.config;
        let mut arguments = vec![self.text_object(NAME)?];
        for (place, text) in (1..).zip(&config.args) {
            if !self.present(place) {
                continue;
            }
            let address = match self.stream(Role::Argument(place), None) {
                Some(stream) => self.lay_string(stream, b"")?,
                None => self.text_object(text)?,
            };
            arguments.push(address);
        }
        Ok(arguments)
    }

    /// Whether an argument is there on this run. Each group's count is decided once, in the order of the groups.
    fn present(&mut self, place: u32) -> bool {
        let streams = self.inputs.vector.streams.iter().enumerate();
        let group = streams.filter_map(|(index, stream)| match stream.role {
            Role::Arguments(first) => {
                let here = (first..first.saturating_add(stream.max)).contains(&place);
                here.then_some((StreamId(index as u32), first))
            }
            _ => None,
        });
        match { group }.next() {
            Some((stream, first)) => place - first < self.counted(stream),
            None => true,
        }
    }

    /// The variables, each as `NAME=VALUE`.
    fn environment(&mut self) -> Made<Vec<u64>> {
        let config = self.config;
        let mut all = Vec::new();
        for (name, value) in &config.variables {
            let symbolic = self.variable_stream(name).is_some();
            if !symbolic {
                let mut text = [name.as_slice(), b"="].concat();
                let start = text.len() as u64;
                text.extend(value);
                let address = self.text_object(&text)?;
                self.variable_at(name.clone(), address + start);
                all.push(address);
            }
        }
        for index in 0..self.inputs.vector.streams.len() {
            let stream = StreamId(index as u32);
            let record = self.inputs.stream(stream);
            if record.role != Role::Variable {
                continue;
            }
            let name = record.name.clone();
            let set = self.stream(Role::VariableSet, Some(&name));
            if set.is_some_and(|set| self.supplied(set) == 0) {
                continue;
            }
            let before = [name.as_bytes(), b"="].concat();
            let address = self.lay_string(stream, &before)?;
            let value = address + before.len() as u64;
            self.variable_at(name.as_bytes().to_vec(), value);
            all.push(address);
        }
        Ok(all)
    }

    fn variable_at(&mut self, name: Vec<u8>, place: u64) {
        Rc::make_mut(&mut self.variables).insert(name, place);
    }

    fn variable_stream(&self, name: &[u8]) -> Option<StreamId> {
        let name = std::str::from_utf8(name).ok()?;
        self.stream(Role::Variable, Some(name))
    }

    /// The program asks for a variable: whether it is set is decided now.
    pub fn variable(&mut self, name: &[u8]) -> u64 {
        if let Ok(text) = std::str::from_utf8(name) {
            if let Some(set) = self.stream(Role::VariableSet, Some(text)) {
                self.counted(set);
            }
            if let Some(content) = self.stream(Role::Variable, Some(text)) {
                self.used(content, self.supplied(content));
            }
        }
        self.variables.get(name).copied().unwrap_or(0)
    }

    fn text_object(&mut self, text: &[u8]) -> Made<u64> {
        let full = End::Outcome(Outcome::Memory);
        let size = text.len() as u64 + 1;
        let base = self.memory.add(Kind::Global, size).ok_or(full)?;
        self.memory.initialise(base, 0, text);
        Ok(base)
    }

    /// An array of pointers with a null pointer behind them.
    fn list(&mut self, pointers: &[u64]) -> Made<u64> {
        let width = (self.program.layout.pointer_bits / 8) as usize;
        let full = End::Outcome(Outcome::Memory);
        let size = (width * (pointers.len() + 1)) as u64;
        let base = self.memory.add(Kind::Global, size).ok_or(full)?;
        for (index, pointer) in pointers.iter().enumerate() {
            let bytes = &pointer.to_le_bytes()[..width];
            self.memory.initialise(base, (width * index) as u64, bytes);
        }
        Ok(base)
    }
}
