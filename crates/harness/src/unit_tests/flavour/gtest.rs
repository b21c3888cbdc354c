//! `gtest`: GoogleTest. C stays C: the tests are in a C file, and a C++ file beside it registers them and reports what they
//! find. `cc -c test_f.c && c++ test_f.o test_f.cpp -lgtest -lgtest_main -lpthread`.

use std::fmt::Write;

use super::Flavour;

/// GoogleTest: a C file with the tests, and a C++ file that registers them.
pub struct Gtest;

impl Flavour for Gtest {
    fn name(&self) -> &'static str {
        "gtest"
    }

    fn summary(&self) -> &'static str {
        "GoogleTest: a C file, and a C++ file that runs it"
    }

    fn include(&self) -> &'static str {
        "void bw_expect(int holds, const char *condition, const char *file, int line);\n"
    }

    fn check(&self, condition: &str) -> String {
        let mut shown = String::new();
        for c in condition.chars() {
            if matches!(c, '"' | '\\') {
                shown.push('\\');
            }
            shown.push(c);
        }
        format!("bw_expect({condition}, \"{shown}\", __FILE__, __LINE__);")
    }

    fn compile(&self, file: &str) -> String {
        format!(
            "cc FLAGS -c {file}.c && c++ {file}.o {file}.cpp LINK -lgtest -lgtest_main -lpthread"
        )
    }

    fn source(&self) -> Option<&'static str> {
        Some("GoogleTest, https://github.com/google/googletest (Debian: libgtest-dev)")
    }

    fn head(&self, test: &str) -> String {
        format!("void {test}(void);\nvoid {test}(void)")
    }

    fn tail(&self, _tests: &[String]) -> String {
        String::new()
    }

    fn second(&self, function: &str, tests: &[String]) -> Option<(&'static str, String)> {
        let mut text = String::from(
            "#include <gtest/gtest.h>\n\nextern \"C\" {\n\
             void bw_expect(int holds, const char *condition, const char *file, int line);\n",
        );
        for test in tests {
            let _ = writeln!(text, "void {test}(void);");
        }
        text.push_str(
            "}\n\nvoid bw_expect(int holds, const char *condition, const char *file, int line)\n{\n    \
             if (!holds)\n        ADD_FAILURE_AT(file, line) << condition;\n}\n\n",
        );
        for test in tests {
            let _ = writeln!(text, "TEST({function}, {test}) {{ {test}(); }}");
        }
        Some(("cpp", text))
    }
}
