/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_test.c - libraries that crash, hang or are none; files of profiles that hold anything.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "context/context.h"
#include "pool/pool_priv.h"

#define SECOND 1000000000ull
#define LONG   (120 * SECOND)

/* ---- sources ---- */

static void check_source(const char *path, uint64_t benchmark, uint64_t probe,
                         const char *error)
{
    weft_pool_source    s;
    weft_execute_report r;
    const char *const   list[] = {path, NULL};
    weft_pool *pool = weft_pool_create(&(weft_pool_desc){
        .libraries = list, .benchmark_timeout = benchmark, .probe_timeout = probe,
        .no_cache = true, .no_own = true});
    assert_int_equal(weft_pool_source_count(pool), 1);
    assert_true(weft_pool_source_get(&s, pool, 0));
    assert_string_equal(s.library, path);
    if (!s.error || !strstr(s.error, error))
        fail_msg("%s: expected '%s', got '%s'", path, error, s.error ? s.error : "no error");
    assert_int_equal(s.devices, 0);
    weft_pool_context *ctx = fixture_context(pool);
    ScaleJob           j;
    scale_init(&j, 10, 1);
    assert_false(weft_execute(ctx, &j.desc, &r));
    expect_error(&r, WEFT_ERROR_UNSUPPORTED, "the pool has no device");
    assert_int_equal(r.device_index, UINT32_MAX);
    scale_fini(&j);
    fixture_release(pool, ctx);
}

static void test_libraries_with_faults(void **state)
{
    (void)state;
    /* What hangs is waited for, so that its time is short; the others have all the time. */
    static const struct {
        StandinFault fault;
        uint64_t     benchmark, probe;
        const char  *error;
    } all[] = {
        {STANDIN_CRASH_INSTANCE, WEFT_OFF, LONG, "it crashed while its devices were looked for"},
        {STANDIN_HANG_INSTANCE, WEFT_OFF, SECOND / 2, "it did not answer within 0.5 s"},
        {STANDIN_EXIT_INSTANCE, WEFT_OFF, LONG, "it ended the process"},
        {STANDIN_CRASH_ADAPTER, WEFT_OFF, LONG, "it crashed"},
        {STANDIN_HANG_ADAPTER, WEFT_OFF, SECOND / 2, "it did not answer"},
        {STANDIN_NO_ADAPTER, WEFT_OFF, LONG, "no adapter"},
        {STANDIN_CRASH_DEVICE, SECOND / 10, LONG,
         "'faulty' is left out: it crashed while it was meas"},
        {STANDIN_HANG_DEVICE, SECOND / 10, 5 * SECOND,
         "'faulty' is left out: it hung while it was measured"},
        {STANDIN_NO_DEVICE, SECOND / 10, LONG, "'faulty' is left out: "},
        {STANDIN_CRASH_SUBMIT, 5 * SECOND, LONG, "'faulty' is left out: it crashed"},
        {STANDIN_WRONG_RESULTS, 5 * SECOND, LONG,
         "'faulty' is left out: it computes wrong results"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        Standin s = standin_open(0, &(StandinSettings){.name = "faulty",
                                                       .fault = all[i].fault});
        check_source(s.path, all[i].benchmark, all[i].probe, all[i].error);
    }
    standin_open(0, &(StandinSettings){0});
}

static void test_files_that_are_no_libraries(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-pool-XXXXXX";
    int  fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "not a library\n", 14), 14);
    close(fd);
    check_source(path, WEFT_OFF, LONG, "");
    unlink(path);
    check_source(path, WEFT_OFF, LONG, "");
    check_source("/", WEFT_OFF, LONG, "");
    check_source("libm.so.6", WEFT_OFF, LONG, "has no wgpu");
}

static void test_a_faulty_library_harms_no_other(void **state)
{
    (void)state;
    Standin bad = standin_open(0, &(StandinSettings){.fault = STANDIN_CRASH_ADAPTER});
    Standin good = standin_open(1, &(StandinSettings){.name = "good"});
    const char *const list[] = {bad.path, "/no/such/file", good.path, NULL};
    weft_pool *pool = weft_pool_create(&(weft_pool_desc){
        .libraries = list, .benchmark_timeout = WEFT_OFF, .no_own = true});
    weft_pool_device d;
    assert_int_equal(weft_pool_source_count(pool), 3);
    assert_int_equal(weft_pool_device_count(pool), 1);
    assert_true(weft_pool_device_get(&d, pool, 0));
    assert_string_equal(d.name, "good");
    assert_string_equal(d.vendor, "weft tests");
    assert_string_equal(d.driver, "1.0");
    assert_string_equal(d.library, good.path);
    assert_int_equal(strlen(d.id), 16);
    assert_false(weft_pool_device_get(&d, pool, 1));
    weft_pool_context *ctx = fixture_context(pool);
    weft_execute_report r;
    ScaleJob j;
    scale_init(&j, 100, 2);
    weft_execute(ctx, &j.desc, &r);
    expect_ok(&r);
    scale_check(&j);
    assert_string_equal(r.device, "good");
    scale_fini(&j);
    fixture_release(pool, ctx);
    standin_open(0, &(StandinSettings){0});
}

