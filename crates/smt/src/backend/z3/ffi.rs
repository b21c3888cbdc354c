#![allow(
    unsafe_code,
    reason = "the only foreign code of the crate: calls into libz3's C interface"
)]
//! The part of Z3's C interface that we use, loaded when the first backend is made.
//!
//! The library is found by the dynamic loader at run time, not linked: a machine without Z3 gets a message from us
//! ([`LoadError`]) instead of one from the loader, and building needs no Z3. Each AST that a [`Context`] makes is
//! referenced until the context is dropped, so an [`Ast`] is valid as long as its context; ASTs never leave the
//! backend that owns the context. They are given back one by one before the context is deleted: Z3 deletes what it finds still
//! referenced level by level, each time over all of it, which for a deep term takes longer than anybody waits. Z3's error handler is replaced by one that returns: errors are asked for.

pub(super) mod proofs;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::sync::{Arc, Mutex, OnceLock};

type Raw = *mut c_void;
/// `Z3_mk_…(context, a)`
pub(super) type Unary = unsafe extern "C" fn(Raw, Raw) -> Raw;
/// `Z3_mk_…(context, a, b)`
pub(super) type Binary = unsafe extern "C" fn(Raw, Raw, Raw) -> Raw;
/// `Z3_mk_…(context, a, b, c)`
pub(super) type Ternary = unsafe extern "C" fn(Raw, Raw, Raw, Raw) -> Raw;
/// `Z3_mk_…(context, n, a)`
pub(super) type Indexed = unsafe extern "C" fn(Raw, c_uint, Raw) -> Raw;
/// `Z3_mk_…(context)`
pub(super) type Nullary = unsafe extern "C" fn(Raw) -> Raw;
type Overflow = unsafe extern "C" fn(Raw, Raw, Raw, bool) -> Raw;
type Conversion = unsafe extern "C" fn(Raw, Raw, Raw, c_uint) -> Raw;

/// Why Z3 cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The loader did not find it: its own words.
    #[error("the Z3 library is missing ({0}); install it with: apt-get install libz3-4")]
    Missing(String),
    /// It lacks a function.
    #[error(
        "the Z3 library has no function {0}: it is too old or too new; 4.8.12 is known to work"
    )]
    Function(&'static str),
}

macro_rules! api {
    ($($field:ident : $symbol:literal : $type:ty,)*) => {
        /// The functions.
        pub(super) struct Api { $(pub(super) $field: $type,)* }

        impl Api {
            fn load() -> Result<Self, LoadError> {
                let library = open()?;
                $(
                    let name = concat!($symbol, "\0");
                    // SAFETY: the handle is open and never closed; the name ends in a zero byte.
                    let address = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                    if address.is_null() {
                        return Err(LoadError::Function($symbol));
                    }
                    // SAFETY: z3_api.h and z3_fpa.h declare the symbol with this type.
                    let $field = unsafe { std::mem::transmute::<Raw, $type>(address) };
                )*
                Ok(Self { $($field,)* })
            }
        }
    };
}

