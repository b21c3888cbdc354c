//! A persistent map from numbers to values: a big-endian Patricia tree with shared nodes.
//!
//! Okasaki and Gill, "Fast Mergeable Integer Maps" (ML Workshop 1998). States of neighbouring program points share most of their
//! nodes, and a merge skips what is shared, so that joining two states costs what differs between them.
//!
//! Must hold:
//! - a map is never changed in place where another map shares its nodes;
//! - [`Map::merge`] gives back the first map's own nodes where nothing is new, so [`Map::is_same`] says "no change".

use std::rc::Rc;

/// A map from `u64` to `V`. Cheap to clone.
#[derive(Debug)]
pub struct Map<V>(Option<Rc<Node<V>>>);

#[derive(Debug)]
enum Node<V> {
    Leaf(u64, V),
    /// Keys agree above the bit; left has it clear, right has it set.
    Branch {
        prefix: u64,
        bit: u64,
        left: Rc<Node<V>>,
        right: Rc<Node<V>>,
    },
}

impl<V> Clone for Map<V> {
    fn clone(&self) -> Map<V> {
        Map(self.0.clone())
    }
}

impl<V> Default for Map<V> {
    fn default() -> Map<V> {
        Map(None)
    }
}

/// What a merge makes of a key that only one map has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Single {
    Keep,
    Drop,
}

fn mask(key: u64, bit: u64) -> u64 {
    key & !(bit | (bit - 1))
}

fn branch_bit(a: u64, b: u64) -> u64 {
    1 << (63 - (a ^ b).leading_zeros())
}

impl<V> Node<V> {
    /// Whether a key belongs to the right of a branch; nothing when it belongs to neither side.
    fn side(&self, key: u64) -> Option<bool> {
        match self {
            Node::Leaf(..) => None,
            Node::Branch { prefix, bit, .. } => {
                (mask(key, *bit) == *prefix).then_some(key & bit != 0)
            }
        }
    }

    fn prefix(&self) -> u64 {
        match self {
            Node::Leaf(key, _) => *key,
            Node::Branch { prefix, .. } => *prefix,
        }
    }
}

fn link<V>(a: Rc<Node<V>>, b: Rc<Node<V>>) -> Rc<Node<V>> {
    let (p, q) = (a.prefix(), b.prefix());
    let bit = branch_bit(p, q);
    let (left, right) = if p & bit == 0 { (a, b) } else { (b, a) };
    Rc::new(Node::Branch {
        prefix: mask(p, bit),
        bit,
        left,
        right,
    })
}

fn branch<V>(
    prefix: u64,
    bit: u64,
    left: Option<Rc<Node<V>>>,
    right: Option<Rc<Node<V>>>,
) -> Option<Rc<Node<V>>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(Rc::new(Node::Branch {
            prefix,
            bit,
            left,
            right,
        })),
        (one, None) | (None, one) => one,
    }
}

fn insert<V>(node: &Rc<Node<V>>, key: u64, value: V) -> Rc<Node<V>> {
    match &**node {
        Node::Leaf(own, _) if *own == key => Rc::new(Node::Leaf(key, value)),
        Node::Branch {
            prefix,
            bit,
            left,
            right,
        } if mask(key, *bit) == *prefix => {
            let (left, right) = if key & bit == 0 {
                (insert(left, key, value), Rc::clone(right))
            } else {
                (Rc::clone(left), insert(right, key, value))
            };
            Rc::new(Node::Branch {
                prefix: *prefix,
                bit: *bit,
                left,
                right,
            })
        }
        _ => link(Rc::clone(node), Rc::new(Node::Leaf(key, value))),
    }
}

fn filter<V>(node: &Rc<Node<V>>, keep: &mut dyn FnMut(u64, &V) -> bool) -> Option<Rc<Node<V>>> {
    match &**node {
        Node::Leaf(key, value) => keep(*key, value).then(|| Rc::clone(node)),
        Node::Branch {
            prefix,
            bit,
            left,
            right,
        } => {
            let (a, b) = (filter(left, keep), filter(right, keep));
            let same = |new: &Option<Rc<Node<V>>>, old| {
                new.as_ref().is_some_and(|new| Rc::ptr_eq(new, old))
            };
            if same(&a, left) && same(&b, right) {
                return Some(Rc::clone(node));
            }
            branch(*prefix, *bit, a, b)
        }
    }
}

