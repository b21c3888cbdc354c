//! Each wrapper's one expression, evaluated under random other contents, against the plain function.

use super::{compare, copy_string, digits, length, search};
use crate::memory;
use crate::raw::poke;
use crate::state::{self, STATE};
use crate::testing::{Evaluator, constraints, session, variable};
use random::Random;
use std::ffi::CStr;

/// Two strings in buffers: the first symbolic in its first bytes.
struct Strings {
    symbolic: Vec<u8>,
    fixed: Vec<u8>,
    first: u32,
}

impl Strings {
    fn new(symbolic: &[u8], fixed: &[u8], first: u32) -> Strings {
        let mut strings = Strings {
            symbolic: symbolic.to_vec(),
            fixed: fixed.to_vec(),
            first,
        };
        strings.symbolic.push(0);
        strings.fixed.push(0);
        for (index, byte) in symbolic.iter().enumerate() {
            let at = strings.symbolic.as_ptr() as u64 + index as u64;
            memory::store(at, 1, variable(first + index as u32, 8, (*byte).into()));
        }
        memory::clear(strings.symbolic.as_ptr() as u64 + symbolic.len() as u64, 1);
        memory::clear(strings.fixed.as_ptr() as u64, strings.fixed.len() as u64);
        strings
    }

    fn a(&self) -> u64 {
        self.symbolic.as_ptr() as u64
    }

    fn b(&self) -> u64 {
        self.fixed.as_ptr() as u64
    }
}

/// The label that the wrapper at `own` returned.
fn result(own: u64) -> u32 {
    if state::returned() != own {
        return 0;
    }
    state::set_returned(0);
    crate::state::result(0)
}

/// Calls a wrapper: its result and its address.
type Wrapper<'a> = dyn Fn(&Strings) -> (u64, u64) + 'a;

/// The function without symbols: contents of both strings, address of the first.
type Plain<'a> = dyn Fn(&[u8], &[u8], u64) -> u64 + 'a;

/// Runs a wrapper and compares its expression with a plain function under other contents, wherever the constraints hold.
fn check(alphabet: &[u8], call: &Wrapper, plain: &Plain) {
    let _session = session();
    let mut random = Random::new(99);
    for round in 0..300_u32 {
        let pick = |random: &mut Random| alphabet[random.below(alphabet.len())];
        let length = random.below(6);
        let run: Vec<u8> = (0..length).map(|_| pick(&mut random)).collect();
        let fixed: Vec<u8> = (0..random.below(6)).map(|_| pick(&mut random)).collect();
        let strings = Strings::new(&run, &fixed, round * 16);
        state::set_cursor(STATE.events.get());
        let (value, own) = call(&strings);
        let label = result(own);
        let mut zero_ended = run.clone();
        zero_ended.push(0);
        let mut fixed_ended = fixed.clone();
        fixed_ended.push(0);
        assert_eq!(
            value,
            plain(&zero_ended, &fixed_ended, strings.a()),
            "{run:?} {fixed:?}"
        );
        let guards = constraints();
        for _ in 0..20 {
            let mut other: Vec<u8> = (0..length).map(|_| pick(&mut random)).collect();
            let inputs = |_: u32, index: u32| {
                other
                    .get((index - strings.first) as usize)
                    .map_or(0, |b| u128::from(*b))
            };
            let mut evaluator = Evaluator::new(&inputs);
            let applies = guards.iter().all(|guard| evaluator.label(*guard) == 1);
            let got = if label == 0 {
                u128::from(value)
            } else {
                evaluator.label(label)
            };
            other.push(0);
            let want = plain(&other, &fixed_ended, strings.a());
            let equal = got == u128::from(want)
                || got == u128::from(want as u32) && want >> 32 == 0xffff_ffff;
            assert!(
                !applies || equal,
                "run {run:?} fixed {fixed:?} other {other:?}: {got:#x} {want:#x}"
            );
        }
    }
}

fn difference(a: u8, b: u8) -> u64 {
    (i64::from(a) - i64::from(b)) as u64
}

fn string_order(a: &[u8], b: &[u8], limit: usize, fold: bool) -> u64 {
    for index in 0..limit {
        let (mut x, mut y) = (a[index], b[index]);
        if fold {
            (x, y) = (x.to_ascii_lowercase(), y.to_ascii_lowercase());
        }
        if x != y || x == 0 {
            return difference(x, y);
        }
    }
    0
}

fn find(a: &[u8], wanted: u8, end: bool, last: bool, base: u64) -> u64 {
    let length = a.iter().position(|byte| *byte == 0).expect("terminated");
    let within = &a[..=length];
    let at = if last {
        within.iter().rposition(|b| *b == wanted)
    } else {
        within.iter().position(|b| *b == wanted)
    };
    match at {
        Some(at) => base + at as u64,
        None if end => base + length as u64,
        None => 0,
    }
}

const LETTERS: &[u8] = b"abAB\0";

#[test]
fn comparisons() {
    check(
        LETTERS,
        &|s| {
            (
                compare::__bw_libc_strcmp(s.a(), s.b()) as i64 as u64,
                compare::__bw_libc_strcmp as *const () as u64,
            )
        },
        &|a, b, _| string_order(a, b, 99, false),
    );
    check(
        LETTERS,
        &|s| {
            let value = compare::__bw_libc_strncmp(s.a(), s.b(), 3);
            (
                value as i64 as u64,
                compare::__bw_libc_strncmp as *const () as u64,
            )
        },
        &|a, b, _| string_order(a, b, 3, false),
    );
    check(
        LETTERS,
        &|s| {
            let value = compare::__bw_libc_strcasecmp(s.a(), s.b());
            (
                value as i64 as u64,
                compare::__bw_libc_strcasecmp as *const () as u64,
            )
        },
        &|a, b, _| string_order(a, b, 99, true),
    );
}

