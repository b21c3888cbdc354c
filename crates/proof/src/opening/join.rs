//! What both of two ways know that meet.
//!
//! Must hold: what the result knows holds on both.

use std::collections::BTreeMap;
use std::rc::Rc;

use program::ValueId;
use semantics::Value;

use super::memory::{Content, Memory};
use super::{Frame, Opening, State};

impl Opening<'_> {
    /// What both know; `objects`: none that came later is known to either.
    pub(super) fn join(&mut self, a: &State, b: State, objects: Option<u32>) -> State {
        debug_assert_eq!(a.frames.len(), b.frames.len(), "ways in one call");
        let mut memory = self.join_memory(&a.memory, b.memory, objects);
        let frames = a.frames.iter().zip(b.frames);
        let frames = frames.map(|(a, b)| self.join_frames(a, b, (&mut memory, objects)));
        State {
            frames: frames.collect(),
            memory,
        }
    }

    fn join_frames(
        &self,
        a: &Frame,
        mut b: Frame,
        (memory, objects): (&mut Memory, Option<u32>),
    ) -> Frame {
        if !Rc::ptr_eq(&a.values, &b.values) {
            let (same, gone) = common(&a.values, &b.values);
            memory.has_leaked |= gone.into_iter().any(|known| self.has_word(known));
            if same.len() < b.values.len() {
                b.values = Rc::new(same);
            }
        }
        if b.objects != a.objects {
            b.objects.extend(&a.objects);
            b.objects.sort_unstable();
            b.objects.dedup();
        }
        b.objects
            .retain(|object| objects.is_none_or(|objects| *object < objects));
        b
    }

    fn join_memory(&mut self, a: &Memory, mut b: Memory, objects: Option<u32>) -> Memory {
        let first = match Rc::ptr_eq(&a.first, &b.first) {
            true => Rc::clone(&a.first),
            false => {
                let count = a.first.len() as u32;
                let all = (0..count).map(|object| {
                    match (&a.first[object as usize], &b.first[object as usize]) {
                        (None, None) => None,
                        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Some(Rc::clone(a)),
                        _ => Some(self.join_content(object, (a, &b))),
                    }
                });
                Rc::new(all.collect())
            }
        };
        let mut known: Vec<u32> = a.others.keys().chain(b.others.keys()).copied().collect();
        known.sort_unstable();
        known.dedup();
        known.retain(|object| objects.is_none_or(|objects| *object < objects));
        let others = known.into_iter().map(|object| {
            let content = match (a.others.get(&object), b.others.get(&object)) {
                (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Rc::clone(a),
                _ => self.join_content(object, (a, &b)),
            };
            (object, content)
        });
        b.others = others.collect();
        b.first = first;
        b.lost = a.lost.max(b.lost);
        b.scan.is_lost |= a.scan != b.scan;
        b.has_leaked |= a.has_leaked;
        b
    }

    fn join_content(&mut self, object: u32, (a, b): (&Memory, &Memory)) -> Rc<Content> {
        let (a, b) = (a.of(object), b.of(object));
        let is_nothing = |content: &Content| !content.is_fresh && content.written.is_empty();
        if is_nothing(&a) || a == b {
            return a;
        }
        if is_nothing(&b) {
            return b;
        }
        let mut both = Content {
            is_fresh: a.is_fresh && b.is_fresh,
            ..Content::default()
        };
        for &at in a.written.keys().chain(b.written.keys()) {
            let mut byte = |content: &Content| match content.written.get(&at) {
                Some(byte) => *byte,
                None if content.is_fresh => self.first(object, at),
                None => None,
            };
            let (a, b) = (byte(&a), byte(&b));
            let known = a.filter(|_| a == b);
            if known.is_some() || both.is_fresh {
                both.written.insert(at, known);
            }
        }
        Rc::new(both)
    }
}

/// What is the same in two maps, and what is not.
fn common<'v>(
    a: &'v BTreeMap<ValueId, Value>,
    b: &'v BTreeMap<ValueId, Value>,
) -> (BTreeMap<ValueId, Value>, Vec<&'v Value>) {
    let (mut same, mut gone) = (Vec::new(), Vec::new());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some((at, _)), Some((other, _))) if at == other => {
                let (Some((at, known)), Some((_, other))) = (a.next(), b.next()) else {
                    break;
                };
                match known == other {
                    true => same.push((*at, known.clone())),
                    false => gone.extend([known, other]),
                }
            }
            (Some((at, _)), Some((other, _))) if at > other => {
                gone.extend(b.next().map(|(_, known)| known));
            }
            (Some(_), _) => gone.extend(a.next().map(|(_, known)| known)),
            (None, Some(_)) => gone.extend(b.next().map(|(_, known)| known)),
            (None, None) => break,
        }
    }
    (same.into_iter().collect(), gone)
}
