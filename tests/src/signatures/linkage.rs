//! Functions and variables beside the function under test, linked in every way that C and its compilers know.

use std::fmt::Write;

use super::Random;
use super::body::Body;
use super::types::{Pool, Ty};

/// What the unit has beside its types.
#[derive(Default)]
pub(super) struct Linkage {
    pub text: String,
    /// Statements that call the functions.
    pub uses: Vec<String>,
    pub variables: Vec<(String, Ty)>,
}

/// Functions that are declared and nowhere defined; `F` is the declaration.
const DECLARED: &[&str] = &[
    "extern F;",
    "F;",
    "extern __attribute__((visibility(\"hidden\"))) F;",
    "extern __attribute__((visibility(\"protected\"))) F;",
    "extern __attribute__((visibility(\"internal\"))) F;",
    "extern __attribute__((weak)) F;",
    "extern __attribute__((weak, visibility(\"hidden\"))) F;",
    "extern F __asm__(\"N_real\");",
    "extern F __asm__(\"N$real\") __attribute__((visibility(\"hidden\")));",
    "extern __attribute__((pure)) F;",
    "extern __attribute__((const, nothrow)) F;",
    "extern __attribute__((nonnull)) F;",
    "extern __attribute__((warn_unused_result, cold)) F;",
    "#pragma GCC visibility push(hidden)\nF;\n#pragma GCC visibility pop",
    "F;\n#pragma weak N",
    "extern __attribute__((ms_abi)) F;",
    "extern __attribute__((noinline)) F;\n#define N(...) (N)(__VA_ARGS__)",
];

/// Functions with a body of their own, `int N(int)`.
const DEFINED: &[&str] = &[
    "static int N(int a) { return a > 2 ? 5 : 1; }",
    "inline int N(int a) { return a > 2 ? 5 : 1; }",
    "int N(int a);\ninline int N(int a) { return a > 2 ? 5 : 1; }",
    "inline int N(int a);\ninline int N(int a) { return a > 2 ? 5 : 1; }",
    "extern inline int N(int a) { return a > 2 ? 5 : 1; }",
    "static inline int N(int a) { return a > 2 ? 5 : 1; }",
    "extern inline __attribute__((gnu_inline)) int N(int a) { return a > 2 ? 5 : 1; }",
    "extern inline __attribute__((gnu_inline, always_inline)) int N(int a) { return a > 2 ? 5 : 1; }",
    "inline __attribute__((gnu_inline)) int N(int a) { return a > 2 ? 5 : 1; }",
    "inline __attribute__((always_inline)) int N(int a) { return a > 2 ? 5 : 1; }",
    "static inline __attribute__((always_inline)) int N(int a) { return a > 2 ? 5 : 1; }",
    "inline __attribute__((visibility(\"hidden\"))) int N(int a) { return a > 2 ? 5 : 1; }",
    "inline int N(int a) { return a > 2 ? 5 : 1; }\nstatic int (*N_pointer)(int) = N;",
    "__attribute__((weak)) int N(int a) { return a > 2 ? 5 : 1; }",
    "__attribute__((weak)) inline int N(int a) { return a > 2 ? 5 : 1; }",
    "__attribute__((visibility(\"hidden\"))) int N(int a) { return a > 2 ? 5 : 1; }",
    "int N_real(int a) { return a > 2 ? 5 : 1; }\nint N(int a) __attribute__((alias(\"N_real\")));",
    "static int N_real(int a) { return a > 2 ? 5 : 1; }\nint N(int a) __attribute__((weak, alias(\"N_real\")));",
    "static int N_real(int a) { return a > 2 ? 5 : 1; }\nstatic int N(int a) __attribute__((alias(\"N_real\")));",
    "static int N_real(int a) { return a > 2 ? 5 : 1; }\nstatic void *N_choose(void) { return (void *)N_real; }\n\
     int N(int a) __attribute__((ifunc(\"N_choose\")));",
    "int N(int a) __asm__(\"N_label\");\nint N(int a) { return a > 2 ? 5 : 1; }",
    "int N(a) int a; { return a > 2 ? 5 : 1; }",
    "static int (N)(int a) { return a > 2 ? 5 : 1; }\n#define N(x) ((N)(x) + 1)",
];

/// Variables; `V` is the declaration, `T` the type of the name.
const VARIABLES: &[&str] = &[
    "V;",
    "static V;",
    "extern V;",
    "extern __attribute__((visibility(\"hidden\"))) V;",
    "extern __attribute__((visibility(\"protected\"))) V;",
    "__attribute__((weak)) V;",
    "__attribute__((visibility(\"hidden\"))) V;",
    "_Thread_local V;",
    "static __thread V;",
    "extern _Thread_local V;",
    "extern __thread V __attribute__((visibility(\"hidden\")));",
    "extern V __asm__(\"N_label\");",
    "extern V __attribute__((aligned(64)));",
    "__attribute__((section(\".special\"))) V;",
];

