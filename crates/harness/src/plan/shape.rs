//! Which parts of an object are inputs: walks a type and writes steps.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::rc::Rc;

use super::{
    BlockId, Choice, INITIALISED, MissingObject, Object, ObjectId, Param, Place, Plan, Request,
    Scalar, Step, Stub, StubId, Usage,
};
use crate::types::{Info, Type, TypeId};
use crate::{atomics, hidden};

/// Inputs of one plan; what lies beyond is 0.
const MOST_INPUTS: u64 = 4000;
/// Arguments that a variadic function gets beyond its parameters.
const VARIADIC: usize = 3;
/// Bytes of an object of which nothing is known but its name.
pub(super) const OPAQUE: u64 = 256;

/// Makes a plan.
pub struct Planner<'a> {
    pub(super) info: &'a Info,
    pub(super) request: &'a Request<'a>,
    pub(super) blocks: Vec<Vec<Step>>,
    pub(super) objects: Vec<Object>,
    /// Objects that there were before the stub that is planned.
    pub(super) stub_from: usize,
    pub(super) stubs: Vec<Stub>,
    /// Stubs for pointers, by function type.
    pub(super) callbacks: Vec<(TypeId, StubId)>,
    /// Objects whose content is to be planned.
    pub(super) queue: VecDeque<(ObjectId, String, Context)>,
    /// Objects that arguments point to.
    pub(super) arguments: Vec<ObjectId>,
    pub(super) choices: HashSet<String>,
    pub(super) legend: BTreeMap<String, BTreeMap<i128, String>>,
    pub(super) notes: Vec<String>,
    pub(super) stream: bool,
    pub(super) sink: bool,
    pub(super) inputs: u64,
    pub(super) constants: HashSet<String>,
}

/// A place, its name for readers, and its type.
pub(super) struct Named {
    pub place: String,
    pub name: String,
    pub ty: TypeId,
    /// Of a member: its offset in the record, in bytes.
    pub offset: Option<u64>,
}

/// Where a place is.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    /// Pointers that lead to it.
    pub depth: u32,
    /// The objects that it is in, outermost first.
    pub chain: Vec<ObjectId>,
    /// C expression of the number of elements behind a pointer.
    pub length: Option<String>,
    /// Whether several objects are behind a pointer, where the code says so.
    pub several: Option<bool>,
    /// The pointer in whose array it is, by its name, and how.
    pub inside: Option<(String, Place)>,
    /// How the code uses the members of the object that the place is in, or (of a pointer) of what it points to; by offset.
    pub members: Rc<BTreeMap<u64, Usage>>,
    /// Where the place is in that object, in bytes.
    pub base: u64,
    /// Is it a parameter of the function under test?
    pub argument: bool,
    /// Is it built at each call of a stub?
    pub stub: bool,
    /// Is it part of something that is `const`?
    pub constant: bool,
    /// Variables of which it may be one, if it is the result of a stub: the arguments.
    pub given: Vec<(String, TypeId)>,
}

impl Context {
    /// That of a member at an offset; without one, nothing is known of what is inside.
    pub(super) fn within(&self, offset: Option<u64>) -> Context {
        let members = offset.map(|_| Rc::clone(&self.members));
        Context {
            members: members.unwrap_or_default(),
            base: self.base + offset.unwrap_or(0),
            ..self.clone()
        }
    }
}

