/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota_test.c - what control groups grant, from files like those of Linux.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quota.h"

static char top[] = "/tmp/weft-quota-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", top, name);
    for (char *at = path + strlen(top) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Of a process whose groups are these. */
static uint32_t cores(const char *groups)
{
    char file[256], mount[256];
    write_file("groups", groups);
    snprintf(file, sizeof file, "%s/groups", top);
    snprintf(mount, sizeof mount, "%s/mount", top);
    return quota_cores(file, mount);
}

static int setup(void **state)
{
    (void)state;
    strcpy(top + strlen(top) - 6, "XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    return system(command);
}

static void test_a_container_has_what_it_is_granted(void **state)
{
    (void)state;
    write_file("mount/cpu.max", "200000 100000\n");
    assert_int_equal(cores("0::/\n"), 2);
    write_file("mount/cpu.max", "250000 100000\n");
    assert_int_equal(cores("0::/\n"), 3);
    write_file("mount/cpu.max", "1000 100000\n");
    assert_int_equal(cores("0::/\n"), 1);
    write_file("mount/cpu.max", "max 100000\n");
    assert_int_equal(cores("0::/\n"), 0);
}

static void test_groups_around_count_too(void **state)
{
    (void)state;
    write_file("mount/a/cpu.max", "400000 100000\n");
    write_file("mount/a/b/cpu.max", "max 100000\n");
    write_file("mount/a/b/c/cpu.max", "600000 100000\n");
    assert_int_equal(cores("0::/a/b/c\n"), 4);
    assert_int_equal(cores("0::/a/b\n"), 4);
    assert_int_equal(cores("0::/other\n"), 0);
    write_file("mount/cpu.max", "300000 100000\n");
    assert_int_equal(cores("0::/a/b/c\n"), 3);
    assert_int_equal(cores("0::/not/there\n"), 3);
}

static void test_groups_of_version_1(void **state)
{
    (void)state;
    write_file("mount/cpu/box/cpu.cfs_quota_us", "150000\n");
    write_file("mount/cpu/box/cpu.cfs_period_us", "50000\n");
    write_file("mount/cpu/cpu.cfs_quota_us", "-1\n");
    write_file("mount/cpu/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cores("3:memory:/box\n2:cpuacct,cpu:/box\n0::/\n"), 3);
    assert_int_equal(cores("2:cpu:/box\n"), 3);
    assert_int_equal(cores("2:cpu:/\n"), 0);
    assert_int_equal(cores("2:cpuset:/box\n1:cpuacct:/box\n"), 0);
}

static void test_what_cannot_be_read_is_no_bound(void **state)
{
    static const char *const quotas[] = {"", "\n", "-5 100000\n", "5 0\n", "x y\n", "12\n"};
    (void)state;
    assert_int_equal(quota_cores("/nowhere/groups", "/nowhere"), 0);
    for (size_t i = 0; i < sizeof quotas / sizeof *quotas; i++) {
        write_file("mount/cpu.max", quotas[i]);
        assert_int_equal(cores("0::/\n"), 0);
    }
    write_file("mount/cpu.max", "99999999999999999999 1\n");
    assert_int_equal(cores("0::/\n"), 4096);
    write_file("mount/cpu.max", "max 100000\n");
    assert_int_equal(cores(""), 0);
    assert_int_equal(cores("no colons\n:\n::"), 0);
    char *longer = malloc(10000);
    memset(longer, 'a', 9999);
    memcpy(longer, "0::/", 4);
    longer[9999] = '\0';
    write_file("mount/cpu.max", "100000 100000\n");
    assert_in_range(cores(longer), 0, 1);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_container_has_what_it_is_granted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_groups_around_count_too, setup, teardown),
        cmocka_unit_test_setup_teardown(test_groups_of_version_1, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_read_is_no_bound, setup, teardown),
    };
    return cmocka_run_group_tests_name("quota", tests, NULL, NULL);
}
