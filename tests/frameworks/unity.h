/* A stand-in for Unity, which Debian does not package: the macros that generated tests use, and a count of the checks. */
#include <stdio.h>
#include <string.h>

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
#define UNITY_SAME(type, expected, actual) TEST_ASSERT((type)(expected) == (type)(actual))
#define TEST_ASSERT_EQUAL_INT(expected, actual) UNITY_SAME(long long, expected, actual)
#define TEST_ASSERT_EQUAL_INT8(expected, actual) UNITY_SAME(signed char, expected, actual)
#define TEST_ASSERT_EQUAL_INT16(expected, actual) UNITY_SAME(short, expected, actual)
#define TEST_ASSERT_EQUAL_INT64(expected, actual) UNITY_SAME(long long, expected, actual)
#define TEST_ASSERT_EQUAL_UINT(expected, actual) UNITY_SAME(unsigned, expected, actual)
#define TEST_ASSERT_EQUAL_UINT8(expected, actual) UNITY_SAME(unsigned char, expected, actual)
#define TEST_ASSERT_EQUAL_UINT16(expected, actual) UNITY_SAME(unsigned short, expected, actual)
#define TEST_ASSERT_EQUAL_UINT64(expected, actual) UNITY_SAME(unsigned long long, expected, actual)
#define TEST_ASSERT_EQUAL_HEX8 TEST_ASSERT_EQUAL_UINT8
#define TEST_ASSERT_EQUAL_HEX16 TEST_ASSERT_EQUAL_UINT16
#define TEST_ASSERT_EQUAL_HEX32 TEST_ASSERT_EQUAL_UINT
#define TEST_ASSERT_EQUAL_HEX64 TEST_ASSERT_EQUAL_UINT64
#define TEST_ASSERT_TRUE(condition) TEST_ASSERT(condition)
#define TEST_ASSERT_FALSE(condition) TEST_ASSERT(!(condition))
#define TEST_ASSERT_EQUAL_FLOAT(expected, actual) UNITY_SAME(float, expected, actual)
#ifdef UNITY_INCLUDE_DOUBLE
#define TEST_ASSERT_EQUAL_DOUBLE(expected, actual) UNITY_SAME(double, expected, actual)
#define TEST_ASSERT_DOUBLE_IS_NAN(actual) TEST_ASSERT((actual) != (actual))
#endif
#define TEST_ASSERT_FLOAT_IS_NAN(actual) TEST_ASSERT((actual) != (actual))
#define TEST_ASSERT_NULL(pointer) TEST_ASSERT((pointer) == NULL)
#define TEST_ASSERT_NOT_NULL(pointer) TEST_ASSERT((pointer) != NULL)
#define TEST_ASSERT_EQUAL_PTR(expected, actual) UNITY_SAME(const void *, expected, actual)
#define TEST_ASSERT_EQUAL_STRING(expected, actual) TEST_ASSERT(!strcmp((const char *)(expected), (const char *)(actual)))
#define TEST_ASSERT_EQUAL_MEMORY(expected, actual, count) TEST_ASSERT(!memcmp((expected), (actual), (count)))
#define UNITY_BEGIN() (unity_failures = 0)
#define RUN_TEST(test) (setUp(), test(), tearDown())
#define UNITY_END() (printf("checks %d\n", unity_checks), unity_failures)
