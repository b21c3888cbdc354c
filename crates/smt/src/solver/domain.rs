//! Quick contradictions: an unsigned interval and known bits for each step of a tape, and an interval of floats
//! ([`super::spans`]).
//!
//! Every domain contains every value that its step takes under any assignment that satisfies the roots; an empty
//! domain proves that there is none. Nothing else is concluded.

use super::pivots::{self, Empty};
use super::spans::Spans;
use crate::eval::{Step, Tape, compute, mask, sign_bit};
use crate::{Op, pool::Tag};

/// `low ≤ value ≤ high`; bits in `ones` are 1, bits in `zeros` are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Domain {
    low: u128,
    high: u128,
    ones: u128,
    zeros: u128,
}

impl Domain {
    fn all(bits: u16) -> Self {
        Self {
            low: 0,
            high: mask(bits),
            ones: 0,
            zeros: !mask(bits),
        }
    }

    pub(super) fn constant(value: u128) -> Self {
        Self {
            low: value,
            high: value,
            ones: value,
            zeros: !value,
        }
    }

    /// The least and the greatest value.
    pub(super) fn bounds(self) -> (u128, u128) {
        (self.low, self.high)
    }

    pub(super) fn single(self) -> Option<u128> {
        (self.low == self.high).then_some(self.low)
    }

    pub(super) fn range(bits: u16, low: u128, high: u128) -> Self {
        Self {
            low,
            high,
            ..Self::all(bits)
        }
        .tighten()
    }

    /// Lets interval and bits learn from each other.
    fn tighten(mut self) -> Self {
        self.low = self.low.max(self.ones);
        self.high = self.high.min(!self.zeros);
        if self.low <= self.high {
            let same = (self.low ^ self.high).leading_zeros();
            let prefix = if same == 0 {
                0
            } else {
                u128::MAX << (128 - same)
            };
            self.ones |= self.low & prefix;
            self.zeros |= !self.low & prefix;
        }
        self
    }

    pub(super) fn meet(self, other: Self) -> Result<Self, Empty> {
        let both = Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            ones: self.ones | other.ones,
            zeros: self.zeros | other.zeros,
        }
        .tighten();
        if both.low > both.high || both.ones & both.zeros != 0 {
            Err(Empty)
        } else {
            Ok(both)
        }
    }

    fn join(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            ones: self.ones & other.ones,
            zeros: self.zeros & other.zeros,
        }
    }
}

/// Whether the domains prove that the tape's roots cannot all be 1.
pub(crate) fn contradiction(tape: &Tape) -> bool {
    let mut domains: Vec<Domain> = tape.steps.iter().map(|s| Domain::all(s.bits)).collect();
    for &(place, value) in &tape.constants {
        domains[place as usize] = Domain::constant(value);
    }
    propagate(tape, &mut domains).is_err()
}

fn propagate(tape: &Tape, domains: &mut [Domain]) -> Result<(), Empty> {
    for pivot in pivots::confined(tape)? {
        let bits = tape.steps[pivot.place as usize].bits;
        let left = Domain::range(bits, pivot.least, pivot.greatest);
        require(tape, domains, pivot.place, left)?;
    }
    let mut spans = Spans::new(tape);
    (0..3).try_for_each(|_| pass(tape, domains, &mut spans))
}

/// One pass up the tape and one down from the roots.
fn pass(tape: &Tape, domains: &mut [Domain], spans: &mut Spans) -> Result<(), Empty> {
    for (i, step) in tape.steps.iter().enumerate() {
        if let Some(value) = forward(tape, step, domains) {
            domains[i] = domains[i].meet(value)?;
        }
        spans.forward(tape, i as u32, domains)?;
    }
    for &root in &tape.roots {
        require(tape, domains, root, Domain::constant(1))?;
    }
    for place in (0..tape.steps.len() as u32).rev() {
        backward(tape, domains, place)?;
        spans.backward(tape, place, domains)?;
    }
    Ok(())
}

