//! What can be seen of a call: the scalars and pointers of the objects and variables that the function was given, and its
//! result.
//!
//! Must hold: the same plan gives the same leaves in the same order, because observations name them by their index.

use std::collections::HashSet;

use crate::plan::{BlockId, ObjectId, Plan, Scalar, Step};
use crate::types::{Type, Types};

/// What a leaf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Signed,
    Unsigned,
    Float,
    Double,
    Pointer,
    /// So many bytes from an address on.
    Bytes(u64),
    /// The string that a result points to.
    Text,
}

/// A scalar that an observation reads: where it is, and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The object that it is in; none: a variable, or the result.
    pub object: Option<ObjectId>,
    /// What stands behind the object's pointer (`->len`, `[3]`), or the whole lvalue.
    pub rest: String,
    pub kind: Kind,
    /// Part of the function's result.
    pub result: bool,
    /// Its C type, if it is a scalar.
    pub scalar: Option<Scalar>,
    /// The input that is there before the call; enumerators are known by it.
    pub input: Option<String>,
}

impl Leaf {
    /// The C lvalue (or address, for bytes), with the object's pointer under this name.
    #[must_use]
    pub fn place(&self, object: &str) -> String {
        match self.object {
            Some(_) => format!("{object}{}", self.rest),
            None => self.rest.clone(),
        }
    }
}

/// Every leaf of a plan. `heap`: whether objects are still there after the call.
#[must_use]
pub fn leaves(plan: &Plan, types: &Types, heap: bool) -> Vec<Leaf> {
    let mut leaves = Leaves {
        plan,
        list: result(plan, types),
        seen: HashSet::new(),
    };
    leaves.block(plan.globals, None);
    if heap {
        for (id, object) in plan.objects() {
            if !object.stub && !object.declaration.starts_with("void ") {
                leaves.block(object.block, Some(id));
            }
        }
    }
    leaves.list
}

fn result(plan: &Plan, types: &Types) -> Vec<Leaf> {
    let Some(ty) = plan.result.as_ref().map(|result| result.ty) else {
        return Vec::new();
    };
    let leaf = |rest: &str, kind: Kind| Leaf {
        object: None,
        rest: rest.to_owned(),
        kind,
        result: true,
        scalar: None,
        input: None,
    };
    let scalar_leaf = |rest: &str, scalar: Scalar| Leaf {
        scalar: Some(scalar),
        ..leaf(rest, kind(scalar))
    };
    if let Some(scalar) = Scalar::of(types, ty) {
        return vec![scalar_leaf("bw_result", scalar)];
    }
    match types.resolved(ty) {
        Type::Pointer(target) if types.is_text(*target) => {
            vec![
                leaf("bw_result", Kind::Pointer),
                leaf("bw_result", Kind::Text),
            ]
        }
        Type::Pointer(_) => vec![leaf("bw_result", Kind::Pointer)],
        Type::Record { fields, .. } => fields
            .iter()
            .filter_map(|field| {
                let scalar = Scalar::of(types, field.ty)?;
                let name = field.name.as_ref()?;
                Some(scalar_leaf(&format!("bw_result.{name}"), scalar))
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn kind(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::Signed(_) => Kind::Signed,
        Scalar::Bool | Scalar::Unsigned(_) => Kind::Unsigned,
        Scalar::Float => Kind::Float,
        Scalar::Double | Scalar::LongDouble => Kind::Double,
    }
}

struct Leaves<'a> {
    plan: &'a Plan,
    list: Vec<Leaf>,
    seen: HashSet<(Option<ObjectId>, String)>,
}

impl Leaves<'_> {
    fn block(&mut self, block: BlockId, object: Option<ObjectId>) {
        for step in self.plan.block(block) {
            match step {
                Step::Scalar {
                    place,
                    scalar,
                    name,
                }
                | Step::Bits {
                    place,
                    scalar,
                    name,
                    ..
                } => {
                    self.add(object, place, kind(*scalar), Some((*scalar, name)));
                }
                Step::Bytes { address, count, .. } => {
                    let spare = object.filter(|id| self.plan.object(*id).place == *address);
                    let spare = spare.map_or(0, |id| self.plan.object(id).spare.min(256));
                    self.add(object, address, Kind::Bytes(count + spare), None);
                }
                Step::Choose { options, .. } => {
                    for option in options {
                        self.block(option.block, object);
                    }
                }
                Step::New { place, .. } | Step::Set { place, .. } | Step::Inside { place, .. } => {
                    self.add(object, place, Kind::Pointer, None);
                }
                Step::When { block, .. } => self.block(*block, object),
                Step::Constant { .. } => {}
            }
        }
    }

    fn add(
        &mut self,
        object: Option<ObjectId>,
        place: &str,
        kind: Kind,
        input: Option<(Scalar, &String)>,
    ) {
        let rest = match object {
            Some(id) => match place.strip_prefix(self.plan.object(id).place.as_str()) {
                Some(rest) => rest,
                None => return,
            },
            None => place,
        };
        if self.seen.insert((object, rest.to_owned())) {
            self.list.push(Leaf {
                object,
                rest: rest.to_owned(),
                kind,
                result: false,
                scalar: input.map(|(scalar, _)| scalar),
                input: input.map(|(_, name)| name.clone()),
            });
        }
    }
}