api! {
    version: "Z3_get_version": unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint),
    mk_config: "Z3_mk_config": unsafe extern "C" fn() -> Raw,
    del_config: "Z3_del_config": unsafe extern "C" fn(Raw),
    mk_context: "Z3_mk_context_rc": unsafe extern "C" fn(Raw) -> Raw,
    del_context: "Z3_del_context": unsafe extern "C" fn(Raw),
    set_error_handler: "Z3_set_error_handler": unsafe extern "C" fn(Raw, extern "C" fn(Raw, c_int)),
    error_code: "Z3_get_error_code": unsafe extern "C" fn(Raw) -> c_int,
    error_message: "Z3_get_error_msg": unsafe extern "C" fn(Raw, c_int) -> *const c_char,
    inc_ref: "Z3_inc_ref": unsafe extern "C" fn(Raw, Raw),
    interrupt: "Z3_interrupt": unsafe extern "C" fn(Raw),
    string_symbol: "Z3_mk_string_symbol": unsafe extern "C" fn(Raw, *const c_char) -> Raw,
    mk_params: "Z3_mk_params": Nullary,
    params_inc_ref: "Z3_params_inc_ref": unsafe extern "C" fn(Raw, Raw),
    params_dec_ref: "Z3_params_dec_ref": unsafe extern "C" fn(Raw, Raw),
    allocated: "Z3_get_estimated_alloc_size": unsafe extern "C" fn() -> u64,
    global_set: "Z3_global_param_set": unsafe extern "C" fn(*const c_char, *const c_char),
    params_set_uint: "Z3_params_set_uint": unsafe extern "C" fn(Raw, Raw, Raw, c_uint),
    mk_tactic: "Z3_mk_tactic": unsafe extern "C" fn(Raw, *const c_char) -> Raw,
    tactic_inc_ref: "Z3_tactic_inc_ref": unsafe extern "C" fn(Raw, Raw),
    tactic_dec_ref: "Z3_tactic_dec_ref": unsafe extern "C" fn(Raw, Raw),
    and_then: "Z3_tactic_and_then": Binary,
    tactic_solver: "Z3_mk_solver_from_tactic": Unary,
    simple_solver: "Z3_mk_simple_solver": Nullary,
    solver_inc_ref: "Z3_solver_inc_ref": unsafe extern "C" fn(Raw, Raw),
    solver_dec_ref: "Z3_solver_dec_ref": unsafe extern "C" fn(Raw, Raw),
    solver_set_params: "Z3_solver_set_params": unsafe extern "C" fn(Raw, Raw, Raw),
    solver_assert: "Z3_solver_assert": unsafe extern "C" fn(Raw, Raw, Raw),
    solver_push: "Z3_solver_push": unsafe extern "C" fn(Raw, Raw),
    solver_pop: "Z3_solver_pop": unsafe extern "C" fn(Raw, Raw, c_uint),
    solver_check: "Z3_solver_check": unsafe extern "C" fn(Raw, Raw) -> c_int,
    solver_reason: "Z3_solver_get_reason_unknown": unsafe extern "C" fn(Raw, Raw) -> *const c_char,
    solver_model: "Z3_solver_get_model": unsafe extern "C" fn(Raw, Raw) -> Raw,
    model_inc_ref: "Z3_model_inc_ref": unsafe extern "C" fn(Raw, Raw),
    model_dec_ref: "Z3_model_dec_ref": unsafe extern "C" fn(Raw, Raw),
    model_eval: "Z3_model_eval": unsafe extern "C" fn(Raw, Raw, Raw, bool, *mut Raw) -> bool,
    numeral_u64: "Z3_get_numeral_uint64": unsafe extern "C" fn(Raw, Raw, *mut u64) -> bool,
    is_numeral: "Z3_is_numeral_ast": unsafe extern "C" fn(Raw, Raw) -> bool,
    dec_ref: "Z3_dec_ref": unsafe extern "C" fn(Raw, Raw),
    bv_sort: "Z3_mk_bv_sort": unsafe extern "C" fn(Raw, c_uint) -> Raw,
    mk_const: "Z3_mk_const": Binary,
    unsigned: "Z3_mk_unsigned_int64": unsafe extern "C" fn(Raw, u64, Raw) -> Raw,
    mk_true: "Z3_mk_true": Nullary,
    mk_false: "Z3_mk_false": Nullary,
    eq: "Z3_mk_eq": Binary,
    not: "Z3_mk_not": Unary,
    ite: "Z3_mk_ite": Ternary,
    xor: "Z3_mk_xor": Binary,
    mk_and: "Z3_mk_and": unsafe extern "C" fn(Raw, c_uint, *const Raw) -> Raw,
    mk_or: "Z3_mk_or": unsafe extern "C" fn(Raw, c_uint, *const Raw) -> Raw,
    bvnot: "Z3_mk_bvnot": Unary,
    bvneg: "Z3_mk_bvneg": Unary,
    bvadd: "Z3_mk_bvadd": Binary,
    bvsub: "Z3_mk_bvsub": Binary,
    bvmul: "Z3_mk_bvmul": Binary,
    bvudiv: "Z3_mk_bvudiv": Binary,
    bvsdiv: "Z3_mk_bvsdiv": Binary,
    bvurem: "Z3_mk_bvurem": Binary,
    bvsrem: "Z3_mk_bvsrem": Binary,
    bvand: "Z3_mk_bvand": Binary,
    bvor: "Z3_mk_bvor": Binary,
    bvxor: "Z3_mk_bvxor": Binary,
    bvshl: "Z3_mk_bvshl": Binary,
    bvlshr: "Z3_mk_bvlshr": Binary,
    bvashr: "Z3_mk_bvashr": Binary,
    bvult: "Z3_mk_bvult": Binary,
    bvule: "Z3_mk_bvule": Binary,
    bvslt: "Z3_mk_bvslt": Binary,
    bvsle: "Z3_mk_bvsle": Binary,
    concat: "Z3_mk_concat": Binary,
    extract: "Z3_mk_extract": unsafe extern "C" fn(Raw, c_uint, c_uint, Raw) -> Raw,
    zext: "Z3_mk_zero_ext": Indexed,
    sext: "Z3_mk_sign_ext": Indexed,
    mul_no_overflow: "Z3_mk_bvmul_no_overflow": Overflow,
    fpa_sort: "Z3_mk_fpa_sort": unsafe extern "C" fn(Raw, c_uint, c_uint) -> Raw,
    rne: "Z3_mk_fpa_rne": Nullary,
    rna: "Z3_mk_fpa_rna": Nullary,
    rtp: "Z3_mk_fpa_rtp": Nullary,
    rtn: "Z3_mk_fpa_rtn": Nullary,
    rtz: "Z3_mk_fpa_rtz": Nullary,
    fpa_from_bits: "Z3_mk_fpa_to_fp_bv": Binary,
    fpa_to_bits: "Z3_mk_fpa_to_ieee_bv": Unary,
    fpa_is_nan: "Z3_mk_fpa_is_nan": Unary,
    fpa_neg: "Z3_mk_fpa_neg": Unary,
    fpa_abs: "Z3_mk_fpa_abs": Unary,
    fpa_add: "Z3_mk_fpa_add": Ternary,
    fpa_sub: "Z3_mk_fpa_sub": Ternary,
    fpa_mul: "Z3_mk_fpa_mul": Ternary,
    fpa_div: "Z3_mk_fpa_div": Ternary,
    fpa_sqrt: "Z3_mk_fpa_sqrt": Binary,
    fpa_round: "Z3_mk_fpa_round_to_integral": Binary,
    fpa_eq: "Z3_mk_fpa_eq": Binary,
    fpa_lt: "Z3_mk_fpa_lt": Binary,
    fpa_leq: "Z3_mk_fpa_leq": Binary,
    fpa_from_float: "Z3_mk_fpa_to_fp_float": Ternary,
    fpa_from_signed: "Z3_mk_fpa_to_fp_signed": Ternary,
    fpa_from_unsigned: "Z3_mk_fpa_to_fp_unsigned": Ternary,
    fpa_to_signed: "Z3_mk_fpa_to_sbv": Conversion,
    solver_for_logic: "Z3_mk_solver_for_logic": Unary,
    check_assumptions: "Z3_solver_check_assumptions": unsafe extern "C" fn(Raw, Raw, c_uint, *const Raw) -> c_int,
    solver_core: "Z3_solver_get_unsat_core": Unary,
    solver_statistics: "Z3_solver_get_statistics": Unary,
    stats_inc_ref: "Z3_stats_inc_ref": unsafe extern "C" fn(Raw, Raw),
    stats_dec_ref: "Z3_stats_dec_ref": unsafe extern "C" fn(Raw, Raw),
    stats_size: "Z3_stats_size": unsafe extern "C" fn(Raw, Raw) -> c_uint,
    stats_key: "Z3_stats_get_key": unsafe extern "C" fn(Raw, Raw, c_uint) -> *const c_char,
    stats_is_uint: "Z3_stats_is_uint": unsafe extern "C" fn(Raw, Raw, c_uint) -> bool,
    stats_uint: "Z3_stats_get_uint_value": unsafe extern "C" fn(Raw, Raw, c_uint) -> c_uint,
    vector_inc_ref: "Z3_ast_vector_inc_ref": unsafe extern "C" fn(Raw, Raw),
    vector_dec_ref: "Z3_ast_vector_dec_ref": unsafe extern "C" fn(Raw, Raw),
    vector_size: "Z3_ast_vector_size": unsafe extern "C" fn(Raw, Raw) -> c_uint,
    vector_get: "Z3_ast_vector_get": unsafe extern "C" fn(Raw, Raw, c_uint) -> Raw,
    bool_sort: "Z3_mk_bool_sort": Nullary,
    implies: "Z3_mk_implies": Binary,
    mk_func_decl: "Z3_mk_func_decl": unsafe extern "C" fn(Raw, Raw, c_uint, *const Raw, Raw) -> Raw,
    mk_app: "Z3_mk_app": unsafe extern "C" fn(Raw, Raw, c_uint, *const Raw) -> Raw,
    mk_forall: "Z3_mk_forall_const": unsafe extern "C" fn(Raw, c_uint, c_uint, *const Raw, c_uint, *const Raw, Raw) -> Raw,
    ast_to_string: "Z3_ast_to_string": unsafe extern "C" fn(Raw, Raw) -> *const c_char,
    update_param: "Z3_update_param_value": unsafe extern "C" fn(Raw, *const c_char, *const c_char),
    params_set_bool: "Z3_params_set_bool": unsafe extern "C" fn(Raw, Raw, Raw, bool),
    params_set_symbol: "Z3_params_set_symbol": unsafe extern "C" fn(Raw, Raw, Raw, Raw),
    mk_fixedpoint: "Z3_mk_fixedpoint": Nullary,
    fixedpoint_inc_ref: "Z3_fixedpoint_inc_ref": unsafe extern "C" fn(Raw, Raw),
    fixedpoint_dec_ref: "Z3_fixedpoint_dec_ref": unsafe extern "C" fn(Raw, Raw),
    fixedpoint_set_params: "Z3_fixedpoint_set_params": unsafe extern "C" fn(Raw, Raw, Raw),
    fixedpoint_register: "Z3_fixedpoint_register_relation": unsafe extern "C" fn(Raw, Raw, Raw),
    fixedpoint_add_rule: "Z3_fixedpoint_add_rule": unsafe extern "C" fn(Raw, Raw, Raw, Raw),
    fixedpoint_query: "Z3_fixedpoint_query": unsafe extern "C" fn(Raw, Raw, Raw) -> c_int,
    fixedpoint_answer: "Z3_fixedpoint_get_answer": Unary,
    fixedpoint_cover: "Z3_fixedpoint_get_cover_delta": unsafe extern "C" fn(Raw, Raw, c_int, Raw) -> Raw,
    fixedpoint_reason: "Z3_fixedpoint_get_reason_unknown": unsafe extern "C" fn(Raw, Raw) -> *const c_char,
}

