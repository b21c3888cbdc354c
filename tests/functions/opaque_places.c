// Pointers to what only has a name are compared: there are no elements that they could be at
// function: between
// expect: branches=4/4 infeasible=0
struct hidden;

int between(struct hidden *first, struct hidden *at, struct hidden *last)
{
    if (first < at && at < last)
        return 1;
    return 0;
}
