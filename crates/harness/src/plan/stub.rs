//! Functions that are not there: what they return and what they write are inputs.

use super::shape::{Context, Planner};
use super::{BlockId, Scalar, Step, Stub, StubId};
use crate::atomics;
use crate::types::{Signature, Type, TypeId};

/// Bytes that a stub writes into a buffer whose length it is told: the most that are not more than that.
const WRITTEN: [u64; 4] = [8, 4, 2, 1];

impl Planner<'_> {
    /// The stub for pointers to functions of this type; none if the type cannot be spelled.
    pub(super) fn callback(&mut self, target: TypeId, name: &str) -> Option<StubId> {
        let types = &self.info.types;
        let Type::Function(signature) = types.resolved(target).clone() else {
            return None;
        };
        let known = self
            .callbacks
            .iter()
            .find(|(ty, _)| types.same(*ty, target));
        if let Some((_, stub)) = known {
            return Some(*stub);
        }
        let id = StubId(self.callbacks.len() as u32);
        let last = name.rsplit(['.', '>', ':']).next().unwrap_or(name);
        let label = last.split('[').next().unwrap_or(last).to_owned();
        self.heading(&id.to_string(), &signature)?;
        // Known before it is planned: what it returns may hold pointers to functions of this type, and of others.
        self.callbacks.push((target, id));
        let stub = self.stub(&id.to_string(), &label, &signature, &[], true, false)?;
        self.stubs.push(stub);
        Some(id)
    }

    /// Stubs for what the linker misses.
    pub(super) fn undefined(&mut self) {
        let undefined = self.request.undefined.clone();
        for (symbol, ty, ends) in undefined {
            if atomics::defines(&symbol) {
                continue;
            }
            self.stub_from = self.objects.len();
            let signature = ty.map(|ty| self.info.types.resolved(ty).clone());
            let stub = match &signature {
                Some(Type::Function(signature)) => {
                    self.stub(&symbol, &symbol, signature, &[], false, ends)
                }
                _ => None,
            };
            let stub = stub.unwrap_or_else(|| self.implicit(&symbol, ends));
            self.stubs.push(stub);
            self.finish();
        }
    }

    /// A function of which nothing is known but its name: it returns an `int`, as old C has it.
    fn implicit(&mut self, symbol: &str, ends: bool) -> Stub {
        let block = self.new_block();
        self.push(
            block,
            Step::Scalar {
                place: "bw_result".to_owned(),
                name: format!("{symbol}()"),
                scalar: Scalar::Signed(4),
            },
        );
        Stub {
            symbol: symbol.to_owned(),
            declaration: format!("int {symbol}()"),
            internal: false,
            result: Some("int bw_result".to_owned()),
            ends,
            block,
            beyond: Vec::new(),
        }
    }

    fn stub(
        &mut self,
        symbol: &str,
        label: &str,
        signature: &Signature,
        names: &[String],
        internal: bool,
        ends: bool,
    ) -> Option<Stub> {
        let (variables, declaration, result) = self.heading(symbol, signature)?;
        let block = self.new_block();
        let context = Context {
            // What it returns or writes is smaller than what the function is given.
            depth: self.request.bounds.depth.saturating_sub(2),
            stub: true,
            ..Context::default()
        };
        let mut beyond = Vec::new();
        if !ends {
            beyond = self.beyond(signature, &variables);
            self.outputs(block, label, signature, names, &variables, &context);
            if result.is_some() {
                let params = signature.params.iter().copied();
                let context = Context {
                    given: variables.iter().cloned().zip(params).collect(),
                    ..context
                };
                self.fill(
                    block,
                    "bw_result",
                    &format!("{label}()"),
                    signature.result,
                    &context,
                );
            }
        }
        Some(Stub {
            symbol: symbol.to_owned(),
            declaration,
            internal,
            result,
            ends,
            block,
            beyond,
        })
    }

    /// Where a function of this type may write more into a buffer than its stub does. A `void *` without a length is mostly the caller's
    /// own data.
    fn beyond(&self, signature: &Signature, variables: &[String]) -> Vec<(String, String)> {
        let types = &self.info.types;
        let mut beyond = Vec::new();
        for (index, (ty, variable)) in signature.params.iter().zip(variables).enumerate() {
            let Some(target) = types.pointee(*ty) else {
                continue;
            };
            let is_void = matches!(types.resolved(target), Type::Void);
            if types.is_const(target) || !(is_void || types.is_char(target)) {
                continue;
            }
            let length = signature.params.get(index + 1);
            match length.filter(|ty| types.is_count(**ty)) {
                Some(ty) if !is_void || self.is_length(index, *ty) => {
                    let length = &variables[index + 1];
                    let is_longer =
                        format!("({length} > {} || ({length} & ({length} - 1)))", WRITTEN[0]);
                    beyond.push((is_longer, variable.clone()));
                }
                None if !is_void => beyond.push(("1".to_owned(), variable.clone())),
                _ => {}
            }
        }
        beyond
    }

    /// Whether an integer behind the pointer of this index is its length: `void *, int` in front is mostly somebody's data and an event.
    fn is_length(&self, index: usize, integer: TypeId) -> bool {
        index > 0 || self.info.types.bytes(integer) == Some(8)
    }

    /// A stub's parameters, its declaration and that of its result; none if a type cannot be spelled.
    fn heading(
        &self,
        symbol: &str,
        signature: &Signature,
    ) -> Option<(Vec<String>, String, Option<String>)> {
        let types = &self.info.types;
        let variables: Vec<String> = (0..signature.params.len())
            .map(|index| format!("bw_argument{index}"))
            .collect();
        let params = types.params(signature, &variables)?;
        let declaration = types.declare(signature.result, &format!("{symbol}({params})"))?;
        let bare = types.unqualified(signature.result);
        let result = match types.resolved(bare) {
            Type::Void => None,
            _ => Some(types.declare(bare, "bw_result")?),
        };
        Some((variables, declaration, result))
    }

    /// What a function may write through its pointers.
    fn outputs(
        &mut self,
        block: BlockId,
        label: &str,
        signature: &Signature,
        names: &[String],
        variables: &[String],
        context: &Context,
    ) {
        for (index, (ty, variable)) in signature.params.iter().zip(variables).enumerate() {
            let types = &self.info.types;
            let Some(target) = types.pointee(*ty) else {
                continue;
            };
            if types.is_const(target) {
                continue;
            }
            let given = names.get(index).filter(|name| !name.is_empty());
            let shown = given.cloned().unwrap_or_else(|| (index + 1).to_string());
            let name = format!("{label}({shown})");
            let inner = self.new_block();
            let is_bytes = types.is_char(target) || matches!(types.resolved(target), Type::Void);
            let length = signature
                .params
                .get(index + 1)
                .filter(|ty| types.is_count(**ty));
            let condition = format!("{variable} != 0");
            if is_bytes {
                // Without a length nothing is known of the buffer.
                if let Some(length) = length {
                    let counts = match self.is_length(index, *length) {
                        true => &WRITTEN[..],
                        false => &WRITTEN[..1],
                    };
                    self.written(block, (variable, &variables[index + 1]), &name, counts);
                }
                continue;
            } else if Scalar::of(types, target).is_some()
                || (types.pointee(target).is_some() && length.is_none())
            {
                // A pointer behind a pointer is a result as well, unless an array of them is passed.
                self.fill(inner, &format!("(*{variable})"), &name, target, context);
            } else if let Type::Record {
                bytes: Some(_),
                union: false,
                fields,
                ..
            } = types.resolved(target).clone()
            {
                // Pointers in it are left: they are the caller's.
                for field in fields {
                    let is_scalar = Scalar::of(&self.info.types, field.ty).is_some();
                    if let (Some(member), None, true) = (&field.name, field.bits, is_scalar) {
                        let place = format!("{variable}->{member}");
                        self.fill(
                            inner,
                            &place,
                            &format!("{name}->{member}"),
                            field.ty,
                            context,
                        );
                    }
                }
            }
            if !self.blocks[inner.0 as usize].is_empty() {
                self.push(
                    block,
                    Step::When {
                        condition,
                        block: inner,
                    },
                );
            }
        }
    }

    /// The bytes that a stub writes into a buffer, by the length that it is told.
    fn written(
        &mut self,
        block: BlockId,
        (variable, length): (&str, &str),
        name: &str,
        counts: &[u64],
    ) {
        let mut above = String::new();
        for &count in counts {
            let inner = self.new_block();
            self.bytes(inner, variable, name, count, false);
            let condition = format!("{variable} != 0 && {length} >= {count}{above}");
            above = format!(" && {length} < {count}");
            let step = Step::When {
                condition,
                block: inner,
            };
            self.push(block, step);
        }
    }
}
