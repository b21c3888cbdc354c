#include "beside.h"
static void h(int s, siginfo_t *i, void *u) {
    flag = 1;
}
int main(void) {
    struct sigaction a;
    struct itimerval v = {{0,0},{0,1000}};
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    memset(&a,0,sizeof a);
    a.sa_sigaction = h;
    a.sa_flags = SA_SIGINFO;
    sigaction(SIGALRM,&a,0);
    setitimer(ITIMER_REAL,&v,0);
    usleep(20000);
    if (flag) target();
    return 0;
}
