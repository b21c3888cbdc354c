//! Unit tests that people can keep: a C file for each function, with inputs as C statements and what was observed as the
//! oracle.
//!
//! Must hold: a test builds what the harness built from the same values; what is checked was observed on the judge's
//! build; what is left out is said, and so is a test that checks nothing.

mod body;
mod build_files;
pub mod check;
mod checks;
mod fixture;
pub mod flavour;
mod name;
mod statics;
mod value;
mod verify;

use std::collections::BTreeSet;
use std::fmt::Write;

pub use value::Number;
pub use verify::OWNERS;

use self::body::Body;
use self::fixture::Fixtures;
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
    /// What it covers first: a file, and a place and a side in it.
    pub covers: Vec<(String, String)>,
    /// The last condition in the source that it decides as no test before, as it stands there, and how.
    pub condition: Option<(String, bool)>,
    pub seen: Seen,
    pub owned: Owned,
}

/// What the trial has seen of memory when the call had returned, by the expressions of the test that point to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owned {
    /// Objects of the test that the code under test has freed.
    pub gone: BTreeSet<String>,
    /// What it has allocated, and nothing of it points to.
    pub new: BTreeSet<String>,
}

/// A test that is not in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub number: u32,
    pub why: String,
}

impl LeftOut {
    /// Leaves a case out.
    #[must_use]
    pub fn new(case: &Case, why: &str) -> LeftOut {
        LeftOut {
            number: case.number,
            why: why.to_owned(),
        }
    }
}

/// Everything that a file of unit tests is written from.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// What the user calls the function: the plan renames `main`.
    pub name: &'a str,
    pub plan: &'a Plan,
    pub types: &'a Types,
    pub leaves: &'a [Leaf],
    /// Path of the unit: relative to the file's folder, or absolute.
    pub unit: &'a str,
    /// Compiler flags, and what is linked, for the comment at the top.
    pub flags: &'a [String],
    pub link: &'a [String],
}

