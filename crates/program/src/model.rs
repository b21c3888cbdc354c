//! The program: modules, functions, globals, sites with their edges, spots, and the coverage mapping.
//!
//! What belongs to one module has consecutive ids: add a module, then everything in it, then the next module.

use crate::coverage::FunctionCoverage;
use crate::entity::PrimaryMap;
use crate::function::{Extern, Function};
use crate::id::{BlockId, EdgeId, ExternId, FuncId, GlobalId, ModuleId, SiteId, SpotId, ValueId};
use crate::inst::SiteKind;
use crate::place::{Loc, SourceRange};
use crate::types::DataLayout;

/// A whole program, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub layout: DataLayout,
    pub modules: PrimaryMap<ModuleId, Module>,
    pub functions: PrimaryMap<FuncId, Function>,
    pub externs: PrimaryMap<ExternId, Extern>,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub sites: PrimaryMap<SiteId, Site>,
    pub edges: PrimaryMap<EdgeId, Edge>,
    pub spots: PrimaryMap<SpotId, Spot>,
    pub coverage: Vec<FunctionCoverage>,
    /// Paths of source files, as the compiler wrote them.
    pub files: Vec<String>,
}

/// One module and the ranges of its ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Hash of its bitcode: joins it with what the running program registers.
    pub uid: u64,
    pub name: String,
    pub first_edge: EdgeId,
    pub edges: u32,
    pub first_function: FuncId,
    pub functions: u32,
    pub first_spot: SpotId,
    pub spots: u32,
}

/// A place where the path splits, or is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub kind: SiteKind,
    pub function: FuncId,
    pub block: BlockId,
    pub first_edge: EdgeId,
    pub edges: u32,
    pub loc: Option<Loc>,
    /// Text of the condition.
    pub range: Option<SourceRange>,
}

/// One way to leave a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub site: SiteId,
    /// Its number in the site: false 0, true 1; the number of the case.
    pub side: u32,
    /// The block that it leads to; `None` for select and probe sites.
    pub target: Option<BlockId>,
    /// Profile counters of the function that are incremented on the straight-line stretch after it.
    pub counters: Vec<u32>,
}

/// An instruction that can lose symbolism or record a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub function: FuncId,
    pub loc: Option<Loc>,
    /// What it is: `load`, `call printf`.
    pub what: String,
}

/// A global variable or constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    pub name: String,
    /// Not visible outside its module.
    pub internal: bool,
    pub constant: bool,
    pub thread_local: bool,
    /// Bytes; 0 when the program does not know it.
    pub size: u64,
    pub align: u32,
    /// `None`: defined outside the program.
    pub init: Option<Init>,
    pub loc: Option<Loc>,
}

/// What a global holds at the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Init {
    /// As in memory; what is missing at the end is 0.
    pub bytes: Vec<u8>,
    /// Addresses to be written over the bytes, in the order of their offsets.
    pub relocations: Vec<Relocation>,
    /// Bytes that the model does not know: addresses of labels, differences of addresses. In the order of their offsets.
    pub unknown: Vec<Gap>,
}

impl Init {
    /// Whether the model knows what is there, from one offset up to another.
    #[must_use]
    pub fn is_known(&self, offset: u64, end: u64) -> bool {
        let is_there = |gap: &Gap| gap.offset < end && offset < gap.offset.saturating_add(gap.size);
        !self.unknown.iter().any(is_there)
    }
}

/// Bytes of an initial value that are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gap {
    /// Where in the global, in bytes.
    pub offset: u64,
    pub size: u64,
}

/// An address in the initial value of a global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relocation {
    /// Where in the global, in bytes.
    pub offset: u64,
    pub to: RelocationTarget,
    /// Bytes to be added to the address.
    pub addend: i64,
}

/// Whose address it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelocationTarget {
    Global(GlobalId),
    Function(FuncId),
    Extern(ExternId),
}

impl Program {
    /// An empty program for LP64.
    #[must_use]
    pub fn new() -> Program {
        Program::default()
    }

    /// Starts a module. What is added afterwards belongs to it.
    pub fn add_module(&mut self, uid: u64, name: impl Into<String>) -> ModuleId {
        self.modules.push(Module {
            uid,
            name: name.into(),
            first_edge: self.edges.next_key(),
            edges: 0,
            first_function: self.functions.next_key(),
            functions: 0,
            first_spot: self.spots.next_key(),
            spots: 0,
        })
    }

    /// Adds a function to the last module.
    ///
    /// # Panics
    /// Like all of these, when no module was added.
    pub fn add_function(&mut self, mut function: Function) -> FuncId {
        function.module = self.last_module();
        self.modules[function.module].functions += 1;
        self.functions.push(function)
    }

