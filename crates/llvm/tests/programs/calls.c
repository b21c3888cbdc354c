// Calls: varargs, structs by value, results in memory, callbacks, setjmp, function pointers, recursion.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct big { int a; char b[40]; double d; };
struct pair { double x, y; };
struct mixed { long a; float f; };

static int sum(int n, ...) {
  va_list list;
  va_start(list, n);
  int s = 0;
  for (int i = 0; i < n; i++) s += va_arg(list, int);
  va_end(list);
  return s;
}

static double sums(int n, ...) {
  va_list list, copy;
  va_start(list, n);
  va_copy(copy, list);
  double s = 0;
  for (int i = 0; i < n; i++) s += va_arg(list, double);
  s += va_arg(copy, double);
  va_end(copy);
  va_end(list);
  return s;
}

static struct big make(int a) {
  struct big s;
  memset(&s, 0, sizeof s);
  s.a = a;
  strcpy(s.b, "hello");
  s.d = 2.5 * a;
  return s;
}

static int use(struct big s, int k) {
  s.b[0] ^= k;
  return s.a + s.b[0] + (int)s.d;
}

static struct pair add(struct pair a, struct pair b) { return (struct pair){a.x + b.x, a.y * b.y}; }
static struct mixed next(struct mixed m) { m.a++; m.f *= 2; return m; }
static jmp_buf back;
static int deep(int n) { if (n == 0) longjmp(back, 7); return deep(n - 1) + 1; }
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int (*table[2])(int, int) = {plus, minus};
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int many(int a, int b, int c, int d, int e, int f, int g, long h, double i) { return a + b - c + d - e + f - g + (int)h + (int)i; }

int main(int argc, char **argv) {
  printf("%d %f\n", sum(9, 1, 2, 3, 4, 5, 6, 7, 8, argc), sums(3, 1.5, 2.5, 3.5));
  struct big s = make(3);
  printf("%d %s\n", use(s, 1), s.b);
  struct pair p = add((struct pair){1, 2}, (struct pair){3, 4});
  struct mixed m = next((struct mixed){1, 2.5f});
  printf("%g %g %ld %g\n", p.x, p.y, m.a, m.f);
  int changed = 1, code = setjmp(back);
  if (!code) { changed = 5; deep(5); }
  printf("%d %d\n", code, changed);
  printf("%d %d %d\n", table[argc & 1](5, 3), table[0](1, 2), many(1, 2, 3, 4, 5, 6, 7, 8, 9.5));
  int list[10] = {5, 3, 9, 1, 0, 7, 2, 8, 6, 4};
  qsort(list, 10, sizeof *list, order);
  for (int i = 0; i < 10; i++) printf("%d", list[i]);
  printf("\n%d\n", (int)strlen(argv[0] + strlen(argv[0])));
  return sum(2, 1, 2);
}