fn open() -> Result<Raw, LoadError> {
    let mut why = String::new();
    for name in [c"libz3.so.4", c"libz3.so"] {
        // SAFETY: the name ends in a zero byte; libz3's initialisers have no preconditions.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if !handle.is_null() {
            return Ok(handle);
        }
        // SAFETY: called after a failed dlopen: a string, or null.
        let message = unsafe { libc::dlerror() };
        if why.is_empty() {
            why = text(message);
        }
    }
    Err(LoadError::Missing(why))
}

/// A C string that Z3 or the loader owns, copied.
fn text(message: *const c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the callers pass strings that end in a zero byte.
    unsafe { CStr::from_ptr(message) }
        .to_string_lossy()
        .into_owned()
}

extern "C" fn keep_going(_: Raw, _: c_int) {}

/// The loaded library.
pub(super) fn api() -> Result<&'static Api, LoadError> {
    static API: OnceLock<Result<Api, LoadError>> = OnceLock::new();
    API.get_or_init(|| {
        let api = Api::load()?;
        // What a float operation leaves open is never read (see the translation), so Z3 may fix it; as an
        // uninterpreted function it would end in "incomplete".
        // SAFETY: both strings end in zero bytes; nobody else uses the library yet.
        unsafe { (api.global_set)(c"rewriter.hi_fp_unspecified".as_ptr(), c"true".as_ptr()) };
        Ok(api)
    })
    .as_ref()
    .map_err(Clone::clone)
}

