// SPDX-License-Identifier: Apache-2.0
/*
 * parts_test.c - messages, queue, state machines, ids and metrics of the server.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "server/auth/auth.h"
#include "server/jobs/jobs.h"
#include "server/metrics/metrics.h"
#include "server/metrics/state.h"
#include "server/queue/queue.h"
#include "server/worker/wire.h"

/* ---- messages ---- */

static void make_spec(JobSpec *s)
{
    static const double numbers[2] = {1, 2};
    *s = (JobSpec){.wgsl = "fn f() {}", .entry = "f", .runner = "", .groups = {1, 2, 3},
                   .memory_limit = 7, .input_count = 1, .output_count = 1,
                   .constant_count = 1};
    s->inputs[0] = (WireInput){"x", WIRE_NUMBERS, (const uint8_t *)numbers, sizeof numbers};
    s->outputs[0] = (WireOutput){.name = "y", .scalar = WIRE_F32, .size = 8, .dims = 1,
                                 .shape = {2}, .buffer = "b"};
    s->constants[0] = (WireConstant){"c", 0.5};
}

static void test_spec_round_trip(void **state)
{
    (void)state;
    JobSpec *in = calloc(1, sizeof *in), *out = calloc(1, sizeof *out);
    Pack     p = {0};
    make_spec(in);
    job_spec_pack(&p, in);
    assert_int_equal(p.size % 8, 0);
    Unpack u = {.data = p.data, .size = p.size};
    assert_true(job_spec_unpack(&u, out));
    assert_int_equal(u.at, p.size);
    assert_string_equal(out->wgsl, in->wgsl);
    assert_string_equal(out->outputs[0].buffer, "b");
    assert_int_equal(out->outputs[0].shape[0], 2);
    assert_memory_equal(out->inputs[0].data, in->inputs[0].data, 16);
    assert_true(out->constants[0].value == 0.5);
    /* Cut anywhere, it is refused. */
    for (size_t size = 0; size < p.size; size++) {
        Unpack cut = {.data = p.data, .size = size};
        assert_false(job_spec_unpack(&cut, out));
    }
    pack_fini(&p);
    free(in);
    free(out);
}

/* Stored jobs outlive the version of Weft that accepted them. */
static void test_spec_formats(void **state)
{
    (void)state;
    JobSpec *in = calloc(1, sizeof *in), *out = calloc(1, sizeof *out);
    Pack     p = {0};
    make_spec(in);
    in->profile = "1234567";            /* what format 3 has in front is 16 bytes, then */
    job_spec_pack(&p, in);
    assert_int_equal(job_spec_format(p.data, p.size), WIRE_SPEC_FORMAT);
    Unpack u = {.data = p.data, .size = p.size};
    assert_true(job_spec_unpack(&u, out));
    assert_string_equal(out->profile, "1234567");
    Unpack old = {.data = p.data + 16, .size = p.size - 16};
    assert_int_equal(job_spec_format(old.data, old.size), 2);
    assert_true(job_spec_unpack(&old, out));
    assert_string_equal(out->profile, "");
    assert_string_equal(out->wgsl, in->wgsl);
    assert_memory_equal(out->inputs[0].data, in->inputs[0].data, 16);
    p.data[0]++;                        /* one format further */
    assert_int_equal(job_spec_format(p.data, p.size), WIRE_SPEC_FORMAT + 1);
    Unpack newer = {.data = p.data, .size = p.size};
    assert_false(job_spec_unpack(&newer, out));
    assert_int_equal(job_spec_format("", 0), 2);
    pack_fini(&p);
    free(in);
    free(out);
}

/* ---- queue ---- */

static bool not_b(void *user, const char *tenant)
{
    (void)user;
    return strcmp(tenant, "b") != 0;
}

static void test_queue_is_fair(void **state)
{
    (void)state;
    const QueueBackend *q = queue_backend("embedded");
    Queue              *queue = q->open();
    int jobs[6] = {0};
    const QueueItem items[] = {
        {"a", "", 0, &jobs[0]}, {"a", "", 0, &jobs[1]}, {"a", "", 5, &jobs[2]},
        {"b", "", 0, &jobs[3]}, {"c", "cuda", 0, &jobs[4]}, {"b", "", 0, &jobs[5]},
    };
    for (size_t i = 0; i < COUNTOF(items); i++)
        assert_true(q->push(queue, &items[i]));
    assert_int_equal(q->depth(queue), 6);
    /* Tenants take turns; within one, the higher priority comes first. */
    assert_ptr_equal(q->take(queue, "", NULL, NULL), &jobs[2]);
    assert_ptr_equal(q->take(queue, "", NULL, NULL), &jobs[3]);
    assert_ptr_equal(q->take(queue, "", NULL, NULL), &jobs[0]);
    assert_ptr_equal(q->take(queue, "", not_b, NULL), &jobs[1]);
    assert_null(q->take(queue, "", not_b, NULL));
    assert_ptr_equal(q->take(queue, "cuda", NULL, NULL), &jobs[4]);
    assert_true(q->remove(queue, &jobs[5], "b", ""));
    assert_false(q->remove(queue, &jobs[5], "b", ""));
    assert_int_equal(q->depth(queue), 0);
    q->close(queue);
    assert_null(queue_backend("nothing"));
}

