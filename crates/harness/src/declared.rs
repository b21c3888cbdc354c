//! What debug information does not say of declarations and clang's dump of the syntax tree does: assembler labels, inline
//! definitions that nothing emits, variables of threads, declarations within functions.

use std::collections::{BTreeMap, BTreeSet};

/// Prefix of the variables that use inline functions.
pub const USED: &str = "bw_used_";

/// Which rules say when an inline definition is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inline {
    /// C99: an `extern` declaration makes it one that others may see (C11, 6.7.4, paragraph 7).
    Standard,
    /// GNU C89: a declaration with `inline` and without `extern` does.
    Gnu,
    /// `extern inline` without the attribute: like any other definition in C99, as [`Inline::Gnu`] in GNU C89. Compilers want
    /// the attribute on all declarations or on none.
    Extern,
    /// It is the file's own: where it is used.
    Static,
    /// The same, and not inline.
    Own,
}

/// The declarations of a unit at file scope.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// C names by symbol, where they differ.
    labels: BTreeMap<String, String>,
    /// Functions that are emitted only where something asks for them.
    inlines: BTreeMap<String, Inline>,
    threads: BTreeSet<String>,
    /// Functions that a declaration so far says are the file's own.
    statics: BTreeSet<String>,
    /// What is declared at file scope.
    scoped: BTreeSet<String>,
    /// Declarations for file scope of what functions declare for themselves.
    local: BTreeMap<String, String>,
}

impl Declared {
    /// Reads what clang's `-ast-dump` says of the unit.
    #[must_use]
    pub fn read(dump: &str) -> Declared {
        let mut declared = Declared::default();
        let mut entry = Entry::default();
        for line in dump.lines() {
            let Some((depth, node)) = node(line) else {
                continue;
            };
            match depth {
                1 => {
                    entry.finish(&mut declared);
                    entry = Entry::new(node);
                    declared.scoped.insert(entry.name.clone());
                }
                2 => entry.child(node, &mut declared),
                _ => declared.read_local(node),
            }
        }
        entry.finish(&mut declared);
        declared
    }

    /// Reads a declaration within a function of what is defined elsewhere.
    fn read_local(&mut self, node: &str) {
        let (kind, rest) = node.split_once(' ').unwrap_or((node, ""));
        let mut parts = rest.split('\'');
        let (Some(head), Some(ty)) = (parts.next(), parts.next()) else {
            return;
        };
        let words: Vec<&str> = parts.next_back().unwrap_or("").split(' ').collect();
        let has = |word: &str| words.contains(&word);
        let is_elsewhere = match kind {
            "VarDecl" => has("extern"),
            "FunctionDecl" => !has("static"),
            _ => false,
        };
        let name = head.trim_end().rsplit(' ').next().unwrap_or_default();
        if is_elsewhere && !name.is_empty() {
            let thread = if has("tls") { "__thread " } else { "" };
            let declaration = format!("extern {thread}__typeof__({ty}) {name}");
            self.local.entry(name.to_owned()).or_insert(declaration);
            if has("tls") {
                self.threads.insert(name.to_owned());
            }
        }
    }

    /// The C name behind a symbol.
    #[must_use]
    pub fn name_of<'a>(&'a self, symbol: &'a str) -> &'a str {
        self.labels.get(symbol).map_or(symbol, String::as_str)
    }

    /// The symbol behind a C name.
    #[must_use]
    pub fn symbol_of<'a>(&'a self, name: &'a str) -> &'a str {
        let found = self.labels.iter().find(|(_, known)| *known == name);
        found.map_or(name, |(symbol, _)| symbol)
    }

    /// The declaration that makes the compiler emit an inline definition, or that the harness needs of what only functions declare.
    /// None: there is no such definition, and no need.
    #[must_use]
    pub fn emission(&self, name: &str) -> Option<String> {
        let Some(inline) = self.inlines.get(name) else {
            let local = self.local.get(name).filter(|_| !self.scoped.contains(name));
            return local.cloned();
        };
        let words = match inline {
            Inline::Standard => format!("extern __typeof__({name}) {name};"),
            Inline::Gnu => {
                format!("__inline __attribute__((gnu_inline)) __typeof__({name}) {name};")
            }
            Inline::Extern => format!("__inline __typeof__({name}) {name};"),
            Inline::Static | Inline::Own => String::new(),
        };
        // clang emits some of them only where they are used.
        Some(format!(
            "{words} static __typeof__({name}) *volatile {USED}{name} __attribute__((used)) = {name}"
        ))
    }

