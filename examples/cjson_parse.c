/* Drives cJSON's parser with symbolic bytes: `make demo` compiles this file together with cJSON.c. */
#include "bothways.h"
#include "cJSON.h"

#define LENGTH 12

int main(void) {
    char text[LENGTH + 1];
    bw_bytes(text, LENGTH, "text");
    text[LENGTH] = '\0';

    cJSON *json = cJSON_Parse(text);
    if (json == NULL)
        return 1;
    char *printed = cJSON_PrintUnformatted(json);
    cJSON_free(printed);
    cJSON_Delete(json);
    return 0;
}