/// The library's version: major, minor, build.
pub(super) fn version() -> Result<[u32; 3], LoadError> {
    let (mut major, mut minor, mut build, mut revision) = (0, 0, 0, 0);
    // SAFETY: four places to write to.
    unsafe {
        (api()?.version)(
            &raw mut major,
            &raw mut minor,
            &raw mut build,
            &raw mut revision,
        )
    };
    Ok([major, minor, build])
}

/// A Z3 expression; valid while its context lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Ast(Raw);

/// A context and the ASTs it made.
pub(super) struct Context {
    pub(super) api: &'static Api,
    raw: Raw,
    /// Every reference that is held, in the order in which they were taken.
    kept: std::cell::RefCell<Vec<Raw>>,
    /// Chains of tactics, by their names; made once, because each holds simplifiers of its own.
    chains: std::cell::RefCell<Vec<(Tactics, Raw)>>,
    shared: Arc<Mutex<Shared>>,
}

/// Names of tactics, applied in this order.
pub(super) type Tactics = &'static [&'static CStr];

/// What another thread may touch: the context to interrupt, while it lives.
pub(super) struct Shared {
    cx: Option<Raw>,
    /// Somebody asked the check that runs, or ran last, to end.
    asked: bool,
}

// SAFETY: the pointer is used only for `Z3_interrupt`, which may be called from any thread, and under the lock
// that `Context::drop` takes before the context is deleted.
unsafe impl Send for Shared {}

