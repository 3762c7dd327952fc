// SPDX-License-Identifier: Apache-2.0
/*
 * api_jobs.c - POST /v1/jobs, and what can be asked of a job afterwards.
 *
 * in     requests
 * out    answers, now or when the job has changed
 * knows  jobs/
 * not    workers
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http_priv.h"

#define MAX_LIST 1000u

/* ---- showing ---- */

static int status_of(const JobRecord *j, bool waits)
{
    if (j->state == JOB_FAILED)
        return waits ? error_kind_status((weft_error_kind)j->error) : 200;
    return job_state_is_final(j->state) || !waits ? 200 : 202;
}

static void answer_job(Request *r, int status, const JobRecord *j, double progress,
                       bool with_outputs)
{
    if (with_outputs && j->state == JOB_DONE && j->outputs.size > HTTP_LARGE) {
        if (r->job && !request_hold(r, j->outputs.size))
            return;                     /* it stays in the store */
        answer_pieces(r, status, j);
        return;
    }
    Text out = {.arena = &r->arena};
    show_job(&out, j, progress, with_outputs);
    text_char(&out, '\n');
    answer_json(r, status, &out);
}

bool store_is_gone(Request *r, uint64_t failures)
{
    bool gone = store_failures(jobs_store(r->http->desc.jobs)) != failures;
    if (gone)
        answer_error(r, 503, WEFT_ERROR_IO, "the store cannot be reached");
    return gone;
}

bool stored_job(Request *r, const char *id, bool with_blobs, JobRecord *out)
{
    uint64_t failures = store_failures(jobs_store(r->http->desc.jobs));
    if (strlen(id) == STORE_ID_SIZE - 1
        && store_job_get(jobs_store(r->http->desc.jobs), &r->arena, id, with_blobs, out)
        && strcmp(out->tenant, r->who.tenant) == 0)
        return true;
    if (!store_is_gone(r, failures))
        answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "there is no job '%.40s'", r->parts[0]);
    return false;
}

/* Shows the stored job r->shown with its outputs. Large ones are read on another thread. */
static void show_stored(Request *r)
{
    JobRecord j;
    bool      waited = r->route->handle == api_submit;
    if (!stored_job(r, r->shown, false, &j))
        return;
    if (j.bytes > HTTP_LARGE && !r->aside)
        request_aside(r, show_stored);
    else if (request_hold(r, j.bytes) && stored_job(r, r->shown, true, &j))
        answer_job(r, status_of(&j, waited), &j, 0, true);
}

static void answer_stored(Request *r, const char *id)
{
    r->shown = arena_printf(&r->arena, "%s", id);
    show_stored(r);
}

/* ---- submitting ---- */

static void wait_job(Request *r);

/* The job with the same idempotency key, which another server accepted. */
static void wait_moved(Request *r, const char *id)
{
    Jobs     *jobs = r->http->desc.jobs;
    char      other[STORE_ID_SIZE];
    snprintf(other, sizeof other, "%s", id);
    job_unwatch(jobs, r->job, &r->waiter);
    job_release(jobs, r->job);
    r->job = jobs_follow(jobs, r->who.tenant, other);
    r->watching = r->job != NULL;
    if (r->job) {
        r->waiter.every = r->raw;
        job_watch(jobs, r->job, &r->waiter);
        wait_job(r);
    } else {
        answer_stored(r, other);
    }
}

static void wait_job(Request *r)
{
    JobView view;
    atomic_store(&r->woken, false);
    job_view(r->http->desc.jobs, r->job, &view);
    if (view.refused && *view.moved)
        wait_moved(r, view.moved);
    else if (view.refused)
        answer_error(r, view.record.error == WEFT_ERROR_IO ? 507 : 0,
                     (weft_error_kind)view.record.error, "%s", view.record.message);
    else if (!r->waiter.every && view.accepted && !r->raw)
        answer_job(r, 202, &view.record, 0, false); /* even if it has ended since */
    else if (job_state_is_final(view.record.state))
        answer_job(r, status_of(&view.record, true), &view.record, 0, true);
    else
        request_sleep(r, wait_job);
}

