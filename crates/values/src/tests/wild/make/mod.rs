//! Random programs that use all of the model that the analysis follows: accesses of every width at every offset, pointers to several
//! objects, blocks that are copied and filled, calls with pointers, objects on the heap and in recursive functions, conversions, guards
//! of every predicate and width, floating-point numbers, functions outside of the program.

mod numbers;
mod places;
mod statements;

use std::collections::BTreeMap;

use program::{
    BinOp, BlockId, Callee, CastOp, Const, Extern, ExternId, FBinOp, FCmp, FuncId, Function,
    Global, GlobalId, ICmp, Init, Intrinsic, MemOp, Op, Operand, Program, Relocation,
    RelocationTarget, SiteId, SiteKind, Terminator, Type, ValueId,
};

use super::super::{random, sites};

/// Functions besides `main`.
const HELPERS: u32 = 4;
/// Bytes of the objects that most accesses are of.
pub const SMALL: u64 = 16;
/// Bytes of an array that is too large to be looked at element by element.
const LARGE: u64 = 4096;
const WIDTHS: [u32; 9] = [8, 8, 16, 16, 32, 32, 64, 64, 24];

/// Functions outside of the program: name, result, parameters.
const EXTERNS: &[(&str, Type, &[Type])] = &[
    ("__VERIFIER_nondet_char", Type::Int(8), &[]),
    ("__VERIFIER_nondet_int", Type::Int(32), &[]),
    ("__VERIFIER_nondet_long", Type::Int(64), &[]),
    ("exit", Type::Void, &[Type::Int(32)]),
    ("__VERIFIER_assume", Type::Void, &[Type::Int(32)]),
    ("strlen", Type::Int(64), &[Type::Ptr]),
    (
        "read",
        Type::Int(64),
        &[Type::Int(32), Type::Ptr, Type::Int(64)],
    ),
    ("strchr", Type::Ptr, &[Type::Ptr, Type::Int(32)]),
    ("fgets", Type::Ptr, &[Type::Ptr, Type::Int(32), Type::Ptr]),
    ("strcpy", Type::Ptr, &[Type::Ptr, Type::Ptr]),
    ("malloc", Type::Ptr, &[Type::Int(64)]),
    ("calloc", Type::Ptr, &[Type::Int(64), Type::Int(64)]),
    ("outside", Type::Int(32), &[Type::Ptr]),
    ("another", Type::Ptr, &[Type::Int(64)]),
    ("signal", Type::Ptr, &[Type::Int(32), Type::Ptr]),
];

/// What a program has, besides functions.
struct Names {
    small: Vec<GlobalId>,
    large: GlobalId,
    pointers: Vec<GlobalId>,
    hook: GlobalId,
    outer: GlobalId,
    table: GlobalId,
    externs: BTreeMap<&'static str, ExternId>,
}

pub struct Maker<'r> {
    random: &'r mut dyn FnMut(u32) -> u32,
    program: Program,
    names: Names,
    helpers: Vec<FuncId>,
    function: Function,
    id: FuncId,
    block: BlockId,
    /// Values that may be used here.
    pool: Vec<(Type, ValueId)>,
    /// Bytes behind an address that are there for sure, or nearly so.
    room: BTreeMap<ValueId, u64>,
    sites: Vec<(BlockId, SiteKind)>,
    /// Instructions that may still be made of this function.
    left: u32,
}

fn int(bits: u32, value: u128) -> Operand {
    Operand::Const(Const::int(bits, value))
}

fn address(global: GlobalId, offset: i64) -> Operand {
    Operand::Const(Const::Global { global, offset })
}

