//! The flags that say which arguments, variables and files are symbolic.

use clap::Args;
use session::failing::Set;
use session::options::{File, Group, Variable};

use crate::units;

/// Symbolic inputs from outside the program, besides standard input.
#[derive(Args, Clone, Debug, Default)]
pub struct Symbolic {
    /// A symbolic argument of up to N bytes, at the place of the next `@arg`, else at the end; may be repeated:
    /// `--sym-arg 8 -- -e @arg`
    #[arg(long, value_name = "N", value_parser = length, help_heading = "Symbolic inputs")]
    pub sym_arg: Vec<u32>,

    /// MIN to MAX symbolic arguments of up to N bytes each, at the place of the next `@args`, else at the end; may be
    /// repeated: `--sym-args 0..3:8 -- -v @args`
    #[arg(long, value_name = "MIN..MAX:N", value_parser = group, help_heading = "Symbolic inputs")]
    pub sym_args: Vec<Group>,

    /// A symbolic file of up to N bytes in the folder that the program runs in; `@file` (or `@@`) is the name of the
    /// first, `@file:NAME` of any; may be repeated: `--sym-file input:64 -- @file`, `--sym-file app.conf:8..64`
    #[arg(long, value_name = "NAME:LENGTH", value_parser = file, help_heading = "Symbolic inputs")]
    pub sym_file: Vec<File>,

    /// A symbolic environment variable of up to N bytes, which may also not be set; may be repeated:
    /// `--sym-env TZ:16`
    #[arg(long, value_name = "NAME:N", value_parser = variable, help_heading = "Symbolic inputs")]
    pub sym_env: Vec<Variable>,

    /// Lengths of the bytes that `LLVMFuzzerTestOneInput` is called with: `--fuzz-input 256`, `--fuzz-input 4..64`;
    /// the default is 0 to 64
    #[arg(long, value_name = "LENGTH", value_parser = units::lengths, help_heading = "Symbolic inputs")]
    pub fuzz_input: Option<(u32, u32)>,

    /// Calls of these C library functions may fail, as one more input each (the first 64 calls of a run): NULL or -1 with `errno`, or
    /// less moved than asked for: `--sym-fail malloc,read`
    #[arg(long, value_name = "NAMES", value_parser = session::failing::list, help_heading = "Symbolic inputs")]
    pub sym_fail: Vec<Set>,
}

impl Symbolic {
    /// The session's part of it.
    pub fn request(&self) -> session::options::Symbolic {
        session::options::Symbolic {
            sym_arg: self.sym_arg.clone(),
            sym_args: self.sym_args.clone(),
            sym_file: self.sym_file.clone(),
            sym_env: self.sym_env.clone(),
            fuzz_input: self.fuzz_input,
            failing: self
                .sym_fail
                .iter()
                .fold(Set::default(), |all, set| all.and(*set)),
        }
    }
}

/// Longest argument or variable.
const LONGEST: u32 = 1 << 16;
/// Most arguments of a group.
const MOST: u32 = 64;

fn length(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if (1..=LONGEST).contains(&number) => Ok(number),
        _ => Err(format!("'{text}' is not a length from 1 to {LONGEST}")),
    }
}

fn group(text: &str) -> Result<Group, String> {
    let usual = || format!("'{text}' is not MIN..MAX:N, such as 0..3:8");
    let (counts, bytes) = text.split_once(':').ok_or_else(usual)?;
    let (min, max) = match counts.split_once("..") {
        Some((min, max)) => (min, max.trim_start_matches('=')),
        None => (counts, counts),
    };
    let count = |text: &str| text.parse::<u32>().map_err(|_| usual());
    let group = Group {
        min: count(min)?,
        max: count(max)?,
        length: length(bytes)?,
    };
    if group.min > group.max || group.max == 0 {
        return Err(format!(
            "'{text}': from {min} to {max} is no argument at all"
        ));
    }
    if group.max > MOST {
        return Err(format!("'{text}': at most {MOST} arguments"));
    }
    Ok(group)
}

fn file(text: &str) -> Result<File, String> {
    let (name, lengths) = text
        .rsplit_once(':')
        .ok_or_else(|| format!("'{text}' is not NAME:LENGTH, such as input:64"))?;
    if !report::suite::invocation::is_inside(name) {
        return Err(format!(
            "'{name}': a symbolic file lies in the folder that the program runs in: give a relative path without '..'"
        ));
    }
    Ok(File {
        name: name.to_owned(),
        lengths: units::lengths(lengths)?,
    })
}

fn variable(text: &str) -> Result<Variable, String> {
    let (name, bytes) = text
        .rsplit_once(':')
        .ok_or_else(|| format!("'{text}' is not NAME:N, such as TZ:16"))?;
    if !report::suite::invocation::is_variable(name) {
        return Err(format!("'{name}' is no name of an environment variable"));
    }
    Ok(Variable {
        name: name.to_owned(),
        length: length(bytes)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups() {
        let of = |min, max, length| Group { min, max, length };
        assert_eq!(group("0..3:8"), Ok(of(0, 3, 8)));
        assert_eq!(group("1..=2:8"), Ok(of(1, 2, 8)));
        assert_eq!(group("2:4"), Ok(of(2, 2, 4)));
        for bad in [
            "", "3", "0..0:8", "3..1:8", "0..3:0", "0..65:1", "a..b:1", "0..3:x",
        ] {
            assert!(group(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn files_and_variables() {
        let lengths = |text| file(text).map(|file| (file.name, file.lengths));
        assert_eq!(lengths("a:64"), Ok(("a".to_owned(), (0, 64))));
        assert_eq!(lengths("a/b:c:8..9"), Ok(("a/b:c".to_owned(), (8, 9))));
        for bad in ["a", "/etc/x:3", "../x:3", "a:", ":3", "a//b:3", "a:9..3"] {
            assert!(file(bad).is_err(), "{bad}");
        }
        assert!(variable("TZ:16").is_ok());
        for bad in ["TZ", ":3", "A=B:3", "TZ:0", "TZ:65537"] {
            assert!(variable(bad).is_err(), "{bad}");
        }
    }
}
