//! The plan: which objects a function gets, which of their parts are inputs, and what each choice means.
//!
//! A plan is a tree of steps in the order in which a harness does them. Objects are given out breadth first, so that a
//! bound on their number cuts the deepest, but they are made depth first.
//!
//! Must hold: every name of an input stands once in a plan (but for those of stubs, which are asked for at each call); a
//! choice has as many legends as options; value 0 of every choice is the most ordinary one, because the first run has
//! every input 0.

mod aggregate;
mod pointer;
mod scalar;
mod shape;
mod stub;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::rc::Rc;

use crate::spell::Returned;
use crate::types::{Function, Info, TypeId};

pub use scalar::Scalar;
pub use shape::Planner;

/// Index of a block of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(u32);

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block{}", self.0)
    }
}

/// Index of an object in fresh memory. Its text form is the C variable that points to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);

impl ObjectId {
    /// The number of the object.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bw_object{}", self.0)
    }
}

/// Index of a stub for a pointer to a function. Its text form is the name of the C function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StubId(u32);

impl fmt::Display for StubId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bw_stub{}", self.0)
    }
}

/// Names of choices between a variable as it is initialised and an input begin so.
pub const INITIALISED: &str = "set(";

/// How much is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Elements of an array behind a pointer.
    pub array: u32,
    /// Characters of a string, bytes behind `void *`.
    pub text: u32,
    /// Pointers in a row: `p->next->next` is 3 deep.
    pub depth: u32,
    /// Objects behind pointers in all.
    pub objects: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            array: 8,
            text: 32,
            depth: 4,
            objects: 24,
        }
    }
}

/// One step of building inputs. Places are C lvalues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An input of a scalar type.
    Scalar {
        place: String,
        name: String,
        scalar: Scalar,
    },
    /// A bit-field: an input of the scalar type that has room for it, within the field's range.
    Bits {
        place: String,
        name: String,
        scalar: Scalar,
        width: u32,
    },
    /// `count` bytes from an address on.
    Bytes {
        address: String,
        name: String,
        count: u64,
        /// Characters, a zero behind them.
        text: bool,
    },
    /// One of several blocks, by an input.
    Choose { name: String, options: Vec<Choice> },
    /// Fresh memory for an object; the place points to it.
    New { place: String, object: ObjectId },
    /// The place gets the value of a C expression.
    Constant { place: String, value: String },
    /// The place gets the value of a C expression that is a pointer.
    Set { place: String, value: String },
    /// The place points to an element of an object, or behind the last one; to nothing where the object was not made.
    Inside {
        place: String,
        object: ObjectId,
        element: u64,
    },
    /// A block that is only done where a C condition holds.
    When { condition: String, block: BlockId },
}

/// One option of a choice: its steps, and what a test says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// For readers of tests: `a new struct node`, `NULL`.
    pub legend: String,
    pub block: BlockId,
}

/// Fresh memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Declaration of the pointer to it (`struct node *bw_object3`), or of a pointer to bytes if the element's type
    /// has no name.
    pub declaration: String,
    /// C expression of the size of one element, in bytes.
    pub element: String,
    /// Elements that are inputs.
    pub count: u64,
    /// Zero bytes behind them.
    pub spare: u64,
    /// C expression of the number of elements that the function is told of, if it is told.
    pub length: Option<String>,
    /// What is built in it.
    pub block: BlockId,
    /// Where it was first put, as a reader knows it: `hdr->next`.
    pub name: String,
    /// The C lvalue of that pointer; the places in the object's block begin with it.
    pub place: String,
    /// Made at a call of a stub.
    pub stub: bool,
    /// Type of an element.
    pub ty: TypeId,
}

/// A function that is called through a pointer, or that the unit leaves undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// C name.
    pub symbol: String,
    /// The function's declaration, without `static`.
    pub declaration: String,
    /// Not seen outside.
    pub internal: bool,
    /// Declaration of the variable `bw_result`; none for `void`.
    pub result: Option<String>,
    /// It never returns.
    pub ends: bool,
    pub block: BlockId,
    /// Where a function like it may write more than the block does: a C condition and the pointer.
    pub beyond: Vec<(String, String)>,
}

/// A parameter of the function under test, as a local variable of the harness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Name of the variable.
    pub name: String,
    /// Its type as a typedef that declares `bw_typeN`.
    pub typedef: String,
    pub ty: TypeId,
}

/// The steps that build a function's arguments and variables, and what each input means.
#[derive(Clone, Debug)]
pub struct Plan {
    pub function: Function,
    pub params: Vec<Param>,
    /// More arguments, for the `...` of a variadic function: their variables.
    pub variadic: Vec<String>,
    blocks: Vec<Vec<Step>>,
    objects: Vec<Object>,
    pub stubs: Vec<Stub>,
    /// Declarations that make the compiler emit inline definitions; definitions of objects that the unit only declares.
    pub definitions: Vec<String>,
    /// Places whose type is `const`: they are written through a pointer.
    pub constants: HashSet<String>,
    /// Members and functions with the name of a macro.
    pub hidden: BTreeSet<String>,
    /// Variables that are inputs.
    pub variables: Vec<String>,
    /// Whether functions of the unit have variables that live on between calls.
    pub statics: bool,
    /// The variable `bw_result`, unless the function returns nothing, or nothing that has a name.
    pub result: Option<Returned>,
    /// Fills the globals.
    pub globals: BlockId,
    /// Fills the parameters.
    pub arguments: BlockId,
    /// Whether a stream of the C library is an argument: standard input stands for it.
    pub stream: bool,
    /// Whether a stream that takes output may be one.
    pub sink: bool,
    /// What the values of choices and enumerations mean, by the input's name.
    pub legend: BTreeMap<String, BTreeMap<i128, String>>,
    /// The names in it that are those of choices.
    pub choices: HashSet<String>,
    /// What could not be built, and what was built instead.
    pub notes: Vec<String>,
}