impl<'a> Planner<'a> {
    pub(super) fn new(request: &'a Request<'a>) -> Planner<'a> {
        Planner {
            info: request.info,
            request,
            blocks: Vec::new(),
            objects: Vec::new(),
            stubs: Vec::new(),
            callbacks: Vec::new(),
            queue: VecDeque::new(),
            stub_from: 0,
            arguments: Vec::new(),
            legend: BTreeMap::new(),
            choices: HashSet::new(),
            notes: Vec::new(),
            stream: false,
            sink: false,
            inputs: 0,
            constants: HashSet::new(),
        }
    }

    pub(super) fn all(mut self) -> Plan {
        let globals = self.new_block();
        let arguments = self.new_block();
        let params = self.params(arguments);
        let variadic = self.variadic(arguments);
        self.finish();
        self.globals(globals, &params);
        self.finish();
        self.undefined();
        let definitions = self.definitions();
        let types = &self.info.types;
        let returned = self.request.function.signature.result;
        let result = match types.resolved(returned) {
            Type::Void => None,
            _ => types.returned(returned, "bw_result"),
        };
        let names = self.names();
        let macros = &self.request.macros;
        let hidden = hidden::names(types, self.request.function, names, macros);
        let variables = self.request.globals.iter();
        let variables = variables.filter(|global| !types.is_const(global.ty));
        let variables = variables.map(|global| global.name.clone()).collect();
        Plan {
            function: self.request.function.clone(),
            params,
            variadic,
            blocks: self.blocks,
            objects: self.objects,
            stubs: self.stubs,
            definitions,
            constants: self.constants,
            hidden,
            variables,
            statics: self.info.statics,
            result,
            globals,
            arguments,
            stream: self.stream,
            sink: self.sink,
            legend: self.legend,
            choices: self.choices,
            notes: self.notes,
        }
    }

    /// Functions and variables that texts name.
    fn names(&self) -> impl Iterator<Item = String> {
        let request = self.request;
        let stubs = self.stubs.iter().map(|stub| stub.symbol.clone());
        let globals = request.globals.iter().map(|global| global.name.clone());
        let missing = request.missing.iter().map(|missing| missing.name.clone());
        let own = request.info.functions.iter().map(|it| it.name.clone());
        stubs.chain(globals).chain(missing).chain(own)
    }

    /// Plans what the objects given out hold, and the objects behind those.
    pub(super) fn finish(&mut self) {
        while let Some((id, place, context)) = self.queue.pop_front() {
            let object = self.objects[id.0 as usize].clone();
            self.elements(
                object.block,
                &place,
                &object.name,
                object.ty,
                object.count,
                &context,
            );
        }
    }

    pub(super) fn new_block(&mut self) -> BlockId {
        self.blocks.push(Vec::new());
        BlockId(self.blocks.len() as u32 - 1)
    }

    pub(super) fn push(&mut self, block: BlockId, step: Step) {
        self.blocks[block.0 as usize].push(step);
    }

    /// A choice between blocks; with one block left there is nothing to choose.
    pub(super) fn choose(&mut self, block: BlockId, name: &str, options: Vec<Choice>) {
        if let [only] = options.as_slice() {
            let steps = self.blocks[only.block.0 as usize].clone();
            // The block of a fresh object is filled later: it must stay the one that is done.
            if steps.is_empty() {
                return;
            }
            let only = only.block;
            self.push(
                block,
                Step::When {
                    condition: "1".to_owned(),
                    block: only,
                },
            );
            return;
        }
        self.inputs += 1;
        self.choices.insert(name.to_owned());
        let legends = options
            .iter()
            .map(|option| option.legend.clone())
            .enumerate();
        self.legend.insert(
            name.to_owned(),
            legends
                .map(|(value, legend)| (value as i128, legend))
                .collect(),
        );
        let name = name.to_owned();
        self.push(block, Step::Choose { name, options });
    }

    fn params(&mut self, block: BlockId) -> Vec<Param> {
        let function = self.request.function;
        let types = &self.info.types;
        let mut params = Vec::new();
        let given = function.signature.params.iter().zip(&function.names);
        for (index, (&ty, name)) in given.enumerate() {
            let mut name = if name.is_empty() {
                format!("arg{index}")
            } else {
                name.clone()
            };
            if name == function.name {
                name.push('_');
            }
            let bare = self.info.types.unqualified(ty);
            let alias = format!("bw_type{index}");
            let typedef = types.declare(bare, &alias).unwrap_or_else(|| {
                let bytes = types.bytes(bare).unwrap_or(8);
                self.notes.push(format!(
                    "{name}: its type has no name to be declared by; {bytes} bytes stand for it"
                ));
                format!("struct {{ unsigned char bytes[{bytes}]; }} {alias}")
            });
            params.push(Param { name, typedef, ty });
        }
        let places: Vec<Named> = params
            .iter()
            .map(|param| Named {
                place: param.name.clone(),
                name: param.name.clone(),
                ty: param.ty,
                offset: None,
            })
            .collect();
        let context = Context {
            argument: true,
            ..Context::default()
        };
        self.group(block, &places, &context);
        params
    }

    /// A variable for each argument beyond the parameters of a variadic function.
    fn variadic(&mut self, block: BlockId) -> Vec<String> {
        if !self.request.function.signature.variadic {
            return Vec::new();
        }
        let names: Vec<String> = (0..VARIADIC).map(|index| format!("more{index}")).collect();
        for name in &names {
            self.push(
                block,
                Step::Scalar {
                    place: name.clone(),
                    name: name.clone(),
                    scalar: Scalar::Signed(8),
                },
            );
        }
        self.notes.push(format!(
            "{}: {VARIADIC} numbers stand for the arguments of `...`",
            self.request.function.name
        ));
        names
    }

    fn globals(&mut self, block: BlockId, params: &[Param]) {
        for global in &self.request.globals {
            let is_ours = self
                .request
                .missing
                .iter()
                .any(|missing| missing.name == global.name);
            if self.info.types.is_const(global.ty) && !is_ours {
                continue;
            }
            let name = &global.name;
            let shown = if params.iter().any(|param| param.name == *name) {
                format!("::{name}")
            } else {
                name.clone()
            };
            self.global(block, name, &shown, global.ty, global.initialised);
        }
    }

    fn global(&mut self, block: BlockId, place: &str, name: &str, ty: TypeId, initialised: bool) {
        let context = Context::default();
        if let Type::Array {
            element,
            count: None,
            ..
        } = self.info.types.resolved(ty)
        {
            // Only declared: the harness defines it, with as many elements as a string has.
            let count = self.request.bounds.text.into();
            return self.elements(block, place, name, *element, count, &context);
        }
        if !initialised {
            return self.fill(block, place, name, ty, &context);
        }
        let (keep, set) = (self.new_block(), self.new_block());
        self.fill(set, place, name, ty, &context);
        let options = vec![
            Choice {
                legend: "as initialised".to_owned(),
                block: keep,
            },
            Choice {
                legend: "an input".to_owned(),
                block: set,
            },
        ];
        self.choose(block, &format!("{INITIALISED}{name})"), options);
    }

    fn definitions(&mut self) -> Vec<String> {
        let mut definitions = self.request.emitted.clone();
        for missing in &self.request.missing {
            definitions.push(self.definition(missing));
        }
        let mut undefined = self.request.undefined.iter();
        // The harness may read what the unit does not: a large object, or one that is not aligned.
        if self.info.types.has_atomic() || undefined.any(|(name, ..)| atomics::defines(name)) {
            definitions.push(atomics::definitions());
        }
        definitions
    }

    /// The definition of an object that the unit only declares.
    fn definition(&mut self, missing: &MissingObject) -> String {
        let types = &self.info.types;
        let MissingObject {
            name, symbol, ty, ..
        } = missing;
        let thread = if missing.thread { "__thread " } else { "" };
        let element = match types.resolved(*ty) {
            Type::Array {
                element,
                count: None,
                ..
            } => Some(*element),
            _ => None,
        };
        let count = self.request.bounds.text.max(1);
        // Memory under the object's symbol stands for what C cannot define: an object of an incomplete type, of which
        // nothing is known, or a constant one that is an input, whose value the compiler must neither know nor keep.
        let memory = |size: &str, align: &str| {
            format!(
                "{thread}char bw_memory_{name}[{size}] __asm__(\"{symbol}\") __attribute__((aligned({align})))"
            )
        };
        if element.is_none() && types.bytes(*ty).is_none() {
            self.cannot(name, *ty, &format!("{OPAQUE} zero bytes stand for it"));
            return memory(&OPAQUE.to_string(), "16");
        }
        if types.is_const(*ty) {
            let align = format!("__alignof__({name})");
            return match element {
                Some(_) => memory(&format!("sizeof {name}[0] * {count}"), &align),
                None => memory(&format!("sizeof {name}"), &align),
            };
        }
        let declarator = match element {
            Some(element) => {
                let declared = types.declare(element, &format!("{name}[{count}]"));
                declared.unwrap_or_else(|| format!("__typeof__({name}[0]) {name}[{count}]"))
            }
            None => {
                let declared = types.declare(*ty, name);
                declared.unwrap_or_else(|| format!("__typeof__({name}) {name}"))
            }
        };
        format!("{thread}{declarator}")
    }

    /// Several places side by side (parameters, members): an integer that follows pointers is the length of what they
    /// point to, or one that stands before a pointer that none follows. Integers come first, because the sizes of the
    /// objects depend on them.
    pub(super) fn group(&mut self, block: BlockId, places: &[Named], context: &Context) {
        let types = &self.info.types;
        let is_pointer = |named: &Named| {
            types
                .pointee(named.ty)
                .is_some_and(|target| !matches!(types.resolved(target), Type::Function(_)))
        };
        let request = self.request;
        let usage = |index: usize| match places[index].offset {
            Some(offset) => context.members.get(&(context.base + offset)),
            None => request.uses.get(index).filter(|_| context.argument),
        };
        let several = |index: usize| usage(index).and_then(|it| it.several);
        let may_count = |index: usize| {
            types.is_count(places[index].ty) && !usage(index).is_some_and(|it| it.no_length)
        };
        let mut lengths: Vec<Option<String>> = vec![None; places.len()];
        for (index, named) in places.iter().enumerate() {
            if !is_pointer(named) || several(index) == Some(false) {
                continue;
            }
            let is_record = types
                .pointee(named.ty)
                .is_some_and(|target| matches!(types.resolved(target), Type::Record { .. }));
            // A pointer to a struct is mostly one to a single object: only the code, or where nobody knows what that does
            // a count right behind it, says otherwise.
            let after = if is_record {
                let is_told =
                    |at: &usize| several(index) == Some(true) || counts(&places[*at].place);
                Some(index + 1).filter(|at| *at < places.len() && is_told(at))
            } else {
                (index..places.len()).find(|at| !is_pointer(&places[*at]))
            };
            let before = index
                .checked_sub(1)
                .filter(|at| !is_record && counts(&places[*at].place));
            let after = after.filter(|at| may_count(*at));
            let length = after.or_else(|| before.filter(|at| may_count(*at)));
            lengths[index] = length.map(|at| places[at].place.clone());
        }
        let (pointers, others): (Vec<usize>, Vec<usize>) =
            (0..places.len()).partition(|index| is_pointer(&places[*index]));
        for index in others.into_iter().chain(pointers) {
            let named = &places[index];
            // A struct in the object is a part of it.
            let (members, base) = match named.offset {
                Some(offset) if !is_pointer(named) => {
                    (Rc::clone(&context.members), context.base + offset)
                }
                _ => (
                    usage(index)
                        .map(|it| Rc::clone(&it.members))
                        .unwrap_or_default(),
                    0,
                ),
            };
            let inside = usage(index).and_then(|it| it.place).and_then(|place| {
                let mut all = (0_u64..).zip(places);
                let other = all.find(|(at, other)| other.offset.unwrap_or(*at) == place.of);
                other.map(|(_, other)| (other.name.clone(), place))
            });
            let context = Context {
                length: lengths[index].clone(),
                several: several(index),
                inside,
                members,
                base,
                ..context.clone()
            };
            self.fill(block, &named.place, &named.name, named.ty, &context);
        }
    }

    /// Makes inputs of everything at a place.
    pub(super) fn fill(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        ty: TypeId,
        context: &Context,
    ) {
        if self.inputs >= MOST_INPUTS {
            let note = format!("more than {MOST_INPUTS} inputs: the rest is 0");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            return;
        }
        let types = &self.info.types;
        let constant = context.constant || types.is_const(ty);
        if constant {
            self.constants.insert(place.to_owned());
        }
        let context = &Context {
            constant,
            ..context.clone()
        };
        if let Some(scalar) = Scalar::of(types, ty) {
            self.inputs += 1;
            self.enumeration(name, ty);
            let (place, name) = (place.to_owned(), name.to_owned());
            return self.push(
                block,
                Step::Scalar {
                    place,
                    name,
                    scalar,
                },
            );
        }
        match types.resolved(ty).clone() {
            Type::Pointer(target) => self.pointer(block, place, name, target, context),
            Type::Array {
                element,
                count: Some(count),
                vector: false,
            } => self.array(block, place, name, element, count, context),
            Type::Record {
                union: false,
                fields,
                bytes: Some(_),
                ..
            } => self.members(block, place, name, &fields, context),
            Type::Record {
                union: true,
                fields,
                bytes: Some(bytes),
                ..
            } => self.union(block, place, name, &fields, bytes, context),
            Type::Array { vector: true, .. } | Type::Base { .. } => {
                if let Some(count) = types.bytes(ty) {
                    self.bytes(block, &format!("&({place})"), name, count, false);
                }
            }
            // A flexible member has its room from the object that it is in; what a stub returns by value has none.
            Type::Array {
                element,
                count: None,
                ..
            } => {
                if !context.chain.is_empty() {
                    self.flexible(block, place, name, element, context);
                }
            }
            _ => self.cannot(name, ty, "it is 0"),
        }
    }

    /// Says that something cannot be built.
    pub(super) fn cannot(&mut self, name: &str, ty: TypeId, instead: &str) {
        let ty = self.info.types.describe(ty);
        let note = format!("{name}: {ty} cannot be built; {instead}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn enumeration(&mut self, name: &str, ty: TypeId) {
        if let Type::Enum { values, .. } = self.info.types.resolved(ty) {
            let meaning = values.iter().map(|(name, value)| (*value, name.clone()));
            self.legend.insert(name.to_owned(), meaning.collect());
        }
    }

    pub(super) fn bytes(
        &mut self,
        block: BlockId,
        address: &str,
        name: &str,
        count: u64,
        text: bool,
    ) {
        if count == 0 {
            return;
        }
        self.inputs += count.div_ceil(8);
        self.push(
            block,
            Step::Bytes {
                address: address.to_owned(),
                name: name.to_owned(),
                count,
                text,
            },
        );
    }
}

/// Whether a name says that an integer in front of a pointer counts what it points to.
pub(super) fn counts(place: &str) -> bool {
    let last = place.rsplit(['.', '>']).next().unwrap_or(place);
    let last = last.to_lowercase();
    matches!(last.as_str(), "n" | "c" | "argc" | "nr" | "num")
        || ["len", "count", "size", "cnt", "nmemb", "argc", "bytes"]
            .iter()
            .any(|word| last.contains(word))
        || last.starts_with("n_")
        || last.starts_with("num")
}
