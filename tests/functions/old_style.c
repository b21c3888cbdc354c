// C as it was: parameters declared behind the list, functions that nobody declares
// function: old
// expect: branches=6/6 infeasible=0
// args: --cflags -std=gnu89 --seed 0
old(a, text)
char a;
char *text;
{
    int got;
    if (a == 'q' && text[1] == a)
        return 1;
    got = undeclared(a);
    if (got > 50)
        return 2;
    return got == -7;
}
