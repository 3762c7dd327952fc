// SPDX-License-Identifier: Apache-2.0
/*
 * job_events.c - jobs that end become events, and their outputs vectors.
 *
 * in     ended jobs; jobs that clients submit
 * out    job_completed; vectors of jobs with "publish"
 * knows  outputs of jobs
 * not    how jobs run
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/live/live_priv.h"

#define MAX_OUTPUTS (1u << 20)          /* bytes: larger ones are not part of a message   */

/* ---- ends ---- */

void live_job_ended(Live *l, const JobRecord *job, const char *publish)
{
    if (!*publish && atomic_load(&l->job_listeners) == 0 && !l->desc.shared)
        return;
    Task *t = task_new(task_job, job->tenant, job->outputs.size);
    if (!t)
        return;
    t->job = *job;
    snprintf(t->name, sizeof t->name, "%s", publish);
    t->text = strdup(job->message);
    t->job.message = t->text ? t->text : "";
    t->job.tenant = t->tenant;
    t->job.origin = t->job.subject = t->job.trace = t->job.idem = "";
    t->job.spec = (StoreBlob){NULL, 0};
    pack_raw(&t->data, job->outputs.data, job->outputs.size);
    t->job.outputs = (StoreBlob){t->data.data, t->data.size};
    hub_push(l, t, true);
}

static const JobOutput *find_vector(const JobOutput *outputs, uint32_t count, const char *name)
{
    const JobOutput *only = NULL;
    uint32_t         floats = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (outputs[i].scalar != WIRE_F32)
            continue;
        if (strcmp(outputs[i].name, name) == 0)
            return &outputs[i];
        only = &outputs[i];
        floats++;
    }
    return floats == 1 && !*name ? only : NULL;
}

static void put_vector(Text *text, const JobOutput *o)
{
    float *numbers = arena_alloc(text->arena, o->size + 1);
    memcpy(numbers, o->bytes, o->size);
    text_add(text, STR(",\"vector\":"));
    put_numbers(text, numbers, o->size / sizeof(float));
}

/* "result": the job as GET /v1/jobs shows it, with `vector`. */
static void put_result(Live *l, Text *text, const JobRecord *job, const JobOutput *vector)
{
    bool whole = job->outputs.size <= MAX_OUTPUTS;
    text_add(text, STR("\"result\":"));
    l->parts.show_job(text, job, whole);
    text->len--;                        /* its brace: more members follow */
    if (!whole)
        text_add(text, STR(",\"truncated\":true"));
    if (vector && whole)
        put_vector(text, vector);
    text_add(text, STR("},\"timestamp\":"));
    put_time(text, live_now());
}

/* The rows of an output: [n, d], or one row. */
static void publish_output(Live *l, Task *t, const JobOutput *o)
{
    LiveVectors v = {.numbers = o->size / sizeof(float),
                     .dimension = (uint32_t)(o->dims ? o->shape[o->dims - 1] : o->size / 4)};
    float *numbers = malloc(o->size + 1);
    if (!numbers)
        return;
    memcpy(numbers, o->bytes, o->size);
    v.data = numbers;
    Task       *in = task_new(task_ingest, t->tenant, o->size);
    const char *why = in ? task_set_vectors(in, &v) : "out of memory";
    if (why) {
        log_event(l->desc.log, LOG_WARN, "publish", why, "weft.job", t->job.id, NULL);
        task_free(l, in);
    } else {
        task_ingest(l, in);
        task_free(l, in);
    }
    free(numbers);
}

void task_job(Live *l, Task *t)
{
    JobOutput outputs[WIRE_MAX_INPUTS];
    bool      done = t->job.state == JOB_DONE;
    uint32_t  count = done ? result_unpack(t->job.outputs, outputs, WIRE_MAX_INPUTS) : 0;
    const JobOutput *vector = find_vector(outputs, count, *t->name ? t->name : "vector");
    if (!vector && !*t->name)
        vector = find_vector(outputs, count, "");
    Space *s = l->desc.shared ? space_open(l, t->tenant)     /* without loading it */
             : *t->name ? space_get(l, t->tenant) : space_find(l, t->tenant);
    if (!s)
        return;
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    put_result(l, &text, &t->job, vector);
    spread(l, s, &(Spread){.kind = SPREAD_JOB, .text = text.data, .name = t->job.id});
    arena_fini(&arena);
    if (*t->name && vector)
        publish_output(l, t, vector);
}

/* ---- jobs of clients ---- */

void task_submit(Live *l, Task *t)
{
    Space          *s = space_for(l, t);
    char            id[STORE_ID_SIZE] = "", why[512] = "out of memory";
    weft_error_kind kind = WEFT_ERROR_MEMORY;
    if (!s)
        return;
    if (s->awaited_count == COUNTOF(s->awaited)) {
        asker_fail(l, &t->asker, WEFT_ERROR_QUOTA, "too many jobs of clients wait: at most %u",
                   (unsigned)COUNTOF(s->awaited));
        return;
    }
    /* Before it can end: its end is a later task. */
    atomic_fetch_add(&l->job_listeners, 1);
    if (!t->text || !l->parts.submit(l->parts.user, &(LiveSubmit){
            .tenant = t->tenant, .origin = "", .json = t->text, .size = strlen(t->text)}, id,
            &kind, why, sizeof why)) {
        atomic_fetch_sub(&l->job_listeners, 1);
        asker_fail(l, &t->asker, kind, "%s", why);
        return;
    }
    s->awaited[s->awaited_count].client = client_retain(t->asker.client);
    strcpy(s->awaited[s->awaited_count++].job, id);
    Arena arena;
    arena_init(&arena, 0);
    Text text = {.arena = &arena};
    text_printf(&text, "\"id\":\"%s\"", id);
    asker_answer(l, &t->asker, "job_accepted", &text);
    arena_fini(&arena);
}

void job_awaited(Live *l, Space *s, const char *id, const char *text, size_t size)
{
    for (uint32_t i = 0; i < s->awaited_count;) {
        if (strcmp(s->awaited[i].job, id) != 0) {
            i++;
            continue;
        }
        Client *c = s->awaited[i].client;
        s->awaited[i] = s->awaited[--s->awaited_count];
        atomic_fetch_sub(&l->job_listeners, 1);
        if (!(c->hub_mask & 1u << CHANNEL_JOBS))
            send_text(l, s, CHANNEL_JOBS, text, size, c);
        client_release(c);
    }
}
