// Members that are constant, volatile, or arrays of pointers to functions of their own type
// function: run
// expect: branches=14/14 infeasible=0
struct ops {
    int (*print)(const char *, ...);
    void (*hook[2])(struct ops *, void *);
    const struct ops *const parent;
    volatile int *counter;
};

int run(struct ops *ops)
{
    if (ops->print && ops->print("x") > 3)
        return 1;
    if (ops->hook[1])
        ops->hook[1](ops, 0);
    if (ops->parent && ops->parent->print == 0)
        return 2;
    return ops->counter && *ops->counter == 9;
}
