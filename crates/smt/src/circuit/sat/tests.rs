//! The solver against all assignments.

use super::*;
use crate::testing::Random;

/// Gates of all kinds over some inputs, and some of them, or of their complements.
struct Circuit {
    gates: Gates,
    inputs: Vec<Bit>,
    roots: Vec<Bit>,
}

impl Circuit {
    fn random(random: &mut Random, inputs: usize, gates: usize, roots: usize) -> Circuit {
        let mut all = Gates::new();
        let inputs: Vec<Bit> = (0..inputs)
            .map(|_| all.input(random.below(2) == 1))
            .collect();
        let mut bits = inputs.clone();
        let pick = |random: &mut Random, bits: &[Bit]| {
            let bit = random.pick(bits);
            if random.below(2) == 1 { !bit } else { bit }
        };
        for _ in 0..gates {
            let [a, b, c] = [(); 3].map(|()| pick(random, &bits));
            bits.push(match random.below(4) {
                0 => all.and(a, b),
                1 => all.xor(a, b),
                2 => all.choice(a, b, c),
                _ => all.majority(a, b, c),
            });
        }
        let last = &bits[bits.len() - bits.len().min(3 * roots)..];
        let roots = (0..roots).map(|_| pick(random, last)).collect();
        Circuit {
            gates: all,
            inputs,
            roots,
        }
    }

    /// Whether all roots are 1, where the inputs are the bits of a number.
    fn holds(&self, number: u32) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.gates.len());
        let mut inputs = 0;
        for gate in 0..self.gates.len() as u32 {
            let of = |bit: Bit| values[bit.gate() as usize] ^ bit.is_complement();
            let value = match self.gates.gate(gate) {
                Gate::Zero => false,
                Gate::Input => {
                    inputs += 1;
                    number >> (inputs - 1) & 1 == 1
                }
                Gate::And(a, b) => of(a) & of(b),
                Gate::Xor(a, b) => of(a) ^ of(b),
                Gate::Choice(s, a, b) => of(if of(s) { a } else { b }),
                Gate::Majority(a, b, c) => of(a) & of(b) | of(a) & of(c) | of(b) & of(c),
            };
            values.push(value);
        }
        let mut roots = self.roots.iter();
        roots.all(|root| values[root.gate() as usize] ^ root.is_complement())
    }

    fn solve(&self, inputs: &[&[Bit]], conflicts: u64) -> Answer {
        solve(&self.gates, &self.roots, inputs, conflicts, &|| false)
    }

    fn found(&self, model: &Model) -> u32 {
        let bits = self.inputs.iter().enumerate();
        bits.fold(0, |number, (at, &bit)| {
            number | u32::from(model.value(&self.gates, bit)) << at
        })
    }
}

#[test]
fn answers_are_those_of_all_assignments() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let inputs = 1 + random.below(10);
        let gates = 1 + random.below(60);
        let roots = 1 + random.below(12);
        let circuit = Circuit::random(&mut random, inputs, gates, roots);
        let can_hold = (0..1 << inputs).any(|number| circuit.holds(number));
        match circuit.solve(&[], u64::MAX) {
            Answer::Sat(model) => {
                assert!(circuit.holds(circuit.found(&model)), "seed {seed}");
                sat += 1;
            }
            Answer::Unsat => {
                assert!(!can_hold, "seed {seed}");
                unsat += 1;
            }
            Answer::Spent => panic!("seed {seed}"),
        }
    }
    assert!(sat > 300 && unsat > 300, "{sat}, {unsat}");
}

