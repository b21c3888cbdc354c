#include "beside.h"
#include <ctype.h>
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    if (isalpha(c)) target();
    return 0;
}
