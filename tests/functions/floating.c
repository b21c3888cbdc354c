// Floating point of both sizes, in a struct behind a pointer
// function: classify
// expect: branches=12/12 infeasible=0
struct sphere {
    double radius;
    float center[3];
};

int classify(const struct sphere *s, float margin)
{
    if (!(s->radius > 0.0))
        return s->radius != s->radius ? -2 : -1;
    if (s->center[2] + margin == 2.5f)
        return 3;
    if (s->radius * 2.0 > 1e6)
        return 2;
    return s->center[0] < -0.5f && s->center[1] > 100.0f;
}