/// How the function under test is defined.
pub(super) struct Attributes {
    pub prefix: &'static str,
    /// A declaration in front of it; `HEAD` is the function's.
    pub declared: &'static str,
}

const TARGET: &[(&str, &str)] = &[
    ("static ", ""),
    ("inline ", ""),
    ("inline ", "HEAD"),
    ("extern inline ", ""),
    ("static inline ", ""),
    ("static inline __attribute__((always_inline)) ", ""),
    ("extern inline __attribute__((gnu_inline)) ", ""),
    ("__attribute__((visibility(\"hidden\"))) ", ""),
    ("__attribute__((weak)) ", ""),
    ("", "static HEAD"),
    ("", "HEAD __asm__(\"target_label\")"),
    ("__attribute__((noinline, cold)) ", "extern HEAD"),
];

/// How the function under test is defined this time.
pub(super) fn target_attributes(random: &mut Random, variadic: bool) -> Attributes {
    if random.chance(60) {
        return Attributes {
            prefix: "",
            declared: "",
        };
    }
    let (prefix, declared) = *random.pick(TARGET);
    if variadic && prefix.contains("always_inline") {
        return Attributes {
            prefix: "",
            declared: "",
        };
    }
    Attributes { prefix, declared }
}

impl Linkage {
    /// One more function.
    pub(super) fn function(&mut self, pool: &mut Pool, random: &mut Random) {
        let name = pool.fresh("helper");
        if random.chance(50) {
            let text = random.pick(DEFINED).replace('N', &name);
            let _ = writeln!(self.text, "{text}");
            self.uses
                .push(format!("if ({name}((int)acc) > 2) acc += 3;"));
            return;
        }
        if random.chance(6) {
            let word = *random.pick(&["_Noreturn", "__attribute__((noreturn))"]);
            let _ = writeln!(self.text, "extern {word} void {name}(int code);");
            return self.uses.push(format!("if (acc == 12345) {name}(3);"));
        }
        if random.chance(6) {
            let _ = writeln!(self.text, "int {name}();");
            return self.uses.push(format!("if ({name}(1, acc) > 3) acc += 2;"));
        }
        let ty = pool.function_type(random, 2);
        let text = random.pick(DECLARED);
        let text = text.replace('N', &name).replace('F', &ty.declare(&name));
        let _ = writeln!(self.text, "{text}");
        let Ty::Function { result, params, .. } = &ty else {
            return;
        };
        let call = Body::new().call(pool, random, &name, result, params, 2);
        self.uses.push(if text.contains("weak") {
            format!("if ((&{name}) != 0) {{ {call} }}")
        } else {
            call
        });
    }

    /// One more variable.
    pub(super) fn variable(&mut self, pool: &mut Pool, random: &mut Random) {
        let name = pool.fresh("var");
        match random.below(12) {
            0 => {
                let ty = *random.pick(&[
                    "int",
                    "const char",
                    "const char *const",
                    "double",
                    "struct { int a; char b; }",
                ]);
                let _ = writeln!(self.text, "extern {ty} {name}[];");
                if !ty.contains('{') && !ty.contains('*') {
                    self.uses.push(format!("if ({name}[1] > 4) acc += 7;"));
                }
                return;
            }
            1 => {
                let _ = writeln!(self.text, "extern const unsigned char {name}[][3];");
                return self.uses.push(format!("if ({name}[0][2] == 9) acc += 8;"));
            }
            2 => {
                let _ = writeln!(
                    self.text,
                    "struct {name}_s;\nextern struct {name}_s {name};"
                );
                return self
                    .uses
                    .push(format!("if ((void *)&{name} == (void *)acc) acc += 8;"));
            }
            3 => {
                let _ = writeln!(
                    self.text,
                    "static struct {{ int a; struct {{ char *text; }} inner[2]; }} {name};"
                );
                return self.uses.push(format!(
                    "if ({name}.a == 3 && {name}.inner[1].text && *{name}.inner[1].text == 'x') acc += 8;"
                ));
            }
            4 => {
                let _ = writeln!(
                    self.text,
                    "int {name}_real;\nextern int {name} __attribute__((alias(\"{name}_real\")));"
                );
                return self.uses.push(format!("if ({name} == 4) acc += 8;"));
            }
            5 => {
                let _ = writeln!(self.text, "extern int {name} __attribute__((weak));");
                return self
                    .uses
                    .push(format!("if (&{name} && {name} == 4) acc += 8;"));
            }
            _ => {}
        }
        let ty = pool.object(random, 2);
        let form = random.pick(VARIABLES);
        // A constant variable without a value is none: it is declared only.
        let form = if ty.has("const") { "extern V;" } else { form };
        let text = form.replace('N', &name).replace('V', &ty.declare(&name));
        let _ = writeln!(self.text, "{text}");
        self.variables.push((name, ty));
    }
}
