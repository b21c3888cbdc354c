//! Z3's text, read back: invariants as terms, derivations as facts.
//!
//! What must hold: whatever is not understood is `None`; nothing here recurses deeper than [`DEEPEST`]. What is read is confirmed
//! by others, so a mistake here costs an answer and never makes a wrong one.

use std::collections::BTreeMap;

use crate::horn::Predicate;
use crate::{Op, Pool, Term};

/// Nesting that is read.
const DEEPEST: usize = 400;

/// An expression in parentheses, or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Sexp {
    Word(String),
    List(Vec<Sexp>),
}

/// The one expression of a text.
fn parse(text: &str) -> Option<Sexp> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    for word in spaced.split_whitespace() {
        match word {
            "(" => open.push(Vec::new()),
            ")" => {
                let list = Sexp::List(open.pop()?);
                open.last_mut()?.push(list);
            }
            word => open.last_mut()?.push(Sexp::Word(word.to_owned())),
        }
        if open.len() > DEEPEST {
            return None;
        }
    }
    let [whole] = <[Vec<Sexp>; 1]>::try_from(open).ok()?;
    let [one] = <[Sexp; 1]>::try_from(whole).ok()?;
    Some(one)
}

impl Sexp {
    fn word(&self) -> Option<&str> {
        match self {
            Sexp::Word(word) => Some(word),
            Sexp::List(_) => None,
        }
    }

    fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::Word(_) => None,
            Sexp::List(list) => Some(list),
        }
    }

    /// The names that a `let` gives, and what they are given to.
    fn bindings(&self) -> Option<(Vec<(&str, &Sexp)>, &Sexp)> {
        let [head, bindings, body] = self.list()? else {
            return None;
        };
        if head.word() != Some("let") {
            return None;
        }
        let pairs = bindings.list()?.iter().map(|one| match one.list()? {
            [name, value] => Some((name.word()?, value)),
            _ => None,
        });
        Some((pairs.collect::<Option<Vec<_>>>()?, body))
    }
}

/// `#x1f`, `#b101`: width and value.
fn number(word: &str) -> Option<(u16, u128)> {
    let (digits, base, each) = match (word.strip_prefix("#x"), word.strip_prefix("#b")) {
        (Some(digits), _) => (digits, 16, 4),
        (_, Some(digits)) => (digits, 2, 1),
        _ => return None,
    };
    let bits = u16::try_from(digits.len() * each).ok()?;
    let value = u128::from_str_radix(digits, base).ok()?;
    (1..=128).contains(&bits).then_some((bits, value))
}

/// A formula over parameters, which Z3 writes as `(:var 0)` and so on.
pub(super) fn term(pool: &mut Pool, parameters: &BTreeMap<u32, Term>, text: &str) -> Option<Term> {
    let formula = parse(text)?;
    let mut reader = Reader {
        pool,
        parameters,
        names: Vec::new(),
    };
    let term = reader.term(&formula)?;
    (reader.pool.width(term) == 1).then_some(term)
}

struct Reader<'a> {
    pool: &'a mut Pool,
    parameters: &'a BTreeMap<u32, Term>,
    /// What `let` named; the last one counts.
    names: Vec<(String, Term)>,
}

