/* A configuration interpreter with sections and keywords: lines depend on lines before them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { int verbose, level, mode, port, included; char name[16]; } settings;
static char section[16];

static char *strip(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static int boolean(const char *text, int *value) {
    if (strcmp(text, "yes") == 0 || strcmp(text, "on") == 0 || strcmp(text, "1") == 0)
        return *value = 1, 0;
    if (strcmp(text, "no") == 0 || strcmp(text, "off") == 0 || strcmp(text, "0") == 0)
        return *value = 0, 0;
    return -1;
}

static int in_main(const char *key, char *value) {
    if (strcmp(key, "verbose") == 0)
        return boolean(value, &settings.verbose) ? -10 : 0;
    if (strcmp(key, "level") == 0) {
        settings.level = atoi(value);
        return settings.level < 0 || settings.level > 9 ? -11 : 0;
    }
    if (strcmp(key, "name") == 0) {
        if (strlen(value) > 8)
            return -12;
        strcpy(settings.name, value);
        return 0;
    }
    return -13;
}

static int in_net(const char *key, const char *value) {
    if (strcmp(key, "port") == 0) {
        settings.port = atoi(value);
        if (settings.port <= 0 || settings.port > 65535)
            return -20;
        return settings.port < 1024 && settings.level < 5 ? -21 : 0;
    }
    if (strcmp(key, "mode") == 0) {
        settings.mode = value[0] == 't' ? 1 : value[0] == 'u' ? 2 : 0;
        return settings.mode ? 0 : -22;
    }
    return -23;
}

static int line(char *text) {
    text = strip(text);
    if (*text == '\0' || *text == '#' || *text == ';')
        return 0;
    if (*text == '[') {
        char *close = strchr(text, ']');
        if (close == NULL)
            return -1;
        *close = '\0';
        if (strlen(text + 1) >= sizeof section)
            return -2;
        strcpy(section, text + 1);
        return 0;
    }
    if (strncmp(text, "include ", 8) == 0)
        return ++settings.included > 2 ? -3 : 0;
    char *equals = strchr(text, '=');
    if (equals == NULL)
        return -4;
    *equals = '\0';
    char *key = strip(text), *value = strip(equals + 1);
    if (strcmp(section, "main") == 0)
        return in_main(key, value);
    if (strcmp(section, "net") == 0)
        return in_net(key, value);
    return -5;
}

int main(void) {
    char text[80];
    while (fgets(text, sizeof text, stdin)) {
        int result = line(text);
        if (result < 0)
            return -result;
    }
    if (settings.verbose && settings.level == 7 && settings.mode == 2)
        puts("all");
    return settings.port == 8080 && settings.name[0] == 'x' ? 1 : 0;
}
