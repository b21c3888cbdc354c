/* A request parser of the protocol kind: a first line with keywords, then headers, some of which depend on each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int method(const char *text) {
    static const char *names[] = {"GET", "HEAD", "POST", "PUT"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0)
            return i + 1;
    return 0;
}

int main(void) {
    char line[100];
    int length = -1, keep = 0, chunked = 0, host = 0, headers = 0;
    if (!fgets(line, sizeof line, stdin))
        return 1;
    char *path = strchr(line, ' ');
    if (!path)
        return 2;
    *path++ = '\0';
    int verb = method(line);
    if (verb == 0)
        return 3;
    char *protocol = strchr(path, ' ');
    if (!protocol)
        return 4;
    *protocol++ = '\0';
    if (*path != '/' && *path != '*')
        return 5;
    if (strstr(path, ".."))
        return 6;
    if (strncmp(protocol, "HTTP/1.", 7) != 0)
        return 7;
    int version = protocol[7] - '0';
    if (version != 0 && version != 1)
        return 8;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (*line == '\0')
            break;
        if (++headers > 8)
            return 9;
        char *value = strchr(line, ':');
        if (!value)
            return 10;
        *value++ = '\0';
        while (*value == ' ')
            value++;
        if (strcasecmp(line, "Host") == 0) {
            host = 1;
        } else if (strcasecmp(line, "Content-Length") == 0) {
            length = atoi(value);
            if (length < 0)
                return 11;
        } else if (strcasecmp(line, "Connection") == 0) {
            if (strcasecmp(value, "close") == 0)
                keep = 0;
            else if (strcasecmp(value, "keep-alive") == 0)
                keep = 1;
        } else if (strcasecmp(line, "Transfer-Encoding") == 0) {
            chunked = strcmp(value, "chunked") == 0;
        }
    }
    if (version == 1 && !host)
        return 12;
    if ((verb == 3 || verb == 4) && length < 0 && !chunked)
        return 13;
    if (verb == 1 && length > 0)
        return 14;
    return keep && version == 0 ? 15 : 0;
}
