// Floyd's search for a cycle: only a list that comes back to itself takes the last branch
// function: cycle
// expect: branches=8/8 infeasible=0
struct link {
    struct link *next;
    char tag;
};

static int cycle(struct link *start)
{
    struct link *slow = start, *fast = start;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
        if (slow == fast)
            return slow == start ? 1 : 2;
    }
    return 0;
}
