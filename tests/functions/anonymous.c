// Structs without a name: behind a pointer, and in between
// function: pick
// expect: branches=10/10 infeasible=0
typedef struct {
    struct {
        int a, b;
    } *inner;
    int count;
    struct {
        unsigned x : 1;
        int : 3;
        unsigned y : 4;
    };
} outer;

int pick(outer *o)
{
    if (o->inner && o->count > 0 && o->inner[0].b == 4)
        return 1;
    return o->x && o->y == 9;
}
