/* A stand-in for Unity: the macros that generated tests use, and a count of the checks at the end. */
#include <stdio.h>

static int unity_checks, unity_failures;

void setUp(void);
void tearDown(void);

#define TEST_ASSERT(condition) \
    do { \
        unity_checks++; \
        if (!(condition)) { \
            unity_failures++; \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return; \
        } \
    } while (0)
#define UNITY_BEGIN() (unity_failures = 0)
#define RUN_TEST(test) (setUp(), test(), tearDown())
#define UNITY_END() (printf("checks %d\n", unity_checks), unity_failures)