static const char *text_field(json_t *root, const char *name)
{
    const char *text = json_string_value(json_object_get(root, name));
    return text ? text : "";
}

/* The whole request, for the idempotency key. */
static void hash_request(const Request *r, uint8_t out[32])
{
    crypto_generichash(out, 32, r->body ? r->body : (const uint8_t *)"", r->body_size, NULL, 0);
}

static bool read_priority(Request *r, json_t *root, int *out)
{
    json_t *value = json_object_get(root, "priority");
    *out = (int)json_integer_value(value);
    if (!value || (json_is_integer(value) && json_integer_value(value) >= -100
                   && json_integer_value(value) <= 100))
        return true;
    answer_error(r, 400, WEFT_ERROR_INVALID, "priority: a whole number from -100 to 100");
    return false;
}

static void submit(Request *r, json_t *root, const JobSpec *spec)
{
    Pack            packed = {0};
    weft_error_kind kind = WEFT_ERROR_INTERNAL;
    char            why[512] = "";
    bool            existed = false;
    JobSubmit s = {.tenant = r->who.tenant, .origin = r->origin, .subject = r->who.subject,
                   .trace = r->trace, .idem = text_field(root, "idempotency_key"),
                   .spec = &packed, .parsed = spec, .waiter = &r->waiter};
    const char *key = request_header(r, "Idempotency-Key");
    if (key)
        s.idem = key;
    if (strlen(s.idem) > 255) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "an idempotency key has at most 255 bytes");
        return;
    }
    if (!read_priority(r, root, &s.priority))
        return;
    hash_request(r, s.request_hash);
    job_spec_pack(&packed, spec);
    request_drop_body(r);
    s.waits = json_is_true(json_object_get(root, "wait"));
    r->raw = s.waits;
    r->waiter = (JobWaiter){.wake = request_wake, .user = r};
    atomic_store(&r->woken, false);
    if (packed.failed)
        answer_error(r, 0, WEFT_ERROR_MEMORY, "out of memory");
    else
        r->job = jobs_submit(r->http->desc.jobs, &s, &existed, &kind, why, sizeof why);
    r->watching = r->job != NULL;
    pack_fini(&packed);
    if (r->stage == STAGE_ANSWERED)
        return;
    if (r->job) {
        wait_job(r);
    } else if (existed) {
        answer_stored(r, why);
    } else {
        metrics_add(r->http->desc.metrics, METRIC_REJECTED, kind == WEFT_ERROR_QUOTA ? 1 : 3, 1);
        guard_audit(r, "submit", false, "", why);
        answer_error(r, 0, kind, "%s", why);
    }
}

/* The JSON of a request: the body itself, or the part "job" of a multipart body. */
static json_t *read_body(Request *r, BodyPart *parts, uint32_t *count)
{
    const char *type = request_header(r, "Content-Type"), *why;
    *count = 0;
    if (!type || strncasecmp(type, "multipart/form-data", 19) != 0) {
        if (type && strncasecmp(type, "application/json", 16) != 0
            && strncasecmp(type, "application/x-www-form-urlencoded", 33) != 0) {
            answer_error(r, 415, WEFT_ERROR_UNSUPPORTED, "Content-Type '%.60s'; send "
                         "application/json or multipart/form-data", type);
            return NULL;
        }
        return body_json(r, r->body, r->body_size);
    }
    int n = multipart_split(&r->arena, type, r->body ? r->body : (const uint8_t *)"",
                            r->body_size, parts, WIRE_MAX_INPUTS + 1, &why);
    if (n < 0) {
        answer_error(r, 400, WEFT_ERROR_FORMAT, "multipart: %s", why);
        return NULL;
    }
    *count = (uint32_t)n;
    for (int i = 0; i < n; i++)
        if (strcmp(parts[i].name, "job") == 0)
            return body_json(r, parts[i].data, parts[i].size);
    answer_error(r, 400, WEFT_ERROR_FORMAT, "multipart: the part 'job' with the JSON is missing");
    return NULL;
}

