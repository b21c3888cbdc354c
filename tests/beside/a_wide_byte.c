#include "beside.h"
int main(void) {
    char c;
    read(0, &c, 1);
    if (c != 107) return 0;
    wchar_t w = 0;
    mbstate_t s;
    memset(&s,0,sizeof s);
    mbrtowc(&w, "a", 1, &s);
    if (w == 97) target();
    return 0;
}
