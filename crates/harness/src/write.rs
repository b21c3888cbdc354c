//! The harness: a C file that includes the unit, builds its inputs by the plan, and calls the function.
//!
//! The unit is included, so that `static` functions are within reach and every type has its name. Its own `main` gets
//! another name. The functions of the harness carry no coverage counters: their branches are nobody's goals.
//!
//! Must hold: the text compiles wherever the unit compiles (C89 on, whatever headers and macros the unit brings).

use std::fmt::Write;

use crate::declared::USED;
use crate::hidden;
use crate::leaf::Leaf;
use crate::observe;
use crate::plan::{BlockId, Object, ObjectId, Plan, Scalar, Step, Stub};
use crate::sink;

/// Name that the unit's own `main` gets.
pub const UNIT_MAIN: &str = "bw_unit_main";

/// Elements of an array whose length is told, where the length is more than what is built.
pub(crate) const MORE: u64 = 1024;
/// The same, where it is more than that.
pub(crate) const MANY: u64 = 65536;

/// What stands in front of everything: the unit, under its path.
pub(crate) fn include(unit: &str) -> String {
    let path = unit.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "#define main {UNIT_MAIN}\n#include \"{path}\"\n#undef main\n\
         #pragma clang diagnostic ignored \"-Weverything\"\n"
    )
}

const PRELUDE: &str = "
#define BW_QUIET __attribute__((no_profile_instrument_function, unused))
#ifdef __cplusplus
extern \"C\" {
#endif
void bw_bool(_Bool *, const char *);
void bw_schar(signed char *, const char *);
void bw_uchar(unsigned char *, const char *);
void bw_short(short *, const char *);
void bw_ushort(unsigned short *, const char *);
void bw_int(int *, const char *);
void bw_uint(unsigned int *, const char *);
void bw_long(long *, const char *);
void bw_ulong(unsigned long *, const char *);
void bw_float(float *, const char *);
void bw_double(double *, const char *);
void bw_bytes(void *, __SIZE_TYPE__, const char *);
void bw_assume(int);
void _exit(int) __attribute__((noreturn));
/* Nobody has it: it stands for what a function may write that its stub does not. */
void bw_elsewhere(void *) __attribute__((weak));
#ifdef __cplusplus
}
#endif

static BW_QUIET unsigned char bw_choose(const char *name, unsigned char options) {
  unsigned char choice = 0;
  bw_uchar(&choice, name);
  bw_assume(choice < options);
  return choice;
}

static BW_QUIET unsigned long bw_count(unsigned long built, int more, int many) {
  if (!more) return built;
  if (!many) return BW_MORE;
  return BW_MANY;
}

static BW_QUIET void *bw_new(unsigned long element, unsigned long count, unsigned long spare) {
  return __builtin_calloc(1, element * (count + 1) + spare);
}
";

/// What the harness is made of, beside the plan.
#[derive(Clone, Copy, Debug)]
pub struct Harness<'a> {
    pub plan: &'a Plan,
    /// Absolute path of the unit.
    pub unit: &'a str,
    /// C conditions over parameters and globals that every input must meet.
    pub assumptions: &'a [String],
    /// What is to be seen of a call, if anything is.
    pub leaves: Option<&'a [Leaf]>,
}

