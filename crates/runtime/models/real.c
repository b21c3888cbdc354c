/* Models of <math.h> where IEEE 754 says what the result is: roots, roundings, remainders, signs, classes. `errno` is set as
 * the C library sets it, without a branch. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static void domain_error(int wrong) {
  int mask = 0 - wrong;
  errno = (errno & ~mask) | (EDOM & mask);
}

static uint64_t bits(double x) {
  uint64_t result;
  memcpy(&result, &x, sizeof result);
  return result;
}

static uint32_t bits_f(float x) {
  uint32_t result;
  memcpy(&result, &x, sizeof result);
  return result;
}

/* A signalling NaN makes the C library's minimum and maximum a NaN; a quiet one does not. */
static int signalling(double x) { return (bits(x) << 1) - 0xffe0000000000001ul < 0x000ffffffffffffful; }
static int signalling_f(float x) { return (bits_f(x) << 1) - 0xff000001u < 0x007fffffu; }

static double chosen(double x, double y, double result) {
  uint64_t sum = bits(x + y), mask = (uint64_t)0 - (uint64_t)(signalling(x) | signalling(y));
  uint64_t picked = (sum & mask) | (bits(result) & ~mask);
  memcpy(&result, &picked, sizeof result);
  return result;
}

static float chosen_f(float x, float y, float result) {
  uint32_t sum = bits_f(x + y), mask = 0u - (uint32_t)(signalling_f(x) | signalling_f(y));
  uint32_t picked = (sum & mask) | (bits_f(result) & ~mask);
  memcpy(&result, &picked, sizeof result);
  return result;
}

#define SAME_FOR(type, f)                                                                    \
  type __bw_model_sqrt##f(type x) {                                                          \
    domain_error(x < 0);                                                                     \
    return __builtin_elementwise_sqrt(x);                                                    \
  }                                                                                          \
  type __bw_model_fabs##f(type x) { return __builtin_elementwise_abs(x); }                   \
  type __bw_model_floor##f(type x) { return __builtin_elementwise_floor(x); }                \
  type __bw_model_ceil##f(type x) { return __builtin_elementwise_ceil(x); }                  \
  type __bw_model_trunc##f(type x) { return __builtin_elementwise_trunc(x); }                \
  type __bw_model_round##f(type x) { return __builtin_elementwise_round(x); }                \
  type __bw_model_roundeven##f(type x) { return __builtin_elementwise_roundeven(x); }        \
  type __bw_model_rint##f(type x) { return __builtin_elementwise_rint(x); }                  \
  type __bw_model_nearbyint##f(type x) { return __builtin_elementwise_nearbyint(x); }        \
  type __bw_model_copysign##f(type x, type y) { return __builtin_elementwise_copysign(x, y); } \
  type __bw_model_fdim##f(type x, type y) { return x <= y ? 0 : x - y; }                     \
  type __bw_model_fmod##f(type x, type y) {                                                  \
    domain_error((__builtin_isinf(x) | (y == 0)) & !(x != x) & !(y != y));                   \
    return __builtin_fmod##f(x, y);                                                          \
  }                                                                                          \
  long __bw_model_lrint##f(type x) { return (long)__builtin_elementwise_rint(x); }           \
  long long __bw_model_llrint##f(type x) { return (long long)__builtin_elementwise_rint(x); } \
  long __bw_model_lround##f(type x) { return (long)__builtin_elementwise_round(x); }         \
  long long __bw_model_llround##f(type x) { return (long long)__builtin_elementwise_round(x); }

SAME_FOR(double, )
SAME_FOR(float, f)
SAME_FOR(long double, l)

double __bw_model_fmin(double x, double y) { return chosen(x, y, __builtin_elementwise_min(x, y)); }
double __bw_model_fmax(double x, double y) { return chosen(x, y, __builtin_elementwise_max(x, y)); }
float __bw_model_fminf(float x, float y) { return chosen_f(x, y, __builtin_elementwise_min(x, y)); }
float __bw_model_fmaxf(float x, float y) { return chosen_f(x, y, __builtin_elementwise_max(x, y)); }

