//! Sizes of files and functions, and cycles between files, of the crates below a folder.
//!
//!   house FOLDER [NAME]    `FOLDER/*/src/lib.rs` or `main.rs` are the roots; NAME is a crate whose cycles are shown arrow by arrow
//!
//! A file depends on another one if it names something that is defined there, by any path that begins in its own crate. What a file
//! passes on (`pub use`) is no dependency of its own: whoever uses the name depends on the file that defines it. Code for tests alone
//! (`cfg(test)`) does not count. Cycles are counted twice: with all arrows, and without those from a module to what is below it, which is
//! how a registry names its plug-ins. The lines of a function are those from its signature to its last brace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

type Failure = Box<dyn std::error::Error>;

/// A module: where its text is, what it defines, what it uses.
#[derive(Default)]
struct Module {
    file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    used: Vec<Used>,
}

/// One name of a `use`; `name` is `None` for `*`.
struct Used {
    name: Option<String>,
    path: Vec<String>,
    passes_on: bool,
}

#[derive(Default)]
struct Crate {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// Paths that a module names.
    named: Vec<(usize, Vec<String>)>,
    /// Lines, name, file.
    functions: Vec<(usize, String, usize)>,
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("usage: house FOLDER")?;
    let shown = std::env::args().nth(2);
    let mut roots = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let src = entry?.path().join("src");
        let root = ["lib.rs", "main.rs"].map(|name| src.join(name));
        roots.extend(root.into_iter().find(|root| root.exists()));
    }
    roots.sort();
    let (mut lines, mut functions) = (Vec::new(), Vec::new());
    let mut cycles = [Vec::new(), Vec::new()];
    for root in &roots {
        let mut own = Crate::default();
        own.module(root, None)?;
        for file in &own.files {
            lines.push((std::fs::read_to_string(file)?.lines().count(), file.clone()));
        }
        let named = own.functions.iter();
        functions.extend(
            named.map(|(count, name, file)| (*count, name.clone(), own.files[*file].clone())),
        );
        let files = |cycle: Vec<usize>| {
            cycle
                .into_iter()
                .map(|file| own.files[file].clone())
                .collect::<Vec<_>>()
        };
        if shown
            .as_ref()
            .is_some_and(|name| root.starts_with(Path::new(&folder).join(name)))
        {
            own.show_cycles();
        }
        for (all, down) in cycles.iter_mut().zip([true, false]) {
            all.extend(own.cycles(down).into_iter().map(files));
        }
    }
    lines.sort();
    functions.sort();
    let counts: Vec<usize> = lines.iter().map(|(count, _)| *count).collect();
    say("lines of a file", &counts, 600);
    let counts: Vec<usize> = functions.iter().map(|(count, ..)| *count).collect();
    say("lines of a function", &counts, 60);
    println!(
        "functions over 100 lines: {}",
        counts.iter().filter(|count| **count > 100).count()
    );
    for (cycles, what) in cycles.iter_mut().zip(["", " without arrows downward"]) {
        cycles.sort_by_key(|cycle: &Vec<PathBuf>| std::cmp::Reverse(cycle.len()));
        let sizes: Vec<String> = cycles.iter().map(|cycle| cycle.len().to_string()).collect();
        println!(
            "cycles between files{what}: {}, of {} files",
            cycles.len(),
            sizes.join(" ")
        );
    }
    for (count, name, file) in functions.iter().rev().take_while(|(count, ..)| *count > 60) {
        println!("  {count} {name} {}", file.display());
    }
    for (count, file) in lines.iter().rev().take_while(|(count, _)| *count > 600) {
        println!("  {count} {}", file.display());
    }
    for cycle in &cycles[1] {
        let files: Vec<String> = cycle
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        println!("  cycle of {}: {}", files.len(), files.join(" "));
    }
    Ok(())
}

fn say(what: &str, counts: &[usize], limit: usize) {
    let at = |share: usize| counts.get(counts.len() * share / 100).copied().unwrap_or(0);
    let over = counts.iter().filter(|count| **count > limit).count();
    let most = counts.last().copied().unwrap_or(0);
    println!(
        "{what}: {} in all, median {}, 95 % below {}, longest {most}, over {limit}: {over}",
        counts.len(),
        at(50),
        at(95)
    );
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let list = attr.meta.require_list();
        attr.path().is_ident("test")
            || attr.path().is_ident("cfg")
                && list.is_ok_and(|list| list.tokens.to_string().starts_with("test"))
    })
}