impl Plan {
    /// Whether the bounds may have cut something: then what no input reaches is only out of their reach.
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        !self.objects.is_empty() || self.stream || !self.variadic.is_empty()
    }

    /// The statement that calls the function.
    pub(crate) fn call(&self) -> String {
        let params = self.params.iter().enumerate();
        let params = params.map(|(index, param)| {
            let is_cast = self.function.casts.contains(&index);
            format!("{}{}", if is_cast { "(void *)" } else { "" }, param.name)
        });
        let more = self.variadic.iter().cloned();
        let arguments: Vec<String> = params.chain(more).collect();
        format!("{}({});", self.function.name, arguments.join(", "))
    }

    /// The statement that gives a bit-field of the plan, which the text knows as `shown`, a value. A bit-field has no
    /// address: where what it is in is `const`, a copy of that is written.
    pub(crate) fn assign_bits(&self, place: &str, shown: &str, value: &str) -> String {
        let within = shown
            .rsplit_once("->")
            .map(|(outer, name)| (format!("(*{outer})"), name))
            .filter(|(_, name)| !name.contains('.'))
            .or_else(|| {
                let (outer, name) = shown.rsplit_once('.')?;
                Some((outer.to_owned(), name))
            });
        match within {
            Some((outer, name)) if self.constants.contains(place) => format!(
                "{{ __auto_type bw_copy = {outer}; bw_copy.{name} = {value}; \
                 __builtin_memcpy((void *)&{outer}, &bw_copy, sizeof bw_copy); }}"
            ),
            _ => format!("{shown} = {value};"),
        }
    }

    /// Steps of a block.
    #[must_use]
    pub fn block(&self, id: BlockId) -> &[Step] {
        &self.blocks[id.0 as usize]
    }

    /// One object.
    #[must_use]
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// All objects, in the order in which they were given out.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        (0u32..).map(ObjectId).zip(&self.objects)
    }

    /// The options of a choice, in words, by their values; `None` where the input is none.
    #[must_use]
    pub fn choices_of(&self, name: &str) -> Option<&BTreeMap<i128, String>> {
        self.choices
            .contains(name)
            .then(|| self.legend.get(name))
            .flatten()
    }

    /// What a value means, in words.
    #[must_use]
    pub fn meaning(&self, name: &str, value: i128) -> Option<&str> {
        Some(self.legend.get(name)?.get(&value)?.as_str())
    }
}

/// A variable at file scope that becomes an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    /// It holds something else than 0 at the start.
    pub initialised: bool,
}

/// An object that the linker misses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingObject {
    /// As C knows it, and as the linker does.
    pub name: String,
    pub symbol: String,
    pub ty: TypeId,
    /// One of each thread.
    pub thread: bool,
}

/// A pointer into the array of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The other: the index of a parameter, or the offset of a member in the same object.
    pub of: u64,
    /// Nothing that follows is compared with it: it is the array's end.
    pub is_end: bool,
    /// Nothing is read or written there: it marks a place, and is nowhere else.
    pub is_mark: bool,
}

/// How the code uses a parameter, or a member of what one points to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of a pointer: whether there are several objects behind it, as the code (or a contract) says; `None`: that is not known.
    pub several: Option<bool>,
    /// Of a pointer: it is a place in the array behind another pointer, as the code compares the two.
    pub place: Option<Place>,
    /// Of an integer: whether it can be no length.
    pub no_length: bool,
    /// Of a pointer to a struct: how its members are used, by their offset in bytes; those that are not known are missing.
    pub members: Rc<BTreeMap<u64, Usage>>,
}

/// What a plan is made for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub info: &'a Info,
    pub function: &'a Function,
    pub bounds: Bounds,
    /// How each parameter is used; empty if nobody looked.
    pub uses: Vec<Usage>,
    /// Variables that become inputs.
    pub globals: Vec<Global>,
    /// Functions that the linker misses, with their types; `None` where nothing is known of it. True: it never returns.
    pub undefined: Vec<(String, Option<TypeId>, bool)>,
    /// Objects that the linker misses: the harness defines them.
    pub missing: Vec<MissingObject>,
    /// Declarations that make the compiler emit inline definitions.
    pub emitted: Vec<String>,
    /// Names of the macros that are defined at the end of the unit.
    pub macros: HashSet<String>,
    /// Whether the function, or one that it may call, writes to streams.
    pub output: bool,
}

/// Makes the plan.
#[must_use]
pub fn plan(request: &Request<'_>) -> Plan {
    Planner::new(request).all()
}
