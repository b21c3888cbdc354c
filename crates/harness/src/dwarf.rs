//! Debug information (DWARF, as clang writes it) to plain types.
//!
//! Must hold: what is damaged or unknown is an error or a [`Type::Other`], never a panic: the program is hostile.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use gimli::{AttributeValue, EndianSlice, LittleEndian, UnitOffset, UnitRef};
use object::{Object, ObjectSection};

use crate::types::{
    Base, Field, Function, Info, Qualifier, Signature, Type, TypeId, Types, Variable,
};

/// Why debug information cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DwarfError {
    #[error("no object file: {0}")]
    Object(#[from] object::Error),
    #[error("damaged debug information: {0}")]
    Damaged(#[from] gimli::Error),
    #[error("no debug information about {0}")]
    NoUnit(String),
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a, 'b, 'u> = gimli::DebuggingInformationEntry<'a, 'b, Slice<'u>>;

/// Deepest nesting of types that is followed.
const DEEPEST: u32 = 200;

/// Reads what a linked file says about the unit whose main source has this file name.
///
/// # Errors
/// The file is no object file, has no such unit, or its debug information is damaged.
pub fn read(file: &[u8], source: &str) -> Result<Info, DwarfError> {
    let file = object::File::parse(file)?;
    let sections = gimli::DwarfSections::load(|id| -> Result<Cow<'_, [u8]>, object::Error> {
        file.section_by_name(id.name())
            .map_or(Ok(Cow::Borrowed(&[][..])), |section| {
                section.uncompressed_data()
            })
    })?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let name = unit
            .name
            .map(|name| name.to_string_lossy())
            .unwrap_or_default();
        if name == source || name.rsplit('/').next() == Some(source) {
            return Reader::new(unit.unit_ref(&dwarf)).all();
        }
    }
    Err(DwarfError::NoUnit(source.to_owned()))
}

struct Reader<'u> {
    unit: UnitRef<'u, Slice<'u>>,
    types: Types,
    known: HashMap<UnitOffset, TypeId>,
    void: TypeId,
    depth: u32,
}