/// The domain of a step from those of its operands; `None` for no information.
fn forward(tape: &Tape, step: &Step, domains: &[Domain]) -> Option<Domain> {
    let bits = step.bits;
    let op = match step.tag {
        Tag::Op(op) => op,
        Tag::Table => {
            let mut entries = tape.tables[step.b as usize]
                .iter()
                .map(|&e| domains[e as usize]);
            let first = entries.next()?;
            return Some(entries.fold(first, Domain::join));
        }
        _ => return None,
    };
    let at = |place: u32| domains[place as usize];
    // What an operation does not have is its first operand.
    let a = at(step.a);
    let b = if op.arity() > 1 { at(step.b) } else { a };
    let c = if op.arity() > 2 { at(step.c) } else { a };
    if op.arity() < 3
        && let (Some(x), Some(y)) = (a.single(), b.single())
    {
        return Some(Domain::constant(compute(
            op,
            bits,
            step.aux,
            step.width,
            [x, y, 0],
        )));
    }
    let known = |ones: u128, zeros: u128| {
        Some(
            Domain {
                ones,
                zeros,
                ..Domain::all(bits)
            }
            .tighten(),
        )
    };
    let high = !mask(bits);
    match op {
        Op::Not => known(a.zeros & mask(bits), a.ones | high),
        // Bits that are taken away make a number smaller.
        Op::And => Some(
            Domain {
                high: a.high.min(b.high),
                ones: a.ones & b.ones,
                zeros: a.zeros | b.zeros,
                ..Domain::all(bits)
            }
            .tighten(),
        ),
        Op::Or => Some(
            Domain {
                low: a.low.max(b.low),
                ones: a.ones | b.ones,
                zeros: a.zeros & b.zeros,
                ..Domain::all(bits)
            }
            .tighten(),
        ),
        Op::Xor => known(
            (a.ones & b.zeros) | (a.zeros & b.ones),
            (a.ones & b.ones) | (a.zeros & b.zeros),
        ),
        Op::ZExt => Some(a),
        Op::SExt if a.high < sign_bit(step.width) => Some(a),
        Op::Concat => Some(concat(step, a, b)),
        Op::Extract => Some(extract(step, a)),
        Op::Add => {
            let top = a.high.checked_add(b.high).filter(|&t| t <= mask(bits))?;
            Some(Domain::range(bits, a.low + b.low, top))
        }
        Op::Sub if a.low >= b.high => Some(Domain::range(bits, a.low - b.high, a.high - b.low)),
        Op::Mul => {
            let top = a.high.checked_mul(b.high).filter(|&t| t <= mask(bits))?;
            Some(Domain::range(bits, a.low * b.low, top))
        }
        Op::UDiv if b.low > 0 => Some(Domain::range(bits, a.low / b.high, a.high / b.low)),
        Op::URem if b.low > 0 => Some(Domain::range(bits, 0, a.high.min(b.high - 1))),
        Op::LShr | Op::Shl => shift(op, step, a, b.single()?),
        Op::Ite => Some(match a.single() {
            Some(1) => b,
            Some(_) => c,
            None => b.join(c),
        }),
        Op::Popcount | Op::Clz | Op::Ctz => Some(Domain::range(
            bits,
            0,
            u128::from(step.width).min(mask(bits)),
        )),
        _ => compare(op, step.width, a, b).map(|v| Domain::constant(u128::from(v))),
    }
}

fn concat(step: &Step, a: Domain, b: Domain) -> Domain {
    let shift = step.bits - step.width;
    let whole = Domain {
        low: a.low << shift | b.low,
        high: a.high << shift | b.high,
        ones: a.ones << shift | b.ones,
        zeros: a.zeros << shift | (b.zeros & mask(shift)),
    };
    Domain {
        zeros: whole.zeros | !mask(step.bits),
        ..whole
    }
    .tighten()
}

fn extract(step: &Step, a: Domain) -> Domain {
    let bits = step.bits;
    let all = Domain {
        ones: a.ones >> step.aux & mask(bits),
        zeros: a.zeros >> step.aux | !mask(bits),
        ..Domain::all(bits)
    };
    let cut = match a.high >> step.aux <= mask(bits) {
        true => Domain {
            low: a.low >> step.aux,
            high: a.high >> step.aux,
            ..all
        },
        false => all,
    };
    cut.tighten()
}

fn shift(op: Op, step: &Step, a: Domain, by: u128) -> Option<Domain> {
    if by >= u128::from(step.bits) {
        return Some(Domain::constant(0));
    }
    if op == Op::LShr {
        let zeros = (a.zeros >> by) | !(u128::MAX >> by);
        return Some(
            Domain {
                low: a.low >> by,
                high: a.high >> by,
                ones: a.ones >> by,
                zeros,
            }
            .tighten(),
        );
    }
    let all = mask(step.bits);
    let zeros = (a.zeros << by & all) | mask(by as u16) | !all;
    Some(
        Domain {
            ones: a.ones << by & all,
            zeros,
            ..Domain::all(step.bits)
        }
        .tighten(),
    )
}

