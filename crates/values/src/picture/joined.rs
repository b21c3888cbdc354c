//! Fewer states that say the same.

use std::collections::{BTreeSet, HashMap};

use hashbrown::HashTable;

use super::{Known, Spot};
use crate::num::{MOST, Num};
use crate::value::Value;

/// States of one place. Those that say the same of all but one number are one state, which has all that any of them has: a block that is
/// reached with each of six numbers in one cell and each of three in another needs one state in place of eighteen.
pub fn joined(states: Vec<Known>) -> Vec<Known> {
    if states.len() < 2 {
        return states;
    }
    let mut table = Table::new(states);
    for column in 0..table.spots.len() {
        table.join_by(column);
    }
    let mut seen = BTreeSet::new();
    let rows = table.rows.iter().filter(|row| seen.insert(&row.says));
    rows.map(|row| table.state(&row.says)).collect()
}

/// What a state says of one number, or of how numbers compare.
enum Says {
    Nothing,
    Is(Value),
    Pairs(Pairs),
}

/// How numbers compare, as a state says it.
type Pairs = Vec<((Spot, Spot), Vec<u8>)>;

/// What a state says of each number of [`Table::spots`], and of pairs at its end, by index in [`Table::all`].
struct Row {
    says: Vec<usize>,
    /// The exclusive or of what [`hash`] makes of each column: so a row without a column has its hash at once.
    hash: u64,
}

impl Row {
    fn new(says: Vec<usize>) -> Row {
        let all = says.iter().enumerate();
        let hash = all.fold(0, |sum, (column, one)| sum ^ hash(column, *one));
        Row { says, hash }
    }

    fn hash_without(&self, column: usize) -> u64 {
        self.hash ^ hash(column, self.says[column])
    }

    fn is_like_without(&self, other: &Row, column: usize) -> bool {
        let (own, others) = (&self.says, &other.says);
        own[..column] == others[..column] && own[column + 1..] == others[column + 1..]
    }

    fn set(&mut self, column: usize, says: usize) {
        self.hash = self.hash_without(column) ^ hash(column, says);
        self.says[column] = says;
    }
}

