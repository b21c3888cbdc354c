// Arrays of structs in structs: a symbolic index selects the object, constants select the member.
// expect: branches=12/12 infeasible=0
// witness: 0 5 1
// witness: 1 9 2
// witness: 2 3 0
// witness: 3 0 0
// witness: 2 -3 2
// witness: 0 5 7
// witness: 0 4 1
// witness: 1 9 0
#include "bothways.h"

struct item {
    short price;
    char stock[3];
};

struct shop {
    int open;
    struct item items[3];
};

int main(void) {
    struct shop shop = {1, {{5, {1, 2, 3}}, {7, {0, 9, 4}}, {-3, {8, 8, 0}}}};
    unsigned item, size;
    int offer;
    bw_uint(&item, "item");
    bw_int(&offer, "offer");
    bw_uint(&size, "size");
    if (item > 2 || size > 2)
        return 1;
    struct item *wanted = &shop.items[item];
    if (wanted->stock[size] == 0)
        return 2;
    if (offer < wanted->price)
        return 3;
    wanted->stock[size]--;
    if (shop.items[1].stock[2] == 3)
        return 4;
    return wanted->price < 0 ? 5 : 6;
}
