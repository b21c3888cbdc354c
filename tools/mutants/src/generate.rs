//! The mutants of one file, all in its text.
//!
//! Must hold: with no mutant active the file does what it did; the operands of a mutated operator have no mutants themselves, so that
//! the text stays small; numbers depend on the file alone, not on what is left out.

use std::collections::BTreeSet;

use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ReturnType, UnOp, parse_quote};

/// One change.
pub struct Mutant {
    pub id: u32,
    pub line: usize,
    pub column: usize,
    pub what: String,
}

/// The file with all its mutants but those that are left out, and a list of them.
pub fn mutated(
    text: &str,
    next: &mut u32,
    out_of: &BTreeSet<u32>,
) -> syn::Result<(String, Vec<Mutant>)> {
    let mut file = syn::parse_file(text)?;
    let mut maker = Maker {
        next,
        out_of,
        mutants: Vec::new(),
        function: String::new(),
    };
    maker.visit_file_mut(&mut file);
    Ok((file.into_token_stream().to_string(), maker.mutants))
}

struct Maker<'m> {
    next: &'m mut u32,
    out_of: &'m BTreeSet<u32>,
    mutants: Vec<Mutant>,
    function: String,
}

impl Maker<'_> {
    /// A number for a change, unless it is left out.
    fn number(&mut self, at: proc_macro2::Span, what: String) -> Option<u32> {
        let id = *self.next;
        *self.next += 1;
        if self.out_of.contains(&id) {
            return None;
        }
        let start = at.start();
        let what = format!("{what} in {}", self.function);
        self.mutants.push(Mutant {
            id,
            line: start.line,
            column: start.column + 1,
            what,
        });
        Some(id)
    }

    /// Chooses among arms by the active mutant.
    fn choice(arms: &[(u32, Expr)], rest: &Expr) -> Expr {
        let arms = arms.iter().map(|(id, expr)| quote!(#id => { #expr }));
        parse_quote!((match crate::mutants_active::active() { #(#arms)* _ => { #rest } }))
    }

    fn body(&mut self, output: &ReturnType, name: &syn::Ident, block: &mut syn::Block) {
        let mut arms = Vec::new();
        for value in results(output) {
            let what = format!("replace {name} with {}", value.to_token_stream());
            if let Some(id) = self.number(name.span(), what) {
                arms.push(quote!(#id => return #value,));
            }
        }
        if !arms.is_empty() {
            let choose: syn::Stmt =
                parse_quote!(match crate::mutants_active::active() { #(#arms)* _ => {} });
            block.stmts.insert(0, choose);
        }
    }

    fn is_skipped(attrs: &[syn::Attribute]) -> bool {
        attrs
            .iter()
            .any(|attr| attr.to_token_stream().to_string().contains("test"))
    }
}

impl VisitMut for Maker<'_> {
    fn visit_item_mod_mut(&mut self, item: &mut syn::ItemMod) {
        if !Maker::is_skipped(&item.attrs) {
            visit_mut::visit_item_mod_mut(self, item);
        }
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        // What is printed is nobody's proof.
        let name = item
            .trait_
            .as_ref()
            .and_then(|(_, path, _)| path.segments.last());
        if !name.is_some_and(|segment| segment.ident == "Display" || segment.ident == "Debug") {
            visit_mut::visit_item_impl_mut(self, item);
        }
    }

    fn visit_item_const_mut(&mut self, _: &mut syn::ItemConst) {}
    fn visit_item_static_mut(&mut self, _: &mut syn::ItemStatic) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
    fn visit_macro_mut(&mut self, _: &mut syn::Macro) {}

    fn visit_item_fn_mut(&mut self, item: &mut syn::ItemFn) {
        if item.sig.constness.is_some() || Maker::is_skipped(&item.attrs) {
            return;
        }
        let outer = std::mem::replace(&mut self.function, item.sig.ident.to_string());
        visit_mut::visit_block_mut(self, &mut item.block);
        self.body(
            &item.sig.output.clone(),
            &item.sig.ident.clone(),
            &mut item.block,
        );
        self.function = outer;
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        if item.sig.constness.is_some() || Maker::is_skipped(&item.attrs) {
            return;
        }
        self.function = item.sig.ident.to_string();
        visit_mut::visit_block_mut(self, &mut item.block);
        self.body(
            &item.sig.output.clone(),
            &item.sig.ident.clone(),
            &mut item.block,
        );
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        if let Some((_, guard)) = &mut arm.guard {
            let whole = (**guard).clone();
            self.visit_expr_mut(guard);
            let mut arms = Vec::new();
            for value in [true, false] {
                let what = format!("replace guard {} with {value}", whole.to_token_stream());
                let made = self.number(whole.span(), what);
                arms.extend(made.map(|id| (id, parse_quote!(#value))));
            }
            if !arms.is_empty() {
                **guard = Maker::choice(&arms, guard);
            }
        }
        self.visit_expr_mut(&mut arm.body);
    }

    fn visit_expr_match_mut(&mut self, item: &mut syn::ExprMatch) {
        self.visit_expr_mut(&mut item.expr);
        for arm in &mut item.arms {
            self.visit_arm_mut(arm);
        }
        let is_rest = |arm: &syn::Arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none();
        if item.arms.len() < 2 || !item.arms.iter().any(is_rest) {
            return;
        }
        for arm in item.arms.iter_mut().filter(|arm| !is_rest(arm)) {
            let what = format!("delete arm {}", arm.pat.to_token_stream());
            let Some(id) = self.number(arm.pat.span(), what) else {
                continue;
            };
            let guard: Expr = match &arm.guard {
                Some((_, guard)) => {
                    parse_quote!(crate::mutants_active::active() != #id && (#guard))
                }
                None => parse_quote!(crate::mutants_active::active() != #id),
            };
            arm.guard = Some((Default::default(), Box::new(guard)));
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let whole = expr.clone();
        match expr {
            Expr::Binary(binary) => {
                self.visit_expr_mut(&mut binary.left);
                self.visit_expr_mut(&mut binary.right);
                if has_let(&whole) {
                    return;
                }
                let Expr::Binary(old) = &whole else { return };
                let mut arms = Vec::new();
                for op in others(&old.op) {
                    let what = format!(
                        "replace {} with {}",
                        old.op.to_token_stream(),
                        op.to_token_stream()
                    );
                    let made = self.number(old.op.span(), what);
                    let changed = Expr::Binary(syn::ExprBinary { op, ..old.clone() });
                    arms.extend(made.map(|id| (id, changed)));
                }
                let is_assignment = is_assignment(&old.op);
                if !arms.is_empty() && !is_assignment {
                    *expr = Maker::choice(&arms, expr);
                } else if !arms.is_empty() {
                    let rest = expr.clone();
                    *expr = Maker::choice(&arms, &rest);
                }
            }
            Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => {
                let is_literal = matches!(*unary.expr, Expr::Lit(_));
                self.visit_expr_mut(&mut unary.expr);
                if is_literal {
                    return;
                }
                let Expr::Unary(old) = &whole else { return };
                let what = format!("delete {}", old.op.to_token_stream());
                if let Some(id) = self.number(old.op.span(), what) {
                    *expr = Maker::choice(&[(id, (*old.expr).clone())], expr);
                }
            }
            Expr::Let(item) => self.visit_expr_mut(&mut item.expr),
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

fn is_assignment(op: &BinOp) -> bool {
    op.to_token_stream().to_string().ends_with('=')
        && !matches!(
            op,
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Le(_) | BinOp::Ge(_)
        )
}

/// What an operator is replaced by.
fn others(op: &BinOp) -> Vec<BinOp> {
    let list: &[&str] = match op {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Lt(_) => &["==", ">", "<="],
        BinOp::Gt(_) => &["==", "<", ">="],
        BinOp::Le(_) => &[">"],
        BinOp::Ge(_) => &["<"],
        BinOp::Add(_) => &["-", "*"],
        BinOp::Sub(_) => &["+", "/"],
        BinOp::Mul(_) => &["+", "/"],
        BinOp::Div(_) => &["%", "*"],
        BinOp::Rem(_) => &["/", "+"],
        BinOp::BitAnd(_) => &["|", "^"],
        BinOp::BitOr(_) => &["&", "^"],
        BinOp::BitXor(_) => &["|", "&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-=", "*="],
        BinOp::SubAssign(_) => &["+=", "/="],
        BinOp::MulAssign(_) => &["+=", "/="],
        BinOp::BitAndAssign(_) => &["|=", "^="],
        BinOp::BitOrAssign(_) => &["&=", "^="],
        BinOp::BitXorAssign(_) => &["|=", "&="],
        _ => &[],
    };
    let parsed = list.iter().map(|text| syn::parse_str(text));
    parsed.map(|op| op.expect("an operator")).collect()
}

/// What a function is made to return.
fn results(output: &ReturnType) -> Vec<Expr> {
    let ty = match output {
        ReturnType::Default => return vec![parse_quote!(())],
        ReturnType::Type(_, ty) => &**ty,
    };
    values(ty)
}

fn values(ty: &syn::Type) -> Vec<Expr> {
    let syn::Type::Path(path) = ty else {
        return match ty {
            syn::Type::Never(_) | syn::Type::ImplTrait(_) | syn::Type::Reference(_) => Vec::new(),
            _ => vec![parse_quote!(Default::default())],
        };
    };
    let Some(last) = path.path.segments.last() else {
        return Vec::new();
    };
    let inner = || match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(values(ty)),
            _ => None,
        }),
        _ => None,
    };
    match last.ident.to_string().as_str() {
        "bool" => vec![parse_quote!(true), parse_quote!(false)],
        "u8" | "u32" | "u64" | "u128" | "usize" | "i64" | "i128" => {
            vec![parse_quote!(0), parse_quote!(1)]
        }
        "f64" => vec![parse_quote!(0.0), parse_quote!(1.0)],
        "Option" => {
            let some = inner()
                .unwrap_or_default()
                .into_iter()
                .map(|value| parse_quote!(Some(#value)));
            std::iter::once(parse_quote!(None)).chain(some).collect()
        }
        "Vec" => vec![parse_quote!(vec![])],
        "Value" => vec![parse_quote!(Value::Any)],
        _ => vec![parse_quote!(Default::default())],
    }
}