impl Maker<'_> {
    fn one_of(&mut self, count: usize) -> usize {
        (self.random)(count as u32) as usize
    }

    fn chance(&mut self, one_in: u32) -> bool {
        (self.random)(one_in) == 0
    }

    fn add(&mut self, ty: Type, op: Op) -> ValueId {
        self.left = self.left.saturating_sub(1);
        self.function.append(self.block, ty, op, None, None)
    }

    /// An instruction whose value is used later, too.
    fn keep(&mut self, ty: Type, op: Op) -> Operand {
        let value = self.add(ty.clone(), op);
        self.pool.push((ty, value));
        value.into()
    }

    fn pooled(&mut self, ty: &Type) -> Option<Operand> {
        let fits: Vec<ValueId> = self
            .pool
            .iter()
            .filter(|(own, _)| own == ty)
            .map(|(_, value)| *value)
            .collect();
        if fits.is_empty() {
            return None;
        }
        // Rather one of the last.
        let at = self.one_of(fits.len()).max(self.one_of(fits.len()));
        Some(fits[at].into())
    }

    fn outside(&mut self, name: &str, args: Vec<Operand>) -> Operand {
        let known = self.names.externs[name];
        let ty = self.program.externs[known].return_type.clone();
        let op = Op::Call {
            callee: Callee::Extern(known),
            args,
            variadic: false,
        };
        match ty {
            Type::Void => self.add(ty, op).into(),
            ty => self.keep(ty, op),
        }
    }

    fn width(&mut self) -> u32 {
        WIDTHS[self.one_of(WIDTHS.len())]
    }

    fn branch(&mut self, cond: Operand, then: BlockId, els: BlockId) {
        if sites::counted(&mut self.function, self.block, &cond) {
            self.sites.push((self.block, SiteKind::Select));
        }
        let terminator = Terminator::CondBr {
            cond,
            then,
            els,
            site: SiteId::from_u32(u32::MAX),
        };
        self.function.terminate(self.block, terminator, None);
        self.sites.push((self.block, SiteKind::Branch));
    }

    fn jump(&mut self, target: BlockId) {
        self.function
            .terminate(self.block, Terminator::Br { target }, None);
    }

    /// A new block, where what is known can be looked at.
    fn cut(&mut self) {
        let next = self.function.add_block();
        self.jump(next);
        self.block = next;
    }

    fn any_type(&mut self) -> Type {
        match (self.random)(10) {
            0 => Type::F64,
            1 => Type::F32,
            2 => Type::Ptr,
            3 => Type::BOOL,
            _ => Type::Int(self.width()),
        }
    }

    fn any_value(&mut self, ty: &Type, depth: u32) -> Operand {
        match ty {
            Type::Ptr if self.chance(6) => self.pointer(depth),
            Type::Ptr => self.place(8, depth),
            Type::F32 | Type::F64 => self.real(ty.clone(), depth),
            Type::Int(1) => self.condition(depth),
            Type::Int(bits) => self.number(*bits, depth),
            other => panic!("{other:?} is not made"),
        }
    }

    /// The function returns what it has; its sites are numbered in the order of the blocks.
    fn finish(&mut self, result: Option<Operand>) {
        let ty = self.function.return_type.clone();
        let result = result.unwrap_or_else(|| self.any_value(&ty, 1));
        let terminator = Terminator::Ret {
            value: Some(result),
        };
        self.function.terminate(self.block, terminator, None);
        let mut function = std::mem::replace(&mut self.function, Function::new("next"));
        let sites = std::mem::take(&mut self.sites);
        sites::number(&mut self.program, self.id, &mut function, sites);
        let id = self.program.add_function(function);
        assert_eq!(id, self.id);
        self.helpers.push(id);
    }

    /// Functions return a number, a code or an address.
    fn helper(&mut self, at: u32) {
        self.function = Function::new(format!("helper{at}"));
        self.function.return_type = if at == 2 { Type::Ptr } else { Type::Int(32) };
        self.id = FuncId::from_u32(at);
        self.left = 40;
        let place = self.function.add_param(Type::Ptr);
        let number = self.function.add_param(Type::Int(32));
        self.pool = vec![(Type::Ptr, place), (Type::Int(32), number)];
        self.room = BTreeMap::from([(place, 8)]);
        self.block = self.function.add_block();
        self.cut();
        self.statement(2);
        self.statement(1);
        if at == 1 {
            self.recursive(number.into());
        }
        if at == 3 {
            // It says by a code whether it has written.
            let cond = self.condition(2);
            let [then, els] = [0; 2].map(|_| self.function.add_block());
            self.branch(cond, then, els);
            self.block = then;
            self.put(place.into(), int(32, 7));
            let join = self.function.add_block();
            self.jump(join);
            self.function
                .terminate(els, Terminator::Br { target: join }, None);
            self.block = join;
            let incoming = vec![(then, int(32, 0)), (els, int(32, u128::MAX))];
            let code = self.add(Type::Int(32), Op::Phi { incoming });
            return self.finish(Some(code.into()));
        }
        self.finish(None);
    }

    fn start(&mut self) {
        self.function = Function::new("main");
        self.function.return_type = Type::Int(32);
        self.id = FuncId::from_u32(HELPERS);
        self.left = 130;
        self.pool.clear();
        self.room.clear();
        self.block = self.function.add_block();
        self.alloca();
        for _ in 0..7 {
            self.statement(3);
        }
        self.finish(None);
    }
}

