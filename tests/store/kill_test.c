/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_test.c - a process that commits again and again is killed at random moments: what
 * is left is one of its commits, whole.
 */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/store.h>

#define ROUNDS  25
#define TENSORS 5
#define N       300

static char folder[] = "/tmp/weft-kill-XXXXXX";

/* Tensor t of commit k has the elements k * 10 + t. */
static bool put_commit(weft_store *s, uint32_t k)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t < TENSORS; t++) {
        char    name[] = "tensor-0";
        int32_t data[N];
        name[7] = (char)('0' + t);
        for (int i = 0; i < N; i++)
            data[i] = (int32_t)(k * 10 + t);
        ok = weft_store_put_data(s, name, &(weft_store_data){
            .dtype = WEFT_I32, .rank = 1, .shape = {N}, .data = data, .bytes = sizeof data});
    }
    return ok && weft_store_commit(s);
}

/* Writes a byte to `done` once the first commit is there. */
static void commit_forever(const char *path, uint32_t first, int done)
{
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    for (uint32_t k = first;; k++) {
        weft_store *s = weft_store_open(ctx, &(weft_store_desc){
            .path = path, .model = "m", .write = true, .shard_size = 2 * N * 4});
        if (!s || !put_commit(s, k)) {
            fprintf(stderr, "%s\n", weft_context_error(ctx)->message);
            _exit(1);
        }
        weft_store_release(s);
        if (k == first && write(done, "", 1) != 1)
            _exit(1);
    }
}

/* The number of the commit that is there. */
static uint32_t check_store(weft_context *ctx, const char *path)
{
    weft_store *s = weft_store_open(ctx, &(weft_store_desc){.path = path, .model = "m",
                                                            .verify = true});
    int32_t     data[N];
    uint32_t    commit = 0;
    if (!s)
        fail_msg("%s", weft_context_error(ctx)->message);
    assert_int_equal(weft_store_count(s), TENSORS);
    for (uint32_t t = 0; t < TENSORS; t++) {
        char name[] = "tensor-0";
        name[7] = (char)('0' + t);
        if (!weft_store_read(data, sizeof data, s, name))
            fail_msg("%s", weft_context_error(ctx)->message);
        uint32_t k = ((uint32_t)data[0] - t) / 10;
        commit = t ? commit : k;
        for (int i = 0; i < N; i++)
            assert_int_equal(data[i], commit * 10 + t);
    }
    weft_store_release(s);
    return commit;
}

static void check_format(const char *name, bool clean)
{
    char     path[200];
    uint32_t last = 1;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    weft_context *ctx = weft_context_create(&(weft_context_desc){.no_device = true});
    weft_store   *s = weft_store_open(ctx, &(weft_store_desc){.path = path, .model = "m",
                                                              .write = true});
    assert_true(put_commit(s, 1));
    weft_store_release(s);
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        int   status, done[2];
        char  byte;
        assert_int_equal(pipe(done), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            commit_forever(path, last + 1, done[1]);
        close(done[1]);
        assert_int_equal(read(done[0], &byte, 1), 1);
        close(done[0]);
        nanosleep(&(struct timespec){.tv_nsec = rand() % 12000000}, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        uint32_t now = check_store(ctx, path);
        assert_true(now > last);
        last = now;
    }
    if (clean) {                            /* what the killed ones left goes */
        weft_store_usage u;
        s = weft_store_open(ctx, &(weft_store_desc){.path = path, .model = "m", .write = true});
        assert_true(weft_store_clean(s, WEFT_OFF, NULL));
        assert_true(weft_store_usage_get(&u, s));
        assert_int_equal(u.objects, TENSORS);
        assert_int_equal(u.unused, 0);
        weft_store_release(s);
        assert_int_equal(check_store(ctx, path), last);
    }
    weft_context_release(ctx);
}

static void test_killed_commits_leave_a_whole_file(void **state)
{
    (void)state;
    check_format("k.safetensors", false);
    check_format("k.npz", false);
}

static void test_killed_commits_leave_whole_shards(void **state)
{
    (void)state;
    check_format("k.safetensors.index.json", false);
}

static void test_killed_commits_leave_a_whole_folder(void **state)
{
    (void)state;
    check_format("models", true);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_commits_leave_a_whole_file),
        cmocka_unit_test(test_killed_commits_leave_whole_shards),
        cmocka_unit_test(test_killed_commits_leave_a_whole_folder),
    };
    return cmocka_run_group_tests_name("store_kill", tests, set_up, tear_down);
}