impl File<'_> {
    /// The files, as (extension, text).
    #[must_use]
    pub fn text(
        &self,
        cases: &[Case],
        left_out: &[LeftOut],
        flavour: &dyn Flavour,
    ) -> Vec<(&'static str, String)> {
        let name = self.name;
        let mut text = self.head(left_out, flavour);
        if !cases.is_empty() && cases.iter().all(|case| !self.is_checked(case)) {
            text.push_str(
                " * No test checks anything: nothing that the function leaves can be seen. They only call it.\n",
            );
        }
        text.push_str(" */\n");
        self.include_unit(&mut text, flavour);
        let mut body = String::new();
        body.push_str(&flavour.include(name));
        body.push('\n');
        self.support(&mut body, flavour);
        let tests = self.names(cases, flavour);
        let written: Vec<(Body<'_>, bool)> =
            cases.iter().map(|case| self.body(case, flavour)).collect();
        let (bodies, checked): (Vec<_>, Vec<_>) = written.into_iter().unzip();
        // A message of the trial's is about the test that it stands in.
        let fixtures = match flavour.name() == verify::Verify.name() {
            true => Fixtures::default(),
            false => Fixtures::of(&bodies),
        };
        body.push_str(fixtures.text());
        for ((it, test), is_checked) in bodies.iter().zip(&tests).zip(checked) {
            body.push_str(&test_text(it, &fixtures, (test, is_checked), flavour));
        }
        body.push_str(&flavour.tail(&tests));
        text.push_str(&hidden::undefine(&self.plan.hidden, &body, &[]));
        text.push_str(&body);
        let mut files = vec![("c", text)];
        files.extend(flavour.others(name, &tests));
        files
    }

    /// A program that runs those of the tests whose numbers it is told, behind the name of a file in which it notes each.
    #[must_use]
    pub fn verifier(&self, cases: &[Case]) -> String {
        let files = self.text(cases, &[], &verify::Verify);
        files.into_iter().map(|(_, text)| text).collect()
    }

    /// Lines that a test takes.
    #[must_use]
    pub fn lines(&self, case: &Case) -> usize {
        let (body, is_checked) = self.body(case, &verify::Verify);
        let named = (&*test_name(case), is_checked);
        let test = test_text(&body, &Fixtures::default(), named, &verify::Verify);
        test.lines().count()
    }

    /// Whether a test checks anything.
    #[must_use]
    pub fn is_checked(&self, case: &Case) -> bool {
        self.body(case, &verify::Verify).1
    }

    fn body<'b>(&'b self, case: &'b Case, flavour: &dyn Flavour) -> (Body<'b>, bool) {
        let mut body = Body::new(self, case);
        let is_checked = body.write(flavour);
        (body, is_checked)
    }

    /// Whether tests begin with what the program begins with.
    fn resets(&self, flavour: &dyn Flavour) -> bool {
        !self.plan.variables.is_empty() || !self.plan.stubs.is_empty() || self.has_statics(flavour)
    }

    /// Whether variables within functions are put back. Not where tests are tried: they have to pass with gcc as well.
    fn has_statics(&self, flavour: &dyn Flavour) -> bool {
        self.plan.statics && flavour.name() != verify::Verify.name()
    }

    /// The start of the comment at the top.
    fn head(&self, left_out: &[LeftOut], flavour: &dyn Flavour) -> String {
        let name = self.name;
        let words = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            words.join(" ")
        };
        let mut command = flavour.compile(&format!("test_{name}"));
        command = match self.flags {
            [] => command.replace("FLAGS ", ""),
            flags => command.replace("FLAGS", &words(flags)),
        };
        command = match self.link {
            [] => command.replace("LINK", "-lm"),
            link => command.replace("LINK", &format!("{} -lm", words(link))),
        };
        let mut text = format!(
            "/* Unit tests of {name}, written by bothways: inputs from its search, results as they were observed.\n"
        );
        let _ = writeln!(text, " * Compile: {command}");
        if let Some(source) = flavour.source() {
            let _ = writeln!(text, " * Framework: {source}.");
        }
        for LeftOut { number, why } in left_out {
            let why = why.replace("*/", "* /");
            let _ = writeln!(text, " * Left out: test {number}: {why}.");
        }
        text
    }

    /// Names of the tests: by their numbers for ourselves, else by what they do.
    fn names(&self, cases: &[Case], flavour: &dyn Flavour) -> Vec<String> {
        if flavour.name() == verify::Verify.name() {
            return cases.iter().map(test_name).collect();
        }
        name::distinct(cases.iter().map(|case| {
            let outcome = Body::new(self, case).outcome();
            let condition = case.condition.as_ref();
            let condition = condition.map(|(text, holds)| (text.as_str(), *holds));
            name::of(self.name, outcome.as_deref(), condition)
        }))
    }

    /// The unit, without its own warnings: they are not the tests'. gcc takes it for a system header; clang would then leave it out of
    /// its coverage (`-fcoverage-mapping`).
    fn include_unit(&self, text: &mut String, flavour: &dyn Flavour) {
        let path = self.unit.replace('\\', "\\\\").replace('"', "\\\"");
        if self.flags.iter().any(|flag| flag.starts_with("-Dmain=")) {
            text.push_str("#undef main\n");
        }
        let (begin, end) = match self.has_statics(flavour) {
            true => (statics::BEGIN, statics::END),
            false => ("", ""),
        };
        let _ = write!(
            text,
            "#define main {UNIT_MAIN}\n#if defined __clang__\n#pragma clang diagnostic push\n\
             #pragma clang diagnostic ignored \"-Weverything\"\n{begin}#else\n# 1 \"unit\" 3\n#endif\n#include \"{path}\"\n\
             #if defined __clang__\n{end}#pragma clang diagnostic pop\n#else\n"
        );
        let _ = writeln!(
            text,
            "# {} \"test_{}.c\"\n#endif",
            text.lines().count() + 2,
            self.name
        );
        text.push_str(
            "#undef main\n#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n",
        );
    }

    /// What tests share: memory, the stubs and their values, the variables of the unit.
    fn support(&self, text: &mut String, flavour: &dyn Flavour) {
        let plan = self.plan;
        text.push_str("#define BW_QUIET __attribute__((unused))\n\n");
        if plan.objects().next().is_some() || plan.stream || plan.sink {
            let made = match flavour.name() == verify::Verify.name() {
                true => "    if (list == &bw_made)\n        bw_trial_made(at);\n",
                false => "",
            };
            text.push_str(&MEMORY.replace("    MADE;\n", made));
        }
        if plan.stream {
            text.push_str(STREAM);
        }
        if plan.sink {
            text.push_str(crate::sink::DEFINITION);
            text.push_str(OUTPUT);
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
            // What a stub makes is nobody's but the code's that calls it.
            let makes = plan.objects().any(|(_, object)| object.stub);
            if makes {
                text.push_str("#define bw_new bw_lent\n");
            }
            for stub in &plan.stubs {
                harness.stub(text, stub);
            }
            if makes {
                text.push_str("#undef bw_new\n");
            }
            text.push_str("#if defined __GNUC__\n#pragma GCC diagnostic pop\n#endif\n\n");
        }
        if !plan.variables.is_empty() {
            text.push_str(match flavour.name() == verify::Verify.name() {
                // A pointer that is kept would have an owner.
                true => "#define bw_put_back memcpy\n",
                false => PUT_BACK,
            });
        }
        self.reset(text, flavour);
    }

    /// What every test begins with.
    fn reset(&self, text: &mut String, flavour: &dyn Flavour) {
        let plan = self.plan;
        if !self.resets(flavour) {
            return;
        }
        let has_statics = self.has_statics(flavour);
        if has_statics {
            text.push_str(statics::SUPPORT);
        }
        text.push_str(match (plan.variables.is_empty(), plan.stubs.is_empty()) {
            (true, true) => "",
            (true, false) => "/* Every test starts with stubs that return 0. */\n",
            (false, true) => "/* Every test starts with the file's variables as they are at the start of the program. */\n",
            (false, false) => {
                "/* Every test starts with the file's variables as they are at the start of the program, and stubs that return 0. */\n"
            }
        });
        text.push_str("static BW_QUIET void bw_reset(void)\n{\n");
        if has_statics {
            text.push_str(statics::RESET);
        }
        if !plan.variables.is_empty() {
            text.push_str("    static int saved;\n");
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
                    "    bw_put_back((void *)&{name}, save{index}, sizeof {name});"
                );
            }
        }
        if !plan.stubs.is_empty() {
            text.push_str("    bw_values = NULL;\n    bw_left = 0;\n");
        }
        text.push_str("}\n\n");
    }
}