static void test_adapters_are_filtered(void **state)
{
    (void)state;
    static const char *const none[] = {"quantum", NULL}, *const cpu[] = {"CPU", NULL};
    weft_pool *pool = fixture_pool(&(weft_pool_desc){.adapters = none});
    assert_int_equal(weft_pool_device_count(pool), 0);
    weft_pool_release(pool);
    pool = fixture_pool(&(weft_pool_desc){.adapters = cpu});
    assert_true(weft_pool_device_count(pool) >= 1);
    assert_int_equal(weft_pool_device_find(pool, "cpu"), 0);
    assert_int_equal(weft_pool_device_find(pool, "#0"), 0);
    assert_int_equal(weft_pool_device_find(pool, "#7"), UINT32_MAX);
    assert_int_equal(weft_pool_device_find(pool, ""), UINT32_MAX);
    weft_pool_release(pool);
}

/* ---- profiles ---- */

static const weft_profile sample = {
    .f32_rate = 1.25e11, .f16_rate = 0, .i32_rate = 3e10, .function_rate = 2e9,
    .bandwidth = 1.5e10, .cache_bandwidth = 9e10, .cache_size = 1 << 20, .launch_ns = 812.5,
    .upload_rate = 1e10, .read_rate = 8e9, .memory = (uint64_t)24 << 30,
};

static void test_rows_are_read_back(void **state)
{
    (void)state;
    char         row[1024];
    weft_profile p;
    int          n = profile_write(row, sizeof row, "0123456789abcdef", &sample);
    assert_true(n > 0 && (size_t)n < sizeof row);
    assert_true(profile_read(&p, row, "0123456789abcdef"));
    assert_true(p.measured && p.cached);
    assert_true(p.f32_rate == sample.f32_rate && p.launch_ns == sample.launch_ns
                && p.memory == sample.memory && p.cache_size == sample.cache_size);
    assert_false(profile_read(&p, row, "0123456789abcdee"));
}

static void test_changed_rows_are_refused(void **state)
{
    (void)state;
    char         row[1024], bad[1024];
    weft_profile p;
    size_t       n = (size_t)profile_write(row, sizeof row, "0123456789abcdef", &sample);
    for (size_t i = 0; i < n; i++) {
        strcpy(bad, row);
        bad[i] = bad[i] == 'x' ? 'y' : 'x';
        assert_false(profile_read(&p, bad, "0123456789abcdef"));
        strcpy(bad, row);
        bad[i] = '\0';                  /* cut off */
        if (i + 1 < n)
            assert_false(profile_read(&p, bad, "0123456789abcdef"));
    }
    /* The check sum is right, the numbers are not. */
    static const double wrong[] = {-1, 0, 1e300};
    for (size_t i = 0; i < 3; i++) {
        weft_profile q = sample;
        q.bandwidth = wrong[i];
        profile_write(bad, sizeof bad, "0123456789abcdef", &q);
        assert_false(profile_read(&p, bad, "0123456789abcdef"));
    }
}

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static void test_profiles_are_cached(void **state)
{
    (void)state;
    char folder[] = "/tmp/weft-pool-XXXXXX", path[64], lock[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/profiles.tsv", folder);
    snprintf(lock, sizeof lock, "%s.lock", path);
    static const char noise[] =
        "\0\xff\n\tweft-profile-1\t\n\nweft-profile-1\t0123456789abcdef\t1\n";
    weft_pool_desc   desc = {.cache_dir = folder, .benchmark_timeout = SECOND / 50,
                             .probe_in_process = true};
    weft_pool_device first, again;
    write_file(path, noise, sizeof noise - 1);
    weft_pool *pool = fixture_pool(&desc);
    assert_true(weft_pool_device_get(&first, pool, 0));
    assert_true(first.profile.measured && !first.profile.cached);
    assert_true(first.profile.launch_ns > 0 && first.profile.bandwidth > 0);
    weft_profile measured = first.profile;
    weft_pool_release(pool);
    pool = fixture_pool(&desc);
    assert_true(weft_pool_device_get(&again, pool, 0));
    assert_true(again.profile.cached);
    assert_true(again.profile.bandwidth == measured.bandwidth);
    char why[200];
    assert_true(weft_pool_device_measure(pool, 0, why, sizeof why));
    assert_false(weft_pool_device_measure(pool, 9, why, sizeof why));
    assert_true(weft_pool_device_get(&again, pool, 0));
    assert_false(again.profile.cached);
    weft_pool_release(pool);
    /* A folder in place of the file, and no folder at all: measured, not kept. */
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    pool = fixture_pool(&desc);
    assert_true(weft_pool_device_get(&again, pool, 0) && again.profile.measured);
    weft_pool_release(pool);
    rmdir(path);
    unlink(lock);
    rmdir(folder);
    pool = fixture_pool(&desc);
    assert_true(weft_pool_device_get(&again, pool, 0) && again.profile.measured);
    weft_pool_release(pool);
}

extern const EmbeddedKernel pool_kernels[];

static void test_measuring_kernels_are_valid(void **state)
{
    (void)state;
    for (const EmbeddedKernel *k = pool_kernels; k->name; k++) {
        weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){.source = k->text});
        for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++)
            if (weft_wgsl_diagnostic_get(m, i)->severity == WEFT_SEVERITY_ERROR)
                fail_msg("%s: %s", k->name, weft_wgsl_diagnostic_get(m, i)->message);
        weft_wgsl_release(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries_with_faults),
        cmocka_unit_test(test_files_that_are_no_libraries),
        cmocka_unit_test(test_a_faulty_library_harms_no_other),
        cmocka_unit_test(test_adapters_are_filtered),
        cmocka_unit_test(test_rows_are_read_back),
        cmocka_unit_test(test_changed_rows_are_refused),
        cmocka_unit_test(test_profiles_are_cached),
        cmocka_unit_test(test_measuring_kernels_are_valid),
    };
    return cmocka_run_group_tests_name("pool_probe", tests, NULL, NULL);
}