/// A tree without one of its keys.
fn without<V>(node: &Rc<Node<V>>, key: u64) -> Option<Rc<Node<V>>> {
    match &**node {
        Node::Leaf(own, _) => (*own != key).then(|| Rc::clone(node)),
        Node::Branch {
            prefix,
            bit,
            left,
            right,
        } => match key & bit == 0 {
            true => branch(*prefix, *bit, without(left, key), Some(Rc::clone(right))),
            false => branch(*prefix, *bit, Some(Rc::clone(left)), without(right, key)),
        },
    }
}

fn visit<'v, V>(node: &'v Node<V>, each: &mut dyn FnMut(u64, &'v V)) {
    match node {
        Node::Leaf(key, value) => each(*key, value),
        Node::Branch { left, right, .. } => {
            visit(left, each);
            visit(right, each);
        }
    }
}

/// Visits the keys from `lo` to below `end`, in order.
fn visit_range<'v, V>(node: &'v Node<V>, (lo, end): (u64, u64), each: &mut dyn FnMut(u64, &'v V)) {
    match node {
        Node::Leaf(key, value) => {
            if (lo..end).contains(key) {
                each(*key, value);
            }
        }
        Node::Branch {
            prefix,
            bit,
            left,
            right,
        } => {
            // From its first key to its last.
            if *prefix < end && prefix | bit | (bit - 1) >= lo {
                visit_range(left, (lo, end), each);
                visit_range(right, (lo, end), each);
            }
        }
    }
}

/// Visits what is not shared with another tree, with what that has for the key.
fn visit_unshared<'v, V>(
    node: &'v Rc<Node<V>>,
    other: Option<&'v Rc<Node<V>>>,
    each: &mut dyn FnMut(u64, &'v V, Option<&'v V>),
) {
    let Some(other) = other else {
        return visit(node, &mut |key, value| each(key, value, None));
    };
    if Rc::ptr_eq(node, other) {
        return;
    }
    match (&**node, &**other) {
        (Node::Leaf(key, value), _) => each(*key, value, find(other, *key)),
        (Node::Branch { left, right, .. }, Node::Leaf(key, _)) => {
            let is_left = node.side(*key) == Some(false);
            let is_right = node.side(*key) == Some(true);
            visit_unshared(left, is_left.then_some(other), each);
            visit_unshared(right, is_right.then_some(other), each);
        }
        (
            Node::Branch {
                prefix,
                bit,
                left,
                right,
            },
            Node::Branch {
                prefix: base,
                bit: at,
                left: l,
                right: r,
            },
        ) => {
            if (prefix, bit) == (base, at) {
                visit_unshared(left, Some(l), each);
                visit_unshared(right, Some(r), each);
            } else if bit > at {
                let is_left = node.side(*base) == Some(false);
                let is_right = node.side(*base) == Some(true);
                visit_unshared(left, is_left.then_some(other), each);
                visit_unshared(right, is_right.then_some(other), each);
            } else {
                // The first belongs below one side of the second, if anywhere.
                let below = match other.side(*prefix) {
                    Some(false) if bit < at => Some(l),
                    Some(true) if bit < at => Some(r),
                    _ => None,
                };
                visit_unshared(node, below, each);
            }
        }
    }
}

fn find<V>(mut node: &Node<V>, key: u64) -> Option<&V> {
    loop {
        match node {
            Node::Leaf(own, value) => return (*own == key).then_some(value),
            Node::Branch { left, right, .. } => {
                node = if node.side(key)? { right } else { left };
            }
        }
    }
}

/// `combine` makes a value of two; `None` when it would be the first.
type Combine<'c, V> = dyn FnMut(u64, &V, &V) -> Option<V> + 'c;