    /// The functions that are emitted only where something asks for them.
    pub fn on_demand(&self) -> impl Iterator<Item = &str> {
        self.inlines.keys().map(String::as_str)
    }

    /// Whether a function has an inline definition.
    #[must_use]
    pub fn is_inline(&self, name: &str) -> bool {
        let inline = self.inlines.get(name);
        inline.is_some_and(|inline| *inline != Inline::Own)
    }

    /// Whether a function has an inline definition that other files may see.
    #[must_use]
    pub fn is_shared_inline(&self, name: &str) -> bool {
        let inline = self.inlines.get(name);
        inline
            .is_some_and(|inline| matches!(inline, Inline::Standard | Inline::Gnu | Inline::Extern))
    }

    /// Whether a variable is one of each thread.
    #[must_use]
    pub fn is_thread_local(&self, name: &str) -> bool {
        self.threads.contains(name)
    }
}

/// A declaration that is read.
#[derive(Default)]
struct Entry {
    name: String,
    inline: Option<Inline>,
    body: bool,
    function: bool,
}

impl Entry {
    fn new(node: &str) -> Entry {
        let (kind, rest) = node.split_once(' ').unwrap_or((node, ""));
        let (Some((head, _)), Some((_, tail))) = (rest.split_once(" '"), rest.rsplit_once('\''))
        else {
            return Entry::default();
        };
        let name = head.rsplit(' ').next().unwrap_or_default().to_owned();
        let has = |word: &str| tail.split(' ').any(|it| it == word);
        match kind {
            "FunctionDecl" => Entry {
                name,
                inline: match (has("inline"), has("static"), has("extern")) {
                    (true, true, _) => Some(Inline::Static),
                    (true, _, true) => Some(Inline::Extern),
                    (true, ..) => Some(Inline::Standard),
                    (false, true, _) => Some(Inline::Own),
                    _ => None,
                },
                body: false,
                function: true,
            },
            "VarDecl" if has("tls") || has("tls_dynamic") => Entry {
                name,
                // No function is of a thread, and no variable has a body.
                body: true,
                ..Entry::default()
            },
            "VarDecl" => Entry {
                name,
                ..Entry::default()
            },
            _ => Entry::default(),
        }
    }

    fn child(&mut self, node: &str, declared: &mut Declared) {
        if node.starts_with("CompoundStmt") && self.function {
            self.body = true;
        } else if node.starts_with("GNUInlineAttr")
            && matches!(self.inline, Some(Inline::Standard | Inline::Extern))
        {
            self.inline = Some(Inline::Gnu);
        } else if node.starts_with("AsmLabelAttr")
            && let Some(label) = node.split('"').nth(1)
            && !self.name.is_empty()
        {
            let known = declared.labels.entry(label.to_owned());
            known.or_insert_with(|| self.name.clone());
        }
    }

    fn finish(&mut self, declared: &mut Declared) {
        // `static` holds for every later declaration that does not repeat it (C11, 6.2.2, paragraphs 4 and 5).
        if matches!(self.inline, Some(Inline::Static | Inline::Own)) {
            declared.statics.insert(self.name.clone());
        } else if self.function && declared.statics.contains(&self.name) {
            self.inline = Some(match self.inline {
                Some(_) => Inline::Static,
                None => Inline::Own,
            });
        }
        match (self.inline, self.body) {
            (Some(inline), true) => _ = declared.inlines.insert(self.name.clone(), inline),
            (None, true) if !self.function => _ = declared.threads.insert(self.name.clone()),
            _ => {}
        }
    }
}

