//! What memory may hold, in small programs: each edge that some run takes must not be dead.

use expect_test::expect;

use super::{check, check_without_order, sure};

/// An array that is too large to be looked at cell by cell: a write somewhere in it is read anywhere in it.
#[test]
fn a_write_somewhere_in_a_large_array_is_read_anywhere() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @large internal size 4000 align 4 = x""
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = and v0, i32 511
          v2: i64 = zext v1
          v3: ptr = gep @large [v2 * 4]
          store i32 7, v3
          v5: i32 = call @__VERIFIER_nondet_int()
          v6: i32 = and v5, i32 511
          v7: i64 = zext v6
          v8: ptr = gep @large [v7 * 4]
          v9: i32 = load v8
          v10: i1 = icmp eq v9, i32 7
          br v10, block1, block2
        block1:
          v11: i1 = icmp eq v9, i32 5
          br v11, block3, block4
        block2:
          v12: ptr = gep @large + 40
          v13: i32 = load v12
          v14: i1 = icmp eq v13, i32 7
          br v14, block3, block4
        block3:
          ret i32 1
        block4:
          v15: ptr = gep @large + 3000
          v16: i32 = load v15
          v17: i1 = icmp eq v16, i32 7
          br v17, block5, block6
        block5:
          ret i32 2
        block6:
          v18: ptr = gep @large + 44
          v19: i8 = load v18
          v20: i1 = icmp eq v19, i8 7
          br v20, block5, block7
        block7:
          ret i32 3
        }
        "#,
        expect![[r#"
            edge3: 7 at site1
            edge7: 0 at site3
        "#]],
    );
}

/// One call makes many objects: a write to one of them leaves the others as they are.
#[test]
fn objects_of_one_place_are_not_one_object() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        extern @malloc(i64) -> ptr
        global @first internal size 8 align 8 = x""
        fn @main() -> i32 {
        block0:
          br block1
        block1:
          v0: ptr = call @malloc(i64 8)
          v1: i1 = icmp eq v0, null
          br v1, block6, block2
        block2:
          store i32 1, v0
          v3: ptr = load @first
          v4: i1 = icmp eq v3, null
          br v4, block3, block4
        block3:
          store v0, @first
          br block1
        block4:
          store i32 2, v0
          v7: i32 = load v3
          v8: i1 = icmp eq v7, i32 1
          br v8, block5, block6
        block5:
          ret i32 1
        block6:
          ret i32 2
        }
        "#,
        expect![[r#"
            states by first, object made by v0 of main
        "#]],
    );
}

/// Parts of numbers and of addresses, at the start and after writes.
#[test]
fn parts_of_values_are_read() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @number internal size 8 align 8 = x"0102030405060708"
        global @other internal size 4 align 4 = x"05000000"
        global @address internal size 16 align 8 = x"" [8: @other]
        fn @main() -> i32 {
        block0:
          v0: ptr = gep @number + 3
          v1: i16 = load v0
          v2: i1 = icmp eq v1, i16 1284
          br v2, block1, block7
        block1:
          v3: ptr = gep @number + 1
          store i16 -1, v3
          v5: i32 = load @number
          v6: i1 = icmp eq v5, i32 83886081
          br v6, block7, block2
        block2:
          v7: i1 = icmp eq v5, i32 83886080
          br v7, block7, block3
        block3:
          v8: ptr = gep @address + 8
          v9: ptr = load v8
          v10: i32 = load v9
          v11: i1 = icmp eq v10, i32 5
          br v11, block4, block7
        block4:
          v12: i8 = load v8
          v13: i1 = icmp eq v12, i8 0
          br v13, block5, block6
        block5:
          v14: i64 = load @address
          v15: i1 = icmp eq v14, i64 0
          br v15, block6, block7
        block6:
          store i32 6, v9
          v17: i32 = load @other
          v18: i1 = icmp eq v17, i32 6
          br v18, block8, block7
        block7:
          ret i32 1
        block8:
          ret i32 0
        }
        "#,
        expect![[r#"
            edge0: 1284 at site0
            edge3: 83885825 at site1
            edge5: 83885825 at site2
            edge6: 5 at site3
            edge10: 0 at site5
            edge12: 6 at site6
            states by other
        "#]],
    );
}