impl Shared {
    /// Interrupts the context, if it still lives.
    pub(super) fn interrupt(&mut self, api: &Api) {
        self.asked = true;
        if let Some(raw) = self.cx {
            // SAFETY: the context lives: it takes itself out under the lock before it is deleted.
            unsafe { (api.interrupt)(raw) };
        }
    }

    /// No context yet.
    pub(super) fn empty() -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            cx: None,
            asked: false,
        }))
    }

    /// A check begins.
    pub(super) fn begin(&mut self) {
        self.asked = false;
    }

    /// Was the check asked to end?
    pub(super) fn is_asked(&self) -> bool {
        self.asked
    }

    /// The context belongs to a check that was left behind: nobody touches it any more.
    pub(super) fn leave_behind(&mut self) {
        self.cx = None;
    }
}

impl Context {
    pub(super) fn new(api: &'static Api, shared: Arc<Mutex<Shared>>) -> Self {
        // SAFETY: a new configuration makes a new context and is deleted after it.
        let raw = unsafe {
            let config = (api.mk_config)();
            let raw = (api.mk_context)(config);
            (api.del_config)(config);
            (api.set_error_handler)(raw, keep_going);
            raw
        };
        shared
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .cx = Some(raw);
        Self {
            api,
            raw,
            kept: std::cell::RefCell::default(),
            chains: std::cell::RefCell::default(),
            shared,
        }
    }

    /// Nobody interrupts it from now on.
    pub(super) fn settle(&self) {
        let mut shared = self
            .shared
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // Another context may have taken its place.
        if shared.cx == Some(self.raw) {
            shared.cx = None;
        }
    }

    /// Number of ASTs referenced.
    pub(super) fn made(&self) -> usize {
        self.kept.borrow().len()
    }

