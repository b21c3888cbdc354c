// Blocks of numbers for which the code has a length of its own
// function: transform
// expect: branches=14/14 infeasible=0
struct state {
    int *samples;
    int mixed;
};

int transform(struct state *state, int *delay, const int *window)
{
    int i, clipped = 0;
    if (!state || !delay || !window || !state->samples)
        return -1;
    for (i = 0; i < 1024; i++) {
        state->samples[i] ^= delay[i] & window[i];
        if (state->samples[i] == 77)
            clipped++;
        delay[i] = i;
    }
    if (!state->mixed)
        state->mixed = 1;
    return clipped;
}
