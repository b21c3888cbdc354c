//! Arrays, structs, unions and bit-fields: which parts of them are inputs.

use std::collections::HashSet;

use super::shape::{Context, Named, Planner};
use super::{BlockId, Choice, Scalar, Step};
use crate::types::{Field, Type, TypeId};

/// Elements of an array inside an object that are inputs, if they are no characters.
const MOST_ELEMENTS: u64 = 32;
/// Characters of an array inside an object that are inputs.
const MOST_CHARACTERS: u64 = 256;
impl Planner<'_> {
    pub(super) fn array(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        element: TypeId,
        count: u64,
        context: &Context,
    ) {
        if self.info.types.is_char(element) {
            // An array of plain `char` is a string by convention: its last byte stays 0.
            let text = self.info.types.is_text(element) && count > 1;
            let count = count - u64::from(text);
            return self.bytes(block, place, name, count.min(MOST_CHARACTERS), text);
        }
        // Which element the code means is not known.
        let context = &context.within(None);
        self.elements(
            block,
            place,
            name,
            element,
            count.min(MOST_ELEMENTS),
            context,
        );
    }

    pub(super) fn flexible(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        element: TypeId,
        context: &Context,
    ) {
        let count = if self.info.types.is_char(element) {
            self.request.bounds.text
        } else {
            self.request.bounds.array
        };
        self.array(block, place, name, element, count.into(), context);
    }

    /// Elements of an array that decays to a pointer.
    pub(super) fn elements(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        element: TypeId,
        count: u64,
        context: &Context,
    ) {
        let context = Context {
            length: None,
            argument: false,
            ..context.clone()
        };
        let types = &self.info.types;
        if types.is_char(element) || matches!(types.resolved(element), Type::Void) {
            return self.bytes(block, place, name, count, types.is_text(element));
        }
        if count == 1
            && let Type::Record {
                union: false,
                fields,
                bytes: Some(_),
                ..
            } = types.resolved(element).clone()
        {
            return self.members_of(block, place, name, "->", &fields, &context);
        }
        for index in 0..count {
            let at = |text: &str| format!("{text}[{index}]");
            self.fill(block, &at(place), &at(name), element, &context);
        }
    }

    pub(super) fn members(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        fields: &[Field],
        context: &Context,
    ) {
        self.members_of(block, place, name, ".", fields, context);
    }

    fn members_of(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        access: &str,
        fields: &[Field],
        context: &Context,
    ) {
        let mut named = Vec::new();
        for field in fields {
            let Some(member) = &field.name else {
                let context = context.within(field.offset);
                self.anonymous(block, place, name, access, field.ty, &context);
                continue;
            };
            let at = |text: &str| format!("{text}{access}{member}");
            match field.bits {
                Some(width) => {
                    self.bit_field(block, &at(place), &at(name), field.ty, width, context);
                }
                None => named.push(Named {
                    place: at(place),
                    name: at(name),
                    ty: field.ty,
                    offset: field.offset,
                }),
            }
        }
        self.group(block, &named, context);
    }

    /// Members of an anonymous struct or union are named as if they were the outer one's.
    fn anonymous(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        access: &str,
        ty: TypeId,
        context: &Context,
    ) {
        match self.info.types.resolved(ty).clone() {
            Type::Record {
                union: false,
                fields,
                ..
            } => self.members_of(block, place, name, access, &fields, context),
            Type::Record {
                union: true,
                fields,
                ..
            } => self.union_members(block, place, name, access, &fields, context),
            _ => {}
        }
    }

    fn bit_field(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        ty: TypeId,
        width: u32,
        context: &Context,
    ) {
        if self.info.types.is_const(ty) {
            return self.cannot(name, ty, "a bit-field that is `const` stays 0");
        }
        if context.constant {
            self.constants.insert(place.to_owned());
        }
        let signed = match self.info.types.resolved(ty) {
            Type::Base {
                base: crate::types::Base::Bool,
                ..
            } => false,
            _ => matches!(Scalar::of(&self.info.types, ty), Some(Scalar::Signed(_))),
        };
        self.inputs += 1;
        self.enumeration(name, ty);
        self.push(
            block,
            Step::Bits {
                place: place.to_owned(),
                name: name.to_owned(),
                scalar: Scalar::of_bits(width, signed),
                width,
            },
        );
    }

    pub(super) fn union(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        fields: &[Field],
        bytes: u64,
        context: &Context,
    ) {
        let types = &self.info.types;
        if fields.iter().any(|field| types.has_pointer(field.ty)) {
            return self.union_members(block, place, name, ".", fields, context);
        }
        // Without pointers every member is decided by the bytes; a number is read more easily than its bytes.
        let whole = fields.iter().find(|field| {
            field.bits.is_none()
                && types.bytes(field.ty) == Some(bytes)
                && matches!(
                    Scalar::of(types, field.ty),
                    Some(Scalar::Signed(_) | Scalar::Unsigned(_))
                )
        });
        if let Some(Field {
            name: Some(member),
            ty,
            ..
        }) = whole
        {
            let (place, name) = (format!("{place}.{member}"), format!("{name}.{member}"));
            return self.fill(block, &place, &name, *ty, context);
        }
        self.bytes(block, &format!("&({place})"), name, bytes, false);
    }

    /// One of the members, by choice.
    fn union_members(
        &mut self,
        block: BlockId,
        place: &str,
        name: &str,
        access: &str,
        fields: &[Field],
        context: &Context,
    ) {
        let context = &context.within(None);
        let mut options = Vec::new();
        let mut seen = HashSet::new();
        for field in fields {
            let inner = self.new_block();
            let legend = match &field.name {
                Some(member) => {
                    let at = |text: &str| format!("{text}{access}{member}");
                    match field.bits {
                        Some(width) => {
                            let (place, name) = (at(place), at(name));
                            self.bit_field(inner, &place, &name, field.ty, width, context);
                        }
                        None => self.fill(inner, &at(place), &at(name), field.ty, context),
                    }
                    member.clone()
                }
                None => {
                    self.anonymous(inner, place, name, access, field.ty, context);
                    format!("member {}", options.len())
                }
            };
            if seen.insert(legend.clone()) {
                options.push(Choice {
                    legend,
                    block: inner,
                });
            }
        }
        if !options.is_empty() {
            let name = if access == "." && !name.is_empty() {
                format!("member({name})")
            } else {
                format!("member({name}{access}*)")
            };
            self.choose(block, &name, options);
        }
    }
}
