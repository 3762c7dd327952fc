// SPDX-License-Identifier: Apache-2.0
/*
 * folder_test.c - the folder of the disk cache keeps its limit, and only files of the
 * user's own.
 */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/folder.h"

static char bytes[1000];

typedef struct Here {
    char        path[64];
    CacheFolder folder;
} Here;

static void here_init(Here *h, uint64_t limit)
{
    snprintf(h->path, sizeof h->path, "/tmp/weft-folder-XXXXXX");
    assert_non_null(mkdtemp(h->path));
    folder_init(&h->folder, h->path, limit);
    assert_non_null(h->folder.path);
}

/* How many files there are; removes them if asked. */
static uint32_t count_files(const Here *h, bool and_remove)
{
    uint32_t n = 0;
    int      at = open(h->path, O_RDONLY | O_DIRECTORY);
    DIR     *dir = fdopendir(at);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        n++;
        if (and_remove)
            assert_int_equal(unlinkat(at, entry->d_name, 0), 0);
    }
    closedir(dir);
    return n;
}

static void here_fini(Here *h)
{
    folder_fini(&h->folder);
    count_files(h, true);
    assert_int_equal(rmdir(h->path), 0);
}

static void set_age(const Here *h, uint64_t name, long seconds)
{
    char path[128];
    const struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    snprintf(path, sizeof path, "%s/%016llx.weft", h->path, (unsigned long long)name);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const Here *h, uint64_t name)
{
    size_t size = 0;
    void  *found = folder_read(&h->folder, name, &size);
    bool   whole = found && size == sizeof bytes && memcmp(found, bytes, size) == 0;
    free(found);
    return whole;
}

static void test_the_oldest_go(void **state)
{
    Here h;
    (void)state;
    here_init(&h, 10 * sizeof bytes);
    for (uint64_t i = 0; i < 10; i++) {
        folder_write(&h.folder, i, bytes, sizeof bytes);
        set_age(&h, i, 1000 + (long)((i + 5) % 10));        /* 5 is the oldest */
    }
    assert_int_equal(count_files(&h, false), 10);
    folder_write(&h.folder, 10, bytes, sizeof bytes);
    assert_int_equal(count_files(&h, false), 7);
    for (uint64_t i = 0; i <= 10; i++)
        assert_int_equal(is_there(&h, i), i < 5 || i > 8);
    here_fini(&h);
}

/* Of a limit that is large beside the files, a 64th is written between two counts. */
static void test_the_limit_holds_by_and_large(void **state)
{
    enum { FIT = 640 };
    Here h;
    (void)state;
    here_init(&h, FIT * sizeof bytes);
    for (uint64_t i = 0; i < 3 * FIT; i++) {
        folder_write(&h.folder, i, bytes, sizeof bytes);
        if (i % 50 == 0)
            assert_in_range(count_files(&h, false), 1, FIT + FIT / 64 + 1);
    }
    here_fini(&h);
}

/* Each process counts what others left there when it first writes. */
static void test_files_of_others_count(void **state)
{
    enum { FIT = 640 };
    Here h, other;
    (void)state;
    here_init(&h, 10 * FIT * sizeof bytes);
    for (uint64_t i = 0; i < 2 * FIT; i++)
        folder_write(&h.folder, i, bytes, sizeof bytes);
    other = h;
    folder_init(&other.folder, h.path, FIT * sizeof bytes);
    folder_write(&other.folder, 5 * FIT, bytes, sizeof bytes);
    assert_in_range(count_files(&h, false), 1, FIT);
    folder_fini(&other.folder);
    here_fini(&h);
}

static void test_a_folder_open_to_others_is_not_used(void **state)
{
    Here h;
    size_t size;
    (void)state;
    here_init(&h, 1 << 20);
    folder_write(&h.folder, 1, bytes, sizeof bytes);
    folder_fini(&h.folder);
    assert_int_equal(chmod(h.path, 0777), 0);
    folder_init(&h.folder, h.path, 1 << 20);
    assert_null(h.folder.path);
    assert_null(folder_read(&h.folder, 1, &size));
    folder_write(&h.folder, 2, bytes, sizeof bytes);
    assert_int_equal(count_files(&h, false), 1);
    here_fini(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_oldest_go),
        cmocka_unit_test(test_the_limit_holds_by_and_large),
        cmocka_unit_test(test_files_of_others_count),
        cmocka_unit_test(test_a_folder_open_to_others_is_not_used),
    };
    memset(bytes, 'w', sizeof bytes);
    return cmocka_run_group_tests_name("folder", tests, NULL, NULL);
}
