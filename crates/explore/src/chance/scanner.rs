//! Words of a scanner that flex made: its tables say what each rule matches, and no string of the program does.
//!
//! The tables are those of flex's compressed automaton (flex 2.6, "skel", `yy_ec` to `yy_chk`): a state's row begins at its base, an
//! entry belongs to the state that `chk` says, and other entries are those of the state's default.

use std::collections::{BTreeMap, VecDeque};

use program::{Global, Program};

/// Most rules' states for which all words are kept; a rule with more matches names or numbers.
const FEW: usize = 4;
/// Words that are kept of a rule that matches much.
const SOME: usize = 2;
/// Where a scanner starts, also at the beginning of a line.
const STARTS: [usize; 2] = [1, 2];
/// Bytes of a table; flex makes none that is larger.
const LARGEST: usize = 1 << 24;
/// States in the default chain of one; more is no automaton.
const LONGEST_CHAIN: usize = 1 << 12;

/// Tables of one scanner, elements as numbers.
struct Tables {
    /// Class of each byte.
    classes: Vec<usize>,
    /// Rule of each state, 0 for none.
    accept: Vec<usize>,
    base: Vec<usize>,
    default: Vec<usize>,
    next: Vec<usize>,
    check: Vec<usize>,
    /// Classes as states that stand for several have them.
    meta: Vec<usize>,
}

/// Words that the scanners of a program tell apart, none longer than `longest`.
pub(super) fn words(program: &Program, longest: usize) -> Vec<Vec<u8>> {
    let mut scanners: BTreeMap<Option<u32>, BTreeMap<&str, &Global>> = BTreeMap::new();
    for global in program.globals.values() {
        let name = global.name.split('.').next().unwrap_or_default();
        if let Some(table) = name.strip_prefix("yy_") {
            let file = global.loc.map(|loc| loc.file);
            scanners.entry(file).or_default().insert(table, global);
        }
    }
    let tables = scanners.values().filter_map(Tables::read);
    tables.flat_map(|tables| tables.words(longest)).collect()
}

impl Tables {
    /// `None`: these are not all tables of a scanner, or not as they should be.
    fn read(of: &BTreeMap<&str, &Global>) -> Option<Tables> {
        let table = |name: &str| of.get(name).copied();
        let wide = |name: &str| shorts_or_longs(table(name)?);
        let classes = numbers(table("ec")?, table("ec")?.size / 256)?;
        let count = classes.iter().max()? + 1;
        let meta = table("meta").and_then(|meta| numbers(meta, meta.size / count as u64));
        let tables = Tables {
            classes,
            accept: wide("accept")?,
            base: wide("base")?,
            default: wide("def")?,
            next: wide("nxt")?,
            check: wide("chk")?,
            meta: meta.unwrap_or_default(),
        };
        let is_whole = tables.classes.len() == 256
            && tables.base.len() == tables.default.len()
            && tables.next.len() == tables.check.len();
        is_whole.then_some(tables)
    }

    /// The state behind another one. `None` when no rule goes on there, and when the tables are not as they should be.
    fn step(&self, mut state: usize, byte: u8) -> Option<usize> {
        let mut class = self.classes[usize::from(byte)];
        for _ in 0..LONGEST_CHAIN {
            let entry = self.base.get(state)? + class;
            if *self.check.get(entry)? == state {
                let next = *self.next.get(entry)?;
                let jams = next + 1 >= self.accept.len();
                return (!jams).then_some(next);
            }
            state = *self.default.get(state)?;
            if state >= self.accept.len() && !self.meta.is_empty() {
                class = *self.meta.get(class)?;
            }
        }
        None
    }

    /// The shortest words that lead to each state, by rule.
    fn words(&self, longest: usize) -> Vec<Vec<u8>> {
        let bytes = self.representatives();
        let mut known: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        let mut waiting: VecDeque<usize> = STARTS.into();
        known.extend(STARTS.map(|state| (state, Vec::new())));
        let mut rules: BTreeMap<usize, Vec<Vec<u8>>> = BTreeMap::new();
        while let Some(state) = waiting.pop_front() {
            let word = known[&state].clone();
            let rule = self.accept.get(state).copied().unwrap_or(0);
            if rule > 0 && !word.is_empty() {
                rules.entry(rule).or_default().push(word.clone());
            }
            if word.len() == longest {
                continue;
            }
            for &byte in &bytes {
                if let Some(next) = self.step(state, byte)
                    && !known.contains_key(&next)
                {
                    known.insert(next, [&word[..], &[byte]].concat());
                    waiting.push_back(next);
                }
            }
        }
        let kept = rules.into_values().flat_map(|words| {
            let most = if words.len() <= FEW { FEW } else { SOME };
            words.into_iter().take(most)
        });
        kept.collect()
    }

    /// A byte of each class, one that is easy to read if there is one.
    fn representatives(&self) -> Vec<u8> {
        let sorts: [fn(&u8) -> bool; 5] = [
            u8::is_ascii_lowercase,
            u8::is_ascii_alphanumeric,
            u8::is_ascii_graphic,
            u8::is_ascii_whitespace,
            |_| true,
        ];
        let mut of_class = BTreeMap::new();
        for is_of_sort in sorts {
            for byte in (1..=u8::MAX).filter(is_of_sort) {
                of_class
                    .entry(self.classes[usize::from(byte)])
                    .or_insert(byte);
            }
        }
        of_class.into_values().collect()
    }
}

