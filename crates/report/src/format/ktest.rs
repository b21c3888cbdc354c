//! `ktest`: a `.ktest` file for each test, as KLEE writes and replays them (`ktest-tool`, `klee-replay`, `--seed-dir`).
//!
//! Each value or array that the program asks for is an object, in the order of the test. Streams have the names of KLEE's POSIX
//! runtime: `stdin`, `A-data` for the first symbolic file, `arg00` for the first argument; environment variables have no place
//! there. Version 3 of the format: its numbers are big-endian, values little-endian as in memory. `--seeds` reads them back.

use crate::format::{Artifact, SuiteFormat};
use crate::suite::invocation::{ARGUMENT, FILE, VARIABLE};
use crate::suite::{Suite, Test, Value};

/// The suite as `.ktest` files.
pub struct Ktest;

/// Version of the format.
const VERSION: u32 = 3;

impl SuiteFormat for Ktest {
    fn name(&self) -> &'static str {
        "ktest"
    }

    fn summary(&self) -> &'static str {
        "`.ktest` files, for KLEE"
    }

    fn render(&self, suite: &Suite) -> Vec<Artifact> {
        let file = |test: &Test| {
            let path = format!("ktest/test{:06}.ktest", test.number);
            Artifact::new(path, ktest(&suite.program, test))
        };
        suite.tests.iter().map(file).collect()
    }
}

fn ktest(program: &str, test: &Test) -> Vec<u8> {
    let objects = objects(test);
    let mut bytes = b"KTEST".to_vec();
    number(&mut bytes, VERSION);
    number(&mut bytes, 1);
    block(&mut bytes, program.as_bytes());
    // Symbolic arguments of KLEE's POSIX runtime: none.
    number(&mut bytes, 0);
    number(&mut bytes, 0);
    number(&mut bytes, size(objects.len()));
    for (name, content) in objects {
        block(&mut bytes, name.as_bytes());
        block(&mut bytes, &content);
    }
    bytes
}

/// Names and bytes, in the order of the test; elements of an array are one object.
fn objects(test: &Test) -> Vec<(String, Vec<u8>)> {
    let mut objects: Vec<(String, Vec<u8>)> = Vec::new();
    let mut next: Option<u32> = None;
    for value in &test.values {
        let follows = value.element.is_some() && value.element == next;
        next = value.element.map(|index| index + 1);
        match objects.last_mut() {
            Some((name, content)) if follows && *name == value.name => {
                content.extend(memory(value))
            }
            _ => objects.push((value.name.clone(), memory(value))),
        }
    }
    let (mut files, mut arguments) = ('A'..='Z', 0..);
    for stream in &test.streams {
        let name = match stream.name.as_str() {
            name if name.starts_with(FILE) => files.next().map(|letter| format!("{letter}-data")),
            name if name.starts_with(ARGUMENT) => arguments
                .next()
                .map(|number: u32| format!("arg{number:02}")),
            name if name.starts_with(VARIABLE) => None,
            name => Some(name.to_owned()),
        };
        objects.extend(name.map(|name| (name, stream.bytes.clone())));
    }
    objects
}

/// A value as it lies in memory.
fn memory(value: &Value) -> Vec<u8> {
    let bytes = (value.kind.bits() as usize).div_ceil(8);
    value.bits.to_le_bytes()[..bytes.min(16)].to_vec()
}

fn size(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn number(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend(number.to_be_bytes());
}

fn block(bytes: &mut Vec<u8>, content: &[u8]) {
    number(bytes, size(content.len()));
    bytes.extend(content);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn objects_have_the_bytes_of_memory() {
        let suite = sample::suite();
        let objects = objects(&suite.tests[0]);
        assert_eq!(objects[0], ("key".to_owned(), b"k\0\"\n".to_vec()));
        assert_eq!(objects[1], ("n".to_owned(), vec![0xfb, 0xff, 0xff, 0xff]));
        let bytes = ktest("list", &suite.tests[0]);
        assert_eq!(&bytes[..21], b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x04list");
    }
}
