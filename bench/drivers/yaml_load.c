/* Drives libyaml with symbolic bytes: a document is loaded, and written again. */
#include "bothways.h"
#include <stdio.h>
#include <yaml.h>

#define LENGTH 12

int main(void) {
    unsigned char text[LENGTH], written[256];
    size_t count = 0;
    yaml_parser_t parser;
    yaml_emitter_t emitter;
    yaml_document_t document;
    bw_bytes(text, LENGTH, "text");
    if (!yaml_parser_initialize(&parser))
        return 1;
    yaml_parser_set_input_string(&parser, text, LENGTH);
    if (!yaml_parser_load(&parser, &document)) {
        yaml_parser_delete(&parser);
        return 2;
    }
    if (yaml_emitter_initialize(&emitter)) {
        yaml_emitter_set_output_string(&emitter, written, sizeof written, &count);
        yaml_emitter_dump(&emitter, &document);
        yaml_emitter_delete(&emitter);
    } else {
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return 0;
}