/* What the macros of <math.h> call. */
int __bw_model___isnan(double x) { return x != x; }
int __bw_model___isnanf(float x) { return x != x; }
int __bw_model_isnan(double x) { return x != x; }
int __bw_model_isnanf(float x) { return x != x; }
int __bw_model___isnanl(long double x) { return x != x; }
int __bw_model_isnanl(long double x) { return x != x; }
int __bw_model___isinf(double x) { return (x == INFINITY) - (x == -INFINITY); }
int __bw_model___isinff(float x) { return (x == INFINITY) - (x == -INFINITY); }
int __bw_model_isinf(double x) { return (x == INFINITY) - (x == -INFINITY); }
int __bw_model_isinff(float x) { return (x == INFINITY) - (x == -INFINITY); }
int __bw_model___isinfl(long double x) { return (x == INFINITY) - (x == -INFINITY); }
int __bw_model_isinfl(long double x) { return (x == INFINITY) - (x == -INFINITY); }
int __bw_model___finite(double x) { return (bits(x) << 1 >> 53) != 0x7ff; }
int __bw_model___finitef(float x) { return (bits_f(x) << 1 >> 24) != 0xff; }
int __bw_model_finite(double x) { return __bw_model___finite(x); }
int __bw_model_finitef(float x) { return __bw_model___finitef(x); }
int __bw_model___signbit(double x) { return (int)(bits(x) >> 63 << 7); }
int __bw_model___signbitf(float x) { return (int)(bits_f(x) >> 31 << 3); }

/* The sign and the exponent of a long double lie behind its 64 bits of significand. */
static unsigned sign_and_exponent(long double x) {
  uint16_t result;
  memcpy(&result, (char *)&x + 8, sizeof result);
  return result;
}
int __bw_model___finitel(long double x) { return (sign_and_exponent(x) & 0x7fff) != 0x7fff; }
int __bw_model_finitel(long double x) { return __bw_model___finitel(x); }
int __bw_model___signbitl(long double x) { return (int)(sign_and_exponent(x) & 0x8000); }

/* The classes of <math.h>: FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4. */
static int class_of(int top, int rest) {
  int edge = top ? FP_NAN - FP_INFINITE : FP_SUBNORMAL - FP_ZERO;
  return (top ? FP_INFINITE : FP_ZERO) + (edge & (0 - rest));
}

int __bw_model___fpclassify(double x) {
  int exponent = (int)(bits(x) << 1 >> 53), rest = bits(x) << 12 != 0;
  int top = 0 - (exponent == 0x7ff), bottom = 0 - (exponent == 0);
  return (class_of(1, rest) & top) | (class_of(0, rest) & bottom) | (FP_NORMAL & ~(top | bottom));
}

int __bw_model___fpclassifyf(float x) {
  int exponent = (int)(bits_f(x) << 1 >> 24), rest = bits_f(x) << 9 != 0;
  int top = 0 - (exponent == 0xff), bottom = 0 - (exponent == 0);
  return (class_of(1, rest) & top) | (class_of(0, rest) & bottom) | (FP_NORMAL & ~(top | bottom));
}

int __bw_model___fpclassifyl(long double x) {
  uint64_t fraction;
  memcpy(&fraction, &x, sizeof fraction);
  int exponent = (int)(sign_and_exponent(x) & 0x7fff), rest = fraction << 1 != 0;
  int top = 0 - (exponent == 0x7fff), bottom = 0 - (exponent == 0);
  return (class_of(1, rest) & top) | (class_of(0, rest) & bottom) | (FP_NORMAL & ~(top | bottom));
}

#define PARTS(name, type, unsigned_type, bits)                                          \
  type name(type x, type *whole) {                                                      \
    type part = __builtin_elementwise_trunc(x), rest = x - part;                        \
    unsigned_type kept = bits(rest) & ((unsigned_type)0 - !__builtin_isinf(x));         \
    *whole = part;                                                                      \
    memcpy(&rest, &kept, sizeof rest);                                                  \
    return __builtin_elementwise_copysign(rest, x);                                     \
  }

PARTS(__bw_model_modf, double, uint64_t, bits)
PARTS(__bw_model_modff, float, uint32_t, bits_f)
