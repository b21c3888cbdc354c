/* What `main` reaches by calls, by addresses in data, before it starts, and not at all. */
static int log_of[4];
static int twice(int n) { return 2 * n; }
static int thrice(int n) { return 3 * n; }
static int (*const table[])(int) = { twice, thrice };
int (*unused[])(int);
static int alone(int n) { return n > 3 ? n : 0; }
int (*unused[])(int) = { alone };
int elsewhere(int n) { if (n > 3 && n < 9) return alone(n); return n; }
__attribute__((constructor)) static void early(void) { log_of[0] = 1; }
__attribute__((used)) static int kept(int n) { return n; }
void *realloc(void *old, unsigned long size) { return old && size ? old : 0; }
static int jumps(int n)
{
    static void *const places[] = { &&one, &&two };
    goto *places[n & 1];
one: return 1;
two: return 2;
}
int jumpy(void) { return jumps(1); }
int direct(int n) { return n ? table[n & 1](n) : 0; }
int main(int argc, char **argv) { return direct(argc - 1) + log_of[0] - 1; }
