// A condition that hangs on the sum of many decisions before it (V-D of papers/caut-pps.txt)
// function: loop
// expect: branches=8/8 infeasible=0
int loop(int v[6], int x)
{
    int i;
    if (x == 2) {
        for (i = 0; i < 6; i++)
            if (v[i] == 3)
                x++;
        if (x == 6)
            return 1;
    }
    return 0;
}
