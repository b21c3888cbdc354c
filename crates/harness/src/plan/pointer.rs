//! What a pointer may point to: nothing, a fresh object, one that is there already, a function, a stream.

use std::rc::Rc;

use super::shape::{Context, OPAQUE, Planner, counts};
use super::{BlockId, Choice, Object, ObjectId, Place, Step};
use crate::sink;
use crate::spell::VA_LIST;
use crate::types::{Signature, Type, TypeId};

/// Elements behind a pointer to a pointer, to a struct with a length, to an array.
const FEW: u64 = 3;
/// Zero bytes behind what a function may write: results have to have room.
const ROOM: u64 = 256;
/// Zero bytes behind numbers or bytes that nobody counts: code has lengths of its own for them, as blocks of a codec are.
const UNCOUNTED: u64 = 4096;
/// Elements of another array that a pointer may be at, beside its end.
const BETWEEN: [u64; 9] = [0, 1, 2, 3, 4, 6, 8, 12, 16];
/// Functions of the unit that a pointer to a function may be.
const MOST_FUNCTIONS: usize = 8;

/// How much is made where something points to a type.
struct Room {
    /// It is bytes or text, as far as is known.
    is_bytes: bool,
    count: u64,
    /// Bytes behind it.
    spare: u64,
}

impl Planner<'_> {
    pub(super) fn pointer(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        target: TypeId,
        context: &Context,
    ) {
        let types = &self.info.types;
        match types.resolved(target) {
            Type::Function(_) => return self.function_pointer(block, place, name, target),
            Type::Record { tag: Some(tag), .. } if tag == "_IO_FILE" => {
                return self.stream(block, place, name);
            }
            Type::Record { tag: Some(tag), .. } if tag == VA_LIST => {
                return self.argument_list(block, place, name, target, context);
            }
            _ => {}
        }
        let mut options = self.places(place, context);
        let is_mark = context.inside.as_ref().is_some_and(|(_, it)| it.is_mark);
        if is_mark && !options.is_empty() {
            return self.choose(block, name, options);
        }
        let recursive = self.is_recursive(target, context);
        let others = self.others(target, context);
        let fresh = self.fresh(place, name, target, context);
        let null = self.set(place, "0");
        let null = Choice {
            legend: "NULL".to_owned(),
            block: null,
        };
        match fresh {
            // A list ends; whatever else is pointed to is there.
            Some(fresh) if recursive => options.extend([null, fresh]),
            Some(fresh) => options.extend([fresh, null]),
            None => options.push(null),
        }
        for object in others {
            let legend = format!("the same as {}", self.objects[object.0 as usize].name);
            let block = self.set(place, &object.to_string());
            options.push(Choice { legend, block });
        }
        for (index, variable) in self.given(target, context) {
            let legend = format!("its argument {}", index + 1);
            let block = self.set(place, &variable);
            options.push(Choice { legend, block });
        }
        self.choose(block, name, options);
    }

    /// Places in the array of another pointer: its end, its start, and some between.
    fn places(&mut self, place: &str, context: &Context) -> Vec<Choice> {
        let Some((other, Place { is_end, .. })) = &context.inside else {
            return Vec::new();
        };
        let mut objects = (0..).zip(&self.objects);
        // What only has a name has no elements.
        let is_array = |object: &Object| object.name == *other && object.count > 0;
        let Some((id, object)) = objects.find(|(_, object)| is_array(object)) else {
            return Vec::new();
        };
        let (object, count) = (ObjectId(id), object.count);
        let mut elements: Vec<u64> = BETWEEN.into_iter().filter(|at| *at < count).collect();
        elements.insert(usize::from(!is_end), count);
        elements
            .into_iter()
            .map(|element| {
                let block = self.new_block();
                let step = Step::Inside {
                    place: place.to_owned(),
                    object,
                    element,
                };
                self.push(block, step);
                Choice {
                    legend: format!("element {element} of {other}"),
                    block,
                }
            })
            .collect()
    }

    /// Arguments of a stub that its result may be, with their positions: what is looked up is often what was given.
    fn given(&self, target: TypeId, context: &Context) -> Vec<(usize, String)> {
        let types = &self.info.types;
        let is_void = |ty: TypeId| matches!(types.resolved(ty), Type::Void);
        let fits = |ty: TypeId| {
            types
                .pointee(ty)
                .is_some_and(|it| is_void(it) || is_void(target) || types.same(it, target))
        };
        let given = context.given.iter().enumerate();
        given
            .filter(|(_, (_, ty))| fits(*ty))
            .map(|(index, (variable, _))| (index, variable.clone()))
            .collect()
    }

    /// A `va_list` whose registers are used up: all its arguments are in memory, eight bytes each (System V ABI for
    /// x86-64, section 3.5.7).
    fn argument_list(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        target: TypeId,
        context: &Context,
    ) {
        if self.fresh(place, name, target, context).is_none() {
            return;
        }
        let (id, at, inner) = self.queue.pop_back().expect("a fresh object is queued");
        let object = self.objects[id.index()].block;
        for (member, value) in [("gp_offset", "48"), ("fp_offset", "304")] {
            let place = format!("{at}->{member}");
            let value = value.to_owned();
            self.push(object, Step::Constant { place, value });
        }
        let (place_of, named) = (
            format!("{at}->overflow_arg_area"),
            format!("{name}->arguments"),
        );
        let void = self.info.types.void();
        if let Some(memory) = self.fresh(&place_of, &named, void, &inner) {
            self.push(
                object,
                Step::When {
                    condition: "1".to_owned(),
                    block: memory.block,
                },
            );
        }
        let (place, object) = (place.to_owned(), id);
        self.push(block, Step::New { place, object });
        let bytes = self.request.bounds.text;
        self.notes.push(format!(
            "{name}: {bytes} bytes stand for the arguments in the list"
        ));
    }

    /// A block that sets a pointer.
    pub(super) fn set(&mut self, place: &str, value: &str) -> BlockId {
        let block = self.new_block();
        let (place, value) = (place.to_owned(), value.to_owned());
        self.push(block, Step::Set { place, value });
        block
    }

    /// Whether objects of the type are already on the way to the place.
    fn is_recursive(&self, target: TypeId, context: &Context) -> bool {
        let types = &self.info.types;
        matches!(types.resolved(target), Type::Record { .. })
            && context
                .chain
                .iter()
                .any(|object| types.same(self.objects[object.0 as usize].ty, target))
    }

    /// Objects that are there already and of this type: those of other arguments; the object that the pointer is in, the
    /// one before it and the first one.
    fn others(&self, target: TypeId, context: &Context) -> Vec<ObjectId> {
        let types = &self.info.types;
        let fits = |object: &&ObjectId| types.same(self.objects[object.0 as usize].ty, target);
        if context.argument {
            return self.arguments.iter().filter(fits).copied().collect();
        }
        if context.stub || !matches!(types.resolved(target), Type::Record { .. }) {
            return Vec::new();
        }
        let chain: Vec<ObjectId> = context.chain.iter().filter(fits).copied().collect();
        let mut others: Vec<ObjectId> = chain.iter().rev().take(2).copied().collect();
        others.extend(chain.first());
        let mut seen = Vec::new();
        others.retain(|object| {
            let new = !seen.contains(object);
            seen.push(*object);
            new
        });
        others
    }

    /// Whether one more object is within the bounds. Stubs have a share of their own, of which none takes all, and each may
    /// return one: a program whose allocation returns NULL whatever the inputs are gets nowhere.
    fn has_room(&self, context: &Context) -> bool {
        const OF_STUBS: usize = 4;
        const OF_ONE: usize = 8;
        let most = self.request.bounds.objects as usize;
        let stubs = |objects: &[Object]| objects.iter().filter(|object| object.stub).count();
        let all = stubs(&self.objects);
        if !context.stub {
            return self.objects.len() - all < most;
        }
        let here = stubs(&self.objects[self.stub_from..]);
        all < OF_STUBS * most && (here < OF_ONE || context.chain.is_empty())
    }

    /// How much is made where something points to a type.
    fn room(&self, target: TypeId, context: &Context) -> Room {
        let (bounds, types) = (self.request.bounds, &self.info.types);
        let element = types.unqualified(target);
        let known = types.bytes(element);
        let told = context.length.is_some();
        let is_opaque = known.is_none();
        let is_bytes = matches!(types.resolved(element), Type::Void) || types.is_char(element);
        let most = match types.resolved(element) {
            _ if is_bytes => bounds.text.into(),
            _ if is_opaque => 0,
            Type::Record { .. } | Type::Array { .. } | Type::Pointer(_) => {
                FEW.min(bounds.array.into())
            }
            _ => bounds.array.into(),
        };
        let is_single = match (types.resolved(element), context.several) {
            _ if is_bytes || is_opaque => false,
            (_, Some(several)) => !several,
            (Type::Record { .. }, None) => !told,
            // An array of pointers nobody counts ends with NULL, and is mostly one of strings.
            (Type::Pointer(_), None) => !told && !self.is_text_pointer(element),
            _ => false,
        };
        let count = if is_single { 1 } else { most };
        let spare = match (types.is_const(target), is_bytes) {
            _ if is_opaque && !is_bytes => OPAQUE,
            (true, _) => known.unwrap_or(1).max(1),
            (false, _) => ROOM.max(known.unwrap_or(1)),
        };
        let is_counted = context.length.as_deref().is_some_and(counts);
        let is_number = matches!(
            types.resolved(element),
            Type::Base { .. } | Type::Enum { .. } | Type::Void
        );
        // A text that is only read ends with its zero.
        let is_ended = types.is_const(target) && types.is_text(element);
        let spare = match is_number && !is_counted && !is_ended && !is_single {
            true => spare.max(UNCOUNTED),
            false => spare,
        };
        // What is taken for one object has the room of several: to be wrong costs no crash.
        let beyond = (most.max(1) - count.max(1)).saturating_mul(known.unwrap_or(0));
        let spare = spare.max(beyond) + self.flexible_room(element);
        Room {
            is_bytes,
            count,
            spare,
        }
    }

    /// A new object, if the bounds permit one.
    fn fresh(
        &mut self,
        place: &str,
        name: &str,
        target: TypeId,
        context: &Context,
    ) -> Option<Choice> {
        let bounds = self.request.bounds;
        if context.depth >= bounds.depth || !self.has_room(context) {
            return None;
        }
        let types = &self.info.types;
        let id = ObjectId(self.objects.len() as u32);
        let element = self.info.types.unqualified(target);
        let spelled = match types.get(element) {
            Type::Array { .. } => types.declare(element, &format!("(*{id})")),
            _ => types.declare(element, &format!("*{id}")),
        };
        let known = types.bytes(element);
        let Room {
            is_bytes,
            count,
            spare,
        } = self.room(target, context);
        let is_opaque = known.is_none();
        if is_opaque && !is_bytes {
            self.cannot(name, target, &format!("{OPAQUE} zero bytes stand for it"));
        }
        let (declaration, size) = match spelled {
            Some(spelled) if known.is_some() => (spelled, format!("sizeof *{id}")),
            _ => (format!("void *{id}"), known.unwrap_or(1).to_string()),
        };
        // What points to the object in the program may not be written through.
        let inside = match declaration.starts_with("void *") {
            true => place.to_owned(),
            false => id.to_string(),
        };
        let block = self.new_block();
        self.objects.push(Object {
            declaration,
            element: size,
            count,
            spare,
            length: context.length.clone(),
            block,
            name: name.to_owned(),
            place: inside.clone(),
            stub: context.stub,
            ty: element,
        });
        if context.argument {
            self.arguments.push(id);
        }
        let mut chain = context.chain.clone();
        chain.push(id);
        let inner = Context {
            depth: context.depth + 1,
            chain,
            length: None,
            several: None,
            inside: None,
            members: Rc::clone(&context.members),
            base: 0,
            argument: false,
            stub: context.stub,
            constant: false,
            given: Vec::new(),
        };
        self.queue.push_back((id, inside, inner));
        let made = self.new_block();
        self.push(
            made,
            Step::New {
                place: place.to_owned(),
                object: id,
            },
        );
        let legend = self.legend(element, count, is_bytes);
        Some(Choice {
            legend,
            block: made,
        })
    }

    /// What a new object is, for readers.
    fn legend(&self, element: TypeId, count: u64, is_bytes: bool) -> String {
        let what = self.info.types.describe(element);
        match count {
            0 | 1 => format!("a new {what}"),
            _ if is_bytes && self.info.types.is_text(element) => "a new string".to_owned(),
            _ if is_bytes => "new bytes".to_owned(),
            _ => format!("{count} new {what}"),
        }
    }

    /// Pointers to text come in arrays that end with NULL.
    fn is_text_pointer(&self, element: TypeId) -> bool {
        let types = &self.info.types;
        types
            .pointee(element)
            .is_some_and(|target| types.is_char(target))
    }

    /// Bytes that a flexible array at the end of a struct needs.
    fn flexible_room(&self, ty: TypeId) -> u64 {
        let types = &self.info.types;
        let Type::Record { fields, .. } = types.resolved(ty) else {
            return 0;
        };
        match fields.last().map(|field| types.resolved(field.ty)) {
            Some(Type::Array {
                element,
                count: None | Some(0),
                ..
            }) => {
                let bounds = self.request.bounds;
                let count = u64::from(bounds.text.max(bounds.array)) + 1;
                types.bytes(*element).unwrap_or(1).saturating_mul(count)
            }
            _ => 0,
        }
    }

    fn function_pointer(&mut self, block: BlockId, place: &str, name: &str, target: TypeId) {
        let mut options = Vec::new();
        if let Some(stub) = self.callback(target, name) {
            let its = self.callbacks.iter().find(|(_, id)| *id == stub);
            let its = its.map(|(ty, _)| *ty);
            let value = match its.map(|ty| self.info.types.resolved(ty)) {
                Some(Type::Function(its)) => self.converted(&stub.to_string(), its, target),
                _ => stub.to_string(),
            };
            let block = self.set(place, &value);
            options.push(Choice {
                legend: "a stub".to_owned(),
                block,
            });
        }
        let null = self.set(place, "0");
        options.push(Choice {
            legend: "NULL".to_owned(),
            block: null,
        });
        for (function, value) in self.functions_of(target) {
            let block = self.set(place, &value);
            options.push(Choice {
                legend: function,
                block,
            });
        }
        self.choose(block, name, options);
    }

    /// A function as a value for pointers to `target`: with a cast where the types differ, as in qualifiers of what
    /// parameters point to.
    fn converted(&self, function: &str, its: &Signature, target: TypeId) -> String {
        let types = &self.info.types;
        let spelled = |signature: &Signature| {
            let params = types.params(signature, &[])?;
            types.declare(signature.result, &format!("(*)({params})"))
        };
        match types.resolved(target) {
            Type::Function(wanted) if spelled(its) != spelled(wanted) => spelled(wanted)
                .map_or_else(|| function.to_owned(), |ty| format!("({ty}){function}")),
            _ => function.to_owned(),
        }
    }

    /// Functions of the unit that have this type, and each as a value of a pointer to it.
    fn functions_of(&self, target: TypeId) -> Vec<(String, String)> {
        let types = &self.info.types;
        let Type::Function(wanted) = types.resolved(target) else {
            return Vec::new();
        };
        let fits = |function: &&crate::types::Function| {
            let signature = &function.signature;
            signature.variadic == wanted.variadic
                && signature.params.len() == wanted.params.len()
                && types.same(signature.result, wanted.result)
                && signature
                    .params
                    .iter()
                    .zip(&wanted.params)
                    .all(|(a, b)| types.same(*a, *b))
                && function.name != self.request.function.name
        };
        let functions = self.info.functions.iter().filter(fits);
        functions
            .map(|function| {
                let value = self.converted(&function.name, &function.signature, target);
                (function.name.clone(), value)
            })
            .take(MOST_FUNCTIONS)
            .collect()
    }

    fn stream(&mut self, block: BlockId, place: &str, name: &str) {
        self.stream = true;
        let (stream, null) = (self.set(place, "stdin"), self.set(place, "0"));
        let mut options = vec![
            Choice {
                legend: "a stream that reads stdin".to_owned(),
                block: stream,
            },
            Choice {
                legend: "NULL".to_owned(),
                block: null,
            },
        ];
        let rooms = if self.request.output {
            sink::ROOMS
        } else {
            &[]
        };
        for &room in rooms {
            self.sink = true;
            options.push(Choice {
                legend: sink::legend(room),
                block: self.set(place, &sink::expression(room)),
            });
        }
        self.choose(block, name, options);
    }
}