/// A program from a seed. `anytime`: a function of it may run at any time.
pub fn program(seed: u64, anytime: bool) -> Program {
    let mut random = random::numbers(seed);
    let mut program = Program::new();
    program.add_module(1, "wild.c");
    let mut add =
        |name: &str, size: u64, bytes: Option<Vec<u8>>, to: &[(u64, RelocationTarget)]| {
            let relocations = to.iter().map(|&(offset, to)| Relocation {
                offset,
                to,
                addend: 0,
            });
            let init = bytes.map(|bytes| Init {
                bytes,
                relocations: relocations.collect(),
                unknown: Vec::new(),
            });
            program.globals.push(Global {
                name: name.to_owned(),
                internal: init.is_some(),
                constant: name == "table",
                thread_local: false,
                size,
                align: 8,
                init,
                loc: None,
            })
        };
    let to_function = RelocationTarget::Function(FuncId::from_u32(0));
    let small = vec![
        add("zeros", SMALL, Some(Vec::new()), &[]),
        add("bytes", SMALL, Some((1..=16).collect()), &[]),
        add("four", 4, Some(vec![5, 0, 0, 0]), &[]),
    ];
    let to = |at: usize| RelocationTarget::Global(small[at]);
    let pointers = vec![
        add("first", 8, Some(vec![0; 8]), &[(0, to(0))]),
        add("second", 8, Some(vec![0; 8]), &[(0, to(1))]),
        // A struct with a number and an address.
        add("node", SMALL, Some(vec![3; 8]), &[(8, to(2))]),
    ];
    let names = Names {
        large: add("large", LARGE, Some(Vec::new()), &[]),
        hook: add("hook", 8, Some(vec![0; 8]), &[(0, to_function)]),
        outer: add("outer", 8, None, &[]),
        table: add("table", SMALL, Some((100..116).collect()), &[]),
        small,
        pointers,
        externs: BTreeMap::new(),
    };
    let mut maker = Maker {
        random: &mut random,
        program,
        names,
        helpers: Vec::new(),
        function: Function::new("helper0"),
        id: FuncId::from_u32(0),
        block: Function::ENTRY,
        pool: Vec::new(),
        room: BTreeMap::new(),
        sites: Vec::new(),
        left: 0,
    };
    for (name, result, params) in EXTERNS {
        if *name == "signal" && !anytime {
            continue;
        }
        let known = maker.program.externs.push(Extern {
            name: (*name).to_owned(),
            return_type: result.clone(),
            params: params.to_vec(),
            variadic: false,
            weak: false,
        });
        maker.names.externs.insert(name, known);
    }
    for at in 0..HELPERS {
        maker.helper(at);
    }
    maker.start();
    if anytime {
        handler(&mut maker.program);
    }
    maker.program
}

/// `main` is another function, which names a handler first.
fn handler(program: &mut Program) {
    let main = program.function_named("main").expect("it was made");
    program.functions[main].name = "inner".to_owned();
    let signal = program
        .externs
        .iter()
        .find(|(_, known)| known.name == "signal")
        .map(|(id, _)| id);
    let mut function = Function::new("main");
    function.return_type = Type::Int(32);
    let block = function.add_block();
    let handler = Operand::Const(Const::Function(FuncId::from_u32(0)));
    let op = Op::Call {
        callee: Callee::Extern(signal.expect("it was made")),
        args: vec![int(32, 10), handler],
        variadic: false,
    };
    function.append(block, Type::Ptr, op, None, None);
    let op = Op::Call {
        callee: Callee::Direct(main),
        args: Vec::new(),
        variadic: false,
    };
    let result = function.append(block, Type::Int(32), op, None, None);
    let terminator = Terminator::Ret {
        value: Some(result.into()),
    };
    function.terminate(block, terminator, None);
    program.add_function(function);
}
