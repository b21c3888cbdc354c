//! Where the bytes of a seed go: to which stream of the campaign, in what length.

use path::{InputVector, Role, Stream, Value, ValueType};
use report::suite::{Test, invocation};

use super::ktest::Object;
use crate::plan::{Piece, Plan};

/// A seed as an input.
#[derive(Debug)]
pub struct Placed {
    pub input: InputVector,
    /// What could not be kept as it was.
    pub changes: Vec<String>,
}

/// A plain file: the bytes of the fuzz target, of the first symbolic file, or standard input.
///
/// # Errors
/// Nothing takes it.
pub fn file(plan: &Plan, content: &[u8]) -> Result<Placed, String> {
    let mut seed = Seed::new(plan);
    let role = [Role::Fuzz, Role::File, Role::Stdin]
        .into_iter()
        .find(|role| plan.has(|other| other == *role))
        .ok_or("nothing takes a plain file: declare --stdin LENGTH or --sym-file NAME:LENGTH")?;
    seed.set(role, None, content);
    Ok(seed.done())
}

/// A test of ours.
///
/// # Errors
/// Its arguments are not those of the command line.
pub fn test(plan: &Plan, test: &Test) -> Result<Placed, String> {
    let mut seed = Seed::new(plan);
    seed.input.values = test
        .values
        .iter()
        .map(|value| Value {
            kind: ValueType::from_name(value.kind.name())
                .expect("both crates have the wire format's types"),
            name: value.name.as_str().into(),
            element: value.element,
            c_type: value.c_type.as_str().into(),
            bits: value.bits,
        })
        .collect();
    let mut argv = Vec::new();
    for stream in &test.streams {
        let (name, bytes) = (stream.name.as_str(), stream.bytes.as_slice());
        if name.starts_with(invocation::ARGUMENT) {
            argv.push(bytes);
        } else if let Some(variable) = name.strip_prefix(invocation::VARIABLE) {
            seed.set(Role::VariableSet, Some(variable), &[0]);
            seed.set(Role::Variable, Some(variable), bytes);
        } else if let Some(path) = name.strip_prefix(invocation::FILE) {
            seed.set(Role::File, Some(path), bytes);
        } else if name == invocation::FUZZ {
            seed.set(Role::Fuzz, None, bytes);
        } else {
            seed.set(Role::Stdin, None, bytes);
        }
    }
    for variable in &test.unset {
        let name = variable.strip_prefix(invocation::VARIABLE);
        seed.set(Role::VariableSet, Some(name.unwrap_or(variable)), &[]);
    }
    if !argv.is_empty() {
        seed.command_line(plan, &argv)?;
    }
    Ok(seed.done())
}

/// The objects of a `.ktest`: those of KLEE's POSIX runtime by their names, all others as values, byte by byte.
///
/// # Errors
/// There are not as many arguments as the command line has.
pub fn objects(plan: &Plan, objects: &[Object]) -> Result<Placed, String> {
    let mut seed = Seed::new(plan);
    let mut arguments = Vec::new();
    let mut counts = Vec::new();
    let mut files = plan.names(Role::File).into_iter();
    for (name, bytes) in objects {
        let numbered = |prefix: &str| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()))
        };
        if name == "model_version" || name.ends_with("-stat") || name == "stdout" {
            continue;
        } else if name == "stdin" {
            seed.set(Role::Stdin, None, bytes);
        } else if name.ends_with("-data") && name.len() == 6 {
            let Some(file) = files.next() else {
                return Err(format!("`{name}`: there is no further --sym-file for it"));
            };
            seed.set(Role::File, Some(&file), bytes);
        } else if name.starts_with("n_args") {
            counts.push(bytes.first().copied().map_or(0, usize::from));
        } else if numbered("arg") && plan.has(|role| matches!(role, Role::Argument(_))) {
            arguments.push(bytes.as_slice());
        } else {
            seed.values(name, bytes);
        }
    }
    seed.klee_arguments(plan, &arguments, &counts);
    Ok(seed.done())
}

/// A seed in the making.
struct Seed {
    input: InputVector,
    changes: Vec<String>,
}

impl Seed {
    fn new(plan: &Plan) -> Seed {
        Seed {
            input: plan.initial(),
            changes: Vec::new(),
        }
    }

    fn done(self) -> Placed {
        Placed {
            input: self.input,
            changes: self.changes,
        }
    }