void api_submit(Request *r)
{
    BodyPart *parts = ARENA_ARRAY(&r->arena, BodyPart, WIRE_MAX_INPUTS + 1);
    uint32_t  count;
    json_t   *root = read_body(r, parts, &count);
    JobSpec  *spec = ARENA_NEW(&r->arena, JobSpec);
    Arena     data;                     /* of inputs: a request may wait for long */
    if (!root)
        return;
    const char *clearance = text_field(root, "clearance");
    if (*clearance && !r->aside) {      /* its use waits for the disk */
        json_decref(root);
        request_aside(r, api_submit);
        return;
    }
    arena_init(&data, 0);
    if (spec_read(r, &data, root, parts, count, spec)
        && (!*clearance || clearance_use(r, clearance, spec))) {
        guard_audit(r, "validate", true, *spec->runner ? spec->runner : "wgsl",
                    *clearance ? "clearance" : "");
        submit(r, root, spec);
    }
    arena_fini(&data);
    json_decref(root);
}

/* ---- checking ---- */

static void wait_check(Request *r)
{
    JobView view;
    atomic_store(&r->woken, false);
    job_view(r->http->desc.jobs, r->job, &view);
    if (!job_state_is_final(view.record.state)) {
        request_sleep(r, wait_check);
        return;
    }
    JobSpec *spec = ARENA_NEW(&r->arena, JobSpec);
    Unpack   u = {.data = view.record.spec.data, .size = view.record.spec.size};
    json_t  *report = view.report ? json_loads(view.report, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (view.record.state != JOB_DONE || !json_is_object(report) || !job_spec_unpack(&u, spec))
        answer_error(r, 0, (weft_error_kind)(view.record.error ? view.record.error
                                             : (int)WEFT_ERROR_INTERNAL), "%s",
                     *view.record.message ? view.record.message : "the report is damaged");
    else
        clearance_answer(r, spec, report);
    json_decref(report);
}

void api_check(Request *r)
{
    json_t         *root = body_json(r, r->body, r->body_size);
    JobSpec        *spec = ARENA_NEW(&r->arena, JobSpec);
    Pack            packed = {0};
    weft_error_kind kind;
    char            why[512] = "";
    if (!root)
        return;
    if (spec_read(r, &r->arena, root, NULL, 0, spec)) {
        job_spec_pack(&packed, spec);
        r->waiter = (JobWaiter){.every = true, .wake = request_wake, .user = r};
        atomic_store(&r->woken, false);
        r->job = jobs_check(r->http->desc.jobs, &(JobSubmit){
            .tenant = r->who.tenant, .origin = r->origin, .subject = r->who.subject,
            .trace = r->trace, .idem = "", .priority = 100, .waits = true, .spec = &packed,
            .parsed = spec, .waiter = &r->waiter}, &kind, why, sizeof why);
        r->watching = r->job != NULL;
        if (r->job)
            wait_check(r);
        else
            answer_error(r, 0, kind, "%s", why);
    }
    pack_fini(&packed);
    json_decref(root);
}

/* ---- asking ---- */

void api_job(Request *r)
{
    JobView view;
    r->job = jobs_find(r->http->desc.jobs, r->who.tenant, r->parts[0]);
    if (r->job) {
        job_view(r->http->desc.jobs, r->job, &view);
        answer_job(r, 200, &view.record, view.progress, true);
    } else {
        answer_stored(r, r->parts[0]);
    }
}

void api_cancel(Request *r)
{
    JobRecord j;
    Job      *job = jobs_follow(r->http->desc.jobs, r->who.tenant, r->parts[0]);
    bool      done = job && jobs_cancel(r->http->desc.jobs, job);
    if (done) {
        guard_audit(r, "cancel", true, r->parts[0], "");
        r->job = job;
        r->raw = true;
        r->waiter = (JobWaiter){.every = true, .wake = request_wake, .user = r};
        atomic_store(&r->woken, false);
        job_watch(r->http->desc.jobs, job, &r->waiter);
        r->watching = true;
        wait_job(r);
        return;
    }
    if (job)
        job_release(r->http->desc.jobs, job);
    if (stored_job(r, r->parts[0], false, &j))
        answer_error(r, 409, WEFT_ERROR_EXISTS, "the job has ended already: %s",
                     job_state_name(j.state));
}

static bool read_states(Request *r, uint32_t *states)
{
    const char *text = request_query(r, "state");
    JobState    state;
    *states = (1u << JOB_STATE_COUNT) - 1;
    if (!text)
        return true;
    if (!job_state_find(text, &state)) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "state: queued, running, done, failed or "
                     "cancelled");
        return false;
    }
    *states = 1u << state;
    return true;
}

