// args: --stdin 0..6
// branch: 25:9 true: 25:9 is never true: mode is {0, 1, 2} there (assigned at lines 34, 38, 41)
// branch: 27:9 false: 27:9 is never false: mode is {0, 1, 2} there (assigned at lines 34, 38, 41)
// branch: 29:23 false: 29:23 is never false: armed is 1 there (assigned at lines 33, 37)
// branch: 29:32 true: 29:23 is never false: armed is 1 there (assigned at lines 33, 37)
// branch: 29:32 false: 29:23 is never false: armed is 1 there (assigned at lines 33, 37)
// mcdc: 25:9 true: 25:9 is never true: mode is {0, 1, 2} there (assigned at lines 34, 38, 41)
// mcdc: 25:9 independent: 25:9 is never true: mode is {0, 1, 2} there (assigned at lines 34, 38, 41); only FF FT can happen
// mcdc: 27:9 false: 27:9 is never false: mode is {0, 1, 2} there (assigned at lines 34, 38, 41)
// mcdc: 27:9 independent: 27:9 is never false: mode is {0, 1, 2} there (assigned at lines 34, 38, 41); only TF TT can happen
// mcdc: 29:23 false: 29:23 is never false: armed is 1 there (assigned at lines 33, 37)
// mcdc: 29:23 independent: 29:23 is never false: armed is 1 there (assigned at lines 33, 37); only F-- TT- can happen
// mcdc: 29:32 true: 29:23 is never false: armed is 1 there (assigned at lines 33, 37)
// mcdc: 29:32 false: 29:23 is never false: armed is 1 there (assigned at lines 33, 37)
// mcdc: 29:32 independent: 29:23 is never false: armed is 1 there (assigned at lines 33, 37); only F-- TT- can happen
// Conditions that no value of a variable ever decides otherwise: their pairs do not exist.
#include <stdio.h>

static int mode;  /* 0, 1, 2 */
static int armed; /* 1 in mode 1 */
static int count;

static void step(int x)
{
    if (mode == 7 || x > 5)
        count++;
    if (mode < 3 && x > 7)
        count--;
    if (mode == 1 && (armed || x == 4))
        count += 2;
    switch (mode) {
    case 0:
        armed = 1;
        mode = x > 9 ? 1 : 2;
        break;
    case 1:
        armed = 0;
        mode = 0;
        break;
    default:
        mode = 0;
    }
}

int main(void)
{
    for (int i = 0; i < 6; i++)
        step(getchar());
    return count > 3;
}
