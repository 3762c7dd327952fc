// SPDX-License-Identifier: Apache-2.0
/*
 * jinja_fuzz.c - any bytes as a chat template, rendered with a conversation.
 */
#include <stdint.h>
#include <stdlib.h>

#include "model/jinja.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char variables[] = "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi "
                                "\xc3\xa9\"}, {\"role\": \"assistant\","
                                " \"content\": null, \"tool_calls\": [{\"function\": "
                                "{\"name\": \"f\", \"arguments\": {\"a\": 1.5}}}]}],"
                                " \"add_generation_prompt\": true, \"bos_token\": "
                                "\"<s>\", \"l\": [3, 1, 2], \"d\": {\"b\": 2, \"a\": 1},"
                                " \"n\": 7, \"s\": \"text\"}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Jinja j;
    Arena a;
    Str   out = {0};
    Fault f = {0};
    if (size > 20000 || !jinja_parse(&j, (Str){(const char *)data, (uint32_t)size}, &f))
        return 0;
    arena_init(&a, 64u << 20);
    JinjaRender how = {.max_steps = 20000, .max_output = 1u << 20, .now = 1700000000};
    if (!value_read_json(&how.variables, &a, STR(variables), &f))
        abort();
    jinja_render(&out, &a, &j, &how, &f);
    arena_fini(&a);
    jinja_fini(&j);
    return 0;
}