/// Of what a column says: the last step of splitmix64.
fn hash(column: usize, says: usize) -> u64 {
    let mut word = ((column as u64) << 32 | says as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// States, row by row.
struct Table {
    spots: Vec<Spot>,
    rows: Vec<Row>,
    all: Vec<Says>,
    /// Where integers stand.
    numbers: HashMap<Num, usize>,
    pairs: HashMap<Pairs, usize>,
}

impl Table {
    fn new(states: Vec<Known>) -> Table {
        let spots = states.iter().flat_map(|state| {
            let cells = state.cells.iter().map(|(cell, _)| Spot::Cell(*cell));
            let values = state.values.iter().map(|(value, _)| Spot::Value(*value));
            cells.chain(values)
        });
        let spots: BTreeSet<Spot> = spots.collect();
        let mut table = Table {
            spots: spots.into_iter().collect(),
            rows: Vec::new(),
            all: vec![Says::Nothing],
            numbers: HashMap::new(),
            pairs: HashMap::new(),
        };
        for state in states {
            let mut row = vec![0; table.spots.len()];
            let cells = state.cells.into_iter();
            let cells = cells.map(|(cell, value)| (Spot::Cell(cell), value));
            let values = state.values.into_iter();
            let values = values.map(|(id, value)| (Spot::Value(id), value));
            for (spot, value) in cells.chain(values) {
                if let Ok(at) = table.spots.binary_search(&spot) {
                    row[at] = table.index(value);
                }
            }
            row.push(table.index_of_pairs(state.pairs));
            table.rows.push(Row::new(row));
        }
        table
    }

    fn index(&mut self, value: Value) -> usize {
        let next = self.all.len();
        let found = match &value {
            Value::Num(num) => *self.numbers.entry(num.clone()).or_insert(next),
            // Few, as a rule.
            other => {
                let is_it = |says: &Says| matches!(says, Says::Is(own) if own == other);
                self.all.iter().position(is_it).unwrap_or(next)
            }
        };
        if found == next {
            self.all.push(Says::Is(value));
        }
        found
    }

    fn index_of_pairs(&mut self, pairs: Pairs) -> usize {
        let next = self.all.len();
        let found = *self.pairs.entry(pairs.clone()).or_insert(next);
        if found == next {
            self.all.push(Says::Pairs(pairs));
        }
        found
    }

    /// Joins rows that differ in one column.
    fn join_by(&mut self, column: usize) {
        let mut alike: HashTable<usize> = HashTable::new();
        let mut joined: Vec<(Row, u32, BTreeSet<u128>)> = Vec::new();
        let mut rows = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            let Some((bits, own)) = self.numbers(row.says[column]) else {
                rows.push(row);
                continue;
            };
            let is_like = |at: &usize| joined[*at].0.is_like_without(&row, column);
            match alike.find(row.hash_without(column), is_like) {
                None => {
                    let others = |at: &usize| joined[*at].0.hash_without(column);
                    alike.insert_unique(row.hash_without(column), joined.len(), others);
                    joined.push((row, bits, own.iter().copied().collect()));
                }
                Some(at) => {
                    let (_, width, all) = &mut joined[*at];
                    if *width == bits && all.len() + own.len() <= MOST {
                        all.extend(own);
                    } else {
                        rows.push(row);
                    }
                }
            }
        }
        for (mut row, bits, all) in joined {
            row.set(column, self.index(Value::Num(Num::list(bits, all))));
            rows.push(row);
        }
        self.rows = rows;
    }

    /// The integers that something is, and their bits.
    fn numbers(&self, at: usize) -> Option<(u32, &[u128])> {
        match &self.all[at] {
            Says::Is(Value::Num(num)) => Some((num.bits(), num.values()?)),
            _ => None,
        }
    }

    fn state(&self, row: &[usize]) -> Known {
        let mut state = Known::default();
        for (spot, says) in self.spots.iter().zip(row) {
            match (*spot, &self.all[*says]) {
                (Spot::Cell(cell), Says::Is(value)) => state.cells.push((cell, value.clone())),
                (Spot::Value(id), Says::Is(value)) => state.values.push((id, value.clone())),
                _ => {}
            }
        }
        if let Some(Says::Pairs(pairs)) = row.last().map(|says| &self.all[*says]) {
            state.pairs.clone_from(pairs);
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use program::ValueId;

    use super::*;

    fn state(cells: &[(usize, &[u128])], values: &[(u32, u128)]) -> Known {
        let num = |all: &[u128]| Value::Num(Num::list(32, all.iter().copied()));
        Known {
            cells: cells.iter().map(|(at, all)| (*at, num(all))).collect(),
            values: values
                .iter()
                .map(|(id, one)| (ValueId::from_u32(*id), num(&[*one])))
                .collect(),
            pairs: Vec::new(),
        }
    }

    fn check(states: &[Known], expected: &[Known]) {
        let found = joined(states.to_vec());
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(expected.iter().all(|one| found.contains(one)), "{found:?}");
    }

    #[test]
    fn a_product_is_one_state() {
        let mut product = Vec::new();
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            product.push(state(&[(0, &[a]), (1, &[b])], &[(4, 7)]));
        }
        check(
            &product,
            &[state(&[(0, &[0, 1, 2]), (1, &[0, 1])], &[(4, 7)])],
        );
        // Without one of them it is none.
        product.pop();
        let first = state(&[(0, &[0, 1, 2]), (1, &[0])], &[(4, 7)]);
        let second = state(&[(0, &[0, 1]), (1, &[1])], &[(4, 7)]);
        check(&product, &[first, second]);
    }

    #[test]
    fn states_that_differ_in_more_stay() {
        let two = [
            state(&[(0, &[0]), (1, &[0])], &[]),
            state(&[(0, &[1]), (1, &[1])], &[]),
        ];
        check(&two, &two);
        // Nothing is not anything.
        let two = [state(&[(0, &[0])], &[]), state(&[], &[])];
        check(&two, &two);
        let two = [state(&[], &[(1, 5)]), state(&[], &[(2, 5)])];
        check(&two, &two);
    }

    #[test]
    fn a_set_has_so_many_numbers_at_most() {
        let most = MOST as u128;
        let all: Vec<Known> = (0..most + 2)
            .map(|one| state(&[(0, &[one])], &[]))
            .collect();
        let first: Vec<u128> = (0..most).collect();
        let expected = [
            state(&[(0, &first)], &[]),
            state(&[(0, &[most])], &[]),
            state(&[(0, &[most + 1])], &[]),
        ];
        check(&all, &expected);
    }

    #[test]
    fn the_same_is_said_once() {
        let one = state(&[(0, &[3])], &[(1, 4)]);
        check(&[one.clone(), one.clone()], &[one]);
        check(&[Known::default(), Known::default()], &[Known::default()]);
    }
}
