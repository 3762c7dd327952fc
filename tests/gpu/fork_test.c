// SPDX-License-Identifier: Apache-2.0
/*
 * fork_test.c - a child of fork() that has a device of its parent: whatever it does with it,
 * it neither hangs nor crashes.
 */
#include "support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"
#include "support/device.h"

#define HANGS 300                   /* seconds after which a child is killed      */

static TestDevice device;           /* made before the fork                       */
static atomic_bool over;

/* What went wrong, or NULL. Each number is another kernel. */
static const char *run(TestDevice *d, uint32_t number)
{
    char     source[400];
    uint32_t words[64] = {0};
    snprintf(source, sizeof source,
             "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
             "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n"
             "  var x = f32(i); for (var k = 0u; k < i; k++) { x = sin(x) + cos(x * 3.0); }\n"
             "  a[i] = i * %uu + u32(x) * 0u;\n"
             "}\n", number);
    const TestBuffer buffer = {.data = words, .size = sizeof words};
    const TestRun    it = {.wgsl = str_of(source), .buffers = &buffer, .nbuffers = 1,
                           .groups = {1, 1, 1}};
    const char *error = test_device_run(d, &it);
    return error ? error : words[63] == 63 * number ? NULL : "wrong numbers";
}

/* ---- what a child does ---- */

static int child_leaves(void)
{
    return 0;
}

static int child_releases(void)
{
    test_device_close(&device);
    return 0;
}

/* It must be told that the device is lost. */
static int child_uses(void)
{
    const char *error = run(&device, 77);
    WGPUFutureWaitInfo lost = {wgpuDeviceGetLostFuture(device.device), false};
    WGPUWaitStatus status = wgpuInstanceWaitAny(device.instance, 1, &lost, 0);
    return error && status == WGPUWaitStatus_Success && lost.completed ? 0 : 1;
}

/* Submits nothing but an empty list: that is a use, too. */
static int child_submits(void)
{
    wgpuQueueSubmit(device.queue, 0, NULL);
    WGPUFutureWaitInfo lost = {wgpuDeviceGetLostFuture(device.device), false};
    WGPUWaitStatus status = wgpuInstanceWaitAny(device.instance, 1, &lost, 0);
    return status == WGPUWaitStatus_Success && lost.completed ? 0 : 1;
}

static int child_uses_and_releases(void)
{
    int result = child_uses();
    test_device_close(&device);
    return result;
}

/* With another device; 0 if that works, 2 if it fails. */
static int child_begins_anew(void)
{
    TestDevice own = {0};
    test_device_open(&own);
    int result = run(&own, 78) ? 2 : 0;
    test_device_close(&own);
    return result;
}

typedef struct Case {
    const char *name;
    int       (*work)(void);
    bool        exits;              /* by exit(), not _exit()                     */
    bool        may_fail;           /* if the parent was busy                     */
} Case;

static const Case cases[] = {
    {"leaves", child_leaves, false, false},
    {"exits", child_leaves, true, false},
    {"releases", child_releases, false, false},
    {"releases, exits", child_releases, true, false},
    {"uses", child_uses, true, false},
    {"submits", child_submits, true, false},
    {"uses, releases", child_uses_and_releases, true, false},
    {"begins anew", child_begins_anew, true, true},
};

static void check_case(const Case *c, bool busy)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(HANGS);
        int result = c->work();
        if (c->exits)
            exit(result);
        _exit(result);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("%s, parent %s: signal %d", c->name, busy ? "busy" : "idle", WTERMSIG(status));
    int result = WEXITSTATUS(status);
    if (result && !(result == 2 && busy && c->may_fail))
        fail_msg("%s, parent %s: status %d", c->name, busy ? "busy" : "idle", result);
}

static void test_a_child_of_an_idle_parent(void **state)
{
    (void)state;
    test_device_open(&device);
    assert_null(run(&device, 1));
    for (size_t i = 0; i < COUNTOF(cases); i++)
        check_case(&cases[i], false);
    assert_null(run(&device, 2));
    test_device_close(&device);
}

/* Compiles and dispatches until it is over. */
static void *keep_busy(void *unused)
{
    (void)unused;
    for (uint32_t i = 100; !atomic_load(&over); i++)
        if (run(&device, i))
            return &over;
    return NULL;
}

static void test_a_child_of_a_busy_parent(void **state)
{
    pthread_t thread;
    void     *failed = NULL;
    (void)state;
    test_device_open(&device);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&thread, NULL, keep_busy, NULL), 0);
    for (uint32_t times = 0; times < 4; times++)
        for (size_t i = 0; i < COUNTOF(cases); i++) {
            nanosleep(&(struct timespec){.tv_nsec = 3000000 + times * 1700000}, NULL);
            check_case(&cases[i], true);
        }
    atomic_store(&over, true);
    pthread_join(thread, &failed);
    assert_null(failed);
    test_device_close(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_child_of_an_idle_parent),
        cmocka_unit_test(test_a_child_of_a_busy_parent),
    };
    if (test_device_is_vulkan())
        return 77;                  /* drivers do not survive it */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
