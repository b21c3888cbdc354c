// ask: 10
// quick: 5
// arguments: --stdin 128
// Numbers in text, in two nested loops: queries grow with each cell.
#include <stdio.h>
int main(void) {
    char line[64];
    int rows, cols;
    long cell[16][16], sum = 0;
    if (!fgets(line, sizeof line, stdin) || sscanf(line, "%d %d", &rows, &cols) != 2) return 1;
    if (rows < 1 || rows > 16 || cols < 1 || cols > 16) return 2;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++) {
            if (scanf(" %ld", &cell[r][c]) != 1) return 3;
            if (cell[r][c] < 0) return 4;
            if (cell[r][c] > 1000) return 5;
            sum += cell[r][c];
        }
    if (sum == 100) puts("hundred");
    if (sum % 7 == 3) puts("mod");
    for (int r = 0; r < rows; r++) {
        long t = 0;
        for (int c = 0; c < cols; c++) t += cell[r][c];
        if (t == 55) puts("row");
        if (rows == cols && cell[r][r] == 9) puts("diagonal");
    }
    return rows == 3 && cols == 2 && sum == 21;
}
