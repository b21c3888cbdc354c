// A pointer to rows
// function: trace
// expect: branches=8/8 infeasible=0
int trace(int (*rows)[3], int n)
{
    int sum = 0;
    if (n < 0 || n > 3)
        return -1;
    for (int i = 0; i < n; i++) {
        if (rows[i][i] == rows[i][(i + 1) % 3])
            return -2;
        sum += rows[i][i];
    }
    return sum == 4711;
}
