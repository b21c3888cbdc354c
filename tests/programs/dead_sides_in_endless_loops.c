// Sides that are dead where nothing bounds the loop around them: a run that a time limit ends there counts them, and takes none
// expect: branches=37/40 infeasible=3
// args: --stdin 12
// witness: stdin:"12ax"
// witness: stdin:"5x1"
// witness: stdin:"55551"
// witness: stdin:"5xxz"
// witness: stdin:"x1"
// witness: stdin:"55aaa"
// witness: stdin:"a"
// witness: stdin:"55a5ax5"
// witness: stdin:"5aa"
// witness: stdin:"xa"
// witness: stdin:"11ax"
// witness: stdin:"21ax5"
#include <stdio.h>

struct machine {
    int credit, stock, door, mode;
};

static int coin(struct machine *m, int c)
{
    int value = c == '1' ? 1 : c == '2' ? 2 : c == '5' ? 5 : 0; /* the last is never false */
    if (!value) /* never true */
        return -2;
    if (m->door || m->credit + value > 20)
        return -1;
    m->credit += value;
    return 0;
}

static void turn(struct machine *m)
{
    switch (m->mode) { /* never true */
    case 0:
        m->mode = m->credit > 4;
        break;
    case 1:
        m->mode = 2;
        break;
    case 2:
        m->mode = 0;
        break;
    }
}

int main(void)
{
    struct machine m = {0, 2, 0, 0};
    int c;
    while ((c = getchar()) != EOF) {
        int result = 0;
        switch (c) {
        case '1':
        case '2':
        case '5':
            result = coin(&m, c);
            break;
        case 'a':
            if (m.credit < 3 || m.stock == 0) {
                result = -1;
            } else {
                m.credit -= 3;
                m.stock--;
            }
            break;
        case 'x':
            m.door = m.credit == 0;
            break;
        default:
            return 2;
        }
        turn(&m);
        if (result)
            return 1;
    }
    return 0;
}