    /// Bytes that the library holds, for all contexts.
    pub(super) fn allocated(&self) -> u64 {
        // SAFETY: it reads a counter.
        unsafe { (self.api.allocated)() }
    }

    /// The last call's error, if it failed.
    pub(super) fn error(&self) -> Option<String> {
        // SAFETY: the context lives.
        let code = unsafe { (self.api.error_code)(self.raw) };
        // SAFETY: as above; the message belongs to the context.
        (code != 0).then(|| text(unsafe { (self.api.error_message)(self.raw, code) }))
    }

    /// References a new AST. Z3 returns null after an error, which is then found by [`Context::error`]; a harmless
    /// AST takes its place.
    fn keep(&self, raw: Raw) -> Ast {
        let raw = if raw.is_null() {
            // SAFETY: the context lives.
            unsafe { (self.api.mk_false)(self.raw) }
        } else {
            raw
        };
        // SAFETY: a valid AST of this context.
        unsafe { (self.api.inc_ref)(self.raw, raw) };
        self.kept.borrow_mut().push(raw);
        Ast(raw)
    }

    pub(super) fn nullary(&self, f: Nullary) -> Ast {
        // SAFETY: `f` is a Z3 constructor of this shape; the context lives.
        self.keep(unsafe { f(self.raw) })
    }

    pub(super) fn unary(&self, f: Unary, a: Ast) -> Ast {
        // SAFETY: as in `nullary`, and the argument is referenced.
        self.keep(unsafe { f(self.raw, a.0) })
    }

    pub(super) fn binary(&self, f: Binary, a: Ast, b: Ast) -> Ast {
        // SAFETY: as in `unary`.
        self.keep(unsafe { f(self.raw, a.0, b.0) })
    }

    pub(super) fn ternary(&self, f: Ternary, a: Ast, b: Ast, c: Ast) -> Ast {
        // SAFETY: as in `unary`.
        self.keep(unsafe { f(self.raw, a.0, b.0, c.0) })
    }

    pub(super) fn indexed(&self, f: Indexed, n: u16, a: Ast) -> Ast {
        // SAFETY: as in `unary`.
        self.keep(unsafe { f(self.raw, c_uint::from(n), a.0) })
    }

    pub(super) fn and(&self, a: Ast, b: Ast) -> Ast {
        // SAFETY: as in `unary`; the array has two elements.
        self.keep(unsafe { (self.api.mk_and)(self.raw, 2, [a.0, b.0].as_ptr()) })
    }

    pub(super) fn or(&self, a: Ast, b: Ast) -> Ast {
        // SAFETY: as in `and`.
        self.keep(unsafe { (self.api.mk_or)(self.raw, 2, [a.0, b.0].as_ptr()) })
    }

    pub(super) fn extract(&self, a: Ast, low: u16, bits: u16) -> Ast {
        let high = c_uint::from(low + bits - 1);
        // SAFETY: as in `unary`.
        self.keep(unsafe { (self.api.extract)(self.raw, high, c_uint::from(low), a.0) })
    }

    /// Whether the unsigned product fits.
    pub(super) fn mul_no_overflow(&self, a: Ast, b: Ast) -> Ast {
        // SAFETY: as in `unary`.
        self.keep(unsafe { (self.api.mul_no_overflow)(self.raw, a.0, b.0, false) })
    }

    pub(super) fn float_to_signed(&self, mode: Ast, a: Ast, bits: u16) -> Ast {
        // SAFETY: as in `unary`.
        self.keep(unsafe { (self.api.fpa_to_signed)(self.raw, mode.0, a.0, c_uint::from(bits)) })
    }

    pub(super) fn bv_sort(&self, bits: u16) -> Ast {
        // SAFETY: the context lives; sorts are ASTs.
        self.keep(unsafe { (self.api.bv_sort)(self.raw, c_uint::from(bits)) })
    }

