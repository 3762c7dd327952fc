// SPDX-License-Identifier: Apache-2.0
/*
 * body.c - bodies of requests: decompressed within limits, JSON within limits.
 *
 * in     bytes
 * out    bytes, JSON values
 * knows  zlib, jansson
 * not    what the values mean
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "server/http/http_priv.h"

#define MAX_DEPTH 32u

/* ---- gzip ---- */

/* Inflates into a buffer that grows up to `limit`. NULL, or what is wrong. */
static const char *inflate_all(Request *r, const uint8_t *from, size_t size, uint8_t **out,
                               size_t *out_size)
{
    uint64_t    limit = r->http->config->max_body;
    z_stream    z = {.next_in = (uint8_t *)(uintptr_t)from, .avail_in = (unsigned)size};
    uint8_t    *data = NULL;
    size_t      room = 0, at = 0;
    const char *why = NULL;
    int         code = Z_OK;
    if (inflateInit2(&z, 15 + 32) != Z_OK)
        return "out of memory";
    while (!why && code != Z_STREAM_END) {
        if (at == room) {
            uint64_t old = room;
            room = room ? MIN_OF(room * 2, limit + 1) : MIN_OF(MAX_OF(size * 2, 4096), limit + 1);
            if (!request_try_hold(r, room - old)) {
                why = "room";
                break;
            }
            uint8_t *more = realloc(data, room + 1);
            if (!more) {
                why = "out of memory";
                break;
            }
            data = more;
        }
        z.next_out = data + at;
        z.avail_out = (unsigned)MIN_OF(room - at, 1u << 30);
        code = inflate(&z, Z_NO_FLUSH);
        at = (size_t)(z.next_out - data);
        if (at > limit)
            why = "large";
        else if (code != Z_OK && code != Z_STREAM_END)
            why = "the compressed body is damaged";
    }
    if (!why && z.avail_in)
        why = "bytes follow the compressed body";
    inflateEnd(&z);
    if (why) {
        free(data);
        return why;
    }
    data[at] = '\0';
    *out = data;
    *out_size = at;
    return NULL;
}

bool body_inflate(Request *r)
{
    const char *coding = request_header(r, "Content-Encoding");
    uint8_t    *data = NULL;
    size_t      size = 0;
    if (!coding || strcasecmp(coding, "identity") == 0)
        return true;
    if (strcasecmp(coding, "gzip") != 0) {
        answer_error(r, 415, WEFT_ERROR_UNSUPPORTED, "Content-Encoding '%.40s'; gzip is "
                     "understood", coding);
        return false;
    }
    const char *why = inflate_all(r, r->body ? r->body : (const uint8_t *)"", r->body_size,
                                  &data, &size);
    if (why && r->room != ROOM_TAKEN)
        return answer_no_room(r);
    if (why) {
        bool large = strcmp(why, "large") == 0;
        answer_error(r, large ? 413 : 400, large ? WEFT_ERROR_QUOTA : WEFT_ERROR_FORMAT, "%s",
                     large ? "the body is too large when it is decompressed" : why);
        return false;
    }
    request_drop_body(r);
    r->expected = r->held;              /* the rest is for what was decompressed */
    r->body = data;
    r->body_size = r->body_room = size;
    return true;
}

/* ---- JSON ---- */

const char *json_fault(const char *text, size_t size, uint64_t max_values, uint32_t max_depth)
{
    uint64_t values = 1;
    uint32_t depth = 0;
    bool     in_string = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
            continue;
        }
        if (c == '"')
            in_string = true;
        else if (c == ',' || c == ':')
            values++;
        else if ((c == '[' || c == '{') && ++depth > max_depth)
            return "the JSON is nested too deeply";
        else if ((c == ']' || c == '}') && depth)
            depth--;
        if (values > max_values)
            return "the JSON has too many values: send large arrays as base64 or multipart";
    }
    return NULL;
}

json_t *body_json(Request *r, const void *data, size_t size)
{
    const char *fault = json_fault(data, size, r->http->config->max_json_values, MAX_DEPTH);
    if (fault) {
        answer_error(r, 413, WEFT_ERROR_QUOTA, "%s", fault);
        return NULL;
    }
    json_error_t error;
    json_t *root = json_loadb(data ? data : "", size, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        answer_error(r, 400, WEFT_ERROR_FORMAT, "the body is not JSON: line %d: %s", error.line,
                     error.text);
    else if (!json_is_object(root)) {
        answer_error(r, 400, WEFT_ERROR_FORMAT, "the body is not a JSON object");
        json_decref(root);
        root = NULL;
    }
    return root;
}
