//! Inline assembly without instructions: `asm("" : "+r"(x))`, `asm volatile("" ::: "memory")`. Programs hide values from the optimiser
//! with it, and keep it from moving memory accesses.
//!
//! What must hold: a result that an input is tied to is that input, whatever the constraints; the call stays where it was, so that the
//! optimised build moves nothing over it that the source keeps apart.

use crate::ir::{Opcode, Value};

/// Gives those who use the results of such calls what is tied to them. If a result of a call is tied to nothing, all stay as they are:
/// nobody knows what was in the register.
pub(super) fn expand(function: Value) {
    let calls: Vec<Value> = function
        .instructions()
        .filter(|instruction| has_no_instructions(*instruction))
        .collect();
    for call in calls {
        match tied(call).as_deref() {
            None | Some([]) => {}
            Some([result]) => call.replace_uses(*result),
            Some(results) => replace_parts(call, results),
        }
    }
}

/// The front end takes several results apart.
fn replace_parts(call: Value, results: &[Value]) {
    for user in call.users() {
        if user.is_opcode(Opcode::LLVMExtractValue)
            && let [index] = user.indices()[..]
        {
            user.replace_uses(results[index as usize]);
            user.erase();
        }
    }
}

/// Whether a call is one that does nothing and whose results nobody reads.
pub(crate) fn is_barrier(call: Value) -> bool {
    has_no_instructions(call) && call.users().is_empty()
}

fn has_no_instructions(call: Value) -> bool {
    call.is_opcode(Opcode::LLVMCall)
        && call.callee().is_inline_assembly()
        && without_comments(&call.callee().assembly())
}

/// Whether a template has nothing but space and comments.
fn without_comments(template: &str) -> bool {
    template.lines().all(|line| {
        let code = line.split('#').next().unwrap_or_default();
        code.chars().all(|c| c.is_whitespace() || c == ';')
    })
}

/// For each result the argument that is tied to it; nothing if one has none, or one of another type.
fn tied(call: Value) -> Option<Vec<Value>> {
    let constraints = call.callee().constraints();
    let parts = || constraints.split(',');
    let results = parts()
        .filter(|part| part.starts_with('=') && !part.contains('*'))
        .count();
    let mut list = vec![None; results];
    // Indirect results have an argument as well; clobbers stand behind all inputs.
    let arguments = parts().filter(|part| !part.starts_with('=') || part.contains('*'));
    for (argument, part) in call.args().into_iter().zip(arguments) {
        let Ok(output) = part.parse::<usize>() else {
            continue;
        };
        // Constraints count all outputs, the indirect ones included.
        let direct = |part: &&str| !part.contains('*');
        if parts().nth(output).is_some_and(|part| direct(&part)) {
            let index = parts().take(output).filter(direct).count();
            *list.get_mut(index)? = Some(argument);
        }
    }
    let list: Option<Vec<Value>> = list.into_iter().collect();
    let list = list?;
    let fits = match list[..] {
        [] => true,
        [result] => result.ty() == call.ty(),
        _ => (0..)
            .zip(&list)
            .all(|(index, result)| result.ty() == call.ty().member(index)),
    };
    fits.then_some(list)
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_are_no_instructions() {
        for (template, expected) in [
            ("", true),
            (" \n\t; ", true),
            ("# $0", true),
            ("# nop\n nop", false),
            ("nop", false),
            ("nop # comment", false),
        ] {
            assert_eq!(without_comments(template), expected, "{template:?}");
        }
    }
}
