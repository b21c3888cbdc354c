// Two pointers that may be to one object
// function: transfer
// expect: branches=18/18 infeasible=0
struct account {
    long balance;
    int frozen;
};

int transfer(struct account *from, struct account *to, long amount)
{
    if (!from || !to)
        return -1;
    if (from == to)
        return amount ? -2 : 0;
    if (from->frozen || to->frozen)
        return -3;
    if (amount <= 0 || amount > from->balance)
        return -4;
    from->balance -= amount;
    to->balance += amount;
    return to->balance < 0 ? 2 : 1;
}