/// The result of a comparison, where the domains decide it.
fn compare(op: Op, width: u16, a: Domain, b: Domain) -> Option<bool> {
    let top = sign_bit(width);
    let less = |a: Domain, b: Domain| {
        if a.high < b.low {
            Some(true)
        } else if a.low >= b.high {
            Some(false)
        } else {
            None
        }
    };
    // A signed order is the unsigned one with the sign flipped; that keeps an interval one if the sign is known.
    let flip = |d: Domain| {
        let (low, high) = (d.low ^ top, d.high ^ top);
        ((d.low ^ d.high) & top == 0).then_some(Domain {
            low,
            high,
            ones: 0,
            zeros: 0,
        })
    };
    match op {
        Op::Eq => {
            let apart =
                a.high < b.low || b.high < a.low || (a.ones & b.zeros) | (a.zeros & b.ones) != 0;
            apart.then_some(false)
        }
        Op::Ult | Op::USubO => less(a, b),
        Op::Ule => less(b, a).map(|v| !v),
        Op::Slt => less(flip(a)?, flip(b)?),
        Op::Sle => less(flip(b)?, flip(a)?).map(|v| !v),
        _ => None,
    }
}

fn require(tape: &Tape, domains: &mut [Domain], place: u32, wanted: Domain) -> Result<(), Empty> {
    debug_assert!((place as usize) < tape.steps.len());
    domains[place as usize] = domains[place as usize].meet(wanted)?;
    Ok(())
}