impl<'u> Reader<'u> {
    fn new(unit: UnitRef<'u, Slice<'u>>) -> Reader<'u> {
        let mut types = Types::default();
        let void = types.push(Type::Void);
        Reader {
            unit,
            types,
            known: HashMap::new(),
            void,
            depth: 0,
        }
    }

    fn all(mut self) -> Result<Info, DwarfError> {
        let unit = self.unit;
        let mut functions = Vec::new();
        let mut variables: Vec<Variable> = Vec::new();
        let mut statics = false;
        let mut tree = unit.entries_tree(None)?;
        let mut top = tree.root()?.children();
        while let Some(node) = top.next()? {
            let entry = node.entry();
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    statics = statics || self.keeps(entry.offset())?;
                    let Some(name) = self.name(entry)? else {
                        continue;
                    };
                    if entry.attr(gimli::DW_AT_low_pc)?.is_none() {
                        continue;
                    }
                    let (file, line) = self.declared(entry)?;
                    let external = flag(entry, gimli::DW_AT_external)?;
                    let (signature, names) = self.signature(entry.offset())?;
                    functions.push(Function {
                        name,
                        file,
                        line,
                        signature,
                        names,
                        external,
                        casts: BTreeSet::new(),
                    });
                }
                gimli::DW_TAG_variable => {
                    let Some(name) = self.name(entry)? else {
                        continue;
                    };
                    let ty = self.type_of(entry)?;
                    if variables.iter().all(|known| known.name != name) {
                        variables.push(Variable { name, ty });
                    }
                }
                // Local variables and casts may have these and nothing else.
                gimli::DW_TAG_structure_type
                | gimli::DW_TAG_union_type
                | gimli::DW_TAG_enumeration_type
                | gimli::DW_TAG_typedef => _ = self.at(entry.offset())?,
                _ => {}
            }
        }
        Ok(Info {
            types: self.types,
            functions,
            variables,
            statics,
        })
    }

    /// Whether a function, or a block in it, has a variable at a fixed place that is not constant.
    fn keeps(&mut self, offset: UnitOffset) -> Result<bool, DwarfError> {
        let unit = self.unit;
        let mut entries = unit.entries_at_offset(offset)?;
        let mut depth = 0;
        while let Some((step, entry)) = entries.next_dfs()? {
            depth += step;
            if depth == 0 && entry.offset() != offset {
                break;
            }
            let is_fixed = matches!(
                entry.attr_value(gimli::DW_AT_location)?,
                Some(AttributeValue::Exprloc(expression))
                    if matches!(expression.0.first(), Some(&op) if op == gimli::DW_OP_addr.0 || op == gimli::DW_OP_addrx.0)
            );
            if entry.tag() == gimli::DW_TAG_variable && is_fixed {
                let ty = self.type_of(entry)?;
                if !self.types.is_const(ty) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn name(&self, entry: &Entry<'_, '_, 'u>) -> Result<Option<String>, DwarfError> {
        let Some(value) = entry.attr_value(gimli::DW_AT_name)? else {
            return Ok(None);
        };
        let text = self.unit.attr_string(value)?;
        Ok(Some(text.to_string_lossy().into_owned()))
    }

    fn declared(&self, entry: &Entry<'_, '_, 'u>) -> Result<(String, u32), DwarfError> {
        let line = number(entry, gimli::DW_AT_decl_line)?.unwrap_or(0);
        let line = u32::try_from(line).unwrap_or(0);
        let Some(AttributeValue::FileIndex(index)) = entry.attr_value(gimli::DW_AT_decl_file)?
        else {
            return Ok((String::new(), line));
        };
        let Some(program) = &self.unit.line_program else {
            return Ok((String::new(), line));
        };
        let Some(file) = program.header().file(index) else {
            return Ok((String::new(), line));
        };
        let name = self.unit.attr_string(file.path_name())?.to_string_lossy();
        let folder = match file.directory(program.header()) {
            Some(folder) => self.unit.attr_string(folder)?.to_string_lossy(),
            None => Cow::Borrowed(""),
        };
        Ok((
            if name.starts_with('/') || folder.is_empty() {
                name.into_owned()
            } else {
                format!("{folder}/{name}")
            },
            line,
        ))
    }

    /// The type that an entry refers to; none is `void`.
    fn type_of(&mut self, entry: &Entry<'_, '_, 'u>) -> Result<TypeId, DwarfError> {
        match entry.attr_value(gimli::DW_AT_type)? {
            Some(AttributeValue::UnitRef(offset)) => self.at(offset),
            _ => Ok(self.void),
        }
    }

    fn at(&mut self, offset: UnitOffset) -> Result<TypeId, DwarfError> {
        if let Some(known) = self.known.get(&offset) {
            return Ok(*known);
        }
        let id = self.types.push(Type::Other("unfinished".to_owned()));
        self.known.insert(offset, id);
        self.depth += 1;
        let ty = if self.depth > DEEPEST {
            Type::Other("nested too deeply".to_owned())
        } else {
            self.read(offset)?
        };
        self.depth -= 1;
        self.types.set(id, ty);
        Ok(id)
    }

    fn read(&mut self, offset: UnitOffset) -> Result<Type, DwarfError> {
        let unit = self.unit;
        let entry = unit.entry(offset)?;
        let bytes = number(&entry, gimli::DW_AT_byte_size)?;
        Ok(match entry.tag() {
            gimli::DW_TAG_base_type => Type::Base {
                name: spelled(self.name(&entry)?.unwrap_or_default(), bytes),
                bytes: bytes.unwrap_or(0),
                base: base(&entry)?,
            },
            gimli::DW_TAG_pointer_type => Type::Pointer(self.type_of(&entry)?),
            tag @ (gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type) => Type::Qualified {
                qualifier: match tag {
                    gimli::DW_TAG_const_type => Qualifier::Const,
                    gimli::DW_TAG_volatile_type => Qualifier::Volatile,
                    gimli::DW_TAG_restrict_type => Qualifier::Restrict,
                    _ => Qualifier::Atomic,
                },
                target: self.type_of(&entry)?,
            },
            gimli::DW_TAG_typedef => Type::Typedef {
                name: self.name(&entry)?.unwrap_or_default(),
                target: self.type_of(&entry)?,
            },
            gimli::DW_TAG_array_type => {
                let element = self.type_of(&entry)?;
                let vector = flag(&entry, gimli::DW_AT_GNU_vector)?;
                self.array(offset, element, vector)?
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => Type::Record {
                tag: self.name(&entry)?,
                union: entry.tag() == gimli::DW_TAG_union_type,
                bytes: bytes.filter(|_| !flag(&entry, gimli::DW_AT_declaration).unwrap_or(true)),
                fields: self.fields(offset)?,
            },
            gimli::DW_TAG_enumeration_type => {
                let values = self.enumerators(offset)?;
                let signed = match self
                    .type_of(&entry)
                    .map(|ty| self.types.resolved(ty).clone())?
                {
                    Type::Base { base, .. } => base == Base::Signed,
                    _ => values.iter().any(|(_, value)| *value < 0),
                };
                Type::Enum {
                    tag: self.name(&entry)?,
                    bytes: bytes.unwrap_or(4),
                    signed,
                    values,
                }
            }
            gimli::DW_TAG_subroutine_type => Type::Function(self.signature(offset)?.0),
            gimli::DW_TAG_unspecified_type => Type::Void,
            tag => Type::Other(tag.to_string()),
        })
    }

    fn array(
        &mut self,
        offset: UnitOffset,
        element: TypeId,
        vector: bool,
    ) -> Result<Type, DwarfError> {
        let unit = self.unit;
        let mut counts = Vec::new();
        let mut tree = unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        while let Some(node) = children.next()? {
            let entry = node.entry();
            if entry.tag() == gimli::DW_TAG_subrange_type {
                let last = number(entry, gimli::DW_AT_upper_bound)?;
                let count = number(entry, gimli::DW_AT_count)?;
                counts.push(count.or(last.map(|last| last.wrapping_add(1))));
            }
        }
        let outer = counts.first().copied().flatten();
        let mut inner = element;
        for count in counts.iter().skip(1).rev() {
            inner = self.types.push(Type::Array {
                element: inner,
                count: *count,
                vector,
            });
        }
        Ok(Type::Array {
            element: inner,
            count: outer,
            vector,
        })
    }

    fn fields(&mut self, offset: UnitOffset) -> Result<Vec<Field>, DwarfError> {
        let unit = self.unit;
        let mut fields = Vec::new();
        let mut tree = unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        while let Some(node) = children.next()? {
            let entry = node.entry();
            if entry.tag() == gimli::DW_TAG_member {
                let bits = number(entry, gimli::DW_AT_bit_size)?;
                fields.push(Field {
                    name: self.name(entry)?,
                    ty: self.type_of(entry)?,
                    offset: number(entry, gimli::DW_AT_data_member_location)?,
                    bits: bits.and_then(|bits| u32::try_from(bits).ok()),
                    cast: false,
                });
            }
        }
        Ok(fields)
    }

    fn enumerators(&mut self, offset: UnitOffset) -> Result<Vec<(String, i128)>, DwarfError> {
        let unit = self.unit;
        let mut values = Vec::new();
        let mut tree = unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        while let Some(node) = children.next()? {
            let entry = node.entry();
            let value = match entry.attr_value(gimli::DW_AT_const_value)? {
                Some(AttributeValue::Sdata(value)) => Some(i128::from(value)),
                Some(value) => value.udata_value().map(i128::from),
                None => None,
            };
            if let (Some(name), Some(value)) = (self.name(entry)?, value) {
                values.push((name, value));
            }
        }
        Ok(values)
    }

    fn signature(&mut self, offset: UnitOffset) -> Result<(Signature, Vec<String>), DwarfError> {
        let unit = self.unit;
        let entry = unit.entry(offset)?;
        let mut signature = Signature {
            result: self.type_of(&entry)?,
            params: Vec::new(),
            variadic: false,
            prototyped: flag(&entry, gimli::DW_AT_prototyped)?,
        };
        let mut names = Vec::new();
        let mut tree = unit.entries_tree(Some(offset))?;
        let mut children = tree.root()?.children();
        while let Some(node) = children.next()? {
            let entry = node.entry();
            match entry.tag() {
                gimli::DW_TAG_formal_parameter => {
                    signature.params.push(self.type_of(entry)?);
                    names.push(self.name(entry)?.unwrap_or_default());
                }
                gimli::DW_TAG_unspecified_parameters => signature.variadic = true,
                _ => {}
            }
        }
        // `f()` says nothing of its parameters, which is no ellipsis.
        signature.variadic &= signature.prototyped;
        Ok((signature, names))
    }
}

/// What clang calls `complex` has a longer name in C.
fn spelled(name: String, bytes: Option<u64>) -> String {
    match (name.as_str(), bytes) {
        ("complex", Some(8)) => "_Complex float".to_owned(),
        ("complex", Some(16)) => "_Complex double".to_owned(),
        ("complex", _) => "_Complex long double".to_owned(),
        _ => name,
    }
}

fn flag(entry: &Entry<'_, '_, '_>, name: gimli::DwAt) -> Result<bool, DwarfError> {
    Ok(matches!(
        entry.attr_value(name)?,
        Some(AttributeValue::Flag(true))
    ))
}

fn number(entry: &Entry<'_, '_, '_>, name: gimli::DwAt) -> Result<Option<u64>, DwarfError> {
    Ok(entry
        .attr_value(name)?
        .and_then(|value| value.udata_value()))
}

fn base(entry: &Entry<'_, '_, '_>) -> Result<Base, DwarfError> {
    let encoding = match entry.attr_value(gimli::DW_AT_encoding)? {
        Some(AttributeValue::Encoding(encoding)) => encoding,
        _ => return Ok(Base::Other),
    };
    Ok(match encoding {
        gimli::DW_ATE_boolean => Base::Bool,
        gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char => Base::Char,
        gimli::DW_ATE_signed => Base::Signed,
        gimli::DW_ATE_unsigned | gimli::DW_ATE_UTF => Base::Unsigned,
        gimli::DW_ATE_float => Base::Float,
        _ => Base::Other,
    })
}