/// Fewer inputs differ from the hint, each try is enough here, and none of those that differ can be put back alone.
#[test]
fn no_input_differs_that_need_not() {
    let mut differing = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let inputs = 2 + random.below(9);
        let roots = 1 + random.below(3);
        let circuit = Circuit::random(&mut random, inputs, 30, roots);
        let each: Vec<&[Bit]> = circuit.inputs.chunks(1).collect();
        let Answer::Sat(model) = circuit.solve(&each, u64::MAX) else {
            continue;
        };
        let found = circuit.found(&model);
        assert!(circuit.holds(found), "seed {seed}");
        for (at, &input) in circuit.inputs.iter().enumerate() {
            if model.value(&circuit.gates, input) != circuit.gates.value(input) {
                assert!(!circuit.holds(found ^ 1 << at), "seed {seed}: input {at}");
                differing += 1;
            }
        }
    }
    assert!(differing > 300, "{differing}");
}

/// Every pigeon has a hole of its own, and there is one hole too few: no short proof, so that clauses are forgotten on the way.
#[test]
fn what_is_forgotten_changes_no_answer() {
    for (pigeons, holes) in [(9, 8), (9, 9)] {
        let mut gates = Gates::new();
        let inside: Vec<Vec<Bit>> = (0..pigeons)
            .map(|_| (0..holes).map(|_| gates.input(false)).collect())
            .collect();
        let mut roots = Vec::new();
        for pigeon in &inside {
            roots.push(
                pigeon
                    .iter()
                    .fold(Bit::FALSE, |any, &bit| gates.or(any, bit)),
            );
        }
        for hole in 0..holes {
            for (place, a) in inside.iter().enumerate() {
                for b in &inside[..place] {
                    roots.push(!gates.and(a[hole], b[hole]));
                }
            }
        }
        let needed = Needed::by(&gates, &roots);
        let mut solver = Solver::new(&gates, &needed, &|| false);
        assert!(roots.iter().all(|&root| solver.must(needed.literal(root))));
        let found = solver.search(&[], u64::MAX);
        if pigeons > holes {
            assert_eq!(found, Found::Nothing);
            assert!(solver.most_learned > MOST_LEARNED, "{}", solver.learned);
        } else {
            assert_eq!(found, Found::Model);
        }
    }
}

/// One solver is asked with other assumptions again and again.
#[test]
fn assumptions_hold_for_one_search() {
    let mut found = [0; 2];
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let circuit = Circuit::random(&mut random, 8, 40, 4);
        let needed = Needed::by(&circuit.gates, &circuit.roots);
        let mut solver = Solver::new(&circuit.gates, &needed, &|| false);
        let roots = circuit.roots.iter().filter(|root| root.known().is_none());
        let can_hold = roots.clone().all(|&root| solver.must(needed.literal(root)));
        let is_false = circuit.roots.iter().any(|root| root.known() == Some(false));
        if !can_hold || is_false || solver.search(&[], u64::MAX) != Found::Model {
            continue;
        }
        let mut assumed: Vec<(usize, bool)> = Vec::new();
        for _ in 0..30 {
            assumed.truncate(random.below(4));
            assumed.push((random.below(8), random.below(2) == 1));
            let lits: Vec<Lit> = (assumed.iter())
                .filter(|(at, _)| needed.has(circuit.inputs[*at]))
                .map(|&(at, value)| {
                    let bit = circuit.inputs[at];
                    needed.literal(if value { bit } else { !bit })
                })
                .collect();
            let agrees = |number: u32| {
                (assumed.iter()).all(|&(at, value)| {
                    !needed.has(circuit.inputs[at]) || (number >> at & 1 == 1) == value
                })
            };
            let expected = (0..256).any(|number| agrees(number) && circuit.holds(number));
            let answer = solver.search(&lits, u64::MAX);
            assert_eq!(answer == Found::Model, expected, "seed {seed}: {assumed:?}");
            if expected {
                assert!(
                    lits.iter()
                        .all(|lit| solver.model[lit.variable()] != lit.is_negated())
                );
            }
            found[usize::from(expected)] += 1;
        }
    }
    assert!(found.iter().all(|&count| count > 300), "{found:?}");
}

#[test]
fn lubys_sequence() {
    let first: Vec<u64> = (1..=15).map(luby).collect();
    assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
}
