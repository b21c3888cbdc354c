//! Unit tests that people can keep: a C file for each function, with inputs as C statements and what was observed as the
//! oracle.
//!
//! Must hold: a test builds what the harness built from the same values; what is checked was observed on the judge's
//! build; tests that did not return are left out, and counted.

mod body;
pub mod flavour;
mod value;

use std::fmt::Write;

pub use value::Number;

use self::body::Body;
use self::flavour::Flavour;
use crate::hidden;
use crate::leaf::Leaf;
use crate::observe::Seen;
use crate::plan::Plan;
use crate::types::Types;
use crate::write::{Harness, UNIT_MAIN};

/// One test of the suite.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its number in the suite.
    pub number: u32,
    /// Values in the order in which the harness asks for them, with their names.
    pub values: Vec<(String, Number)>,
    /// Content of the stream behind `FILE *`.
    pub stream: Vec<u8>,
    /// What it covers first, in words.
    pub covers: Vec<String>,
    pub seen: Seen,
}

/// Everything that a file of unit tests is written from.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub plan: &'a Plan,
    pub types: &'a Types,
    pub leaves: &'a [Leaf],
    /// Path of the unit: relative to the file's folder, or absolute.
    pub unit: &'a str,
    /// Compiler flags, for the comment at the top.
    pub flags: &'a str,
}

impl File<'_> {
    /// The files, as (extension, text).
    #[must_use]
    pub fn text(&self, cases: &[Case], flavour: &dyn Flavour) -> Vec<(&'static str, String)> {
        let (kept, dropped): (Vec<&Case>, Vec<&Case>) =
            cases.iter().partition(|case| case.seen.ended);
        let name = &self.plan.function.name;
        let mut text = format!(
            "/* Unit tests of {name}, written by bothways: inputs from its search, results as they were observed.\n \
             * Compile: cc {}THIS_FILE\n",
            if self.flags.is_empty() {
                String::new()
            } else {
                format!("{} ", self.flags.replace("*/", "* /"))
            }
        );
        for case in &dropped {
            let _ = writeln!(
                text,
                " * Left out: test {}, which did not return.",
                case.number
            );
        }
        text.push_str(" */\n");
        self.include_unit(&mut text);
        let mut body = String::new();
        body.push_str(flavour.include());
        body.push('\n');
        self.support(&mut body);
        let mut tests = Vec::new();
        for case in kept {
            let test = format!("test_{:04}", case.number);
            for label in &case.covers {
                let _ = writeln!(body, "/* covers {} */", label.replace("*/", "* /"));
            }
            let _ = writeln!(body, "{}\n{{", flavour.head(&test));
            if flavour.name() == "cmocka" {
                body.push_str("    (void)state;\n");
            }
            body.push_str(&Body::new(self, case).text(flavour));
            body.push_str("}\n\n");
            tests.push(test);
        }
        body.push_str(&flavour.tail(&tests));
        text.push_str(&hidden::undefine(&self.plan.hidden, &body, &[]));
        text.push_str(&body);
        let mut files = vec![("c", text)];
        files.extend(flavour.second(name, &tests));
        files
    }

    /// The unit, as if it were a system header: its own warnings are not the tests'.
    fn include_unit(&self, text: &mut String) {
        let path = self.unit.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = write!(
            text,
            "#define main {UNIT_MAIN}\n# 1 \"unit\" 3\n#include \"{path}\"\n"
        );
        let _ = writeln!(
            text,
            "# {} \"test_{}.c\"",
            text.lines().count() + 2,
            self.plan.function.name
        );
        text.push_str(
            "#undef main\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n",
        );
    }

    /// What tests share: memory, the stubs and their values, the variables of the unit.
    fn support(&self, text: &mut String) {
        let plan = self.plan;
        text.push_str("#define BW_QUIET __attribute__((unused))\n\n");
        text.push_str(
            "/* `count` elements, all zero, with room behind them. */\n\
             static BW_QUIET void *bw_new(size_t element, size_t count, size_t room)\n{\n    \
             return calloc(1, element * (count + 1) + room);\n}\n\n",
        );
        if plan.stream {
            text.push_str(
                "/* A stream that reads these bytes, and refuses output. */\n\
                 static BW_QUIET FILE *bw_stream(const char *bytes, size_t count)\n{\n    \
                 FILE *stream = tmpfile();\n    fwrite(bytes, 1, count, stream);\n    fflush(stream);\n    \
                 return freopen(NULL, \"r\", stream);\n}\n\n",
            );
        }
        if plan.sink {
            text.push_str(crate::sink::DEFINITION);
            text.push('\n');
        }
        for definition in &plan.definitions {
            let _ = writeln!(text, "{definition};");
        }
        let uses_stubs = !plan.stubs.is_empty();
        if uses_stubs {
            text.push_str(STUBS);
            for (_, object) in plan.objects().filter(|(_, object)| object.stub) {
                let _ = writeln!(text, "static BW_QUIET {};", object.declaration);
            }
            for stub in plan.stubs.iter().filter(|stub| stub.internal) {
                let _ = writeln!(text, "static BW_QUIET {};", stub.declaration);
            }
            let harness = Harness {
                plan,
                unit: self.unit,
                assumptions: &[],
                leaves: None,
            };
            text.push_str(
                "#if defined __GNUC__\n#pragma GCC diagnostic push\n\
                 #pragma GCC diagnostic ignored \"-Wunused-parameter\"\n\
                 #pragma GCC diagnostic ignored \"-Wstrict-aliasing\"\n#endif\n\n",
            );
            for stub in &plan.stubs {
                harness.stub(text, stub);
            }
            text.push_str("#if defined __GNUC__\n#pragma GCC diagnostic pop\n#endif\n\n");
        }
        if !plan.variables.is_empty() {
            text.push_str("/* Every test starts with the file's variables as they are at the start of the program. */\n");
            text.push_str("static BW_QUIET void bw_reset(void)\n{\n    static int saved;\n");
            for (index, name) in plan.variables.iter().enumerate() {
                let _ = writeln!(text, "    static char save{index}[sizeof {name}];");
            }
            text.push_str("    if (!saved) {\n        saved = 1;\n");
            for (index, name) in plan.variables.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "        memcpy(save{index}, (const void *)&{name}, sizeof {name});"
                );
            }
            text.push_str("    }\n");
            for (index, name) in plan.variables.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "    memcpy((void *)&{name}, save{index}, sizeof {name});"
                );
            }
            text.push_str("}\n\n");
        }
    }
}

