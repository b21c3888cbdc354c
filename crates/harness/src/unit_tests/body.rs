//! One test: walks the plan with the values of a test and writes what the harness did with them as plain statements; then
//! the call, the checks, and what gives memory back.
//!
//! Must hold: what an input leaves as it is at the start has no statement.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use super::flavour::Flavour;
use super::value::{float, integer, is_plain_text, string};
use super::{Case, File, Number};
use crate::plan::{BlockId, INITIALISED, ObjectId, Scalar, Step};
use crate::types::TypeId;
use crate::write::{MANY, MORE};

/// Statements of a test that make one object and what is in it.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Which of its lines.
    pub lines: Range<usize>,
    /// Declaration of the pointer to it.
    pub declaration: String,
    /// The variable that it declares.
    pub variable: String,
}

/// Writes the body of one test.
pub(super) struct Body<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) case: &'a Case,
    pub(super) lines: Vec<String>,
    /// Lines that make the objects of arguments and variables.
    pub(super) groups: Vec<Group>,
    /// Values that were used.
    at: usize,
    /// Variables of the objects that the test made.
    pub(super) objects: BTreeMap<ObjectId, String>,
    /// Expressions of the streams that it opened.
    pub(super) streams: Vec<String>,
    /// The object whose text is given with its declaration.
    texted: Option<ObjectId>,
    used: HashSet<String>,
    declared: HashSet<String>,
    /// Integers by their place: lengths of arrays.
    integers: BTreeMap<String, i128>,
}

/// Where a walk is.
#[derive(Clone, Copy)]
enum Inside {
    /// Variables, as they are at the start of the program.
    Globals,
    /// A variable whose initial value is replaced.
    Variable,
    Arguments,
    Object(ObjectId),
}

