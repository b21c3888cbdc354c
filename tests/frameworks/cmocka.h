/* A stand-in for cmocka: what generated tests use of it, and a count of the checks at the end. */
#include <stdio.h>

static int cmocka_checks, cmocka_failures;

struct CMUnitTest {
    const char *name;
    void (*function)(void **state);
};

#define cmocka_unit_test(test) {#test, test}
#define assert_true(condition) (cmocka_checks++, cmocka_failures += !(condition))
#define cmocka_run_group_tests(tests, setup, teardown) \
    ((void)(setup), (void)(teardown), cmocka_run(tests, sizeof tests / sizeof tests[0]))

static inline int cmocka_run(const struct CMUnitTest *tests, unsigned long count)
{
    void *state = 0;
    for (unsigned long i = 0; i < count; i++)
        tests[i].function(&state);
    printf("checks %d\n", cmocka_checks);
    return cmocka_failures;
}
