//! `getopt` and `getopt_long`, call by call: with words that are known, each call finds the next option.
//!
//! Must hold: what depends on the environment (`POSIXLY_CORRECT`), on an input, or on rules that are not here is not followed: words
//! that are no options with options behind them, names of options that are not written out.

use program::outside;
use program::{Const, Function, Op, Operand, Program, RelocationTarget, ValueId};
use semantics::Value;
use smt::Term;

use super::memory::{Kind, Memory};
use super::{Next, Opening, State};

/// Rows of a table of long options.
const ROWS: u64 = 300;
/// Bytes of a row: name, whether it has an argument, flag, value.
const ROW: u64 = 32;

/// How far the words were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The next word; 0 is the program's name.
    word: usize,
    /// The next letter of it, if one was looked at.
    letter: usize,
    argument: Option<Term>,
    /// There are no more options, and the rules for another search are not here.
    is_done: bool,
    /// The program has set where to look next: what is found there is not known.
    is_set: bool,
    /// It may have set it to anything.
    pub is_lost: bool,
}

impl Default for Scan {
    fn default() -> Scan {
        Scan {
            word: 1,
            letter: 0,
            argument: None,
            is_done: false,
            is_set: false,
            is_lost: false,
        }
    }
}

/// A long option.
struct Long {
    /// 0: it has no argument; 1: it has one; 2: it may have one.
    argument: u128,
    flag: Term,
    value: u128,
}

/// Are addresses of variables of `getopt` known nowhere, so that only what names them writes to them?
pub fn keeps_options(program: &Program) -> bool {
    let is_it = |operand: &Operand| match operand {
        Operand::Const(constant) => {
            let mut found = false;
            constant.for_each_part(&mut |part| {
                found |= matches!(part, Const::Global { global, .. } if outside::is_of_getopt(&program.globals[*global]));
            });
            found
        }
        Operand::Value(_) => false,
    };
    let mut inits = program.globals.values().filter_map(|it| it.init.as_ref());
    let in_memory = inits.any(|init| {
        let mut all = init.relocations.iter();
        all.any(
            |it| matches!(it.to, RelocationTarget::Global(to) if outside::is_of_getopt(&program.globals[to])),
        )
    });
    let leaks = |op: &Op| {
        let mut leaks = false;
        match op {
            Op::Load { .. } => {}
            Op::Store { value, .. } => leaks = is_it(value),
            op => op.for_each_operand(|operand| leaks |= is_it(operand)),
        }
        leaks
    };
    let in_body = |body: &Function| {
        let mut leaks_at_end = false;
        let in_block = body.blocks.keys().any(|block| {
            let terminator = &body.blocks[block].terminator;
            terminator.for_each_operand(|operand| leaks_at_end |= is_it(operand));
            body.insts(block).any(|(_, inst)| leaks(&inst.op))
        });
        in_block || leaks_at_end
    };
    !in_memory && !program.functions.values().any(in_body)
}

