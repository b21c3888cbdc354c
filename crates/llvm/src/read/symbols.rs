//! Names between modules: which definition a reference means.
//!
//! Invariant: what is resolved follows the linker. Ids of functions are those of the numbering; globals and externs get
//! theirs here, in the order of the modules.

use std::collections::HashMap;

use program::{Const, ExternId, FuncId, Global, GlobalId, Program};

use super::{Files, Source, ty};
use crate::ir::Value;
use crate::number;

/// What a name or a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Function(FuncId),
    Extern(ExternId),
    Global(GlobalId),
}

impl Symbol {
    /// The address of the symbol.
    pub fn constant(self) -> Const {
        match self {
            Symbol::Function(function) => Const::Function(function),
            Symbol::Extern(external) => Const::Extern(external),
            Symbol::Global(global) => Const::Global { global, offset: 0 },
        }
    }
}

/// All symbols of all modules.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Of functions and globals, by module and handle.
    values: Vec<HashMap<Value, Symbol>>,
    /// Own id of each defined function, whether or not its name means it.
    functions: Vec<HashMap<Value, FuncId>>,
    /// Own id of each global with an initialiser that is in the model.
    pub globals: Vec<Vec<(Value, GlobalId)>>,
}

/// A definition that other modules may see.
struct Visible {
    symbol: Symbol,
    replaceable: bool,
}

impl Symbols {
    /// Gives ids to all globals and externs, and resolves all names.
    pub fn resolve(sources: &[Source], program: &mut Program, files: &mut Files) -> Symbols {
        let mut symbols = Symbols::default();
        let mut visible = HashMap::new();
        for source in sources {
            symbols.define(source, program, files, &mut visible);
        }
        for (index, source) in sources.iter().enumerate() {
            symbols.define_aliases(index, source, program, &mut visible);
        }
        for (index, source) in sources.iter().enumerate() {
            symbols.refer(index, source, program, files, &mut visible);
        }
        symbols
    }

    /// What a function, global or alias of a module means.
    pub fn of(&self, module: usize, value: Value) -> Option<Symbol> {
        self.values[module].get(&value).copied()
    }

    /// Id of a function that the module defines.
    ///
    /// # Panics
    /// When the module does not define it.
    pub fn function_at(&self, module: usize, value: Value) -> FuncId {
        self.functions[module][&value]
    }

    fn define(
        &mut self,
        source: &Source,
        program: &mut Program,
        files: &mut Files,
        visible: &mut HashMap<String, Visible>,
    ) {
        let mut own = HashMap::new();
        let mut functions = HashMap::new();
        for (index, &function) in source.numbering.functions.iter().enumerate() {
            let id = FuncId::from_u32(source.first_function.as_u32() + index as u32);
            own.insert(function, Symbol::Function(id));
            functions.insert(function, id);
            offer(visible, function, Symbol::Function(id));
        }
        let mut globals = Vec::new();
        for global in source.module.globals() {
            if is_clangs_own(&global.name())
                || global.initializer().is_none()
                || global.is_available_externally()
            {
                continue;
            }
            let described = describe(source, global, program, files);
            let id = program.globals.push(described);
            own.insert(global, Symbol::Global(id));
            globals.push((global, id));
            offer(visible, global, Symbol::Global(id));
        }
        self.values.push(own);
        self.functions.push(functions);
        self.globals.push(globals);
    }

    fn define_aliases(
        &mut self,
        index: usize,
        source: &Source,
        program: &mut Program,
        visible: &mut HashMap<String, Visible>,
    ) {
        for alias in source.module.aliases() {
            let mut target = alias.aliasee();
            // An alias of an alias; circles are not valid.
            while target.is_alias() {
                target = target.aliasee();
            }
            let symbol = self.of(index, target).unwrap_or_else(|| {
                // An alias into the middle of something: known by its name alone.
                let ty = program::Extern {
                    name: alias.name(),
                    return_type: program::Type::Void,
                    params: Vec::new(),
                    variadic: true,
                    weak: false,
                };
                Symbol::Extern(program.externs.push(ty))
            });
            self.values[index].insert(alias, symbol);
            offer(visible, alias, symbol);
        }
    }

    fn refer(
        &mut self,
        index: usize,
        source: &Source,
        program: &mut Program,
        files: &mut Files,
        visible: &mut HashMap<String, Visible>,
    ) {
        let types = ty::Types::new(&source.module);
        for function in source.module.functions() {
            let name = function.name();
            let jump = number::jump(&name);
            if jump.is_none() && (function.is_intrinsic() || function.is_local()) {
                continue;
            }
            let name = jump.map_or(name, str::to_owned);
            let symbol = match visible.get(&name) {
                Some(found) => found.symbol,
                None => {
                    let external = types.external(function, &name);
                    let symbol = Symbol::Extern(program.externs.push(external));
                    visible.insert(
                        name,
                        Visible {
                            symbol,
                            replaceable: true,
                        },
                    );
                    symbol
                }
            };
            self.values[index].insert(function, symbol);
        }
        for global in source.module.globals() {
            let name = global.name();
            if is_clangs_own(&name) || global.is_local() {
                continue;
            }
            let symbol = match visible.get(&name) {
                Some(found) => found.symbol,
                None => {
                    let described = describe(source, global, program, files);
                    let symbol = Symbol::Global(program.globals.push(described));
                    visible.insert(
                        name,
                        Visible {
                            symbol,
                            replaceable: true,
                        },
                    );
                    symbol
                }
            };
            self.values[index].insert(global, symbol);
        }
        for alias in source.module.aliases() {
            if let Some(found) = visible.get(&alias.name()).filter(|_| !alias.is_local()) {
                self.values[index].insert(alias, found.symbol);
            }
        }
    }
}

/// Makes a definition visible to other modules; a strong one replaces a weak one, otherwise the first stays.
fn offer(visible: &mut HashMap<String, Visible>, value: Value, symbol: Symbol) {
    if value.is_local() {
        return;
    }
    let new = Visible {
        symbol,
        replaceable: value.is_replaceable(),
    };
    visible
        .entry(value.name())
        .and_modify(|old| {
            if old.replaceable && !new.replaceable {
                *old = Visible { ..new };
            }
        })
        .or_insert(Visible {
            symbol,
            replaceable: new.replaceable,
        });
}

/// Globals that carry the coverage mapping, and LLVM's lists.
/// Constructors and destructors stay: the program runs them.
fn is_clangs_own(name: &str) -> bool {
    if ["llvm.global_ctors", "llvm.global_dtors"].contains(&name) {
        return false;
    }
    [
        "__covrec_",
        "__profn_",
        "__llvm_",
        "__profc_",
        "__profd_",
        "llvm.",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
}

fn describe(source: &Source, global: Value, program: &mut Program, files: &mut Files) -> Global {
    let ty = global.global_type();
    let align = global.alignment();
    Global {
        name: global.name(),
        internal: global.is_local(),
        constant: global.is_global_constant(),
        thread_local: global.is_thread_local(),
        size: if ty.is_sized() {
            source.module.alloc_size(ty)
        } else {
            0
        },
        align: if align == 0 { 1 } else { align },
        init: None,
        loc: files.loc(program, global),
    }
}
