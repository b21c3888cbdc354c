//! Entities: `u32` newtypes as indices, [`PrimaryMap`] to own what they name, [`SecondaryMap`] to annotate it.
//!
//! Invariants:
//! - an entity prints exactly as it stands in the text form (`block3`);
//! - a `PrimaryMap` only grows, and hands out its keys itself, so a key is never dangling in the map it came from;
//! - a `SecondaryMap` has a value for every key: the default, unless another was put there.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into a [`PrimaryMap`].
pub trait Entity: Copy + Eq + Ord + fmt::Debug + fmt::Display {
    /// What stands before the number in the text form.
    const PREFIX: &'static str;
    /// The entity with this number.
    ///
    /// # Panics
    /// When the number does not fit in 32 bits.
    fn new(index: usize) -> Self;
    /// Its number.
    fn index(self) -> usize;
}

/// Declares an entity: a documented newtype over `u32` and its prefix in the text form.
#[macro_export]
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The entity with this number.
            #[must_use]
            pub const fn from_u32(number: u32) -> Self {
                Self(number)
            }

            /// The number of the entity.
            #[must_use]
            pub const fn as_u32(self) -> u32 {
                self.0
            }

            /// The number of the entity, to index with.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The entity `count` after this one.
            #[must_use]
            pub const fn plus(self, count: u32) -> Self {
                Self(self.0 + count)
            }
        }

        impl $crate::entity::Entity for $name {
            const PREFIX: &'static str = $prefix;

            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("entity number fits in 32 bits"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Owns the values that `K` names, in the order in which they were made.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PrimaryMap<K, V> {
    values: Vec<V>,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V> PrimaryMap<K, V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            values: Vec::new(),
            key: PhantomData,
        }
    }

    /// Adds a value and returns its key.
    pub fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        self.values.push(value);
        key
    }

    /// The key that the next [`push`](Self::push) returns.
    #[must_use]
    pub fn next_key(&self) -> K {
        K::new(self.values.len())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether `key` names a value here.
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        key.index() < self.values.len()
    }

    /// The value, if `key` names one.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.index())
    }

    /// The value, if `key` names one.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values.get_mut(key.index())
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.values.len()).map(K::new)
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// All values, in the order of their keys.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// Keys with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values
            .iter()
            .enumerate()
            .map(|(index, value)| (K::new(index), value))
    }

    /// Keys with their values, in order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> + ExactSizeIterator {
        self.values
            .iter_mut()
            .enumerate()
            .map(|(index, value)| (K::new(index), value))
    }
}

impl<K: Entity, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.values[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.index()]
    }
}

impl<K: Entity, V> FromIterator<V> for PrimaryMap<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self {
            values: values.into_iter().collect(),
            key: PhantomData,
        }
    }
}

impl<K: Entity, V: fmt::Debug> fmt::Debug for PrimaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Annotates entities that some [`PrimaryMap`] owns.
#[derive(Clone)]
pub struct SecondaryMap<K, V> {
    values: Vec<V>,
    default: V,
    key: PhantomData<fn(K) -> K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// A map in which every key has the value `V::default()`.
    #[must_use]
    pub fn new() -> Self
    where
        V: Default,
    {
        Self::with_default(V::default())
    }

    /// A map in which every key has this value.
    #[must_use]
    pub const fn with_default(default: V) -> Self {
        Self {
            values: Vec::new(),
            default,
            key: PhantomData,
        }
    }

    /// Like [`with_default`](Self::with_default), with room for the keys of `owner`.
    #[must_use]
    pub fn for_map<T>(owner: &PrimaryMap<K, T>, default: V) -> Self {
        Self {
            values: vec![default.clone(); owner.len()],
            default,
            key: PhantomData,
        }
    }

    /// Makes every value the default again.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Keys up to the last one that was written, with their values.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values
            .iter()
            .enumerate()
            .map(|(index, value)| (K::new(index), value))
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index >= self.values.len() {
            self.values.resize(index + 1, self.default.clone());
        }
        &mut self.values[index]
    }
}

impl<K: Entity, V: Clone + fmt::Debug> fmt::Debug for SecondaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::entity!(Thing, "thing");

    #[test]
    fn keys_print_as_in_the_text_form() {
        let thing = Thing::from_u32(5).plus(2);
        assert_eq!((thing.to_string(), thing.index()), ("thing7".to_owned(), 7));
        assert_eq!(format!("{:?}", Thing::from_u32(7)), "thing7");
    }

    #[test]
    fn a_primary_map_hands_out_its_keys_in_order() {
        let mut map: PrimaryMap<Thing, &str> = PrimaryMap::new();
        let (a, next) = (map.push("a"), map.next_key());
        let b = map.push("b");
        assert_eq!((a.as_u32(), b), (0, next));
        assert_eq!(
            map.iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect::<Vec<_>>(),
            ["thing0=a", "thing1=b"]
        );
        assert_eq!(
            (map[b], map.get(Thing::from_u32(2)), map.contains(b)),
            ("b", None, true)
        );
    }

    #[test]
    fn a_secondary_map_has_a_value_for_every_key() {
        let mut map: SecondaryMap<Thing, u8> = SecondaryMap::with_default(9);
        map[Thing::from_u32(2)] = 1;
        assert_eq!(
            [0, 2, 100].map(|number| map[Thing::from_u32(number)]),
            [9, 1, 9]
        );
        map.clear();
        assert_eq!(map[Thing::from_u32(2)], 9);
    }
}