impl Harness<'_> {
    /// The C text.
    #[must_use]
    pub fn text(&self) -> String {
        let plan = self.plan;
        let mut text = format!(
            "/* The harness that bothways wrote for {}: it includes the unit, builds inputs, and calls. */\n",
            plan.function.name
        );
        text.push_str(&include(self.unit));
        let body = self.body();
        text.push_str(&hidden::undefine(&plan.hidden, &body, self.assumptions));
        let _ = write!(text, "\n#define BW_MORE {MORE}\n#define BW_MANY {MANY}");
        text.push_str(PRELUDE);
        if plan.sink {
            text.push_str(sink::DEFINITION);
        }
        text.push('\n');
        text.push_str(&body);
        text
    }

    fn body(&self) -> String {
        let plan = self.plan;
        let mut text = String::new();
        declarations(&mut text, plan);
        for stub in &plan.stubs {
            self.stub(&mut text, stub);
        }
        if let Some(leaves) = self.leaves {
            text.push_str(&observe::text(plan, leaves));
        }
        text.push_str("static BW_QUIET void bw_globals(void) {\n");
        self.block(&mut text, plan.globals, 1);
        text.push_str("}\n\n");
        self.main(&mut text);
        text
    }

    fn main(&self, text: &mut String) {
        let plan = self.plan;
        text.push_str("BW_QUIET int main(void) {\n");
        for (index, param) in plan.params.iter().enumerate() {
            let _ = writeln!(text, "  bw_type{index} {};", param.name);
        }
        for name in &plan.variadic {
            let _ = writeln!(text, "  long {name};");
        }
        for param in &plan.params {
            let name = &param.name;
            let _ = writeln!(text, "  __builtin_memset(&{name}, 0, sizeof {name});");
        }
        text.push_str("  bw_globals();\n");
        self.block(text, plan.arguments, 1);
        for assumption in self.assumptions {
            // On a line of its own under its own name, so that the compiler's messages point to it.
            let _ = write!(
                text,
                "#line 1 \"{ASSUMPTION}\"\n  bw_assume(0 != (\n#line 1 \"{ASSUMPTION}\"\n{assumption}\n  ));\n"
            );
        }
        text.push_str("#line 1 \"harness\"\n");
        let mut call = plan.call();
        // A copy within the harness would not be the function under test.
        let used = format!("{USED}{}", plan.function.name);
        if plan
            .definitions
            .iter()
            .any(|it| it.contains(&format!("{used} ")))
        {
            call = call.replacen(&plan.function.name, &used, 1);
        }
        match (self.leaves, &plan.result) {
            (Some(leaves), result) => {
                text.push_str(observe::BEFORE_CALL);
                let lines = match result {
                    Some(result) => result.define(&call),
                    None => vec![call],
                };
                for line in lines {
                    let _ = writeln!(text, "  {line}");
                }
                text.push_str(&observe::after_call(leaves));
            }
            (None, _) => {
                let _ = writeln!(text, "  {call}");
            }
        }
        text.push_str("  return 0;\n}\n");
    }

    pub(crate) fn stub(&self, text: &mut String, stub: &Stub) {
        let storage = if stub.internal { "static " } else { "" };
        let _ = writeln!(text, "BW_QUIET {storage}{} {{", stub.declaration);
        if let Some(result) = &stub.result {
            let _ = write!(
                text,
                "  {result};\n  __builtin_memset((void *)&bw_result, 0, sizeof bw_result);\n"
            );
        }
        self.block(text, stub.block, 1);
        for (condition, pointer) in &stub.beyond {
            let _ = writeln!(
                text,
                "  if (bw_elsewhere && {pointer} && {condition}) bw_elsewhere({pointer});"
            );
        }
        if stub.ends {
            text.push_str("  _exit(0);\n");
        } else if stub.result.is_some() {
            text.push_str("  return bw_result;\n");
        }
        text.push_str("}\n\n");
    }

    fn block(&self, text: &mut String, block: BlockId, depth: usize) {
        for step in self.plan.block(block) {
            self.step(text, step, depth);
        }
    }

    fn step(&self, text: &mut String, step: &Step, depth: usize) {
        let pad = "  ".repeat(depth);
        match step {
            Step::Scalar {
                place,
                name,
                scalar: Scalar::LongDouble,
            } => {
                let _ = writeln!(
                    text,
                    "{pad}{{ double bw_value; bw_double(&bw_value, \"{name}\"); *(long double *)&{place} = bw_value; }}"
                );
            }
            Step::Scalar {
                place,
                name,
                scalar,
            } => {
                let (input, ty) = (scalar.input(), scalar.c_type());
                let _ = writeln!(text, "{pad}{input}(({ty} *)&{place}, \"{name}\");");
            }
            Step::Bits {
                place,
                name,
                scalar,
                width,
            } => {
                let (input, ty) = (scalar.input(), scalar.c_type());
                let _ = writeln!(
                    text,
                    "{pad}{{ {ty} bw_value; {input}(&bw_value, \"{name}\");"
                );
                if let Some(range) = range(*scalar, *width) {
                    let _ = writeln!(text, "{pad}  bw_assume({range});");
                }
                let assignment = self.plan.assign_bits(place, place, "bw_value");
                let _ = writeln!(text, "{pad}  {assignment} }}");
            }
            Step::Bytes {
                address,
                name,
                count,
                ..
            } => {
                let _ = writeln!(
                    text,
                    "{pad}bw_bytes((void *)({address}), {count}, \"{name}\");"
                );
            }
            Step::Choose { name, options } => {
                let _ = writeln!(
                    text,
                    "{pad}switch (bw_choose(\"{name}\", {})) {{",
                    options.len()
                );
                for (value, option) in options.iter().enumerate() {
                    let _ = writeln!(text, "{pad}case {value}: /* {} */", option.legend);
                    self.block(text, option.block, depth + 1);
                    let _ = writeln!(text, "{pad}  break;");
                }
                let _ = writeln!(text, "{pad}}}");
            }
            Step::New { place, object } => self.new_object(text, place, *object, depth),
            Step::Constant { place, value } => {
                let _ = writeln!(text, "{pad}{place} = {value};");
            }
            Step::Set { place, value } => {
                let _ = writeln!(text, "{pad}*(void **)&{place} = (void *){value};");
            }
            Step::Inside {
                place,
                object,
                element,
            } => {
                let size = &self.plan.object(*object).element;
                let _ = writeln!(
                    text,
                    "{pad}*(void **)&{place} = {object} ? (void *)((char *){object} + {element} * ({size})) : 0;"
                );
            }
            Step::When { condition, block } => {
                if condition == "1" {
                    return self.block(text, *block, depth);
                }
                let _ = writeln!(text, "{pad}if ({condition}) {{");
                self.block(text, *block, depth + 1);
                let _ = writeln!(text, "{pad}}}");
            }
        }
    }

    fn new_object(&self, text: &mut String, place: &str, id: ObjectId, depth: usize) {
        let pad = "  ".repeat(depth);
        let object = self.plan.object(id);
        let Object {
            element,
            count,
            spare,
            ..
        } = object;
        let built = match &object.length {
            Some(length) => {
                format!("bw_count({count}, ({length}) > {count}, ({length}) > {MORE})")
            }
            None => count.to_string(),
        };
        let _ = writeln!(text, "{pad}{id} = bw_new({element}, {built}, {spare});");
        let _ = writeln!(text, "{pad}*(void **)&{place} = (void *){id};");
        self.block(text, object.block, depth);
    }
}