    /// Adds a site to the last module, and its edges: for each the block that it leads to, and its counters.
    pub fn add_site(
        &mut self,
        kind: SiteKind,
        function: FuncId,
        block: BlockId,
        loc: Option<Loc>,
        edges: impl IntoIterator<Item = (Option<BlockId>, Vec<u32>)>,
    ) -> SiteId {
        let first_edge = self.edges.next_key();
        let site = self.sites.next_key();
        let mut count = 0;
        for (target, counters) in edges {
            self.edges.push(Edge {
                site,
                side: count,
                target,
                counters,
            });
            count += 1;
        }
        let module = self.last_module();
        self.modules[module].edges += count;
        self.sites.push(Site {
            kind,
            function,
            block,
            first_edge,
            edges: count,
            loc,
            range: None,
        })
    }

    /// Adds a spot to the last module.
    pub fn add_spot(
        &mut self,
        function: FuncId,
        loc: Option<Loc>,
        what: impl Into<String>,
    ) -> SpotId {
        let module = self.last_module();
        self.modules[module].spots += 1;
        self.spots.push(Spot {
            function,
            loc,
            what: what.into(),
        })
    }

    /// Index of a source file in `files`; adds it when it is new.
    pub fn file(&mut self, path: &str) -> u32 {
        let found = self.files.iter().position(|file| file == path);
        let index = found.unwrap_or_else(|| {
            self.files.push(path.to_owned());
            self.files.len() - 1
        });
        u32::try_from(index).expect("fewer than 2^32 files")
    }

    /// The function of this name.
    #[must_use]
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions
            .iter()
            .find(|(_, function)| function.name == name)
            .map(|(id, _)| id)
    }

    /// Functions that run before `main` without being called, in order: constructors.
    #[must_use]
    pub fn constructors(&self) -> Vec<FuncId> {
        self.listed("llvm.global_ctors")
    }

    /// Functions that run behind `main` without being called, the last one first: destructors.
    #[must_use]
    pub fn destructors(&self) -> Vec<FuncId> {
        self.listed("llvm.global_dtors")
    }

    /// Where code begins to run in a program that starts in `main`: constructors and destructors as well.
    #[must_use]
    pub fn starts(&self, main: FuncId) -> Vec<FuncId> {
        [vec![main], self.constructors(), self.destructors()].concat()
    }

    /// Functions of a list of constructors or destructors: by rising priority, then as they stand there.
    fn listed(&self, list: &str) -> Vec<FuncId> {
        let pointer = u64::from(self.layout.pointer_bits / 8);
        let lists = self.globals.values().filter(|global| global.name == list);
        let mut found = Vec::new();
        for init in lists.filter_map(|global| global.init.as_ref()) {
            for relocation in &init.relocations {
                let RelocationTarget::Function(function) = relocation.to else {
                    continue;
                };
                // Each begins with a priority, a pointer's width before the function. Zeros at the end are left out.
                let at = relocation.offset.saturating_sub(pointer) as usize;
                let byte = |byte| init.bytes.get(at + byte).copied().unwrap_or(0);
                found.push((u32::from_le_bytes([0, 1, 2, 3].map(byte)), function));
            }
        }
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, function)| function).collect()
    }

    /// The edges of a site, in order.
    pub fn edges_of(
        &self,
        site: SiteId,
    ) -> impl DoubleEndedIterator<Item = EdgeId> + ExactSizeIterator + use<> {
        let Site {
            first_edge, edges, ..
        } = self.sites[site];
        (0..edges).map(move |side| first_edge.plus(side))
    }

    /// The number, in its block, of the instruction that a site stands at; `None`: it stands at the terminator.
    #[must_use]
    pub fn inst_of_site(&self, id: SiteId) -> Option<usize> {
        let site = &self.sites[id];
        let body = &self.functions[site.function];
        let stands = |value: &ValueId| {
            let inst = body.inst(*value);
            inst.is_some_and(|inst| inst.op.site() == Some(id))
        };
        body.blocks[site.block].insts.iter().position(stands)
    }

    /// The edge of a site with this number.
    ///
    /// # Panics
    /// When the site has no such edge.
    #[must_use]
    pub fn edge(&self, site: SiteId, side: u32) -> EdgeId {
        let Site {
            first_edge, edges, ..
        } = self.sites[site];
        assert!(side < edges, "{site} has no side {side}");
        first_edge.plus(side)
    }

    /// The function that an edge belongs to.
    #[must_use]
    pub fn function_of(&self, edge: EdgeId) -> FuncId {
        self.sites[self.edges[edge].site].function
    }

    /// The other edges of the same site.
    pub fn siblings(&self, edge: EdgeId) -> impl Iterator<Item = EdgeId> + use<> {
        self.edges_of(self.edges[edge].site)
            .filter(move |&other| other != edge)
    }

    fn last_module(&self) -> ModuleId {
        self.modules.keys().next_back().expect("a module was added")
    }
}