/// Functions outside write to what they get, and to nothing else; addresses that they keep are written later.
#[test]
fn functions_outside_write_what_they_reach() {
    check(
        r#"
        extern @read(i32, ptr, i64) -> i64
        extern @strlen(ptr) -> i64
        extern @outside(ptr)
        extern @later()
        global @given internal size 4 align 4 = x"01000000"
        global @kept internal size 4 align 4 = x"01000000"
        global @own internal size 4 align 4 = x"01000000"
        fn @main() -> i32 {
        block0:
          v0: i64 = call @strlen(@own)
          v1: i64 = call @read(i32 0, @given, i64 4)
          v2: i32 = load @given
          v3: i1 = icmp eq v2, i32 1
          br v3, block1, block2
        block1:
          v4: i32 = load @kept
          v5: i1 = icmp eq v4, i32 1
          br v5, block2, block5
        block2:
          call @outside(@kept)
          store i32 3, @kept
          call @later()
          v9: i32 = load @kept
          v10: i1 = icmp eq v9, i32 3
          br v10, block3, block4
        block3:
          v11: i32 = load @own
          v12: i1 = icmp eq v11, i32 1
          br v12, block4, block5
        block4:
          ret i32 0
        block5:
          ret i32 1
        }
        "#,
        expect![[r#"
            edge2: 1 at site1
            edge6: 1 at site3
            states by kept
        "#]],
    );
}

/// A number that was cut is what was cut only if it fits: -128 and 128 are the same 8 bits.
#[test]
fn what_was_cut_is_known_where_it_fits() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp sge v0, i32 -128
          br v1, block1, block6
        block1:
          v2: i1 = icmp sle v0, i32 128
          br v2, block2, block6
        block2:
          v3: i8 = trunc v0
          v4: i1 = icmp eq v3, i8 -128
          br v4, block3, block6
        block3:
          v5: i1 = icmp eq v0, i32 128
          br v5, block4, block5
        block4:
          ret i32 1
        block5:
          ret i32 2
        block6:
          ret i32 0
        }
        "#,
        expect![[r#""#]],
    );
}

/// What may end a run: a division by what may be 0, an access that may be outside of its object, a write to a constant.
#[test]
fn what_may_end_a_run_is_not_sure() {
    sure(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        extern @sleep(i32) -> i32
        extern @puts(ptr) -> i32
        global @small internal size 16 align 4 = x""
        global @text internal const size 3 align 1 = x"616200"
        global @endless internal const size 3 align 1 = x"616263"
        global @gone size 4 align 4
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i32 = and v0, i32 3
          v2: i32 = udiv i32 7, v1
          v3: i32 = or v1, i32 4
          v4: i32 = udiv i32 7, v3
          v5: i32 = sdiv v0, i32 -1
          v6: i32 = sdiv v0, i32 2
          v7: i64 = zext v1
          v8: ptr = gep @small [v7 * 4]
          v9: i32 = load v8
          v10: ptr = gep @small [v7 * 4] + 4
          v11: i32 = load v10
          store i32 1, v8
          store i8 1, @text
          v14: i8 = load @text
          v15: i32 = load @gone
          v16: i32 = call @sleep(i32 1)
          v17: i32 = call @puts(@text)
          v18: i32 = call @puts(@endless)
          ret i32 0
        }
        "#,
        expect![[r#"
            v0
            v1
            v3
            v4
            v6
            v9
            v12
            v14
            v17
        "#]],
    );
}

/// A byte may be what it was before although the number that it is part of is not.
#[test]
fn a_part_that_may_be_written_changes_the_whole() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @word internal size 4 align 4 = x""
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp sgt v0, i32 0
          v2: i32 = select v1, i32 16843009, i32 0
          store v2, @word
          v4: i32 = call @__VERIFIER_nondet_int()
          v5: i32 = and v4, i32 3
          v6: i64 = zext v5
          v7: ptr = gep @word [v6 * 1]
          store i8 1, v7
          v9: i32 = load @word
          v10: i1 = icmp eq v9, i32 1
          br v10, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }
        "#,
        expect![[r#"
            states by word
        "#]],
    );
}

/// A run that writes to a constant ends there; others still find what it was.
#[test]
fn a_write_to_a_constant_leaves_other_ways_as_they_are() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @text internal const size 2 align 1 = x"6100"
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          v1: i1 = icmp eq v0, i32 1
          br v1, block1, block2
        block1:
          store i8 98, @text
          br block2
        block2:
          v3: i8 = load @text
          v4: i1 = icmp eq v3, i8 97
          br v4, block3, block4
        block3:
          ret i32 1
        block4:
          ret i32 0
        }
        "#,
        expect![[r#"
            edge2: 97 at site1
        "#]],
    );
}

