/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contexts.c - thousands of contexts: memory of each, latency with a thousand of them active;
 * a context beside one that floods the device.
 */
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_bench.h"

/* ---- memory ---- */

static double bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static const char text[] =
    "@group(0) @binding(0) var<storage, read> x : array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<u32>;\n"
    "@group(0) @binding(2) var<uniform> rounds : u32;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    var a = x[id.x];\n"
    "    for (var i = 0u; i < rounds; i++) { a = (a ^ i) * 1664525u + (a >> 3u); }\n"
    "    y[id.x] = a;\n"
    "}\n";

#define N 256u

typedef struct Job {
    weft_execute_input  in[2];
    weft_execute_output out;
    weft_execute_desc   desc;
    uint32_t            x[N], y[N], rounds;
} Job;

static void job_init(Job *j, uint32_t rounds)
{
    memset(j, 0, sizeof *j);
    j->rounds = rounds;
    j->in[0] = (weft_execute_input){.name = "x", .size = sizeof j->x, .data = j->x};
    j->in[1] = (weft_execute_input){.name = "rounds", .data = &j->rounds};
    j->out = (weft_execute_output){.name = "y", .size = sizeof j->y, .data = j->y};
    j->desc = (weft_execute_desc){.wgsl = text, .inputs = j->in, .input_count = 2,
                                  .outputs = &j->out, .output_count = 1};
}

/* ---- latency ---- */

/* Executions come at fixed times, whether earlier ones have ended or not. */
typedef struct Load {
    weft_pool_context **contexts;
    uint32_t            count, total;
    double              gap;            /* seconds                                          */
    double             *latency;        /* [total] seconds                                  */
    double             *due;            /* [total]                                          */
    sem_t               ended;
    Job                *jobs;           /* [total]                                          */
} Load;

typedef struct Ticket {
    Load    *load;
    uint32_t number;
} Ticket;

static void on_end(void *user, weft_execution *e, const weft_execute_report *r)
{
    Ticket *t = user;
    (void)e;
    need(!r->error.kind, r);
    t->load->latency[t->number] = now() - t->load->due[t->number];
    sem_post(&t->load->ended);
}

static double run_load(Load *l)
{
    Ticket *tickets = calloc(l->total, sizeof *tickets);
    double  start = now() + 0.001;
    sem_init(&l->ended, 0, 0);
    for (uint32_t i = 0; i < l->total; i++) {
        l->due[i] = start + i * l->gap;
        tickets[i] = (Ticket){l, i};
        l->jobs[i].desc.callback = on_end;
        l->jobs[i].desc.user = &tickets[i];
        double wait = l->due[i] - now();
        if (wait > 0)
            rest(wait);                 /* what is late here is late for both */
        weft_execution_release(weft_execute_async(l->contexts[i % l->count], &l->jobs[i].desc));
    }
    for (uint32_t i = 0; i < l->total; i++)
        sem_wait(&l->ended);
    sem_destroy(&l->ended);
    free(tickets);
    return percentile(l->latency, l->total, 0.99);
}

void bench_contexts(const Options *o)
{
    uint32_t open = o->small ? 100 : 10000, active = o->small ? 20 : 1000;
    uint32_t total = o->small ? 100 : 5000;
    weft_pool          *pool = cpu_pool();
    weft_pool_context **list = calloc(open + 1, sizeof *list);
    weft_execute_report r;
    Load l = {.contexts = list, .total = total, .gap = 200e-6};
    l.latency = calloc(total, sizeof *l.latency);
    l.due = calloc(total, sizeof *l.due);
    l.jobs = calloc(total, sizeof *l.jobs);
    for (uint32_t i = 0; i < total; i++)
        job_init(&l.jobs[i], 100);
    list[open] = weft_pool_context_create(pool, NULL);
    need(weft_execute(list[open], &l.jobs[0].desc, &r), &r);
    double before = bytes_in_use();
    for (uint32_t i = 0; i < open; i++)
        list[i] = weft_pool_context_create(pool, NULL);
    double opened = bytes_in_use();
    for (uint32_t i = 0; i < open; i++)     /* each has run something */
        need(weft_execute(list[i], &l.jobs[i % total].desc, &r), &r);
    double used = bytes_in_use();
    printf("  %u contexts: %.2f KB each when opened, %.2f KB after use\n", open,
           (opened - before) / open / 1024, (used - before) / open / 1024);
    row("memory of a context", (used > opened ? used - before : opened - before) / open / 1024,
        "KB", 64, 16, true);
    l.count = 1;
    run_load(&l);
    double one = run_load(&l);
    l.count = active;
    run_load(&l);
    double many = run_load(&l);
    printf("  p99 latency at one execution each %.0f us: one context %.3f ms, %u contexts %.3f "
           "ms\n", l.gap * 1e6, one * 1e3, active, many * 1e3);
    row("added latency p99, 1,000 contexts active", (many - one) * 1e3, "ms", 5, 1, true);
    for (uint32_t i = 0; i <= open; i++)
        weft_pool_context_release(list[i]);
    free(list);
    free(l.latency);
    free(l.due);
    free(l.jobs);
    weft_pool_release(pool);
}

