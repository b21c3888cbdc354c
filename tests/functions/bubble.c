// Bubble sort of the first n elements, from flex (figure 1 of papers/caut-pps.txt): few runs may cover it
// function: bubble
// expect: branches=8/8 infeasible=0
#define MAXLEN 6
void bubble(int v[MAXLEN], int n)
{
    int i, j, k;
    if (n >= MAXLEN)
        return;
    for (i = n; i > 1; i--)
        for (j = 1; j < i; ++j)
            /* compare */
            if (v[j] > v[j + 1]) { /* exchange */
                k = v[j];
                v[j] = v[j + 1];
                v[j + 1] = k;
            }
}
