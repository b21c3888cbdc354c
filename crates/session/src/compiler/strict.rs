//! C that other compilers warn of and clang 19 refuses: which flag makes it a warning again.

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

#[cfg(test)]
mod tests {
    use super::*;

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
