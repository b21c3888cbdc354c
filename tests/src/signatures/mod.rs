//! C units of random types, signatures and linkage: what function mode must be able to test.
//!
//! Each unit defines `target`, which looks at its parameters, at variables and at what other functions return. All that C
//! lets a program write stands in it sooner or later: qualifiers at every level and typedefs of them, recursive, packed
//! and anonymous records, bit-fields, flexible arrays, arrays of arrays, variable ones, unions, callbacks that take and
//! return anything, incomplete types, wide, complex, atomic and vector values, enumerations of every width; and functions
//! and variables that are static, hidden, inline, weak, aliases, thread-local, or declared and nowhere defined.
//!
//! Must hold: the same seed gives the same text; every unit compiles, and no input makes it crash or loop.

mod body;
mod linkage;
mod types;

use self::linkage::Linkage;
use self::types::{Pool, Ty};

/// A small deterministic source of choices (splitmix64).
pub struct Random(u64);

impl Random {
    /// The source for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True `percent` times in a hundred.
    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let at = self.below(list.len() as u64);
        &list[usize::try_from(at).unwrap_or(0)]
    }
}

/// The unit of a seed. Its function under test is `target`.
#[must_use]
pub fn unit(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut pool = Pool::default();
    for _ in 0..2 + random.below(5) {
        pool.define(&mut random);
    }
    let mut linkage = Linkage::default();
    for _ in 0..random.below(3) {
        linkage.function(&mut pool, &mut random);
    }
    for _ in 0..random.below(3) {
        linkage.variable(&mut pool, &mut random);
    }
    let target = target(&mut pool, &linkage, &mut random);
    format!(
        "#include <stddef.h>\n#include <string.h>\n\nlong seen;\n{}\n{}\n{target}",
        pool.text, linkage.text
    )
}

/// The function under test.
fn target(pool: &mut Pool, linkage: &Linkage, random: &mut Random) -> String {
    let count = 1 + random.below(4);
    let mut params: Vec<(String, Ty)> = (0..count)
        .map(|index| (format!("p{index}"), pool.param(random, 3)))
        .collect();
    let result = pool.result(random);
    let mut body = body::Body::new();
    for (name, ty) in &params {
        body.look(pool, random, name, ty);
        body.look(pool, random, name, ty);
    }
    for line in &linkage.uses {
        body.line(line);
    }
    for (name, ty) in &linkage.variables {
        body.look(pool, random, name, ty);
    }
    // A variable array among the parameters.
    if random.chance(8) {
        let inner = if random.chance(50) { "[n]" } else { "" };
        params.push(("n".to_owned(), Ty::Base("int")));
        let (star, at) = if inner.is_empty() {
            ("[n]".to_owned(), "vla[0]")
        } else {
            (format!("[n]{inner}"), "vla[1][1]")
        };
        params.push((format!("vla{star}"), Ty::Base("int")));
        body.line(&format!(
            "if (n > 1 && n < 4 && vla && {at} == 77) acc += 5;"
        ));
    }
    let is_old = random.chance(5)
        && params
            .iter()
            .all(|(name, ty)| ty.is_plain() && !name.contains('['));
    let variadic = !is_old && random.chance(5);
    let attributes = linkage::target_attributes(random, variadic);
    let mut list: Vec<String> = params.iter().map(|(name, ty)| ty.declare(name)).collect();
    if variadic {
        list.push("...".to_owned());
    }
    let head = if is_old {
        let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
        let declared: Vec<String> = list.iter().map(|text| format!("{text};")).collect();
        format!(
            "{}\n{}",
            result.declare(&format!("target({})", names.join(", "))),
            declared.join("\n")
        )
    } else {
        result.declare(&format!("target({})", list.join(", ")))
    };
    let prefix = if is_old { "" } else { attributes.prefix };
    let before = if attributes.declared.is_empty() || is_old {
        String::new()
    } else {
        format!("{};\n", attributes.declared.replace("HEAD", &head))
    };
    let returns = body::returns(&result);
    format!(
        "{before}{prefix}{head}\n{{\n    long acc = 0;\n{}{returns}}}\n",
        body.text
    )
}
