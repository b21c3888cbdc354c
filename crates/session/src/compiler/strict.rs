//! C that other compilers warn of and clang 19 refuses: which flag makes it a warning again.
//!
//! `bothways cc` stands in for the compiler that a project is made for: what clang alone refuses for a warning's sake is compiled all
//! the same. Whoever asks for errors (`-Werror`), or only whether something compiles, gets clang's answer. A check of a time when
//! `main` needed no type asks for nothing of the kind, and is compiled like any source.

use std::path::Path;

/// Warnings that are errors unless a flag says otherwise.
const STRICT: &[&str] = &[
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-function-pointer-types",
    "return-mismatch",
    "return-type",
];

/// What to say after clang's messages; none if no error is of that kind, or the user asked for it (`-Werror`).
#[must_use]
pub fn hint(messages: &str) -> Option<String> {
    let is_refused = |name: &&&str| {
        let mark = format!("[-W{name}]");
        let mut errors = messages.lines().filter(|line| line.contains(" error: "));
        errors.any(|line| line.ends_with(&mark))
    };
    let flags: Vec<String> = STRICT
        .iter()
        .filter(is_refused)
        .map(|name| format!("-Wno-error={name}"))
        .collect();
    (!flags.is_empty()).then(|| {
        format!(
            "clang 19 refuses here what older compilers only warn of; to compile it all the same, add {}",
            flags.join(" ")
        )
    })
}

/// The flags with which all that was refused is only warned of; none if something is wrong for good, or the user asked for errors.
#[must_use]
pub fn relaxed(messages: &str) -> Option<Vec<String>> {
    let refused = |line: &&str| line.contains(" error: ") || line.contains("fatal error: ");
    let flag = |line: &str| {
        let (_, name) = line.strip_suffix(']')?.rsplit_once(" [-W")?;
        (!name.contains(',')).then(|| format!("-Wno-error={name}"))
    };
    let errors = messages.lines().filter(refused);
    let mut flags: Vec<String> = errors.map(flag).collect::<Option<_>>()?;
    flags.sort_unstable();
    flags.dedup();
    (!flags.is_empty()).then_some(flags)
}

/// Does `configure`, CMake or Meson only ask whether this source compiles?
#[must_use]
pub fn is_check(source: &Path) -> bool {
    const FOLDERS: [&str; 4] = ["CMakeTmp", "CMakeScratch", "CompilerIdC", "meson-private"];
    let is_made = |folder: &str| FOLDERS.contains(&folder);
    let folder = std::path::absolute(source);
    let folder = folder.as_deref().unwrap_or(source).parent();
    let mut above = folder.into_iter().flat_map(Path::components);
    let stem = source.file_stem().and_then(|stem| stem.to_str());
    let is_asked = |stem: &str| matches!(stem, "conftest" | "-");
    stem.is_none_or(is_asked) || above.any(|part| part.as_os_str().to_str().is_some_and(is_made))
}

/// Has `main` no type in what clang refused? So it is in checks of `configure` before Autoconf 2.50, the first of which asks whether
/// there is a compiler at all, and others of which take a refusal for an answer (a machine is big-endian).
#[must_use]
pub fn is_old_main(messages: &str) -> bool {
    let lines: Vec<&str> = messages.lines().collect();
    let is_main = |shown: &str| {
        let code = shown.split_once('|').map(|(_, code)| code.trim_start());
        code.and_then(|code| code.strip_prefix("main"))
            .is_some_and(|rest| rest.trim_start().starts_with('('))
    };
    lines
        .windows(2)
        .any(|pair| pair[0].ends_with("[-Wimplicit-int]") && is_main(pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_warnings_are_relaxed() {
        let both = "In file included from a.c:1:\na.h:1:9: error: type specifier missing, defaults to 'int' [-Wimplicit-int]\n\
                    a.c:2:3: warning: x [-Wy]\na.c:3:3: error: incompatible function pointer types \
                    [-Wincompatible-function-pointer-types]\n2 errors generated.\n";
        let flags = relaxed(both).expect("flags");
        let wanted = "-Wno-error=implicit-int -Wno-error=incompatible-function-pointer-types";
        assert_eq!(flags.join(" "), wanted);
        for more in [
            "a.c:4:1: error: expected expression",
            "a.c:1:10: fatal error: 'b.h' file not found",
            "a.c:1:2: error: no [sic]",
            "a.c:1:2: error: unused variable 'x' [-Werror,-Wunused-variable]",
        ] {
            assert_eq!(relaxed(&format!("{both}{more}\n")), None, "{more}");
        }
        assert_eq!(relaxed("1 warning generated."), None);
    }

    #[test]
    fn checks_get_clangs_answer() {
        for source in [
            "conftest.c",
            "build/CMakeFiles/CMakeScratch/TryCompile-x/src.c",
            "b/meson-private/tmp1/testfile.c",
            "-",
        ] {
            assert!(is_check(Path::new(source)), "{source}");
        }
        assert!(!is_check(Path::new("src/main.c")));
    }

    #[test]
    fn old_checks_have_a_main_without_a_type() {
        let said = |code: &str| {
            format!(
                "conftest.c:9:1: error: type specifier missing, defaults to 'int' [-Wimplicit-int]\n    9 | {code}\n      | ^\n"
            )
        };
        for code in ["main(){return(0);}", "main ()"] {
            assert!(is_old_main(&said(code)), "{code}");
        }
        for code in [
            "f(x) { return x; }",
            "mainly(){}",
            "static x;",
            "int main() {",
        ] {
            assert!(!is_old_main(&said(code)), "{code}");
        }
    }

    #[test]
    fn only_what_is_an_error_by_default_is_hinted_at() {
        let line = "a.c:1:20: error: call to undeclared function 'put'; ISO C99 and later do not support implicit function \
                    declarations [-Wimplicit-function-declaration]";
        let said = hint(line).expect("a hint");
        assert!(
            said.ends_with("add -Wno-error=implicit-function-declaration"),
            "{said}"
        );
        assert_eq!(hint(&line.replace("[-W", "[-Werror,-W")), None);
        assert_eq!(hint(&line.replace("error:", "warning:")), None);
        assert_eq!(hint("a.c:1:1: error: expected expression"), None);
    }
}
