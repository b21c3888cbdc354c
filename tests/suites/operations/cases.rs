//! The functions: one for each operation and width, in LLVM's text form.

use super::native::BLOCK;

/// An operand: it stands in 16 bytes of its own.
#[derive(Clone, Debug)]
pub struct Input {
    ty: String,
    pub bits: u32,
    pub is_float: bool,
}

/// What the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Bits,
    Float,
    Double,
    LongDouble,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    pub body: String,
    pub declarations: Vec<String>,
    pub inputs: Vec<Input>,
    pub output: Output,
    /// The code at `-O0` is the machine's own instruction also where LLVM leaves the result open.
    pub plain: bool,
    /// A library function that works on the bits: of `long double` it gets only patterns that computations yield.
    pub library: bool,
}

impl Case {
    /// A block with nothing but the bits of the operands.
    pub fn cut(&self, block: &[u8; BLOCK]) -> [u8; BLOCK] {
        let mut own = [0; BLOCK];
        for (index, input) in self.inputs.iter().enumerate() {
            let place = 16 * index..16 * index + 16;
            let operand = u128::from_le_bytes(block[place.clone()].try_into().expect("16 bytes"));
            let operand = operand & u128::MAX >> (128 - input.bits);
            own[place].copy_from_slice(&operand.to_le_bytes());
        }
        own
    }
}

const WIDTHS: [u32; 16] = [
    1, 7, 8, 13, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128,
];
/// An operand of a type with this name; a vector or struct is given by its number of bits.
fn input(ty: &str, bits: u32) -> Input {
    Input {
        ty: ty.to_owned(),
        bits,
        is_float: FLOATS.iter().any(|float| float.0 == ty),
    }
}

fn int(bits: u32) -> Input {
    input(&format!("i{bits}"), bits)
}

/// Floats: type, its part in names of intrinsics, bits.
const FLOATS: [(&str, &str, u32); 3] = [
    ("float", "f32", 32),
    ("double", "f64", 64),
    ("x86_fp80", "f80", 80),
];

/// A function that loads its operands (`%x0`, `%x1` …), runs `lines`, and stores `%r` of type `result`.
fn case(inputs: Vec<Input>, result: &str, lines: &str) -> Case {
    let mut body = String::new();
    for (index, input) in inputs.iter().enumerate() {
        body += &format!(
            "  %p{index} = getelementptr i8, ptr %a, i64 {}\n",
            16 * index
        );
        body += &format!("  %x{index} = load {}, ptr %p{index}, align 16\n", input.ty);
    }
    for line in lines.split(';') {
        body += &format!("  {}\n", line.trim());
    }
    body += &format!("  store {result} %r, ptr %o, align 16\n");
    let output = match result {
        "float" => Output::Float,
        "double" => Output::Double,
        "x86_fp80" => Output::LongDouble,
        _ => Output::Bits,
    };
    Case {
        text: lines.to_owned(),
        body,
        declarations: Vec::new(),
        inputs,
        output,
        plain: false,
        library: false,
    }
}

/// A call of an intrinsic whose operands are all inputs; `more` are constant arguments.
fn call(name: &str, inputs: Vec<Input>, result: &str, more: &str) -> Case {
    let args: Vec<String> = (inputs.iter().enumerate())
        .map(|(index, input)| format!("{} %x{index}", input.ty))
        .collect();
    let types: Vec<&str> = inputs.iter().map(|input| input.ty.as_str()).collect();
    let extra = more.rsplit_once(' ').map_or("", |(ty, _)| ty);
    let lines = format!("%r = call {result} @llvm.{name}({}{more})", args.join(", "));
    let declaration = format!(
        "declare {result} @llvm.{name}({}{extra})\n",
        types.join(", ")
    );
    Case {
        declarations: vec![declaration],
        ..case(inputs, result, &lines)
    }
}

pub fn all() -> Vec<Case> {
    let mut list = Vec::new();
    integers(&mut list);
    intrinsics(&mut list);
    conversions(&mut list);
    floats(&mut list);
    float_conversions(&mut list);
    others(&mut list);
    vectors(&mut list);
    list
}

