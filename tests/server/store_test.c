// SPDX-License-Identifier: Apache-2.0
/*
 * store_test.c - the store: what is committed together, what is conditional, upgrades.
 */
#include "support/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/store/store.h"

typedef struct Fixture {
    char     folder[64];
    Metrics *metrics;
    Store   *store;
} Fixture;

static void open_store(Fixture *f)
{
    char why[256] = "";
    f->store = store_open(store_backend("sqlite"), &(StoreDesc){
        .folder = f->folder, .full_sync = true, .metrics = f->metrics}, why, sizeof why);
    if (!f->store)
        fail_msg("%s", why);
}

static int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->metrics = calloc(1, sizeof *f->metrics);
    strcpy(f->folder, "/tmp/weft-store-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    open_store(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    Fixture *f = *state;
    char     command[128];
    store_close(f->store);
    snprintf(command, sizeof command, "rm -r %s", f->folder);
    int status = system(command);
    free(f->metrics);
    free(f);
    return status;
}

static StoreOp put_op(const char *id)
{
    StoreOp op = {.kind = STORE_PUT_JOB, .job = {
        .tenant = "t", .origin = "", .subject = "", .trace = "", .idem = "", .message = "",
        .created = 5, .bytes = 3, .spec = {"abc", 3}}};
    snprintf(op.job.id, sizeof op.job.id, "%s", id);
    return op;
}

static const char id[] = "00000000000000000000000001";

static void test_an_end_is_recorded_once(void **state)
{
    Fixture     *f = *state;
    Arena        arena;
    JobRecord    got;
    BufferRecord buffer = {.name = "b", .size = 4, .bytes = {"wxyz", 4}}, read;
    arena_init(&arena, 0);
    StoreOp op = put_op(id);
    assert_true(store_apply(f->store, &op));
    StoreOp end = put_op(id);
    end.kind = STORE_END_JOB;
    end.job.state = JOB_DONE;
    end.job.outputs = (StoreBlob){"out", 3};
    end.buffers = &buffer;
    end.buffer_count = 1;
    assert_true(store_apply(f->store, &end));
    assert_true(end.applied);
    /* A second end changes nothing, its buffers neither. */
    end.job.state = JOB_FAILED;
    buffer.bytes.data = "zzzz";
    assert_true(store_apply(f->store, &end));
    assert_false(end.applied);
    assert_true(store_job_get(f->store, &arena, id, true, &got));
    assert_int_equal(got.state, JOB_DONE);
    assert_null(got.spec.data);
    assert_memory_equal(got.outputs.data, "out", 3);
    assert_true(store_buffer_get(f->store, &arena, "t", "b", &read));
    assert_memory_equal(read.bytes.data, "wxyz", 4);
    assert_false(store_buffer_get(f->store, &arena, "u", "b", &read));
    arena_fini(&arena);
}

static void test_a_wrong_change_does_not_hurt_others(void **state)
{
    Fixture *f = *state;
    StoreOp  one = put_op(id), same = put_op(id), other = put_op("00000000000000000000000002");
    assert_true(store_apply(f->store, &one));
    assert_false(store_apply(f->store, &same));
    assert_true(store_apply(f->store, &other));
    StoreOp token = {.kind = STORE_USE_TOKEN, .token = "n", .expires = 10};
    assert_true(store_apply(f->store, &token));
    assert_true(token.applied);
    assert_true(store_apply(f->store, &token));
    assert_false(token.applied);
}

static void count_job(void *user, const JobRecord *job)
{
    assert_memory_equal(job->spec.data, "abc", 3);
    ++*(int *)user;
}

static void test_it_is_there_after_opening_again(void **state)
{
    Fixture *f = *state;
    StoreOp  op = put_op(id);
    int      count = 0;
    assert_true(store_apply(f->store, &op));
    store_close(f->store);
    open_store(f);
    assert_true(store_unfinished(f->store, count_job, &count));
    assert_int_equal(count, 1);
    assert_int_equal(store_bytes_of(f->store, "t", STORE_JOB_BYTES), 3);
    assert_int_equal(store_bytes_of(f->store, "t", STORE_BUFFER_BYTES), 0);
}

