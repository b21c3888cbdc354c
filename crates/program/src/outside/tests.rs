//! The tables: no function stands in two of a kind, and what is said of some of them.

use super::*;

/// One way to treat a function.
#[test]
fn a_function_has_one_effect() {
    let mut seen = std::collections::BTreeSet::new();
    for name in names::all() {
        assert!(seen.insert(name), "{name} stands twice");
    }
}

#[test]
fn what_is_written_is_no_format() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, written) in written::WRITTEN {
        assert!(seen.insert(name), "{name} stands twice");
        assert!(
            written.is_none() || *written != format(name),
            "{name} writes to its format"
        );
    }
    for (name, _) in written::FORMATS {
        let is_text = name.contains("printf") || name.contains("warn") || name.contains("err");
        assert!(is_text, "{name}");
    }
}

/// A function that writes nothing but is said to write to an argument's object, or the other way round.
#[test]
fn tables_agree() {
    let outside = Outside::default();
    for (name, written) in written::WRITTEN {
        match outside.effect(name) {
            Effect::Writes(_) | Effect::Keeps | Effect::Unknown => {}
            Effect::Reads(_) if written.is_none() => {}
            other => panic!("{name} writes to {written:?}, and is {other:?}"),
        }
    }
}

/// What a stream of the program's own may do, is not known.
#[test]
fn functions_of_streams_are_not_known_where_the_program_makes_them() {
    let own = Outside {
        has_own_streams: true,
        ..Outside::default()
    };
    let plain = Outside::default();
    for name in ["printf", "vfprintf", "fgets", "fread", "warn", "vwarnx"] {
        assert!(plain.written(name).is_some(), "{name}");
        assert_eq!(own.written(name), None, "{name}");
        assert_eq!(own.effect(name), Effect::Unknown, "{name}");
    }
    for name in ["sprintf", "vsnprintf", "read", "readlink", "fstatat"] {
        assert_eq!(own.written(name), plain.written(name), "{name}");
    }
}

#[test]
fn formats_that_write_are_seen() {
    for text in ["%n", "a%hhn", "%1$n", "%-5n", "%d%%%lln", "%2$*1$jn"] {
        assert!(counts(text.as_bytes()), "{text}");
    }
    for text in ["", "%", "n", "%%n", "%dn", "50% new", "%s\0n", "%1$d"] {
        assert!(!counts(text.as_bytes()), "{text}");
    }
}