fn integers(list: &mut Vec<Case>) {
    for bits in WIDTHS {
        for op in [
            "add",
            "sub",
            "mul",
            "udiv",
            "sdiv",
            "urem",
            "srem",
            "and",
            "or",
            "xor",
            "shl",
            "lshr",
            "ashr",
            "add nsw",
            "mul nuw",
            "lshr exact",
        ] {
            let lines = format!("%r = {op} i{bits} %x0, %x1");
            list.push(case(
                vec![int(bits), int(bits)],
                &format!("i{bits}"),
                &lines,
            ));
        }
        for pred in [
            "eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle",
        ] {
            let lines = format!("%r = icmp {pred} i{bits} %x0, %x1");
            list.push(case(vec![int(bits), int(bits)], "i1", &lines));
        }
    }
    for pred in ["eq", "ult", "uge", "sgt"] {
        let lines = format!("%r = icmp {pred} ptr %x0, %x1");
        let two = vec![input("ptr", 64), input("ptr", 64)];
        list.push(case(two, "i1", &lines));
    }
}

fn intrinsics(list: &mut Vec<Case>) {
    for bits in WIDTHS.into_iter().filter(|bits| *bits > 1) {
        let ty = format!("i{bits}");
        let two = || vec![int(bits), int(bits)];
        for op in ["uadd", "sadd", "usub", "ssub", "umul", "smul"] {
            // LLVM's code for odd widths above 64 calls functions that no library has.
            if op.ends_with("mul") && bits > 64 && bits != 128 {
                continue;
            }
            let name = format!("{op}.with.overflow.{ty}");
            for (part, result) in [(0, ty.as_str()), (1, "i1")] {
                let pair = format!("{{{ty}, i1}}");
                let mut one = call(&name, two(), &pair, "");
                let made = format!("%s = extractvalue {pair} %r, {part}\n  store {result} %s");
                one.body = one.body.replace(&format!("store {pair} %r"), &made);
                list.push(one);
            }
        }
        for op in [
            "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat", "umin", "umax", "smin", "smax",
        ] {
            list.push(call(&format!("{op}.{ty}"), two(), &ty, ""));
        }
        for (op, more) in [
            ("abs", ", i1 true"),
            ("abs", ", i1 false"),
            ("ctlz", ", i1 true"),
            ("cttz", ", i1 false"),
            ("ctpop", ""),
            ("bitreverse", ""),
        ] {
            list.push(call(&format!("{op}.{ty}"), vec![int(bits)], &ty, more));
        }
        if bits.is_multiple_of(16) {
            list.push(call(&format!("bswap.{ty}"), vec![int(bits)], &ty, ""));
        }
        for op in ["fshl", "fshr"] {
            let three = vec![int(bits), int(bits), int(bits)];
            list.push(call(&format!("{op}.{ty}"), three, &ty, ""));
        }
    }
    list.push(call(
        "ptrmask.p0.i64",
        vec![input("ptr", 64), int(64)],
        "ptr",
        "",
    ));
    for bits in [8, 32, 64] {
        for op in ["ucmp", "scmp"] {
            let name = format!("{op}.i8.i{bits}");
            list.push(call(&name, vec![int(bits), int(bits)], "i8", ""));
        }
        for op in ["ushl.sat", "sshl.sat"] {
            // The amount is not masked: only small ones are asked.
            let mut one = call(
                &format!("{op}.i{bits}"),
                vec![int(bits), int(bits)],
                &format!("i{bits}"),
                "",
            );
            one.body = one.body.replace(
                &format!("%x1 = load i{bits}, ptr %p1, align 16"),
                &format!("%y1 = load i{bits}, ptr %p1, align 16\n  %x1 = urem i{bits} %y1, {bits}"),
            );
            list.push(one);
        }
    }
}