impl Reader<'_> {
    fn term(&mut self, formula: &Sexp) -> Option<Term> {
        if let Some((pairs, body)) = formula.bindings() {
            let mut made = Vec::new();
            for (name, value) in pairs {
                made.push((name.to_owned(), self.term(value)?));
            }
            let before = self.names.len();
            self.names.extend(made);
            let term = self.term(body);
            self.names.truncate(before);
            return term;
        }
        match formula {
            Sexp::Word(word) => self.word(word),
            Sexp::List(list) => {
                let (head, rest) = list.split_first()?;
                if head.word() == Some(":var") {
                    let [number] = rest else { return None };
                    let number = number.word()?.parse().ok()?;
                    return self.parameters.get(&number).copied();
                }
                if let Some([under, name, numbers @ ..]) = head.list() {
                    let numbers: Option<Vec<u16>> = (numbers.iter())
                        .map(|number| number.word()?.parse().ok())
                        .collect();
                    let [operand] = rest else { return None };
                    let operand = self.term(operand)?;
                    return (under.word() == Some("_"))
                        .then(|| self.indexed(name.word()?, &numbers?, operand))
                        .flatten();
                }
                if head.word() == Some("_") {
                    return self.decimal(rest);
                }
                let operands: Option<Vec<Term>> = rest.iter().map(|one| self.term(one)).collect();
                self.apply(head.word()?, &operands?)
            }
        }
    }

    fn word(&mut self, word: &str) -> Option<Term> {
        match word {
            "true" => return Some(self.pool.bool(true)),
            "false" => return Some(self.pool.bool(false)),
            _ => {}
        }
        if let Some((bits, value)) = number(word) {
            return Some(self.pool.constant(bits, value));
        }
        let named = self.names.iter().rev().find(|(name, _)| name == word);
        named.map(|(_, term)| *term)
    }

    /// `(_ bv5 8)`.
    fn decimal(&mut self, words: &[Sexp]) -> Option<Term> {
        let [value, bits] = words else { return None };
        let value = value.word()?.strip_prefix("bv")?.parse().ok()?;
        let bits = bits
            .word()?
            .parse()
            .ok()
            .filter(|bits| (1..=128).contains(bits))?;
        Some(self.pool.constant(bits, value))
    }

    fn indexed(&mut self, name: &str, numbers: &[u16], operand: Term) -> Option<Term> {
        let width = self.pool.width(operand);
        match (name, numbers) {
            ("extract", &[high, low]) if low <= high && high < width => {
                Some(self.pool.extract(operand, low, high - low + 1))
            }
            ("zero_extend", &[more]) if width + more <= 128 => {
                Some(self.pool.zext(operand, width + more))
            }
            ("sign_extend", &[more]) if width + more <= 128 => {
                Some(self.pool.sext(operand, width + more))
            }
            _ => None,
        }
    }

    fn apply(&mut self, name: &str, operands: &[Term]) -> Option<Term> {
        let several = match name {
            "and" | "bvand" => Some(Op::And),
            "or" | "bvor" => Some(Op::Or),
            "bvxor" | "xor" => Some(Op::Xor),
            "bvadd" => Some(Op::Add),
            "bvmul" => Some(Op::Mul),
            "concat" => Some(Op::Concat),
            _ => None,
        };
        if let Some(op) = several {
            let (&first, rest) = operands.split_first()?;
            return rest
                .iter()
                .try_fold(first, |all, &next| self.two(op, all, next));
        }
        match (name, operands) {
            ("not" | "bvnot", &[a]) => Some(self.pool.not(a)),
            ("bvneg", &[a]) => Some(self.pool.un(Op::Neg, a)),
            ("ite", &[c, a, b]) => {
                let bits = self.pool.width(a);
                self.pool.try_apply(Op::Ite, bits, 0, &[c, a, b]).ok()
            }
            ("=>", &[a, b]) => {
                let not = self.pool.not(a);
                self.two(Op::Or, not, b)
            }
            ("distinct", &[a, b]) => {
                let equal = self.two(Op::Eq, a, b)?;
                Some(self.pool.not(equal))
            }
            (name, &[a, b]) => {
                let (op, swapped) = match name {
                    "=" => (Op::Eq, false),
                    "bvsub" => (Op::Sub, false),
                    "bvudiv" | "bvudiv_i" => (Op::UDiv, false),
                    "bvsdiv" | "bvsdiv_i" => (Op::SDiv, false),
                    "bvurem" | "bvurem_i" => (Op::URem, false),
                    "bvsrem" | "bvsrem_i" => (Op::SRem, false),
                    "bvshl" => (Op::Shl, false),
                    "bvlshr" => (Op::LShr, false),
                    "bvashr" => (Op::AShr, false),
                    "bvult" => (Op::Ult, false),
                    "bvule" => (Op::Ule, false),
                    "bvslt" => (Op::Slt, false),
                    "bvsle" => (Op::Sle, false),
                    "bvugt" => (Op::Ult, true),
                    "bvuge" => (Op::Ule, true),
                    "bvsgt" => (Op::Slt, true),
                    "bvsge" => (Op::Sle, true),
                    _ => return None,
                };
                if swapped {
                    self.two(op, b, a)
                } else {
                    self.two(op, a, b)
                }
            }
            _ => None,
        }
    }

    fn two(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let bits = match op {
            Op::Concat => self.pool.width(a) + self.pool.width(b),
            op if op.is_predicate() => 1,
            _ => self.pool.width(a),
        };
        self.pool.try_apply(op, bits, 0, &[a, b]).ok()
    }
}

/// The facts of a derivation, each after those that it follows from: the last member of each `hyper-res` step.
pub(super) fn facts(text: &str) -> Option<Vec<(Predicate, Vec<u128>)>> {
    let proof = parse(text)?;
    let mut found = Vec::new();
    steps(&proof, &mut found)?;
    Some(found)
}