/* ---- states ---- */

static void test_states(void **state)
{
    (void)state;
    assert_int_equal(state_next(SERVER_IDLE, EVENT_WORK), SERVER_PROCESSING);
    assert_int_equal(state_next(DEVICE_LOST, EVENT_SPAWN), DEVICE_RECOVERING);
    assert_false(state_accepts(SERVER_STOPPED, EVENT_WORK));
    for (uint32_t s = 0; s < STATE_COUNT; s++)
        assert_non_null(state_name((State)s));
    /* No event leads from one machine into the other. */
    for (uint32_t s = 0; s < STATE_COUNT; s++)
        for (uint32_t e = 0; e < EVENT_COUNT; e++)
            if (state_accepts((State)s, (StateEvent)e))
                assert_int_equal(state_next((State)s, (StateEvent)e) >= DEVICE_ABSENT,
                                 s >= DEVICE_ABSENT);
}

/* ---- hosts and origins ---- */

static void test_hosts(void **state)
{
    (void)state;
    Config c;
    char   why[256];
    static const struct { const char *host, *address; bool ok; } cases[] = {
        {"127.0.0.1:80", "127.0.0.1", true}, {"localhost:80", "127.0.0.1", true},
        {"localhost", "127.0.0.1", true}, {"localhost:81", "127.0.0.1", false},
        {"10.0.0.5:80", "127.0.0.1", false}, {"evil.example", "127.0.0.1", false},
        {"10.0.0.5:80", "0.0.0.0", true}, {"[fd00::1]:80", "::", true},
        {"evil.example:80", "0.0.0.0", false}, {"[::1", "0.0.0.0", false},
        {"", "0.0.0.0", false}, {"a:b:c", "0.0.0.0", false},
    };
    config_init(&c);
    for (size_t i = 0; i < COUNTOF(cases); i++)
        assert_int_equal(auth_host_ok(&c, cases[i].host, cases[i].address, 80), cases[i].ok);
    assert_true(config_set(&c, "server.hosts", "api.example", why, sizeof why));
    assert_true(config_set(&c, "auth.origins", "https://app.example", why, sizeof why));
    assert_true(auth_host_ok(&c, "api.example", "127.0.0.1", 80));
    assert_true(auth_origin_ok(&c, "https://app.example", "x"));
    assert_true(auth_origin_ok(&c, "https://x:80", "x:80"));
    assert_false(auth_origin_ok(&c, "https://app.example.evil", "x"));
    assert_false(auth_origin_ok(&c, "null", "null"));
    config_fini(&c);
}

/* ---- ids ---- */

/* Pages of a listing go on after an id, so ids must sort as they were made. */
static void test_ids_ascend(void **state)
{
    (void)state;
    char last[STORE_ID_SIZE], id[STORE_ID_SIZE];
    jobs_new_id(last);
    for (int i = 0; i < 10000; i++) {
        jobs_new_id(id);
        assert_true(jobs_id_ok(id));
        assert_true(strcmp(last, id) < 0);
        memcpy(last, id, sizeof last);
    }
}

/* ---- metrics ---- */

static void test_metrics(void **state)
{
    (void)state;
    Metrics *m = calloc(1, sizeof *m);
    Arena    arena;
    arena_init(&arena, 0);
    Text out = {.arena = &arena};
    metrics_add(m, METRIC_FINISHED, 1, 3);
    for (uint64_t i = 1; i <= 100; i++)
        metrics_time(m, METRIC_RUN_TIME, i * 1000000);
    assert_in_range(metrics_quantile(m, METRIC_RUN_TIME, 0.5), 50000000, 102400000);
    metrics_print(m, &out);
    assert_non_null(strstr(out.data, "weft_jobs_finished_total{outcome=\"failed\"} 3\n"));
    assert_non_null(strstr(out.data, "weft_job_run_seconds_count 100\n"));
    assert_non_null(strstr(out.data, "weft_job_run_seconds_bucket{le=\"+Inf\"} 100\n"));
    arena_fini(&arena);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spec_round_trip),
        cmocka_unit_test(test_spec_formats), cmocka_unit_test(test_queue_is_fair),
        cmocka_unit_test(test_states), cmocka_unit_test(test_metrics),
        cmocka_unit_test(test_hosts), cmocka_unit_test(test_ids_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
