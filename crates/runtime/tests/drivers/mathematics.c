/* Models of <math.h> against the C library, bit by bit, `errno` included: prints the first difference and fails. */
#define _GNU_SOURCE
#include "hooks.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned long state = 88172645463325252ul;
static unsigned long next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static double any(void) {
  static const double special[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1, -1, INFINITY, -INFINITY, NAN, 1e300, 5e-324, -5e-324,
    2.2250738585072014e-308, 4503599627370495.5, 9007199254740993.0, 1e18, -1e18, 0.49999999999999994};
  double x;
  unsigned long r = next();
  if (r % 3 == 0) return special[r / 3 % (sizeof special / sizeof *special)];
  if (r % 3 == 1) return (double)((long)next() >> (r / 3 % 64)) / 8;
  r = next();
  memcpy(&x, &r, sizeof x);
  return x;
}

/* Every NaN is one: the sign and the payload of a new one are the processor's. */
static int same(double a, double b) { return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0; }
static int same_float(float a, float b) { return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0; }
/* Ten bytes; padding follows. */
static int same_long(long double a, long double b) { return isnan(a) ? isnan(b) : memcmp(&a, &b, 10) == 0; }

/* Any that a computation yields. */
static long double any_long(void) {
  static const long double more[] = {0x1p63L, 0x1p64L, -0x1p63L - 1, 0x1p-16445L, 0x1.fffffffffffffffep16383L, 1 / 3.0L};
  unsigned long r = next();
  if (r % 4 == 0) return more[r / 4 % (sizeof more / sizeof *more)];
  if (r % 4 == 1) return any();
  return ldexpl((long double)next(), (int)(r / 4 % 200) - 130) * (r % 2 ? 1 : -1);
}

#define FAIL(name, x, y) (printf("%s(%a, %a)\n", name, (double)(x), (double)(y)), exit(1))

#define ONES(X) X(sqrt) X(fabs) X(floor) X(ceil) X(trunc) X(round) X(roundeven) X(rint) X(nearbyint)
#define TWOS(X) X(copysign) X(fmin) X(fmax) X(fdim) X(fmod)
#define LONG_TWOS(X) X(copysign) X(fdim) X(fmod)
#define WHOLES(X) X(lrint) X(lround) X(llrint) X(llround)
#define DECLARE1(name) double __bw_model_##name(double); float __bw_model_##name##f(float); long double __bw_model_##name##l(long double);
#define DECLARE2(name) double __bw_model_##name(double, double); float __bw_model_##name##f(float, float); long double __bw_model_##name##l(long double, long double);
#define DECLARE3(name) long __bw_model_##name(double); long __bw_model_##name##f(float); long __bw_model_##name##l(long double);
int __bw_model___isnanl(long double), __bw_model___isinfl(long double), __bw_model___finitel(long double);
int __bw_model___signbitl(long double), __bw_model___fpclassifyl(long double);
int __isnanl(long double), __isinfl(long double), __finitel(long double), __signbitl(long double), __fpclassifyl(long double);
ONES(DECLARE1) TWOS(DECLARE2) WHOLES(DECLARE3)
int __bw_model___isnan(double), __bw_model___isinf(double), __bw_model___finite(double), __bw_model___signbit(double);
int __bw_model___fpclassify(double), __bw_model___fpclassifyf(float), __bw_model___finitef(float), __bw_model___signbitf(float);
int __isnan(double), __isinf(double), __finite(double), __signbit(double), __fpclassify(double), __fpclassifyf(float);
int __finitef(float), __signbitf(float);
double __bw_model_modf(double, double *);
float __bw_model_modff(float, float *);

/* How the C library tells a domain error; a range error of fdim is its own business. */
static int error(void) {
  int found = errno == EDOM;
  errno = 0;
  return found;
}

#define ONE(name)                                                                                        \
  {                                                                                                      \
    error();                                                                                             \
    double r = name(x);                                                                                  \
    int wrong = error();                                                                                 \
    if (!same(r, __bw_model_##name(x)) || wrong != error()) FAIL(#name, x, 0);                           \
    if (!same_float(name##f(f), __bw_model_##name##f(f))) FAIL(#name "f", f, 0);                         \
  }
#define ONE_LONG(name)                                                                                   \
  if (!same_long(name##l(u), __bw_model_##name##l(u))) FAIL(#name "l", u, 0);
#define TWO_LONG(name)                                                                                   \
  {                                                                                                      \
    error();                                                                                             \
    long double r = name##l(u, v);                                                                       \
    int wrong = error();                                                                                 \
    if (!same_long(r, __bw_model_##name##l(u, v)) || wrong != error()) FAIL(#name "l", u, v);            \
  }
#define WHOLE_LONG(name)                                                                                 \
  if (name##l(u) != __bw_model_##name##l(u)) FAIL(#name "l", u, 0);
#define TWO(name)                                                                                        \
  {                                                                                                      \
    error();                                                                                             \
    double r = name(x, y);                                                                               \
    int wrong = error();                                                                                 \
    double m = __bw_model_##name(x, y);                                                                  \
    if (!(x == y && x == 0) && !same(r, m) || wrong != error()) FAIL(#name, x, y);                           \
    if (!(f == g && f == 0) && !same_float(name##f(f, g), __bw_model_##name##f(f, g))) FAIL(#name "f", f, g); \
  }
#define WHOLE(name)                                                                                      \
  if (name(x) != __bw_model_##name(x) || name##f(f) != __bw_model_##name##f(f)) FAIL(#name, x, 0);

int main(void) {
  for (int times = 0; times < 300000; times++) {
    double x = any(), y = any(), whole1, whole2;
    float f = (float)x, g = (float)y, part1, part2;
    errno = 0;
    ONES(ONE)
    TWOS(TWO)
    WHOLES(WHOLE)
    long double u = any_long(), v = any_long();
    ONES(ONE_LONG)
    LONG_TWOS(TWO_LONG)
    WHOLES(WHOLE_LONG)
    if (!__isnanl(u) != !__bw_model___isnanl(u) || __isinfl(u) != __bw_model___isinfl(u)) FAIL("isnanl", u, 0);
    if (!__finitel(u) != !__bw_model___finitel(u) || !__signbitl(u) != !__bw_model___signbitl(u)) FAIL("finitel", u, 0);
    if (__fpclassifyl(u) != __bw_model___fpclassifyl(u)) FAIL("classl", u, 0);
    if (!__isnan(x) != !__bw_model___isnan(x) || __isinf(x) != __bw_model___isinf(x)) FAIL("isnan", x, 0);
    if (!__finite(x) != !__bw_model___finite(x) || !__finitef(f) != !__bw_model___finitef(f)) FAIL("finite", x, 0);
    if (!__signbit(x) != !__bw_model___signbit(x) || !__signbitf(f) != !__bw_model___signbitf(f)) FAIL("signbit", x, 0);
    if (__fpclassify(x) != __bw_model___fpclassify(x) || __fpclassifyf(f) != __bw_model___fpclassifyf(f)) FAIL("class", x, 0);
    if (!same(modf(x, &whole1), __bw_model_modf(x, &whole2)) || !same(whole1, whole2)) FAIL("modf", x, 0);
    if (!same_float(modff(f, &part1), __bw_model_modff(f, &part2)) || !same_float(part1, part2)) FAIL("modff", f, 0);
  }
  return 0;
}
