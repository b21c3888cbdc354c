//! Which mutants stand at a place of a file that was rewritten.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The numbers of the mutants at a byte offset: the innermost arms first.
pub fn at(text: &str, offset: usize) -> syn::Result<Vec<u32>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        offset,
        found: Vec::new(),
    };
    finder.visit_file(&file);
    // The narrowest is meant.
    finder.found.sort();
    Ok(finder
        .found
        .first()
        .map(|(_, id)| *id)
        .into_iter()
        .collect())
}

struct Finder {
    offset: usize,
    found: Vec<(usize, u32)>,
}

impl<'a> Visit<'a> for Finder {
    fn visit_arm(&mut self, arm: &'a syn::Arm) {
        if let syn::Pat::Lit(syn::PatLit {
            lit: syn::Lit::Int(int),
            ..
        }) = &arm.pat
            && int.suffix() == "u32"
            && let Some(id) = int.base10_digits().parse().ok().filter(|id| *id > 0)
        {
            let range = arm.span().byte_range();
            if range.contains(&self.offset) {
                self.found.push((range.len(), id));
            }
        }
        visit::visit_arm(self, arm);
    }
}
