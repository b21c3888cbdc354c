//! Models in text form, each with what a search says of its edges.

/// What it is about, the model, and the answers in the order of edges.
type Model = (&'static str, &'static str, &'static [&'static str]);

pub const MODELS: &[Model] = &[
    (
        "an expression without a branch, in a block whose branch decides something else",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  v0: i32 = call @__VERIFIER_nondet_int()
  v1: i1 = icmp eq v0, i32 77
  v2: i64 = zext v1
  count 1 step v2 [site0: edge0 false, edge1 true]
  v4: i32 = and v0, i32 1
  v5: i1 = icmp ugt v4, i32 1
  br v5, block1, block2 [site1: edge2 false, edge3 true]
block1:
  v6: i1 = icmp ult v0, i32 0
  v7: i64 = zext v6
  count 2 step v7 [site2: edge4 false, edge5 true]
  br block2
block2:
  ret i32 0
}
"#,
        &[
            "reached by 0 after 1",
            "reached by 77 after 2",
            "reached by 0 after 1",
            "unreachable",
            "unreachable",
            "unreachable",
        ],
    ),
    (
        "a number that is its own negative, and not 0",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  v0: i32 = call @__VERIFIER_nondet_int()
  v1: i32 = sub i32 0, v0
  v2: i1 = icmp eq v0, v1
  br v2, block1, block3 [site0: edge0 false, edge1 true]
block1:
  v3: i1 = icmp ne v0, i32 0
  br v3, block2, block3 [site1: edge2 false, edge3 true]
block2:
  ret i32 1
block3:
  ret i32 0
}
"#,
        &[
            "reached by 1 after 2",
            "reached by 0 after 1",
            "reached by 0 after 1",
            "reached by -2147483648 after 2",
        ],
    ),
    (
        "a byte of a local word, written at a place that is computed",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  v0: ptr = alloca 4 x i32 1 align 4
  v1: i32 = call @__VERIFIER_nondet_int()
  store i32 5, v0 align 4
  v3: i32 = and v1, i32 3
  v4: i64 = zext v3
  v5: ptr = gep v0 [v4 * 1]
  store i8 2, v5 align 1
  v7: i32 = load v0 align 4
  v8: i32 = lshr v7, i32 24
  v9: i1 = icmp ne v8, i32 0
  br v9, block1, block2 [site0: edge0 false, edge1 true]
block1:
  ret i32 1
block2:
  ret i32 0
}
"#,
        &["reached by 0 after 1", "reached by 3 after 2"],
    ),
    (
        "bytes of a word, written one by one",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
global0 @w size 4 align 4 = x""
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  count 0
  v1: i32 = call @__VERIFIER_nondet_int()
  store i32 16909060, @w align 4
  v3: i8 = trunc v1
  v4: ptr = gep @w + 2
  store v3, v4 align 1
  v6: i32 = load @w align 4
  v7: i1 = icmp eq v6, i32 26804996
  br v7, block1, block2 [site0: edge0 false, edge1 true]
block1:
  count 1
  br block7
block2:
  v9: ptr = gep @w + 1
  v10: i8 = load v9 align 1
  v11: i32 = zext v10
  v12: i1 = icmp eq v11, i32 4
  br v12, block3, block4 [site1: edge2 false, edge3 true]
block3:
  count 2
  br block7
block4:
  v14: ptr = gep @w + 1
  v15: i16 = load v14 align 2
  v16: i32 = zext v15
  v17: i1 = icmp eq v16, i32 30467
  br v17, block5, block6 [site2: edge4 false, edge5 true]
block5:
  count 3
  br block7
block6:
  br block7
block7:
  v19: i32 = phi [block1: i32 1, block3: i32 2, block5: i32 3, block6: i32 0]
  ret v19
}
"#,
        &[
            "reached by 0 after 1",
            "reached by 153 after 2",
            "reached by 0 after 1",
            "unreachable",
            "reached by 0 after 1",
            "reached by 119 after 2",
        ],
    ),
    (
        "what one of two pointers is written to",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
global0 @a size 4 align 4 = x"01"
global1 @b size 4 align 4 = x"02"
global2 @hidden internal size 4 align 4 = x"03"
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  count 0
  v1: i32 = call @__VERIFIER_nondet_int()
  v2: i1 = icmp sgt v1, i32 0
  v3: i64 = zext v2
  count 1 step v3 [site0: edge0 false, edge1 true]
  v5: ptr = select v2, @a, @b
  call @set(v5, v1)
  v7: i32 = load @a align 4
  v8: i1 = icmp eq v7, i32 77
  br v8, block1, block2 [site1: edge2 false, edge3 true]
block1:
  count 2
  br block15
block2:
  v10: i32 = load @b align 4
  v11: i1 = icmp eq v10, i32 77
  br v11, block3, block4 [site2: edge4 false, edge5 true]
block3:
  count 3
  br block15
block4:
  v13: i32 = load @hidden align 4
  v14: i1 = icmp ne v13, i32 3
  br v14, block5, block6 [site3: edge6 false, edge7 true]
block5:
  count 4
  br block15
block6:
  store v1, @hidden align 4
  v17: i32 = load @hidden align 4
  v18: i1 = icmp eq v17, i32 5
  br v18, block7, block10 [site4: edge8 false, edge9 true]
block7:
  count 6
  v20: i32 = load @a align 4
  v21: i1 = icmp eq v20, i32 5
  br v21, block8, block10 [site5: edge10 false, edge11 true]
block8:
  count 7
  br block9
block9:
  count 5
  br block15
block10:
  v24: i32 = load @hidden align 4
  v25: i1 = icmp eq v24, i32 5
  br v25, block11, block14 [site6: edge12 false, edge13 true]
block11:
  count 9
  v27: i32 = load @b align 4
  v28: i1 = icmp eq v27, i32 5
  br v28, block12, block14 [site7: edge14 false, edge15 true]
block12:
  count 10
  br block13
block13:
  count 8
  br block15
block14:
  br block15
block15:
  v31: i32 = phi [block1: i32 1, block3: i32 2, block5: i32 3, block9: i32 4, block13: i32 5, block14: i32 0]
  ret v31
}
fn1 @set(v0: ptr, v1: i32) internal {
block0:
  count 0
  store v1, v0 align 4
  ret
}
"#,
        &[
            "reached by 0 after 1",
            "reached by 1 after 2",
            "reached by 0 after 1",
            "reached by 77 after 2",
            "reached by 0 after 1",
            "unreachable",
            "reached by 0 after 1",
            "unreachable",
            "reached by 0 after 1",
            "reached by 5 after 2",
            "unreachable",
            "reached by 5 after 2",
            "reached by 0 after 1",
            "unreachable",
            "unreachable",
            "unreachable",
        ],
    ),
    (
        "functions called through a table of constants",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
global0 @ops internal const size 16 align 16 = x"" [0: @one, 8: @two]
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  count 0
  v1: i32 = call @__VERIFIER_nondet_int()
  v2: i32 = and v1, i32 1
  v3: i64 = sext v2
  v4: ptr = gep @ops [v3 * 8]
  v5: ptr = load v4 align 8
  v6: i32 = call *v5(v1)
  v7: i1 = icmp eq v6, i32 11
  br v7, block1, block2 [site0: edge0 false, edge1 true]
block1:
  count 1
  br block5
block2:
  v9: i1 = icmp eq v6, i32 12
  br v9, block3, block4 [site1: edge2 false, edge3 true]
block3:
  count 2
  br block5
block4:
  br block5
block5:
  v11: i32 = phi [block1: i32 1, block3: i32 2, block4: i32 0]
  ret v11
}
fn1 @one(v0: i32) -> i32 internal {
block0:
  count 0
  v2: i32 = add v0, i32 1
  ret v2
}
fn2 @two(v0: i32) -> i32 internal {
block0:
  count 0
  v2: i32 = mul v0, i32 2
  ret v2
}
"#,
        &[
            "reached by 0 after 1",
            "reached by 10 after 2",
            "reached by 0 after 1",
            "unreachable",
        ],
    ),
    (
        "recursion",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  count 0
  v1: i32 = call @__VERIFIER_nondet_int()
  v2: i1 = icmp ugt v1, i32 4
  br v2, block1, block2 [site0: edge0 false, edge1 true]
block1:
  count 1
  br block7
block2:
  v4: i32 = call @fact(v1)
  v5: i1 = icmp eq v4, i32 6
  br v5, block3, block4 [site1: edge2 false, edge3 true]
block3:
  count 2
  br block7
block4:
  v7: i32 = call @fact(v1)
  v8: i1 = icmp eq v7, i32 7
  br v8, block5, block6 [site2: edge4 false, edge5 true]
block5:
  count 3
  br block7
block6:
  br block7
block7:
  v10: i32 = phi [block1: i32 0, block3: i32 1, block5: i32 2, block6: i32 0]
  ret v10
}
fn1 @fact(v0: i32) -> i32 internal {
block0:
  count 0
  v2: i1 = icmp ule v0, i32 1
  br v2, block1, block2 [site3: edge6 false, edge7 true]
block1:
  count 1
  br block3
block2:
  v4: i32 = sub v0, i32 1
  v5: i32 = call @fact(v4)
  v6: i32 = mul v0, v5
  br block3
block3:
  v7: i32 = phi [block1: i32 1, block2: v6]
  ret v7
}
"#,
        &[
            "reached by 0 after 1",
            "reached by 5 after 2",
            "reached by 0 after 1",
            "reached by 3 after 2",
            "reached by 0 after 1",
            "unreachable",
            "reached by 2 after 2",
            "reached by 0 after 1",
        ],
    ),
    (
        "an endless loop that dispatches on a state",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
global0 @s size 4 align 4 = x""
global1 @flag size 4 align 4 = x""
global2 @locked size 4 align 4 = x""
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  count 0
  br block1
block1:
  count 1 [site0: edge0]
  v2: i32 = call @__VERIFIER_nondet_int()
  v3: i32 = load @s align 4
  switch v3 [0: block2, 1: block5, 2: block11, 3: block14, 4: block20, 12: block25, default: block26] [site1: edge1 0, edge2 1, edge3 2, edge4 3, edge5 4, edge6 12, edge7 default]
block2:
  count 3
  v5: i1 = icmp eq v2, i32 17
  br v5, block3, block4 [site2: edge8 false, edge9 true]
block3:
  count 4
  store i32 1, @s align 4
  call @lock()
  br block4
block4:
  br block26
block5:
  count 5
  v10: i1 = icmp eq v2, i32 42
  br v10, block6, block7 [site3: edge10 false, edge11 true]
block6:
  count 6
  store i32 2, @s align 4
  store i32 1, @flag align 4
  br block10
block7:
  v14: i1 = icmp eq v2, i32 3
  br v14, block8, block9 [site4: edge12 false, edge13 true]
block8:
  count 7
  store i32 0, @s align 4
  call @unlock()
  br block9
block9:
  br block10
block10:
  br block26
block11:
  count 8
  v19: i1 = icmp eq v2, i32 99
  br v19, block12, block13 [site5: edge14 false, edge15 true]
block12:
  count 9
  store i32 3, @s align 4
  br block13
block13:
  br block26
block14:
  count 10
  v23: i1 = icmp eq v2, i32 5
  br v23, block15, block19 [site6: edge16 false, edge17 true]
block15:
  count 11
  v25: i32 = load @flag align 4
  v26: i1 = icmp ne v25, i32 0
  br v26, block16, block17 [site7: edge18 false, edge19 true]
block16:
  count 12
  store i32 4, @s align 4
  br block18
block17:
  br block27
block18:
  br block19
block19:
  br block26
block20:
  count 13
  v30: i1 = icmp eq v2, i32 1234
  br v30, block21, block22 [site8: edge20 false, edge21 true]
block21:
  count 14
  br block27
block22:
  v32: i32 = load @locked align 4
  v33: i1 = icmp ne v32, i32 0
  br v33, block24, block23 [site9: edge22 false, edge23 true]
block23:
  count 15
  br block27
block24:
  br block26
block25:
  count 16
  br block27
block26:
  count 2 [site10: edge24]
  br block1
block27:
  v37: i32 = phi [block25: i32 3, block21: i32 9, block23: i32 8, block17: i32 7]
  ret v37
}
fn1 @lock() internal {
block0:
  count 0
  store i32 1, @locked align 4
  ret
}
fn2 @unlock() internal {
block0:
  count 0
  store i32 0, @locked align 4
  ret
}
"#,
        &[
            "reached by 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 1",
            "reached by 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 1",
            "reached by 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "unreachable",
            "unreachable",
            "reached by 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 1",
            "reached by 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "unreachable",
            "reached by 17 42 99 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 17 42 99 5 1234 after 2",
            "unreachable",
            "reached by 17 42 99 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 2",
            "reached by 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 after 1",
        ],
    ),
    (
        "a copy whose length is not known",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_uchar() -> i8
global0 @a size 4 align 1 = x"616263"
global1 @b size 4 align 1 = x"78797a"
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  count 0
  v1: i8 = call @__VERIFIER_nondet_uchar()
  v2: i32 = zext v1
  v3: i32 = and v2, i32 3
  v4: i64 = zext v3
  memcpy @a, @b, v4
  v6: i8 = load (@a + 1) align 1
  v7: i32 = sext v6
  v8: i1 = icmp eq v7, i32 121
  br v8, block1, block2 [site0: edge0 false, edge1 true]
block1:
  count 1
  br block5
block2:
  v10: i8 = load (@a + 3) align 1
  v11: i32 = sext v10
  v12: i1 = icmp ne v11, i32 0
  br v12, block3, block4 [site1: edge2 false, edge3 true]
block3:
  count 2
  br block5
block4:
  br block5
block5:
  v14: i32 = phi [block1: i32 1, block3: i32 2, block4: i32 0]
  ret v14
}
"#,
        &[
            "reached by 0 after 1",
            "no answer",
            "reached by 0 after 1",
            "no answer",
        ],
    ),
    (
        "a function that nobody sees called",
        r#"layout 64 little
file0 "a.c"
extern0 @other(ptr) -> void
global0 @count internal size 4 align 4 = x""
global1 @kept internal size 8 align 8 = x"" [0: @step]
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  store i32 0, @count align 4
  v1: ptr = load @kept align 8
  call @other(v1)
  v3: i32 = load @count align 4
  v4: i1 = icmp eq v3, i32 1
  br v4, block1, block2 [site0: edge0 false, edge1 true]
block1:
  ret i32 1
block2:
  ret i32 0
}
fn1 @step() -> void internal {
block0:
  v0: i32 = load @count align 4
  v1: i32 = add v0, i32 1
  store v1, @count align 4
  ret
}
"#,
        &["no answer", "no answer"],
    ),
    (
        "a count that takes more rounds than a path goes, by one of two ways each",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  v0: i32 = call @__VERIFIER_nondet_int()
  br block1
block1:
  v1: i32 = phi [block0: i32 0, block4: v7]
  v2: i32 = phi [block0: i32 0, block4: v8]
  v3: i1 = icmp slt v2, v0
  br v3, block2, block5 [site0: edge0 false, edge1 true]
block2:
  v4: i32 = call @__VERIFIER_nondet_int()
  v5: i1 = icmp eq v4, i32 -1
  br v5, block3, block4 [site1: edge2 false, edge3 true]
block3:
  v6: i32 = add v1, i32 1
  br block4
block4:
  v7: i32 = phi [block2: v1, block3: v6]
  v8: i32 = add v2, i32 1
  br block1
block5:
  v9: i1 = icmp sgt v1, i32 25
  br v9, block7, block6 [site2: edge4 false, edge5 true]
block6:
  ret i32 0
block7:
  ret i32 1
}
"#,
        &[
            "reached by 0 after 1",
            "reached by 1 0 after 2",
            "reached by 1 0 after 2",
            "reached by 1 -1 after 2",
            "reached by 0 after 1",
            "reached by 26 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 after 17",
        ],
    ),
    (
        "a count in memory that other rounds set back",
        r#"layout 64 little
file0 "a.c"
extern0 @__VERIFIER_nondet_int() -> i32
global0 @count internal size 4 align 4 = x""
module0 "a" uid 0x1
fn0 @main() -> i32 {
block0:
  br block1
block1:
  v0: i32 = call @__VERIFIER_nondet_int()
  switch v0 [1: block2, 2: block3, 3: block4, default: block6] [site0: edge0 1, edge1 2, edge2 3, edge3 default]
block2:
  v1: i32 = load @count align 4
  v2: i32 = add v1, i32 1
  store v2, @count align 4
  br block1
block3:
  store i32 0, @count align 4
  br block1
block4:
  v3: i32 = load @count align 4
  v4: i1 = icmp sgt v3, i32 25
  br v4, block5, block1 [site1: edge4 false, edge5 true]
block5:
  ret i32 1
block6:
  ret i32 0
}
"#,
        &[
            "reached by 1 0 after 2",
            "reached by 2 0 after 2",
            "reached by 3 0 after 2",
            "reached by 0 after 1",
            "reached by 3 0 after 2",
            "reached by 3 1 1 1 1 1 3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 after 13",
        ],
    ),
];