impl Crate {
    fn module(&mut self, path: &Path, parent: Option<usize>) -> Result<usize, Failure> {
        let text = std::fs::read_to_string(path)?;
        let file =
            syn::parse_file(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        self.files.push(path.to_owned());
        let number = self.files.len() - 1;
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let below = if ["mod", "lib", "main"].contains(&&*name) {
            folder
        } else {
            folder.join(name)
        };
        self.items(&file.items, number, parent, &below)
    }

    fn items(
        &mut self,
        items: &[syn::Item],
        file: usize,
        parent: Option<usize>,
        below: &Path,
    ) -> Result<usize, Failure> {
        self.modules.push(Module {
            file,
            parent,
            ..Module::default()
        });
        let own = self.modules.len() - 1;
        for item in items {
            if let syn::Item::Mod(item) = item {
                if is_test(&item.attrs) {
                    continue;
                }
                let name = item.ident.to_string();
                let child = match &item.content {
                    Some((_, items)) => self.items(items, file, Some(own), &below.join(&name))?,
                    None => {
                        let paths = [
                            below.join(format!("{name}.rs")),
                            below.join(&name).join("mod.rs"),
                        ];
                        match paths.iter().find(|path| path.exists()) {
                            Some(path) => self.module(path, Some(own))?,
                            None => continue,
                        }
                    }
                };
                self.modules[own].children.insert(name, child);
                continue;
            }
            self.define(own, item);
            Names {
                all: self,
                module: own,
                file,
            }
            .visit_item(item);
        }
        Ok(own)
    }

    fn define(&mut self, module: usize, item: &syn::Item) {
        let name = match item {
            syn::Item::Fn(item) => &item.sig.ident,
            syn::Item::Struct(item) => &item.ident,
            syn::Item::Enum(item) => &item.ident,
            syn::Item::Trait(item) => &item.ident,
            syn::Item::Type(item) => &item.ident,
            syn::Item::Const(item) => &item.ident,
            syn::Item::Static(item) => &item.ident,
            syn::Item::Union(item) => &item.ident,
            syn::Item::Use(item) if !is_test(&item.attrs) => {
                let passes_on = !matches!(item.vis, syn::Visibility::Inherited);
                self.used(module, &item.tree, &mut Vec::new(), passes_on);
                return;
            }
            _ => return,
        };
        self.modules[module].defined.insert(name.to_string());
    }

    fn used(
        &mut self,
        module: usize,
        tree: &syn::UseTree,
        path: &mut Vec<String>,
        passes_on: bool,
    ) {
        let (name, last) = match tree {
            syn::UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.used(module, &tree.tree, path, passes_on);
                path.pop();
                return;
            }
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|tree| self.used(module, tree, path, passes_on));
                return;
            }
            syn::UseTree::Name(tree) => {
                (Some(tree.ident.to_string()), Some(tree.ident.to_string()))
            }
            syn::UseTree::Rename(tree) => {
                (Some(tree.rename.to_string()), Some(tree.ident.to_string()))
            }
            syn::UseTree::Glob(_) => (None, None),
        };
        // `use a::{self}` brings `a`.
        let is_self = last.as_deref() == Some("self");
        let path: Vec<String> = path
            .iter()
            .cloned()
            .chain(last.filter(|_| !is_self))
            .collect();
        let name = if is_self { path.last().cloned() } else { name };
        if !passes_on && name.is_some() {
            self.named.push((module, path.clone()));
        }
        self.modules[module].used.push(Used {
            name,
            path,
            passes_on,
        });
    }

    /// The file where what a path names is defined.
    fn find(&self, from: usize, path: &[String], depth: u32) -> Option<usize> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name => return self.name(from, name, rest, depth),
        };
        while rest.first().is_some_and(|name| name == "super") {
            (at, rest) = (self.modules[at].parent?, &rest[1..]);
        }
        match rest.split_first() {
            Some((name, rest)) => self.name(at, name, rest, depth),
            None => None,
        }
    }

    /// The same of a name of a module, and what comes behind it.
    fn name(&self, at: usize, name: &str, rest: &[String], depth: u32) -> Option<usize> {
        if depth > 12 {
            return None;
        }
        let module = &self.modules[at];
        if let Some(&child) = module.children.get(name) {
            // A module alone is no dependency: what is used of it is named with it.
            let (next, rest) = rest.split_first()?;
            return self.name(child, next, rest, depth + 1);
        }
        if module.defined.contains(name) {
            return Some(module.file);
        }
        for used in &module.used {
            if used.name.as_deref() == Some(name) {
                let path: Vec<String> = used.path.iter().chain(rest).cloned().collect();
                // A name that imports itself is from another crate.
                if path.first().is_some_and(|first| first == name)
                    && !module.children.contains_key(name)
                {
                    return None;
                }
                return self.find(at, &path, depth + 1);
            }
        }
        for used in module
            .used
            .iter()
            .filter(|used| used.name.is_none() && used.passes_on | (depth == 0))
        {
            let path: Vec<String> = used
                .path
                .iter()
                .cloned()
                .chain([name.to_owned()])
                .chain(rest.iter().cloned())
                .collect();
            if let Some(found) = self.find(at, &path, depth + 1) {
                return Some(found);
            }
        }
        None
    }

    /// Whether the module of a file is inside that of another one.
    fn is_below(&self, file: usize, other: usize) -> bool {
        let of_file = |file: usize| self.modules.iter().position(|module| module.file == file);
        let mut at = of_file(file);
        while let Some(module) = at {
            if self.modules[module].file == other {
                return true;
            }
            at = self.modules[module].parent;
        }
        false
    }

    fn show_cycles(&self) {
        let arrows = self.arrows(false);
        for cycle in self.cycles(false) {
            for from in &cycle {
                for (to, by) in arrows[from].iter().filter(|(to, _)| cycle.contains(to)) {
                    let [from, to] = [from, to].map(|file| self.files[*file].display());
                    println!("{from} -> {to}: {by}");
                }
            }
            println!();
        }
    }

    /// The files that each file depends on, and by which path.
    fn arrows(&self, down: bool) -> BTreeMap<usize, BTreeMap<usize, String>> {
        let mut arrows: BTreeMap<usize, BTreeMap<usize, String>> = BTreeMap::new();
        for (module, path) in &self.named {
            let from = self.modules[*module].file;
            let to = self.find(*module, path, 0);
            let to = to.filter(|to| *to != from && (down || !self.is_below(*to, from)));
            let own = arrows.entry(from).or_default();
            if let Some(to) = to {
                own.entry(to).or_insert_with(|| path.join("::"));
            }
        }
        arrows
    }

    /// Files that depend on one another.
    fn cycles(&self, down: bool) -> Vec<Vec<usize>> {
        let arrows = self.arrows(down);
        let reach = |from: usize| {
            let (mut seen, mut work) = (BTreeSet::new(), vec![from]);
            while let Some(at) = work.pop() {
                let next = arrows.get(&at).into_iter().flat_map(BTreeMap::keys);
                work.extend(next.filter(|to| seen.insert(**to)));
            }
            seen
        };
        let reached: Vec<BTreeSet<usize>> = (0..self.files.len()).map(reach).collect();
        let mut cycles: BTreeSet<Vec<usize>> = BTreeSet::new();
        for from in 0..self.files.len() {
            let both = reached[from]
                .iter()
                .copied()
                .filter(|to| reached[*to].contains(&from));
            let cycle: Vec<usize> = both.collect();
            if cycle.len() > 1 {
                cycles.insert(cycle);
            }
        }
        cycles.into_iter().collect()
    }
}

/// Finds paths and functions.
struct Names<'c> {
    all: &'c mut Crate,
    module: usize,
    file: usize,
}

impl Names<'_> {
    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let (head, body) = (signature.span(), block.span());
        self.function(&signature.ident, head.join(body).unwrap_or(body));
    }

    fn function(&mut self, name: &syn::Ident, span: proc_macro2::Span) {
        let lines = span.end().line - span.start().line + 1;
        self.all
            .functions
            .push((lines, name.to_string(), self.file));
    }
}

impl<'a> Visit<'a> for Names<'_> {
    fn visit_item_use(&mut self, _: &'a syn::ItemUse) {}

    fn visit_item_mod(&mut self, _: &'a syn::ItemMod) {}

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if is_test(&item.attrs) {
            return;
        }
        self.body(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.body(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if item.default.is_some() {
            self.function(&item.sig.ident, item.span());
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.all.named.push((self.module, names.collect()));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'a syn::Macro) {
        if let Ok(list) =
            item.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated)
        {
            list.iter().for_each(|expr| self.visit_expr(expr));
        }
    }
}