/// How stubs come to their values.
const STUBS: &str = "
/* What stubs return and write, in the order in which they ask. */
struct bw_value {
    long long whole;
    double real;
};
static const struct bw_value *bw_values;
static size_t bw_left;

static BW_QUIET struct bw_value bw_next(void)
{
    static const struct bw_value none = {0, 0.0};
    if (!bw_left)
        return none;
    bw_left--;
    return *bw_values++;
}

#define BW_INPUT(name, type, part) \\
    static BW_QUIET void name(type *at, const char *label) \\
    { \\
        (void)label; \\
        *at = (type)bw_next().part; \\
    }
BW_INPUT(bw_bool, _Bool, whole)
BW_INPUT(bw_schar, signed char, whole)
BW_INPUT(bw_uchar, unsigned char, whole)
BW_INPUT(bw_short, short, whole)
BW_INPUT(bw_ushort, unsigned short, whole)
BW_INPUT(bw_int, int, whole)
BW_INPUT(bw_uint, unsigned int, whole)
BW_INPUT(bw_long, long, whole)
BW_INPUT(bw_ulong, unsigned long, whole)
BW_INPUT(bw_float, float, real)
BW_INPUT(bw_double, double, real)

static BW_QUIET void bw_bytes(void *at, size_t count, const char *label)
{
    size_t i;
    (void)label;
    for (i = 0; i < count; i++)
        ((unsigned char *)at)[i] = (unsigned char)bw_next().whole;
}

static BW_QUIET unsigned char bw_choose(const char *label, unsigned char options)
{
    (void)label;
    (void)options;
    return (unsigned char)bw_next().whole;
}

static BW_QUIET unsigned long bw_count(unsigned long built, int more, int many)
{
    return many ? 65536 : more ? 1024 : built;
}

#define bw_assume(condition) ((void)(condition))

";
