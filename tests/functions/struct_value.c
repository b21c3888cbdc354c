// Structs by value, with arrays in arrays
// function: overlap
// expect: branches=14/14 infeasible=0
struct point {
    short x, y;
};

struct box {
    struct point corner[2];
    unsigned char color[3];
};

int overlap(struct box a, struct box b)
{
    if (a.corner[0].x > a.corner[1].x || b.corner[0].x > b.corner[1].x)
        return -1;
    if (a.corner[1].x < b.corner[0].x || b.corner[1].x < a.corner[0].x)
        return 0;
    if (a.corner[1].y - b.corner[0].y == 777)
        return 3;
    return a.color[2] == 0xfe && b.color[0] == a.color[1] + 1 ? 2 : 1;
}
