// SPDX-License-Identifier: Apache-2.0
/*
 * multipart.c - splits a multipart/form-data body (RFC 7578) into its parts.
 *
 * in     the Content-Type header and the body, both hostile
 * out    names and bytes of the parts, pointing into the body
 * not    what the parts mean
 */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "server/http/http_priv.h"

#define MAX_BOUNDARY 70u                /* RFC 2046 5.1.1 */
#define MAX_HEADERS  4096u

/* The boundary of the content type, with the two dashes before it. */
static bool find_boundary(const char *type, char *out, size_t *length)
{
    const char *at = strcasestr(type, "boundary=");
    if (!at)
        return false;
    at += 9;
    bool   quoted = *at == '"';
    at += quoted;
    size_t n = strcspn(at, quoted ? "\"" : "; \t,");
    if (n == 0 || n > MAX_BOUNDARY || (quoted && at[n] != '"'))
        return false;
    memcpy(out, "--", 2);
    memcpy(out + 2, at, n);
    *length = n + 2;
    return true;
}

static const uint8_t *find(const uint8_t *in, size_t size, const char *what, size_t length)
{
    return memmem(in, size, what, length);
}

/* The name in the headers of a part. */
static const char *part_name(Arena *arena, const char *headers)
{
    for (const char *line = headers; line; line = strstr(line, "\r\n")) {
        line += strncmp(line, "\r\n", 2) == 0 ? 2 : 0;
        if (strncasecmp(line, "content-disposition:", 20) != 0)
            continue;
        size_t      length = strcspn(line, "\r");
        const char *copy = arena_printf(arena, "%.*s", (int)length, line);
        const char *at = copy;
        /* Not the name inside "filename=". */
        while ((at = strstr(at, "name=\"")) && at > copy && at[-1] != ' ' && at[-1] != ';')
            at++;
        if (!at)
            return NULL;
        at += 6;
        size_t n = strcspn(at, "\"");
        return at[n] == '"' && n ? arena_printf(arena, "%.*s", (int)n, at) : NULL;
    }
    return NULL;
}

/* Reads the part that begins at *at; moves *at to the delimiter after it. */
static const char *read_part(Arena *arena, const char *mark, size_t mark_length,
                             const uint8_t **at, const uint8_t *end, BodyPart *out)
{
    const uint8_t *blank = find(*at, (size_t)(end - *at), "\r\n\r\n", 4);
    if (!blank || (size_t)(blank - *at) > MAX_HEADERS)
        return "a part has no headers";
    const char *headers = arena_printf(arena, "%.*s", (int)(blank - *at), (const char *)*at);
    out->name = part_name(arena, headers);
    if (!out->name)
        return "a part has no name";
    out->data = blank + 4;
    const uint8_t *next = find(out->data, (size_t)(end - out->data), mark, mark_length);
    if (!next)
        return "the last boundary is missing";
    out->size = (size_t)(next - out->data);
    *at = next + 2;
    return NULL;
}

int multipart_split(Arena *arena, const char *type, const uint8_t *body, size_t size,
                    BodyPart *out, uint32_t room, const char **why)
{
    char           mark[MAX_BOUNDARY + 6] = "\r\n";
    size_t         length = 0;
    const uint8_t *at = body, *end = body + size;
    uint32_t       count = 0;
    *why = "the content type has no boundary";
    if (!find_boundary(type, mark + 2, &length))
        return -1;
    *why = "the body does not begin with its boundary";
    if (size < length || memcmp(at, mark + 2, length) != 0)
        return -1;
    for (;;) {
        at += length;
        if (end - at >= 2 && memcmp(at, "--", 2) == 0)
            return (int)count;
        *why = "a boundary is followed by something else";
        if (end - at < 2 || memcmp(at, "\r\n", 2) != 0)
            return -1;
        *why = "too many parts";
        if (count == room)
            return -1;
        /* A part without headers begins with the blank line itself. */
        at += memcmp(at + 2, "\r\n", MIN_OF((size_t)(end - at - 2), 2)) == 0 ? 0 : 2;
        *why = read_part(arena, mark, length + 2, &at, end, &out[count]);
        if (*why)
            return -1;
        count++;
    }
}