fn merge<V>(
    a: Option<&Rc<Node<V>>>,
    b: Option<&Rc<Node<V>>>,
    single: Single,
    combine: &mut Combine<'_, V>,
) -> Option<Rc<Node<V>>> {
    let (a, b) = match (a, b) {
        (None, None) => return None,
        (Some(one), None) | (None, Some(one)) => {
            return (single == Single::Keep).then(|| Rc::clone(one));
        }
        (Some(a), Some(b)) => (a, b),
    };
    if Rc::ptr_eq(a, b) {
        return Some(Rc::clone(a));
    }
    match (&**a, &**b) {
        (Node::Leaf(p, x), Node::Leaf(q, y)) if p == q => Some(match combine(*p, x, y) {
            None => Rc::clone(a),
            Some(value) => Rc::new(Node::Leaf(*p, value)),
        }),
        (
            Node::Branch {
                prefix,
                bit,
                left,
                right,
            },
            Node::Branch {
                prefix: other,
                bit: at,
                left: l,
                right: r,
            },
        ) if prefix == other && bit == at => {
            let x = merge(Some(left), Some(l), single, combine);
            let y = merge(Some(right), Some(r), single, combine);
            rebuilt(a, (*prefix, *bit), (left, x), (right, y))
        }
        // The second belongs below one side of the first.
        (
            Node::Branch {
                prefix,
                bit,
                left,
                right,
            },
            other,
        ) if mask(other.prefix(), *bit) == *prefix && is_below(*bit, other) => {
            let (x, y) = if other.prefix() & bit == 0 {
                (
                    merge(Some(left), Some(b), single, combine),
                    merge(Some(right), None, single, combine),
                )
            } else {
                (
                    merge(Some(left), None, single, combine),
                    merge(Some(right), Some(b), single, combine),
                )
            };
            rebuilt(a, (*prefix, *bit), (left, x), (right, y))
        }
        (
            own,
            Node::Branch {
                prefix,
                bit,
                left,
                right,
            },
        ) if mask(own.prefix(), *bit) == *prefix && is_below(*bit, own) => {
            let (x, y) = if own.prefix() & bit == 0 {
                (
                    merge(Some(a), Some(left), single, combine),
                    merge(None, Some(right), single, combine),
                )
            } else {
                (
                    merge(None, Some(left), single, combine),
                    merge(Some(a), Some(right), single, combine),
                )
            };
            match (x, y) {
                // Nothing of the second was kept.
                (Some(one), None) | (None, Some(one)) => Some(one),
                (x, y) => branch(*prefix, *bit, x, y),
            }
        }
        _ => (single == Single::Keep).then(|| link(Rc::clone(a), Rc::clone(b))),
    }
}

fn is_below<V>(bit: u64, node: &Node<V>) -> bool {
    match node {
        Node::Leaf(..) => true,
        Node::Branch { bit: own, .. } => *own < bit,
    }
}

fn rebuilt<V>(
    whole: &Rc<Node<V>>,
    (prefix, bit): (u64, u64),
    (left, x): (&Rc<Node<V>>, Option<Rc<Node<V>>>),
    (right, y): (&Rc<Node<V>>, Option<Rc<Node<V>>>),
) -> Option<Rc<Node<V>>> {
    if let (Some(x), Some(y)) = (&x, &y)
        && Rc::ptr_eq(x, left)
        && Rc::ptr_eq(y, right)
    {
        return Some(Rc::clone(whole));
    }
    branch(prefix, bit, x, y)
}