void api_list(Request *r)
{
    const char *limit_text = request_query(r, "limit"), *after = request_query(r, "after");
    uint64_t    limit = 50;
    uint32_t    states, shown = 0;
    if (limit_text && (!units_count(limit_text, &limit) || limit < 1 || limit > MAX_LIST)) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "limit: a number from 1 to %u", MAX_LIST);
        return;
    }
    if (!read_states(r, &states))
        return;
    if (after && *after && !jobs_id_ok(after)) {
        answer_error(r, 400, WEFT_ERROR_INVALID, "after: the id of a job, as \"next\" gives it");
        return;
    }
    /* What the store has as queued may run by now. */
    uint32_t   wanted = states & 3 ? states | 3 : states;
    uint64_t   failures = store_failures(jobs_store(r->http->desc.jobs));
    JobRecord *records = ARENA_ARRAY(&r->arena, JobRecord, limit + 1);
    uint32_t   found = store_job_list(jobs_store(r->http->desc.jobs), &r->arena, r->who.tenant,
                                      wanted, after ? after : "", records, (uint32_t)limit + 1);
    uint32_t   count = MIN_OF(found, (uint32_t)limit);     /* one more tells of a next page */
    if (store_is_gone(r, failures))
        return;
    jobs_overlay(r->http->desc.jobs, records, count);
    Text out = {.arena = &r->arena};
    text_add(&out, STR("{\"jobs\":["));
    for (uint32_t i = 0; i < count; i++) {
        if (!(states & 1u << records[i].state))
            continue;
        text_add(&out, shown++ ? STR(",") : STR(""));
        show_job(&out, &records[i], 0, false);
    }
    text_char(&out, ']');
    if (found > count)
        text_printf(&out, ",\"next\":\"%s\"", records[count - 1].id);
    text_add(&out, STR("}\n"));
    answer_json(r, 200, &out);
}

/* One output as bytes. */
void api_result(Request *r)
{
    JobRecord j;
    JobOutput outputs[WIRE_MAX_INPUTS];
    if (!stored_job(r, r->parts[0], false, &j))
        return;
    if (j.state != JOB_DONE) {
        answer_error(r, 409, WEFT_ERROR_NOT_FOUND, "the job is %s", job_state_name(j.state));
        return;
    }
    if (j.bytes > HTTP_LARGE && !r->aside) {
        request_aside(r, api_result);
        return;
    }
    if (!request_hold(r, j.bytes) || !stored_job(r, r->parts[0], true, &j))
        return;
    uint32_t count = result_unpack(j.outputs, outputs, WIRE_MAX_INPUTS);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(outputs[i].name, r->parts[1]) == 0) {
            answer_bytes(r, outputs[i].bytes, outputs[i].size);
            return;
        }
    answer_error(r, 404, WEFT_ERROR_NOT_FOUND, "the job has no output '%.100s'", r->parts[1]);
}