#[test]
fn lengths_and_searches() {
    check(
        LETTERS,
        &|s| {
            (
                length::__bw_libc_strlen(s.a()),
                length::__bw_libc_strlen as *const () as u64,
            )
        },
        &|a, _, _| a.iter().position(|byte| *byte == 0).expect("terminated") as u64,
    );
    for wanted in [b'a', 0] {
        check(
            LETTERS,
            &|s| {
                (
                    search::__bw_libc_strchr(s.a(), wanted.into()),
                    search::__bw_libc_strchr as *const () as u64,
                )
            },
            &|a, _, base| find(a, wanted, false, false, base),
        );
        check(
            LETTERS,
            &|s| {
                (
                    search::__bw_libc_strchrnul(s.a(), wanted.into()),
                    search::__bw_libc_strchrnul as *const () as u64,
                )
            },
            &|a, _, base| find(a, wanted, true, false, base),
        );
        check(
            LETTERS,
            &|s| {
                (
                    search::__bw_libc_strrchr(s.a(), wanted.into()),
                    search::__bw_libc_strrchr as *const () as u64,
                )
            },
            &|a, _, base| find(a, wanted, false, true, base),
        );
    }
}

#[test]
fn spans() {
    let span = |a: &[u8], set: &[u8], outside: bool| {
        let set = &set[..set.iter().position(|byte| *byte == 0).expect("terminated")];
        let ends = |byte: &u8| *byte == 0 || set.contains(byte) != outside;
        a.iter().position(ends).expect("terminated") as u64
    };
    check(
        LETTERS,
        &|s| {
            (
                length::__bw_libc_strspn(s.a(), s.b()),
                length::__bw_libc_strspn as *const () as u64,
            )
        },
        &|a, set, _| span(a, set, true),
    );
    check(
        LETTERS,
        &|s| {
            (
                length::__bw_libc_strcspn(s.a(), s.b()),
                length::__bw_libc_strcspn as *const () as u64,
            )
        },
        &|a, set, _| span(a, set, false),
    );
}

#[test]
fn a_keyword_is_one_query_away() {
    let _session = session();
    let strings = Strings::new(b"\0\0\0\0\0\0\0\0\0\0", b"keyword", 0);
    assert!(compare::__bw_libc_strcmp(strings.a(), strings.b()) < 0);
    let label = result(compare::__bw_libc_strcmp as *const () as u64);
    let inputs = |_: u32, index: u32| {
        b"keyword"
            .get(index as usize)
            .map_or(0, |byte| u128::from(*byte))
    };
    assert_eq!(Evaluator::new(&inputs).label(label), 0);
    assert!(constraints().is_empty());
}

#[test]
fn copies_keep_labels_and_fix_the_length() {
    let _session = session();
    let strings = Strings::new(b"ab\0d", b"", 0);
    let target = [1_u8; 8];
    let to = target.as_ptr() as u64;
    assert_eq!(copy_string::__bw_libc_strcpy(to, strings.a()), to);
    let text = CStr::from_bytes_until_nul(&target).expect("terminated");
    assert_eq!(text.to_bytes(), b"ab");
    assert_eq!(
        memory::byte(to + 1).label,
        memory::byte(strings.a() + 1).label
    );
    assert!(!memory::byte(to + 2).symbolic());
    assert_eq!(constraints().len(), 3);
    poke(to, 0_u8);
}

/// What the hook says of a number: 1 if there is one, its value, its characters.
fn number_of(text: &[u8], base: u32, signed: bool) -> [u64; 3] {
    let digit = |byte: &u8| char::from(*byte).to_digit(base).map(u64::from);
    let sign = usize::from(signed && matches!(text.first(), Some(b'+' | b'-')));
    let digits: Vec<u64> = text[sign..].iter().map_while(digit).collect();
    let value = digits
        .iter()
        .fold(0, |value: u64, digit| value * u64::from(base) + digit);
    let value = if sign == 1 && text[0] == b'-' {
        value.wrapping_neg()
    } else {
        value
    };
    [
        u64::from(!digits.is_empty()),
        value,
        (sign + digits.len()) as u64,
    ]
}

#[test]
fn numbers_are_one_expression() {
    for (base, alphabet) in [
        (10, &b"0129+- a"[..]),
        (8, b"0178-"),
        (16, b"09afAFgG/:@`"),
        (36, b"09azAZ[{"),
        (2, b"012"),
    ] {
        for (field, signed) in [0, 1, 2].into_iter().flat_map(|f| [(f, false), (f, true)]) {
            let how = base | u32::from(signed) << 8;
            check(
                alphabet,
                &|s| {
                    let own = digits::__bw_hook_number as *const () as u64;
                    let out = [0_u64; 2];
                    let to = out.as_ptr() as u64;
                    let found = digits::__bw_hook_number(s.a(), u64::MAX, how, to);
                    if field == 0 {
                        return (found as u64, own);
                    }
                    let at = to + 8 * (field - 1);
                    let value = crate::raw::peek::<u64>(at);
                    state::set_result(0, memory::load(at, 8, value.into()).label);
                    state::set_returned(own);
                    (value, own)
                },
                &|a, _, _| number_of(a, base, signed)[field as usize],
            );
        }
    }
}