    pub(super) fn float_sort(&self, bits: u16) -> Ast {
        let (exponent, significand) = match bits {
            32 => (8, 24),
            64 => (11, 53),
            _ => (15, 64),
        };
        // SAFETY: as in `bv_sort`.
        self.keep(unsafe { (self.api.fpa_sort)(self.raw, exponent, significand) })
    }

    /// A bit-vector constant of up to 64 bits.
    pub(super) fn word(&self, bits: u16, value: u64) -> Ast {
        let sort = self.bv_sort(bits);
        // SAFETY: the sort is referenced.
        self.keep(unsafe { (self.api.unsigned)(self.raw, value, sort.0) })
    }

    /// These tactics, one after the other; `None` if there are none.
    fn chain(&self, tactics: Tactics) -> Option<Raw> {
        let known = self
            .chains
            .borrow()
            .iter()
            .find(|(names, _)| *names == tactics)
            .map(|known| known.1);
        if known.is_some() {
            return known;
        }
        let mut chain: Option<Raw> = None;
        for name in tactics {
            // SAFETY: the name ends in a zero byte; tactics are referenced as soon as they are made, and given back when
            // the next one holds them.
            chain = Some(unsafe {
                let next = (self.api.mk_tactic)(self.raw, name.as_ptr());
                (self.api.tactic_inc_ref)(self.raw, next);
                match chain {
                    None => next,
                    Some(first) => {
                        let both = (self.api.and_then)(self.raw, first, next);
                        (self.api.tactic_inc_ref)(self.raw, both);
                        (self.api.tactic_dec_ref)(self.raw, first);
                        (self.api.tactic_dec_ref)(self.raw, next);
                        both
                    }
                }
            });
        }
        if let Some(chain) = chain {
            self.chains.borrow_mut().push((tactics, chain));
        }
        chain
    }

    /// The constant named `name`.
    pub(super) fn named(&self, name: &str, sort: Ast) -> Ast {
        let name = CString::new(name).expect("our names have no zero bytes");
        // SAFETY: the name ends in a zero byte and Z3 copies it; the sort is referenced.
        self.keep(unsafe {
            (self.api.mk_const)(
                self.raw,
                (self.api.string_symbol)(self.raw, name.as_ptr()),
                sort.0,
            )
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.settle();
        for (_, chain) in self.chains.borrow_mut().drain(..) {
            // SAFETY: the context lives, and the chain is referenced by us.
            unsafe { (self.api.tactic_dec_ref)(self.raw, chain) };
        }
        // Users come after what they are built of, so each goes by itself.
        for raw in self.kept.borrow_mut().drain(..).rev() {
            // SAFETY: the context lives, and the AST is referenced by us.
            unsafe { (self.api.dec_ref)(self.raw, raw) };
        }
        // SAFETY: nobody else can reach the context now.
        unsafe { (self.api.del_context)(self.raw) };
    }
}

/// Z3's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Sat,
    Unsat,
    Unknown,
}

/// A check that any thread may run.
pub(super) struct Check {
    api: &'static Api,
    cx: Raw,
    solver: Raw,
}

// SAFETY: Z3 keeps nothing of a context in its threads, so they may use it one after the other; who makes a check waits for it.
unsafe impl Send for Check {}

impl Check {
    pub(super) fn run(self) -> Verdict {
        // SAFETY: solver and context live until the check is done; if it is left behind, for ever.
        match unsafe { (self.api.solver_check)(self.cx, self.solver) } {
            1 => Verdict::Sat,
            -1 => Verdict::Unsat,
            _ => Verdict::Unknown,
        }
    }
}

/// A Z3 solver; to be dropped before its context.
pub(super) struct Z3Solver {
    raw: Raw,
}

impl Z3Solver {
    /// The sequence of tactics as a solver; the core solver if there are none.
    pub(super) fn new(cx: &Context, tactics: Tactics) -> Self {
        let chain = cx.chain(tactics);
        // SAFETY: the tactic is referenced; so is the solver, from here until `drop_in`.
        let raw = unsafe {
            let raw = match chain {
                Some(tactic) => (cx.api.tactic_solver)(cx.raw, tactic),
                None => (cx.api.simple_solver)(cx.raw),
            };
            (cx.api.solver_inc_ref)(cx.raw, raw);
            raw
        };
        Self { raw }
    }

