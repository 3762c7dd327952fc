// SPDX-License-Identifier: Apache-2.0
/*
 * api_buffers.c - named buffers: bytes of a tenant that jobs read and write by name.
 *
 * in     requests
 * out    bytes, listings
 * knows  the store
 */
#include <string.h>

#include "server/http/http_priv.h"

#define MAX_BUFFERS 1000u

static bool name_ok(Request *r)
{
    if (spec_name_ok(r->parts[0]))
        return true;
    answer_error(r, 400, WEFT_ERROR_INVALID, "a buffer's name has at most %u bytes of UTF-8, no "
                 "control characters, quotes, slashes and backslashes", WIRE_MAX_NAME);
    return false;
}

void api_buffers(Request *r)
{
    uint64_t      failures = store_failures(jobs_store(r->http->desc.jobs));
    BufferRecord *list = ARENA_ARRAY(&r->arena, BufferRecord, MAX_BUFFERS);
    uint32_t      count = store_buffer_list(jobs_store(r->http->desc.jobs), &r->arena,
                                            r->who.tenant, list, MAX_BUFFERS);
    if (store_is_gone(r, failures))
        return;
    Text out = {.arena = &r->arena};
    bool any = false;
    text_add(&out, STR("{\"buffers\":["));
    for (uint32_t i = 0; i < count; i++) {
        if (strchr(list[i].name, '/'))  /* the server's own */
            continue;
        text_add(&out, any ? STR(",{\"name\":") : STR("{\"name\":"));
        any = true;
        text_json(&out, str_of(list[i].name));
        text_printf(&out, ",\"size\":%llu,\"dtype\":\"%s\",\"updated\":%lld}",
                    (unsigned long long)list[i].size,
                    wire_scalar_name((WireScalar)list[i].scalar), (long long)list[i].updated);
    }
    text_add(&out, STR("]}\n"));
    answer_json(r, 200, &out);
}

void api_buffer_get(Request *r)
{
    BufferRecord b;
    uint64_t     failures = store_failures(jobs_store(r->http->desc.jobs));
    if (!r->aside) {
        request_aside(r, api_buffer_get);
        return;
    }
    bool found = store_buffer_get(jobs_store(r->http->desc.jobs), &r->arena, r->who.tenant,
                                  r->parts[0], &b);
    if (!found && !store_is_gone(r, failures))
        answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "there is no buffer '%.100s'", r->parts[0]);
    else if (found && request_hold(r, b.bytes.size))
        answer_bytes(r, b.bytes.data, b.bytes.size);
}

void api_buffer_put(Request *r)
{
    if (!name_ok(r))
        return;
    if (r->body_size == 0 || r->body_size % 4) {
        answer_error(r, 400, WEFT_ERROR_SHAPE, "a buffer has a multiple of 4 bytes");
        return;
    }
    if (!r->aside) {                    /* it waits for the disk */
        request_aside(r, api_buffer_put);
        return;
    }
    if (!jobs_may_store(r->http->desc.jobs, r->who.tenant, r->body_size)) {
        answer_error(r, 429, WEFT_ERROR_QUOTA, "quota: stored bytes");
        return;
    }
    const char  *dtype = request_query(r, "dtype");
    BufferRecord b = {.name = r->parts[0], .size = r->body_size, .updated = jobs_now_ms(),
                      .scalar = dtype ? wire_scalar_find(dtype) : WIRE_ANY,
                      .bytes = {r->body, r->body_size}};
    StoreOp op = {.kind = STORE_PUT_BUFFER, .job = {.tenant = r->who.tenant}, .buffers = &b,
                  .buffer_count = 1};
    if (!store_apply(jobs_store(r->http->desc.jobs), &op)) {
        answer_error(r, 507, WEFT_ERROR_IO, "the store did not take the buffer");
        return;
    }
    jobs_buffers_changed(r->http->desc.jobs, r->who.tenant);
    Text out = {.arena = &r->arena};
    text_printf(&out, "{\"size\":%zu}\n", r->body_size);
    answer_json(r, 200, &out);
}

void api_buffer_delete(Request *r)
{
    if (!r->aside) {
        request_aside(r, api_buffer_delete);
        return;
    }
    BufferRecord b = {.name = r->parts[0]};
    StoreOp op = {.kind = STORE_DELETE_BUFFER, .job = {.tenant = r->who.tenant}, .buffers = &b,
                  .buffer_count = 1};
    if (!store_apply(jobs_store(r->http->desc.jobs), &op))
        answer_error(r, 507, WEFT_ERROR_IO, "the store did not take the change");
    else if (!op.applied)
        answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "there is no buffer '%.100s'", r->parts[0]);
    else
        answer_text(r, 204, "application/json", "", 0);
    jobs_buffers_changed(r->http->desc.jobs, r->who.tenant);
}
