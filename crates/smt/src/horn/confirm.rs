//! Answers about Horn clauses, confirmed clause by clause.

use super::{Application, Clause, Fact, Predicate, System};
use crate::check::{Check, Checker, Steps, Verdict, Why};
use crate::{Assignment, Op, Pool, Term, eval};

/// Ways to choose facts for a body that are tried.
const MOST_WAYS: usize = 10_000;

/// Each clause keeps the invariants: if those of its body and the constraint hold, that of its head holds.
pub(super) fn invariants(
    mut checker: Checker,
    pool: &mut Pool,
    system: &System,
    invariants: &[Term],
    budget: Steps,
) -> Result<(), Why> {
    if !system.fits(pool, invariants) {
        return Err(Why::NotConfirmed("invariants of another system".to_owned()));
    }
    for number in 0..system.clauses().len() {
        let all = system.broken(pool, invariants, number);
        let check = Check {
            budget,
            ..Check::new(&all)
        };
        match checker.check(pool, &check) {
            Verdict::Unsat(_) => {}
            Verdict::Sat(_) => {
                let what = format!("clause {number} does not keep the invariants");
                return Err(Why::NotConfirmed(what));
            }
            Verdict::Unknown(why) => return Err(why),
        }
    }
    Ok(())
}

/// Finds for each fact, and then for the bad thing, a clause and earlier facts that it follows from.
pub(super) fn derivation(
    mut checker: Checker,
    pool: &mut Pool,
    system: &System,
    facts: Vec<(Predicate, Vec<u128>)>,
    budget: Steps,
) -> Result<Vec<Fact>, Why> {
    let mut known: Vec<Fact> = Vec::new();
    let facts = facts
        .into_iter()
        .map(|(predicate, values)| (Some(predicate), values));
    for (predicate, values) in facts.chain([(None, Vec::new())]) {
        let same = |fact: &Fact| fact.predicate == predicate && fact.values == values;
        if known.iter().any(same) {
            continue;
        }
        let fact = follows(
            &mut checker,
            pool,
            system,
            &known,
            (predicate, &values),
            budget,
        )?;
        known.push(fact);
    }
    Ok(known)
}

fn follows(
    checker: &mut Checker,
    pool: &mut Pool,
    system: &System,
    known: &[Fact],
    (predicate, values): (Option<Predicate>, &[u128]),
    budget: Steps,
) -> Result<Fact, Why> {
    let heads = |clause: &Clause| clause.head.as_ref().map(|head| head.predicate) == predicate;
    let clauses = system.clauses().iter().enumerate();
    for (number, clause) in clauses.filter(|(_, clause)| heads(clause)) {
        for from in ways(clause, known) {
            let mut all = vec![clause.constraint];
            for (application, &fact) in clause.body.iter().zip(&from) {
                all.extend(equal(pool, application, &known[fact].values));
            }
            if let Some(head) = &clause.head {
                all.extend(equal(pool, head, values));
            }
            let check = Check {
                budget,
                ..Check::new(&all)
            };
            match checker.check(pool, &check) {
                Verdict::Sat(under) => {
                    debug_assert!(all.iter().all(|&term| eval(pool, term, &under) == 1));
                    return Ok(Fact {
                        predicate,
                        values: values.to_vec(),
                        clause: number,
                        from,
                        under: only(pool, &all, &under),
                    });
                }
                Verdict::Unsat(_) => {}
                Verdict::Unknown(why) => return Err(why),
            }
        }
    }
    let what = predicate.map_or("the end".to_owned(), |predicate| predicate.to_string());
    Err(Why::NotConfirmed(format!(
        "{what} of {values:?} does not follow"
    )))
}

/// The facts that a body may be true of, the latest first.
fn ways(clause: &Clause, known: &[Fact]) -> Vec<Vec<usize>> {
    let mut ways = vec![Vec::new()];
    for application in &clause.body {
        let facts = known.iter().enumerate().rev();
        let fitting = facts.filter(|(_, fact)| fact.predicate == Some(application.predicate));
        let fitting: Vec<usize> = fitting.map(|(place, _)| place).collect();
        let longer = ways.iter().flat_map(|way| {
            let add = |&place: &usize| [way.as_slice(), &[place]].concat();
            fitting.iter().map(add)
        });
        ways = longer.take(MOST_WAYS).collect();
    }
    ways
}

fn equal(pool: &mut Pool, application: &Application, values: &[u128]) -> Vec<Term> {
    let pairs = application.arguments.iter().zip(values);
    pairs
        .map(|(&term, &value)| {
            let value = pool.constant(pool.width(term), value);
            pool.bin(Op::Eq, term, value)
        })
        .collect()
}

/// The values of the variables that the terms speak of.
fn only(pool: &Pool, terms: &[Term], under: &Assignment) -> Assignment {
    let vars = terms.iter().flat_map(|&term| pool.vars(term));
    vars.map(|var| (var, under.get(var))).collect()
}
