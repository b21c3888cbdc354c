// How many inputs there are depends on the inputs: commands until the last one.
// expect: branches=20/20 infeasible=0
// witness: 1 5 1 7 2 0
// witness: 0
// witness: 2 2 0
// witness: 1 3 2 2 2 0
// witness: 9 9 9 9 9 9 9
// witness: 1 100 1 28 3 0
// witness: 1 1 1 1 1 1 1 1 1 1 0
// witness: 3 0
// witness: 1 5 0
extern int __VERIFIER_nondet_int(void);
extern short __VERIFIER_nondet_short(void);

enum { END, PUSH, POP, ADD, ROOM = 4 };

int main(void) {
    int stack[ROOM], height = 0;
    for (int turn = 0; turn < 6; turn++) {
        int command = __VERIFIER_nondet_int();
        if (command == END)
            break;
        if (command == PUSH && height < ROOM)
            stack[height++] = __VERIFIER_nondet_short();
        else if (command == POP && height > 0)
            height--;
        else if (command == ADD && height > 1) {
            height--;
            stack[height - 1] += stack[height];
        }
    }
    if (height == 1 && stack[0] == 128)
        return 1;
    return height == ROOM;
}
