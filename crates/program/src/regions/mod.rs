//! Which objects a value may be an address of, wherever and whenever it is computed (Andersen, DIKU 1994): one set for each value, and one
//! for what each object holds, found from `main` on.
//!
//! An object is a variable, what one instruction makes on the stack, or what one call makes on the heap: calls of functions that only hand
//! out what they allocate are told apart by who calls them.
//!
//! Must hold: an address leads into an object only if that is in its set, as long as accesses stay in the objects that their addresses are
//! derived from. Where addresses may be known that are not derived (`%p`), where others find what is visible by its name, or where control
//! goes in unseen ways, nothing is said.

mod find;
mod sets;
mod steps;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::callgraph::CallSite;
use crate::following;
use crate::function::Target;
use crate::id::{ExternId, FuncId, GlobalId, ValueId};
use crate::inst::Op;
use crate::model::Program;
use crate::operand::{Const, Operand};
use crate::outside::{self, Effect, Outside, Result, finds_names};
use find::{Finder, Nothing};

/// A length in bytes, if it is a constant.
#[must_use]
pub fn length(operand: &Operand) -> Option<u64> {
    match operand {
        Operand::Const(Const::Int { value, .. }) => u64::try_from(*value).ok(),
        _ => None,
    }
}

/// What an address may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    /// Whatever is not of the program, and what others know of it.
    Outside,
    /// The number of the C library that says why something failed (`errno`): an address of it is what the program asked for, or gave away.
    Why,
    Global(GlobalId),
    /// Of an instruction that makes it on the stack.
    Stack(FuncId, ValueId),
    /// Of a call that allocates it.
    Heap(FuncId, ValueId),
    /// The arguments of a function that has no names for all of them.
    Rest(FuncId),
    Function(FuncId),
    Extern(ExternId),
}

/// Bytes of an object, from one offset up to another; `None`: any.
type Bytes = Option<(u32, u32)>;

/// Objects that an address may lead into, and where in them; never empty. What is outside may stand for all objects that others know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region(Spots);

/// Places, each with its object's number.
type Spots = Arc<BTreeSet<(u32, Bytes)>>;

/// What addresses may lead to.
#[derive(Debug, PartialEq, Eq)]
pub struct Regions {
    numbers: BTreeMap<Object, u32>,
    /// By the number of a value in its function.
    values: BTreeMap<FuncId, Vec<Spots>>,
    /// By objects.
    contents: Vec<Spots>,
    /// Objects that others know.
    escaped: BTreeSet<u32>,
    /// What calls through pointers call, where that is known.
    targets: BTreeMap<(FuncId, ValueId), Vec<Target>>,
    /// How the names of models of functions of the C library begin.
    models: String,
}

impl Regions {
    /// Of a program; `foreign`: it is linked with code that is not in the model; `models`: how the names of models of functions of the C
    /// library begin. `None`: nothing is known.
    #[must_use]
    pub fn of(program: &Program, foreign: bool, models: &str) -> Option<Regions> {
        if finds_names(program, foreign) || reads_addresses(program) {
            return None;
        }
        match Regions::found(program, foreign, models, false)? {
            Ok(regions) => Some(regions),
            Err(Nothing::Refused) => None,
            Err(Nothing::Spent) => Regions::found(program, foreign, models, true)?.ok(),
        }
    }

    /// `is_coarse`: places in objects are not told apart. `None`: there is no `main`.
    fn found(
        program: &Program,
        foreign: bool,
        models: &str,
        is_coarse: bool,
    ) -> Option<std::result::Result<Regions, Nothing>> {
        let root = program.function_named("main")?;
        let mut finder = Finder::new(program, models, is_coarse);
        for (id, _) in program.globals.iter() {
            finder.starts(id);
        }
        let unseen = following::entered_anytime(program, foreign);
        for function in unseen.into_iter().chain([root]) {
            finder.is_entered_unseen(function);
        }
        Some(finder.run())
    }

    /// What a value of a function may lead into; `None`: it is no address, or the function is never entered.
    #[must_use]
    pub fn value(&self, function: FuncId, value: ValueId) -> Option<Region> {
        let found = self.values.get(&function)?.get(value.index())?;
        (!found.is_empty()).then(|| Region(Arc::clone(found)))
    }

    /// Is a function ever entered?
    #[must_use]
    pub fn is_entered(&self, function: FuncId) -> bool {
        self.values.contains_key(&function)
    }

