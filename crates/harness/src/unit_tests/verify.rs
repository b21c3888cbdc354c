//! The program that tests are tried with before they are written: those whose numbers it is told, in their order.

use super::check::Check;
use super::flavour::Flavour;
use super::flavour::assert::Assert;

/// The flavour of the trial program.
pub(super) struct Verify;

impl Flavour for Verify {
    fn name(&self) -> &'static str {
        "verify"
    }

    fn summary(&self) -> &'static str {
        "for bothways itself"
    }

    /// The trial may write in the folder that it runs in, and not where `tmpfile` would.
    fn include(&self, _function: &str) -> String {
        "#undef NDEBUG\n#include <assert.h>\nstatic __attribute__((unused)) FILE *bw_trial_file(void)\n{\n    \
         static int count;\n    char name[32];\n    sprintf(name, \"bw_stream%d\", count++);\n    \
         return fopen(name, \"w+\");\n}\n#define tmpfile bw_trial_file\n"
            .to_owned()
    }

    fn check(&self, check: &Check) -> String {
        Assert.check(check)
    }

    fn head(&self, test: &str) -> String {
        Assert.head(test)
    }

    fn compile(&self, file: &str) -> String {
        Assert.compile(file)
    }

    /// Before each test its number goes to a file, so that it is known which one ended the process.
    fn tail(&self, tests: &[String]) -> String {
        let calls: String = tests
            .iter()
            .map(|test| {
                let number = test.trim_start_matches("test_").trim_start_matches('0');
                let number = if number.is_empty() { "0" } else { number };
                format!("        if (number == {number})\n            {test}();\n")
            })
            .collect();
        format!(
            "int main(int argc, char **argv)\n{{\n    int i;\n    for (i = 2; i < argc; i++) {{\n        \
             int number = atoi(argv[i]);\n        FILE *progress = fopen(argv[1], \"a\");\n        \
             if (!progress)\n            return 1;\n        fprintf(progress, \"%d\\n\", number);\n        \
             fclose(progress);\n{calls}    }}\n    _exit(0);\n}}\n"
        )
    }
}
