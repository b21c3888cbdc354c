//! The objects that pointers point to, and the pointers that nobody follows any more.

use std::collections::{BTreeMap, BTreeSet};

use program::entity::PrimaryMap;
use program::{ExternId, FuncId, GlobalId, Program, ValueId, entity};

entity!(
    /// An abstract object: all objects that one place of the program makes.
    ObjectId, "object"
);

/// What an abstract object stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    Global(GlobalId),
    Function(FuncId),
    Extern(ExternId),
    /// A local object, by its `alloca`.
    Local(FuncId, ValueId),
    /// A heap object, by the call that made it.
    Heap(FuncId, ValueId),
}

/// All objects met so far, and which of them code that is not followed may reach.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    all: PrimaryMap<ObjectId, (Object, Option<u64>)>,
    ids: BTreeMap<Object, ObjectId>,
    /// Those that are local.
    locals: Vec<ObjectId>,
    /// Their addresses are part of values that may be anything, or known to functions outside the program.
    escaped: BTreeSet<ObjectId>,
    /// The same in the order in which they escaped.
    order: Vec<ObjectId>,
    grew: bool,
    /// The distance of two of them was computed: what is added to the address of one may lead into another.
    has_distances: bool,
    ground: Option<Ground>,
}

/// What a memory without order needs to know: one for the whole program, whatever runs when.
#[derive(Clone, Debug, Default)]
struct Ground {
    /// Code that is not followed has written to all that it can reach.
    is_reached: bool,
    /// What was read since this was asked last.
    read: BTreeSet<ObjectId>,
}

impl Objects {
    /// The number of an object; `size` in bytes, if it is known. All objects that one number stands for have one size.
    pub fn id(&mut self, object: Object, size: Option<u64>) -> ObjectId {
        let (all, locals) = (&mut self.all, &mut self.locals);
        let id = *self.ids.entry(object).or_insert_with(|| {
            let id = all.push((object, size));
            if matches!(object, Object::Local(..)) {
                locals.push(id);
            }
            id
        });
        let known = &mut self.all[id].1;
        *known = known.or(size);
        id
    }

    /// The number of an object that was met.
    pub(crate) fn known_id(&self, object: Object) -> Option<ObjectId> {
        self.ids.get(&object).copied()
    }

    /// The number of a global variable.
    pub fn global(&mut self, program: &Program, global: GlobalId) -> ObjectId {
        let known = &program.globals[global];
        let size = (known.size > 0).then_some(known.size);
        let id = self.id(Object::Global(global), size);
        if known.init.is_none() || program::outside::is_of_library(known) {
            self.escape(id);
        }
        id
    }

    /// The local objects.
    #[must_use]
    pub fn locals(&self) -> &[ObjectId] {
        &self.locals
    }

    #[must_use]
    pub fn object(&self, id: ObjectId) -> Object {
        self.all[id].0
    }

    /// Bytes; `None` when nobody knows.
    #[must_use]
    pub fn size(&self, id: ObjectId) -> Option<u64> {
        self.all[id].1
    }

    /// Code that is not followed may reach the object from now on.
    pub fn escape(&mut self, id: ObjectId) {
        if self.escaped.insert(id) {
            self.order.push(id);
            self.grew = true;
        }
    }

    /// The distance from one object to another is a number of the program's from now on.
    pub fn measure(&mut self) {
        self.grew |= !std::mem::replace(&mut self.has_distances, true);
    }

    /// Whether an address of one object may become that of another by what is added to it.
    #[must_use]
    pub fn has_distances(&self) -> bool {
        self.has_distances
    }

    #[must_use]
    pub fn is_escaped(&self, id: ObjectId) -> bool {
        self.escaped.contains(&id)
    }

    /// What code that is not followed may reach, in order.
    #[must_use]
    pub fn escaped(&self) -> Vec<ObjectId> {
        self.escaped.iter().copied().collect()
    }

    /// From now on there is one memory for the whole program.
    pub fn be_flat(&mut self) {
        self.ground = Some(Ground::default());
    }

    /// Whether there is one memory for the whole program, in which writes only add.
    #[must_use]
    pub fn is_flat(&self) -> bool {
        self.ground.is_some()
    }

    /// Code that is not followed writes to all that it can reach. Whether that is all there is to be done: where memory has no order,
    /// the engine does the rest.
    pub fn reach(&mut self) -> bool {
        let Some(ground) = &mut self.ground else {
            return false;
        };
        ground.is_reached = true;
        true
    }

    /// Whether code that is not followed has written to what it can reach, where memory has no order.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.ground.as_ref().is_some_and(|ground| ground.is_reached)
    }

    /// An object was read.
    pub fn note_read(&mut self, id: ObjectId) {
        if let Some(ground) = &mut self.ground {
            ground.read.insert(id);
        }
    }

    /// What was read since this was asked last, where memory has no order.
    pub fn take_read(&mut self) -> BTreeSet<ObjectId> {
        let ground = self.ground.as_mut();
        ground
            .map(|ground| std::mem::take(&mut ground.read))
            .unwrap_or_default()
    }

    /// What has escaped since so many had.
    pub fn escaped_since(&self, seen: &mut usize) -> Vec<ObjectId> {
        let new = self.order[*seen..].to_vec();
        *seen = self.order.len();
        new
    }

    /// Whether more has escaped, or the first distance was computed, since this was asked last.
    pub fn grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }
}
