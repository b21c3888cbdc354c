/* A reader of tables: their size, then their cells, then sums of rows and what is odd about them. */
#include <stdio.h>

enum { MOST = 16 };
static long cell[MOST][MOST];

static int read_table(int *rows, int *columns) {
  if (scanf("%d %d", rows, columns) != 2) return 2;
  if (*rows < 1 || *rows > MOST) return 3;
  if (*columns < 1 || *columns > MOST) return 4;
  for (int i = 0; i < *rows; i++)
    for (int j = 0; j < *columns; j++)
      if (scanf(" %ld", &cell[i][j]) != 1) return 5;
  return 0;
}

static void rows_of(int rows, int columns) {
  int best = -1;
  long most = 0;
  for (int i = 0; i < rows; i++) {
    long sum = 0;
    int negative = 0, zero = 0;
    for (int j = 0; j < columns; j++) {
      long value = cell[i][j];
      if (value < 0)
        negative++;
      else if (value == 0)
        zero++;
      if (value > 1000000) {
        printf("large: row %d, column %d\n", i, j);
        continue;
      }
      sum += value;
    }
    if (negative == columns) printf("row %d is negative\n", i);
    if (zero == columns) printf("row %d is zero\n", i);
    if (sum == 4242) printf("row %d: the answer\n", i);
    if (sum > most) {
      most = sum;
      best = i;
    }
  }
  if (best >= 0 && most % 97 == 13) printf("row %d\n", best);
}

static void square(int size) {
  int symmetric = 1, diagonal = 1, magic = 1;
  long trace = 0, first = 0;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      if (cell[i][j] != cell[j][i]) symmetric = 0;
      if (i != j && cell[i][j] != 0) diagonal = 0;
      if (i == j) trace += cell[i][j];
    }
  for (int j = 0; j < size; j++) first += cell[0][j];
  for (int i = 1; i < size; i++) {
    long sum = 0;
    for (int j = 0; j < size; j++) sum += cell[i][j];
    if (sum != first) magic = 0;
  }
  if (symmetric && size > 1) puts("symmetric");
  if (diagonal && size > 2) puts("diagonal");
  if (magic && size > 2) puts("magic");
  if (trace == 1234 && size > 2) puts("trace");
}

static int ascending(int columns) {
  for (int j = 1; j < columns; j++)
    if (cell[0][j] <= cell[0][j - 1]) return 0;
  return 1;
}

int main(void) {
  int rows, columns, wrong = read_table(&rows, &columns);
  if (wrong) return wrong;
  rows_of(rows, columns);
  if (rows == columns) square(rows);
  if (rows > 1 && columns > 2 && ascending(columns)) puts("ascending");
  return 0;
}