fn conversions(list: &mut Vec<Case>) {
    for from in WIDTHS {
        for to in WIDTHS {
            let ops: &[&str] = match from.cmp(&to) {
                std::cmp::Ordering::Less => &["zext", "sext"],
                std::cmp::Ordering::Equal => &[],
                std::cmp::Ordering::Greater => &["trunc"],
            };
            for op in ops {
                let lines = format!("%r = {op} i{from} %x0 to i{to}");
                list.push(case(vec![int(from)], &format!("i{to}"), &lines));
            }
        }
        let lines = format!("%r = inttoptr i{from} %x0 to ptr");
        list.push(case(vec![int(from)], "ptr", &lines));
        let lines = format!("%r = ptrtoint ptr %x0 to i{from}");
        list.push(case(vec![input("ptr", 64)], &format!("i{from}"), &lines));
    }
}

fn floats(list: &mut Vec<Case>) {
    for (ty, name, bits) in FLOATS {
        let one = || vec![input(ty, bits)];
        let two = || vec![input(ty, bits), input(ty, bits)];
        for op in ["fadd", "fsub", "fmul", "fdiv", "frem"] {
            list.push(case(two(), ty, &format!("%r = {op} {ty} %x0, %x1")));
        }
        list.push(case(one(), ty, &format!("%r = fneg {ty} %x0")));
        for pred in [
            "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
            "ule", "une", "uno", "true",
        ] {
            list.push(case(
                two(),
                "i1",
                &format!("%r = fcmp {pred} {ty} %x0, %x1"),
            ));
        }
        for op in [
            "fabs",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "round",
            "roundeven",
            "rint",
            "nearbyint",
        ] {
            list.push(Case {
                library: op.starts_with("round"),
                ..call(&format!("{op}.{name}"), one(), ty, "")
            });
        }
        list.push(call(&format!("copysign.{name}"), two(), ty, ""));
        for op in ["minnum", "maxnum"] {
            // The library's minimum of a signalling NaN and of two zeros is another one.
            list.push(Case {
                plain: bits != 80,
                library: true,
                ..call(&format!("{op}.{name}"), two(), ty, "")
            });
        }
        for class in [1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 516, 1016] {
            let rest = format!(", i32 {class}");
            list.push(call(&format!("is.fpclass.{name}"), one(), "i1", &rest));
        }
        // Without a fused operation in the target this is two.
        let three = vec![input(ty, bits), input(ty, bits), input(ty, bits)];
        list.push(call(&format!("fmuladd.{name}"), three, ty, ""));
    }
}

fn float_conversions(list: &mut Vec<Case>) {
    for (ty, _, width) in FLOATS {
        for bits in [1, 7, 8, 13, 16, 17, 31, 32, 33, 63, 64, 128] {
            for op in ["sitofp", "uitofp"] {
                let lines = format!("%r = {op} i{bits} %x0 to {ty}");
                list.push(case(vec![int(bits)], ty, &lines));
            }
            for op in ["fptosi", "fptoui"] {
                let lines = format!("%r = {op} {ty} %x0 to i{bits}");
                list.push(Case {
                    plain: matches!((bits, op), (32 | 64, "fptosi")),
                    ..case(vec![input(ty, width)], &format!("i{bits}"), &lines)
                });
            }
        }
        for (to, _, other) in FLOATS {
            let op = if other > width { "fpext" } else { "fptrunc" };
            if other != width {
                let lines = format!("%r = {op} {ty} %x0 to {to}");
                list.push(case(vec![input(ty, width)], to, &lines));
            }
        }
        let lines = format!("%r = bitcast {ty} %x0 to i{width}");
        list.push(case(vec![input(ty, width)], &format!("i{width}"), &lines));
        let lines = format!("%r = bitcast i{width} %x0 to {ty}");
        list.push(case(vec![int(width)], ty, &lines));
    }
    let three = vec![int(1), input("x86_fp80", 80), input("x86_fp80", 80)];
    let lines = "%r = select i1 %x0, x86_fp80 %x1, x86_fp80 %x2";
    list.push(case(three, "x86_fp80", lines));
}