/// How deep a line's node stands below the unit, and its text.
fn node(line: &str) -> Option<(usize, &str)> {
    let at = line.find(|c: char| c.is_ascii_alphabetic())?;
    let tree = line[..at].bytes().all(|c| b" |`-".contains(&c));
    tree.then_some((at / 2, &line[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "\
TranslationUnitDecl 0x1 <<invalid sloc>> <invalid sloc>
|-FunctionDecl 0x1 <a.c:1:1, col:9> col:5 used f 'int (int)' extern
| |-ParmVarDecl 0x1 <col:7> col:7 'int'
| `-AsmLabelAttr 0x1 <col:9> \"f_real\" IsLiteralLabel
|-VarDecl 0x1 <line:2:1, col:26> col:26 used t 'int' extern tls
|-FunctionDecl 0x1 <line:3:1> col:12 used g 'int (int)' inline
| `-CompoundStmt 0x1 <col:22, col:34>
|-FunctionDecl 0x1 <line:4:1> col:12 used h 'int (int)' extern inline
| |-CompoundStmt 0x1 <col:22, col:34>
| `-GNUInlineAttr 0x1 <col:2>
|-FunctionDecl 0x1 <line:5:1> col:12 used s 'int (int)' static inline
| `-CompoundStmt 0x1 <col:22, col:34>
|-FunctionDecl 0x1 <line:6:1> col:12 o 'int (int)' static
|-FunctionDecl 0x2 prev 0x1 <line:7:1> col:5 o 'int (int)'
| `-CompoundStmt 0x1 <col:22, col:34>
|-FunctionDecl 0x1 <line:8:1> col:12 p 'int (int)' static
|-FunctionDecl 0x2 prev 0x1 <line:9:1> col:5 p 'int (int)' inline
| `-CompoundStmt 0x1 <col:22, col:34>
|-FunctionDecl 0x1 <line:10:1> col:12 e 'int (int)' extern inline
| `-CompoundStmt 0x1 <col:22, col:34>
`-FunctionDecl 0x1 <line:10:1> col:5 main 'int (void)'
  `-CompoundStmt 0x1 <col:22, col:34>
";

    #[test]
    fn what_only_functions_declare_is_declared_for_all() {
        let declared = Declared::read(
            "TranslationUnitDecl 0x1 <<invalid sloc>> <invalid sloc>
|-VarDecl 0x1 <line:1:1> col:12 used top 'int' extern
`-FunctionDecl 0x1 <line:2:1> col:5 main 'int (void)'
  `-CompoundStmt 0x1 <col:22, col:34>
    |-DeclStmt 0x1 <line:3:3, col:20>
    | `-VarDecl 0x1 <col:3, col:19> col:15 used dir 'char[]' extern
    |-DeclStmt 0x1 <line:4:3, col:20>
    | `-VarDecl 0x1 <col:3, col:19> col:15 used own 'int' static cinit
    |-DeclStmt 0x1 <line:5:3, col:20>
    | `-VarDecl 0x1 <col:3, col:19> col:15 used top 'int' extern
    |-DeclStmt 0x1 <line:6:3, col:20>
    | `-VarDecl 0x1 <col:3, col:19> col:15 used many 'size_t':'unsigned long' extern tls
    `-DeclStmt 0x1 <line:7:3, col:20>
      `-FunctionDecl 0x1 parent 0x2 <col:3, col:19> col:15 used put 'int (char)'
",
        );
        let found = ["dir", "own", "top", "many", "put"].map(|name| declared.emission(name));
        assert_eq!(
            found.map(Option::unwrap_or_default),
            [
                "extern __typeof__(char[]) dir",
                "",
                "",
                "extern __thread __typeof__(size_t) many",
                "extern __typeof__(int (char)) put",
            ]
        );
        assert!(declared.is_thread_local("many"));
    }

    #[test]
    fn labels_inline_definitions_and_threads_are_found() {
        let declared = Declared::read(DUMP);
        assert_eq!(declared.name_of("f_real"), "f");
        assert_eq!(declared.symbol_of("f"), "f_real");
        assert_eq!(declared.name_of("other"), "other");
        assert!(declared.is_thread_local("t") && !declared.is_thread_local("main"));
        assert_eq!(
            declared.on_demand().collect::<Vec<_>>(),
            ["e", "g", "h", "o", "p", "s"]
        );
        assert!(!declared.is_inline("o") && declared.is_inline("p"));
        assert!(!declared.is_shared_inline("p") && !declared.is_thread_local("o"));
        let begins = |name: &str, start: &str| {
            let text = declared.emission(name).expect("it is inline");
            assert!(text.starts_with(start), "{text}");
        };
        begins("g", "extern __typeof__(g) g; static");
        begins(
            "h",
            "__inline __attribute__((gnu_inline)) __typeof__(h) h; static",
        );
        begins("s", " static __typeof__(s) *volatile bw_used_s");
        assert_eq!(declared.emission("main"), None);
        begins("e", "__inline __typeof__(e) e; static");
    }
}