/// What a step's domain says about its operands.
fn backward(tape: &Tape, domains: &mut [Domain], place: u32) -> Result<(), Empty> {
    let step = tape.steps[place as usize];
    let Tag::Op(op) = step.tag else { return Ok(()) };
    let value = domains[place as usize];
    let width = step.width;
    match op {
        Op::Not => {
            let wanted = Domain {
                ones: value.zeros & mask(width),
                zeros: value.ones | !mask(width),
                ..Domain::all(width)
            };
            require(tape, domains, step.a, wanted.tighten())
        }
        Op::And if value.single() == Some(1) && width == 1 => {
            require(tape, domains, step.a, value)?;
            require(tape, domains, step.b, value)
        }
        Op::Or if value.single() == Some(0) => {
            require(tape, domains, step.a, value)?;
            require(tape, domains, step.b, value)
        }
        Op::ZExt => {
            let wanted = Domain {
                zeros: value.zeros | !mask(width),
                ..value
            };
            require(
                tape,
                domains,
                step.a,
                Domain {
                    high: wanted.high.min(mask(width)),
                    ..wanted
                },
            )
        }
        Op::Concat => {
            let shift = step.bits - width;
            let high = Domain {
                low: value.low >> shift,
                high: value.high >> shift,
                ones: value.ones >> shift,
                zeros: value.zeros >> shift | !mask(width),
            };
            require(tape, domains, step.a, high)?;
            let low = Domain {
                ones: value.ones & mask(shift),
                zeros: value.zeros | !mask(shift),
                ..Domain::all(shift)
            };
            require(tape, domains, step.b, low.tighten())
        }
        Op::Ite => {
            let (then, otherwise) = (domains[step.b as usize], domains[step.c as usize]);
            match (then.meet(value), otherwise.meet(value)) {
                (Err(Empty), Err(Empty)) => Err(Empty),
                (Ok(then), Err(Empty)) => {
                    require(tape, domains, step.a, Domain::constant(1))?;
                    require(tape, domains, step.b, then)
                }
                (Err(Empty), Ok(otherwise)) => {
                    require(tape, domains, step.a, Domain::constant(0))?;
                    require(tape, domains, step.c, otherwise)
                }
                (Ok(then), Ok(otherwise)) => match domains[step.a as usize].single() {
                    Some(1) => require(tape, domains, step.b, then),
                    Some(_) => require(tape, domains, step.c, otherwise),
                    None => Ok(()),
                },
            }
        }
        Op::Eq | Op::Ult | Op::Ule => match value.single() {
            Some(truth) => order(tape, domains, &step, op, truth == 1),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn order(
    tape: &Tape,
    domains: &mut [Domain],
    step: &Step,
    op: Op,
    truth: bool,
) -> Result<(), Empty> {
    let (a, b) = (domains[step.a as usize], domains[step.b as usize]);
    let width = step.width;
    let (small, large, strict) = match (op, truth) {
        (Op::Eq, true) => {
            require(tape, domains, step.a, b)?;
            return require(tape, domains, step.b, a);
        }
        (Op::Eq, false) => {
            if let Some(value) = b.single() {
                require(tape, domains, step.a, without(a, value, width)?)?;
            }
            if let Some(value) = a.single() {
                require(tape, domains, step.b, without(b, value, width)?)?;
            }
            return Ok(());
        }
        (Op::Ult, true) => (step.a, step.b, 1),
        (Op::Ult, false) => (step.b, step.a, 0),
        (_, true) => (step.a, step.b, 0),
        (_, false) => (step.b, step.a, 1),
    };
    let most = domains[large as usize]
        .high
        .checked_sub(strict)
        .ok_or(Empty)?;
    let least = domains[small as usize]
        .low
        .checked_add(strict)
        .ok_or(Empty)?;
    if least > mask(width) {
        return Err(Empty);
    }
    require(tape, domains, small, Domain::range(width, 0, most))?;
    require(
        tape,
        domains,
        large,
        Domain::range(width, least, mask(width)),
    )
}

/// A domain with one value taken off an end, if it is one.
fn without(domain: Domain, value: u128, width: u16) -> Result<Domain, Empty> {
    match (domain.low == value, domain.high == value) {
        (true, true) => Err(Empty),
        (true, false) => Ok(Domain::range(width, value + 1, domain.high)),
        (false, true) => Ok(Domain::range(width, domain.low, value - 1)),
        _ => Ok(domain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Scratch;
    use crate::testing::{Random, TermMaker};
    use crate::{Pool, Term, Var};

    /// Terms of all operations, then of those that pivots are made of, and of floats.
    #[test]
    fn no_satisfied_conjunction_is_called_contradictory() {
        const PIVOTS: [Op; 6] = [Op::Ite, Op::URem, Op::And, Op::Extract, Op::Add, Op::Eq];
        const FLOATS: [Op; 20] = [
            Op::UToF,
            Op::FAdd,
            Op::SToF,
            Op::FMul,
            Op::FLt,
            Op::FSub,
            Op::ZExt,
            Op::FDiv,
            Op::UToF,
            Op::FLe,
            Op::FToS,
            Op::FRound,
            Op::FEq,
            Op::FNeg,
            Op::FToF,
            Op::FAbs,
            Op::FSqrt,
            Op::FToU,
            Op::Ite,
            Op::Add,
        ];
        let mut asked = 0;
        let kinds = [Op::ALL, &PIVOTS, &FLOATS];
        for (seed, ops) in (0..80).flat_map(|seed| kinds.map(|ops| (seed, ops))) {
            let mut random = Random::new(seed);
            let mut pool = Pool::plain();
            let mut maker = TermMaker::new(&mut pool, &mut random);
            for i in 0..150 {
                maker.operation(&mut pool, &mut random, ops[i % ops.len()]);
                maker.table(&mut pool, &mut random);
            }
            for _ in 0..40 {
                let (roots, values) = satisfied(&mut pool, &mut maker, &mut random);
                if contradiction(&Tape::new(&pool, &roots, &mut Scratch::default())) {
                    let shown = roots.iter();
                    let shown = shown.map(|&root| crate::testing::show(&pool, root, &values));
                    panic!("seed {seed}: {}", shown.collect::<Vec<_>>().join("\n"));
                }
                asked += roots.len();
            }
        }
        assert!(asked > 8000, "{asked}");
    }

    const CONDITIONS: [Op; 11] = [
        Op::Eq,
        Op::Ult,
        Op::Ule,
        Op::Slt,
        Op::Sle,
        Op::And,
        Op::Or,
        Op::FEq,
        Op::FLt,
        Op::FLe,
        Op::FUno,
    ];

    /// Conditions that hold under one assignment, and that.
    fn satisfied(
        pool: &mut Pool,
        maker: &mut TermMaker,
        random: &mut Random,
    ) -> (Vec<crate::Term>, crate::Assignment) {
        let assignment = maker.assignment(random);
        let mut roots = Vec::new();
        for _ in 0..6 {
            let op = random.pick(&CONDITIONS);
            let mut root = maker.operation(pool, random, op);
            if pool.width(root) != 1 {
                continue;
            }
            if crate::eval(pool, root, &assignment) == 0 {
                root = pool.not(root);
            }
            roots.push(root);
        }
        (roots, assignment)
    }

    #[test]
    fn disjoint_ranges_and_bits_are_contradictions() {
        let mut pool = Pool::plain();
        let mut scratch = Scratch::default();
        let x = pool.var(Var(0), 8);
        let wide = pool.zext(x, 32);
        let (nine, ten, three_hundred) = (
            pool.constant(32, 9),
            pool.constant(32, 10),
            pool.constant(32, 300),
        );
        let less = pool.cmp(Op::Ult, wide, nine);
        let more = pool.cmp(Op::Ule, ten, wide);
        let large = pool.eq(wide, three_hundred);
        let mut check =
            |roots: &[crate::Term]| contradiction(&Tape::new(&pool, roots, &mut scratch));
        assert!(check(&[less, more]));
        assert!(check(&[large]));
        assert!(!check(&[less]));
    }

    /// What two digits are worth as a float, each condition decided by their range; false ones are contradictions.
    #[test]
    fn floats_made_of_digits_have_their_range() {
        let mut pool = Pool::plain();
        let digit = |pool: &mut Pool, var| {
            let (byte, zero, nine) = (
                pool.var(Var(var), 8),
                pool.constant(8, u128::from(b'0')),
                pool.constant(8, u128::from(b'9')),
            );
            let within = [pool.cmp(Op::Ule, zero, byte), pool.cmp(Op::Ule, byte, nine)];
            let (wide, zero) = (pool.zext(byte, 32), pool.constant(32, u128::from(b'0')));
            let value = pool.bin(Op::Sub, wide, zero);
            (pool.apply(Op::SToF, 64, 0, &[value]), within)
        };
        let number = |pool: &mut Pool, value: f64| pool.constant(64, crate::float(64, value));
        let ((high, first), (low, second)) = (digit(&mut pool, 0), digit(&mut pool, 1));
        let (ten, half) = (number(&mut pool, 10.0), number(&mut pool, 0.5));
        let tens = pool.bin(Op::FMul, high, ten);
        let value = pool.bin(Op::FAdd, tens, low);
        let halved = pool.bin(Op::FMul, value, half);
        let negated = pool.un(Op::FNeg, halved);
        let difference = pool.bin(Op::FSub, low, ten);
        let whole = pool.apply(Op::FToS, 32, 0, &[halved]);
        let of = |pool: &mut Pool, op, a, b: f64| {
            let b = number(pool, b);
            pool.cmp(op, a, b)
        };
        let contradictions = [
            of(&mut pool, Op::FLt, value, 0.0),
            of(&mut pool, Op::FLt, halved, -2_147_483_648.0),
            of(&mut pool, Op::FEq, value, 99.5),
            of(&mut pool, Op::FUno, value, 1.0),
            {
                let least = number(&mut pool, 49.5);
                pool.cmp(Op::FLt, least, halved)
            },
            {
                let fifty = pool.constant(32, 50);
                pool.cmp(Op::Sle, fifty, whole)
            },
            {
                let zero = number(&mut pool, 0.0);
                pool.cmp(Op::FLt, zero, negated)
            },
            {
                let zero = number(&mut pool, 0.0);
                pool.cmp(Op::FLe, zero, difference)
            },
            pool.extract(halved, 63, 1),
        ];
        let contradictory = |pool: &Pool, more: Term| {
            let roots = [&first[..], &second[..], &[more]].concat();
            contradiction(&Tape::new(pool, &roots, &mut Scratch::default()))
        };
        for (index, goal) in contradictions.into_iter().enumerate() {
            assert!(contradictory(&pool, goal), "{index}: {}", pool.show(goal));
            let other = pool.not(goal);
            assert!(
                !contradictory(&pool, other),
                "{index}: {}",
                pool.show(other)
            );
        }
        // What is possible is not a contradiction.
        for (op, b) in [(Op::FEq, 57.0), (Op::FLe, 0.0), (Op::FEq, -0.0)] {
            let goal = of(&mut pool, op, value, b);
            assert!(!contradictory(&pool, goal), "{}", pool.show(goal));
        }
    }

    /// Zero times infinity, and infinities that cancel out.
    #[test]
    fn intervals_with_infinity_hide_no_nan() {
        let mut pool = Pool::plain();
        let [x, y, z] = [0, 1, 2].map(|var| pool.var(Var(var), 64));
        let (one, minus) = (
            pool.constant(64, crate::float(64, 1.0)),
            pool.constant(64, crate::float(64, -1.0)),
        );
        let around_zero = [pool.cmp(Op::FLe, minus, x), pool.cmp(Op::FLe, x, one)];
        let (positive, negative) = (pool.cmp(Op::FLe, one, y), pool.cmp(Op::FLe, z, minus));
        let results = [
            pool.bin(Op::FMul, x, y),
            pool.bin(Op::FMul, y, x),
            pool.bin(Op::FAdd, y, z),
            pool.bin(Op::FSub, y, y),
            pool.bin(Op::FDiv, y, z),
        ];
        for result in results {
            let is_nan = pool.cmp(Op::FUno, result, one);
            let roots = [&around_zero[..], &[positive, negative, is_nan]].concat();
            assert!(!contradiction(&Tape::new(
                &pool,
                &roots,
                &mut Scratch::default()
            )));
        }
    }
}
