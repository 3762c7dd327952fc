/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golden_test.c - the IR of small kernels, as ir_print() writes it.
 *
 * in     golden/NAME.wgsl, and golden/NAME.ir beside it
 * out    a failure for each kernel whose IR is another
 *
 *     test_golden --update      writes the .ir files anew: read what changed
 */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower/lower.h"
#include "syntax/syntax.h"

#define FOLDER WEFT_TEST_DIR "/golden"
#define MAX_FILE ((size_t)1 << 16)

static unsigned files, failures;
static bool update;

/* NULL: there is none. */
static char *read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    char *text = calloc(1, MAX_FILE);
    size_t n = fread(text, 1, MAX_FILE - 1, in);
    text[n] = 0;
    fclose(in);
    return text;
}

static void write_file(const char *path, const Text *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fwrite(text->data, 1, text->len, out);
    fclose(out);
}

static void lower_text(Arena *a, const char *source, Text *out)
{
    Diag diag = {.arena = a};
    Specialization s;
    Ir *ir = NULL;
    Module *m = syntax_parse(a, str_of(source), &diag);
    if (check_module(m, &(CheckOptions){0}, &diag)) {
        const Decl *entry = m->info->entry_points.data[0];
        if (check_specialize(&s, a, m, entry, NULL, 0, &diag))
            ir = lower_entry_point(a, m, entry, &s, &diag);
    }
    if (diag.list.len)
        print_error("%s\n", diag.list.data[0].message);
    assert_non_null(ir);
    assert_null(ir_verify(ir));
    ir_print(out, ir);
}

static void complain(const char *path, const char *want, const char *found)
{
    unsigned line = 1;
    for (; *want && *want == *found; want++, found++)
        line += *want == '\n';
    print_error("%s:%u: not what is lowered now\n", path, line);
    failures++;
}

static void check_file(const char *name)
{
    char path[4096];
    Arena a;
    arena_init(&a, 0);
    Text found = {.arena = &a};
    snprintf(path, sizeof path, FOLDER "/%s", name);
    char *source = read_file(path);
    lower_text(&a, source, &found);
    memcpy(strrchr(path, '.'), ".ir", 4);
    char *want = read_file(path);
    if (update)
        write_file(path, &found);
    else if (!want || strcmp(want, found.data) != 0)
        complain(path, want ? want : "", found.data);
    files++;
    free(source);
    free(want);
    arena_fini(&a);
}

static void test_kernels_are_lowered_as_before(void **state)
{
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder));) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot && strcmp(dot, ".wgsl") == 0)
            check_file(e->d_name);
    }
    closedir(folder);
    assert_true(files > 5);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels_are_lowered_as_before),
    };
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
