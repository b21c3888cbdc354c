// Interest that doubles a sum in a given number of years.
// args: 
#include <math.h>
#include "bothways.h"

int main(void) {
    double rate;
    int years;
    bw_double(&rate, "rate");
    bw_int(&years, "years");
    if (!(rate > 0 && rate < 0.2) || years < 10 || years > 40)
        return 0;
    double grown = pow(1 + rate, years);
    if (grown > 1.9999 && grown < 2.0001 && years == 17)
        return 1; // target: reachable
    return 0;
}
