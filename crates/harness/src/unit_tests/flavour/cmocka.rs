//! `cmocka`: cmocka 1 (`cmocka.h`, `-lcmocka`).

use super::Flavour;

/// cmocka.
pub struct Cmocka;

impl Flavour for Cmocka {
    fn name(&self) -> &'static str {
        "cmocka"
    }

    fn summary(&self) -> &'static str {
        "cmocka"
    }

    fn include(&self) -> &'static str {
        "#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <cmocka.h>\n"
    }

    fn check(&self, condition: &str) -> String {
        format!("assert_true({condition});")
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
