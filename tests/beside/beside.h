/* In front of each program. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
int flag, other = 3, *where = &other;
static void target(void) { puts("t"); }
static ssize_t writes(void *own, const char *text, size_t bytes) {
    flag = 5;
    return bytes;
}
static ssize_t reads(void *own, char *text, size_t bytes) {
    flag = 6;
    text[0] = 120;
    return 1;
}
static int closes(void *own) {
    flag = 7;
    return 0;
}
