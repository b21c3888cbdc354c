// Memory: strings, unions, variable-length arrays, pointers to pointers, table look-ups, copies of each size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static int table[16];
struct node { struct node *next; int value; };
struct odd { char a[3]; short b; char c; };

int main(int argc, char **argv) {
  char text[64];
  snprintf(text, sizeof text, "%s-%d", "x", argc);
  char *copy = strdup(text), *end;
  printf("%s %d %d %ld %c\n", copy, memcmp(copy, text, 3), atoi("42"), strtol("123z", &end, 10), *end);
  free(copy);
  for (int i = 0; i < 16; i++) table[i] = primes[(i + argc) & 7] * i;
  { int t = table[argc & 7]; table[(argc + 1) & 7] = t + 1; printf("%d %d\n", t, table[2]); }
  union { float f; unsigned u; unsigned char c[4]; } both;
  both.f = argc * 1.5f;
  both.c[3] ^= 0x80;
  printf("%g %u\n", both.f, both.u);
  int n = argc + 3, sizes[n];
  for (int i = 0; i < n; i++) sizes[i] = i * i;
  printf("%d\n", sizes[n - 1]);
  struct node *list = 0;
  for (int i = 0; i < 5; i++) {
    struct node *one = malloc(sizeof *one);
    one->next = list; one->value = i * 3; list = one;
  }
  int s = 0;
  for (struct node **at = &list; *at; at = &(*at)->next) s = s * 7 + (*at)->value;
  printf("%d\n", s);
  struct odd o = {"ab", 5, 'c'}, q = o;
  memmove(q.a + 1, q.a, 2);
  memset(&q.b, argc, sizeof q.b);
  printf("%c%c%c %d %c %d\n", q.a[0], q.a[1], q.a[2], q.b, q.c, memcmp(&o, &q, 3) < 0);
  char block[300];
  memset(block, 'k', sizeof block);
  memcpy(block + 100, block, 100 + argc);
  printf("%c %zu\n", block[150], strnlen(block, 300));
  return 1;
}
