/* Collision avoidance: the shape of the Siemens suite's `tcas`, integers compared with each other and with thresholds. */
#include "bothways.h"

enum { UNRESOLVED, UPWARD, DOWNWARD };
enum { OLEV = 600, MAXALTDIFF = 600, MINSEP = 300, NOZCROSS = 100 };

static int separation, confident, valid, own_altitude, own_rate, other_altitude, threshold;
static int up, down, other_rac, other_capability, inhibited;
static const int positive[] = {400, 500, 640, 740};

static int limit(void) { return positive[threshold & 3]; }
static int biased(void) { return inhibited ? up + NOZCROSS : up; }
static int below(void) { return own_altitude < other_altitude; }
static int above(void) { return other_altitude < own_altitude; }

static int climb(void) {
    if (biased() > down)
        return !below() || (below() && !(down >= limit()));
    return above() && separation >= MINSEP && up >= limit();
}

static int descend(void) {
    if (biased() > down)
        return below() && separation >= MINSEP && down >= limit();
    return !above() || (above() && up >= limit());
}

static int advise(void) {
    int enabled = confident && own_rate <= OLEV && separation > MAXALTDIFF;
    int equipped = other_capability == 1;
    int unknown = valid && other_rac == 0;
    if (!enabled || !((equipped && unknown) || !equipped))
        return UNRESOLVED;
    int need_up = climb() && below();
    int need_down = descend() && above();
    if (need_up && need_down)
        return UNRESOLVED;
    if (need_up)
        return UPWARD;
    return need_down ? DOWNWARD : UNRESOLVED;
}

#ifdef TEXT /* the same program with its numbers as text: bench/papers-text.toml */
#include <stdio.h>

static void decimal(int *value) {
    int byte = getchar(), minus = byte == '-';
    if (minus)
        byte = getchar();
    for (*value = 0; byte >= '0' && byte <= '9' && *value < 1000000; byte = getchar())
        *value = *value * 10 + byte - '0';
    if (minus)
        *value = -*value;
}

#define bw_int(value, name) decimal(value)
#endif

int main(void) {
    bw_int(&separation, "separation");
    bw_int(&confident, "confident");
    bw_int(&valid, "valid");
    bw_int(&own_altitude, "own_altitude");
    bw_int(&own_rate, "own_rate");
    bw_int(&other_altitude, "other_altitude");
    bw_int(&threshold, "threshold");
    bw_int(&up, "up");
    bw_int(&down, "down");
    bw_int(&other_rac, "other_rac");
    bw_int(&other_capability, "other_capability");
    bw_int(&inhibited, "inhibited");
    if (threshold < 0 || threshold > 3)
        return 4;
    if (own_altitude < 0 || other_altitude < 0 || own_altitude > 100000 || other_altitude > 100000)
        return 5;
    int advice = advise();
    if (advice == UPWARD && up < limit() && down >= limit() && own_rate < 0)
        return 6;
    if (advice == DOWNWARD && down < limit() && up < down)
        return 7;
    return advice;
}
