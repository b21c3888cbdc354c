// A pointer as the result, and a change behind it
// function: last
// expect: branches=8/8 infeasible=0
struct node {
    struct node *next;
    int length;
    char name[8];
};

struct node *last(struct node *at)
{
    while (at && at->next)
        at = at->next;
    if (at && at->name[0] == 'e')
        at->length++;
    return at;
}
