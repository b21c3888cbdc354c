// goto: a state machine, out of nested loops, and backwards.
// expect: branches=18/18 infeasible=0
// witness: "aab."
// witness: "b..."
// witness: "abab"
// witness: "aaaa"
// witness: "ab.."
// witness: "axxx"
// witness: "xxxx"
#include "bothways.h"

int main(void) {
    char text[5] = {0};
    const char *at = text;
    int turns = 0;
    bw_bytes(text, 4, "text");
start:
    if (*at == 'a') {
        at++;
        goto in_a;
    }
    goto reject;
in_a:
    if (*at == 'a') {
        at++;
        goto in_a;
    }
    if (*at++ != 'b')
        goto reject;
    if (*at == '.')
        goto accept;
    if (++turns < 2)
        goto start;
    return 2;
accept:
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            if (text[i] == '.' && text[j] == '.')
                goto twice;
    return 0;
twice:
    return 3;
reject:
    return 1;
}