/// The elements of a table of this width in bytes; `None` when it has no initial value.
fn numbers(table: &Global, width: u64) -> Option<Vec<usize>> {
    let bytes = &table.init.as_ref()?.bytes;
    let width = usize::try_from(width).ok().filter(|&width| width > 0)?;
    let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(0));
    let element = |at: usize| {
        let parts = (0..width.min(4)).map(|part| byte(at * width + part) << (8 * part));
        parts.sum()
    };
    let size = usize::try_from(table.size).ok()?;
    let count = (size <= LARGEST).then_some(size)? / width;
    Some((0..count).map(element).collect())
}

/// The elements of a table of numbers of two or four bytes. Taken for two, every other of four is 0.
fn shorts_or_longs(table: &Global) -> Option<Vec<usize>> {
    let shorts = numbers(table, 2)?;
    let is_wider = shorts.iter().skip(1).step_by(2).all(|&high| high == 0);
    if is_wider {
        numbers(table, 4)
    } else {
        Some(shorts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Init;

    /// Classes: 1 for what no rule has, 2 `i`, 3 `f`, 4 other letters, 5 digits.
    const CLASSES: usize = 6;

    /// Rule 1: `if`; rule 2: names; rule 3: numbers. States: 1 and 2 begin, 3 `i`, 4 a name, 5 `if`, 6 a number, 7 jams, 8 stands for
    /// states 3 to 5, with one class for all letters.
    fn scanner(width: u64) -> Program {
        let mut class = [1; 256];
        class[0] = 0;
        class[usize::from(b'a')..=usize::from(b'z')].fill(4);
        class[usize::from(b'0')..=usize::from(b'9')].fill(5);
        (class[usize::from(b'i')], class[usize::from(b'f')]) = (2, 3);
        let accept = [0, 0, 0, 2, 2, 1, 3, 0];
        let own = [
            (1, &[(2, 3), (3, 4), (4, 4), (5, 6)][..]),
            (2, &[(2, 3), (3, 4), (4, 4), (5, 6)]),
            (3, &[(3, 5)]),
            (4, &[]),
            (5, &[]),
            (6, &[(5, 6)]),
            (8, &[(4, 4), (5, 4)]),
        ];
        let default = [0, 7, 7, 8, 8, 8, 7, 7, 7];
        let meta = [0, 1, 4, 4, 4, 5];
        let base: Vec<usize> = (0..9).map(|state| state * CLASSES).collect();
        let (mut next, mut check) = (vec![7; 9 * CLASSES], vec![0; 9 * CLASSES]);
        // Whatever jams there jams.
        check[7 * CLASSES..8 * CLASSES].fill(7);
        for (state, row) in own {
            for &(class, to) in row {
                next[state * CLASSES + class] = to;
                check[state * CLASSES + class] = state;
            }
        }
        let mut program = Program::default();
        let mut table = |name: &str, width: u64, elements: &[usize]| {
            let bytes = elements.iter().flat_map(|element| {
                let bytes = element.to_le_bytes();
                bytes.into_iter().take(width as usize)
            });
            program.globals.push(Global {
                name: format!("yy_{name}"),
                internal: true,
                constant: true,
                thread_local: false,
                size: elements.len() as u64 * width,
                align: 16,
                init: Some(Init {
                    bytes: bytes.collect(),
                    ..Init::default()
                }),
                loc: None,
            });
        };
        table("ec", if width == 2 { 1 } else { 4 }, &class);
        table("meta", if width == 2 { 1 } else { 4 }, &meta);
        table("accept", width, &accept);
        table("base", width, &base);
        table("def", width, &default);
        table("nxt", width, &next);
        table("chk", width, &check);
        program
    }

    fn shown(program: &Program, longest: usize) -> Vec<String> {
        let words = words(program, longest).into_iter();
        words
            .map(|word| String::from_utf8_lossy(&word).into_owned())
            .collect()
    }

    #[test]
    fn each_rule_has_its_words() {
        for width in [2, 4] {
            assert_eq!(shown(&scanner(width), 16), ["if", "i", "f", "0"]);
            assert_eq!(shown(&scanner(width), 1), ["i", "f", "0"]);
        }
    }

    #[test]
    fn tables_that_are_no_scanner_have_none() {
        let mut program = scanner(2);
        let last = program.globals.keys().last().expect("a table");
        program.globals[last].size = 2;
        assert_eq!(shown(&program, 16), [""; 0]);
        // One that is too large to be read.
        let mut program = scanner(2);
        program.globals[last].size = 1 << 40;
        assert_eq!(shown(&program, 16), [""; 0]);
        // Entries that lead out of the tables.
        let mut program = scanner(2);
        for global in program.globals.values_mut() {
            if ["yy_base", "yy_nxt"].contains(&&*global.name) {
                let init = global.init.as_mut().expect("a table");
                init.bytes.fill(0x7f);
            }
        }
        assert_eq!(shown(&program, 16), [""; 0]);
    }
}