impl Opening<'_> {
    /// The program says where to look for options next.
    pub(super) fn set_option(&mut self, memory: &mut Memory, bytes: &[Option<Term>]) {
        let digits = bytes.iter().map(|byte| self.pool.as_const((*byte)?));
        let digits: Option<Vec<u128>> = digits.collect();
        let number = digits.filter(|digits| digits.len() == 4).map(|digits| {
            let digits = digits.iter().rev();
            digits.fold(0, |number, digit| number << 8 | digit)
        });
        let scan = &mut memory.scan;
        match number.and_then(|number| usize::try_from(number).ok()) {
            Some(_) if scan.is_lost => {}
            // From the beginning.
            Some(0) => {
                *scan = Scan {
                    word: 0,
                    ..Scan::default()
                };
            }
            // As it is.
            Some(1) if *scan == Scan::default() => {}
            Some(word) => (scan.word, scan.is_set) = (word, true),
            None => scan.is_lost = true,
        }
    }

    /// A byte of a variable of `getopt`; of other variables that the program does not define nothing is known.
    pub(super) fn of_getopt(&mut self, memory: &Memory, name: &str, at: u64) -> Option<Term> {
        let scan = &memory.scan;
        if scan.is_lost {
            return None;
        }
        let (bytes, whole) = match name {
            "optind" => (4, self.pool.constant(32, scan.word as u128)),
            "optarg" => {
                let null = self.pool.constant(64, 0);
                (8, scan.argument.unwrap_or(null))
            }
            _ => return None,
        };
        (at < bytes).then(|| self.digit(whole, at))
    }

    /// The next option.
    pub(super) fn getopt(
        &mut self,
        way: &mut State,
        value: ValueId,
        (known, is_long): (&[Option<Term>], bool),
    ) -> Next {
        match self.option(way, known, is_long) {
            Some(found) => {
                let found = self.pool.constant(32, i128::from(found).cast_unsigned());
                Self::set(way, value, Some(Value::Scalar(found)));
                Next::On
            }
            None => Next::Over,
        }
    }

    /// What the call returns, if that is known.
    fn option(&mut self, way: &mut State, known: &[Option<Term>], is_long: bool) -> Option<i32> {
        let at = |index: usize| known.get(index).copied().flatten();
        // `getopt` reads and writes variables of these names that the program defines.
        let mut globals = self.program.globals.values();
        if globals.any(|it| it.init.is_some() && outside::is_of_getopt(it)) {
            return None;
        }
        self.is_command_line(way, at(0)?, at(1)?)?;
        let short = self.text(way, at(2)?)?;
        if short.starts_with(b"-") || short.windows(2).any(|two| two == b"W;") {
            return None;
        }
        let mut scan = way.memory.scan.clone();
        if scan.is_lost || scan.is_set || scan.is_done {
            return None;
        }
        scan.argument = None;
        scan.word = scan.word.max(1);
        if scan.letter == 0 {
            let is_over = self.is_over(&mut scan, &short)?;
            if is_over {
                scan.is_done = true;
                way.memory.scan = scan;
                return Some(-1);
            }
            let word = self.words[scan.word - 1].clone()?;
            if let (true, [b'-', b'-', name @ ..]) = (is_long, word.as_slice()) {
                let found = self.long(way, &mut scan, (name, &short), (at(3)?, at(4)?));
                way.memory.scan = scan;
                return found;
            }
            scan.letter = 1;
        }
        let found = self.letter(&mut scan, &short);
        way.memory.scan = scan;
        found
    }

    /// Are the arguments the command line as a whole, as it was at the start?
    fn is_command_line(&mut self, way: &State, count: Term, list: Term) -> Option<()> {
        let is_count = self.pool.as_const(count) == Some(self.words.len() as u128 + 1);
        let (list, at) = self.place_of(list)?;
        let is_list = at == 0 && self.objects[list as usize] == Kind::List;
        let own = [list].into_iter().chain(
            (0..self.words.len())
                .map(|word| self.only(Kind::Word(word)))
                .collect::<Vec<u32>>(),
        );
        let is_fresh = own
            .into_iter()
            .all(|object| way.memory.is_fresh(object) && !self.is_shaky(&way.memory, object));
        (is_count && is_list && is_fresh).then_some(())
    }

    /// Are there no more options? `None`: nobody knows.
    fn is_over(&self, scan: &mut Scan, short: &[u8]) -> Option<bool> {
        let Some(word) = self.words.get(scan.word - 1) else {
            return Some(true);
        };
        let is_option = |word: &[u8]| word.len() > 1 && word[0] == b'-';
        let word = word.as_ref()?;
        if word == b"--" {
            scan.word += 1;
            return Some(true);
        }
        if is_option(word) {
            return Some(false);
        }
        // Options behind are found first, or not, by the environment.
        for later in &self.words[scan.word..] {
            if !short.starts_with(b"+") && is_option(later.as_ref()?) {
                return None;
            }
        }
        Some(true)
    }

    /// An option of one letter.
    fn letter(&mut self, scan: &mut Scan, short: &[u8]) -> Option<i32> {
        let word = self.words[scan.word - 1].clone()?;
        let letter = *word.get(scan.letter)?;
        let own = scan.word - 1;
        scan.letter += 1;
        let behind = scan.letter;
        let is_last = behind == word.len();
        if is_last {
            (scan.word, scan.letter) = (scan.word + 1, 0);
        }
        let colon = short.strip_prefix(b"+").unwrap_or(short).first() == Some(&b':');
        let at = short.iter().position(|known| *known == letter);
        let first = usize::from(short.starts_with(b"+"));
        let Some(at) = at.filter(|at| *at >= first && !b":;".contains(&letter)) else {
            return Some(i32::from(b'?'));
        };
        let next = |index: usize| short.get(at + index) == Some(&b':');
        match (next(1), next(2)) {
            (false, _) => {}
            (true, is_optional) if !is_last => {
                let _ = is_optional;
                scan.argument = Some(self.word_at(own, behind));
                (scan.word, scan.letter) = (scan.word + 1, 0);
            }
            (true, true) => {}
            (true, false) => {
                if scan.word > self.words.len() {
                    return Some(i32::from(if colon { b':' } else { b'?' }));
                }
                scan.argument = Some(self.word_at(scan.word - 1, 0));
                scan.word += 1;
            }
        }
        Some(i32::from(letter))
    }

    /// The address of a part of a word.
    fn word_at(&mut self, word: usize, at: usize) -> Term {
        let word = self.only(Kind::Word(word));
        let word = self.address(word);
        let at = self.pool.constant(64, at as u128);
        self.pool.bin(smt::Op::Add, word, at)
    }

    /// An option with a name.
    fn long(
        &mut self,
        way: &mut State,
        scan: &mut Scan,
        (name, short): (&[u8], &[u8]),
        (table, index): (Term, Term),
    ) -> Option<i32> {
        let end = name.iter().position(|byte| *byte == b'=');
        let own = scan.word - 1;
        let (row, found) = self.row(way, table, &name[..end.unwrap_or(name.len())])?;
        scan.word += 1;
        match (found.argument, end) {
            (0, None) | (2, None) => {}
            (1 | 2, Some(end)) => scan.argument = Some(self.word_at(own, end + 3)),
            (1, None) if scan.word > self.words.len() => {
                let colon = short.strip_prefix(b"+").unwrap_or(short).first() == Some(&b':');
                return Some(i32::from(if colon { b':' } else { b'?' }));
            }
            (1, None) => {
                scan.argument = Some(self.word_at(scan.word - 1, 0));
                scan.word += 1;
            }
            _ => return None,
        }
        let mut store = |opening: &mut Self, to: Term, number: u128| {
            if opening.pool.as_const(to) == Some(0) {
                return Some(false);
            }
            let place = opening.place_of(to)?;
            let number = opening.pool.constant(32, number);
            let bytes: Vec<Option<Term>> =
                (0..4).map(|at| Some(opening.digit(number, at))).collect();
            let next = opening.write(&mut way.memory, place, &bytes);
            matches!(next, Next::On).then_some(true)
        };
        store(self, index, u128::from(row))?;
        match store(self, found.flag, found.value)? {
            true => Some(0),
            false => Some(found.value as u32 as i32),
        }
    }

    /// The row of a table with this name.
    fn row(&mut self, way: &State, table: Term, name: &[u8]) -> Option<(u64, Long)> {
        let (table, at) = self.place_of(table)?;
        for row in 0..ROWS {
            let at = at.checked_add_unsigned(row * ROW)?;
            let text = self.field(way, (table, at), 8)?;
            // The last row has no name.
            self.place_of(text)?;
            if self.text(way, text)? != name {
                continue;
            }
            let argument = self.field(way, (table, at + 8), 4)?;
            let flag = self.field(way, (table, at + 16), 8)?;
            let value = self.field(way, (table, at + 24), 4)?;
            let long = Long {
                argument: self.pool.as_const(argument)?,
                flag,
                value: self.pool.as_const(value)?,
            };
            return Some((row, long));
        }
        None
    }

    /// The number in some bytes.
    fn field(&mut self, way: &State, place: (u32, i64), bytes: u64) -> Option<Term> {
        let mut read = self.read(&way.memory, place, bytes)?.into_iter();
        let first = read.next()?;
        Some(read.fold(first, |low, high| self.pool.concat(high, low)))
    }
}