/* ---- fairness ---- */

typedef struct Flood {
    weft_pool_context *ctx;
    Job               *job;
    atomic_bool        ends;
    atomic_uint        waiting, done;
} Flood;

static void on_flood(void *user, weft_execution *e, const weft_execute_report *r)
{
    Flood *f = user;
    (void)e;
    (void)r;
    atomic_fetch_sub(&f->waiting, 1);
    atomic_fetch_add(&f->done, 1);
}

/* Keeps fifty executions waiting. */
static void *flood_main(void *argument)
{
    Flood *f = argument;
    f->job->desc.callback = on_flood;
    f->job->desc.user = f;
    while (!atomic_load(&f->ends)) {
        while (atomic_load(&f->waiting) < 50) {
            atomic_fetch_add(&f->waiting, 1);
            weft_execution_release(weft_execute_async(f->ctx, &f->job->desc));
        }
        rest(200e-6);
    }
    return NULL;
}

void bench_fairness(const Options *o)
{
    enum { MOST = 400 };
    static Job flooding, own;
    double     waits[MOST], kernel = 0;
    uint32_t   turns = o->small ? 10 : MOST, rounds = o->small ? 1000 : 300000;
    weft_pool         *pool = cpu_pool();
    weft_pool_context *other = weft_pool_context_create(pool, NULL);
    weft_execute_report r;
    pthread_t  thread;
    Flood      f = {.ctx = weft_pool_context_create(pool, NULL), .job = &flooding};
    job_init(&flooding, rounds);
    job_init(&own, rounds);
    for (uint32_t i = 0; i < 20; i++) {
        need(weft_execute(other, &own.desc, &r), &r);
        waits[i] = (double)r.run_ns;
    }
    kernel = percentile(waits, 20, 0.5);
    pthread_create(&thread, NULL, flood_main, &f);
    while (!atomic_load(&f.waiting))
        rest(1e-3);
    uint32_t between = 0;               /* most executions of the flood that came before one */
    for (uint32_t i = 0; i < turns; i++) {
        uint32_t before = atomic_load(&f.done);
        need(weft_execute(other, &own.desc, &r), &r);
        waits[i] = (double)r.queue_ns;
        uint32_t came = atomic_load(&f.done) - before;
        between = came > between ? came : between;
    }
    atomic_store(&f.ends, true);
    pthread_join(thread, NULL);
    double p99 = percentile(waits, turns, 0.99);
    printf("  at most %u of the flood came before an execution of the other\n", between);
    printf("  kernel %.3f ms; wait p50 %.3f, p90 %.3f, p99 %.3f ms\n", kernel * 1e-6,
           percentile(waits, turns, 0.5) * 1e-6, percentile(waits, turns, 0.9) * 1e-6,
           p99 * 1e-6);
    row("wait p99 beside a flood, kernel times", p99 / kernel, "", 2, 2, true);
    weft_pool_context_release(f.ctx);
    while (atomic_load(&f.waiting))
        rest(1e-3);
    weft_pool_context_release(other);
    weft_pool_release(pool);
}