impl<V> Map<V> {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: u64) -> Option<&V> {
        find(self.0.as_deref()?, key)
    }

    /// Gives a key a value.
    pub fn insert(&mut self, key: u64, value: V) {
        self.0 = Some(match &self.0 {
            None => Rc::new(Node::Leaf(key, value)),
            Some(node) => insert(node, key, value),
        });
    }

    /// Takes away what `keep` does not want.
    pub fn retain(&mut self, mut keep: impl FnMut(u64, &V) -> bool) {
        self.0 = self.0.as_ref().and_then(|node| filter(node, &mut keep));
    }

    /// Takes away a key.
    pub fn remove(&mut self, key: u64) {
        if self.get(key).is_some() {
            self.0 = self.0.as_ref().and_then(|node| without(node, key));
        }
    }

    /// Visits all keys in order.
    pub fn for_each<'v>(&'v self, mut each: impl FnMut(u64, &'v V)) {
        if let Some(node) = &self.0 {
            visit(node, &mut each);
        }
    }

    /// All keys with their values, in order.
    #[cfg(test)]
    pub fn entries(&self) -> Vec<(u64, &V)> {
        let mut all = Vec::new();
        self.for_each(|key, value| all.push((key, value)));
        all
    }

    /// Visits the keys from `lo` to below `end`, in order.
    pub fn for_range<'v>(&'v self, lo: u64, end: u64, mut each: impl FnMut(u64, &'v V)) {
        if let Some(node) = &self.0 {
            visit_range(node, (lo, end), &mut each);
        }
    }

    /// Visits the keys that are not shared with another map, in order, with what that has for them.
    pub fn for_unshared<'v>(
        &'v self,
        other: &'v Map<V>,
        mut each: impl FnMut(u64, &'v V, Option<&'v V>),
    ) {
        if let Some(node) = &self.0 {
            visit_unshared(node, other.0.as_ref(), &mut each);
        }
    }

    /// Both maps in one. `combine` makes a value of two; `None` when it would be the first.
    #[must_use]
    pub fn merge(
        &self,
        other: &Map<V>,
        single: Single,
        mut combine: impl FnMut(u64, &V, &V) -> Option<V>,
    ) -> Map<V> {
        Map(merge(
            self.0.as_ref(),
            other.0.as_ref(),
            single,
            &mut combine,
        ))
    }

    /// Whether it has no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether both are the same nodes.
    #[must_use]
    pub fn is_same(&self, other: &Map<V>) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Random numbers, the same in each run.
    fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        }
    }

    fn listed(map: &Map<u64>) -> Vec<(u64, u64)> {
        let all = map.entries();
        all.into_iter().map(|(key, value)| (key, *value)).collect()
    }

    #[test]
    fn maps_and_their_merges_are_as_those_of_the_standard_library() {
        for seed in 1..200 {
            let mut random = numbers(seed);
            let spread = [8, 100, 1 << 40][(seed % 3) as usize];
            let (mut maps, mut models) = (
                [Map::default(), Map::default()],
                [BTreeMap::new(), BTreeMap::new()],
            );
            for _ in 0..60 {
                let which = random(2) as usize;
                let (key, value) = (random(spread), random(5));
                if random(4) == 0 {
                    maps[which].remove(key);
                    models[which].remove(&key);
                } else {
                    maps[which].insert(key, value);
                    models[which].insert(key, value);
                }
            }
            for (map, model) in maps.iter().zip(&models) {
                assert_eq!(listed(map), model.clone().into_iter().collect::<Vec<_>>());
                assert!((0..spread.min(200)).all(|key| map.get(key) == model.get(&key)));
            }
            for single in [Single::Keep, Single::Drop] {
                let [a, b] = &maps;
                b.for_unshared(&b.clone(), |key, _, _| panic!("{key} is shared"));
                for (one, two, known) in [(a, b, &models[1]), (b, a, &models[0])] {
                    let mut all = Vec::new();
                    one.for_unshared(two, |key, own, other| {
                        assert_eq!(other, known.get(&key));
                        all.push((key, *own));
                    });
                    // Two maps that were made one by one share nothing.
                    assert_eq!(all, listed(one));
                }
                let (lo, end) = (spread / 3, spread / 2);
                let mut range = Vec::new();
                a.for_range(lo, end, |key, value| range.push((key, *value)));
                let within = |(key, value): (&u64, &u64)| (*key, *value);
                let all: Vec<(u64, u64)> = models[0].range(lo..end).map(within).collect();
                assert_eq!(range, all);
                let merged = a.merge(b, single, |_, x, y| (y > x).then_some(*y));
                let mut expected = BTreeMap::new();
                for key in models[0].keys().chain(models[1].keys()) {
                    match (models[0].get(key), models[1].get(key)) {
                        (Some(x), Some(y)) => {
                            expected.insert(*key, *x.max(y));
                        }
                        (Some(one), None) | (None, Some(one)) if single == Single::Keep => {
                            expected.insert(*key, *one);
                        }
                        _ => {}
                    }
                }
                assert_eq!(listed(&merged), expected.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_merge_that_brings_nothing_new_is_the_first_map() {
        let mut random = numbers(7);
        let mut a = Map::default();
        for _ in 0..50 {
            a.insert(random(1000), random(9) + 1);
        }
        let mut b = a.clone();
        b.retain(|key, _| key % 2 == 0);
        let merged = a.merge(&b, Single::Keep, |_, x, y| (y > x).then_some(*y));
        assert!(merged.is_same(&a));
        b.insert(2001, 1);
        let merged = a.merge(&b, Single::Keep, |_, x, y| (y > x).then_some(*y));
        assert!(!merged.is_same(&a));
    }
}
