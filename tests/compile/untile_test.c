/* SPDX-License-Identifier: Apache-2.0 */
/*
 * untile_test.c - which kernels go without their tiles, and which must keep them.
 *
 * in     the kernels of tests/run/memory/tiles.wgsl, whose results test_native looks at
 * out    a failure for each that has barriers left and should not, or the other way round
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "compile/compile.h"
#include "syntax/syntax.h"

typedef struct Row {
    const char *entry;
    uint32_t    lanes;
    bool        goes;
    const char *why;
} Row;

static const Row rows[] = {
    {"products", 8,  true,  "the textbook product"},
    {"large",    16, true,  "a padded tile; no loop around it"},
    {"large",    8,  false, "rows of two lane groups"},
    {"flat",     8,  true,  "one index for rows and columns; sizes of a uniform"},
    {"oblong",   8,  true,  "a row that all read"},
    {"bodies",   8,  true,  "vectors, of which components are read"},
    {"mixed",    8,  true,  "three dimensions; an index that is no sum"},
    {"again",    8,  true,  "two copies, one after the other"},
    {"turned",   8,  false, "lanes would read columns"},
    {"halo",     8,  false, "some invocations copy more"},
    {"guarded",  8,  false, "some elements are zero"},
    {"late",     8,  false, "the last round's tile is read"},
    {"beyond",   8,  false, "elements are read that nobody wrote"},
    {"crowded",  8,  false, "many invocations copy one element"},
    {"moved",    8,  false, "the source is written"},
    {"chosen",   8,  false, "what is copied depends on data"},
    {"own",      8,  false, "no barrier"},
    {"spilled",  8,  false, "stores past the end"},
    {"counted",  8,  false, "storage is written between barriers"},
};

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (f && text && fread(text, 1, (1 << 20) - 1, f) == 0)
        text[0] = 0;
    if (f)
        fclose(f);
    return text;
}

static void test_tiles_go_or_stay(void **state)
{
    (void)state;
    Arena arena;
    char *source = read_file(WEFT_TEST_DIR "/../run/memory/tiles.wgsl");
    assert_non_null(source);
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    const Module *m = compile_front(&arena, str_of(source), &diag);
    assert_non_null(m);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        Text out = {.arena = &arena};
        const Decl *entry = module_find_entry_point(m, str_of(rows[i].entry));
        assert_non_null(entry);
        assert_true(compile_dump(&out, "untile", m, entry, NULL, 0,
                                 &(CompileOptions){.lanes = rows[i].lanes,
                                                   .assume = ASSUME_INNER}, &diag));
        bool gone = !strstr(out.data, "workgroup \"") && !strstr(out.data, "barrier");
        if (gone != rows[i].goes)
            fail_msg("the tiles of '%s' %s: %s", rows[i].entry, gone ? "go" : "stay",
                     rows[i].why);
    }
    arena_fini(&arena);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles_go_or_stay),
    };
    return cmocka_run_group_tests_name("untile", tests, NULL, NULL);
}
