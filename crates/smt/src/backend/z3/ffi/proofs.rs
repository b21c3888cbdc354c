//! What proofs need of Z3's interface: assumptions and cores, and the engine for Horn clauses.

use std::ffi::{CStr, CString, c_uint};

use super::{Ast, Context, Raw, Verdict, Z3Solver, text};

impl Z3Solver {
    /// The solver for queries of bit-vectors alone.
    pub(in super::super) fn for_bit_vectors(cx: &Context) -> Z3Solver {
        // SAFETY: the name ends in a zero byte; the solver is referenced until `drop_in`.
        let raw = unsafe {
            let logic = (cx.api.string_symbol)(cx.raw, c"QF_BV".as_ptr());
            let raw = (cx.api.solver_for_logic)(cx.raw, logic);
            (cx.api.solver_inc_ref)(cx.raw, raw);
            raw
        };
        Z3Solver { raw }
    }

    /// Checks the assertions together with these Boolean constants.
    pub(in super::super) fn check_assumptions(&self, cx: &Context, assumptions: &[Ast]) -> Verdict {
        let raw: Vec<Raw> = assumptions.iter().map(|ast| ast.0).collect();
        let count = raw.len() as c_uint;
        // SAFETY: solver, context and assumptions live; the array has so many elements.
        match unsafe { (cx.api.check_assumptions)(cx.raw, self.raw, count, raw.as_ptr()) } {
            1 => Verdict::Sat,
            -1 => Verdict::Unsat,
            _ => Verdict::Unknown,
        }
    }

    /// Units of `rlimit` that the context has spent; they wrap. `None` where Z3 does not say.
    pub(in super::super) fn spent(&self, cx: &Context) -> Option<u32> {
        // SAFETY: solver and context live; the statistics are referenced while they are read, indices are below their size, and a key
        // is a string that belongs to the context.
        unsafe {
            let stats = (cx.api.solver_statistics)(cx.raw, self.raw);
            if stats.is_null() {
                return None;
            }
            (cx.api.stats_inc_ref)(cx.raw, stats);
            let size = (cx.api.stats_size)(cx.raw, stats);
            let is_count = |&at: &c_uint| {
                (cx.api.stats_is_uint)(cx.raw, stats, at)
                    && text((cx.api.stats_key)(cx.raw, stats, at)) == "rlimit count"
            };
            let count = (0..size)
                .find(is_count)
                .map(|at| (cx.api.stats_uint)(cx.raw, stats, at));
            (cx.api.stats_dec_ref)(cx.raw, stats);
            count
        }
    }

    /// Which of the last check's assumptions are enough for its "unsat": their places.
    pub(in super::super) fn core(&self, cx: &Context, assumptions: &[Ast]) -> Vec<usize> {
        // SAFETY: solver and context live; the vector is referenced while it is read, and indices are below its size.
        unsafe {
            let core = (cx.api.solver_core)(cx.raw, self.raw);
            if core.is_null() {
                return (0..assumptions.len()).collect();
            }
            (cx.api.vector_inc_ref)(cx.raw, core);
            let size = (cx.api.vector_size)(cx.raw, core);
            let members: Vec<Raw> = (0..size)
                .map(|at| (cx.api.vector_get)(cx.raw, core, at))
                .collect();
            (cx.api.vector_dec_ref)(cx.raw, core);
            let places = assumptions.iter().enumerate();
            places
                .filter(|(_, ast)| members.contains(&ast.0))
                .map(|(place, _)| place)
                .collect()
        }
    }
}

impl Context {
    pub(in super::super) fn bool_sort(&self) -> Ast {
        self.nullary(self.api.bool_sort)
    }

    /// A function to truth values.
    pub(in super::super) fn predicate(&self, name: &str, sorts: &[Ast]) -> Ast {
        let name = CString::new(name).expect("our names have no zero bytes");
        let sorts: Vec<Raw> = sorts.iter().map(|sort| sort.0).collect();
        let range = self.bool_sort();
        // SAFETY: the name ends in a zero byte, sorts are referenced, the array has so many elements; a declaration is an AST.
        self.keep(unsafe {
            let symbol = (self.api.string_symbol)(self.raw, name.as_ptr());
            let count = sorts.len() as c_uint;
            (self.api.mk_func_decl)(self.raw, symbol, count, sorts.as_ptr(), range.0)
        })
    }

    /// A predicate of some terms.
    pub(in super::super) fn application(&self, predicate: Ast, arguments: &[Ast]) -> Ast {
        let arguments: Vec<Raw> = arguments.iter().map(|ast| ast.0).collect();
        let count = arguments.len() as c_uint;
        // SAFETY: declaration and arguments are referenced; the array has so many elements.
        self.keep(unsafe { (self.api.mk_app)(self.raw, predicate.0, count, arguments.as_ptr()) })
    }

