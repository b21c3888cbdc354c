// Brackets of three kinds are balanced and six deep.
// args: --stdin 14
#include <stdio.h>
#include "bothways.h"

int main(void) {
    char stack[16];
    int top = 0, deepest = 0, c;
    while ((c = getchar()) != EOF) {
        if (c == '(' || c == '[' || c == '{') {
            if (top == 16)
                return 0;
            stack[top++] = (char)c;
            deepest = top > deepest ? top : deepest;
        } else if (c == ')' || c == ']' || c == '}') {
            if (top == 0)
                return 0;
            char open = stack[--top];
            if ((c == ')') != (open == '(') || (c == ']') != (open == '['))
                return 0;
        } else {
            return 0;
        }
    }
    if (top == 0 && deepest == 6)
        return 1; // target: reachable
    return 0;
}
