//! Claims as documents have them.

use std::collections::{BTreeMap, BTreeSet};

use program::fields::{self, Fields};
use program::{BlockId, EdgeId, FuncId, GlobalId, Program, ValueId, private};
use serde::{Deserialize, Serialize};

use super::Known;
use crate::assertion::{self, Set};
use crate::certificate::Fact;
use crate::induction::Scope;
use crate::kinds::Refusal;

/// What holds at any time of any run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// What cells ever hold, in order; each is private.
    pub cells: Vec<Holds>,
    /// What fields of tables ever hold, in whichever record, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Column>,
    /// What no run does, in order.
    pub never: Vec<Fact>,
    /// What values are wherever control comes to a block, in order.
    pub values: Vec<At>,
    /// What functions return, in order.
    pub results: Vec<(u32, Set)>,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Holds {
    pub cell: assertion::Cell,
    pub set: Set,
}

/// What a field holds in all records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub field: Field,
    pub set: Set,
}

/// A part of all records of a table ([`fields::Field`]); offsets and sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    pub table: u32,
    pub offset: u64,
    pub size: u64,
    pub record: u64,
}

impl Field {
    /// As documents have it.
    #[must_use]
    pub fn of(field: fields::Field) -> Field {
        Field {
            table: field.table.as_u32(),
            offset: field.offset,
            size: field.size,
            record: field.record,
        }
    }

    /// As the program has it, if it does.
    const fn named(&self) -> fields::Field {
        fields::Field {
            table: GlobalId::from_u32(self.table),
            offset: self.offset,
            size: self.size,
            record: self.record,
        }
    }
}

/// What values are at the entry of a block, behind its phis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At {
    pub function: u32,
    pub block: u32,
    /// By number, in order.
    pub values: Vec<(u32, Set)>,
}

impl Claims {
    fn sets(&self) -> impl Iterator<Item = &Set> {
        let cells = self.cells.iter().map(|holds| &holds.set);
        let fields = self.fields.iter().map(|column| &column.set);
        let values = self.values.iter().flat_map(|at| &at.values);
        let results = self.results.iter();
        let others = values.chain(results).map(|(_, set)| set);
        cells.chain(fields).chain(others)
    }

    /// The claims, if the program has what they speak of. `foreign`: it is linked with code that is not in the model.
    pub(super) fn known(&self, (program, foreign): (&Program, bool)) -> Result<Known, Refusal> {
        let sets = self.cells.iter().map(|holds| Some(holds.set.clone()));
        let mut known = Known {
            cells: assertion::cells(
                &private::cells(program, foreign),
                self.cells.iter().map(|holds| &holds.cell),
            )?,
            sets: sets.collect(),
            fields: Fields::of(program, foreign),
            ..Known::default()
        };
        known.columns(&self.fields)?;
        if !self.sets().all(|set| set.fits(program)) {
            return Err(Refusal::NotThere);
        }
        for fact in &self.never {
            let function = fact.function(program).ok_or(Refusal::NotThere)?;
            match *fact {
                Fact::Edge { edge } => {
                    known.edges.insert(EdgeId::from_u32(edge));
                }
                Fact::Block { block, .. } => {
                    let block = BlockId::from_u32(block);
                    let body = &program.functions[function];
                    body.blocks.get(block).ok_or(Refusal::NotThere)?;
                    known.blocks.insert((function, block));
                }
            }
        }
        let mut scopes: BTreeMap<FuncId, Scope<'_>> = BTreeMap::new();
        for at in &self.values {
            let (function, block) = (FuncId::from_u32(at.function), BlockId::from_u32(at.block));
            let body = program.functions.get(function).ok_or(Refusal::NotThere)?;
            body.blocks.get(block).ok_or(Refusal::NotThere)?;
            let scope = scopes.entry(function).or_insert_with(|| Scope::new(body));
            let values = at.values.iter();
            let values: BTreeMap<ValueId, Set> = values
                .map(|(value, set)| (ValueId::from_u32(*value), set.clone()))
                .collect();
            let is_known = values.keys().all(|value| scope.is_known(*value, block));
            if !is_known || values.is_empty() || values.len() < at.values.len() {
                return Err(Refusal::NotThere);
            }
            known.values.insert((function, block), values);
        }
        for (function, set) in &self.results {
            let function = FuncId::from_u32(*function);
            program.functions.get(function).ok_or(Refusal::NotThere)?;
            known.results.insert(function, set.clone());
        }
        let are_once =
            known.values.len() == self.values.len() && known.results.len() == self.results.len();
        match are_once {
            true => Ok(known),
            false => Err(Refusal::NotThere),
        }
    }
}

impl Known {
    /// Takes what is claimed of fields, if the program has them, in order, of up to 8 bytes.
    fn columns(&mut self, columns: &[Column]) -> Result<(), Refusal> {
        self.columns = vec![None; self.fields.all().len()];
        let mut last = None;
        for column in columns {
            let found = self.fields.all().binary_search(&column.field.named());
            let at = found
                .ok()
                .filter(|at| column.field.size <= 8 && last < Some(*at));
            self.columns[at.ok_or(Refusal::NotThere)?] = Some(column.set.clone());
            last = at;
        }
        Ok(())
    }

    /// The same, as a document has it.
    pub(super) fn claims(&self) -> Claims {
        let cells = self.cells.iter().zip(&self.sets);
        let cells = cells.filter_map(|(cell, set)| {
            Some(Holds {
                cell: assertion::Cell::of(*cell),
                set: set.clone()?,
            })
        });
        let fields = self.fields.all().iter().zip(&self.columns);
        let fields = fields.filter_map(|(field, set)| {
            Some(Column {
                field: Field::of(*field),
                set: set.clone()?,
            })
        });
        let blocks = self.blocks.iter().map(|(function, block)| Fact::Block {
            function: function.as_u32(),
            block: block.as_u32(),
        });
        let edges = self.edges.iter().map(|edge| Fact::Edge {
            edge: edge.as_u32(),
        });
        let never: BTreeSet<Fact> = blocks.chain(edges).collect();
        let spoken = self.values.iter().filter(|(_, values)| !values.is_empty());
        let values = spoken.map(|((function, block), values)| At {
            function: function.as_u32(),
            block: block.as_u32(),
            values: values
                .iter()
                .map(|(value, set)| (value.as_u32(), set.clone()))
                .collect(),
        });
        let results = self.results.iter();
        let results = results.map(|(function, set)| (function.as_u32(), set.clone()));
        Claims {
            cells: cells.collect(),
            fields: fields.collect(),
            never: never.into_iter().collect(),
            values: values.collect(),
            results: results.collect(),
        }
    }
}