fn others(list: &mut Vec<Case>) {
    for ty in ["i8", "i32", "i64", "i128"] {
        let bits = ty[1..].parse().expect("a number");
        let lines = format!("%r = select i1 %x0, {ty} %x1, {ty} %x2");
        list.push(case(vec![int(1), int(bits), int(bits)], ty, &lines));
        list.push(case(vec![int(bits)], ty, &format!("%r = freeze {ty} %x0")));
        let lines = format!(
            "%q = getelementptr {{i8, i32, [3 x i16]}}, ptr %x0, {ty} %x1, i32 2, {ty} %x2; %r = ptrtoint ptr %q to i64"
        );
        let three = vec![input("ptr", 64), int(bits), int(bits)];
        list.push(case(three, "i64", &lines));
        list.push(call(
            &format!("expect.{ty}"),
            vec![int(bits), int(bits)],
            ty,
            "",
        ));
    }
    let pair = || vec![int(8), int(32)];
    let lines = "%s = insertvalue {i8, {i16, i32}} zeroinitializer, i8 %x0, 0; \
                 %r = insertvalue {i8, {i16, i32}} %s, i32 %x1, 1, 1";
    // Padding is written by nobody, so it is compared as it was.
    list.push(case(pair(), "{i8, {i16, i32}}", lines));
    let lines = "%s = insertvalue [3 x i32] [i32 1, i32 2, i32 3], i32 %x1, 1; %r = extractvalue [3 x i32] %s, 1";
    list.push(case(pair(), "i32", lines));
    let packed = vec![input("<{i8, i32, i16}>", 56)];
    list.push(case(
        packed,
        "i32",
        "%r = extractvalue <{i8, i32, i16}> %x0, 1",
    ));
    let array = vec![input("[4 x i16]", 64)];
    list.push(case(array, "i16", "%r = extractvalue [4 x i16] %x0, 2"));
}

fn vectors(list: &mut Vec<Case>) {
    let four = || vec![input("<4 x i32>", 128), input("<4 x i32>", 128)];
    for op in [
        "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr",
    ] {
        list.push(case(
            four(),
            "<4 x i32>",
            &format!("%r = {op} <4 x i32> %x0, %x1"),
        ));
    }
    for op in ["umin", "smax", "uadd.sat", "ssub.sat"] {
        list.push(call(&format!("{op}.v4i32"), four(), "<4 x i32>", ""));
    }
    let lines =
        "%c = icmp slt <4 x i32> %x0, %x1; %r = select <4 x i1> %c, <4 x i32> %x0, <4 x i32> %x1";
    list.push(case(four(), "<4 x i32>", lines));
    list.push(case(
        four(),
        "<4 x i8>",
        "%r = trunc <4 x i32> %x0 to <4 x i8>",
    ));
    let index = || vec![input("<4 x i32>", 128), int(32)];
    let lines = "%i = and i32 %x1, 3; %r = extractelement <4 x i32> %x0, i32 %i";
    list.push(case(index(), "i32", lines));
    list.push(case(
        index(),
        "i32",
        "%r = extractelement <4 x i32> %x0, i32 3",
    ));
    let lines = "%i = and i32 %x1, 3; %r = insertelement <4 x i32> %x0, i32 %x1, i32 %i";
    list.push(case(index(), "<4 x i32>", lines));
    for (from, to, bits) in [
        ("<4 x i8>", "i32", 32),
        ("i32", "<2 x i16>", 32),
        ("<2 x i64>", "i128", 128),
        ("<2 x float>", "i64", 64),
        ("i64", "<8 x i8>", 64),
        ("<8 x i1>", "i8", 8),
        ("i16", "<16 x i1>", 16),
        ("<4 x i16>", "<2 x i32>", 64),
    ] {
        let lines = format!("%r = bitcast {from} %x0 to {to}");
        list.push(case(vec![input(from, bits)], to, &lines));
    }
    for (ty, bits) in [("<3 x i16>", 48), ("<8 x i1>", 8), ("<2 x float>", 64)] {
        list.push(case(
            vec![input(ty, bits)],
            ty,
            &format!("%r = freeze {ty} %x0"),
        ));
    }
}
