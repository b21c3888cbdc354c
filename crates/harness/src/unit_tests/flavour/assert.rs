//! `assert`: plain C, `assert` of the standard library. The first check that fails ends the program.

use super::{Check, Flavour};

/// Plain C: `assert` and a `main` that calls every test.
pub struct Assert;

impl Flavour for Assert {
    fn name(&self) -> &'static str {
        "assert"
    }

    fn summary(&self) -> &'static str {
        "plain C with assert"
    }

    fn include(&self, _function: &str) -> String {
        "#undef NDEBUG\n#include <assert.h>\n".to_owned()
    }

    fn check(&self, check: &Check) -> String {
        format!("assert({});", check.condition())
    }

    fn compile(&self, file: &str) -> String {
        format!("cc FLAGS {file}.c LINK")
    }

    fn head(&self, test: &str) -> String {
        format!("static void {test}(void)")
    }

    fn tail(&self, tests: &[String]) -> String {
        let calls: String = tests
            .iter()
            .map(|test| format!("    {test}();\n"))
            .collect();
        format!("int main(void)\n{{\n{calls}    return 0;\n}}\n")
    }
}