impl<'a> Body<'a> {
    pub(super) fn new(file: &'a File<'a>, case: &'a Case) -> Body<'a> {
        let names = file.plan.params.iter().map(|param| param.name.clone());
        let variables = file.plan.variables.iter().cloned();
        let mut used: HashSet<String> = names.chain(variables).collect();
        used.insert(file.plan.function.name.clone());
        Body {
            file,
            case,
            lines: Vec::new(),
            groups: Vec::new(),
            at: 0,
            objects: BTreeMap::new(),
            streams: Vec::new(),
            texted: None,
            used,
            declared: HashSet::new(),
            integers: BTreeMap::new(),
        }
    }

    /// Writes the statements; whether there is a check among them.
    pub(super) fn write(&mut self, flavour: &dyn Flavour) -> bool {
        let plan = self.file.plan;
        if self.file.resets(flavour) {
            self.line("bw_reset();");
        }
        self.block(plan.globals, Inside::Globals);
        for param in &plan.params {
            if !self.is_plain(param.ty) {
                self.declare_zero(&param.name, param.ty);
            }
        }
        self.block(plan.arguments, Inside::Arguments);
        for param in &plan.params {
            if !self.declared.contains(&param.name) {
                self.declare_zero(&param.name, param.ty);
            }
        }
        self.stub_values();
        let result = self.unique("result");
        self.call(&result);
        let checks = self.checks(&result);
        for check in &checks {
            self.line(&flavour.check(check));
        }
        self.give_back(&checks, flavour);
        !checks.is_empty()
    }

    pub(super) fn line(&mut self, line: &str) {
        self.lines.push(format!("    {line}"));
    }

    fn next(&mut self) -> Number {
        let value = self.case.values.get(self.at).map(|(_, value)| *value);
        self.at += 1;
        value.unwrap_or(Number::Integer(0))
    }

    /// Whether a variable of the type gets its value with its declaration.
    fn is_plain(&self, ty: TypeId) -> bool {
        Scalar::of(self.file.types, ty).is_some() || self.file.types.pointee(ty).is_some()
    }

    fn declare(&self, name: &str, ty: TypeId) -> String {
        let types = self.file.types;
        let bare = types.unqualified(ty);
        types
            .declare(bare, name)
            .unwrap_or_else(|| format!("void *{name}"))
    }

    fn declare_zero(&mut self, name: &str, ty: TypeId) {
        let declaration = self.declare(name, ty);
        self.line(&format!("{declaration};"));
        self.line(&format!("memset(&{name}, 0, sizeof {name});"));
        self.declared.insert(name.to_owned());
    }

    /// A name for a variable that nothing else has.
    fn unique(&mut self, wanted: &str) -> String {
        let mut name: String = wanted
            .replace("->", "_")
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        while name.ends_with('_') {
            name.pop();
        }
        let mut candidate = name.clone();
        let mut number = 2;
        while !self.used.insert(candidate.clone()) {
            candidate = format!("{name}_{number}");
            number += 1;
        }
        candidate
    }

    /// A place of the harness as a place of the test: what is in an object is reached through the object's variable.
    fn place(&self, place: &str, inside: Inside) -> String {
        let Inside::Object(id) = inside else {
            return place.to_owned();
        };
        let (open, inner) = match place.strip_prefix("&(") {
            Some(inner) => ("&(", inner),
            None => ("", place),
        };
        match inner.strip_prefix(self.file.plan.object(id).place.as_str()) {
            Some(rest) => format!("{open}{}{rest}", self.objects[&id]),
            None => place.to_owned(),
        }
    }

    /// What is assigned to: the place, or what is there if its type forbids to write it.
    fn target(&self, place: &str, ty: &str, inside: Inside) -> String {
        let shown = self.place(place, inside);
        if !self.file.plan.constants.contains(place) {
            return shown;
        }
        let space = if ty.ends_with('*') { "" } else { " " };
        format!("*({ty}{space}*)&{shown}")
    }

    fn block(&mut self, block: BlockId, inside: Inside) {
        let plan = self.file.plan;
        for step in plan.block(block) {
            match step {
                Step::Scalar {
                    place,
                    name,
                    scalar,
                } => {
                    let value = self.next();
                    self.integers.insert(place.clone(), value.integer());
                    self.scalar(place, name, *scalar, value, inside);
                }
                Step::Bits {
                    place,
                    name,
                    scalar,
                    ..
                } => {
                    let value = self.next();
                    self.bits(place, name, *scalar, value, inside);
                }
                Step::Bytes {
                    address,
                    count,
                    text,
                    ..
                } => {
                    let bytes: Vec<u8> = (0..*count).map(|_| self.next().integer() as u8).collect();
                    match inside {
                        Inside::Object(id) if self.texted == Some(id) => self.texted = None,
                        _ => self.bytes(address, &bytes, *text, inside),
                    }
                }
                Step::Choose { options, name } => {
                    let choice = self.next().integer();
                    let chosen = usize::try_from(choice).ok().and_then(|at| options.get(at));
                    let inside = match inside {
                        Inside::Globals if name.starts_with(INITIALISED) => Inside::Variable,
                        inside => inside,
                    };
                    if let Some(option) = chosen {
                        self.block(option.block, inside);
                    }
                }
                Step::New { place, object } => self.new_object(place, *object, inside),
                Step::Constant { place, value } => {
                    let place = self.place(place, inside);
                    self.line(&format!("{place} = {value};"));
                }
                Step::Set { place, value } => self.set(place, value, inside),
                Step::Inside {
                    place,
                    object,
                    element,
                } => {
                    let value = match (self.objects.get(object), element) {
                        (None, _) => "0".to_owned(),
                        (Some(_), 0) => object.to_string(),
                        (Some(variable), _) => format!("{variable} + {element}"),
                    };
                    self.set(place, &value, inside);
                }
                Step::When { condition, block } if condition == "1" => self.block(*block, inside),
                // Only stubs have conditions, and they are C of their own.
                Step::When { .. } => {}
            }
        }
    }

    /// A value as C, with its name where it has one.
    fn literal(&self, name: &str, scalar: Scalar, value: Number) -> String {
        let meaning = self.file.plan.meaning(name, value.integer());
        match (value, meaning) {
            (Number::Integer(_), Some(meaning)) => meaning.to_owned(),
            _ => value.literal(scalar),
        }
    }

    fn bits(&mut self, place: &str, name: &str, scalar: Scalar, value: Number, inside: Inside) {
        if value.is_zero() && self.is_zero_at_start(place, inside) {
            return;
        }
        let literal = self.literal(name, scalar, value);
        let shown = self.place(place, inside);
        let assignment = self.file.plan.assign_bits(place, &shown, &literal);
        self.line(&assignment);
    }

    fn scalar(&mut self, place: &str, name: &str, scalar: Scalar, value: Number, inside: Inside) {
        let literal = self.literal(name, scalar, value);
        if matches!(inside, Inside::Arguments) {
            let params = &self.file.plan.params;
            if let Some(param) = params.iter().find(|param| param.name == place) {
                let declaration = self.declare(place, param.ty);
                self.line(&format!("{declaration} = {literal};"));
                self.declared.insert(place.to_owned());
                return;
            }
            if self.file.plan.variadic.iter().any(|name| name == place) {
                return self.line(&format!("long {place} = {literal};"));
            }
        }
        if value.is_zero() && self.is_zero_at_start(place, inside) {
            return;
        }
        let ty = match scalar {
            Scalar::LongDouble => "long double",
            _ => scalar.c_type(),
        };
        let target = self.target(place, ty, inside);
        self.line(&format!("{target} = {literal};"));
    }

    /// Whether a place holds 0 if nothing is written to it: fresh memory does, and variables whose initial values are not replaced.
    fn is_zero_at_start(&self, place: &str, inside: Inside) -> bool {
        match inside {
            Inside::Arguments | Inside::Object(_) => true,
            Inside::Variable => false,
            Inside::Globals => {
                let mut variables = self.file.plan.variables.iter();
                let place = place.trim_start_matches(['&', '(']);
                variables.any(|name| {
                    let rest = place.strip_prefix(name.as_str());
                    rest.is_some_and(|rest| {
                        !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                    })
                })
            }
        }
    }

    fn bytes(&mut self, address: &str, bytes: &[u8], text: bool, inside: Inside) {
        let keep_zeros = !self.is_zero_at_start(address, inside);
        let length = bytes.iter().rposition(|byte| *byte != 0);
        let length = length.map_or(0, |last| last + 1);
        let shown = if keep_zeros { bytes } else { &bytes[..length] };
        if shown.is_empty() {
            return;
        }
        let address = self.place(address, inside);
        if length == 0 {
            return self.line(&format!("memset({address}, 0, {});", shown.len()));
        }
        let (literal, count) = (string(shown), shown.len());
        // Behind text there is room for the zero that ends it.
        if text && !address.starts_with('&') && is_plain_text(&bytes[..length]) {
            return self.line(&format!("strcpy({address}, {});", string(&bytes[..length])));
        }
        self.line(&format!("memcpy({address}, {literal}, {count});"));
    }

    fn new_object(&mut self, place: &str, id: ObjectId, inside: Inside) {
        let plan = self.file.plan;
        let object = plan.object(id);
        let param = plan.params.iter().any(|param| param.name == place);
        let is_argument = param && matches!(inside, Inside::Arguments);
        let variable = if is_argument {
            self.declared.insert(place.to_owned());
            place.to_owned()
        } else {
            self.unique(&object.name)
        };
        let old = id.to_string();
        let declaration = if object.declaration.starts_with("void *") && !is_argument {
            // What has no name has the type of the place that points to it.
            let place = self.place(place, inside);
            format!("__typeof__({place}) {variable}")
        } else {
            object.declaration.replacen(&old, &variable, 1)
        };
        let element = object.element.replacen(&old, &variable, 1);
        let told = object
            .length
            .as_ref()
            .and_then(|length| self.integers.get(length));
        let count = match told {
            Some(told) if *told > i128::from(MORE) => MANY,
            Some(told) if *told > i128::from(object.count) => MORE,
            _ => object.count,
        };
        let first = self.lines.len();
        match self.text_of(id) {
            Some(text) => {
                let size = count + 1 + object.spare;
                self.line(&format!("{declaration} = bw_text({text}, {size});"));
                self.texted = Some(id);
            }
            None => self.line(&format!(
                "{declaration} = bw_new({element}, {count}, {});",
                object.spare
            )),
        }
        self.objects.insert(id, variable.clone());
        if !is_argument {
            let target = self.target(place, "void *", inside);
            self.line(&format!("{target} = {variable};"));
        }
        self.block(object.block, Inside::Object(id));
        if !matches!(inside, Inside::Object(_)) {
            self.groups.push(Group {
                lines: first..self.lines.len(),
                declaration,
                variable,
            });
        }
    }

    /// The text of an object that is one string and holds nothing but text, as a literal.
    fn text_of(&self, id: ObjectId) -> Option<String> {
        let object = self.file.plan.object(id);
        if !self.file.types.is_text(object.ty) || object.declaration.starts_with("void *") {
            return None;
        }
        let Some(Step::Bytes {
            address,
            count,
            text: true,
            ..
        }) = self.file.plan.block(object.block).first()
        else {
            return None;
        };
        let end = self.at + usize::try_from(*count).ok()?;
        let values = self
            .case
            .values
            .get(self.at..end.min(self.case.values.len()))?;
        let bytes: Vec<u8> = values
            .iter()
            .map(|(_, value)| value.integer() as u8)
            .collect();
        let length = bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        let is_whole = *address == object.place;
        (is_whole && is_plain_text(&bytes[..length])).then(|| string(&bytes[..length]))
    }

    fn set(&mut self, place: &str, value: &str, inside: Inside) {
        let plan = self.file.plan;
        let other = plan.objects().find(|(id, _)| id.to_string() == value);
        let value = match (value, other) {
            ("0", _) => "NULL".to_owned(),
            ("stdin", _) => {
                let (text, count) = (string(&self.case.stream), self.case.stream.len());
                self.streams.push(self.place(place, inside));
                format!("bw_stream({text}, {count})")
            }
            (sink, _) if sink.starts_with("bw_sink(") => {
                self.streams.push(self.place(place, inside));
                let own = sink.replacen("bw_sink(", "bw_output(", 1);
                own.replace("4294967295u", "UINT_MAX")
            }
            (_, Some((id, _))) => self
                .objects
                .get(&id)
                .cloned()
                .unwrap_or_else(|| "NULL".to_owned()),
            _ => value.to_owned(),
        };
        let param = plan.params.iter().find(|param| param.name == place);
        if let (Some(param), Inside::Arguments) = (param, inside) {
            let declaration = self.declare(place, param.ty);
            self.line(&format!("{declaration} = {value};"));
            self.declared.insert(place.to_owned());
            return;
        }
        if value == "NULL" && self.is_zero_at_start(place, inside) {
            return;
        }
        let target = self.target(place, "void *", inside);
        self.line(&format!("{target} = {value};"));
    }

    /// The values that are left are those of the stubs, in the order of their calls.
    fn stub_values(&mut self) {
        if self.file.plan.stubs.is_empty() {
            return;
        }
        let rest = self.case.values.get(self.at..).unwrap_or_default();
        let last = rest.iter().rposition(|(_, value)| !value.is_zero());
        let Some(last) = last else {
            return;
        };
        let mut list = String::new();
        let mut before = true;
        for (at, (name, value)) in rest[..=last].iter().enumerate() {
            // What is not listed is 0.
            let is_listed = !value.is_zero();
            let index = if is_listed && !before {
                format!("[{at}] = ")
            } else {
                String::new()
            };
            before = is_listed;
            if !is_listed {
                continue;
            }
            let (whole, real) = match value {
                Number::Integer(value) => (integer(*value as i64 as i128), "0".to_owned()),
                Number::F32(value) => ("0".to_owned(), float(&format!("{value:?}"), "")),
                Number::F64(value) => ("0".to_owned(), float(&format!("{value:?}"), "")),
            };
            let name = name.replace("*/", "* /");
            let _ = writeln!(list, "        {index}{{{whole}, {real}}}, /* {name} */");
        }
        self.lines.push(format!(
            "    static const struct bw_value values[] = {{\n{list}    }};"
        ));
        self.line("bw_supply(values);");
    }

    fn call(&mut self, result: &str) {
        let plan = self.file.plan;
        let call = plan.call();
        let is_checked = self
            .file
            .leaves
            .iter()
            .enumerate()
            .any(|(index, leaf)| leaf.result && self.case.seen.after.contains_key(&index));
        match &plan.result {
            Some(returned) if is_checked => {
                let variable = self.file.types.returned(returned.ty, result);
                for line in variable.iter().flat_map(|it| it.define(&call)) {
                    self.line(&line);
                }
            }
            Some(_) => self.line(&format!("(void){call}")),
            None => self.line(&call),
        }
    }
}
