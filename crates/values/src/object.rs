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
    /// Their addresses are part of values that may be anything, or known to functions outside the program.
    escaped: BTreeSet<ObjectId>,
    grew: bool,
}

impl Objects {
    /// The number of an object; `size` in bytes, if it is known. All objects that one number stands for have one size.
    pub fn id(&mut self, object: Object, size: Option<u64>) -> ObjectId {
        let all = &mut self.all;
        let id = *self
            .ids
            .entry(object)
            .or_insert_with(|| all.push((object, size)));
        let known = &mut self.all[id].1;
        *known = known.or(size);
        id
    }

    /// The number of a global variable.
    pub fn global(&mut self, program: &Program, global: GlobalId) -> ObjectId {
        let known = &program.globals[global];
        let size = (known.size > 0).then_some(known.size);
        let id = self.id(Object::Global(global), size);
        if known.init.is_none() {
            self.escape(id);
        }
        id
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
        self.grew |= self.escaped.insert(id);
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

    /// Whether more has escaped since this was asked last.
    pub fn grew(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }
}
