// Results through pointers, each of which may be missing
// function: divide
// expect: branches=14/14 infeasible=0
int divide(int a, int b, int *quotient, int *remainder)
{
    if (b == 0)
        return -1;
    if (a == -2147483647 - 1 && b == -1)
        return -2;
    if (quotient)
        *quotient = a / b;
    if (remainder) {
        *remainder = a % b;
        if (quotient == remainder)
            return 2;
        if (*remainder < 0)
            return 1;
    }
    return 0;
}
