// A function whose result is atomic, and functions that return atomic values
// function: take
// expect: branches=6/6 infeasible=0
struct pair {
    int first;
    int second;
};
typedef _Atomic(const struct hidden *) handle;
typedef _Atomic int number;
typedef _Atomic struct pair both;

extern number ask(void);
extern handle open_it(void);
extern both read_it(void);

static struct pair last;

both take(number wanted, handle given)
{
    number answer = ask();
    handle found = open_it();
    both pair = read_it();
    struct pair plain = pair;
    if (answer == 77)
        last.first = 1;
    if (found == given)
        last.second = wanted;
    if (plain.second == 12)
        last.first++;
    struct pair copy = last;
    both result = copy;
    return result;
}