/// The same where a handler writes the part, before or after the whole was written.
#[test]
fn a_part_that_a_handler_writes_changes_the_whole() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        extern @signal(i32, ptr) -> ptr
        global @word internal size 4 align 4 = x""
        fn @handler(v0: i32) -> void internal {
        block0:
          store i8 0, @word
          ret
        }
        fn @main() -> i32 {
        block0:
          v0: ptr = call @signal(i32 10, @handler)
          store i32 16843009, @word
          v2: i32 = load @word
          v3: i1 = icmp eq v2, i32 16843008
          br v3, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 0
        }
        "#,
        expect![[r#"
            1 function(s) may run at any time (handlers, threads)
        "#]],
    );
}

/// What was added to an address before the program was known to measure distances is looked at again.
#[test]
fn a_distance_counts_for_what_was_added_before() {
    check_without_order(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @first internal size 4 align 4 = x"01000000"
        global @second internal size 4 align 4 = x"02000000"
        global @near internal size 4 align 4 = x""
        fn @main() -> i32 {
        block0:
          v0: i32 = call @__VERIFIER_nondet_int()
          store v0, @near
          br block1
        block1:
          v2: i32 = load @near
          v3: i64 = sext v2
          v4: ptr = gep @second [v3 * 1]
          store i32 7, v4
          v6: i32 = load @first
          v7: i1 = icmp eq v6, i32 7
          br v7, block3, block2
        block2:
          v8: i64 = ptrtoint @first
          v9: i64 = ptrtoint @second
          v10: i64 = sub v8, v9
          v11: i32 = trunc v10
          store v11, @near
          br block1
        block3:
          ret i32 1
        }
        "#,
        expect![[r#""#]],
    );
}

/// An address that was taken to pieces and put together again is a number here: of an object that has escaped.
#[test]
fn a_number_may_be_the_address_of_what_has_escaped() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        global @first internal size 4 align 4 = x"01000000"
        global @second internal size 4 align 4 = x"02000000"
        fn @main() -> i32 {
        block0:
          v0: i64 = ptrtoint @first
          v1: i32 = trunc v0
          v2: i64 = lshr v0, i64 32
          v3: i32 = trunc v2
          v4: i64 = zext v1
          v5: i64 = zext v3
          v6: i64 = shl v5, i64 32
          v7: i64 = or v6, v4
          v8: ptr = inttoptr v7
          v9: i32 = call @__VERIFIER_nondet_int()
          v10: i1 = icmp eq v9, i32 0
          v11: ptr = select v10, v8, @second
          v12: i32 = load v11
          v13: i1 = icmp eq v12, i32 2
          br v13, block2, block1
        block1:
          store i32 7, v11
          v15: i32 = load @first
          v16: i1 = icmp eq v15, i32 7
          br v16, block2, block3
        block2:
          ret i32 1
        block3:
          v17: i32 = load @second
          v18: i1 = icmp eq v17, i32 7
          br v18, block2, block4
        block4:
          ret i32 0
        }
        "#,
        expect![[r#""#]],
    );
}

/// Blocks and functions outside end a run by any of their arguments: the target, the source, a text without an end.
#[test]
fn what_may_end_a_run_by_one_argument_is_not_sure() {
    sure(
        r#"
        extern @outer() -> ptr
        extern @puts(ptr) -> i32
        extern @printf(ptr, ...) -> i32
        extern @bw_int(ptr, ptr)
        global @small internal size 2 align 4 = x""
        global @four internal size 4 align 4 = x""
        global @other internal size 4 align 4 = x""
        global @changed internal size 3 align 1 = x"616200"
        global @text internal const size 3 align 1 = x"616200"
        global @string internal const size 3 align 1 = x"257300"
        global @width internal const size 4 align 1 = x"252a6400"
        global @number internal const size 3 align 1 = x"256400"
        fn @main() -> i32 {
        block0:
          v0: ptr = call @outer()
          memcpy v0, v0, i64 4
          memcpy @four, v0, i64 4
          memcpy v0, @four, i64 4
          memcpy @four, @other, i64 4
          memset v0, i8 0, i64 4
          memset @four, i8 0, i64 4
          v7: i32 = call @puts(@changed)
          v8: i32 = call @puts(@text)
          v9: i32 = call @printf(@string, v0)
          v10: i32 = call @printf(@width, i32 1, i32 2)
          v11: i32 = call @printf(@number, i32 1)
          v12: i32 = call @printf(v0, i32 1)
          call @bw_int(@small, @text)
          call @bw_int(@four, v0)
          call @bw_int(@four, @text)
          ret i32 0
        }
        "#,
        expect![[r#"
            v4
            v6
            v8
            v11
            v15
        "#]],
    );
}

/// The same by a block: whether it is copied or filled.
#[test]
fn a_block_that_is_written_to_a_constant_leaves_other_ways_as_they_are() {
    for written in ["memcpy @text, @other, i64 2", "memset @text, i8 0, i64 2"] {
        let text = format!(
            r#"
            extern @__VERIFIER_nondet_int() -> i32
            global @text internal const size 2 align 1 = x"6100"
            global @other internal size 2 align 1 = x"6262"
            fn @main() -> i32 {{
            block0:
              v0: i32 = call @__VERIFIER_nondet_int()
              v1: i1 = icmp eq v0, i32 1
              br v1, block1, block2
            block1:
              {written}
              br block2
            block2:
              v3: i8 = load @text
              v4: i1 = icmp eq v3, i8 97
              br v4, block3, block4
            block3:
              ret i32 1
            block4:
              ret i32 0
            }}
            "#
        );
        check(
            &text,
            expect![[r#"
                edge2: 97 at site1
            "#]],
        );
    }
}

/// A function that comes back to all its callers does not bring their local objects to the others: `@write` is called in front of `@print`,
/// and in it.
#[test]
fn local_objects_of_one_caller_are_not_there_behind_another_call() {
    check(
        r#"
        extern @__VERIFIER_nondet_int() -> i32
        fn @write(v0: ptr) -> i32 internal {
        block0:
          v1: i32 = call @__VERIFIER_nondet_int()
          store v1, v0
          ret v1
        }
        fn @print() -> i32 internal {
        block0:
          v0: ptr = alloca 8 x i32 1 align 8
          memset v0, i8 0, i64 8
          v2: ptr = gep v0 + 4
          store i32 2, v2
          v4: i32 = call @write(v0)
          v5: i32 = load v2
          v6: i1 = icmp eq v5, i32 2
          br v6, block1, block2
        block1:
          ret i32 1
        block2:
          ret i32 2
        }
        fn @main() -> i32 {
        block0:
          v0: ptr = alloca 4 x i32 1 align 4
          v1: i32 = call @write(v0)
          v2: i32 = call @print()
          ret v2
        }
        "#,
        expect![[r#"
            edge0: 2 at site0
            states by local v0 of print+4
        "#]],
    );
}
