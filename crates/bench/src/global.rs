//! Small C programs whose contradictions are global: why no input takes a side lies in another function, in memory under another name,
//! in a loop, behind a pointer to a function, or in an earlier round.
//!
//! A program is a few [`SCENES`], called one after the other, in rounds, or by a table. Each scene has checks that never fail, and as
//! many that look alike and do: a constant is off by one, or an alias is broken on one path. Which is which is known by running all
//! inputs, as for [`few_bits`](crate::few_bits).
//!
//! Must hold: what [`FewBits`] promises of a program.

use std::fmt::Write;

use random::Random;

use crate::few_bits::FewBits;

/// Scenes of a program where nobody says how many.
pub const SIZE: u64 = 4;

/// Inputs of a program: bits of each.
const WIDTHS: &[&[u32]] = &[&[3, 3], &[4, 3], &[4, 4], &[3, 3, 3], &[4, 3, 3]];

const HEAD: &str = "#ifndef STATE
#define STATE
#endif
unsigned char __VERIFIER_nondet_uchar(void);
void *malloc(unsigned long);
void free(void *);
void *memcpy(void *, const void *, unsigned long);

struct node { unsigned a, b; unsigned char c[4]; struct node *next, *prev; };
STATE static unsigned seen;
STATE static struct node nodes[4];

";

/// Makes a program of so many scenes, each of another kind while there are kinds.
#[must_use]
pub fn global(seed: u64, size: u64) -> FewBits {
    let mut maker = Maker {
        dice: Random::new(seed),
        text: HEAD.to_owned(),
    };
    let mut order: Vec<usize> = (0..SCENES.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, maker.below(at as u64 + 1) as usize);
    }
    for number in 0..size {
        maker.scene(number, SCENES[order[number as usize % order.len()]]);
    }
    let widths = WIDTHS[maker.below(WIDTHS.len() as u64) as usize];
    maker.main(size, widths);
    FewBits {
        source: maker.text,
        widths: widths.to_vec(),
    }
}

struct Maker {
    dice: Random,
    text: String,
}

impl Maker {
    fn below(&mut self, end: u64) -> u64 {
        self.dice.below_u64(end)
    }

    /// Writes a scene: its alternatives are chosen, its number and its constants filled in.
    fn scene(&mut self, number: u64, scene: &str) {
        let [k, l, m] = [1, 2, 1].map(|least| least + self.below(5));
        let mut chosen = String::new();
        for (at, part) in scene.split(['«', '»']).enumerate() {
            let alternatives: Vec<&str> = part.split('¦').collect();
            // What stands between two choices is no choice.
            let count = if at % 2 == 1 { alternatives.len() } else { 1 };
            chosen.push_str(alternatives[self.below(count as u64) as usize]);
        }
        let values = [("$n", number), ("$k", k), ("$l", l), ("$m", m)];
        let filled = values.iter().fold(chosen, |text, (name, value)| {
            text.replace(name, &value.to_string())
        });
        self.text.push_str(filled.trim_start());
        self.text.push('\n');
    }

    /// Writes a `main` that calls each scene once, once in each of two rounds, or three of them by a table.
    fn main(&mut self, size: u64, widths: &[u32]) {
        let shape = self.below(3);
        if shape == 2 {
            let names: Vec<String> = (0..size).map(|number| format!("s{number}")).collect();
            let list = names.join(", ");
            let _ = writeln!(
                self.text,
                "static void (*const scenes[])(unsigned, unsigned) = {{{list}}};\n"
            );
        }
        self.text.push_str("int main(void) {\n");
        for (input, width) in widths.iter().enumerate() {
            let mask = (1_u32 << width) - 1;
            let _ = writeln!(
                self.text,
                "    unsigned x{input} = __VERIFIER_nondet_uchar() & {mask};"
            );
        }
        let inputs = widths.len() as u64;
        let rounds = shape + 1;
        let _ = writeln!(
            self.text,
            "    for (unsigned round = 0; round < {rounds}; round++) {{"
        );
        let calls = if shape == 2 { 1 } else { size };
        for number in 0..calls {
            let first = self.below(inputs);
            let second = (first + 1 + self.below(inputs - 1)) % inputs;
            let callee = match shape {
                2 => format!("scenes[(x{second} + round) % {size}]"),
                _ => format!("s{number}"),
            };
            let more = ["", " ^ round"][self.below(2) as usize];
            let _ = writeln!(self.text, "        {callee}(x{first}{more}, x{second});");
        }
        self.text.push_str("    }\n    return 0;\n}\n");
    }
}

