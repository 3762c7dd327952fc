// SPDX-License-Identifier: Apache-2.0
/*
 * print_test.c - what is printed parses to the same tree.
 *
 * Every .wgsl file of the examples and of the language tests that parses is
 * printed, parsed and printed again.
 */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "parsed.h"

static uint32_t tried;

static void round_trip(const char *path, Str source)
{
    Parsed first, second;
    parsed_init(&first, source);
    if (first.diag.errors == 0) {
        const char *once = parsed_print(&first);
        parsed_init(&second, str_of(once));
        /* The parentheses nest too: what is now too deep cannot come back. */
        if (strstr(parsed_report(&second), "nesting_limit"))
            tried--;
        else if (second.diag.errors > 0 || strcmp(parsed_print(&second), once) != 0)
            fail_msg("%s\n%s\n%s", path, parsed_report(&second), once);
        parsed_fini(&second);
        tried++;
    }
    parsed_fini(&first);
}

static void walk(const char *path)
{
    Arena a;
    struct stat info;
    arena_init(&a, 0);
    assert_int_equal(stat(path, &info), 0);
    size_t len = strlen(path);
    if (S_ISDIR(info.st_mode)) {
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (struct dirent *e = readdir(folder); e; e = readdir(folder))
            if (e->d_name[0] != '.')
                walk(arena_printf(&a, "%s/%s", path, e->d_name));
        closedir(folder);
    } else if (len > 5 && strcmp(path + len - 5, ".wgsl") == 0) {
        round_trip(path, file_read(&a, path));
    }
    arena_fini(&a);
}

static void test_files_survive_the_round_trip(void **state)
{
    (void)state;
    walk(WEFT_TEST_DIR "/../../examples");
    walk(WEFT_TEST_DIR "/..");
    assert_true(tried > 20);
}

static void test_numbers_survive_the_round_trip(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0.1", "1e308", "1.7976931348623157e308", "4.9e-324", "0x1.fffffep127f",
        "1.1754944e-38f", "1e-45f", "65504h", "5.9604645e-8h", "0.3h", "123456789.0",
        "0x1.0000000000001p0", "2147483647i", "4294967295u", "9223372036854775807",
    };
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        char text[128];
        Parsed first, second;
        snprintf(text, sizeof text, "const a = %s;", numbers[i]);
        parsed_init(&first, str_of(text));
        parsed_init(&second, str_of(parsed_print(&first)));
        assert_int_equal(first.diag.errors + second.diag.errors, 0);
        const Expr *x = first.module->decls.data[0]->var.init;
        const Expr *y = second.module->decls.data[0]->var.init;
        assert_int_equal(x->literal.kind, y->literal.kind);
        assert_int_equal(x->literal.integer, y->literal.integer);
        if (x->literal.real != y->literal.real)
            fail_msg("%s became %s", numbers[i], parsed_print(&first));
        parsed_fini(&first);
        parsed_fini(&second);
    }
}

static void test_members_of_numbers_survive_the_round_trip(void **state)
{
    (void)state;
    round_trip("numbers", str_of("fn f() { let a = 2 .x + 0x1 .f + 3u .y + 1.5.z + 2e5.w; }"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_survive_the_round_trip),
        cmocka_unit_test(test_numbers_survive_the_round_trip),
        cmocka_unit_test(test_members_of_numbers_survive_the_round_trip),
    };
    return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
