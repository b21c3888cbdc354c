/* Heap sort and insertion sort of 1,024 numbers. */
#include "input.h"

static void sift(uint32_t *a, int root, int size) {
    for (int child; (child = 2 * root + 1) < size; root = child) {
        if (child + 1 < size && a[child] < a[child + 1])
            child++;
        if (a[root] >= a[child])
            return;
        uint32_t t = a[root];
        a[root] = a[child];
        a[child] = t;
    }
}

static void heap_sort(uint32_t *a, int size) {
    for (int i = size / 2; i-- > 0;)
        sift(a, i, size);
    for (int i = size; i-- > 1;) {
        uint32_t t = a[0];
        a[0] = a[i];
        a[i] = t;
        sift(a, 0, i);
    }
}

static void insertion_sort(uint32_t *a, int size) {
    for (int i = 1; i < size; i++) {
        uint32_t x = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

int main(int argc, char **argv) {
    int rounds = prepare(argc, argv, 15000);
    uint32_t numbers[SIZE / 4], sum = 0;
    for (int i = 0; i < rounds; i++) {
        memcpy(numbers, input, SIZE);
        numbers[i % 64] ^= (uint32_t)i;
        if (i % 8 == 0)
            insertion_sort(numbers, SIZE / 4);
        else
            heap_sort(numbers, SIZE / 4);
        sum = sum * 31 + numbers[17] + numbers[1000];
    }
    printf("%u\n", sum);
    return 0;
}
