// Floating-point variables that dead branches depend on: a filter whose level stays between two numbers, NaN that comes from nowhere, and
// conversions in both directions.
// expect: branches=26/38 infeasible=12
// witness: 0
// witness: -1
// witness: 4
// witness: 3 50 120 -7
// witness: 1 300
// witness: 2 200 -300
#include "bothways.h"
#include <math.h>

static double level;          /* always between 0 and 100 */
static float gain = 0.5f;     /* 0.5 or 0.25 */

static double limited(double value) {
    if (value < 0.0)
        return 0.0;
    if (value > 100.0)
        return 100.0;
    if (value != value) /* never true */
        return -1.0;
    return value;
}

static void step(int input) {
    level = limited(level * 0.5 + (double)input * gain);
    if (level > 50.5)
        gain = 0.25f;
    else
        gain = 0.5f;
    if (gain == 0.125f) /* never true */
        level = 1e9;
    if (level > 1000.0) /* never true */
        level = 0.0;
}

int main(void) {
    int rounds, alarms = 0;
    bw_int(&rounds, "rounds");
    if (rounds < 0 || rounds > 3)
        return 0;
    for (int i = 0; i < rounds; i++) {
        int input;
        bw_int(&input, "input");
        step(input);
        if (fabs(level) > 100.0) /* never true */
            return 1;
        if (isnan(level)) /* never true */
            return 2;
        int percent = (int)level;
        if (percent > 100) /* never true */
            return 3;
        if (percent < 0) /* never true */
            return 4;
        if (percent == 100)
            alarms++;
        if ((float)i > 2.5f) /* never true */
            return 5;
        if (-level > 0.0) /* never true */
            return 6;
        if (1.0 / (level + 1.0) <= 0.0) /* never true */
            return 7;
        if (gain < 0.25f) /* never true */
            return 8;
        if (gain > 0.5f) /* never true */
            return 9;
    }
    return alarms;
}