static void test_sweep(void **state)
{
    Fixture *f = *state;
    StoreOp  op = put_op(id), end = put_op(id);
    Arena    arena;
    JobRecord got;
    arena_init(&arena, 0);
    assert_true(store_apply(f->store, &op));
    StoreOp sweep = {.kind = STORE_SWEEP, .expires = 1000};
    assert_true(store_apply(f->store, &sweep));
    assert_true(store_job_get(f->store, &arena, id, false, &got));     /* it has not ended */
    end.kind = STORE_END_JOB;
    end.job.state = JOB_DONE;
    end.job.finished = 999;
    assert_true(store_apply(f->store, &end));
    assert_true(store_apply(f->store, &sweep));
    assert_false(store_job_get(f->store, &arena, id, false, &got));
    arena_fini(&arena);
}

static void end_many(Fixture *f, uint32_t count, int64_t finished)
{
    for (uint32_t i = 0; i < count; i++) {
        char     name[STORE_ID_SIZE];
        snprintf(name, sizeof name, "%026u", i + (uint32_t)finished * 10000);
        StoreOp op = put_op(name), end = put_op(name);
        end.kind = STORE_END_JOB;
        end.job.state = JOB_DONE;
        end.job.finished = finished;
        end.job.bytes = 7;
        assert_true(store_apply(f->store, &op));
        assert_true(store_apply(f->store, &end));
    }
}

static void test_sweeps_are_bounded_and_say_whose(void **state)
{
    Fixture   *f = *state;
    StoreFreed freed[STORE_SWEEP_MOST] = {0};
    StoreOp    sweep = {.kind = STORE_SWEEP, .expires = 2, .later = 8, .freed = freed};
    end_many(f, STORE_SWEEP_MOST + 3, 1);
    end_many(f, 2, 5);                  /* not due */
    end_many(f, 4, 9);                  /* of before the clock jumped back */
    assert_true(store_apply(f->store, &sweep));
    assert_int_equal(sweep.freed_count, STORE_SWEEP_MOST);
    assert_true(sweep.more);
    assert_string_equal(freed[0].tenant, "t");
    assert_int_equal(freed[STORE_SWEEP_MOST - 1].bytes, 7);
    assert_true(store_apply(f->store, &sweep));
    assert_int_equal(sweep.freed_count, 3 + 4);
    assert_false(sweep.more);
    assert_true(store_apply(f->store, &sweep));
    assert_int_equal(sweep.freed_count, 0);
    assert_false(sweep.applied);
    assert_int_equal(store_bytes_of(f->store, "t", STORE_JOB_BYTES), 2 * 7);
}

static void change_file(const Fixture *f, const char *sql)
{
    char     path[128];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/weft.sqlite", f->folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_an_older_schema_is_upgraded(void **state)
{
    Fixture *f = *state;
    StoreOp  sweep = {.kind = STORE_SWEEP, .expires = 2};
    end_many(f, 1, 1);
    store_close(f->store);
    change_file(f, "DROP INDEX jobs_finished; PRAGMA user_version = 1");
    open_store(f);
    assert_true(store_apply(f->store, &sweep));
    assert_int_equal(sweep.freed_count, 1);
    change_file(f, "DROP INDEX jobs_finished");     /* it was made again */
}

static void test_a_newer_schema_is_refused(void **state)
{
    Fixture *f = *state;
    char     why[256] = "";
    store_close(f->store);
    change_file(f, "PRAGMA user_version = 99");
    f->store = store_open(store_backend("sqlite"), &(StoreDesc){
        .folder = f->folder, .metrics = f->metrics}, why, sizeof why);
    assert_null(f->store);
    assert_non_null(strstr(why, "schema 99"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_end_is_recorded_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_wrong_change_does_not_hurt_others, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_it_is_there_after_opening_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sweep, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sweeps_are_bounded_and_say_whose, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_older_schema_is_upgraded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_newer_schema_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
