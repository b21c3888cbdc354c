//! `cmocka`: cmocka 1 (`cmocka.h`, `-lcmocka`).

use super::{Check, Flavour};
use crate::plan::Scalar;

/// cmocka.
pub struct Cmocka;

impl Flavour for Cmocka {
    fn name(&self) -> &'static str {
        "cmocka"
    }

    fn summary(&self) -> &'static str {
        "cmocka"
    }

    fn include(&self, _function: &str) -> String {
        "#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <cmocka.h>\n".to_owned()
    }

    fn check(&self, check: &Check) -> String {
        match check {
            Check::Integer { place, value, .. } => format!("assert_int_equal({place}, {value});"),
            Check::Truth { place, value } => format!("assert_{value}({place});"),
            // Doubles have no assertion of their own before cmocka 2, and infinity has no difference from itself.
            Check::Float {
                place,
                value,
                scalar: Scalar::Float,
            } if !value.contains("inf") => format!("assert_float_equal({place}, {value}, 0.0f);"),
            Check::Float { .. } | Check::NotANumber { .. } => {
                format!("assert_true({});", check.condition())
            }
            Check::Null { place } => format!("assert_null({place});"),
            Check::NotNull { place } => format!("assert_non_null({place});"),
            Check::Same { place, other } => format!("assert_ptr_equal({place}, {other});"),
            Check::Text { place, text } => format!("assert_string_equal({place}, {text});"),
            Check::Memory {
                place,
                bytes,
                count,
            } => format!("assert_memory_equal({place}, {bytes}, {count});"),
        }
    }

    fn compile(&self, file: &str) -> String {
        format!("cc FLAGS {file}.c LINK -lcmocka")
    }

    fn source(&self) -> Option<&'static str> {
        Some("cmocka, https://cmocka.org (Debian: libcmocka-dev)")
    }

    fn head(&self, test: &str) -> String {
        format!("static void {test}(void **state)")
    }

    fn tail(&self, tests: &[String]) -> String {
        let list: String = tests
            .iter()
            .map(|test| format!("        cmocka_unit_test({test}),\n"))
            .collect();
        format!(
            "int main(void)\n{{\n    const struct CMUnitTest tests[] = {{\n{list}    }};\n    \
             return cmocka_run_group_tests(tests, NULL, NULL);\n}}\n"
        )
    }
}
