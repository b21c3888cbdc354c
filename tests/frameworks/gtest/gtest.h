// A stand-in for GoogleTest: what generated tests use of it, and a count of the tests at the end.
#include <cstdio>
#include <iostream>

inline int gtest_tests, gtest_failures;

#define TEST(suite, name) \
    static void suite##_##name(); \
    static const int suite##_##name##_registered = (suite##_##name(), ++gtest_tests); \
    static void suite##_##name()
#define ADD_FAILURE_AT(file, line) (++gtest_failures, std::cout << file << ':' << line << ": ")

int main()
{
    std::printf("tests %d\n", gtest_tests);
    return gtest_failures;
}
