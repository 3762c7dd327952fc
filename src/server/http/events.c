// SPDX-License-Identifier: Apache-2.0
/*
 * events.c - the progress of a job as server-sent events.
 *
 * in     changes of a job
 * out    "event: state" with the job as JSON, until it has ended
 * knows  text/event-stream
 */
#include <stdio.h>
#include <string.h>

#include "server/http/http_priv.h"

static ssize_t put_event(Request *r, const JobRecord *j, double progress, char *to, size_t room)
{
    Arena arena;
    arena_init(&arena, 0);
    Text out = {.arena = &arena};
    text_add(&out, STR("event: state\ndata: "));
    show_job(&out, j, progress, false);
    text_add(&out, STR("\n\n"));
    ssize_t n = out.len <= room ? (ssize_t)out.len : (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
    if (n > 0)
        memcpy(to, out.data, out.len);
    arena_fini(&arena);
    r->told_end = job_state_is_final(j->state);
    return n;
}

static ssize_t read_events(void *user, uint64_t at, char *to, size_t room)
{
    Request *r = user;
    JobView  view;
    (void)at;
    if (r->told_end || atomic_load(&r->http->closing))
        return MHD_CONTENT_READER_END_OF_STREAM;
    atomic_store(&r->woken, false);
    job_view(r->http->desc.jobs, r->job, &view);
    if (view.changes + 1 == r->seen) {  /* nothing new */
        request_sleep(r, NULL);
        return 0;
    }
    r->seen = view.changes + 1;
    return put_event(r, &view.record, view.progress, to, room);
}

static void answer_stream(Request *r, struct MHD_Response *response)
{
    if (response)
        MHD_add_response_header(response, "Content-Type", "text/event-stream");
    answer_response(r, 200, response);
}

void api_events(Request *r)
{
    JobRecord j;
    Job      *job = jobs_follow(r->http->desc.jobs, r->who.tenant, r->parts[0]);
    if (job) {
        r->job = job;
        r->waiter = (JobWaiter){.every = true, .wake = request_wake, .user = r};
        job_watch(r->http->desc.jobs, job, &r->waiter);
        r->watching = true;
        answer_stream(r, MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_events,
                                                           r, NULL));
        return;
    }
    if (!stored_job(r, r->parts[0], false, &j))
        return;
    char    event[4096];
    ssize_t n = put_event(r, &j, 0, event, sizeof event);
    answer_stream(r, MHD_create_response_from_buffer(n > 0 ? (size_t)n : 0, event,
                                                     MHD_RESPMEM_MUST_COPY));
}
