// SPDX-License-Identifier: Apache-2.0
/*
 * api_workers.c - foreign workers: programs that take jobs of their kind over HTTP.
 *
 * in     register, lease, heartbeat, result, fail
 * out    specs with their data; ended jobs
 * knows  leases of jobs/
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"

static const char *field(json_t *root, const char *name)
{
    const char *text = json_string_value(json_object_get(root, name));
    return text ? text : "";
}

/* A worker is known by the kind of jobs it takes; its id is for the log. */
void api_register(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    char    id[STORE_ID_SIZE];
    if (!root)
        return;
    const char *runner = field(root, "runner");
    if (!spec_runner_ok(runner)) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "runner: the kind of jobs that the worker takes, "
                     SPEC_RUNNER);
    } else {
        jobs_new_id(id);
        guard_audit(r, "register", true, runner, field(root, "name"));
        Text out = {.arena = &r->arena};
        text_printf(&out, "{\"worker\":\"%s\",\"lease_seconds\":%.3f,\"runner\":", id,
                    (double)r->http->config->lease_time * 1e-9);
        text_json(&out, str_of(runner));
        text_add(&out, STR("}\n"));
        answer_json(r, 200, &out);
    }
    json_decref(root);
}

static void show_bytes(Text *out, const void *bytes, uint64_t size)
{
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char  *text = arena_alloc(out->arena, room);
    sodium_bin2base64(text, room, bytes, size, sodium_base64_VARIANT_ORIGINAL);
    text_printf(out, "\"%s\"", text);
}

static void show_input(Request *r, Text *out, const WireInput *in, const char *tenant)
{
    text_json(out, str_of(in->name));
    if (in->kind == WIRE_NUMBERS) {
        text_add(out, STR(":["));
        for (uint64_t i = 0; i < in->size / 8; i++) {
            double v;
            memcpy(&v, in->data + i * 8, 8);
            text_printf(out, "%s%.17g", i ? "," : "", v);
        }
        text_char(out, ']');
        return;
    }
    BufferRecord b = {.bytes = {in->data, in->size}};
    if (in->kind == WIRE_BUFFER)
        store_buffer_get(jobs_store(r->http->desc.jobs), &r->arena, tenant,
                         arena_printf(&r->arena, "%.*s", (int)in->size, (const char *)in->data),
                         &b);
    text_add(out, STR(":{\"base64\":"));
    show_bytes(out, b.bytes.data, b.bytes.size);
    text_char(out, '}');
}

static void show_lease(Request *r, const Lease *lease, const JobSpec *spec, const char *tenant)
{
    Text     out = {.arena = &r->arena};
    uint64_t failures = store_failures(jobs_store(r->http->desc.jobs));
    text_printf(&out, "{\"job\":\"%s\",\"lease\":\"%s\",\"wgsl\":", lease->id, lease->token);
    text_json(&out, str_of(spec->wgsl));
    text_add(&out, STR(",\"entry\":"));
    text_json(&out, str_of(spec->entry));
    text_printf(&out, ",\"workgroups\":[%u,%u,%u],\"inputs\":{", spec->groups[0],
                spec->groups[1], spec->groups[2]);
    for (uint32_t i = 0; i < spec->input_count; i++) {
        text_add(&out, i ? STR(",") : STR(""));
        show_input(r, &out, &spec->inputs[i], tenant);
    }
    text_add(&out, STR("},\"outputs\":{"));
    for (uint32_t i = 0; i < spec->output_count; i++) {
        text_add(&out, i ? STR(",") : STR(""));
        text_json(&out, str_of(spec->outputs[i].name));
        text_printf(&out, ":{\"dtype\":\"%s\",\"size\":%llu}",
                    wire_scalar_name(spec->outputs[i].scalar),
                    (unsigned long long)spec->outputs[i].size);
    }
    text_add(&out, STR("}}\n"));
    if (!store_is_gone(r, failures))    /* else the lease ends without a heartbeat */
        answer_json(r, 200, &out);
}

void api_lease(Request *r)
{
    if (!r->aside) {                    /* specs may be large */
        request_aside(r, api_lease);
        return;
    }
    json_t *root = body_json(r, r->body, r->body_size);
    Lease   lease;
    if (!root)
        return;
    if (!spec_runner_ok(field(root, "runner"))) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "runner: " SPEC_RUNNER);
    } else if (!jobs_lease(r->http->desc.jobs, field(root, "runner"), r->parts[0], &lease)) {
        answer_text(r, 204, "application/json", "", 0);
    } else {
        JobView  view;
        JobSpec *spec = ARENA_NEW(&r->arena, JobSpec);
        Unpack   u = {.data = lease.spec, .size = lease.spec_size};
        job_view(r->http->desc.jobs, lease.job, &view);
        if (job_spec_unpack(&u, spec))
            show_lease(r, &lease, spec, view.record.tenant);
        else
            answer_error(r, 0, WEFT_ERROR_INTERNAL, "the job is damaged");
        job_release(r->http->desc.jobs, lease.job);
    }
    json_decref(root);
}

static void lease_ended(Request *r)
{
    answer_error(r, 410, WEFT_ERROR_NOT_FOUND, "the lease has ended: the job was cancelled, "
                 "ended, or given to another worker");
}

static void lease_ok(Request *r)
{
    answer_text(r, 200, "application/json", "{\"ok\":true}\n", 12);
}

void api_heartbeat(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    if (!root)
        return;
    json_t *progress = json_object_get(root, "progress");
    if (jobs_heartbeat(r->http->desc.jobs, r->parts[0],
                       progress ? json_number_value(progress) : -1))
        lease_ok(r);
    else
        lease_ended(r);
    json_decref(root);
}

/* {"outputs": {"y": {"base64": …}}} in the order of the job's outputs. */
static bool pack_outputs(Request *r, json_t *outputs, Pack *out)
{
    const char *name;
    json_t     *value;
    json_object_foreach(outputs, name, value) {
        const char *text = field(value, "base64"), *end = NULL;
        size_t      length = strlen(text), size = 0;
        uint8_t    *bytes = arena_alloc(&r->arena, length / 4 * 3 + 4);
        if (sodium_base642bin(bytes, length / 4 * 3 + 4, text, length, NULL, &size, &end,
                              sodium_base64_VARIANT_ORIGINAL) != 0 || *end) {
            answer_error(r, 400, WEFT_ERROR_FORMAT, "outputs.%.100s.base64: not base64", name);
            return false;
        }
        pack_u32(out, wire_scalar_find(field(value, "dtype")));
        pack_bytes(out, bytes, size);
    }
    return !out->failed;
}

void api_lease_result(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    Pack    outputs = {0};
    if (!root)
        return;
    if (pack_outputs(r, json_object_get(root, "outputs"), &outputs)) {
        weft_error_kind kind;
        char            why[256];
        if (jobs_lease_done(r->http->desc.jobs, r->parts[0], outputs.data, outputs.size, &kind,
                            why, sizeof why))
            lease_ok(r);
        else if (kind != WEFT_ERROR_NONE)
            answer_error(r, 0, kind, "%s", why);
        else
            lease_ended(r);
    }
    pack_fini(&outputs);
    json_decref(root);
}

void api_lease_fail(Request *r)
{
    json_t *root = body_json(r, r->body, r->body_size);
    if (!root)
        return;
    const char *message = field(root, "message");
    if (jobs_lease_failed(r->http->desc.jobs, r->parts[0],
                          *message ? message : "the foreign worker failed",
                          json_is_true(json_object_get(root, "retry"))))
        lease_ok(r);
    else
        lease_ended(r);
    json_decref(root);
}