    /// Sets one numeric parameter for each pair. During a check Z3 would take Ctrl-C for itself, and the program would never hear
    /// of it: that is switched off.
    pub(super) fn set(&self, cx: &Context, parameters: &[(&CStr, u32)]) {
        // SAFETY: the parameter set is referenced while it is used; names end in zero bytes.
        unsafe {
            let params = (cx.api.mk_params)(cx.raw);
            (cx.api.params_inc_ref)(cx.raw, params);
            for (name, value) in parameters {
                (cx.api.params_set_uint)(
                    cx.raw,
                    params,
                    (cx.api.string_symbol)(cx.raw, name.as_ptr()),
                    *value,
                );
            }
            let ctrl_c = (cx.api.string_symbol)(cx.raw, c"ctrl_c".as_ptr());
            (cx.api.params_set_bool)(cx.raw, params, ctrl_c, false);
            (cx.api.solver_set_params)(cx.raw, self.raw, params);
            (cx.api.params_dec_ref)(cx.raw, params);
        }
    }

    pub(super) fn push(&self, cx: &Context) {
        // SAFETY: solver and context live.
        unsafe { (cx.api.solver_push)(cx.raw, self.raw) };
    }

    pub(super) fn pop(&self, cx: &Context, levels: u32) {
        // SAFETY: solver and context live; the caller pushed as many levels.
        unsafe { (cx.api.solver_pop)(cx.raw, self.raw, levels) };
    }

    pub(super) fn assert(&self, cx: &Context, constraint: Ast) {
        // SAFETY: solver, context and AST live.
        unsafe { (cx.api.solver_assert)(cx.raw, self.raw, constraint.0) };
    }

    /// The check of what was asserted. Until it is done, or left behind, nobody else may use the context.
    pub(super) fn check(&self, cx: &Context) -> Check {
        Check {
            api: cx.api,
            cx: cx.raw,
            solver: self.raw,
        }
    }

    pub(super) fn reason(&self, cx: &Context) -> String {
        // SAFETY: solver and context live; the string belongs to the context.
        text(unsafe { (cx.api.solver_reason)(cx.raw, self.raw) })
    }

    /// The values of `asts`, bit-vectors of up to 64 bits, in the model of the last check; `None` for those that
    /// may have any value. No value at all if there is no model.
    pub(super) fn values(&self, cx: &Context, asts: &[Ast]) -> Option<Vec<Option<u64>>> {
        // SAFETY: solver and context live; the model is referenced while it is used, and so is each value.
        unsafe {
            let model = (cx.api.solver_model)(cx.raw, self.raw);
            if model.is_null() {
                return None;
            }
            (cx.api.model_inc_ref)(cx.raw, model);
            let mut values = Vec::with_capacity(asts.len());
            for ast in asts {
                let (mut value, mut number) = (std::ptr::null_mut(), 0u64);
                let known = (cx.api.model_eval)(cx.raw, model, ast.0, false, &raw mut value)
                    && !value.is_null();
                if !known {
                    values.push(None);
                    continue;
                }
                (cx.api.inc_ref)(cx.raw, value);
                let is_number = (cx.api.is_numeral)(cx.raw, value)
                    && (cx.api.numeral_u64)(cx.raw, value, &raw mut number);
                values.push(is_number.then_some(number));
                (cx.api.dec_ref)(cx.raw, value);
            }
            (cx.api.model_dec_ref)(cx.raw, model);
            Some(values)
        }
    }

    /// Gives the solver back. Without this call it lives as long as its context.
    pub(super) fn drop_in(self, cx: &Context) {
        // SAFETY: solver and context live; the solver is not used again.
        unsafe { (cx.api.solver_dec_ref)(cx.raw, self.raw) };
    }
}
