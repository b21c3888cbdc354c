// A pointer that the code compares with another is a place in its array: in parameters and in members
// function: parse
// expect: branches=20/20 infeasible=0
struct span {
    const int *at;
    const int *end;
};
struct text {
    char *cur;
    char *end;
};

static int next(struct text *from)
{
    if (from->cur == from->end)
        return -1;
    return *from->cur++;
}

int parse(const char *s, const char *end, struct span *span, struct text *text)
{
    int letters = 0, sum = 0;
    for (; s < end; s++)
        if (*s == 'x')
            letters++;
    if (span)
        while (span->at != span->end)
            sum += *span->at++;
    if (text && next(text) == 'q' && next(text) == -1)
        return 3;
    return letters > 30 ? 1 : sum == 77 ? 2 : 0;
}