/// The scenes: C text with alternatives, of which one is taken, `«so¦or so»`. `$n` is the number of the scene; `$k` and `$m` are numbers
/// from 1 to 5, `$l` one from 2 to 6. Arguments are below 16.
const SCENES: &[&str] = &[
    // Two names of one object.
    "
static void s$n(unsigned x, unsigned y) {
    struct node *p = &nodes[y & 3], *q = «p¦x == $k ? &nodes[(y + 1) & 3] : p¦&nodes[(y + 4) & 3]»;
    p->a = x;
    q->a = x + $k;
    if (p->a «<¦<=¦== $k +» x) seen++;
    q->b = $l;
    if (p->b «!=¦==» $l) seen += 2;
}
",
    // A member that another function changes by its address.
    "
STATE static struct node own$n = {1, 2, {3}, 0, 0};
static void add$n(unsigned *member, unsigned by) { *member += by; }
static void s$n(unsigned x, unsigned y) {
    own$n.a = x;
    own$n.b = y;
    add$n(«&own$n.a¦y == $k ? &own$n.b : &own$n.a», $l);
    if (own$n.a != x + $l) seen++;
    if (own$n.b «>¦!=¦<» y) seen += 2;
    own$n.c[x & 3] = $k;
    if (own$n.a + own$n.b != x + y + $l) seen += 3;
}
",
    // An array written in one place and read in another.
    "
STATE static unsigned char table$n[8];
static void fill$n(unsigned from) {
    for (unsigned i = from; i < 8; i++)
        table$n[i] = i * $k + $m;
}
static unsigned look$n(unsigned at) { return table$n[at & 7]; }
static void s$n(unsigned x, unsigned y) {
    fill$n(«0¦x == $l¦0»);
    if (look$n(y) «>¦>=» 7 * $k + $m) seen++;
    if (look$n(y) < $m) seen += 2;
    if (look$n(x) == look$n(x + «1¦8¦4»)) seen += 3;
}
",
    // A list on the heap, with its length in each node.
    "
static struct node *push$n(struct node *list, unsigned value) {
    struct node *it = malloc(sizeof *it);
    it->a = value;
    it->b = list ? list->b + 1 : 1;
    it->next = list;
    return it;
}
static void s$n(unsigned x, unsigned y) {
    struct node *list = 0;
    unsigned count = 0, odd = 0;
    for (unsigned i = 0; i <= (x & 3); i++)
        list = push$n(list, i * 2 «¦+ (i == $k && y == $l)»);
    for (struct node *it = list; it; it = it->next) {
        count++;
        if (it->b «> 4¦== 4¦== 0») seen++;
        odd += it->a & 1;
    }
    if (count != list->b) seen += 2;
    if (odd) seen += 3;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}
",
    // An object on the heap that two places hold.
    "
static void s$n(unsigned x, unsigned y) {
    struct node *own = malloc(sizeof *own), *other = malloc(sizeof *other);
    own->a = other->a = $k;
    own->b = other->b = 0;
    struct node *held[2] = {own, «own¦y == $m ? other : own¦own»};
    held[0]->a += $l;
    if (held[1]->a «==¦!=¦<» $k) seen++;
    held[x & 1]->b = y + 1;
    if (own->b == 0) seen += 2;
    if (other->b != 0) seen += 3;
    free(own);
    free(other);
}
",
    // Results by addresses.
    "
static int parse$n(unsigned x, unsigned *value, struct node *more) {
    if (x > $l) return -1;
    *value = x * 2;
    «¦if (x != $k)» more->a = x + 1;
    return x == 0;
}
static void s$n(unsigned x, unsigned y) {
    unsigned value = 1;
    struct node more = {0, y, {0}, 0, 0};
    int error = parse$n(x, &value, &more);
    if (error < 0 && value != 1) seen++;
    if (error == 0 && value «>¦>=» 2 * $l) seen += 2;
    if (error >= 0 && more.a == 0) seen += 3;
    if (more.b «!=¦==» y) seen += 4;
    if (error > 0 && value > «0¦1») seen += 5;
}
",
    // What a callee leaves between two bounds.
    "
static unsigned clamp$n(unsigned x, unsigned least, unsigned most) {
    if (x < least) return least;
    return x > most ? «most¦most + (x == 7)» : x;
}
static unsigned twice$n(unsigned x) { return 2 * clamp$n(x, $k, $k + $l); }
static void s$n(unsigned x, unsigned y) {
    unsigned value = twice$n(x);
    if (value < 2 * $k) seen++;
    if (value > 2 * ($k + $l)) seen += 2;
    if (value + twice$n(y) «==¦<» «4 * $k¦4 * $k - 1») seen += 3;
    if (value & «1¦2») seen += 4;
}
",
    // Two counters that a loop moves together.
    "
static void s$n(unsigned x, unsigned y) {
    unsigned i = 0, j = 0, most = y & 7;
    while (i < most) {
        i++;
        j += $l;
        «¦if (i == $k) j--;»
    }
    if (j != i * $l) seen++;
    if (i != most) seen += 2;
    if (j «>¦==» «7 * $l¦7 * $l - 1») seen += 3;
    if (x > 15) seen += 4;
}
",
    // One counter goes down while another goes up.
    "
static void s$n(unsigned x, unsigned y) {
    unsigned left = x, done = y;
    while (left) {
        left--;
        done++;
        «¦if (done == $k + 7) done++;»
        if (left + done «!=¦==» x + y) seen++;
    }
    if (done «<¦<=» y) seen += 2;
    if (done > 30) seen += 3;
}
",
    // A pointer to a function that another function chose.
    "
static void low$n(struct node *it, unsigned value) { it->a = value & 3; it->b = 1; }
static void high$n(struct node *it, unsigned value) { it->a = value | 8; it->b = 2; }
STATE static void (*set$n)(struct node *, unsigned) = low$n;
static void choose$n(unsigned x) { set$n = x > $k ? high$n : low$n; }
static void s$n(unsigned x, unsigned y) {
    struct node *it = &nodes[y & 3];
    choose$n(x);
    set$n(it, y);
    if (it->b == 1 && it->a «>¦==» 3) seen++;
    if (it->b == 1 && x «>¦>=» $k) seen += 2;
    if (it->b == 2 && it->a < 8) seen += 3;
    if (it->b == «0¦2») seen += 4;
}
",
    // Functions in a table of structs: what one writes the other reads.
    "
static void set0$n(struct node *it, unsigned value) { it->a = value + $k; }
static unsigned get0$n(const struct node *it) { return it->a - $k; }
static void set1$n(struct node *it, unsigned value) { it->a = value ^ $l; }
static unsigned get1$n(const struct node *it) { return it->a ^ $l; }
static const struct {
    void (*set)(struct node *, unsigned);
    unsigned (*get)(const struct node *);
} kinds$n[2] = {{set0$n, get0$n}, {set1$n, get1$n}};
static void s$n(unsigned x, unsigned y) {
    struct node own = {0, $m, {0}, 0, 0};
    kinds$n[x & 1].set(&own, y);
    if (kinds$n[«x & 1¦y & 1»].get(&own) != y) seen++;
    if (own.b != $m) seen += 2;
    if ((x & 1) == 0 && own.a «<¦==» $k) seen += 3;
}
",
    // A state that earlier calls left.
    "
STATE static unsigned state$n, open$n, uses$n;
static void step$n(unsigned event) {
    switch (state$n) {
    case 0:
        if (open$n) seen++;
        if (event == $k) state$n = 2, open$n = 1;
        break;
    case 2:
        if (!open$n) seen += 2;
        if (event == 0) {
            state$n = 0;
            «¦if (uses$n != 1)» open$n = 0;
        } else if (uses$n < 3)
            uses$n++;
        break;
    default:
        seen += 3;
    }
}
static void s$n(unsigned x, unsigned y) {
    step$n(x);
    step$n(y);
    step$n(x ^ y);
    if (state$n == 0 && open$n) seen += 4;
    if (uses$n «>¦==» 3) seen += 5;
}
",
    // A ring of nodes, linked both ways.
    "
STATE static struct node ring$n[4];
static void link$n(struct node *a, struct node *b) { a->next = b; b->prev = a; }
static void s$n(unsigned x, unsigned y) {
    struct node *r = ring$n, *it = &ring$n[x % 3];
    link$n(r, r + 1);
    link$n(r + 1, r + 2);
    link$n(r + 2, «r¦y == $k ? r + 3 : r¦r»);
    if (it->next->prev «!=¦==» it) seen++;
    if (!it->prev) seen += 2;
    if (r[2].next == r + 3) seen += 3;
    if (it->next->next && it->next->next->next «!=¦==» it) seen += 4;
}
",
    // A copy that the original has nothing to do with.
    "
static void s$n(unsigned x, unsigned y) {
    struct node own = {x, y, {1}, 0, 0}, copy = own, *p = «&own¦y == $k ? &copy : &own»;
    p->a++;
    if (copy.a != x) seen++;
    p->c[x & 3] += $l;
    if (copy.c[0] != 1) seen += 2;
    if (own.a «==¦!=» x) seen += 3;
    memcpy(&copy, &own, sizeof own);
    if (copy.a != own.a || copy.b != y) seen += 4;
}
",
    // A buffer with two ends and a count.
    "
STATE static unsigned char buffer$n[4];
STATE static unsigned head$n, tail$n, count$n;
static int put$n(unsigned value) {
    if (count$n == 4) return -1;
    buffer$n[head$n++ & 3] = value;
    count$n++;
    return 0;
}
static int get$n(unsigned *value) {
    if (!count$n) return -1;
    *value = buffer$n[tail$n++ & 3];
    count$n--;
    return 0;
}
static void s$n(unsigned x, unsigned y) {
    unsigned value = 0;
    for (unsigned i = 0; i < (x & 7); i++)
        if (put$n(i + $k) < 0 && count$n «<¦==» 4) seen++;
    «¦if (y == $l && count$n) count$n--;»
    if (head$n - tail$n != count$n) seen += 2;
    while (get$n(&value) == 0)
        if (value «<¦<=» $k) seen += 3;
    if (value > $k + 3) seen += 4;
    if (tail$n != head$n) seen += 5;
}
",
    // Locks behind pointers.
    "
STATE static unsigned locks$n[2];
static void acquire$n(unsigned *lock) {
    if (*lock) seen++;
    *lock = 1;
}
static void release$n(unsigned *lock) {
    if (!*lock) seen += 2;
    *lock = 0;
}
static void s$n(unsigned x, unsigned y) {
    unsigned *a = &locks$n[x & 1], *b = &locks$n[«(x + 1) & 1¦y > $k¦1 - (x & 1)»];
    acquire$n(a);
    acquire$n(b);
    if (!locks$n[0]) seen += 3;
    release$n(b);
    «release$n(a);¦if (y != $l) release$n(a); else *a = 0;»
    if (locks$n[0] || locks$n[1]) seen += 4;
}
",
    // Recursion that counts, and says how far it went.
    "
static unsigned down$n(unsigned n, unsigned *most) {
    if (n > *most) *most = n;
    if (n == 0) return «0¦*most == $k + 4¦0»;
    return 1 + down$n(n - 1, most);
}
static void s$n(unsigned x, unsigned y) {
    unsigned most = «0¦y & 1», depth = down$n(x, &most);
    if (depth != x) seen++;
    if (most != x) seen += 2;
    if (depth «>¦==» $k && most < $k) seen += 3;
}
",
    // Pointers to pointers.
    "
STATE static unsigned one$n, two$n, *at$n = &one$n;
static void point$n(unsigned **to, unsigned *what) { *to = what; }
static void s$n(unsigned x, unsigned y) {
    one$n = $k;
    two$n = $l;
    point$n(&at$n, «&two$n¦x == $m ? &one$n : &two$n»);
    *at$n = y + 7;
    if (two$n != y + 7) seen++;
    if (one$n «!=¦==» $k) seen += 2;
    if (at$n == &one$n) seen += 3;
    if (two$n < «7¦8») seen += 4;
}
",
    // A function that knows a local variable of its caller.
    "
STATE static unsigned *told$n;
static void tell$n(unsigned value) {
    if (told$n) *told$n = value;
}
static void s$n(unsigned x, unsigned y) {
    unsigned local = $k, other = $l;
    told$n = «&local¦x > $m ? &local : &other¦&local»;
    tell$n(y + 9);
    if (local «==¦<=¦>» $k) seen++;
    if (other != $l) seen += 2;
    told$n = 0;
    tell$n($k);
    if (local == $k) seen += 3;
}
",
    // Two variables that are swapped, or are one.
    "
static void swap$n(unsigned *a, unsigned *b) {
    *a ^= *b;
    *b ^= *a;
    *a ^= *b;
}
static void s$n(unsigned x, unsigned y) {
    unsigned both[2] = {x, y};
    swap$n(&both[0], &both[«1¦y > $k¦1»]);
    if (both[1] != x) seen++;
    if (both[0] == 0 && y «!=¦==» 0) seen += 2;
    if (both[0] + both[1] > x + y) seen += 3;
}
",
    // A word by its bytes.
    "
static void s$n(unsigned x, unsigned y) {
    unsigned word = x;
    unsigned char *bytes = (unsigned char *)&word;
    bytes[«1¦1 + (y & 1)¦y & 3»] = $k;
    if ((word & 255) != x) seen++;
    if (word «<¦>» 256) seen += 2;
    if ((word >> 8 & 255) «>¦==» $k) seen += 3;
    if (word >> 24) seen += 4;
}
",
    // The end of a text.
    "
static unsigned length$n(const char *text) {
    unsigned n = 0;
    while (text[n]) n++;
    return n;
}
static void s$n(unsigned x, unsigned y) {
    char text[8];
    unsigned n = x & 7;
    for (unsigned i = 0; i < n; i++)
        text[i] = «'a' + i¦i == $k && y == $l ? 0 : 'a' + i»;
    text[n] = 0;
    if (length$n(text) != n) seen++;
    if (length$n(text) «>¦==» 7) seen += 2;
    if (n && text[n - 1] < 'a') seen += 3;
    if (length$n(text + n)) seen += 4;
}
",
    // A table of addresses in which one stands twice.
    "
STATE static unsigned cells$n[2];
static unsigned *const names$n[3] = {cells$n, cells$n + 1, «cells$n¦cells$n + 1»};
static void s$n(unsigned x, unsigned y) {
    cells$n[0] = cells$n[1] = 0;
    *names$n[x % 3] = 1;
    if (cells$n[0] + cells$n[1] «!=¦==» 1) seen++;
    if (*names$n[2] == 1 && *names$n[0] == 0) seen += 2;
    *names$n[y % 3] = 2;
    if (y % 3 == «1¦2» && cells$n[1] != 2) seen += 3;
}
",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_and_a_size_are_a_program() {
        for seed in 0..50 {
            let made = global(seed, SIZE);
            assert_eq!(global(seed, SIZE), made);
            assert_ne!(global(seed + 1, SIZE), made);
            assert!((6..=10).contains(&made.bits()), "{:?}", made.widths);
            let asked = made.source.matches("__VERIFIER_nondet_uchar()").count();
            assert_eq!(asked, made.widths.len());
            assert!(!made.source.contains(['«', '¦', '»', '$']), "{seed}");
        }
    }

    /// Each choice is one, and a scene is about its arguments.
    #[test]
    fn scenes_are_well_formed() {
        for scene in SCENES {
            let (open, end) = (scene.matches('«').count(), scene.matches('»').count());
            assert_eq!(open, end, "{scene}");
            let head = "static void s$n(unsigned x, unsigned y) {";
            assert_eq!(scene.matches(head).count(), 1, "{scene}");
            let between = scene.split(['«', '»']).skip(1).step_by(2);
            assert!(between.clone().all(|part| part.contains('¦')), "{scene}");
        }
    }
}