fn steps(proof: &Sexp, found: &mut Vec<(Predicate, Vec<u128>)>) -> Option<()> {
    if let Some((pairs, body)) = proof.bindings() {
        // Parts that are named come before those that use them.
        for (_, value) in pairs {
            steps(value, found)?;
        }
        return steps(body, found);
    }
    let Sexp::List(list) = proof else {
        return Some(());
    };
    if list.first().and_then(Sexp::word) == Some("asserted") {
        return Some(());
    }
    for member in list {
        steps(member, found)?;
    }
    let head = list.first().and_then(Sexp::word);
    let number = head.and_then(|head| head.strip_prefix('p')?.parse().ok());
    if let Some(number) = number {
        let values = list[1..]
            .iter()
            .map(|one| Some(self::number(one.word()?)?.1));
        found.push((Predicate(number), values.collect::<Option<Vec<u128>>>()?));
    }
    // A predicate without parameters is a word.
    if head.is_none()
        && let Some(number) = list.last().and_then(Sexp::word)
        && let Some(number) = number.strip_prefix('p').and_then(|rest| rest.parse().ok())
    {
        found.push((Predicate(number), Vec::new()));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Var, eval};

    #[test]
    fn formulas_are_read_as_terms() {
        let mut pool = Pool::new();
        let parameters: BTreeMap<u32, Term> = [8, 8, 1]
            .into_iter()
            .zip(0..)
            .map(|(bits, at)| (at, pool.var(Var(at), bits)))
            .collect();
        // Each with values of the parameters, and whether it holds.
        for (text, values, expected) in [
            ("(bvule (:var 0) (:var 1))", [3, 4, 0], true),
            ("(not (bvuge (:var 0) #x04))", [4, 0, 0], false),
            (
                "(and true (= (:var 2) #b1) (distinct (:var 0) #x05))",
                [6, 0, 1],
                true,
            ),
            (
                "(let ((a!1 (bvadd (:var 0) #x01 (:var 1)))) (= a!1 #x00))",
                [250, 5, 0],
                true,
            ),
            ("(= ((_ extract 3 2) (:var 0)) #b10)", [0x38, 0, 0], true),
            (
                "(bvslt ((_ sign_extend 8) (:var 0)) (_ bv5 16))",
                [200, 0, 0],
                true,
            ),
            (
                "(=> (bvsgt (:var 0) (:var 1)) (bvult ((_ zero_extend 1) (:var 0)) (concat (:var 2) (:var 1))))",
                [2, 1, 1],
                true,
            ),
            (
                "(= (ite (= (:var 2) #b1) (bvmul (:var 0) #x03) (bvneg (:var 0))) #xfe)",
                [2, 0, 0],
                true,
            ),
            (
                "(or false (= (bvxor (:var 0) (bvnot (:var 1))) #xff))",
                [7, 7, 0],
                true,
            ),
            (
                "(= (bvsub (bvudiv (:var 0) #x03) (bvurem (:var 0) #x03)) (bvshl #x01 #x01))",
                [10, 0, 0],
                true,
            ),
        ] {
            let term = term(&mut pool, &parameters, text).unwrap_or_else(|| panic!("{text}"));
            let known = values
                .into_iter()
                .zip(0..)
                .map(|(value, at)| (Var(at), value));
            assert_eq!(eval(&pool, term, &known.collect()) == 1, expected, "{text}");
        }
        for text in [
            "",
            "(",
            ")",
            "(and",
            "(:var 9)",
            "(bvadd (:var 0) (:var 2))",
            "(:var 0)",
            "(foo (:var 0))",
            "(forall ((A Int)) true)",
            "true false",
            "((_ extract 9 0) (:var 0))",
        ] {
            assert_eq!(term(&mut pool, &parameters, text), None, "{text}");
        }
        let deep = "(not ".repeat(1000) + "true" + &")".repeat(1000);
        assert_eq!(term(&mut pool, &parameters, &deep), None);
    }

    #[test]
    fn derivations_are_read_from_their_leaves() {
        let text = "(mp ((_ hyper-res 0 0 0 1) (asserted (=> bad query!0)) ((_ hyper-res 0 0 0 1)
            (asserted (forall ((A (_ BitVec 8))) (=> (p0 A) (p1 A))))
            ((_ hyper-res 0 0) (asserted (forall ((A (_ BitVec 8))) (p0 A))) (p0 #x03)) (p1 #x04)) bad) query!0)";
        let expected = vec![(Predicate(0), vec![3]), (Predicate(1), vec![4])];
        assert_eq!(facts(text), Some(expected));
        assert_eq!(facts("(p0 x)"), None);
    }
}