    /// Gives a stream its content, in a length that it may have. A stream that the campaign does not have is left out.
    fn set(&mut self, role: Role, name: Option<&str>, bytes: &[u8]) {
        let wanted = |stream: &&mut Stream| {
            stream.role == role && name.is_none_or(|name| *stream.name == *name)
        };
        match self.input.streams.iter_mut().find(wanted) {
            Some(stream) => self.changes.extend(fit(stream, bytes)),
            None if role == Role::VariableSet => {}
            None => self.changes.push(format!(
                "{} is not symbolic here",
                name.map_or_else(
                    || format!("{role:?}").to_lowercase(),
                    |name| format!("`{name}`")
                )
            )),
        }
    }

    fn set_id(&mut self, id: u32, bytes: &[u8]) {
        if let Some(stream) = self.input.streams.iter_mut().find(|stream| stream.id == id) {
            self.changes.extend(fit(stream, bytes));
        }
    }

    fn values(&mut self, name: &str, bytes: &[u8]) {
        let value = |(element, byte): (u32, &u8)| Value {
            kind: ValueType::U8,
            name: name.into(),
            element: Some(element),
            c_type: "".into(),
            bits: u128::from(*byte),
        };
        self.input.values.extend((0..).zip(bytes).map(value));
    }

    /// A whole command line: what is fixed must be the same; groups take as many as they can, the first one first.
    fn command_line(&mut self, plan: &Plan, argv: &[&[u8]]) -> Result<(), String> {
        let (mut least, mut most) = (0, 0);
        for piece in plan.pieces() {
            let (min, max) = match piece {
                Piece::Group(count, _) => plan.lengths(*count),
                _ => (1, 1),
            };
            least += min as usize;
            most += max as usize;
        }
        if !(least..=most).contains(&argv.len()) {
            return Err(format!(
                "it has {} arguments, the command line {least} to {most}",
                argv.len()
            ));
        }
        let mut spare = argv.len() - least;
        let mut rest = argv.iter();
        for piece in plan.pieces() {
            match piece {
                Piece::Fixed(text) => {
                    let got = rest.next().copied().unwrap_or_default();
                    if got != text.as_bytes() {
                        return Err(format!(
                            "its argument `{}` is `{text}` on the command line",
                            String::from_utf8_lossy(got)
                        ));
                    }
                }
                Piece::Argument(id) => self.set_id(*id, rest.next().copied().unwrap_or_default()),
                Piece::Group(count, members) => {
                    let (min, max) = plan.lengths(*count);
                    let more = spare.min((max - min) as usize);
                    spare -= more;
                    let present = min as usize + more;
                    self.set_id(*count, &vec![0; present]);
                    for (id, text) in members.iter().zip(rest.by_ref().take(present)) {
                        self.set_id(*id, text);
                    }
                }
            }
        }
        Ok(())
    }

    /// KLEE has a count for each group, and then its arguments, each with its zero byte.
    fn klee_arguments(&mut self, plan: &Plan, arguments: &[&[u8]], counts: &[usize]) {
        let (mut arguments, mut counts) = (arguments.iter(), counts.iter());
        for piece in plan.pieces() {
            let ids = match piece {
                Piece::Fixed(_) => continue,
                Piece::Argument(id) => std::slice::from_ref(id),
                Piece::Group(count, members) => {
                    let there = counts.next().copied().unwrap_or(arguments.len());
                    let present = there.min(members.len());
                    self.set_id(*count, &vec![0; present]);
                    &members[..present]
                }
            };
            for (id, text) in ids.iter().zip(arguments.by_ref()) {
                let end = text.iter().position(|byte| *byte == 0);
                self.set_id(*id, &text[..end.unwrap_or(text.len())]);
            }
        }
    }
}

