//! `--sym-fail`: the C library functions whose calls may fail, and what the judge's build is given so that they fail in its replays.
//!
//! Must hold: the judge decides the same calls as the engines do; see `wire::fail`.

use std::collections::HashSet;
use std::fmt::Write;

use report::format::SuiteFormat;
use report::suite::{Suite, Test, Value};
pub use wire::fail::Set;
use wire::fail::{self, Failing, TABLE};

use crate::error::{Context, Result, ensure};
use crate::load::Program;
use crate::near::near;

/// The flag of `bothways cc` that builds a program for it.
pub const FLAG: &str = "-fbothways-sym-fail";

/// Reads a list of functions.
///
/// # Errors
/// A name that is not in the table, with those that are near.
pub fn list(text: &str) -> Result<Set, String> {
    text.split(',')
        .map(str::trim)
        .try_fold(Set::default(), |set, name| {
            if let Some(index) = fail::index(name) {
                return Ok(set.with(index));
            }
            let known = TABLE.iter().map(|failing| failing.name);
            let near = near(name, known.clone());
            let all: Vec<&str> = known.collect();
            Err(match near.is_empty() {
                true => format!(
                    "calls of `{name}` cannot be made to fail; functions: {}",
                    all.join(", ")
                ),
                false => format!(
                    "calls of `{name}` cannot be made to fail; did you mean {}?",
                    near.join(" or ")
                ),
            })
        })
}

/// The flag, if it is needed.
pub fn flag(set: Set) -> Option<String> {
    (!set.is_empty()).then(|| FLAG.to_owned())
}

/// The program must have been built for it.
///
/// # Errors
/// A module that was not.
pub fn check(program: &Program, set: Set) -> Result<()> {
    let missing = program.own_modules().find(|module| !module.meta.failing);
    if let (false, Some(module)) = (set.is_empty(), missing) {
        ensure!(
            false,
            "--sym-fail: {} was compiled without {FLAG}: build the program again with this flag (CFLAGS), or give its C sources",
            module.meta.source.display()
        );
    }
    Ok(())
}

/// Is this value the decision of a call that may fail?
fn decides(value: &Value, set: Set) -> bool {
    let mut words = value.name.split(' ');
    words.next() == Some("fail")
        && words
            .next()
            .is_some_and(|name| set.functions().any(|failing| failing.name == name))
        && value.element.is_none()
}

/// Does the test make a call fail?
pub fn makes_fail(test: &Test, set: Set) -> bool {
    let mut values = test.values.iter();
    values.any(|value| value.bits != 0 && decides(value, set))
}

/// The test without the decisions about calls.
pub fn without_decisions(test: &Test, set: Set) -> Test {
    let mut test = test.clone();
    test.values.retain(|value| !decides(value, set));
    test
}

/// The suite as a format takes it, and what is to be said: tests that make calls fail are left out where there is no place for that.
pub fn suite_for(suite: &Suite, format: &dyn SuiteFormat, set: Set) -> (Suite, Option<String>) {
    let mut suite = suite.clone();
    if set.is_empty() || format.has_failures() {
        return (suite, None);
    }
    let all = suite.tests.len();
    suite.tests.retain(|test| !makes_fail(test, set));
    let left_out = all - suite.tests.len();
    let note = (left_out > 0).then(|| {
        format!(
            "{}: {left_out} of {all} tests make calls of the C library fail (--sym-fail), which the format cannot say, and are left out",
            format.name()
        )
    });
    (suite, note)
}

/// Renames the calls in bitcode of the program.
pub struct Redirection {
    set: Set,
    /// Functions that the program defines itself.
    own: HashSet<String>,
}

impl Redirection {
    /// For the modules of a program.
    ///
    /// # Errors
    /// Our own: the bitcode was written by us.
    pub fn new(program: &Program, set: Set) -> Result<Redirection> {
        let mut own = HashSet::new();
        for module in program.own_modules().filter(|_| !set.is_empty()) {
            let name = module.meta.source.display().to_string();
            own.extend(llvm::failing::defined(&module.bitcode, &name)?);
        }
        Ok(Redirection { set, own })
    }

    /// The bitcode with its calls renamed; `None` if there is nothing to rename.
    ///
    /// # Errors
    /// Our own: the bitcode was written by us.
    pub fn apply(&self, bitcode: &[u8], name: &str) -> Result<Option<Vec<u8>>> {
        if self.set.is_empty() {
            return Ok(None);
        }
        let own = |function: &str| self.own.contains(function);
        let redirected = llvm::failing::redirected(bitcode, name, self.set, own);
        Ok(Some(redirected.with_context(|| {
            format!("{name}: calls cannot be made to fail")
        })?))
    }
}

/// What stands before the functions in the judge's build: C behind the replay runtime's.
pub fn replay(set: Set) -> String {
    let mut text = String::new();
    if set.is_empty() {
        return text;
    }
    text.push_str("\n#include <errno.h>\n");
    _ = writeln!(text, "{}", DECIDE.replace("MOST", &fail::MOST.to_string()));
    set.functions()
        .for_each(|failing| function(&mut text, failing));
    text
}

/// What becomes of a call: 0 it works, 1 it fails, 2 it moves less. Calls of other threads and of children are not decided.
const DECIDE: &str = "
static int bw_decide(int shorter) {
  static unsigned decided;
  if (is_child || gettid() != getpid() || decided == MOST) return 0;
  decided++;
  value_t value = next();
  return !value ? 0 : shorter && (unsigned char)value != 1 ? 2 : 1;
}
static void bw_note_error(long file) {
  if (file) ((FILE *)file)->_flags |= 0x20; /* glibc's _IO_ERR_SEEN */
}
";

/// One function: it passes on what is in the registers for arguments, whatever its type.
fn function(text: &mut String, failing: &Failing) {
    const ARGS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let Failing {
        name,
        result,
        errno,
        ..
    } = failing;
    let params = ARGS.map(|arg| format!("long {arg}")).join(", ");
    let args = ARGS.join(", ");
    let shorter = i32::from(failing.short.is_some());
    _ = writeln!(
        text,
        "extern long bw_real_{name}({params}) __asm__(\"{name}\");"
    );
    _ = writeln!(text, "long {}{name}({params}) {{", fail::PREFIX);
    _ = writeln!(
        text,
        "  int outcome = bw_decide({shorter});\n  if (outcome == 1) {{"
    );
    if failing.done {
        _ = writeln!(text, "    bw_real_{name}({args});");
    }
    if let Some(file) = failing.file {
        _ = writeln!(text, "    bw_note_error({});", ARGS[file]);
    }
    if *errno != 0 {
        _ = writeln!(text, "    errno = {errno};");
    }
    _ = writeln!(text, "    return {result}L;\n  }}");
    if let Some(short) = failing.short {
        let arg = ARGS[short];
        _ = writeln!(
            text,
            "  if (outcome == 2) {arg} -= (unsigned long){arg} / 2;"
        );
    }
    _ = writeln!(text, "  return bw_real_{name}({args});\n}}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let set = list("malloc, read").expect("both are known");
        assert!(
            set.functions()
                .map(|failing| failing.name)
                .eq(["malloc", "read"])
        );
        let said = list("malloc,mallok").expect_err("there is none");
        assert!(
            said.contains("`mallok`") && said.contains("did you mean malloc"),
            "{said}"
        );
        let said = list("banana").expect_err("there is none");
        assert!(said.contains("functions: malloc, calloc"), "{said}");
    }

    #[test]
    fn nothing_is_added_where_nothing_fails() {
        assert_eq!(replay(Set::default()), "");
    }
}
