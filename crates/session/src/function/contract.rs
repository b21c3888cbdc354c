//! Contract comments: what a function's author says about its arguments, in the comment in front of it.
//!
//! ```c
//! // bothways: assume n >= 0 && n < 64
//! /* bothways: assume s != 0 */
//! ```

/// Longest comment that is looked through, in lines.
const LINES: usize = 60;

/// Words that begin an assumption.
const MARK: &str = "bothways: assume ";

/// The assumptions in the comment that ends in front of a line (from 1) of a source, in order.
pub fn assumptions(source: &str, line: u32) -> Vec<String> {
    let end = usize::try_from(line).unwrap_or(0).saturating_sub(1);
    let lines: Vec<&str> = source.lines().take(end).collect();
    let mut found: Vec<String> = lines
        .iter()
        .rev()
        .take(LINES)
        .map(|line| line.trim())
        // A function ends, a declaration ends: what is above belongs to something else.
        .take_while(|line| !is_code_end(line))
        .filter_map(|line| Some(line.split_once(MARK)?.1))
        .map(|rest| rest.trim_end_matches("*/").trim().to_owned())
        .collect();
    found.reverse();
    found
}

/// Whether an assumption indexes a name: `items[2].kind == 1` asks for an array.
pub fn indexes(assumptions: &[String], name: &str) -> bool {
    indexed(assumptions, name, false)
}

/// Whether an assumption indexes a member of this name: `list->items[2].kind == 1`.
pub fn indexes_member(assumptions: &[String], name: &str) -> bool {
    indexed(assumptions, name, true)
}

fn indexed(assumptions: &[String], name: &str, is_member: bool) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_it = |before: &str| {
        let before = before.trim_end();
        before.ends_with("->") | before.ends_with('.') == is_member
            && (is_member || !before.ends_with('>'))
    };
    !name.is_empty()
        && assumptions.iter().any(|text| {
            text.match_indices(name).any(|(at, _)| {
                let rest = text[at + name.len()..].trim_start();
                rest.starts_with('[') && !text[..at].ends_with(is_part) && is_it(&text[..at])
            })
        })
}

/// Whether a line ends a declaration or a function outside of a comment.
fn is_code_end(line: &str) -> bool {
    let is_comment = ["//", "/*", "*"]
        .iter()
        .any(|start| line.starts_with(start));
    !is_comment && line.ends_with([';', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assumption_may_ask_for_an_array() {
        let all = ["n > 1 && items [2].kind == 1".to_owned()];
        assert!(indexes(&all, "items"));
        for name in ["n", "kind", "tems", "item", ""] {
            assert!(!indexes(&all, name), "{name}");
        }
        let all = ["list->items[2] == rest.more [1] && items > kinds[0]".to_owned()];
        for (name, is_member) in [("items", true), ("more", true), ("kinds", false)] {
            assert_eq!(indexes_member(&all, name), is_member, "{name}");
            assert!(!is_member || !indexes(&all, name), "{name}");
        }
        assert!(!indexes(&["p->items[1] == 3".to_owned()], "items"));
    }

    #[test]
    fn only_the_comment_of_the_function_counts() {
        let source = "// bothways: assume x > 1\nint a;\n/* Looks.\n * bothways: assume n < 64 */\n\
                      // bothways: assume p != 0\nstatic int\nlook(char *p, int n)\n{\n}\n";
        assert_eq!(assumptions(source, 7), ["n < 64", "p != 0"]);
        assert!(assumptions(source, 1).is_empty());
    }
}
