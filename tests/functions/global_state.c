// Variables of the file: a limit that is initialised, a state, a pointer to the current object, a counter inside
// function: event
// expect: branches=16/16 infeasible=0
struct session {
    int user;
    int tries;
};

static int limit = 3;
static enum { IDLE, ACTIVE, LOCKED } state;
static struct session *current;
int unrelated = 5;

int event(int code)
{
    static int calls;
    calls++;
    if (state == LOCKED)
        return code == 99 ? -1 : -2;
    if (!current)
        return -3;
    if (code == 7 && current->tries > limit) {
        state = LOCKED;
        return limit == 0 ? 2 : 1;
    }
    if (state == ACTIVE && current->user == code)
        return 3;
    return 0;
}