    /// The address of a variable of the program.
    #[must_use]
    pub fn global(&self, program: &Program, global: GlobalId) -> Region {
        let object = of_global(program, global);
        let number = self.numbers.get(&object).copied();
        let at = (object != Object::Outside).then_some((0, 0));
        Region(Arc::new(
            number.into_iter().map(|number| (number, at)).collect(),
        ))
    }

    /// What an instruction makes on the stack.
    #[must_use]
    pub fn stack(&self, function: FuncId, value: ValueId) -> Option<Region> {
        let number = self.numbers.get(&Object::Stack(function, value))?;
        Some(Region(Arc::new(BTreeSet::from([(*number, Some((0, 0)))]))))
    }

    /// What is not of the program, and what of it others know.
    #[must_use]
    pub fn outside(&self) -> Region {
        Region(Arc::new(BTreeSet::from([(OUTSIDE, None)])))
    }

    /// The number that says why something failed: any function of the C library may write to it. `None`: the program does not look at it.
    #[must_use]
    pub fn why(&self) -> Option<Region> {
        let number = self.numbers.get(&Object::Why)?;
        Some(Region(Arc::new(BTreeSet::from([(*number, None)]))))
    }

    /// What numbers in memory may lead into; `None`: nowhere.
    #[must_use]
    pub fn contents(&self, region: &Region) -> Option<Region> {
        let mut objects = region
            .0
            .iter()
            .map(|(object, _)| &self.contents[*object as usize]);
        let first = objects.next()?;
        let mut all = Arc::clone(first);
        for more in objects.filter(|more| !more.is_empty()) {
            Arc::make_mut(&mut all).extend(more.iter());
        }
        (!all.is_empty()).then_some(Region(all))
    }

    /// May some bytes be of both?
    #[must_use]
    pub fn meet(&self, a: &Region, b: &Region) -> bool {
        let is_known = |one: &Region, other: &Region| {
            let mut objects = other.0.iter();
            one.of(OUTSIDE).next().is_some()
                && objects.any(|(object, _)| self.escaped.contains(object))
        };
        let overlap = |one: Bytes, other: Bytes| match (one, other) {
            (Some((from, to)), Some((other_from, other_to))) => from < other_to && other_from < to,
            _ => true,
        };
        let mut all = a.0.iter();
        all.any(|(object, bytes)| b.of(*object).any(|other| overlap(*bytes, other)))
            || is_known(a, b)
            || is_known(b, a)
    }

    /// What a call through a pointer calls, if that is known.
    #[must_use]
    pub fn targets(&self, function: FuncId, call: ValueId) -> Option<&[Target]> {
        self.targets.get(&(function, call)).map(Vec::as_slice)
    }

    /// What a call of a function without a body writes, by its arguments, if that is known.
    #[must_use]
    pub fn written(
        &self,
        program: &Program,
        (function, call): (FuncId, ValueId),
        callee: ExternId,
    ) -> Option<Option<Region>> {
        let body = &program.functions[function];
        let Some(Op::Call { args, .. }) = body.inst(call).map(|inst| &inst.op) else {
            return None;
        };
        self.values.get(&function)?;
        let of = |args: &[Operand]| {
            let mut all: Option<Region> = None;
            for arg in args {
                if let Some(more) = self.operand(program, function, arg) {
                    all = Some(more.spread().and(all));
                }
            }
            all
        };
        let name = &*program.externs[callee].name;
        let written = match effect(Outside::of(program), name) {
            Effect::Unknown => Some(self.outside().and(of(args))),
            Effect::Writes(_) | Effect::Parses | Effect::Keeps => of(args),
            // What it makes.
            Effect::Allocates(_) | Effect::Reallocates => {
                let made = self.numbers.get(&Object::Heap(function, call))?;
                Some(Region(Arc::new(BTreeSet::from([(*made, None)]))))
            }
            _ => None,
        };
        let kept = kept_by_library(Some(self), program, name).flatten();
        Some(match kept {
            Some(kept) => Some(kept.and(written)),
            None => written,
        })
    }

    /// What a call writes through pointers that enters a function: the model of one of the C library of which that is known by its name.
    #[must_use]
    pub fn summed_up(
        &self,
        program: &Program,
        site: &CallSite,
        function: FuncId,
    ) -> Option<Option<Region>> {
        let modelled = program.functions[function]
            .name
            .strip_prefix(&*self.models)?;
        let mut externs = site.externs();
        let id = externs.find(|id| program.externs[*id].name == modelled)?;
        is_summed_up(modelled)
            .then(|| self.written(program, (site.function, site.inst), id))
            .flatten()
    }

