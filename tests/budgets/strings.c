// ask: 6
// arguments: --stdin 600
#include <stdio.h>
#include <string.h>
int main(void) {
    char text[601];
    text[fread(text, 1, 600, stdin)] = 0;
    int n = 0;
    for (char *at = text; (at = strstr(at, "ab")); at++) n++;
    if (n > 100) return 1;
    return strlen(text) == 599 && strchr(text, '#') ? 2 : 0;
}
