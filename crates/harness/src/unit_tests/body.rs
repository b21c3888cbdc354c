//! One test: walks the plan with the values of a test and writes what the harness did with them as plain statements; then
//! the call, then the checks.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use super::check::Check;
use super::flavour::Flavour;
use super::value::{float, hexadecimal, integer, string};
use super::{Case, File, Number};
use crate::leaf::{Kind, Leaf};
use crate::plan::{BlockId, ObjectId, Scalar, Step};
use crate::types::{Type, TypeId};
use crate::write::{MANY, MORE};

/// Writes the body of one test.
pub(super) struct Body<'a> {
    file: &'a File<'a>,
    case: &'a Case,
    text: String,
    /// Values that were used.
    at: usize,
    /// Variables of the objects that the test made.
    objects: BTreeMap<ObjectId, String>,
    used: HashSet<String>,
    declared: HashSet<String>,
    /// Integers by their place: lengths of arrays.
    integers: BTreeMap<String, i128>,
}

/// Where a walk is.
#[derive(Clone, Copy)]
enum Inside {
    Globals,
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
            text: String::new(),
            at: 0,
            objects: BTreeMap::new(),
            used,
            declared: HashSet::new(),
            integers: BTreeMap::new(),
        }
    }

    /// The statements, and whether there is a check among them.
    pub(super) fn text(mut self, flavour: &dyn Flavour) -> (String, bool) {
        let plan = self.file.plan;
        if !plan.variables.is_empty() {
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
        let is_checked = self.checks(&result, flavour);
        (self.text, is_checked)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
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
                Step::Bytes { address, count, .. } => {
                    let bytes: Vec<u8> = (0..*count).map(|_| self.next().integer() as u8).collect();
                    self.bytes(address, &bytes, inside);
                }
                Step::Choose { options, .. } => {
                    let choice = self.next().integer();
                    let chosen = usize::try_from(choice).ok().and_then(|at| options.get(at));
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
        if value.is_zero() && !matches!(inside, Inside::Globals) {
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
        if value.is_zero() && !matches!(inside, Inside::Globals) {
            return;
        }
        let ty = match scalar {
            Scalar::LongDouble => "long double",
            _ => scalar.c_type(),
        };
        let target = self.target(place, ty, inside);
        self.line(&format!("{target} = {literal};"));
    }

    fn bytes(&mut self, address: &str, bytes: &[u8], inside: Inside) {
        let keep_zeros = matches!(inside, Inside::Globals);
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
        let (text, count) = (string(shown), shown.len());
        self.line(&format!("memcpy({address}, {text}, {count});"));
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
        self.line(&format!(
            "{declaration} = bw_new({element}, {count}, {});",
            object.spare
        ));
        self.objects.insert(id, variable.clone());
        if !is_argument {
            let target = self.target(place, "void *", inside);
            self.line(&format!("{target} = {variable};"));
        }
        self.block(object.block, Inside::Object(id));
    }

    fn set(&mut self, place: &str, value: &str, inside: Inside) {
        let plan = self.file.plan;
        let other = plan.objects().find(|(id, _)| id.to_string() == value);
        let value = match (value, other) {
            ("0", _) => "NULL".to_owned(),
            ("stdin", _) => {
                let (text, count) = (string(&self.case.stream), self.case.stream.len());
                format!("bw_stream({text}, {count})")
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
        if value == "NULL" && !matches!(inside, Inside::Globals) {
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
            self.line("bw_values = NULL;");
            return self.line("bw_left = 0;");
        };
        let mut list = String::new();
        for (name, value) in &rest[..=last] {
            let (whole, real) = match value {
                Number::Integer(value) => (integer(*value as i64 as i128), "0".to_owned()),
                Number::F32(value) => ("0".to_owned(), float(&format!("{value:?}"), "")),
                Number::F64(value) => ("0".to_owned(), float(&format!("{value:?}"), "")),
            };
            let name = name.replace("*/", "* /");
            let _ = writeln!(list, "        {{{whole}, {real}}}, /* {name} */");
        }
        let _ = write!(
            self.text,
            "    static const struct bw_value values[] = {{\n{list}    }};\n"
        );
        self.line("bw_values = values;");
        self.line("bw_left = sizeof values / sizeof values[0];");
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

    fn checks(&mut self, result: &str, flavour: &dyn Flavour) -> bool {
        let mut checks = Vec::new();
        for (index, leaf) in self.file.leaves.iter().enumerate() {
            let Some(after) = self.case.seen.after.get(&index) else {
                continue;
            };
            let before = self.case.seen.before.get(&index);
            if !leaf.result && before == Some(after) {
                continue;
            }
            let place = match leaf.object {
                None => leaf.rest.replacen("bw_result", result, 1),
                Some(id) => match self.objects.get(&id) {
                    Some(variable) => leaf.place(variable),
                    None => continue,
                },
            };
            checks.extend(self.check(leaf, &place, before, after));
        }
        for check in &checks {
            self.line(&flavour.check(check));
        }
        !checks.is_empty()
    }

    fn check(
        &self,
        leaf: &Leaf,
        place: &str,
        before: Option<&String>,
        after: &str,
    ) -> Option<Check> {
        let place = place.to_owned();
        match leaf.kind {
            Kind::Signed | Kind::Unsigned => {
                let value: i128 = after.parse().ok()?;
                Some(self.integer_check(leaf, place, value))
            }
            Kind::Float | Kind::Double => {
                let is_float = leaf.kind == Kind::Float;
                let own = if is_float {
                    Scalar::Float
                } else {
                    Scalar::Double
                };
                let scalar = leaf.scalar.unwrap_or(own);
                if after.contains("nan") {
                    return Some(Check::NotANumber { place, scalar });
                }
                // As few digits as name the number.
                let short = match scalar {
                    Scalar::Float => after.parse::<f32>().ok().map(|it| format!("{it:?}")),
                    Scalar::Double => after.parse::<f64>().ok().map(|it| format!("{it:?}")),
                    _ => None,
                };
                let short = short.unwrap_or_else(|| after.to_owned());
                let value = float(&short, if is_float { "f" } else { "" });
                Some(Check::Float {
                    place,
                    value,
                    scalar,
                })
            }
            Kind::Pointer => Some(self.pointer(place, after)),
            Kind::Text => {
                let bytes = unhex(after)?;
                let text = string(&bytes);
                (bytes.len() < 200).then_some(Check::Text { place, text })
            }
            Kind::Bytes(_) => {
                let (old, new) = (unhex(before?)?, unhex(after)?);
                let last = old.iter().zip(&new).rposition(|(old, new)| old != new)?;
                let end = new.iter().position(|byte| *byte == 0);
                let is_text = |end: usize| {
                    end >= last
                        && new[..end]
                            .iter()
                            .all(|byte| (0x20..0x7f).contains(byte) || *byte == b'\n')
                };
                Some(match end {
                    Some(end) if is_text(end) && !place.starts_with('&') => Check::Text {
                        place,
                        text: string(&new[..end]),
                    },
                    _ => Check::Memory {
                        place,
                        bytes: string(&new[..=last]),
                        count: last + 1,
                    },
                })
            }
        }
    }

    /// What the call returned, as a part of a name: `returns_minus_4`.
    pub(super) fn outcome(&self) -> Option<String> {
        let leaves = self.file.leaves.iter().enumerate();
        let mut results = leaves.filter(|(_, leaf)| leaf.result);
        let (index, leaf) = results.next()?;
        // The parts of a structure are no name.
        if results.next().is_some() {
            return None;
        }
        let after = self.case.seen.after.get(&index)?;
        let value = match leaf.kind {
            Kind::Signed | Kind::Unsigned => {
                let value: i128 = after.parse().ok()?;
                match self.named(leaf, value) {
                    Some(name) => name.to_lowercase(),
                    None if leaf.scalar == Some(Scalar::Bool) => (value != 0).to_string(),
                    None if value < 0 => format!("minus_{}", value.unsigned_abs()),
                    None => value.to_string(),
                }
            }
            Kind::Pointer if after.starts_with("-1") => "null".to_owned(),
            Kind::Pointer => "a_pointer".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Float | Kind::Double | Kind::Bytes(_) => return None,
        };
        Some(format!("returns_{value}"))
    }

    fn integer_check(&self, leaf: &Leaf, place: String, value: i128) -> Check {
        let scalar = leaf.scalar.unwrap_or(match leaf.kind {
            Kind::Unsigned => Scalar::Unsigned(4),
            _ => Scalar::Signed(4),
        });
        if scalar == Scalar::Bool {
            return Check::Truth {
                place,
                value: value != 0,
            };
        }
        let hex = matches!(scalar, Scalar::Unsigned(_)) && is_mask(&place);
        let value = match self.named(leaf, value) {
            Some(name) => name,
            None if hex => hexadecimal(value),
            None => Number::Integer(value).literal(scalar),
        };
        Check::Integer {
            place,
            value,
            scalar,
            hex,
        }
    }

    /// An enumerator's name, where the type has one.
    fn named(&self, leaf: &Leaf, value: i128) -> Option<String> {
        if let Some(name) = &leaf.input {
            return self.file.plan.meaning(name, value).map(str::to_owned);
        }
        let returned = self.file.plan.result.as_ref().filter(|_| leaf.result)?;
        let Type::Enum { values, .. } = self.file.types.resolved(returned.ty) else {
            return None;
        };
        let (name, _) = values.iter().find(|(_, known)| *known == value)?;
        Some(name.clone())
    }

    fn pointer(&self, place: String, seen: &str) -> Check {
        let (object, offset) = seen.split_once(':').unwrap_or((seen, "0"));
        let known = self
            .objects
            .iter()
            .find(|(id, _)| id.index().to_string() == object);
        match (object, known) {
            ("-1", _) => Check::Null { place },
            (_, None) => Check::NotNull { place },
            (_, Some((id, variable))) => {
                let declaration = &self.file.plan.object(*id).declaration;
                let other = match offset {
                    "0" => variable.clone(),
                    _ if declaration.starts_with("char *") => format!("{variable} + {offset}"),
                    _ => format!("(const char *){variable} + {offset}"),
                };
                Check::Same { place, other }
            }
        }
    }
}

/// Whether a place is a mask, by its name.
fn is_mask(place: &str) -> bool {
    let name = place.rsplit(['>', '.']).next().unwrap_or(place);
    let name = name.to_lowercase();
    ["flag", "mask", "bits", "crc", "hash"]
        .iter()
        .any(|word| name.contains(word))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