    /// For all values of these constants.
    pub(in super::super) fn for_all(&self, bound: &[Ast], body: Ast) -> Ast {
        if bound.is_empty() {
            return body;
        }
        let bound: Vec<Raw> = bound.iter().map(|ast| ast.0).collect();
        let count = bound.len() as c_uint;
        // SAFETY: the bound ASTs are constants of this context, the body is referenced; there are no patterns.
        self.keep(unsafe {
            let none = std::ptr::null();
            (self.api.mk_forall)(self.raw, 0, count, bound.as_ptr(), 0, none, body.0)
        })
    }

    /// Z3's text for an AST.
    pub(in super::super) fn show(&self, ast: Ast) -> String {
        // SAFETY: the AST is referenced; the string belongs to the context and is copied at once.
        text(unsafe { (self.api.ast_to_string)(self.raw, ast.0) })
    }

    /// Sets a parameter of the context.
    fn update(&self, name: &CStr, value: &str) {
        let value = CString::new(value).expect("numbers have no zero bytes");
        // SAFETY: both strings end in zero bytes and are copied.
        unsafe { (self.api.update_param)(self.raw, name.as_ptr(), value.as_ptr()) };
    }
}

/// Z3's engine for Horn clauses; to be dropped before its context.
pub(in super::super) struct Fixedpoint {
    raw: Raw,
}

impl Fixedpoint {
    /// Spacer, with rules as they are given: facts then speak of our predicates. `units` is Z3's `rlimit`.
    pub(in super::super) fn new(cx: &Context, units: u32) -> Fixedpoint {
        cx.update(c"rlimit", &units.to_string());
        // SAFETY: engine and parameters are referenced while they are used; names end in zero bytes.
        unsafe {
            let raw = (cx.api.mk_fixedpoint)(cx.raw);
            (cx.api.fixedpoint_inc_ref)(cx.raw, raw);
            let symbol = |name: &CStr| (cx.api.string_symbol)(cx.raw, name.as_ptr());
            let params = (cx.api.mk_params)(cx.raw);
            (cx.api.params_inc_ref)(cx.raw, params);
            let engine = (symbol(c"engine"), symbol(c"spacer"));
            (cx.api.params_set_symbol)(cx.raw, params, engine.0, engine.1);
            for name in [
                c"xform.slice",
                c"xform.inline_linear",
                c"xform.inline_eager",
            ] {
                (cx.api.params_set_bool)(cx.raw, params, symbol(name), false);
            }
            (cx.api.fixedpoint_set_params)(cx.raw, raw, params);
            (cx.api.params_dec_ref)(cx.raw, params);
            Fixedpoint { raw }
        }
    }

    pub(in super::super) fn register(&self, cx: &Context, predicate: Ast) {
        // SAFETY: engine, context and declaration live.
        unsafe { (cx.api.fixedpoint_register)(cx.raw, self.raw, predicate.0) };
    }

    pub(in super::super) fn add_rule(&self, cx: &Context, rule: Ast) {
        // SAFETY: engine, context and rule live; the name ends in a zero byte.
        unsafe {
            let name = (cx.api.string_symbol)(cx.raw, c"r".as_ptr());
            (cx.api.fixedpoint_add_rule)(cx.raw, self.raw, rule.0, name);
        }
    }

    /// Whether this can be derived.
    pub(in super::super) fn query(&self, cx: &Context, goal: Ast) -> Verdict {
        // SAFETY: engine, context and goal live.
        match unsafe { (cx.api.fixedpoint_query)(cx.raw, self.raw, goal.0) } {
            1 => Verdict::Sat,
            -1 => Verdict::Unsat,
            _ => Verdict::Unknown,
        }
    }

    /// The derivation after "sat".
    pub(in super::super) fn answer(&self, cx: &Context) -> Ast {
        // SAFETY: engine and context live.
        cx.keep(unsafe { (cx.api.fixedpoint_answer)(cx.raw, self.raw) })
    }

    /// The invariant of a predicate after "unsat".
    pub(in super::super) fn cover(&self, cx: &Context, predicate: Ast) -> Ast {
        // SAFETY: engine, context and declaration live; level -1 is "for ever".
        cx.keep(unsafe { (cx.api.fixedpoint_cover)(cx.raw, self.raw, -1, predicate.0) })
    }

    pub(in super::super) fn reason(&self, cx: &Context) -> String {
        // SAFETY: engine and context live; the string belongs to the context.
        text(unsafe { (cx.api.fixedpoint_reason)(cx.raw, self.raw) })
    }

    /// Gives the engine back; nobody interrupts the context from then on. Without this call the engine lives as long as its context.
    pub(in super::super) fn drop_in(self, cx: &Context) {
        // Z3 4.8 asserts something as it deletes the engine's solvers. An interrupt within that is an exception in a destructor, which
        // ends the process.
        cx.settle();
        // SAFETY: engine and context live; the engine is not used again.
        unsafe { (cx.api.fixedpoint_dec_ref)(cx.raw, self.raw) };
    }
}
