/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune_test.c - the tuner: picks what is faster, remembers it, survives a damaged file.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

static const uint32_t sizes[][3] = {{1, 1, 1}, {64, 1, 1}, {4096, 1, 1}, {8, 8, 1}};

typedef struct Job {
    weft_buffer *buffer;
    uint32_t     runs;
} Job;

/* A kernel that cannot have workgroups of 4,096. With those of one it takes longer than anything
 * that a busy machine does to the others. */
static bool run(void *user, weft_context *ctx, const uint32_t size[3])
{
    Job *job = user;
    char text[600];
    job->runs++;
    if (size[0] == 1)
        nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    snprintf(text, sizeof text,
             "@group(0) @binding(0) var<storage, read_write> x : array<u32>;\n"
             "@compute @workgroup_size(%u, %u, %u)\n"
             "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
             "    var sum = id.x;\n"
             "    for (var i = 0u; i < 10u; i++) { sum = sum * 1664525u + x[i %% 4u]; }\n"
             "    x[4u + id.x %% 4u] = sum;\n}\n", size[0], size[1], size[2]);
    weft_pipeline *p = weft_pipeline_create(ctx, &(weft_pipeline_desc){.wgsl = text});
    bool ok = weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = p, .bindings = &(weft_binding){.buffer = job->buffer}, .binding_count = 1});
    weft_pipeline_release(p);
    return ok;
}

static weft_tune_desc desc_of(Job *job)
{
    return (weft_tune_desc){.kernel = "test\tkernel", .candidates = sizes, .candidate_count = 4,
                            .run = run, .user = job, .time_limit = 2000000000};
}

static int use_own_folder(void **state)
{
    static char folder[] = "/tmp/weft-tune-XXXXXX";
    *state = mkdtemp(folder);
    assert_non_null(*state);
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static int remove_folder(void **state)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return system(command) == 0 ? 0 : -1;
}

static void write_file(const char *folder, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/weft/tune.tsv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_the_faster_size_wins_and_is_remembered(void **state)
{
    weft_context  *ctx = fixture_context(NULL);
    Job            job = {.buffer = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 64})};
    weft_tune_desc d = desc_of(&job);
    uint32_t       out[3], runs;
    assert_true(weft_context_tune(out, ctx, &d));
    assert_true(out[0] == 64 || out[0] == 8);
    runs = job.runs;
    assert_true(runs >= 7);
    assert_true(weft_context_tune(out, ctx, &d));
    assert_int_equal(job.runs, runs);
    d.again = true;
    assert_true(weft_context_tune(out, ctx, &d));
    assert_true(job.runs > runs);

    /* Nothing is measured: the remembered one, or the first. */
    runs = job.runs;
    d.again = false;
    d.time_limit = WEFT_OFF;
    assert_true(weft_context_tune(out, ctx, &d));
    assert_true(out[0] != 1);
    d.kernel = "another";
    assert_true(weft_context_tune(out, ctx, &d));
    assert_int_equal(out[0], 1);
    assert_int_equal(job.runs, runs);

    /* A damaged file, and one with a size that is no candidate. */
    write_file(*state, "\t\t\n\nnonsense\n\xff\xff\tx\t1 2");
    assert_true(weft_context_tune(out, ctx, &d));
    assert_int_equal(out[0], 1);
    d.time_limit = 1;
    assert_true(weft_context_tune(out, ctx, &d));
    assert_true(out[0] != 1);
    weft_buffer_release(job.buffer);
    fixture_release(ctx);
}

static bool cancel(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)total;
    return done < 2;
}

static void test_wrong_uses_are_errors(void **state)
{
    (void)state;
    weft_context  *ctx = fixture_context(NULL);
    Job            job = {.buffer = weft_buffer_create(ctx, &(weft_buffer_desc){.size = 64})};
    weft_tune_desc d = desc_of(&job);
    uint32_t       out[3];
    d.kernel = "cancelled";
    d.progress = cancel;
    assert_false(weft_context_tune(out, ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_CANCELLED, "cancelled");
    d.progress = NULL;
    d.candidates = &sizes[2];
    d.candidate_count = 1;
    assert_false(weft_context_tune(out, ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_UNSUPPORTED, "none of 1");
    d.candidate_count = 0;
    assert_false(weft_context_tune(out, ctx, &d));
    fixture_expect_error(ctx, WEFT_ERROR_INVALID, "candidates");
    assert_false(weft_context_tune(out, ctx, NULL));
    weft_context_error_clear(ctx);
    assert_false(weft_context_tune(out, NULL, &d));
    weft_buffer_release(job.buffer);
    fixture_release(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_faster_size_wins_and_is_remembered),
        cmocka_unit_test(test_wrong_uses_are_errors),
    };
    return cmocka_run_group_tests_name("context_tune", tests, use_own_folder, remove_folder);
}
