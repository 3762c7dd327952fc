// SPDX-License-Identifier: Apache-2.0
/*
 * hardware_test.c - by which files a GPU is known to be there.
 */
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macro.h"
#include "gpu/vulkan/vulkan_priv.h"

/* A folder in place of /dev with one file in it, or in its dri/; NULL: none. */
static bool is_found(const char *name, bool in_dri)
{
    char dev[] = "/tmp/weft-hardware-XXXXXX", dri[64], path[128];
    assert_non_null(mkdtemp(dev));
    snprintf(dri, sizeof dri, "%s/dri", dev);
    snprintf(path, sizeof path, "%s/%s", in_dri ? dri : dev, name ? name : "");
    if (in_dri)
        assert_int_equal(mkdir(dri, 0700), 0);
    int file = name ? open(path, O_CREAT | O_WRONLY, 0600) : -1;
    bool found = vulkan_has_hardware_in(dev);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    rmdir(dri);
    rmdir(dev);
    return found;
}

static void test_any_file_of_a_gpu_counts(void **state)
{
    (void)state;
    static const struct { const char *name; bool in_dri, want; } cases[] = {
        {NULL, false, false}, {NULL, true, false},
        {"null", false, false}, {"by-path", true, false},
        {"renderD128", true, true}, {"renderD135", true, true}, {"card7", true, true},
        {"nvidiactl", false, true}, {"dxg", false, true}, {"kgsl-3d0", false, true},
        {"mali0", false, true},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++)
        if (is_found(cases[i].name, cases[i].in_dri) != cases[i].want)
            fail_msg("%s: %s", cases[i].name ? cases[i].name : "nothing",
                     cases[i].want ? "is not found" : "is taken for a GPU");
    assert_false(vulkan_has_hardware_in("/tmp/weft-hardware-that-is-not-there"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_file_of_a_gpu_counts),
    };
    return cmocka_run_group_tests_name("hardware", tests, NULL, NULL);
}
