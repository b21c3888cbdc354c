#include "beside.h"
extern char **environ;
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    setenv("QQ","7",1);
    for (char **e = environ; *e; e++) if (!strcmp(*e,"QQ=7")) target();
    return c;
}