/// Under this name the compiler's messages speak of assumptions.
pub const ASSUMPTION: &str = "--assume";

/// Types of parameters, pointers to objects, stubs.
fn declarations(text: &mut String, plan: &Plan) {
    for definition in &plan.definitions {
        let _ = writeln!(text, "{definition};");
    }
    for param in &plan.params {
        let _ = writeln!(text, "typedef {};", param.typedef);
    }
    for (_, object) in plan.objects() {
        let _ = writeln!(text, "static {};", object.declaration);
    }
    for stub in plan.stubs.iter().filter(|stub| stub.internal) {
        let _ = writeln!(text, "static {};", stub.declaration);
    }
    text.push('\n');
}

/// The condition that a bit-field's value must meet; none if every value of the type does.
fn range(scalar: Scalar, width: u32) -> Option<String> {
    let (bytes, signed) = match scalar {
        Scalar::Signed(bytes) => (bytes, true),
        Scalar::Unsigned(bytes) => (bytes, false),
        _ => return None,
    };
    if width >= u32::from(bytes) * 8 || width == 0 {
        return None;
    }
    Some(if signed {
        let most = (1_u64 << (width - 1)) - 1;
        format!("bw_value >= -{most}L - 1 && bw_value <= {most}L")
    } else {
        format!("bw_value <= {}UL", (1_u64 << width) - 1)
    })
}
