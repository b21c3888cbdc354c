// Included by include.c.
static inline int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

static inline int never_called(int value)
{
    return value ? 1 : 2;
}

#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))
