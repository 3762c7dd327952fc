// SPDX-License-Identifier: Apache-2.0
/* body_fuzz.c - multipart bodies, JSON counts and worker messages from any bytes: the first
 * line is the content type. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = memchr(data, '\n', size);
    BodyPart       parts[8];
    const char    *why;
    Arena          arena;
    JobSpec       *spec = calloc(1, sizeof *spec);
    Unpack         u = {.data = data, .size = size};
    arena_init(&arena, 0);
    if (line && line - data < 512) {
        char *type = arena_printf(&arena, "%.*s", (int)(line - data), (const char *)data);
        multipart_split(&arena, type, line + 1, size - (size_t)(line + 1 - data), parts,
                        COUNTOF(parts), &why);
    }
    json_fault((const char *)data, size, 1000, 16);
    if (spec)
        job_spec_unpack(&u, spec);
    JobOutput outputs[8];
    result_unpack((StoreBlob){data, size}, outputs, COUNTOF(outputs));
    free(spec);
    arena_fini(&arena);
    return 0;
}
