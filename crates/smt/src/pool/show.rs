//! Terms as text, for people who look for a mistake.

use std::fmt::Write;

use super::Pool;
use super::node::Tag;
use crate::{Op, Term};

/// Levels that are shown; below them stands `…`.
const DEPTH: u32 = 12;

impl Pool {
    /// A term as an S-expression: `(Ult v3:8 0x30:8)`. Long ones are cut.
    #[must_use]
    pub fn show(&self, term: Term) -> String {
        let mut text = String::new();
        self.write(&mut text, term, DEPTH);
        text
    }

    fn write(&self, text: &mut String, term: Term, depth: u32) {
        let node = self.node(term);
        if let Some(value) = self.as_const(term) {
            let _ = write!(text, "{value:#x}:{}", node.bits);
            return;
        }
        let (name, operands) = match node.tag {
            Tag::Op(op) => {
                let all = [Term(node.a), Term(node.b), Term(node.c)];
                let operands = all[..op.arity()].to_vec();
                let name = match op {
                    Op::Extract => format!("extract[{}+{}]", node.aux, node.bits),
                    Op::ZExt | Op::SExt => format!("{}[{}]", op.name(), node.bits),
                    _ => op.name().to_owned(),
                };
                (name, operands)
            }
            Tag::Table => {
                let entries = self.table_entries(node).len();
                (format!("table[{entries}]"), vec![Term(node.a)])
            }
            _ => {
                let _ = write!(text, "v{:x}:{}", node.a, node.bits);
                return;
            }
        };
        if depth == 0 {
            text.push('…');
            return;
        }
        let _ = write!(text, "({name}");
        for operand in operands {
            text.push(' ');
            self.write(text, operand, depth - 1);
        }
        text.push(')');
    }
}

#[cfg(test)]
mod tests {
    use crate::{Op, Pool, Var};

    #[test]
    fn terms_are_readable() {
        let mut pool = Pool::new();
        let (x, limit) = (pool.var(Var(3), 8), pool.constant(8, 0x30));
        let sum = pool.apply(Op::Add, 8, 0, &[x, limit]);
        let less = pool.cmp(Op::Ult, sum, limit);
        assert_eq!(pool.show(less), "(Ult (Add v3:8 0x30:8) 0x30:8)");
    }
}
