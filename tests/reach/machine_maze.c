// A way through a maze of eight by eight, fourteen steps or more.
// args: --stdin 28
#include <stdio.h>
#include "bothways.h"

int main(void) {
    static const char maze[8][9] = {"S#......", ".#.####.", ".#.#..#.", "...#.##.", ".###....", ".#...##.", ".#.#.#..", "...#.#.E"};
    int x = 0, y = 0, c;
    while ((c = getchar()) != EOF) {
        switch (c) {
        case 'u': y--; break;
        case 'd': y++; break;
        case 'l': x--; break;
        case 'r': x++; break;
        default: return 0;
        }
        if (x < 0 || y < 0 || x > 7 || y > 7 || maze[y][x] == '#')
            return 0;
        if (maze[y][x] == 'E')
            return 1; // target: reachable
    }
    return 0;
}