/// The definition of a test, with what it covers in front of it.
fn test_text(
    body: &Body<'_>,
    fixtures: &Fixtures,
    (test, is_checked): (&str, bool),
    flavour: &dyn Flavour,
) -> String {
    let mut text = covers(&body.case.covers);
    let _ = writeln!(text, "{}\n{{", flavour.head(test));
    if flavour.name() == "cmocka" {
        text.push_str("    (void)state;\n");
    }
    text.push_str(&fixtures.body(body));
    if !is_checked {
        text.push_str("    /* Nothing that the call leaves can be seen: there is no check. */\n");
    }
    text.push_str("}\n\n");
    text
}

/// What a test covers first, as a comment: a file is named once.
fn covers(covers: &[(String, String)]) -> String {
    const WIDTH: usize = 100;
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for (file, place) in covers {
        let named = match last == Some(file) {
            true => place.clone(),
            false => format!("{file}:{place}"),
        };
        last = Some(file);
        match lines.last_mut() {
            Some(line) if line.len() + named.len() + 2 < WIDTH => {
                let _ = write!(line, ", {named}");
            }
            Some(line) => {
                line.push(',');
                lines.push(named);
            }
            None => lines.push(named),
        }
    }
    match lines.is_empty() {
        true => String::new(),
        false => format!(
            "/* covers {} */\n",
            lines.join("\n * ").replace("*/", "* /")
        ),
    }
}