/// Gives a stream this content; what had to be changed, in words.
fn fit(stream: &mut Stream, bytes: &[u8]) -> Option<String> {
    let (min, max) = (stream.min as usize, stream.max as usize);
    let length = bytes.len().clamp(min, max);
    stream.bytes = bytes[..length.min(bytes.len())].to_vec();
    stream.bytes.resize(length, 0);
    let name = match stream.role {
        Role::Argument(place) => format!("argument {place}"),
        Role::Arguments(_) => "the number of arguments".to_owned(),
        _ => format!("`{}`", stream.name),
    };
    if bytes.len() > max {
        Some(format!("{} bytes, cut to the {max} of {name}", bytes.len()))
    } else if bytes.len() < min && !stream.role.is_string() {
        Some(format!(
            "{} bytes, filled up to the {min} of {name}",
            bytes.len()
        ))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{File, Group, Options, Symbolic, Variable};
    use report::suite::text::parse;

    fn plan(stdin: Option<(u32, u32)>, symbolic: Symbolic, args: &[&str]) -> Plan {
        let options = Options {
            stdin,
            symbolic,
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ..Options::default()
        };
        Plan::new(&options, false).expect("well formed")
    }

    fn file_of(name: &str, lengths: (u32, u32)) -> File {
        File {
            name: name.to_owned(),
            lengths,
        }
    }

    /// The seed as the test that it would be, without comments.
    fn shown(plan: &Plan, placed: Result<Placed, String>) -> (String, Vec<String>) {
        let placed = placed.expect("it is placed");
        let (streams, unset) = plan.test(&placed.input);
        let mut text: Vec<String> = placed
            .input
            .values
            .iter()
            .map(|value| format!("{}={}", value.name, value.bits))
            .collect();
        let bytes = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        text.extend(
            streams
                .iter()
                .map(|stream| format!("{}={}", stream.name, bytes(&stream.bytes))),
        );
        text.extend(unset);
        (text.join(" "), placed.changes)
    }

    #[test]
    fn a_plain_file_goes_where_bytes_are_wanted() {
        let both = plan(
            Some((0, 4)),
            Symbolic {
                sym_file: vec![file_of("in", (2, 6))],
                ..Symbolic::default()
            },
            &[],
        );
        let none = Vec::<String>::new();
        assert_eq!(
            shown(&both, file(&both, b"abc")),
            ("stdin=\0\0\0\0 file:in=abc".to_owned(), none)
        );
        let (text, changes) = shown(&both, file(&both, b"abcdefgh"));
        assert_eq!(
            (text.as_str(), changes.join("")),
            (
                "stdin=\0\0\0\0 file:in=abcdef",
                "8 bytes, cut to the 6 of `in`".to_owned()
            )
        );
        let (text, changes) = shown(&both, file(&both, b"a"));
        assert_eq!(
            (text.as_str(), changes.join("")),
            (
                "stdin=\0\0\0\0 file:in=a\0",
                "1 bytes, filled up to the 2 of `in`".to_owned()
            )
        );
        let stdin = plan(Some((0, 4)), Symbolic::default(), &[]);
        assert_eq!(shown(&stdin, file(&stdin, b"abc")).0, "stdin=abc");
        let neither = plan(
            None,
            Symbolic {
                sym_arg: vec![3],
                ..Symbolic::default()
            },
            &[],
        );
        assert!(
            file(&neither, b"abc")
                .expect_err("nowhere")
                .contains("--stdin")
        );
    }

    #[test]
    fn a_test_of_ours_comes_back() {
        let plan = plan(
            None,
            Symbolic {
                sym_arg: vec![4],
                sym_args: vec![Group {
                    min: 0,
                    max: 2,
                    length: 2,
                }],
                sym_env: vec![Variable {
                    name: "TZ".to_owned(),
                    length: 3,
                }],
                ..Symbolic::default()
            },
            &["-e", "@arg", "@args"],
        );
        let of = |text: &str| {
            test(
                &plan,
                &parse(&format!("bothways-test 1\n{text}")).expect("a test"),
            )
        };
        let line = "arg:1 stream 2d65\narg:2 stream 6162\narg:3 stream 63\n";
        let (text, changes) = shown(&plan, of(&format!("n i32 7\n{line}env:TZ unset -\n")));
        assert_eq!(text, "n=7 arg:1=-e arg:2=ab arg:3=c env:TZ");
        assert!(changes.is_empty());
        assert!(
            of("arg:1 stream 2d66\narg:2 stream 61\n")
                .expect_err("other")
                .contains("`-e`")
        );
        assert!(
            of("arg:1 stream 2d65\n")
                .expect_err("few")
                .contains("2 to 4")
        );
    }

    #[test]
    fn objects_of_klee_go_by_their_names() {
        let plan = plan(
            None,
            Symbolic {
                sym_args: vec![Group {
                    min: 0,
                    max: 3,
                    length: 4,
                }],
                sym_file: vec![file_of("in", (0, 4))],
                sym_arg: vec![2],
                ..Symbolic::default()
            },
            &["@args", "@arg"],
        );
        let object = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        let all = [
            object("n_args", &[1, 0, 0, 0]),
            object("arg00", b"ab\0\0\0"),
            object("arg01", b"c\0\0"),
            object("A-data", b"xy"),
            object("A-data-stat", &[0; 144]),
            object("model_version", &[1, 0, 0, 0]),
            object("x", &[5, 6]),
        ];
        assert_eq!(
            shown(&plan, objects(&plan, &all)).0,
            "x=5 x=6 arg:1=ab arg:2=c file:in=xy"
        );
    }
}
