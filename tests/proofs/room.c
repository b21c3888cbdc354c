// args: --stdin 0..4
// What is used and what is left are always as much as there was: no set of numbers for one of them says that.
#include <stdio.h>

int main(void)
{
    int room = getchar();
    if (room == EOF)
        return 1;
    unsigned used = 0, left = room;
    for (int c; (c = getchar()) != EOF;) {
        if (c == '+' && left > 0) {
            used++;
            left--;
        }
        if (c == '0') {
            used = 0;
            left = room;
        }
        if (used > (unsigned)room)
            return 2;
        if (used + left != (unsigned)room)
            return 3;
    }
    return 0;
}