fn test_name(case: &Case) -> String {
    format!("test_{:04}", case.number)
}

/// A word as a shell takes it; within a C comment, which it must not end.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let inner = word.replace('\'', "'\\''").replace("*/", "*''/");
    format!("'{inner}'")
}

/// Memory of tests.
const MEMORY: &str =
    "/* What the test made and has to free; what stubs made is kept until the end. */
struct bw_made {
    void *at;
    int (*close)(FILE *);
    struct bw_made *next;
};
static BW_QUIET struct bw_made *bw_made, *bw_kept;

static BW_QUIET void *bw_note(struct bw_made **list, void *at, int (*close)(FILE *))
{
    struct bw_made *made = malloc(sizeof *made);
    made->at = at;
    made->close = close;
    made->next = *list;
    *list = made;
    MADE;
    return at;
}

/* `count` elements, all zero, with room behind them. */
static BW_QUIET void *bw_new(size_t element, size_t count, size_t room)
{
    return bw_note(&bw_made, calloc(1, element * (count + 1) + room), NULL);
}

/* A string in so many bytes. */
static BW_QUIET void *bw_text(const char *text, size_t bytes)
{
    return strcpy(bw_new(1, 0, bytes), text);
}

/* The same as bw_new for stubs: who calls them may free it. */
static BW_QUIET void *bw_lent(size_t element, size_t count, size_t room)
{
    return bw_note(&bw_kept, calloc(1, element * (count + 1) + room), NULL);
}

/* The code under test has freed it. */
static BW_QUIET void bw_given(const void *at)
{
    struct bw_made *made;
    for (made = bw_made; made; made = made->next)
        if (made->at == at)
            made->at = NULL;
}

static BW_QUIET void bw_clean(void)
{
    while (bw_made) {
        struct bw_made *made = bw_made;
        bw_made = made->next;
        if (made->at && made->close)
            made->close((FILE *)made->at);
        else
            free(made->at);
        free(made);
    }
}

";

/// Variables of the unit between tests.
const PUT_BACK: &str = "/* What the variable holds now stays reachable: objects of the code under test are its own, no leaks of the tests. */
static BW_QUIET void bw_put_back(void *variable, const void *saved, size_t bytes)
{
    struct bw_past {
        struct bw_past *next;
        void *content[];
    };
    static struct bw_past *volatile all;
    struct bw_past *past;
    if (memcmp(variable, saved, bytes) == 0)
        return;
    past = malloc(sizeof *past + bytes);
    if (past) {
        memcpy(past->content, variable, bytes);
        past->next = all;
        all = past;
    }
    memcpy(variable, saved, bytes);
}

";

/// Streams of tests.
const STREAM: &str = "/* A stream that reads these bytes, and refuses output. */
static BW_QUIET FILE *bw_stream(const char *bytes, size_t count)
{
    FILE *stream = tmpfile();
    fwrite(bytes, 1, count, stream);
    fflush(stream);
    stream = freopen(NULL, \"r\", stream);
    return (FILE *)bw_note(&bw_made, stream, fclose);
}

";

/// Streams that take output.
const OUTPUT: &str = "
static BW_QUIET FILE *bw_output(unsigned operations)
{
    return (FILE *)bw_note(&bw_made, bw_sink(operations), fclose);
}

";

/// How stubs come to their values.
const STUBS: &str = "
/* What stubs return and write, in the order in which they ask. */
void bw_elsewhere(void *) __attribute__((weak));
struct bw_value {
    long long whole;
    double real;
};
static const struct bw_value *bw_values;
static size_t bw_left;
#define bw_supply(list) (bw_values = (list), bw_left = sizeof (list) / sizeof (list)[0])

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell_and_never_end_the_comment() {
        for (word, wanted) in [
            ("-DX=1", "-DX=1"),
            ("-DNAME=\"a b\"", "'-DNAME=\"a b\"'"),
            ("-DC='x'", "'-DC='\\''x'\\'''"),
            ("-I/a*/b", "'-I/a*''/b'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), wanted);
        }
    }
}