    /// What an operand may lead into.
    #[must_use]
    pub fn operand(
        &self,
        program: &Program,
        function: FuncId,
        operand: &Operand,
    ) -> Option<Region> {
        match operand {
            Operand::Value(value) => self.value(function, *value),
            Operand::Const(Const::Global { global, offset }) => {
                Some(self.global(program, *global).moved(*offset))
            }
            Operand::Const(_) => None,
        }
    }
}

impl Region {
    /// Bytes of one object.
    fn of(&self, object: u32) -> impl Iterator<Item = Bytes> + '_ {
        let own = self
            .0
            .range((object, None)..=(object, Some((u32::MAX, u32::MAX))));
        own.map(|(_, bytes)| *bytes)
    }

    fn map(self, f: impl Fn((u32, u32)) -> Bytes) -> Region {
        let all = self
            .0
            .iter()
            .map(|(object, bytes)| (*object, bytes.and_then(&f)));
        Region(Arc::new(all.collect()))
    }

    /// So many bytes further on.
    #[must_use]
    pub fn moved(self, by: i64) -> Region {
        let moved = |at: u32| u32::try_from(i64::from(at).checked_add(by)?).ok();
        self.map(|(from, to)| Some((moved(from)?, moved(to)?)))
    }

    /// Anywhere in the objects.
    #[must_use]
    pub fn spread(self) -> Region {
        self.map(|_| None)
    }

    /// So many bytes from there on.
    #[must_use]
    pub fn sized(self, bytes: u64) -> Region {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.map(|(from, _)| Some((from, from.saturating_add(bytes))))
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Option<Region>) -> Region {
        let Some(other) = other else { return self };
        if Arc::ptr_eq(&self.0, &other.0) {
            return self;
        }
        // The smaller one is put into the other.
        let (mut all, other) = match self.0.len() >= other.0.len() {
            true => (self.0, other.0),
            false => (other.0, self.0),
        };
        if !other.is_subset(&all) {
            Arc::make_mut(&mut all).extend(other.iter());
        }
        Region(all)
    }

    /// Places in it.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// How the names begin of what models of functions of the C library call in our own: it keeps nothing.
const HOOK: &str = "__bw_hook_";

/// Is it one of those?
#[must_use]
pub fn is_hook(name: &str) -> bool {
    name.starts_with(HOOK)
}

/// What a call of a function without a body does.
fn effect(outside: Outside, name: &str) -> Effect {
    match name.starts_with(HOOK) {
        true => Effect::Writes(Result::Number),
        false => outside.effect(name),
    }
}

/// Functions that turn numbers into texts and back: they write into the objects of their arguments, and keep nothing. Their models are
/// programs of their own, through which everything would seem to lead everywhere.
const SUMMED_UP: &[&str] = &[
    "sprintf",
    "snprintf",
    "printf",
    "fprintf",
    "sscanf",
    "__isoc99_sscanf",
    "strtod",
    "strtof",
    "strtold",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
];

/// Is what a function does known by its name, whatever its model does?
fn is_summed_up(name: &str) -> bool {
    SUMMED_UP.contains(&name)
}

/// What a function writes that writes to nothing but what the C library keeps: why it failed (`errno`), and variables that it finds by
/// their names. `None`: that may be anywhere, as nothing is known of addresses.
#[must_use]
pub fn kept_by_library(
    known: Option<&Regions>,
    program: &Program,
    name: &str,
) -> Option<Option<Region>> {
    let (may_fail, variables) = (outside::may_fail(name), outside::writes_variables(name));
    let Some(known) = known else {
        let is_seen = variables || may_fail && outside::looks_why(program);
        return (!is_seen).then_some(None);
    };
    let why = known.why().filter(|_| may_fail);
    Some(match variables {
        true => Some(known.outside().and(why)),
        false => why,
    })
}

/// The number of what is not of the program.
const OUTSIDE: u32 = 0;

fn of_global(program: &Program, global: GlobalId) -> Object {
    match program.globals[global].init {
        Some(_) => Object::Global(global),
        None => Object::Outside,
    }
}

/// May the program make an address of a text?
fn reads_addresses(program: &Program) -> bool {
    let mut externs = program.externs.values();
    if !externs.any(|known| known.name.contains("scanf")) {
        return false;
    }
    let mut inits = program.globals.values().filter_map(|it| it.init.as_ref());
    inits.any(|init| init.bytes.windows(2).any(|two| two == b"%p"))
}
