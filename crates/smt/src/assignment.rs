//! Assignments: values of variables.
//!
//! Entries are sorted by variable; a variable without an entry has the value 0. Clones share their entries until
//! one of them changes.

use std::sync::Arc;

use crate::Var;

/// Values of variables; a missing one is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    entries: Arc<Vec<(Var, u128)>>,
}

impl Assignment {
    /// No entries: everything is 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `var`, 0 if there is no entry.
    #[must_use]
    pub fn get(&self, var: Var) -> u128 {
        self.entry(var).unwrap_or(0)
    }

    /// The entry of `var`, if there is one.
    #[must_use]
    pub fn entry(&self, var: Var) -> Option<u128> {
        self.entries
            .binary_search_by_key(&var, |e| e.0)
            .ok()
            .map(|i| self.entries[i].1)
    }

    /// Sets `var`. The value must fit the variable's width.
    pub fn set(&mut self, var: Var, value: u128) {
        match self.entries.binary_search_by_key(&var, |e| e.0) {
            Ok(i) if self.entries[i].1 == value => {}
            Ok(i) => Arc::make_mut(&mut self.entries)[i].1 = value,
            Err(i) => Arc::make_mut(&mut self.entries).insert(i, (var, value)),
        }
    }

    /// The entries, sorted by variable.
    pub fn iter(&self) -> impl Iterator<Item = (Var, u128)> + '_ {
        self.entries.iter().copied()
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl FromIterator<(Var, u128)> for Assignment {
    /// The last value of a variable wins.
    fn from_iter<I: IntoIterator<Item = (Var, u128)>>(iter: I) -> Self {
        let mut entries: Vec<(Var, u128)> = iter.into_iter().collect();
        entries.sort_by_key(|e| e.0);
        entries.reverse();
        entries.dedup_by_key(|e| e.0);
        entries.reverse();
        Self {
            entries: Arc::new(entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_value_wins_and_missing_is_zero() {
        let mut a: Assignment = [(Var(3), 1), (Var(1), 7), (Var(3), 2)]
            .into_iter()
            .collect();
        assert_eq!(a.iter().collect::<Vec<_>>(), vec![(Var(1), 7), (Var(3), 2)]);
        assert_eq!(
            (a.get(Var(3)), a.get(Var(9)), a.entry(Var(9))),
            (2, 0, None)
        );
        let b = a.clone();
        a.set(Var(2), 5);
        assert_eq!((a.len(), b.len()), (3, 2));
    }
}
